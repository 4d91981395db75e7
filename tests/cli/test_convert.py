"""crossexam convert, with small checkpoints that learn the probe by heart."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossexam as cx
from crossexam.cli.convert import _table
from crossexam.core.errors import CrossexamError
from crossexam.core.sealed import read_manifest, write_manifest
from crossexam.evaluation import conversion
from crossexam.evaluation.conversion import Conversion, Fidelity, convert_checkpoint
from crossexam.models.label_order import PAIRS
from crossexam.models.onnx import export
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite
from made.cases import refused
from made.commands import invoke

pytest.importorskip("torch")


@pytest.fixture(scope="session")
def suite() -> cx.Suite:
    return cx.build("negation", "builtin:demo", limit=20)


@pytest.fixture
def source(tiny_checkpoint: Path) -> str:
    return f"hf/{tiny_checkpoint}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "new" / "exported"


def fake_export(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the exporter of torch give way to a graph of one product: what is tested does not depend on it."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    def graph(classifier: Any) -> onnx.ModelProto:
        vectors = np.random.default_rng(1).normal(size=(5_000, 3)).astype(np.float32)
        nodes = [
            helper.make_node("Gather", ["vectors", "input_ids"], ["found"]),
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Einsum", ["found", "mask"], ["logits"], equation="pth,pt->ph"),
        ]
        shape = TensorProto.INT64, ["pairs", "tokens"]
        inputs = [helper.make_tensor_value_info(name, *shape) for name in ("input_ids", "attention_mask")]
        output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", 3])
        constants = [numpy_helper.from_array(vectors, "vectors")]
        made = helper.make_graph(nodes, "sums", inputs, [output], constants)
        return helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)

    monkeypatch.setattr(export, "exported_graph", graph)


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use another graph, without the check that it computes what the checkpoint does."""
    fake_export(monkeypatch)
    monkeypatch.setattr(conversion, "_check_export", lambda *arguments: None)


@pytest.mark.slow
def test_it_writes_a_model_that_answers_the_same(source: str, folder: Path, tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    cx.build("negation", "builtin:demo", limit=20, folder=suite)
    command = ["convert", source, "-o", folder, "--on", suite]
    first = invoke(*command).stdout
    assert "100.0" in first
    assert [path.name for path in folder.parent.iterdir()] == ["exported"]
    made = open_model(f"onnx/{folder}")
    assert np.allclose(made.predict(PAIRS), open_model(source).predict(PAIRS), atol=1e-5)
    facts = read_manifest(folder / "convert.json")
    assert (facts["precision"], facts["accepted"], facts["first_token_only"]) == ("float32", False, True)
    assert str(tmp_path).encode() not in (folder / "model.onnx").read_bytes()
    details = predict_suite(f"onnx/{folder}", suite).details
    assert details["conversion"]["comparison"] == facts["comparison"]
    assert details["moved_since_conversion"] <= 1e-5
    before = (folder / "convert.json").stat().st_mtime_ns
    assert invoke(*command).stdout == first
    assert (folder / "convert.json").stat().st_mtime_ns == before
    loaded = cx.load_suite(suite)
    assert cx.convert(source, str(folder), on=loaded).as_json() == facts["comparison"]
    with pytest.raises(CrossexamError, match="it holds another conversion"):
        convert_checkpoint(Conversion(source, folder, suite=loaded, int8=True))


def test_weights_of_8_bits(source: str, folder: Path, suite: cx.Suite) -> None:
    agreement = convert_checkpoint(Conversion(source, folder, int8=True, suite=suite, accept=True))
    quantized = read_manifest(folder / "convert.json")["quantized"]
    # two layers of six products, less two for the values and three after the first token is chosen
    assert (quantized["quantized"], quantized["products"]) == (7, 12)
    assert 0 < agreement.largest_difference < 0.1
    model: Any = open_model(f"onnx/{folder}")
    long = [(f"{a} {c}", b) for (a, b), (c, _) in zip(PAIRS, PAIRS[::-1], strict=True)]
    assert np.array_equal(model.predict([*PAIRS, *long])[:30], model.predict(PAIRS))


@pytest.mark.usefixtures("unchecked")
def test_a_declared_order_is_kept(
    tiny_checkpoint: Path, copied: Callable[..., Path], folder: Path, suite: cx.Suite
) -> None:
    names = {f"LABEL_{k}": k for k in range(3)}
    ids = {str(k): name for name, k in names.items()}
    checkpoint = copied(tiny_checkpoint, config={"id2label": ids, "label2id": names})
    order = ("contradiction", "entailment", "neutral")
    given = Conversion(f"hf/{checkpoint}", folder, suite=suite, accept=True, options={"label_order": order})
    convert_checkpoint(given)
    assert open_model(f"onnx/{folder}").details["label_order"] == list(order)


@pytest.mark.usefixtures("unchecked")
def test_a_model_that_agrees_too_rarely(source: str, folder: Path, tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    cx.build("negation", "builtin:demo", limit=20, folder=suite)
    command = ["convert", source, "-o", folder, "--on", suite]
    assert "nothing was kept" in refused(invoke, *command)
    assert not folder.parent.exists()
    invoke(*command, "--accept")
    said = invoke("run", f"onnx/{folder}", suite, "-o", tmp_path / "run")
    assert "(accepted with --accept)" in said.stderr


def test_what_is_refused(
    source: str, tmp_path: Path, suite: cx.Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_export(monkeypatch)
    with pytest.raises(CrossexamError, match="the 30 pairs of the probe"):  # it computes something else
        convert_checkpoint(Conversion(source, tmp_path / "exported", suite=suite, accept=True))
    assert not list(tmp_path.iterdir())
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(CrossexamError, match="it exists and is not empty"):
        convert_checkpoint(Conversion(source, tmp_path, suite=suite))


@pytest.mark.usefixtures("unchecked")
def test_a_killed_conversion_leaves_no_model(
    source: str, tmp_path: Path, suite: cx.Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "exported"

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(conversion, "_compare", interrupted)
        with pytest.raises(KeyboardInterrupt):
            convert_checkpoint(Conversion(source, folder, suite=suite))
    assert not list(tmp_path.iterdir())
    staging = tmp_path / ".exported.part"  # what a process leaves that had no time to clean up
    staging.mkdir()
    (staging / "stale.onnx").write_bytes(b"half")
    convert_checkpoint(Conversion(source, folder, suite=suite, accept=True))
    assert not staging.exists()
    assert not (folder / "stale.onnx").exists()


@pytest.mark.usefixtures("unchecked")
def test_what_is_said_of_another_graph_does_not_count(source: str, folder: Path, suite: cx.Suite) -> None:
    convert_checkpoint(Conversion(source, folder, suite=suite, accept=True))
    facts = read_manifest(folder / "convert.json")
    assert "conversion" in open_model(f"onnx/{folder}").details
    write_manifest(folder / "convert.json", {**facts, "probe": [[5.0, 0.0, 0.0]] * 30})
    moved = predict_suite(f"onnx/{folder}", suite)
    assert moved.details["moved_since_conversion"] > conversion.MOVED
    assert any("this processor or version of onnxruntime" in w for w in conversion.conversion_warnings(moved))
    write_manifest(folder / "convert.json", {**facts, "graph_sha256": "0" * 64})
    assert "conversion" not in open_model(f"onnx/{folder}").details


def test_the_comparison_is_that_of_the_two_runs(suite: cx.Suite) -> None:
    one, other = (predict_suite(f"builtin/{name}", suite) for name in ("overlap", "majority"))
    found = conversion.agreement_of(one, other)
    said = [np.concatenate([run.predictions(name) for name in suite.datasets]) for run in (one, other)]
    gold = np.array([each.label for data in suite for each in data])
    right = [(answers == gold).mean() for answers in said]
    assert found.same.value == pytest.approx((said[0] == said[1]).mean())
    assert (found.source_accuracy.value, found.accuracy.value) == pytest.approx(tuple(right))
    assert found.difference.value == pytest.approx(right[1] - right[0])
    assert Fidelity.from_json(json.loads(json.dumps(found.as_json()))) == found
    names, shown = (list(column.cells) for column in _table("hf/a", Path("b"), found).columns)
    assert dict(zip(names, shown, strict=True)) == {
        "same predicted label": f"{found.same:.1f} %",
        "largest difference of a probability": f"{found.largest_difference:.2g}",
        "accuracy": f"{found.accuracy:.1f} %",
        "accuracy of hf/a": f"{found.source_accuracy:.1f} %",
        "difference": f"{found.difference:.1f} points",
    }
