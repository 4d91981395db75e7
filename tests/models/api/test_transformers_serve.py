"""A tiny random Llama behind ``transformers serve``: what is documented of it, seen."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.core.errors import CrossexamError
from crossexam.models.table import open_model

_HOW = "transformers serve needs more than is installed (extra interop)"
pytest.importorskip("fastapi", reason=_HOW)
pytest.importorskip("openai", reason=_HOW)
pytest.importorskip("torch", reason="torch is not installed (extra torch)")

pytestmark = pytest.mark.slow
WORDS = ("entailment", "neutral", "contradiction")
PAIRS = [(f"A man number {n} is here.", f"Somebody {n} is there.") for n in range(12)]
CHAT = (
    "{% for m in messages %}{{ m.content }} {% endfor %}"
    "{% if enable_thinking is defined and not enable_thinking %}answer{% endif %}"
)


def _save_llama(folder: Path) -> Path:
    """Save a Llama with random weights that writes labels and nothing else."""
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    others = ["<unk>", "<s>", "</s>", "answer", *"0123456789", "man", "Somebody", "here", "there", "number"]
    tokens = [*others, *WORDS]
    plain = Tokenizer(WordLevel({token: n for n, token in enumerate(tokens)}, unk_token="<unk>"))
    plain.pre_tokenizer = Whitespace()  # type: ignore[assignment]
    special = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
    PreTrainedTokenizerFast(tokenizer_object=plain, chat_template=CHAT, **special).save_pretrained(folder)
    torch.manual_seed(1)
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
    ends = {"bos_token_id": 1, "eos_token_id": 2}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(tokens), initializer_range=1.0, **sizes, **ends))
    assert model.generation_config is not None
    model.generation_config.suppress_tokens = list(range(len(others)))
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of the server, which runs in this process, and the name of its model."""
    from transformers.cli.serve import Serve

    folder = _save_llama(tmp_path_factory.mktemp("serve") / "tiny")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    running = Serve(force_model=str(folder), host="127.0.0.1", port=port, device="cpu", non_blocking=True)
    while not running.server.started:
        assert running._thread.is_alive()
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}/v1", str(folder)
    running.kill_server()


def _open(served: tuple[str, str], **options: Any) -> Any:
    url, name = served
    return open_model(f"api/{name}", {"endpoint": url, "max_output": 1, "concurrency": 1, **options})


def test_it_answers_with_labels_and_ignores_what_it_does_not_know(served: tuple[str, str]) -> None:
    model = _open(served, server="transformers")
    rows = model.predict(PAIRS)
    assert sorted(set(rows.ravel())) == [0, 1]
    details = model.details
    assert details["probe"]["answer"] == "text"  # log-probabilities were asked for, and did not come
    assert details["fields_ignored"] == ["logprobs"]
    assert details["fields_refused"] == []
    assert details["server"] == {"name": "transformers", "how": "stated"}
    assert details["usage"]["output"] == 30 + len(PAIRS)
    assert np.array_equal(_open(served, server="transformers").predict(PAIRS), rows)
    model = _open(served)
    model.predict(PAIRS[:2])
    assert model.details["server"] == {"name": "other", "how": "not recognized"}
    assert model.details["fields_refused"] == []


def test_it_refuses_a_field_that_it_has_never_heard_of(served: tuple[str, str]) -> None:
    with pytest.raises(CrossexamError, match=r"422.*grammar"):
        _open(served, extra='{"grammar": "x"}').predict(PAIRS[:1])
