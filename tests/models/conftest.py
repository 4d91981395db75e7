"""A server for chats in this process, and tiny checkpoints that all workers share."""

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import lm_golden
import numpy as np
import onnx.parser
import pytest
from filelock import FileLock
from numpy.typing import NDArray
from onnx import numpy_helper
from onnxruntime.quantization import quantize_dynamic

from crossexam.core.labels import LABELS
from crossexam.models.api import endpoint
from crossexam.models.api.model import ChatModel
from crossexam.models.api.pacing import Pace, TransientError
from crossexam.models.api.transport import Limits, Received
from crossexam.models.label_order import PAIRS, PROBE
from crossexam.models.table import open_model
from made.checkpoints import save_tiny
from made.models import token

GOLD = {(premise, hypothesis): label for premise, hypothesis, label in PROBE}


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], object]], Path]:
    """Return a function that returns a folder which the first worker that asks for its name has filled."""
    base = tmp_path_factory.getbasetemp()
    home = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "checkpoints"
    home.mkdir(exist_ok=True)

    def folder_of(name: str, fill: Callable[[Path], object]) -> Path:
        with FileLock(home / f"{name}.lock"):
            if not (home / name).exists():
                fill(home / f"{name}.part")
                (home / f"{name}.part").rename(home / name)
        return home / name

    return folder_of


@pytest.fixture(scope="session")
def lm_folders(made_once: Callable[..., Path]) -> dict[str, Path]:
    """The folders of these language models by name; that with a chat template has two names."""
    made = {name: made_once(name, make) for name, make in lm_golden.MODELS.items()}
    return {**made, "llama, chat": made["llama"]}


def train_on_probe(tokenizer: Any, model: Any) -> None:
    """Let *model* learn the probe by heart, its classes in the order of LABELS."""
    import torch

    batch = tokenizer([p for p, _ in PAIRS], [h for _, h in PAIRS], padding=True, return_tensors="pt")
    gold = torch.tensor([LABELS.index(label) for _, _, label in PROBE])
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    model.train()
    for _ in range(60):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(**batch).logits, gold).backward()
        optimizer.step()
    model.eval()


@pytest.fixture(scope="session")
def probe_tokenizer(word_tokenizer: Callable[..., Any]) -> Any:
    """A tokenizer of the probe's words, with BERT's templates."""
    return word_tokenizer((text for pair in PAIRS for text in pair), 64)


@pytest.fixture(scope="session")
def learnt(made_once: Callable[..., Path], probe_tokenizer: Any) -> dict[str, Path]:
    """A BERT and a RoBERTa that answer the probe, their classes named in the order of LABELS."""
    without_types = deepcopy(probe_tokenizer)
    without_types.model_input_names = ["input_ids", "attention_mask"]
    kinds = {"bert": probe_tokenizer, "roberta": without_types}
    return {
        kind: made_once(kind, partial(save_tiny, tokenizer=tokenizer, kind=kind, train=train_on_probe))
        for kind, tokenizer in kinds.items()
    }


@pytest.fixture
def headed(
    made_once: Callable[..., Path], copied: Callable[..., Path], probe_tokenizer: Any
) -> Callable[..., Path]:
    """Return a function that copies an untrained BERT whose head has so many classes, with this *config*."""

    def copy(labels: int, name: str = "headed", **config: object) -> Path:
        save = partial(save_tiny, tokenizer=probe_tokenizer, labels=labels)
        return copied(made_once(f"bert-{labels}", save), name, config=config)

    return copy


def learn_probe(tokenizer: Any, labels: Sequence[str]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return vectors of words by side [2V, 60] and a head [60, k] whose sums answer the probe."""
    size = len(tokenizer)
    vectors = np.random.default_rng(5).normal(size=(2 * size, 60)).astype(np.float32)
    vectors[0] = vectors[size] = 50.0  # of padding, which the mask must hide
    tokenizer.backend_tokenizer.no_padding()  # whatever it was used for before
    encoded = tokenizer.backend_tokenizer.encode_batch(list(PAIRS))
    sums = [vectors[np.array(each.ids) + size * np.array(each.type_ids)].sum(axis=0) for each in encoded]
    gold = np.array([[4.0 if label == name else -4.0 for name in labels] for _, _, label in PROBE])
    return vectors, np.linalg.lstsq(np.stack(sums), gold, rcond=None)[0].astype(np.float32)


#: A classifier that sums the vectors of a pair's words, and multiplies the sum by *head*.
GRAPH = """
<ir_version: 10, opset_import: ["": 18]>
bag (int64[batch,tokens] input_ids, int64[batch,tokens] attention_mask,
     int64[batch,tokens] token_type_ids) => (float[batch,3] logits)
<int64 size = {SIZE}, int64[1] last = {2}, int64[1] tokens = {1}>
{
    shift = Mul(token_type_ids, size)
    rows = Add(input_ids, shift)
    found = Gather(vectors, rows)
    mask = Cast<to = 1>(attention_mask)
    column = Unsqueeze(mask, last)
    real = Mul(found, column)
    sums = ReduceSum<keepdims = 0>(real, tokens)
    logits = MatMul(sums, head)
}
"""


def export(tokenizer: Any, folder: Path, labels: Sequence[str] = LABELS) -> Path:
    """Write a classifier that answers the probe as an exporter does, its outputs in the order *labels*."""
    model = onnx.parser.parse_model(GRAPH.replace("SIZE", str(len(tokenizer))))
    for name, table in zip(("vectors", "head"), learn_probe(tokenizer, labels), strict=True):
        model.graph.initializer.append(numpy_helper.from_array(table, name))
    folder.mkdir(parents=True)
    onnx.save(model, folder / "model.onnx")
    tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"))
    names = {str(k): label for k, label in enumerate(labels)}
    config = {"id2label": names, "architectures": ["Bag"], "max_position_embeddings": 64}
    (folder / "config.json").write_text(json.dumps(config))
    tokens = {"model_max_length": 64, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokens))
    return folder


@pytest.fixture(scope="session")
def exporter(probe_tokenizer: Any) -> Callable[..., Path]:
    """Return a function that writes a graph."""
    return partial(export, probe_tokenizer)


@pytest.fixture(scope="session")
def exported(made_once: Callable[..., Path], exporter: Callable[..., Path]) -> Path:
    """An exported classifier that answers the probe."""
    return made_once("exported", exporter)


@pytest.fixture(scope="session")
def quantized(made_once: Callable[..., Path], exporter: Callable[..., Path]) -> Path:
    """The same with weights of 8 bits."""

    def quantize(folder: Path) -> None:
        exporter(folder)
        quantize_dynamic(folder / "model.onnx", folder / "model_quantized.onnx")
        (folder / "model.onnx").unlink()

    return made_once("quantized", quantize)


class Response(NamedTuple):
    """What a server sends: a *status*, *headers*, a *body* (JSON, or text as it is); *cut* breaks off."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = MappingProxyType({})
    cut: bool = False

    @property
    def content(self) -> bytes:
        text = self.body if isinstance(self.body, str) else json.dumps(self.body)
        return text.encode()


def chat(text: str, top: Mapping[str, float] | None = None, **more: Any) -> Response:
    """Return an answer with this text, one of the tokens in *top*; *more* is merged into its only choice."""
    message = {"role": "assistant", "content": text}
    logprobs = {"content": [token(text, top[text], top)]} if top else None
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": logprobs, **more}
    usage = {"prompt_tokens": 50, "completion_tokens": 2, "total_tokens": 52}
    return Response(200, {"model": "mine", "choices": [choice], "usage": usage, "system_fingerprint": "fp"})


def error(status: int, message: str, *, headers: dict[str, str] | None = None, **more: Any) -> Response:
    """Return an error in OpenAI's form."""
    return Response(status, {"error": {"message": message, **more}}, headers or {})


def pair_in(body: dict[str, Any]) -> tuple[str, str]:
    """Return the pair in a request made with the template ``words``."""
    found = re.search(r"Premise: (.*)\nHypothesis: (.*)\nAnswer:", body["messages"][-1]["content"], re.DOTALL)
    assert found
    return found[1], found[2]


def label_for(body: dict[str, Any]) -> str:
    """Return the right label for a pair of the probe, a label that depends on the text for others."""
    pair = pair_in(body)
    return GOLD.get(pair) or ("entailment", "neutral", "contradiction")[sum(map(ord, pair[1])) % 3]


class FakeServer:
    """A server without a network; *answer* is called with the body of each request and returns a Response.

    *requests* are the bodies so far, and *headers* those of the last.
    """

    response, chat, error = Response, staticmethod(chat), staticmethod(error)
    pair_in, label_for = staticmethod(pair_in), staticmethod(label_for)
    host = "127.0.0.1:8000"
    url = f"http://{host}/v1"

    def __init__(self) -> None:
        self.answer: Callable[[dict[str, Any]], Response] = lambda body: chat(self.label_for(body))
        self.models: Any = {"data": [{"id": "mine", "owned_by": "me"}]}
        self.requests: list[dict[str, Any]] = []
        self.headers: dict[str, str] = {}
        self.is_closed = False

    @property
    def asked(self) -> list[tuple[str, str]]:
        """The pairs that were asked, without those of the probe."""
        return [pair for body in self.requests if (pair := pair_in(body)) not in GOLD]

    def exchange(self, key: endpoint.Key, method: str, url: str, body: bytes | None) -> Received:
        """Answer a request with this *body*, or one for *url* without any, as a transport does."""
        if self.is_closed:
            raise TransientError("connection refused", refused=True)
        self.headers = dict(key.headers)
        if body is None:
            response = Response(200, self.models) if url.endswith("/models") else error(404, "?")
        else:
            self.requests.append(json.loads(body))
            response = self.answer(self.requests[-1])
        if response.cut:
            raise TransientError(key.hidden_in("the answer broke off"))
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Received(response.status, headers, response.content)


class FakeTime:
    """A clock that waiting puts forward; *waits* are the waits, in seconds."""

    def __init__(self) -> None:
        self.seconds, self.waits = 0.0, list[float]()

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.waits.append(round(seconds, 3))
        self.seconds += seconds


@pytest.fixture
def fake_time() -> FakeTime:
    """A clock for tests of waiting."""
    return FakeTime()


@pytest.fixture
def server(fake_time: FakeTime, monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    """A server that answers the probe rightly and all else with some label; waits for it take no time."""
    server, real = FakeServer(), endpoint._transport_to

    def transport_to(address: endpoint.Address, key: endpoint.Key, limits: Limits) -> Any:
        if address.url != server.url:
            return real(address, key, limits)
        return SimpleNamespace(exchange=partial(server.exchange, key), close=lambda: None)

    monkeypatch.setattr(endpoint, "_transport_to", transport_to)
    pace = partial(Pace, clock=fake_time.now, sleep=fake_time.sleep, jitter=0.0)
    monkeypatch.setattr("crossexam.models.api.model.Pace", pace)
    return server


@pytest.fixture
def opened(server: FakeServer) -> Callable[..., ChatModel]:
    """Return a function that opens a model at *server* with these options."""

    def open_it(name: str = "api/mine", **options: Any) -> ChatModel:
        model = open_model(name, {"endpoint": server.url, "concurrency": 1, **options})
        assert isinstance(model, ChatModel)
        return model

    return open_it
