"""A random Llama of half a megabyte as a GGUF file, which llama.cpp's server serves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

LABELS = ("entailment", "neutral", "contradiction", "True", "False", "Neither", "Yes", "No", "Maybe")
WIDTH, HEADS, LAYERS, CONTEXT = 64, 4, 2, 512


def write_tiny_llama(path: Path, seed: int = 0) -> Path:
    """Write a Llama with random weights and a vocabulary of bytes and a few words to *path*."""
    from gguf import GGUFWriter, TokenType

    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    kinds = [TokenType.UNKNOWN, TokenType.CONTROL, TokenType.CONTROL, *[TokenType.BYTE] * 256]
    words = [f"{space}{word}" for word in LABELS for space in ("", "▁")]
    words += [chr(code) for code in range(33, 127)] + ["▁"]
    tokens += words
    kinds += [TokenType.NORMAL] * len(words)
    writer = GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(2 * WIDTH)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * 259 + [-float(number) for number in range(len(words))])
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template("{% for m in messages %}{{ m['content'] }}\n{% endfor %}")
    for name, shape in _shapes(len(tokens)).items():
        rng = np.random.default_rng([seed, len(name), *map(ord, name)])
        values = np.ones(shape) if "norm" in name else rng.normal(0, 0.4, shape)
        writer.add_tensor(name, values.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _shapes(vocabulary: int) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (vocabulary, WIDTH),
        "output_norm.weight": (WIDTH,),
        "output.weight": (vocabulary, WIDTH),
    }
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        shapes |= {f"{block}.attn_{name}.weight": (WIDTH, WIDTH) for name in ("q", "k", "v", "output")}
        shapes |= {f"{block}.{name}_norm.weight": (WIDTH,) for name in ("attn", "ffn")}
        shapes |= {f"{block}.ffn_{name}.weight": (2 * WIDTH, WIDTH) for name in ("gate", "up")}
        shapes[f"{block}.ffn_down.weight"] = (WIDTH, 2 * WIDTH)
    return shapes


@contextmanager
def llama_server(path: Path) -> Iterator[str]:
    """Serve the model at *path* in this process, and yield its endpoint."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server
