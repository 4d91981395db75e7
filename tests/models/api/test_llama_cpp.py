"""A tiny random Llama in llama.cpp's own server: what is documented of it, seen."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.models.table import open_model

pytest.importorskip("xllamacpp", reason="llama.cpp's server is not installed (extra test)")

WIDTH, HEADS, LAYERS, CONTEXT = 64, 4, 2, 512
pytestmark = pytest.mark.slow
WORDS = tuple(f"{space}{word}" for word in ("entailment", "neutral", "contradiction") for space in ("", "▁"))
PAIRS = [(f"A man number {n} is here.", f"Somebody {n} is there.") for n in range(8)]


def _write_llama(path: Path) -> None:
    """Write a Llama with random weights whose every token is a label; others have no weight."""
    from gguf import GGUFWriter, TokenType

    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *WORDS, "▁"]
    kinds = [TokenType.UNKNOWN, TokenType.CONTROL, TokenType.CONTROL, *[TokenType.BYTE] * 256]
    kinds += [TokenType.NORMAL] * (len(tokens) - len(kinds))
    writer = GGUFWriter(path, "llama")
    numbers = {"context_length": CONTEXT, "embedding_length": WIDTH, "feed_forward_length": 2 * WIDTH}
    numbers |= {"block_count": LAYERS, "head_count": HEADS, "head_count_kv": HEADS}
    numbers |= {"rope_dimension_count": WIDTH // HEADS, "vocab_size": len(tokens)}
    numbers |= {"bos_token_id": 1, "eos_token_id": 2, "unk_token_id": 0}
    for name, number in numbers.items():
        getattr(writer, f"add_{name}")(number)
    writer.add_name("tiny")
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * 259 + [-float(number) for number in range(len(tokens) - 259)])
    writer.add_token_types(kinds)
    writer.add_chat_template("{% for m in messages %}{{ m['content'] }}\n{% endfor %}")
    shapes: dict[str, tuple[int, ...]] = {"output_norm.weight": (WIDTH,)}
    shapes |= {f"{name}.weight": (len(tokens), WIDTH) for name in ("token_embd", "output")}
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        shapes |= {f"{block}.attn_{name}.weight": (WIDTH, WIDTH) for name in ("q", "k", "v", "output")}
        shapes |= {f"{block}.{name}_norm.weight": (WIDTH,) for name in ("attn", "ffn")}
        shapes |= {f"{block}.ffn_{name}.weight": (2 * WIDTH, WIDTH) for name in ("gate", "up")}
        shapes[f"{block}.ffn_down.weight"] = (WIDTH, 2 * WIDTH)
    for name, shape in shapes.items():
        rng = np.random.default_rng([len(name), *map(ord, name)])
        values = np.ones(shape) if "norm" in name else rng.normal(0, 0.4, shape)
        if name == "output.weight":
            values[:259] *= 0.05
            values[-1] = 0
        writer.add_tensor(name, values.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def test_probabilities_are_those_of_the_model(tmp_path: Path) -> None:
    import xllamacpp

    path = tmp_path / "tiny.gguf"
    _write_llama(path)
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    endpoint = f"{server.listening_address}/v1"
    model: Any = open_model("api/tiny", {"endpoint": endpoint, "max_output": 1})
    rows = model.predict(PAIRS)
    assert model.details["server"] == {"name": "llama.cpp", "how": "by its list of models"}
    assert model.details["concurrency"] == 1
    assert model.details["probe"]["answer"] == "logprobs"
    assert np.allclose(rows.sum(axis=1), 1)
    assert ((rows > 0).sum(axis=1) >= 2).all()  # no row is that of a text alone
    outcomes = [each for batch in model.batches(PAIRS, [False] * 8) for each in batch.outcomes]
    assert all(each.label_mass is not None and each.label_mass < 1 for each in outcomes)
    assert np.array_equal(model.predict(PAIRS[::-1])[::-1], rows)  # with one slot and no prompt cache
    long = ("word " * 1_000, "It is long.")
    (batch,) = model.batches([long], [False])
    assert batch.outcomes[0].status == "too_long"
