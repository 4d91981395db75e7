"""Exported classifiers: small graphs that are made here, in the layouts of exporters."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from tokenizers import Tokenizer

from crossexam.core.labels import LABELS
from crossexam.models.classifier import ClassifierModel
from crossexam.models.label_order import PAIRS, PROBE
from crossexam.models.onnx import model as exported_model
from crossexam.models.table import open_model

LONG = [(f"{a} {b} {c}", b) for (a, b), (c, _) in zip(PAIRS, PAIRS[::-1], strict=True)]
MIXED = [*PAIRS, *LONG, *[(a, "") for a, _ in PAIRS[:3]]]
Copy = Callable[..., Path]


def opened(folder: Path, **options: Any) -> ClassifierModel:
    model = open_model(f"onnx/{folder}", options)
    assert isinstance(model, ClassifierModel)
    return model


@pytest.fixture
def learnt(exported: Path, copied: Copy) -> Path:
    """A classifier that answers the probe, to be changed."""
    return copied(exported, "export")


def test_it_answers_the_probe(exported: Path) -> None:
    model = opened(exported)
    answers = model.predict(PAIRS)
    assert [LABELS[row.argmax()] for row in answers] == [label for _, _, label in PROBE]
    assert model.details["probe"] == {"right": 1.0, "items": 30}
    assert (model.details["device"], model.details["file"]) == ("cpu", "model.onnx")
    assert model.details["max_length"] == 64


# Class orders


def test_the_columns_follow_the_names_of_the_classes(
    exported: Path, exporter: Any, copied: Any, tmp_path: Path, refused: Any
) -> None:
    order = ("contradiction", "entailment", "neutral")
    turned = opened(exporter.export(tmp_path / "turned", labels=order))
    assert np.allclose(turned.predict(MIXED), opened(exported).predict(MIXED), atol=1e-6)
    wrong = {"id2label": {"0": "contradiction", "1": "neutral", "2": "entailment"}}
    wrong_folder = copied(exported, "wrong", config=wrong)
    way_out = "hint: --label-order entailment,neutral,contradiction"
    assert refused(lambda: opened(wrong_folder).predict(PAIRS)).has(
        "the model gets 33 % of 30 easy items right", way_out
    )
    assert opened(wrong_folder, label_order=LABELS).predict(PAIRS).argmax(axis=1)[0] == 0
    silent = copied(exported, "silent", config={"id2label": {str(k): f"LABEL_{k}" for k in range(3)}})
    assert "which does not say which labels they are" in refused(opened, silent)
    assert opened(silent, label_order=LABELS).details["label_order_from"] == "declared"
    assert "a head of 5 classes" in refused(
        opened, copied(exported, "five", config={"id2label": {str(k): f"c{k}" for k in range(5)}})
    )
    two = {"id2label": {"0": "entailment", "1": "not_entailment"}}
    assert "has 3 outputs, but its class order 2 classes" in refused(
        lambda: opened(copied(exported, "two", config=two)).predict(PAIRS)
    )


def test_two_labels_and_one_output(exporter: Any, tmp_path: Path, refused: Any) -> None:
    vectors, head = exporter.learn_probe(LABELS)
    entailed = [label == "entailment" for _, _, label in PROBE]
    two = exporter.export(tmp_path / "two", id2label={"0": "entailment", "1": "not_entailment"})
    opposed = np.stack([head[:, 0], -head[:, 0]], axis=1)
    onnx.save(exporter.make_graph(vectors, opposed), two / "model.onnx")
    model = opened(two)
    answers = model.predict(PAIRS)
    assert model.details["two_label"] is True
    assert [row[0] > 0.5 for row in answers] == entailed
    assert (answers[:, 2] == 0).all()
    one = exporter.export(tmp_path / "one", id2label={"0": "score"})
    onnx.save(exporter.make_graph(vectors, head[:, :1]), one / "model.onnx")
    assert "the checkpoint has one output, and nothing says" in refused(opened, one)
    model = opened(one, threshold=0.5)
    assert [row[0] > 0.5 for row in model.predict(PAIRS)] == entailed
    assert (model.details["two_label"], model.details["threshold"]) == (True, 0.5)
    assert opened(one, threshold=0.4).key != model.key


# Batches


def test_batches_and_cores_change_nothing(
    exported: Path, quantized: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quantized graph is asked one pair at a time, since a batch would change its answers."""
    exact, rough = opened(exported).predict(MIXED), opened(quantized).predict(MIXED)
    for size in (1, 7, "auto"):
        model = opened(exported, batch_size=size)
        assert np.allclose(model.predict(MIXED[::-1])[::-1], exact, atol=1e-6)
        assert model.details["one_by_one"] is False
        model = opened(quantized, batch_size=size)
        assert np.array_equal(model.predict(MIXED[::-1])[::-1], rough)
        assert model.details["one_by_one"] is True
        assert model.details["processed_tokens"] == model.details["real_tokens"]
    classifier: Any = opened(quantized)._load(PAIRS)
    encoded, rows = classifier.encode(MIXED), list(range(len(MIXED)))
    assert abs(classifier._together(encoded, rows) - classifier._each(encoded, rows)).max() > 1e-3
    for cores in ((1, 1), (3, 1), (2, 2)):
        monkeypatch.setattr(exported_model, "_cores", lambda cores=cores: cores)
        assert np.array_equal(opened(exported).predict(MIXED), exact)


def test_one_pair_at_a_time(exported: Path, copied: Any, exporter: Any, tmp_path: Path) -> None:
    """If the graph takes one, or the tokenizer has no padding token."""
    expected = opened(exported).predict(MIXED)
    unpadded = copied(exported, "unpadded", tokenizer_config={"pad_token": None})
    for folder in (exporter.export(tmp_path / "one", batch=1), unpadded):
        model = opened(folder)
        assert np.allclose(model.predict(MIXED), expected, atol=1e-6)
        assert model.details["one_by_one"] is True


def test_it_says_how_far_it_read_and_where_tokens_start(exported: Path) -> None:
    model = opened(exported, max_length=9)  # with [CLS] and two [SEP], six tokens of the pair
    long = ("A dog is running across the  field.", "A dog runs.")
    cut, whole = model.answered([long, ("A dog.", "A.")]).read
    assert whole is None
    assert cut is not None
    assert [text[:end] for text, end in zip(long, cut, strict=True)] == ["A dog is", "A dog runs"]
    assert model.token_starts("A  dog's field.") == [0, 3, 6, 7, 9, 14]


def test_padding_and_truncation_in_the_tokenizer_s_file_are_not_applied(learnt: Path) -> None:
    expected = opened(learnt).predict(MIXED)
    tokenizer = Tokenizer.from_file(str(learnt / "tokenizer.json"))
    tokenizer.enable_truncation(6)
    tokenizer.enable_padding(length=60)
    tokenizer.save(str(learnt / "tokenizer.json"))
    model = opened(learnt)
    assert np.allclose(model.predict(MIXED), expected, atol=1e-6)
    assert model.details["real_tokens"] < 60 * len(MIXED)


# Which graph


def test_the_layouts_of_exporters(exported: Path, exporter: Any, tmp_path: Path) -> None:
    expected = opened(exported).predict(PAIRS)
    for name, *others in (
        ("model.onnx", "model_quantized.onnx"),
        ("onnx/model.onnx",),
        ("onnx/model.onnx", "onnx/model_O2.onnx", "onnx/model_qint8_avx512.onnx"),
        ("model_optimized.onnx",),
    ):
        folder = exporter.export(tmp_path / f"{len(others)}-{Path(name).stem}", name=name)
        for other in others:
            (folder / other).write_bytes(b"not to be read")
        assert np.array_equal(opened(folder).predict(PAIRS), expected)


def test_several_graphs_need_a_choice(learnt: Path, refused: Any) -> None:
    (learnt / "model.onnx").rename(learnt / "model_O1.onnx")
    shutil.copy(learnt / "model_O1.onnx", learnt / "model_O2.onnx")
    choice = "wanted: one of: model_O1.onnx, model_O2.onnx\n  hint: --set onnx.file=model_O1.onnx"
    assert refused(opened, learnt).has("none of its 2 .onnx files is called model.onnx", choice)
    assert opened(learnt, file="model_O2.onnx").details["file"] == "model_O2.onnx"
    assert "none of its 2 .onnx files is called ../export/model_O1.onnx" in refused(
        opened, learnt, file="../export/model_O1.onnx"
    )
    (learnt / "onnx").mkdir()
    for name in ("model.onnx", "onnx/model.onnx"):
        shutil.copy(learnt / "model_O1.onnx", learnt / name)
    assert "2 of its 4 .onnx files are called model.onnx" in refused(opened, learnt)
    for name in ("model.onnx", "onnx/model.onnx"):
        assert opened(learnt, file=name).details["file"] == name


def test_folders_that_are_no_exports(
    exported: Path, copied: Any, exporter: Any, tmp_path: Path, refused: Any
) -> None:
    checkpoint, sub = tmp_path / "checkpoint", tmp_path / "sub"
    checkpoint.mkdir()
    (checkpoint / "model.safetensors").touch()
    exporter.export(sub / "onnx")
    bare = copied(exported, "bare")
    (bare / "tokenizer.json").unlink()
    for folder, named in (
        (tmp_path / "nowhere", ("no such folder",)),
        (
            exported / "model.onnx",
            ("a file, not a folder", f"hint: onnx/{exported} --set onnx.file=model.onnx"),
        ),
        (checkpoint, ("no .onnx file", f"hf/{checkpoint}")),
        (bare, ("tokenizer.json is missing",)),
        (sub, ("config.json is missing", f"hint: onnx/{sub / 'onnx'}")),
    ):
        assert refused(opened, folder).has(*named)
    assert refused(open_model, f"hf/{exported}").has(
        "no safetensors file, but an exported model", f"hint: onnx/{exported}"
    )
    assert refused(opened, exported, device="cuda").has("'onnx.device' cannot be 'cuda'", "wanted: auto, cpu")


# What is not a classifier


def test_files_that_are_no_classifiers(
    exported: Path, copied: Any, exporter: Any, tmp_path: Path, refused: Any
) -> None:
    whole = (exported / "model.onnx").read_bytes()
    unknown = onnx.load(exported / "model.onnx")
    unknown.graph.node[0].op_type = "NoSuchOperation"
    rows = (
        ("model.onnx", b"", "onnxruntime cannot load it"),
        ("model.onnx", b"no protobuf at all, but a text", "onnxruntime cannot load it"),
        ("model.onnx", whole[:-50], "onnxruntime cannot load it"),
        ("model.onnx", unknown.SerializeToString(), "NoSuchOperation"),
        ("tokenizer.json", b"{}", "tokenizers cannot read it"),
    )
    for number, (file, content, said) in enumerate(rows):
        folder = copied(exported, f"broken-{number}")
        (folder / file).write_bytes(content)
        assert said in refused(lambda at=folder: opened(at).predict(PAIRS))
    hidden = exporter.export(tmp_path / "hidden", output="last_hidden_state")
    assert "maps input_ids, attention_mask, token_type_ids to last_hidden_state" in refused(
        lambda: opened(hidden).predict(PAIRS)
    )


# Weights in other files


def _with_external_weights(folder: Path, location: str) -> Path:
    model, path = onnx.load(folder / "model.onnx"), folder / "model.onnx"
    onnx.save(model, path, save_as_external_data=True, location=location, size_threshold=1024)
    return folder


def test_weights_beside_the_graph(exported: Path, learnt: Path, copied: Any) -> None:
    """The key depends on them wherever they are, and on no other graph."""
    expected = opened(exported).predict(PAIRS)
    inside = copied(exported, "inside")
    (inside / "parts").mkdir()
    for folder, location in ((learnt, "model.onnx_data"), (inside, "parts/weights")):
        assert np.array_equal(opened(_with_external_weights(folder, location)).predict(PAIRS), expected)
        key = opened(folder, file="model.onnx").key
        (folder / "model_O2.onnx").write_bytes(b"not to be read")
        assert opened(folder, file="model.onnx").key == key
        content = bytearray((folder / location).read_bytes())
        content[-1] ^= 1
        (folder / location).write_bytes(content)
        assert opened(folder, file="model.onnx").key != key


def test_weights_that_are_missing_or_outside_the_folder_are_refused(
    exported: Path, copied: Any, refused: Any
) -> None:
    for number, (location, said) in enumerate(
        (
            ("../weights", "escapes model directory"),
            ("/etc/hostname", "Absolute path not allowed"),
            ("weights", "does not exist"),
        )
    ):
        folder = _with_external_weights(copied(exported, f"outside-{number}"), "weights")
        model = onnx.load(folder / "model.onnx", load_external_data=False)
        for tensor in model.graph.initializer:
            for entry in tensor.external_data:
                entry.value = location if entry.key == "location" else entry.value
        (folder / "model.onnx").write_bytes(model.SerializeToString())
        shutil.move(folder / "weights", folder.parent / "weights")
        model = opened(folder)
        assert refused(model.predict, PAIRS).has("onnxruntime cannot load it", said)
