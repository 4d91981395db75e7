"""Convert a checkpoint to ONNX, and compare the two models before anything is kept.

The converted model is refused if the two predict the same label for less than 99 % of the pairs on which they
are compared, unless that is accepted.  ``convert.json`` in its folder has the comparison; a run with the
model copies it into its manifest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Estimate
from crossexam.core.example import cluster_of
from crossexam.core.files import new_folder, read_json, sha256_of
from crossexam.core.manifest import library_versions
from crossexam.core.progress import Progress, silent
from crossexam.core.randomness import rng_for
from crossexam.core.sealed import read_manifest, write_manifest
from crossexam.evaluation.scores import score_answered
from crossexam.models.onnx.model import CONVERSION, DEFAULT_GRAPH, OnnxClassifier, find_export
from crossexam.models.table import MODELS, open_model, options_of
from crossexam.runs.run import predict_suite
from crossexam.stats.estimate import share_correct
from crossexam.stats.paired import paired_difference

if TYPE_CHECKING:
    from crossexam.models.inference import SequenceClassifier
    from crossexam.models.onnx.quantization import Quantized

#: The share of pairs with the same predicted label below which a conversion is refused.
LEAST_AGREEMENT: Final = 0.99
PAIRS_COMPARED: Final = 1_000
#: The largest difference of logits for the probe between a checkpoint and its float32 graph.
SAME_LOGITS: Final = 1e-4
#: The difference of a probability for the probe above which a graph is not computed as at its conversion.
MOVED: Final = 0.05
_HF: Final = "hf"
_PACKAGES: Final = ("torch", "transformers", "onnx", "onnxscript", "onnxruntime")


@dataclass(frozen=True)
class Conversion:
    """What to convert: the *model* ``hf/...`` into *folder*, with weights of 8 bits if *int8*.

    The two are compared on *suite*, by default the stress tests built from the demo corpus.  *accept* keeps a
    model that agrees too rarely.  *options* are ``label_order``, ``threshold`` and ``revision`` of ``hf/``.
    """

    model: str
    folder: Path
    int8: bool = False
    suite: Suite | None = None
    accept: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    progress: Progress = silent


@dataclass(frozen=True)
class Fidelity:
    """How a converted model compares with its source on *pairs* pairs of the test sets *on*.

    *same* is the share of pairs with the same predicted label, *largest_difference* that of a probability;
    the *difference* of the accuracies is *accuracy* minus *source_accuracy*.
    """

    on: str
    pairs: int
    same: Estimate
    largest_difference: float
    accuracy: Estimate
    source_accuracy: Estimate
    difference: Estimate

    @property
    def enough(self) -> bool:
        """Whether the models agree on so many pairs that the conversion is not refused."""
        return self.same.value >= LEAST_AGREEMENT

    def as_json(self) -> dict[str, Any]:
        """Return the fields for ``convert.json``."""
        return {name: list(each) if isinstance(each, tuple) else each for name, each in vars(self).items()}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Fidelity:
        """Return the agreement that ``convert.json`` has."""
        read: dict[str, Any] = {
            name: Estimate(*each) if isinstance(each, list) else each for name, each in fields.items()
        }
        return cls(**read)


def convert_checkpoint(request: Conversion) -> Fidelity:
    """Convert a checkpoint to ONNX in a new folder, and return how the two models compare.

    The folder appears when it is finished.  If it holds the same conversion already, nothing is done.  Raises
    CrossexamError if the model is not of the kind ``hf/``, if the folder has anything else, if the exported
    graph does not compute what the checkpoint does, or if the models agree too rarely.
    """
    _check_kind(request.model)
    source = open_model(request.model, request.options)
    suite = request.suite or _default_suite()
    items = {name: each.stated_hash for name, each in suite.datasets.items()}
    asked = {"source": request.model, "source_key": source.key, "int8": request.int8, "on": items}
    if (done := _finished(request, asked)) is not None:
        return done
    with new_folder(request.folder, purpose="converting a model") as staging:
        made = _write_model(request, staging)
        agreement = _compare(request, staging, source, suite)
        if not (agreement.enough or request.accept):
            raise _too_rarely(request, agreement)
        facts = {
            "format": 1,
            **asked,
            **made,
            "accepted": request.accept and not agreement.enough,
            "comparison": agreement.as_json(),
            "versions": library_versions(*_PACKAGES),
        }
        write_manifest(staging / CONVERSION, facts)
    return agreement


def _check_kind(model: str) -> None:
    if model.partition("/")[0] != _HF or not model.partition("/")[2]:
        raise CrossexamError(
            f"'{model}' is not a checkpoint of transformers", wanted="hf/FOLDER or hf/ID", hint=None
        )


def _default_suite() -> Suite:
    """Return the stress tests built from the demo corpus."""
    from crossexam.suites.bases import base_from_spec
    from crossexam.suites.build import build_in_memory
    from crossexam.suites.table import suite_request

    problems = [base_from_spec("builtin:word_problems")]
    request = suite_request("stress-tests", [base_from_spec("builtin:demo")], problems, tagger="parses")
    return build_in_memory(request)


def _finished(request: Conversion, asked: Mapping[str, Any]) -> Fidelity | None:
    """Return the agreement of the conversion in the folder if it is the one that is *asked* for.

    Raises CrossexamError if the folder has anything else.
    """
    folder = request.folder
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return None
    found = read_manifest(folder / CONVERSION) if (folder / CONVERSION).is_file() else {}
    if found and all(found.get(name) == value for name, value in asked.items()):
        same_graph = (folder / DEFAULT_GRAPH).is_file()
        if same_graph and sha256_of(folder / DEFAULT_GRAPH) == found.get("graph_sha256"):
            agreement = Fidelity.from_json(found["comparison"])
            if agreement.enough or request.accept:
                return agreement
    raise CrossexamError(
        "it holds another conversion" if found else "it exists and is not empty",
        where=str(folder),
        wanted="a new or an empty folder",
        hint="choose another folder, or remove this one",
    )


def _write_model(request: Conversion, folder: Path) -> dict[str, Any]:
    """Write the converted model into *folder*; return what is to be known of it."""
    from crossexam.models.checkpoint import declared_order
    from crossexam.models.huggingface import Options
    from crossexam.models.onnx.export import (
        exported_graph,
        import_onnx,
        load_for_export,
        without_traces,
        write_export,
    )
    from crossexam.models.onnx.quantization import quantize
    from crossexam.training.pretrained import find_checkpoint

    import_onnx("crossexam convert")
    options: Options = options_of(MODELS[_HF], request.options, where=request.model)
    checkpoint = find_checkpoint(request.model.partition("/")[2], options.revision)
    declared = declared_order(checkpoint, options.label_order, options.threshold)
    order = None if declared.source == "config.json" or _has_one_output(checkpoint.config) else declared.order
    steps = 3 if request.int8 else 2
    request.progress(f"converting {request.model}", 0, steps)
    classifier = load_for_export(checkpoint)
    graph = exported_graph(classifier)
    request.progress(f"converting {request.model}", 1, steps)
    shapes = list(graph.graph.value_info)
    write_export(classifier, without_traces(graph), order, folder)
    _check_export(request, classifier, folder)
    request.progress(f"converting {request.model}", 2, steps)
    made: Quantized | None = None
    if request.int8:
        graph.graph.value_info.extend(shapes)
        made = quantize(graph)
        write_export(classifier, without_traces(graph), order, folder)
        request.progress(f"converting {request.model}", 3, steps)
    return {
        "precision": "int8" if made else "float32",
        **({"quantized": made._asdict()} if made else {}),
        "first_token_only": classifier.first_token_only,
        "graph_sha256": sha256_of(folder / DEFAULT_GRAPH),
        "probe": _loaded(request, folder).probe.round(6).tolist(),
    }


def _has_one_output(config: Mapping[str, Any]) -> bool:
    names = config.get("id2label")
    return isinstance(names, Mapping) and len(names) == 1


def _loaded(request: Conversion, folder: Path) -> OnnxClassifier:
    export = find_export(f"onnx/{request.folder}", folder)
    return OnnxClassifier(export, max_length=None, batch_size="auto")


def _check_export(request: Conversion, classifier: SequenceClassifier, folder: Path) -> None:
    """Raise CrossexamError if the graph in *folder* gives the probe other logits than *classifier*."""
    from crossexam.models.label_order import PAIRS

    probe = classifier.encode(PAIRS)
    expected = next(iter(classifier.logits(probe, [range(len(PAIRS))])))
    found = _loaded(request, folder).probe
    apart = float(abs(found - expected).max()) if found.shape == expected.shape else float("inf")
    if not apart <= SAME_LOGITS:
        raise CrossexamError(
            f"the exported graph gives the {len(PAIRS)} pairs of the probe logits that differ by {apart:.1e}",
            where=request.model,
            wanted=f"a difference of at most {SAME_LOGITS:.0e}",
            hint="torch does not export this architecture correctly; run the checkpoint itself",
        )


def _compare(request: Conversion, folder: Path, source: Any, suite: Suite) -> Fidelity:
    """Return how the model in *folder* compares with *source* on pairs of *suite*."""
    sample = sampled(suite, PAIRS_COMPARED)
    config = read_json(folder / "config.json")
    kept = (
        ("threshold", "label_order") if _has_one_output(config) else ("threshold",)
    )  # else it has the order
    shared = {name: request.options[name] for name in kept if name in request.options}
    made = open_model(f"onnx/{folder}", shared)
    before = predict_suite(source, sample, progress=request.progress)
    after = predict_suite(made, sample, progress=request.progress)
    return agreement_of(before, after)


def sampled(suite: Suite, pairs: int) -> Suite:
    """Return *suite* with so many distinct pairs, drawn at random; all of them if it has no more.

    >>> import crossexam as cx
    >>> sum(map(len, sampled(cx.build("negation", "builtin:demo", limit=20), 30).datasets.values()))
    30
    """
    first: dict[tuple[str, str], tuple[str, int]] = {}
    for name, dataset in suite.datasets.items():
        for index, each in enumerate(dataset):
            first.setdefault((each.premise, each.hypothesis), (name, index))
    places = sorted(first.values())
    drawn = set(rng_for(0, "convert").sample(places, min(pairs, len(places))))
    datasets = {}
    for name, dataset in suite.datasets.items():
        kept = tuple(each for index, each in enumerate(dataset) if (name, index) in drawn)
        if kept:
            datasets[name] = Dataset(name, kept, dataset.manifest)
    return replace(suite, datasets=datasets)


def agreement_of(before: Run, after: Run) -> Fidelity:
    """Return how the run *after* conversion compares with that *before*, over the same items."""
    names = list(before.datasets)
    same = np.concatenate([before.scored(name).predicted == after.scored(name).predicted for name in names])
    items = [example for dataset in before.datasets.values() for example in dataset]
    apart = max(float(abs(before.answers(name) - after.answers(name)).max()) for name in names)
    two_labels = before.two_labels or after.two_labels
    old, new = (list(score_answered(run, two_labels=two_labels).values()) for run in (before, after))
    clusters = np.concatenate([each.clusters for each in old])
    right, source_right = (np.concatenate([each.correct for each in scored]) for scored in (new, old))
    return Fidelity(
        on=", ".join(names),
        pairs=len(items),
        same=share_correct(same, [cluster_of(example) for example in items]),
        largest_difference=round(apart, 6),
        accuracy=share_correct(right, clusters),
        source_accuracy=share_correct(source_right, clusters),
        difference=paired_difference(right, source_right, clusters),
    )


def _too_rarely(request: Conversion, agreement: Fidelity) -> CrossexamError:
    return CrossexamError(
        f"the converted model predicts the same label as {request.model} for {agreement.same} % of "
        f"{agreement.pairs:,} pairs (accuracy {agreement.accuracy} instead of {agreement.source_accuracy}); "
        "nothing was kept",
        where=str(request.folder),
        wanted=f"at least {100 * LEAST_AGREEMENT:.0f} %",
        hint="leave out --int8, or keep it with --accept, which its runs will say"
        if request.int8
        else "--accept keeps it, and its runs will say so",
    )


def conversion_warnings(run: Run) -> list[str]:
    """Return what a reader of *run* must know of the conversion of its model: nothing for most."""
    details = run.details
    conversion: Mapping[str, Any] = details.get("conversion") or {}
    warnings = []
    if conversion.get("accepted"):
        agreement = Fidelity.from_json(conversion["comparison"])
        warnings.append(
            f"{run.model} predicts the same label as {conversion['source']}, from which it was converted, "
            f"for only {agreement.same} % of {agreement.pairs:,} pairs (accepted with --accept)"
        )
    if details.get("moved_since_conversion", 0.0) > MOVED:
        warnings.append(
            f"{run.model} gives the probe other probabilities than where it was converted (by up to "
            f"{details['moved_since_conversion']:.2f}): this processor or version of onnxruntime computes it "
            "differently; convert it on this machine"
        )
    return warnings
