"""Exported classifiers: small graphs that are made here, in the layouts of exporters."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import quantize_dynamic
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from typer.testing import CliRunner

import crossexam
from crossexam.cli.main import app
from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.models.classifier import ClassifierModel
from crossexam.models.label_order import PAIRS, PROBE
from crossexam.models.model import answered_by
from crossexam.models.onnx import model as exported
from crossexam.models.onnx.model import external_files
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite

TEXTS = sorted({text for pair in PAIRS for text in pair})
LONG = [(f"{a} {b} {c}", b) for (a, b), (c, _) in zip(PAIRS, PAIRS[::-1], strict=True)]
MIXED = [*PAIRS, *LONG, *[(a, "") for a, _ in PAIRS[:3]]]
IDS = ("input_ids", "attention_mask", "token_type_ids")
WIDTH = 60


def make_tokenizer() -> Tokenizer:
    """Return a tokenizer of the probe's words, with BERT's templates."""
    words = sorted({w for text in TEXTS for w in re.findall(r"\w+|[^\w\s]", text.lower())})
    vocabulary = {w: n for n, w in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return made


def learn_probe(tokenizer: Tokenizer, labels: Sequence[str]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return vectors of words by side [2V, WIDTH] and a head [WIDTH, k] whose sums answer the probe."""
    size = tokenizer.get_vocab_size()
    vectors = np.random.default_rng(5).normal(size=(2 * size, WIDTH)).astype(np.float32)
    vectors[0] = vectors[size] = 50.0  # of padding, which the mask must hide
    sums = np.stack(
        [
            vectors[np.array(each.ids) + size * np.array(each.type_ids)].sum(axis=0)
            for each in tokenizer.encode_batch(list(PAIRS))
        ]
    )
    gold = np.array([[4.0 if label == name else -4.0 for name in labels] for _, _, label in PROBE])
    head = np.linalg.lstsq(sums, gold, rcond=None)[0]
    return vectors, head.astype(np.float32)


def make_graph(
    vectors: NDArray[Any], head: NDArray[Any], *, batch: str | int = "batch", output: str = "logits"
) -> onnx.ModelProto:
    """Return a graph that sums the vectors of a pair's words, and multiplies the sum by *head*."""
    constants = {
        "vectors": vectors,
        "head": head,
        "size": np.array(len(vectors) // 2),
        "last": np.array([2]),
        "tokens": np.array([1]),
    }
    nodes = [
        helper.make_node("Mul", ["token_type_ids", "size"], ["shift"]),
        helper.make_node("Add", ["input_ids", "shift"], ["rows"]),
        helper.make_node("Gather", ["vectors", "rows"], ["found"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["column"]),
        helper.make_node("Mul", ["found", "column"], ["real"]),
        helper.make_node("ReduceSum", ["real", "tokens"], ["sums"], keepdims=0),
        helper.make_node("MatMul", ["sums", "head"], [output]),
    ]
    graph = helper.make_graph(
        nodes,
        "bag",
        [helper.make_tensor_value_info(name, TensorProto.INT64, [batch, "tokens"]) for name in IDS],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, [batch, head.shape[1]])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def save(
    folder: Path,
    *,
    name: str = "model.onnx",
    labels: Sequence[str] = LABELS,
    id2label: Mapping[str, str] | None = None,
    **graph: Any,
) -> Path:
    """Write a classifier that answers the probe, its outputs in the order *labels*."""
    tokenizer = make_tokenizer()
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(make_graph(*learn_probe(tokenizer, labels), **graph), path)
    tokenizer.save(str(folder / "tokenizer.json"))
    names = id2label or {str(k): label for k, label in enumerate(labels)}
    write(folder / "config.json", id2label=names, architectures=["Bag"], max_position_embeddings=64)
    write(folder / "tokenizer_config.json", model_max_length=64, pad_token="[PAD]")
    return folder


def write(path: Path, **values: Any) -> None:
    path.write_text(json.dumps(values), encoding="utf-8")


@pytest.fixture
def learnt(tmp_path: Path) -> Path:
    return save(tmp_path / "export")


@pytest.fixture
def quantized(tmp_path: Path) -> Path:
    folder = save(tmp_path / "quantized")
    quantize_dynamic(folder / "model.onnx", folder / "model_quantized.onnx")
    (folder / "model.onnx").unlink()
    return folder


def opened(folder: Path, **options: Any) -> ClassifierModel:
    model = open_model(f"onnx/{folder}", options)
    assert isinstance(model, ClassifierModel)
    return model


def test_it_answers_the_probe(learnt: Path) -> None:
    model = opened(learnt)
    answers = model.predict(PAIRS)
    assert [LABELS[row.argmax()] for row in answers] == [label for _, _, label in PROBE]
    assert model.details["probe"] == {"right": 1.0, "items": 30}
    assert (model.details["device"], model.details["file"]) == ("cpu", "model.onnx")
    assert model.details["max_length"] == 64


# Class orders


def test_the_columns_follow_the_names_of_the_classes(learnt: Path, tmp_path: Path) -> None:
    turned = save(tmp_path / "turned", labels=("contradiction", "entailment", "neutral"))
    assert np.allclose(opened(turned).predict(MIXED), opened(learnt).predict(MIXED), atol=1e-6)


def test_a_wrong_order_is_refused(tmp_path: Path) -> None:
    names = {"0": "contradiction", "1": "neutral", "2": "entailment"}
    model = opened(save(tmp_path, id2label=names))
    with pytest.raises(CrossexamError, match="the model gets 33 % of 30 easy items right") as caught:
        model.predict(PAIRS)
    assert "hint: --label-order entailment,neutral,contradiction" in str(caught.value)
    assert opened(tmp_path, label_order=LABELS).predict(PAIRS).argmax(axis=1)[0] == 0


def test_names_that_say_nothing_need_an_order(tmp_path: Path) -> None:
    folder = save(tmp_path, id2label={str(k): f"LABEL_{k}" for k in range(3)})
    with pytest.raises(CrossexamError, match="which does not say which labels they are"):
        opened(folder)
    assert opened(folder, label_order=LABELS).details["label_order_from"] == "declared"


def test_two_labels(tmp_path: Path) -> None:
    tokenizer, folder = make_tokenizer(), save(tmp_path, id2label={"0": "entailment", "1": "not_entailment"})
    vectors, head = learn_probe(tokenizer, LABELS)
    onnx.save(make_graph(vectors, np.stack([head[:, 0], -head[:, 0]], axis=1)), folder / "model.onnx")
    model = opened(folder)
    answers = model.predict(PAIRS)
    assert model.details["two_label"] is True
    assert [row[0] > 0.5 for row in answers] == [label == "entailment" for _, _, label in PROBE]
    assert (answers[:, 2] == 0).all()


def test_one_output_needs_a_threshold(tmp_path: Path) -> None:
    folder = save(tmp_path, id2label={"0": "score"})
    vectors, head = learn_probe(make_tokenizer(), LABELS)
    onnx.save(make_graph(vectors, head[:, :1]), folder / "model.onnx")
    with pytest.raises(CrossexamError, match="the checkpoint has one output, and nothing says"):
        opened(folder)
    model = opened(folder, threshold=0.5)
    assert [row[0] > 0.5 for row in model.predict(PAIRS)] == [e == "entailment" for _, _, e in PROBE]
    assert (model.details["two_label"], model.details["threshold"]) == (True, 0.5)
    assert opened(folder, threshold=0.4).key != model.key


def test_other_heads_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CrossexamError, match="a head of 5 classes"):
        opened(save(tmp_path, id2label={str(k): f"c{k}" for k in range(5)}))


def test_a_graph_with_other_outputs_than_its_configuration_is_refused(tmp_path: Path) -> None:
    folder = save(tmp_path, id2label={"0": "entailment", "1": "not_entailment"})
    with pytest.raises(CrossexamError, match="has 3 outputs, but its class order 2 classes"):
        opened(folder).predict(PAIRS)


# Batches


@pytest.mark.parametrize("size", [1, 7, "auto"])
def test_batches_change_nothing(learnt: Path, quantized: Path, size: Any) -> None:
    exact = opened(learnt, batch_size=size)
    assert np.allclose(exact.predict(MIXED[::-1])[::-1], opened(learnt).predict(MIXED), atol=1e-6)
    assert exact.details["one_by_one"] is False
    rough = opened(quantized, batch_size=size)
    assert np.array_equal(rough.predict(MIXED[::-1])[::-1], opened(quantized).predict(MIXED))
    assert rough.details["one_by_one"] is True
    assert rough.details["processed_tokens"] == rough.details["real_tokens"]


def test_a_batch_would_change_the_answers_of_a_quantized_graph(quantized: Path) -> None:
    classifier: Any = opened(quantized)._load(PAIRS)
    encoded = classifier.encode(MIXED)
    rows = list(range(len(MIXED)))
    assert abs(classifier._together(encoded, rows) - classifier._each(encoded, rows)).max() > 1e-3


@pytest.mark.parametrize("export", ["learnt", "quantized"])
def test_a_resumed_run_has_the_bits_of_an_undisturbed_one(
    export: str, request: pytest.FixtureRequest
) -> None:
    model = opened(request.getfixturevalue(export), batch_size=7)
    whole = model.predict(MIXED)
    known = [False] * len(MIXED)
    for batch in list(model.batches(MIXED, known))[::2]:
        for index in batch.indices:
            known[index] = True
    rest = list(model.batches(MIXED, known))
    assert (
        sorted(index for batch in rest for index in batch.indices)
        == np.flatnonzero(~np.array(known)).tolist()
    )
    for batch in rest:
        assert np.array_equal(batch.probabilities, whole[list(batch.indices)])


@pytest.mark.parametrize("cores", [(1, 1), (3, 1), (2, 2)])
def test_the_number_of_cores_changes_nothing(
    learnt: Path, monkeypatch: pytest.MonkeyPatch, cores: tuple[int, int]
) -> None:
    expected = opened(learnt).predict(MIXED)
    monkeypatch.setattr(exported, "_cores", lambda: cores)
    assert np.array_equal(opened(learnt).predict(MIXED), expected)


def test_a_graph_for_one_pair_at_a_time(learnt: Path, tmp_path: Path) -> None:
    model = opened(save(tmp_path / "one", batch=1))
    assert np.allclose(model.predict(MIXED), opened(learnt).predict(MIXED), atol=1e-6)
    assert model.details["one_by_one"] is True


def test_without_a_padding_token_there_are_no_batches(learnt: Path) -> None:
    expected = opened(learnt).predict(MIXED)
    write(learnt / "tokenizer_config.json", model_max_length=64)
    model = opened(learnt)
    assert np.allclose(model.predict(MIXED), expected, atol=1e-6)
    assert model.details["one_by_one"] is True


def test_truncated_pairs_are_counted(learnt: Path) -> None:
    long = " ".join(TEXTS)
    examples = (Example("a", long, "A dog.", "neutral"), Example("b", "A dog.", "A cat.", "neutral"))
    assert predict_suite(f"onnx/{learnt}", Dataset("d", examples)).manifest["truncated_pairs"] == 1
    with pytest.raises(CrossexamError, match="--max-length is 65\n  wanted: 8 to 64 tokens"):
        opened(learnt, max_length=65).predict(PAIRS)


def test_it_says_how_far_it_read_and_where_tokens_start(learnt: Path) -> None:
    model = opened(learnt, max_length=9)  # with [CLS] and two [SEP], six tokens of the pair
    long = ("A dog is running across the  field.", "A dog runs.")
    cut, whole = answered_by(model, [long, ("A dog.", "A.")]).read
    assert whole is None
    assert cut is not None
    assert [text[:end] for text, end in zip(long, cut, strict=True)] == ["A dog is", "A dog runs"]
    assert model.token_starts("A  dog's field.") == [0, 3, 6, 7, 9, 14]


def test_padding_and_truncation_in_the_tokenizer_s_file_are_not_applied(learnt: Path) -> None:
    expected = opened(learnt).predict(MIXED)
    tokenizer = make_tokenizer()
    tokenizer.enable_truncation(6)
    tokenizer.enable_padding(length=60)
    tokenizer.save(str(learnt / "tokenizer.json"))
    model = opened(learnt)
    assert np.allclose(model.predict(MIXED), expected, atol=1e-6)
    assert model.details["real_tokens"] < 60 * len(MIXED)


# Which graph


def test_the_layouts_of_exporters(learnt: Path, tmp_path: Path) -> None:
    expected = opened(learnt).predict(PAIRS)
    for layout in (
        ["model.onnx", "model_quantized.onnx"],
        ["onnx/model.onnx"],
        ["onnx/model.onnx", "onnx/model_O2.onnx", "onnx/model_qint8_avx512.onnx"],
        ["model_optimized.onnx"],
    ):
        folder = save(tmp_path / layout[-1], name=layout[0])
        for name in layout[1:]:
            (folder / name).write_bytes(b"not to be read")
        assert np.array_equal(opened(folder).predict(PAIRS), expected)


def test_several_graphs_need_a_choice(tmp_path: Path) -> None:
    folder = save(tmp_path / "a", name="model_O1.onnx")
    shutil.copy(folder / "model_O1.onnx", folder / "model_O2.onnx")
    with pytest.raises(CrossexamError, match=r"none of its 2 \.onnx files is called model\.onnx") as caught:
        opened(folder)
    assert "wanted: one of: model_O1.onnx, model_O2.onnx\n  hint: --set onnx.file=model_O1.onnx" in str(
        caught.value
    )
    assert opened(folder, file="model_O2.onnx").details["file"] == "model_O2.onnx"
    with pytest.raises(CrossexamError, match=r"none of its 2 \.onnx files is called \.\./a/model_O1\.onnx"):
        opened(folder, file="../a/model_O1.onnx")
    save(folder, name="model.onnx")
    save(folder, name="onnx/model.onnx")
    with pytest.raises(CrossexamError, match=r"2 of its 4 \.onnx files are called model\.onnx"):
        opened(folder)
    assert opened(folder, file="onnx/model.onnx").details["file"] == "onnx/model.onnx"
    assert opened(folder, file="model.onnx").details["file"] == "model.onnx"


def test_folders_that_are_no_exports(learnt: Path, tmp_path: Path) -> None:
    with pytest.raises(CrossexamError, match="no such folder"):
        opened(tmp_path / "nowhere")
    with pytest.raises(CrossexamError, match="a file, not a folder") as caught:
        opened(learnt / "model.onnx")
    assert f"hint: onnx/{learnt} --set onnx.file=model.onnx" in str(caught.value)
    (tmp_path / "checkpoint").mkdir()
    (tmp_path / "checkpoint" / "model.safetensors").touch()
    with pytest.raises(CrossexamError, match=r"no \.onnx file") as caught:
        opened(tmp_path / "checkpoint")
    assert f"hf/{tmp_path / 'checkpoint'}" in str(caught.value)
    (learnt / "tokenizer.json").unlink()
    with pytest.raises(FormatError, match=r"tokenizer\.json is missing"):
        opened(learnt)


def test_a_subfolder_with_all_files_is_named(tmp_path: Path) -> None:
    save(tmp_path / "onnx")
    with pytest.raises(FormatError, match=r"config\.json is missing") as caught:
        opened(tmp_path)
    assert f"hint: onnx/{tmp_path / 'onnx'}" in str(caught.value)


def test_hf_on_an_export_names_this_kind(learnt: Path) -> None:
    with pytest.raises(CrossexamError, match="no safetensors file, but an exported model") as caught:
        open_model(f"hf/{learnt}")
    assert f"hint: onnx/{learnt}" in str(caught.value)


def test_only_the_cpu(learnt: Path) -> None:
    with pytest.raises(CrossexamError, match=r"'onnx\.device' cannot be 'cuda'\n  wanted: auto, cpu"):
        opened(learnt, device="cuda")


# What is not a classifier


@pytest.mark.parametrize("content", [b"", b"no protobuf at all, but a text", b"\x08"])
def test_files_that_are_no_graphs(learnt: Path, content: bytes) -> None:
    (learnt / "model.onnx").write_bytes(content)
    with pytest.raises(FormatError, match="not an ONNX file"):
        opened(learnt)


def test_a_cut_file(learnt: Path) -> None:
    path = learnt / "model.onnx"
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(FormatError, match="not an ONNX file: it ends within a field"):
        opened(learnt)


def test_a_graph_that_onnxruntime_refuses(learnt: Path) -> None:
    model = onnx.load(learnt / "model.onnx")
    model.graph.node[0].op_type = "NoSuchOperation"
    onnx.save(model, learnt / "model.onnx")
    with pytest.raises(CrossexamError, match=r"onnxruntime cannot load it: .*NoSuchOperation"):
        opened(learnt).predict(PAIRS)


def test_a_graph_that_does_not_classify(tmp_path: Path) -> None:
    with pytest.raises(
        CrossexamError, match="the graph maps input_ids, attention_mask, token_type_ids to last_hidden_state"
    ):
        opened(save(tmp_path, output="last_hidden_state")).predict(PAIRS)


def test_a_tokenizer_that_cannot_be_read(learnt: Path) -> None:
    (learnt / "tokenizer.json").write_text("{}")
    with pytest.raises(FormatError, match="tokenizers cannot read it"):
        opened(learnt).predict(PAIRS)


# Weights in other files


def with_external_weights(folder: Path, location: str) -> Path:
    model = onnx.load(folder / "model.onnx")
    onnx.save(
        model, folder / "model.onnx", save_as_external_data=True, location=location, size_threshold=1024
    )
    return folder


def test_weights_beside_the_graph(learnt: Path, tmp_path: Path) -> None:
    expected = opened(learnt).predict(PAIRS)
    folder = with_external_weights(save(tmp_path / "split", name="model.onnx"), "model.onnx_data")
    assert external_files(folder / "model.onnx") == [folder / "model.onnx_data"]
    assert np.array_equal(opened(folder).predict(PAIRS), expected)
    key = opened(folder).key
    content = bytearray((folder / "model.onnx_data").read_bytes())
    content[-1] ^= 1
    (folder / "model.onnx_data").write_bytes(content)
    assert opened(folder).key != key


@pytest.mark.parametrize("location", ["../weights", "/etc/hostname"])
def test_weights_outside_the_folder_are_refused(learnt: Path, location: str) -> None:
    with_external_weights(learnt, "weights")
    model = onnx.load(learnt / "model.onnx", load_external_data=False)
    for tensor in model.graph.initializer:
        for entry in tensor.external_data:
            entry.value = location if entry.key == "location" else entry.value
    (learnt / "model.onnx").write_bytes(model.SerializeToString())
    shutil.move(learnt / "weights", learnt.parent / "weights")
    with pytest.raises(FormatError, match=f"its weights are in '{location}', outside its folder"):
        opened(learnt)


def test_a_link_out_of_the_folder_is_refused(learnt: Path) -> None:
    with_external_weights(learnt, "weights")
    shutil.move(learnt / "weights", learnt.parent / "elsewhere")
    with pytest.raises(FormatError, match="the file 'weights' with its weights is missing"):
        opened(learnt)
    (learnt / "weights").symlink_to(learnt.parent / "elsewhere")
    with pytest.raises(FormatError, match="outside its folder"):
        opened(learnt)


def test_weights_in_subgraphs_are_found(tmp_path: Path) -> None:
    tensor = TensorProto(name="t", data_type=TensorProto.FLOAT, dims=[1])
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="deep")
    node = helper.make_node("Constant", [], ["t"], value=tensor)
    inner = helper.make_graph([node], "inner", [], [])
    outer = helper.make_node("If", ["c"], ["o"], then_branch=inner, else_branch=inner)
    path = tmp_path / "model.onnx"
    path.write_bytes(helper.make_model(helper.make_graph([outer], "outer", [], [])).SerializeToString())
    (tmp_path / "deep").touch()
    assert external_files(path) == [tmp_path / "deep"]


# Keys, and what is not needed


def test_the_key_covers_what_answers_depend_on(learnt: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(learnt, tmp_path / "copy"))
    (copy / "README.md").write_text("a card")
    keys = [
        opened(learnt).key,
        opened(learnt, max_length=32).key,
        opened(learnt, label_order=LABELS[::-1]).key,
    ]
    assert opened(copy).key == keys[0] == opened(learnt, batch_size=4).key == opened(learnt, device="cpu").key
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        changed = Path(shutil.copytree(learnt, tmp_path / f"changed-{name}"))
        write(changed / name, **json.loads((changed / name).read_text()), x=1)
        keys.append(opened(changed).key)
    other = Path(shutil.copytree(learnt, tmp_path / "other"))
    onnx.save(make_graph(*learn_probe(make_tokenizer(), LABELS[::-1])), other / "model.onnx")
    assert len({*keys, opened(other).key}) == len(keys) + 1


def test_neither_torch_nor_transformers_is_needed(learnt: Path) -> None:
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(('torch', 'transformers', 'onnx')))  # importing them fails\n"
        "from crossexam.models.table import open_model\n"
        f"print(open_model({f'onnx/{learnt}'!r}).predict([('A dog runs.', 'It moves.')]).sum().round(6))"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(crossexam.__file__).parents[1])}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.stdout.strip(), done.stderr) == ("1.0", "")


def test_the_command_line_runs_it_and_explains_errors(learnt: Path, tmp_path: Path) -> None:
    suite, run = str(tmp_path / "suite"), str(tmp_path / "run")
    build = ["build", "negation", "--base", "builtin:demo[:5]", "-o", suite]
    assert CliRunner().invoke(app, build).exit_code == 0
    done = CliRunner().invoke(app, ["run", f"onnx/{learnt}", suite, "-o", run])
    assert done.exit_code == 0, done.output
    (learnt / "model.onnx").write_bytes(b"")
    refused = CliRunner().invoke(app, ["run", f"onnx/{learnt}", suite, "-o", run])
    assert isinstance(refused.exception, CrossexamError)
