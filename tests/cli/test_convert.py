"""crossexam convert, with small checkpoints that learn the probe by heart."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import crossexam as cx
from crossexam.cli.convert import _table
from crossexam.cli.main import app
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Estimate
from crossexam.core.files import read_json
from crossexam.core.sealed import read_manifest, write_manifest
from crossexam.evaluation import conversion
from crossexam.evaluation.conversion import Conversion, Fidelity, convert_checkpoint
from crossexam.models.label_order import PAIRS
from crossexam.models.onnx import export
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite

pytest.importorskip("torch")
ORDER = ("contradiction", "entailment", "neutral")
Make = Callable[..., Path]


@pytest.fixture(scope="session")
def suite() -> cx.Suite:
    return cx.build("negation", "builtin:demo", limit=20)


@pytest.fixture
def renamed(tiny_checkpoint: Path, tmp_path: Path) -> Make:
    """A function that copies the checkpoint with other names of its classes."""

    def make(*names: str) -> Path:
        folder = Path(shutil.copytree(tiny_checkpoint, tmp_path / "checkpoint"))
        config = read_json(folder / "config.json")
        config["id2label"] = {str(k): name for k, name in enumerate(names)}
        config["label2id"] = {name: k for k, name in enumerate(names)}
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
        return folder

    return make


def fake_export(monkeypatch: pytest.MonkeyPatch, *, bias: float = 0.0) -> None:
    """Let the exporter of torch give way to a graph of one product: what is tested does not depend on it."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    def graph(classifier: Any) -> onnx.ModelProto:
        vectors = np.random.default_rng(1).normal(size=(5_000, 3)).astype(np.float32)
        nodes = [
            helper.make_node("Gather", ["vectors", "input_ids"], ["found"]),
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Einsum", ["found", "mask"], ["sums"], equation="pth,pt->ph"),
            helper.make_node("Add", ["sums", "bias"], ["logits"]),
        ]
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", 3])
        tables = {"vectors": vectors, "bias": np.array([bias, 0, 0], dtype=np.float32)}
        made = helper.make_graph(
            nodes, "sums", inputs, [output], [numpy_helper.from_array(t, n) for n, t in tables.items()]
        )
        return helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)

    monkeypatch.setattr(export, "exported_graph", graph)


def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the check that the graph computes what the checkpoint does."""
    monkeypatch.setattr(conversion, "_check_export", lambda *arguments: None)


# The whole way


@pytest.mark.slow
def test_it_writes_a_model_that_answers_the_same(tiny_checkpoint: Path, tmp_path: Path) -> None:
    source, folder = f"hf/{tiny_checkpoint}", tmp_path / "new" / "exported"
    suite = tmp_path / "suite"
    cx.build("negation", "builtin:demo", limit=20, folder=suite)
    command = ["convert", source, "-o", str(folder), "--on", str(suite)]
    first = CliRunner().invoke(app, command, catch_exceptions=False)
    assert first.exit_code == 0
    assert "100.0" in first.stdout
    assert f"written: {folder}" in first.stderr
    assert [path.name for path in folder.parent.iterdir()] == ["exported"]
    made = open_model(f"onnx/{folder}")
    assert np.allclose(made.predict(PAIRS), open_model(source).predict(PAIRS), atol=1e-5)
    facts = read_manifest(folder / "convert.json")
    assert (facts["precision"], facts["accepted"], facts["first_token_only"]) == ("float32", False, True)
    assert str(tmp_path).encode() not in (folder / "model.onnx").read_bytes()
    details = predict_suite(f"onnx/{folder}", "" or suite).manifest["details"]
    assert details["conversion"]["comparison"] == facts["comparison"]
    assert details["moved_since_conversion"] <= 1e-5
    assert "probe" not in details["conversion"]
    before = (folder / "convert.json").stat().st_mtime_ns
    assert CliRunner().invoke(app, command, catch_exceptions=False).stdout == first.stdout
    assert (folder / "convert.json").stat().st_mtime_ns == before
    with pytest.raises(CrossexamError, match="it holds another conversion"):
        convert_checkpoint(Conversion(source, folder, int8=True, suite=cx.load_suite(suite)))


@pytest.mark.slow
def test_the_library_converts_as_the_command_does(
    tiny_checkpoint: Path, tmp_path: Path, suite: cx.Suite
) -> None:
    name, (data, *_) = f"hf/{tiny_checkpoint}", suite
    found = cx.convert(name, tmp_path / "made", on=suite)
    assert read_json(tmp_path / "made" / "convert.json")["comparison"] == found.as_json()
    assert cx.convert(name, str(tmp_path / "made"), on=suite) == found
    assert cx.run(f"onnx/{tmp_path / 'made'}", suite).manifest["details"]["conversion"]["source"] == name
    table = [{"premise": e.premise, "hypothesis": e.hypothesis, "label": e.label} for e in data]
    other = cx.convert(name, tmp_path / "other", on=table)
    assert (other.on, other.pairs) == ("examples", len({tuple(row.values())[:2] for row in table}))
    with pytest.raises(CrossexamError, match="it holds another conversion"):
        cx.convert(name, tmp_path / "made", on=table)


def test_weights_of_8_bits(tiny_checkpoint: Path, tmp_path: Path, suite: cx.Suite) -> None:
    source, folder = f"hf/{tiny_checkpoint}", tmp_path / "small"
    agreement = convert_checkpoint(Conversion(source, folder, int8=True, suite=suite, accept=True))
    facts = read_manifest(folder / "convert.json")
    quantized = facts["quantized"]
    # two layers of six products, less two for the values and three after the first token is chosen
    assert (quantized["quantized"], quantized["products"]) == (7, 12)
    assert 0 < agreement.largest_difference < 0.1
    model: Any = open_model(f"onnx/{folder}")
    long = [(f"{a} {c}", b) for (a, b), (c, _) in zip(PAIRS, PAIRS[::-1], strict=True)]
    together = model.predict([*PAIRS, *long])
    assert np.array_equal(together[:30], model.predict(PAIRS))
    assert model.details["one_by_one"] is False


@pytest.mark.slow
def test_a_checkpoint_like_roberta(tmp_path: Path, suite: cx.Suite) -> None:
    import torch
    from transformers import RobertaConfig, RobertaForSequenceClassification

    tokenizer = _byte_tokenizer()
    torch.manual_seed(2)
    config = RobertaConfig(
        vocab_size=len(tokenizer), max_position_embeddings=66, type_vocab_size=1, num_labels=3,
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=48,
        pad_token_id=1, bos_token_id=0, eos_token_id=2, id2label=dict(enumerate(ORDER)),
        label2id={name: k for k, name in enumerate(ORDER)},
    )  # fmt: skip
    RobertaForSequenceClassification(config).save_pretrained(tmp_path / "roberta")
    tokenizer.save_pretrained(tmp_path / "roberta")
    source, folder = f"hf/{tmp_path / 'roberta'}", tmp_path / "exported"
    assert convert_checkpoint(Conversion(source, folder, suite=suite)).same.value == 1
    made = open_model(f"onnx/{folder}")
    assert np.allclose(made.predict(PAIRS), open_model(source).predict(PAIRS), atol=1e-5)
    assert made.details["label_order"] == list(ORDER)


def _byte_tokenizer() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    texts = [text for pair in PAIRS for text in pair]
    made.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=500, special_tokens=special))
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=64, pad_token="<pad>", unk_token="<unk>", bos_token="<s>",
        eos_token="</s>", model_input_names=["input_ids", "attention_mask"],
    )  # fmt: skip


# Labels


def test_a_declared_order_is_kept(
    renamed: Make, tmp_path: Path, suite: cx.Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_export(monkeypatch)
    unchecked(monkeypatch)
    source, folder = f"hf/{renamed('LABEL_0', 'LABEL_1', 'LABEL_2')}", tmp_path / "exported"
    request = Conversion(source, folder, suite=suite, accept=True, options={"label_order": ORDER})
    convert_checkpoint(request)
    made = open_model(f"onnx/{folder}")
    assert (made.details["label_order"], made.details["label_order_from"]) == (list(ORDER), "config.json")


def test_the_names_of_the_configuration_are_kept(
    renamed: Make, tmp_path: Path, suite: cx.Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_export(monkeypatch)
    unchecked(monkeypatch)
    names = [name.upper() for name in ORDER]
    convert_checkpoint(Conversion(f"hf/{renamed(*names)}", tmp_path / "exported", suite=suite, accept=True))
    assert list(read_json(tmp_path / "exported" / "config.json")["id2label"].values()) == names


@pytest.mark.slow
def test_two_labels(renamed: Make, tmp_path: Path, suite: cx.Suite) -> None:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = renamed("a", "b", "c")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(
        folder, num_labels=2, ignore_mismatched_sizes=True, id2label={0: "not_entailment", 1: "entailment"},
        label2id={"not_entailment": 0, "entailment": 1},
    )  # fmt: skip
    for kind in (model, tokenizer):
        kind.save_pretrained(tmp_path / "two")
    agreement = convert_checkpoint(Conversion(f"hf/{tmp_path / 'two'}", tmp_path / "exported", suite=suite))
    assert (agreement.same.value, agreement.difference.value) == (1, 0)
    made = open_model(f"onnx/{tmp_path / 'exported'}")
    assert made.details["label_order"] == ["not_entailment", "entailment"]


# What is refused


def test_a_model_that_agrees_too_rarely(
    tiny_checkpoint: Path, tmp_path: Path, suite: cx.Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_export(monkeypatch)
    unchecked(monkeypatch)
    source, folder = f"hf/{tiny_checkpoint}", tmp_path / "new" / "exported"
    with pytest.raises(CrossexamError, match=r"predicts the same label as hf/.* nothing was kept") as caught:
        convert_checkpoint(Conversion(source, folder, suite=suite))
    assert "wanted: at least 99 %\n  hint: --accept keeps it" in str(caught.value)
    assert not folder.parent.exists()
    convert_checkpoint(Conversion(source, folder, suite=suite, accept=True))
    assert read_json(folder / "convert.json")["accepted"] is True
    cx.build("negation", "builtin:demo", limit=3, folder=tmp_path / "suite")
    said = CliRunner().invoke(
        app, ["run", f"onnx/{folder}", str(tmp_path / "suite"), "-o", str(tmp_path / "run")]
    )
    assert "warning: onnx/" in said.stderr
    assert "(accepted with --accept)" in said.stderr
    with pytest.raises(CrossexamError, match="it holds another conversion"):
        convert_checkpoint(
            Conversion(source, folder, suite=suite)
        )  # without --accept it would not have been kept


def test_a_graph_that_computes_something_else(
    tiny_checkpoint: Path, tmp_path: Path, suite: cx.Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_export(monkeypatch)
    with pytest.raises(CrossexamError, match="the exported graph gives the 30 pairs of the probe logits"):
        convert_checkpoint(
            Conversion(f"hf/{tiny_checkpoint}", tmp_path / "exported", suite=suite, accept=True)
        )
    assert not list(tmp_path.iterdir())


def test_folders_that_have_something_else(tiny_checkpoint: Path, tmp_path: Path, suite: cx.Suite) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(CrossexamError, match="it exists and is not empty"):
        convert_checkpoint(Conversion(f"hf/{tiny_checkpoint}", tmp_path, suite=suite))
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("model", ["builtin/overlap", "onnx/exported", "hf/"])
def test_other_kinds_of_models(model: str, tmp_path: Path) -> None:
    with pytest.raises(CrossexamError, match="is not a checkpoint of transformers\n  wanted: hf/FOLDER"):
        convert_checkpoint(Conversion(model, tmp_path / "exported"))


def test_a_killed_conversion_leaves_no_model(
    tiny_checkpoint: Path, tmp_path: Path, suite: cx.Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_export(monkeypatch)
    unchecked(monkeypatch)
    folder = tmp_path / "exported"

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(conversion, "_compare", interrupted)
        with pytest.raises(KeyboardInterrupt):
            convert_checkpoint(Conversion(f"hf/{tiny_checkpoint}", folder, suite=suite))
    assert not list(tmp_path.iterdir())
    staging = tmp_path / ".exported.part"  # what a process leaves that had no time to clean up
    staging.mkdir()
    (staging / "stale.onnx").write_bytes(b"half")
    convert_checkpoint(Conversion(f"hf/{tiny_checkpoint}", folder, suite=suite, accept=True))
    assert not staging.exists()
    assert not (folder / "stale.onnx").exists()


# What is known of a converted model later


def test_what_is_said_of_another_graph_does_not_count(
    tiny_checkpoint: Path, tmp_path: Path, suite: cx.Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_export(monkeypatch)
    unchecked(monkeypatch)
    folder = tmp_path / "exported"
    convert_checkpoint(Conversion(f"hf/{tiny_checkpoint}", folder, suite=suite, accept=True))
    facts = read_manifest(folder / "convert.json")
    assert "conversion" in open_model(f"onnx/{folder}").details
    write_manifest(folder / "convert.json", {**facts, "probe": [[5.0, 0.0, 0.0]] * 30})
    moved = predict_suite(f"onnx/{folder}", suite)
    assert moved.manifest["details"]["moved_since_conversion"] > conversion.MOVED
    assert any("this processor or version of onnxruntime" in w for w in conversion.conversion_warnings(moved))
    write_manifest(folder / "convert.json", {**facts, "graph_sha256": "0" * 64})
    assert "conversion" not in open_model(f"onnx/{folder}").details


def test_the_comparison_is_that_of_the_two_runs(suite: cx.Suite) -> None:
    one, other = (predict_suite(f"builtin/{name}", suite) for name in ("overlap", "majority"))
    found = conversion.agreement_of(one, other)
    names = list(suite.datasets)
    same = np.concatenate([one.predictions(n) == other.predictions(n) for n in names])
    assert found.same.value == pytest.approx(same.mean())
    gold = np.array([each.label for name in names for each in suite.datasets[name]])
    right = [(np.concatenate([run.predictions(n) for n in names]) == gold).mean() for run in (other, one)]
    assert (found.accuracy.value, found.source_accuracy.value) == pytest.approx(tuple(right))
    assert found.difference.value == pytest.approx(right[0] - right[1])
    assert Fidelity.from_json(json.loads(json.dumps(found.as_json()))) == found


def test_the_table_has_each_number_under_its_name() -> None:
    numbers = [Estimate(value, value - 0.1, value + 0.05, 100, 100) for value in (0.91, 0.72, 0.63, 0.34)]
    same, accuracy, source, difference = numbers
    fidelity = Fidelity("demo", 1234, same, 0.0321, accuracy, source, difference)
    names, shown = (list(column.cells) for column in _table("hf/a", Path("b"), fidelity).columns)
    assert dict(zip(names, shown, strict=True)) == {
        "same predicted label": "91.0 [81.0, 96.0] %",
        "largest difference of a probability": "0.032",
        "accuracy": "72.0 [62.0, 77.0] %",
        "accuracy of hf/a": "63.0 [53.0, 68.0] %",
        "difference": "34.0 [24.0, 39.0] points",
    }
