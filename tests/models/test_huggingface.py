"""Checkpoints of transformers: small ones that the tests make, train and save."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.models.batches import plan_batches
from crossexam.models.classifier import ClassifierModel
from crossexam.models.label_order import KNOWN_ORDERS, PAIRS, PROBE
from crossexam.models.model import Model
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite
from crossexam.training import first_token

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

ORDERS = list(permutations(LABELS))
TEXTS = sorted({text for pair in PAIRS for text in pair})
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48}
LONG = [(f"{a} {b} {c}", b) for (a, b), (c, _) in zip(PAIRS, PAIRS[::-1], strict=True)]
WHOLE = [*PAIRS, *LONG]
MIXED = [*WHOLE, *[(a, "") for a, _ in PAIRS[:3]]]  # a pipeline takes an empty hypothesis for none


def bert_tokenizer() -> Any:
    """Return a WordPiece tokenizer of the probe's words, with BERT's templates."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    words = sorted(
        {w for text in TEXTS for w in text.lower().replace(".", " . ").replace("'", " ' ").split()}
    )
    vocabulary = {word: number for number, word in enumerate([*special, *words])}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        model_max_length=64,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


def roberta_tokenizer() -> Any:
    """Return a byte-level BPE tokenizer trained on the probe, with RoBERTa's template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    made.train_from_iterator(TEXTS, trainers.BpeTrainer(vocab_size=500, special_tokens=special))
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        model_max_length=64,
        pad_token="<pad>",
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        model_input_names=["input_ids", "attention_mask"],
    )


def make_model(kind: str, labels: int = 3) -> tuple[Any, Any]:
    torch.manual_seed(7)
    if kind == "bert":
        tokenizer = bert_tokenizer()
        config = transformers.BertConfig(
            vocab_size=len(tokenizer), max_position_embeddings=64, num_labels=labels, **SIZES
        )
        return tokenizer, transformers.BertForSequenceClassification(config)
    tokenizer = roberta_tokenizer()
    config = transformers.RobertaConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=66,
        type_vocab_size=1,
        num_labels=labels,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        **SIZES,
    )
    return tokenizer, transformers.RobertaForSequenceClassification(config)


def train_on_probe(tokenizer: Any, model: Any) -> None:
    """Let *model* learn the probe by heart, its classes in the order of LABELS."""
    batch = tokenizer([p for p, _ in PAIRS], [h for _, h in PAIRS], padding=True, return_tensors="pt")
    gold = torch.tensor([LABELS.index(label) for _, _, label in PROBE])
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    model.train()
    for _ in range(120):
        loss = torch.nn.functional.cross_entropy(model(**batch).logits, gold)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 0.02:
            break
    model.eval()


@pytest.fixture(scope="session", params=["bert", "roberta"])
def learnt(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint that answers the probe, its classes named in the order of LABELS."""
    tokenizer, model = make_model(request.param)
    train_on_probe(tokenizer, model)
    folder = tmp_path_factory.mktemp(request.param)
    model.config.id2label = dict(enumerate(LABELS))
    model.config.label2id = {name: number for number, name in enumerate(LABELS)}
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def reordered(source: Path, folder: Path, rows: Sequence[str], names: Sequence[str]) -> Path:
    """Copy *source* with the head's rows in the order *rows* and the classes called *names*."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(source, folder)
    weights = load_file(folder / "model.safetensors")
    head = [key for key in weights if key in {"classifier.weight", "classifier.out_proj.weight"}]
    bias = head[0].replace("weight", "bias")
    take = [LABELS.index(name) for name in rows]  # type: ignore[arg-type]
    weights[head[0]], weights[bias] = weights[head[0]][take].clone(), weights[bias][take].clone()
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return edit_config(
        folder,
        id2label={str(k): name for k, name in enumerate(names)},
        label2id={name: k for k, name in enumerate(names)},
    )


def edit_config(folder: Path, **changes: object) -> Path:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | changes))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS, ids=",".join)
def test_the_six_orders_give_the_same_answers(learnt: Path, tmp_path: Path, order: tuple[str, ...]) -> None:
    expected = open_model(f"hf/{learnt}").predict(MIXED)
    named = open_model(f"hf/{reordered(learnt, tmp_path / 'a', order, [n.upper() for n in order])}")
    numbered = reordered(learnt, tmp_path / "b", order, ["LABEL_0", "LABEL_1", "LABEL_2"])
    declared = open_model(f"hf/{numbered}", {"label_order": order})
    for model in (named, declared):
        assert np.allclose(model.predict(MIXED), expected, atol=1e-6)
        assert model.details["label_order"] == list(order)
        assert model.details["probe"]["right"] >= 0.9
    assert (named.details["label_order_from"], declared.details["label_order_from"]) == (
        "config.json",
        "declared",
    )
    assert isinstance(named, Model)
    assert expected.argmax(axis=1).tolist()[:30] == [LABELS.index(label) for _, _, label in PROBE]


@pytest.mark.parametrize("order", ORDERS[1:], ids=",".join)
def test_names_that_contradict_the_probe_are_refused(
    learnt: Path, tmp_path: Path, order: tuple[str, ...]
) -> None:
    wrong = reordered(learnt, tmp_path / "wrong", LABELS, order)
    with pytest.raises(
        CrossexamError, match=r"from config\.json\), the model gets [0-9]+ % of 30 easy"
    ) as caught:
        open_model(f"hf/{wrong}").predict(PAIRS)
    assert "hint: --label-order entailment,neutral,contradiction" in str(caught.value)
    mended = open_model(f"hf/{wrong}", {"label_order": LABELS})
    assert mended.predict(PAIRS).argmax(axis=1).tolist() == [LABELS.index(label) for _, _, label in PROBE]


def test_a_declared_order_is_verified_too(learnt: Path) -> None:
    model = open_model(f"hf/{learnt}", {"label_order": ("contradiction", "neutral", "entailment")})
    with pytest.raises(CrossexamError, match=r"\(as declared\), the model gets 33 % of 30"):
        model.predict(PAIRS)


def test_answers_are_those_of_the_pipeline(learnt: Path) -> None:
    pipeline = transformers.pipeline("text-classification", model=str(learnt), top_k=None, device="cpu")
    rows = pipeline([{"text": p, "text_pair": h} for p, h in WHOLE])
    expected = np.array(
        [[next(a["score"] for a in row if a["label"] == name) for name in LABELS] for row in rows]
    )
    model = open_model(f"hf/{learnt}", {"device": "cpu"})
    assert np.abs(model.predict(WHOLE) - expected).max() < 1e-5
    assert model.details["first_token_only"] is True


def test_without_the_shortcut_the_answers_are_the_same(learnt: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = open_model(f"hf/{learnt}", {"device": "cpu"}).predict(MIXED)
    monkeypatch.setattr(first_token, "LIKE_BERT", frozenset())
    whole = open_model(f"hf/{learnt}", {"device": "cpu"})
    assert np.abs(whole.predict(MIXED) - short).max() < 1e-6
    assert whole.details["first_token_only"] is False


def test_the_shortcut_is_not_taken_where_it_changes_answers(
    learnt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = open_model(f"hf/{learnt}", {"device": "cpu"}).predict(PAIRS)
    monkeypatch.setattr(first_token, "LOGIT_TOLERANCE", -1.0)  # no two logits are that close
    model = open_model(f"hf/{learnt}", {"device": "cpu"})
    assert np.abs(model.predict(PAIRS) - expected).max() < 1e-6
    assert model.details["first_token_only"] is False


@pytest.mark.parametrize("size", [1, 3, 64, "auto"])
def test_batches_change_nothing(learnt: Path, size: Any) -> None:
    one = open_model(f"hf/{learnt}").predict(MIXED)
    other = open_model(f"hf/{learnt}", {"batch_size": size}).predict(MIXED[::-1])[::-1]
    assert np.allclose(one, other, atol=1e-6)


def test_padding_on_the_left_is_masked(learnt: Path) -> None:
    model = open_model(f"hf/{learnt}")
    assert isinstance(model, ClassifierModel)
    encoded = model._loaded().encode([("A boy.", "A boy is eating an apple at the table."), ("A dog.", "A.")])
    right, left = (encoded.padded([0, 1], encoded.ids, -1, side) for side in ("right", "left"))
    masks = [encoded.mask([0, 1], side) for side in ("right", "left")]
    for table, mask in zip((right, left), masks, strict=True):
        assert ((table != -1) == (mask == 1)).all()
        assert [row[row != -1].tolist() for row in table] == [
            right[0].tolist(),
            right[1][right[1] != -1].tolist(),
        ]
    assert right[1][-1] == left[1][0] == -1


def test_every_distinct_pair_is_asked_once(learnt: Path, tmp_path: Path) -> None:
    examples = [Example(f"{k}", *pair, label="neutral") for k, pair in enumerate([*PAIRS, *PAIRS, *LONG])]
    answered = predict_suite(f"hf/{learnt}", Dataset("d", tuple(examples)), store=tmp_path)
    assert answered.manifest["asked_pairs"] == answered.manifest["distinct_pairs"] == 60
    assert np.array_equal(answered.probabilities["d"][:30], answered.probabilities["d"][30:60])
    again = predict_suite(f"hf/{learnt}", Dataset("d", tuple(examples)), store=tmp_path)
    assert again.manifest["asked_pairs"] == 0
    assert again.manifest["details"]["probe"] == answered.manifest["details"]["probe"]
    assert np.array_equal(again.probabilities["d"], answered.probabilities["d"])


def test_a_resumed_run_has_the_bits_of_an_undisturbed_one(learnt: Path) -> None:
    model = open_model(f"hf/{learnt}", {"batch_size": 7})
    assert isinstance(model, ClassifierModel)
    whole = {
        k: row
        for b in model.batches(MIXED, [False] * len(MIXED))
        for k, row in zip(b.indices, b.probabilities, strict=True)
    }
    known = [False] * len(MIXED)
    for batch in list(model.batches(MIXED, known))[::2]:
        for index in batch.indices:
            known[index] = True
    rest = list(model.batches(MIXED, known))
    assert sum(len(batch.indices) for batch in rest) == known.count(False)
    for batch in rest:
        for index, row in zip(batch.indices, batch.probabilities, strict=True):
            assert np.array_equal(whole[index], row)


def test_truncated_pairs_are_counted(learnt: Path, tmp_path: Path) -> None:
    long = " ".join(TEXTS)
    examples = (Example("a", long, "A dog.", "neutral"), Example("b", "A dog.", "A cat.", "neutral"))
    for _ in range(2):  # the second time from the store
        answered = predict_suite(f"hf/{learnt}", Dataset("d", examples), store=tmp_path)
        assert answered.manifest["truncated_pairs"] == 1
    assert answered.manifest["asked_pairs"] == 0
    shorter = predict_suite(f"hf/{learnt}", Dataset("d", examples), options={"max_length": 8})
    assert shorter.manifest["truncated_pairs"] == 2 - (
        answered.manifest["model_key"] == shorter.manifest["model_key"]
    )
    assert shorter.manifest["details"]["max_length"] == 8
    with pytest.raises(CrossexamError, match="--max-length is 65\n  wanted: 8 to 64 tokens"):
        open_model(f"hf/{learnt}", {"max_length": 65}).predict(PAIRS)


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("CUDA out of memory. Tried to allocate 2 GiB"),
        MemoryError(),
        torch.OutOfMemoryError("full"),
    ],
    ids=["runtime", "memory", "torch"],
)
def test_batches_are_halved_where_memory_ends(
    learnt: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    expected = open_model(f"hf/{learnt}").predict(MIXED)
    model = open_model(f"hf/{learnt}", {"batch_size": 32})
    assert isinstance(model, ClassifierModel)
    classifier = model._loaded()
    forward, sizes = classifier.model.forward, []

    def scarce(*args: Any, **inputs: Any) -> Any:
        sizes.append(inputs["input_ids"].numel())
        if inputs["input_ids"].numel() > 150:
            raise error
        return forward(*args, **inputs)

    monkeypatch.setattr(classifier.model, "forward", scarce)
    assert np.allclose(model.predict(MIXED), expected, atol=1e-6)
    assert model.details["halved_batches"] > 0
    failed = sum(size > 150 for size in sizes)
    assert failed == model.details["halved_batches"]
    before = len(sizes)
    model.predict(MIXED)  # what does not fit is known by now
    assert all(size <= 150 for size in sizes[before:])


def test_a_pair_that_does_not_fit_is_told(learnt: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = open_model(f"hf/{learnt}")
    assert isinstance(model, ClassifierModel)

    def none_left(*_: Any, **__: Any) -> Any:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(model._loaded().model, "forward", none_left)
    with pytest.raises(
        CrossexamError, match=r"a single pair of [0-9]+ tokens does not fit .*\n  hint: --max-length"
    ):
        model.predict(PAIRS)


def test_other_errors_are_not_swallowed(learnt: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = open_model(f"hf/{learnt}")
    assert isinstance(model, ClassifierModel)

    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("shape mismatch")

    monkeypatch.setattr(model._loaded().model, "forward", broken)
    with pytest.raises(RuntimeError, match="shape mismatch"):
        model.predict(PAIRS)


def save(tmp_path: Path, kind: str = "bert", labels: int = 3, **config: object) -> Path:
    tokenizer, model = make_model(kind, labels)
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    return edit_config(tmp_path, **config)


def test_an_untrained_checkpoint_is_asked_with_a_warning(tmp_path: Path) -> None:
    folder = save(tmp_path, id2label={str(k): name for k, name in enumerate(LABELS)})
    model = open_model(f"hf/{folder}")
    assert model.predict(PAIRS).shape == (30, 3)
    assert "could not be verified" in model.details["probe"]["warning"]


def test_two_labels(tmp_path: Path) -> None:
    folder = save(tmp_path, labels=2, id2label={"0": "entailment", "1": "not_entailment"})
    model = open_model(f"hf/{folder}")
    answers = model.predict(PAIRS)
    assert model.details["two_label"] is True
    assert (answers[:, 2] == 0).all()
    assert np.allclose(answers.sum(axis=1), 1)
    turned = open_model(f"hf/{folder}", {"label_order": ("not_entailment", "entailment")})
    assert np.allclose(turned.predict(PAIRS)[:, 0], answers[:, 1])


def test_class_names_that_say_nothing_need_an_order(tmp_path: Path) -> None:
    folder = save(tmp_path)
    with pytest.raises(
        CrossexamError, match="calls the classes LABEL_0, LABEL_1, LABEL_2, which does not say"
    ) as caught:
        open_model(f"hf/{folder}")
    assert "hint: --label-order contradiction,neutral,entailment (or what its card says)" in str(caught.value)
    with pytest.raises(CrossexamError, match="--label-order names 2 classes, but the checkpoint has 3"):
        open_model(f"hf/{folder}", {"label_order": ("entailment", "not_entailment")})
    with pytest.raises(FormatError, match="a key of id2label is not a number: 0, NaN"):
        open_model(f"hf/{edit_config(folder, id2label={'0': 'entailment', 'NaN': 'neutral'})}")
    with pytest.raises(FormatError, match="id2label: 'entailment,entails,neutral' is not a class order"):
        open_model(f"hf/{edit_config(folder, id2label={'0': 'entailment', '1': 'entails', '2': 'neutral'})}")


def test_known_checkpoints_are_recognised_by_the_name_in_their_config(tmp_path: Path) -> None:
    folder = save(tmp_path, _name_or_path="textattack/bert-base-uncased-MNLI")
    model = open_model(f"hf/{folder}")
    assert model.details["label_order"] == ["contradiction", "entailment", "neutral"]
    assert model.details["label_order_from"] == "table of known checkpoints"


def test_the_table_of_known_checkpoints_is_sound() -> None:
    assert all(
        name == name.lower() and sorted(order) == sorted(LABELS) for name, order in KNOWN_ORDERS.items()
    )


def test_heads_that_are_no_classifiers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CrossexamError, match="one output, and nothing says above which value"):
        open_model(f"hf/{save(tmp_path / 'one', labels=1)}")
    with pytest.raises(CrossexamError, match="a head of 5 classes\n  wanted: a classifier with two or three"):
        open_model(f"hf/{save(tmp_path / 'five', labels=5)}")


def test_a_head_with_one_output_needs_a_threshold(tmp_path: Path) -> None:
    folder = save(tmp_path / "one", labels=1)
    with pytest.raises(CrossexamError, match="the checkpoint has one output, and nothing says") as caught:
        open_model(f"hf/{folder}")
    assert "hint: --threshold 0.5" in str(caught.value)
    half = open_model(f"hf/{folder}", {"threshold": 0.5})
    plain = half.predict(PAIRS)[:, 0]
    assert half.details["two_label"] is True
    assert half.details["threshold"] == 0.5
    other = open_model(f"hf/{folder}", {"threshold": 0.6})
    assert other.key != half.key
    np.testing.assert_array_equal(other.predict(PAIRS)[:, 0] > 0.5, plain > 0.6)
    turned = open_model(f"hf/{folder}", {"threshold": 0.5, "label_order": "not_entailment,entailment"})
    np.testing.assert_allclose(turned.predict(PAIRS)[:, 0], 1 - plain, atol=1e-12)
    with pytest.raises(CrossexamError, match="names 3 classes, but the checkpoint has one output"):
        open_model(f"hf/{folder}", {"threshold": 0.5, "label_order": "entailment,neutral,contradiction"})


def test_an_output_that_is_a_score_is_refused(tmp_path: Path) -> None:
    folder = edit_config(
        save(tmp_path / "one", labels=1),
        sentence_transformers={"activation_fn": "torch.nn.modules.linear.Identity"},
    )
    with pytest.raises(CrossexamError, match="one output, which is a score and not a probability"):
        open_model(f"hf/{folder}", {"threshold": 0.5})


def test_a_threshold_for_a_head_of_two_classes(tmp_path: Path) -> None:
    folder = save(tmp_path, labels=2, id2label={"0": "not_entailment", "1": "entailment"})
    plain = open_model(f"hf/{folder}").predict(PAIRS)[:, 0]
    cut = float(np.median(plain))
    strict = open_model(f"hf/{folder}", {"threshold": cut}).predict(PAIRS)[:, 0]
    np.testing.assert_array_equal(strict > 0.5, plain > cut)
    assert 0 < int((strict > 0.5).sum()) < len(PROBE)


def test_three_classes_take_no_threshold(tmp_path: Path) -> None:
    folder = save(tmp_path, id2label={"0": "entailment", "1": "neutral", "2": "contradiction"})
    with pytest.raises(CrossexamError, match="the checkpoint has three classes"):
        open_model(f"hf/{folder}", {"threshold": 0.5})


def test_a_checkpoint_without_a_head_is_refused(tmp_path: Path) -> None:
    tokenizer, model = make_model("bert")
    model.bert.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(
        CrossexamError, match=r"lacks 2 of the classifier's weights \(classifier.bias, classifier.weight\)"
    ):
        open_model(f"hf/{tmp_path}", {"label_order": LABELS}).predict(PAIRS)


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    folder = save(tmp_path)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(CrossexamError, match="pickled weights are never read") as caught:
        open_model(f"hf/{folder}", {"label_order": LABELS})
    assert "save_pretrained(folder) writes safetensors" in str(caught.value)


def test_pickled_weights_are_not_read_beside_other_safetensors(tmp_path: Path) -> None:
    folder = save(tmp_path)
    (folder / "model.safetensors").rename(folder / "something.safetensors")
    torch.save(make_model("bert")[1].state_dict(), folder / "pytorch_model.bin")
    with pytest.raises(CrossexamError, match=r"transformers cannot load it: .*safetensors"):
        open_model(f"hf/{folder}", {"label_order": LABELS}).predict(PAIRS)


def test_code_of_the_checkpoint_is_not_run(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    folder = save(
        tmp_path / "own",
        model_type="own",
        id2label={str(k): name for k, name in enumerate(LABELS)},
        auto_map={"AutoConfig": "own.C", "AutoModelForSequenceClassification": "own.M"},
    )
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w')\n")
    with pytest.raises(CrossexamError, match="transformers cannot load it") as caught:
        open_model(f"hf/{folder}").predict(PAIRS)
    assert "with their own code are not run" in str(caught.value)
    assert not ran.exists()


def test_folders_that_are_no_checkpoints(tmp_path: Path) -> None:
    with pytest.raises(CrossexamError, match="no such folder"):
        open_model("hf/./nowhere")
    with pytest.raises(FormatError, match=r"config\.json is missing"):
        open_model(f"hf/{tmp_path}")
    with pytest.raises(CrossexamError, match="no checkpoint of this name in the cache"):
        open_model("hf/nobody/not-a-checkpoint-of-anyone")
    with pytest.raises(CrossexamError, match="a local folder has no revisions"):
        open_model(f"hf/{tmp_path}", {"revision": "main"})


def test_options_that_make_no_sense(learnt: Path) -> None:
    with pytest.raises(
        CrossexamError, match=r"'hf\.dtype' cannot be 'float8'\n  wanted: float32, bfloat16, float16"
    ):
        open_model(f"hf/{learnt}", {"dtype": "float8"}).predict(PAIRS)
    with pytest.raises(CrossexamError, match="no device is called 'toaster'"):
        open_model(f"hf/{learnt}", {"device": "toaster"}).predict(PAIRS)


def test_bfloat16_on_request(learnt: Path) -> None:
    exact = open_model(f"hf/{learnt}").predict(PAIRS)
    rough = open_model(f"hf/{learnt}", {"dtype": "bfloat16"}).predict(PAIRS)
    assert 0 < np.abs(exact - rough).max() < 0.1


def test_the_key_covers_what_answers_depend_on(learnt: Path, tmp_path: Path) -> None:
    def key(folder: Path = learnt, **options: Any) -> str:
        return open_model(f"hf/{folder}", options).key

    copy = Path(shutil.copytree(learnt, tmp_path / "copy"))
    (copy / "README.md").write_text("a card is of no account")
    assert key(copy) == key() == key(batch_size=4) == key(device="cpu")
    other = reordered(learnt, tmp_path / "other", LABELS[::-1], LABELS[::-1])
    keys = [key(), key(dtype="bfloat16"), key(max_length=32), key(label_order=LABELS[::-1]), key(other)]
    assert len(set(keys)) == len(keys)
    (copy / "tokenizer_config.json").write_text(
        json.dumps(json.loads((copy / "tokenizer_config.json").read_text()) | {"x": 1})
    )
    assert key(copy) != key()


def test_plans_waste_little_and_lose_nothing() -> None:
    lengths = [10 + (7 * k * k) % 83 for k in range(3_000)]
    batches = plan_batches(lengths, tokens=768)
    assert sorted(index for batch in batches for index in batch) == list(range(3_000))
    processed = sum(len(batch) * max(lengths[index] for index in batch) for batch in batches)
    assert processed / sum(lengths) < 1.05
    assert all(len(batch) * max(lengths[index] for index in batch) <= 768 for batch in batches)
    assert plan_batches([900, 3], tokens=768) == [[0], [1]]  # a pair above the budget is a batch of its own
    assert [len(batch) for batch in plan_batches([5] * 7, pairs=3)] == [3, 3, 1]
    assert plan_batches([200, 20, 20], tokens=768) == [[0], [1, 2]]  # padding would triple their tokens


@pytest.mark.parametrize(
    ("file", "key", "value", "message"),
    [
        ("tokenizer_config.json", "model_max_length", float("nan"), "model_max_length is nan"),
        ("tokenizer_config.json", "pad_token", "[P\u202eAD]", "a token has a number that is not among the"),
    ],
)
def test_a_tokenizer_that_does_not_fit_is_one_error(
    tiny_checkpoint: Path, tmp_path: Path, file: str, key: str, value: object, message: str
) -> None:
    folder = shutil.copytree(tiny_checkpoint, tmp_path / "changed")
    content = json.loads((folder / file).read_text(encoding="utf-8"))
    (folder / file).write_text(json.dumps({**content, key: value}), encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        open_model(f"hf/{folder}", {"device": "cpu"}).predict(PAIRS)
