"""Checkpoints as ONNX graphs: the exporter of torch, its graph checked against the checkpoint.

The graph has opset 23, whose ``Attention``, ``Gelu`` and ``LayerNormalization`` onnxruntime computes faster
on a CPU than what the fusions of its package ``transformers`` put in their place (``bench/RESULTS.md``), so
these are not applied.  As for ``hf/``, what the last layer computes in vain is left out.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.errors import CrossexamError, MissingExtraError
from crossexam.core.files import read_json, write_json
from crossexam.models.checkpoint import import_torch
from crossexam.models.label_order import PAIRS, Order
from crossexam.models.onnx.model import DEFAULT_GRAPH, TOKENIZER
from crossexam.training.pretrained import Checkpoint

if TYPE_CHECKING:
    import onnx

    from crossexam.models.inference import SequenceClassifier

OPSET: Final = 23
#: Bytes of weights above which they are written beside the graph: a protobuf message holds less than 2 GiB.
LARGE: Final = 1_500_000_000
_OUTPUT: Final = "logits"
_WEIGHTS: Final = "model.onnx.data"


def import_onnx(where: str) -> Any:
    """Return the package onnx; raises MissingExtraError if it or onnxscript is not installed."""
    try:
        import onnx
        import onnxscript  # noqa: F401
    except ImportError as error:
        raise MissingExtraError((error.name or "onnx").partition(".")[0], "onnx", where) from None
    return onnx


def load_for_export(checkpoint: Checkpoint) -> SequenceClassifier:
    """Return *checkpoint* on the CPU in float32; raises CrossexamError if it has no ``tokenizer.json``."""
    import_torch(checkpoint)
    from crossexam.models.inference import SequenceClassifier

    classifier = SequenceClassifier(checkpoint, device="cpu", max_length=None, batch_size="auto")
    if not classifier.tokenizer.is_fast:
        raise CrossexamError(
            "its tokenizer cannot be written as tokenizer.json, which is read without transformers",
            where=checkpoint.where,
            wanted="a checkpoint with a fast tokenizer",
        )
    classifier.read_first_token_only(classifier.encode(PAIRS))
    return classifier


def exported_graph(classifier: SequenceClassifier) -> onnx.ModelProto:
    """Return the graph of *classifier*, for any number of pairs and tokens.

    It maps the inputs that the tokenizer gives to ``logits`` [pairs, classes].  The shapes of the tensors
    between, as the exporter knows them, are in ``value_info``.  Raises CrossexamError if torch cannot export
    the architecture.
    """
    import torch

    class Logits(torch.nn.Module):
        def __init__(self, model: Any, names: Sequence[str]) -> None:
            super().__init__()
            self.model, self.names = model, names

        def forward(self, *tables: torch.Tensor) -> torch.Tensor:
            logits: torch.Tensor = self.model(**dict(zip(self.names, tables, strict=True))).logits
            return logits

    import_onnx(classifier.where)
    encoded = classifier.encode(PAIRS)
    tables = classifier.inputs(encoded, _unequal(encoded.lengths.tolist()))
    names = list(tables)
    axes = {0: torch.export.Dim("pairs"), 1: torch.export.Dim("tokens", max=classifier.max_length)}
    try:
        with torch.inference_mode(), _silent():
            program = torch.onnx.export(
                Logits(classifier.model, names).eval(),
                tuple(torch.from_numpy(table) for table in tables.values()),
                input_names=names,
                output_names=[_OUTPUT],
                dynamic_shapes=((axes,) * len(names),),
                opset_version=OPSET,
                dynamo=True,
                verbose=False,
            )
            assert program is not None
            model: onnx.ModelProto = program.model_proto
    except Exception as error:  # the exporter raises nearly anything for a model it cannot trace
        raise CrossexamError(
            f"torch cannot export it to ONNX: {_cause(error)}", where=classifier.where
        ) from error
    return model


def _unequal(lengths: Sequence[int]) -> list[int]:
    """Return two rows of unequal *lengths*, so that the example of the exporter has padding."""
    order = sorted(range(len(lengths)), key=lambda row: lengths[row])
    return [order[0], order[-1]]


def _cause(error: BaseException) -> str:
    """Return the first line of what *error* was caused by; the exporter's own message is about itself."""
    while error.__cause__ is not None:
        error = error.__cause__
    return (str(error).strip() or type(error).__name__).splitlines()[0]


@contextmanager
def _silent() -> Iterator[None]:
    """Keep the exporter's remarks on its own work off the screen."""
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def without_traces(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return *model* without the shapes and stack traces, with names of files, that the exporter notes."""
    graph = model.graph
    del graph.value_info[:], graph.metadata_props[:], model.metadata_props[:]
    for each in (*graph.node, *graph.initializer, *graph.input, *graph.output):
        each.doc_string = ""
        del each.metadata_props[:]
    return model


def write_export(
    classifier: SequenceClassifier, model: onnx.ModelProto, order: Order | None, folder: Path
) -> None:
    """Write *model* into *folder*, with the tokenizer and the configuration of *classifier*'s checkpoint.

    If *order* is given, the configuration names the classes so; None leaves their names as they are.
    """
    onnx = import_onnx(classifier.where)
    large = sum(len(each.raw_data) for each in model.graph.initializer) > LARGE
    beside = {"save_as_external_data": True, "location": _WEIGHTS} if large else {}
    onnx.save(model, folder / DEFAULT_GRAPH, **beside)
    classifier.tokenizer.save_pretrained(folder)
    (folder / TOKENIZER).chmod(0o644)
    config = dict(read_json(classifier.folder / "config.json"))
    config.pop("_name_or_path", None)  # a folder of whoever trained it
    if order is not None:
        config["id2label"] = {str(index): name for index, name in enumerate(order)}
        config["label2id"] = {name: index for index, name in enumerate(order)}
    write_json(folder / "config.json", config)
