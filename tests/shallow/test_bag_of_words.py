"""The bag-of-words model: features by hand, the fit, folders, the model that ships, the command line."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from crossexam.cli.main import app
from crossexam.core.errors import CrossexamError, FormatError, how_to_install
from crossexam.core.example import Example
from crossexam.core.labels import LABELS, Label
from crossexam.core.sealed import read_manifest
from crossexam.models.builtin import BAG_OF_WORDS_FOLDER, BAG_OF_WORDS_NAME, open_bag_of_words
from crossexam.models.fitted import FittedModel
from crossexam.models.model import Model
from crossexam.models.table import open_model
from crossexam.shallow.bag_of_words import (
    BAG_OF_WORDS,
    TABLE,
    BagOfWords,
    FitSettings,
    fit_bag_of_words,
    load_bag_of_words,
    load_table,
    save_table,
)
from crossexam.shallow.fitting import CONFIG, MANIFEST, FitRequest, fit_once, score_on_corpus
from crossexam.shallow.lexical_features import FeatureSettings, LexicalFeatures, WordCollector

WORDS = st.sampled_from("dog cat man woman sleeps runs quickly outside not red blue".split())
SENTENCES = st.lists(WORDS, max_size=6).map(" ".join)
PAIRS = st.lists(st.tuples(SENTENCES, SENTENCES), max_size=8)
ALL_WORDS = FeatureSettings(content=False, min_count=1, min_pair_count=1)


def _collected(pairs: list[tuple[str, str]]) -> WordCollector:
    words = WordCollector(None)
    for number, (premise, hypothesis) in enumerate(pairs):
        words.add(Example(str(number), premise, hypothesis, "neutral"))
    return words


def _named(features: LexicalFeatures, table: Any) -> list[set[str]]:
    """The names of the features that each row has."""
    dense = table.toarray()
    assert set(np.unique(dense)) <= {0.0, 1.0}
    return [set(features.names(np.flatnonzero(row))) for row in dense]


def _by_hand(premise: str, hypothesis: str) -> set[str]:
    """The features of a pair of plain words, as the paper's section 5.2 lists them."""
    theirs, ours = set(premise.split()), set(hypothesis.split())
    return (
        {f"premise: {word}" for word in theirs}
        | {f"hypothesis: {word}" for word in ours}
        | {f"{first} / {second}" for first in theirs for second in ours}
    )


@given(pairs=PAIRS)
def test_the_table_has_the_features_of_the_paper(pairs: list[tuple[str, str]]) -> None:
    features, table = _collected(pairs).features(ALL_WORDS)
    expected = [_by_hand(*pair) for pair in pairs]
    assert _named(features, table) == expected
    assert (features.matrix(pairs) != table).nnz == 0  # read again, without a tagger
    assert set(features.names()) == set().union(*expected)


@given(pairs=PAIRS, least=st.integers(1, 3), least_pairs=st.integers(1, 3))
def test_rare_features_are_left_out(pairs: list[tuple[str, str]], least: int, least_pairs: int) -> None:
    settings = replace(ALL_WORDS, min_count=least, min_pair_count=least_pairs)
    features, _ = _collected(pairs).features(settings)
    rows = [_by_hand(*pair) for pair in pairs]
    for name in set().union(*rows):
        count = sum(name in row for row in rows)
        assert (name in features.names()) == (count >= (least_pairs if " / " in name else least))


def test_the_rows_do_not_depend_on_how_many_are_packed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [("a red dog runs", "a dog runs"), ("a man", "no dog"), ("", "a dog"), ("red man", "")]
    whole, table = _collected(pairs).features(ALL_WORDS)
    monkeypatch.setattr("crossexam.shallow.lexical_features.ROWS_AT_ONCE", 2)
    parts, packed = _collected(pairs).features(ALL_WORDS)
    assert parts.names() == whole.names()
    assert (packed != table).nnz == 0


def test_bigrams_are_of_neighbours_in_the_hypothesis() -> None:
    settings = replace(ALL_WORDS, premise=False, pairs=False, bigrams=True)
    features, table = _collected([("x y", "Red dogs, red dogs"), ("x", "dogs run")]).features(settings)
    assert _named(features, table) == [
        {
            "hypothesis: red",
            "hypothesis: dogs",
            "hypothesis: ,",
            "hypothesis: red dogs",
            "hypothesis: dogs ,",
            "hypothesis: , red",
        },
        {"hypothesis: dogs", "hypothesis: run", "hypothesis: dogs run"},
    ]
    unknown_between = features.matrix([("", "red big dogs")])
    assert _named(features, unknown_between) == [{"hypothesis: red", "hypothesis: dogs"}]


def _tagged(premise: list[list[str]], hypothesis: list[list[str]], label: Label = "neutral") -> Example:
    texts = (" ".join(word for word, _ in side) for side in (premise, hypothesis))
    return Example("x", *texts, label, info={"premise_tags": premise, "hypothesis_tags": hypothesis})


def test_a_content_word_is_what_is_mostly_tagged_so() -> None:
    from crossexam.language.tagging.tagger import resolve_tagger

    words = WordCollector(resolve_tagger("parses").tokens)
    words.add(
        _tagged([["A", "DT"], ["Dog", "NN"], ["is", "VBZ"], ["in", "RP"]], [["like", "VB"], ["%", "NN"]])
    )
    words.add(
        _tagged(
            [["like", "IN"], ["down", "RB"], ["so", "IN"]], [["down", "RB"], ["down", "IN"], ["so", "RB"]]
        )
    )
    features, _ = words.features(replace(ALL_WORDS, content=True, pairs=False))
    # like: 1 of 2 is not most; down: 2 of 3; so: 1 of 2; % is no word
    assert sorted(features.words) == ["dog", "down", "is"]
    named = _named(features, features.matrix([("The DOG is like that", "Down, down")]))
    assert named == [{"premise: dog", "premise: is", "hypothesis: down"}]


def test_probabilities_are_those_of_equation_5() -> None:
    features = LexicalFeatures(("dog", "cat"), {"hypothesis": np.array([0]), "pairs": np.array([1])})
    weights = np.array([[1.0, 0.0, -1.0], [0.5, 0.0, 2.0]])
    found = BagOfWords(features, weights).probabilities([("dog", "cat"), ("cat", "dog"), ("dog", "cow")])
    first, second = (
        [math.exp(w) / sum(math.exp(v) for v in row) for w in row]
        for row in ([0.5, 0.0, 2.0], [1.0, 0.0, -1.0])
    )
    assert np.allclose(found, [first, second, [1 / 3] * 3])
    assert BagOfWords(features, weights).probabilities([]).shape == (0, 3)


TRAINED_ON = [
    Example(f"{number}{label}", premise, hypothesis, label, info={})
    for number in range(4)
    for premise, hypothesis, label in (
        ("A dog runs outside.", "An animal moves.", "entailment"),
        ("A man sits.", "A tall man waits for friends.", "neutral"),
        ("A woman cooks.", "Nobody cooks.", "contradiction"),
    )
]


def _fitted(**changes: Any) -> BagOfWords:
    return fit_bag_of_words(TRAINED_ON, replace(ALL_WORDS, **changes), FitSettings(c=1.0)).model  # type: ignore[arg-type]


def test_the_fit_is_softmax_regression_with_a_squared_penalty() -> None:
    model = _fitted()
    pairs = [(e.premise, e.hypothesis) for e in TRAINED_ON]
    gold = np.array([LABELS.index(e.label) for e in TRAINED_ON if e.label])
    answers = model.probabilities(pairs)
    assert (answers.argmax(axis=1) == gold).all()
    # At the minimum of 1/2 |w|^2 + sum of losses the gradient is nothing: w = X^T (Y - P).
    target = np.eye(3)[gold] - answers
    assert np.allclose(model.weights, model.features.matrix(pairs).T @ target, atol=1e-2)
    assert np.allclose(model.weights.sum(axis=1), 0, atol=1e-4)  # what `strongest` relies on
    strongest = model.strongest(99)
    assert dict(strongest["contradiction"])["hypothesis: nobody"] > 0.1
    assert strongest["neutral"] == sorted(strongest["neutral"], key=lambda pair: -pair[1])


def test_a_hypothesis_only_model_does_not_read_the_premise() -> None:
    model = _fitted(premise=False, pairs=False, bigrams=True)
    answers = model.probabilities([("A dog.", "Nobody cooks."), ("Anything else", "Nobody cooks.")])
    assert np.array_equal(answers[0], answers[1])
    assert not any(" / " in name or name.startswith("premise") for name in model.features.names())


def test_what_cannot_be_fitted_is_refused() -> None:
    with pytest.raises(CrossexamError, match="none of the 8 training examples is labelled contradiction"):
        fit_bag_of_words([e for e in TRAINED_ON if e.label != "contradiction"], ALL_WORDS)
    with pytest.raises(
        CrossexamError,
        match="no word occurs in at least 99 of the 12 training examples\n  hint: --set min_count",
    ):
        fit_bag_of_words(TRAINED_ON, replace(ALL_WORDS, min_count=99, min_pair_count=99))
    unlabelled = [replace(example, label=None) for example in TRAINED_ON]
    assert fit_bag_of_words([*TRAINED_ON, *unlabelled], ALL_WORDS).examples == len(TRAINED_ON)


def test_pruning_keeps_the_strongest_features_and_their_words() -> None:
    features = LexicalFeatures(
        ("a", "b", "c"), {"premise": np.array([0, 1]), "hypothesis": np.array([2]), "pairs": np.array([3, 8])}
    )  # pairs: 1 * 3 + 0 is b / a, 2 * 3 + 2 is c / c
    weights = np.array([[0.1, 0, 0], [0, 0, 0.9], [0, -0.8, 0], [0.2, 0, 0], [0, 0.7, 0]])
    pruned = BagOfWords(features, weights).pruned(3)
    assert pruned.features.words == ("b", "c")
    assert pruned.features.names() == ["premise: b", "hypothesis: c", "c / c"]
    assert pruned.weights.tolist() == weights[[1, 2, 4]].tolist()
    assert BagOfWords(features, weights).pruned(99).features.names() == features.names()


def test_a_saved_table_is_the_model_and_its_bytes_are_fixed(tmp_path: Path) -> None:
    model = _fitted(bigrams=True)
    save_table(tmp_path / "a.npz", model)
    save_table(tmp_path / "b.npz", load_table(tmp_path / "a.npz", "a"))
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    again = load_table(tmp_path / "a.npz", "a")
    assert again.features.names() == model.features.names()
    assert np.array_equal(again.weights, model.weights)
    with np.load(tmp_path / "a.npz", allow_pickle=False) as stored:
        assert all(stored[name].dtype != object for name in stored.files)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": np.zeros((3, 5))}, "weights of shape"),
        ({"weights": None}, "not the table of a bag-of-words model"),
        ({"premise": np.array([[4_000_000]], dtype=np.uint32)}, "'premise' do not match the words"),
        ({"pairs": np.array([[0]], dtype=np.uint32)}, "'pairs' do not match the words"),
        ({"more": np.zeros(2)}, "weights of shape"),
        ({"words": np.array([b"x"], dtype=object)}, "not the table"),
    ],
)
def test_damaged_tables_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    save_table(tmp_path / TABLE, _fitted())
    with np.load(tmp_path / TABLE) as stored:
        arrays = {name: stored[name] for name in stored.files} | change
    np.savez(tmp_path / TABLE, **{name: array for name, array in arrays.items() if array is not None})
    with pytest.raises(FormatError, match=message):
        load_table(tmp_path / TABLE, "here")


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / TABLE).write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(FormatError, match="here: not the table of a bag-of-words model"):
        load_table(tmp_path / TABLE, "here")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "tiny.jsonl"
    lines = [
        {"gold_label": e.label, "pairID": e.id, "sentence1": e.premise, "sentence2": e.hypothesis}
        for e in TRAINED_ON
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


VALUES = {"content": "false", "min_count": "1", "min_pair_count": "1"}


def test_training_writes_a_folder_that_is_a_model(corpus: Path, tmp_path: Path) -> None:
    request = FitRequest(str(corpus), str(corpus), tmp_path / "m", (str(corpus),), values=VALUES | {"c": "2"})
    trained = fit_once(BAG_OF_WORDS, request)
    manifest = read_manifest(tmp_path / "m" / MANIFEST)
    assert manifest["examples"] == 12
    assert manifest["converged"] is True
    assert manifest["scores"]["dev_accuracy"] == 100.0
    assert manifest["tests"][str(corpus)]["rows"] == 12
    assert json.loads((tmp_path / "m" / CONFIG).read_text())["fit"] == {"c": 2.0, "iterations": 1000}
    model = open_model(f"bow/{tmp_path / 'm'}")
    assert isinstance(model, Model)
    assert model.name == f"bow/{tmp_path / 'm'}"
    assert model.details["train"] == [str(corpus)]
    pairs = [(e.premise, e.hypothesis) for e in TRAINED_ON]
    assert np.array_equal(model.predict(pairs), load_bag_of_words(trained.folder).probabilities(pairs))
    again = fit_once(BAG_OF_WORDS, request)  # stands there already
    assert again.manifest == manifest
    with pytest.raises(CrossexamError, match="choose another folder with -o"):
        fit_once(BAG_OF_WORDS, replace(request, values=VALUES))


def test_two_corpora_and_slices_are_read_one_after_the_other(corpus: Path, tmp_path: Path) -> None:
    names = f"{corpus}[:3]+{corpus}[3::3]"
    trained = fit_once(BAG_OF_WORDS, FitRequest(names, str(corpus), tmp_path / "m", values=VALUES))
    assert trained.manifest["examples"] == 3 + 3
    limited = fit_once(
        BAG_OF_WORDS, FitRequest(f"{corpus}+{corpus}", str(corpus), tmp_path / "n", values=VALUES, limit=3)
    )
    assert limited.manifest["examples"] == 3 + 3


def test_requests_that_make_no_sense(corpus: Path, tmp_path: Path) -> None:
    request = FitRequest(str(corpus), str(corpus), tmp_path / "m")
    for values, message in (
        ({"c": "0"}, "'c' is 0"),
        ({"min_count": "0"}, "'min_count' is 0"),
        ({"cc": "1"}, "no setting is called 'cc'"),
        ({"pairs": "maybe"}, "'pairs' cannot be 'maybe'"),
    ):
        with pytest.raises(CrossexamError, match=message):
            fit_once(BAG_OF_WORDS, replace(request, values=values))
    with pytest.raises(CrossexamError, match="no epochs to draw a share for"):
        fit_once(BAG_OF_WORDS, replace(request, train="snli:train@0.1"))
    assert not (tmp_path / "m").exists()


def test_folders_that_are_no_models(tmp_path: Path) -> None:
    with pytest.raises(CrossexamError, match="no such folder"):
        open_model(f"bow/{tmp_path / 'none'}")
    with pytest.raises(CrossexamError, match="this folder does not contain a bag-of-words model"):
        open_model(f"bow/{tmp_path}")
    for name in (TABLE, MANIFEST):
        (tmp_path / name).write_text("{}")
    (tmp_path / CONFIG).write_text('{"kind": "crossexam-zoo", "format": 1}')
    with pytest.raises(FormatError, match="this is 'crossexam-zoo', format 1"):
        open_model(f"bow/{tmp_path}")
    for options, message in (
        ({"label_order": LABELS}, "leave out --label-order"),
        ({"revision": "x"}, "--revision"),
    ):
        with pytest.raises(CrossexamError, match=message):
            open_model(f"bow/{tmp_path}", options)


def test_the_model_that_ships_is_small_and_knows_its_source() -> None:
    table = Path(str(BAG_OF_WORDS_FOLDER)) / TABLE
    manifest = json.loads((BAG_OF_WORDS_FOLDER / MANIFEST).read_text(encoding="utf-8"))
    assert table.stat().st_size == manifest["bytes"] < 3_000_000
    assert manifest["source"].startswith("parts of the training sets of SNLI 1.0")
    assert manifest["tests"]["snli:dev"]["accuracy"] > 60
    model = open_bag_of_words()
    assert (model.name, model.key) == (BAG_OF_WORDS_NAME, open_bag_of_words().key)
    assert {kind: len(codes) for kind, codes in model.fitted.features.codes.items()} == manifest["features"]
    assert len(model.fitted.features.words) == manifest["words"]
    assert not any(word != word.lower() for word in model.fitted.features.words)


def test_it_goes_by_the_words_that_a_shallow_model_goes_by() -> None:
    strongest = open_bag_of_words().fitted.strongest(15)
    assert "hypothesis: nobody" in dict(strongest["contradiction"])
    assert "hypothesis: outdoors" in dict(strongest["entailment"])
    assert "hypothesis: friends" in dict(strongest["neutral"])


def test_the_shipped_model_answers_without_scikit_learn_torch_or_a_tagger(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['sklearn'] = sys.modules['nltk'] = sys.modules['torch'] = None; "
        "from crossexam.models.table import open_model; "
        "print(open_model('builtin/bag-of-words').predict([('A man sits.', 'Nobody sits.')]).argmax())"
    )
    environment = {**os.environ, "NLTK_DATA": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == "2"


def test_the_shipped_model_has_the_accuracy_that_its_manifest_claims(shared_data: Path) -> None:
    from crossexam.corpora.labelled import Corpus
    from crossexam.corpora.spec import read_corpus

    dev = read_corpus(shared_data / "snli" / "snli_1.0_dev.jsonl")
    found = score_on_corpus(open_bag_of_words().fitted, Corpus("snli:dev", tuple(dev.examples)))
    assert (
        found == json.loads((BAG_OF_WORDS_FOLDER / MANIFEST).read_text(encoding="utf-8"))["tests"]["snli:dev"]
    )


def test_fitting_without_scikit_learn_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    with pytest.raises(CrossexamError, match=re.escape(how_to_install("shallow"))):
        fit_bag_of_words(TRAINED_ON, ALL_WORDS)


def _crossexam(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_command_line_trains_and_prints_features(corpus: Path, tmp_path: Path) -> None:
    sets = [piece for name, value in VALUES.items() for piece in ("--set", f"{name}={value}")]
    folder = tmp_path / "m"
    line = ["train", "bag-of-words", "--train", str(corpus), "--dev", str(corpus), "-o", str(folder)]
    shown = _crossexam(*line, "--test", f"{corpus}[:3]", *sets)
    assert "100.0 %" in shown
    features = _crossexam("features", f"bow/{folder}", "--top", "4")
    assert "hypothesis: nobody" in features
    assert "hypothesis: sleeping" in _crossexam("features")
    for option in ("--seeds", "--epochs"):
        with pytest.raises(CrossexamError, match=f"{option} has no effect on bag-of-words"):
            _crossexam(*line, option, "2")
    with pytest.raises(CrossexamError, match="builtin/overlap has no named features"):
        _crossexam("features", "builtin/overlap")


def test_a_model_of_this_kind_is_told_from_others() -> None:
    assert isinstance(open_model("builtin/bag-of-words"), FittedModel)
    with pytest.raises(CrossexamError, match="leave out --label-order"):
        open_model("builtin/bag-of-words", {"label_order": LABELS})
