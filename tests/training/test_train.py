"""Training from corpora to folders: options, errors, and the trained models as models."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from typer.testing import CliRunner, Result

from crossexam.cli.main import app
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example, Side, cluster_of
from crossexam.core.sealed import FILES, read_manifest, write_manifest
from crossexam.core.settings import grid
from crossexam.corpora.development import DevSets
from crossexam.corpora.labelled import Corpus
from crossexam.models.table import open_model
from crossexam.reports.analyses.truncation import truncation_warning
from crossexam.reports.results import results_of
from crossexam.runs.run import predict_suite
from crossexam.training import debiasing, session
from crossexam.training.data import Data, TrainingSet, augment, load_data, parse_augmentations
from crossexam.training.debiasing import (
    METHODS,
    BiasedPart,
    BiasPredictions,
    BiasScore,
    Debias,
    cross_predict,
    make_bias,
    probabilities_from_run,
    split_into_folds,
)
from crossexam.training.request import TrainingRequest
from crossexam.training.scoring import score_model
from crossexam.training.several import train_grid, train_seeds
from crossexam.training.train import train_model
from crossexam.training.vocabulary import load_word_sources
from crossexam.zoo import table
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Pairs, Sentences
from crossexam.zoo.layers import Recurrence, Sizes, WordEmbedding, context_layer, masked_max


@dataclass(frozen=True)
class ToyConfig:
    width: int = 6
    hidden: int = 5
    recurrence: Recurrence = "lstm"


class Crossing(nn.Module):
    """The smallest model with an RNN; it hands out no sentence vectors."""

    def __init__(self, config: ToyConfig, sizes: Sizes) -> None:
        super().__init__()
        self.words = WordEmbedding(sizes.words, config.width)
        self.layer = context_layer(config.width, config.hidden, recurrence=config.recurrence)
        self.dropout = nn.Dropout(0.1)
        self.output = nn.Linear(8 * config.hidden, 3)

    def vector(self, sentences: Sentences) -> Tensor:
        states = self.layer(self.words(sentences.words), sentences.mask).states
        return masked_max(states, sentences.mask)

    def match(self, u: Tensor, v: Tensor) -> Tensor:
        matched: Tensor = self.dropout(torch.cat([u, v, u - v, u * v], -1))
        return matched

    def features(self, pairs: Pairs) -> Tensor:
        return self.match(self.vector(pairs.premise), self.vector(pairs.hypothesis))

    def forward(self, pairs: Pairs) -> Tensor:
        logits: Tensor = self.output(self.features(pairs))
        return logits


class Toy(Crossing):
    """The same as a sentence encoder."""

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        return self.vector(sentences)

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        return self.match(premise, hypothesis)


TOY = Architecture(
    "toy", Toy, ToyConfig(), Recipe("adam", 0.01, 8, 2, source="here"), "none", "a toy", 0, "none", {}
)
CROSSING = replace(TOY, name="crossing", build=Crossing)


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(table.ARCHITECTURES, "toy", TOY)
    monkeypatch.setitem(table.ARCHITECTURES, "crossing", CROSSING)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def data() -> Data:
    return load_data("builtin:demo[:60]", "builtin:demo[60:90]")


@pytest.fixture
def request_of(tmp_path: Path, data: Data) -> Callable[..., TrainingRequest]:
    def make(name: str = "toy", folder: str = "out", **given: Any) -> TrainingRequest:
        return TrainingRequest(name, given.pop("data", data), tmp_path / folder, device="cpu", **given)

    return make


def _weights(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


# The folder


def test_a_trained_folder_holds_what_answers_depend_on_and_how_it_was_had(
    request_of: Any, data: Data
) -> None:
    trained = train_model(request_of(values={"hidden": "4"}))
    names = {path.name for path in trained.folder.iterdir()}
    assert names == {
        "config.json",
        "model.safetensors",
        "vocabulary.json",
        "characters.json",
        "tags.json",
        "metrics.jsonl",
        "manifest.json",
    }
    config = json.loads((trained.folder / "config.json").read_text())
    assert config["config"] == {"width": 6, "hidden": 4, "recurrence": "lstm"}
    manifest = json.loads((trained.folder / "manifest.json").read_text())
    prints = manifest["fingerprint"]
    assert prints["recipe"]["learning_rate"] == 0.01
    assert prints["data"]["train"][0]["content_hash"] == data.train[0].describe()["content_hash"]
    assert prints["seed"] == 0
    assert manifest["versions"]["torch"] == torch.__version__.split("+")[0] or manifest["versions"]["torch"]
    assert len(manifest["curve"]) == 2
    assert manifest["scores"]["dev_accuracy"] == max(r["dev_accuracy"] for r in manifest["curve"])
    lines = (trained.folder / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == manifest["curve"]


def test_the_score_of_training_is_that_of_the_loaded_model(request_of: Any, data: Data) -> None:
    trained = train_model(request_of())
    model = open_model(f"zoo/{trained.folder}", {"device": "cpu"})
    answers = model.predict([(e.premise, e.hypothesis) for e in data.dev.corpora[0].examples])
    gold = [
        "entailment neutral contradiction".split().index(str(e.label)) for e in data.dev.corpora[0].examples
    ]
    assert 100 * (answers.argmax(1) == gold).mean() == pytest.approx(trained.accuracy, abs=1e-3)
    assert answers.sum(1) == pytest.approx(np.ones(len(gold)))


def test_tests_are_scored_once_and_kept_with_the_scores(request_of: Any, data: Data) -> None:
    plain = train_model(request_of())
    assert "tests" not in plain.manifest
    before = _weights(plain.folder)
    same_as_dev = Corpus("dev again", data.dev.corpora[0].examples)
    tested = train_model(request_of(data=replace(data, tests=(same_as_dev,))))
    assert _weights(plain.folder) == before
    assert tested.manifest["tests"]["dev again"]["accuracy"] == pytest.approx(plain.accuracy, abs=1e-3)
    assert tested.manifest["tests"]["dev again"]["rows"] == 30
    other = Corpus("dev again", data.dev.corpora[0].examples[:10])
    again = train_model(
        request_of(data=replace(data, tests=(other, Corpus("more", data.dev.corpora[0].examples[:5]))))
    )
    assert again.manifest["tests"]["dev again"]["rows"] == 10
    assert set(json.loads((again.folder / "manifest.json").read_text())["tests"]) == {"dev again", "more"}


def test_a_seed_gives_the_same_weights_and_another_seed_others(request_of: Any) -> None:
    first, same, other = (
        train_model(request_of(folder=name, seed=seed)) for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert _weights(first.folder) == _weights(same.folder)
    assert _weights(first.folder) != _weights(other.folder)


def test_a_finished_training_is_not_done_again_and_not_overwritten(request_of: Any) -> None:
    first = train_model(request_of())
    stamp = (first.folder / "model.safetensors").stat().st_mtime_ns
    assert train_model(request_of()).manifest == read_manifest(first.folder / "manifest.json")
    assert (first.folder / "model.safetensors").stat().st_mtime_ns == stamp
    with pytest.raises(CrossexamError) as error:
        train_model(request_of(values={"hidden": "3"}))
    assert "the folder holds another training run:\n    config." in str(error.value)


# As a model


def test_each_distinct_sentence_is_encoded_once(request_of: Any) -> None:
    model = open_model(f"zoo/{train_model(request_of()).folder}", {"device": "cpu"})
    pairs = [(f"The dog {p}.", f"A cat {h}.") for p in ("runs", "sleeps") for h in ("eats", "sings", "purrs")]
    whole = model.predict(pairs)
    assert (model.details["sentences_asked"], model.details["sentences_encoded"]) == (12, 2 + 3)
    alone = np.concatenate([open_model(model.name, {"device": "cpu"}).predict([pair]) for pair in pairs])
    assert whole == pytest.approx(alone, abs=1e-6)


def test_a_resumed_run_asks_for_what_is_not_known(request_of: Any) -> None:
    model = open_model(f"zoo/{train_model(request_of()).folder}", {"device": "cpu"})
    pairs = [("A dog runs.", "It moves."), ("A dog runs.", "It sleeps."), ("Rain falls.", "It is wet.")]
    found = list(model.batches(pairs, [True, False, True]))
    assert [index for batch in found for index in batch.indices] == [1]
    assert model.details["sentences_encoded"] == 2


TINY_DIIN = {
    "width": "4", "letters": "2", "filters": "3", "length": "8", "growth": "2", "block_layers": "1",
    "epochs": "1",
}  # fmt: skip


@pytest.mark.parametrize(
    ("options", "most", "by"),
    [
        ({}, 8, "crossexam train diin --set length=N"),
        ({"max_length": 12}, 8, "crossexam train diin --set length=N"),
        ({"max_length": 3}, 3, "crossexam run --set zoo.max_length=N"),
    ],
)
def test_a_model_of_fixed_length_says_what_sets_it_and_is_not_advised_to_chunk(
    request_of: Any, options: dict[str, int], most: int, by: str
) -> None:
    folder = train_model(request_of("diin", values=TINY_DIIN)).folder
    long = Example("a", "A dog and a cat run and sleep and eat.", "It is so.", "neutral")
    run = predict_suite(f"zoo/{folder}", Dataset("base.x", (long,)), options={"device": "cpu", **options})
    details = run.manifest["details"]
    assert (details["most_words"], details["most_words_by"]) == (most, by)
    said = str(truncation_warning(results_of([run]).models[0]))
    assert f"It reads the first {most} words of a sentence: `{by}` sets their number." in said
    assert "--chunk" not in said


def test_a_model_that_reads_all_words_records_no_number(request_of: Any) -> None:
    model = open_model(f"zoo/{train_model(request_of()).folder}", {"device": "cpu"})
    model.predict([("A dog runs.", "It moves.")])
    assert "most_words" not in model.details


def test_the_key_changes_with_the_weights_and_not_with_the_manifest(request_of: Any, tmp_path: Path) -> None:
    folder = train_model(request_of()).folder
    key = open_model(f"zoo/{folder}").key
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    (copy / "manifest.json").write_text("{}")
    assert open_model(f"zoo/{copy}").key == key
    content = bytearray(_weights(copy))
    content[-1] ^= 1
    (copy / "model.safetensors").write_bytes(content)
    assert open_model(f"zoo/{copy}").key != key


def test_a_model_that_reads_pairs_together_answers_too(request_of: Any) -> None:
    folder = train_model(request_of("crossing")).folder
    model = open_model(f"zoo/{folder}", {"device": "cpu", "batch_size": 2})
    pairs = [("A dog runs.", "It moves."), ("Rain falls on the old town.", "It is wet."), ("Snow.", "Cold.")]
    assert model.predict(pairs).shape == (3, 3)
    assert model.details["sentences_encoded"] == 6
    with pytest.raises(CrossexamError, match="the hypothesis is empty"):
        model.predict([("A dog.", "")])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "format 2: this version of Crossexam cannot read it"),
        ({"novel": 1}, "fields novel: this version of Crossexam cannot read it"),
        ({"kind": "other"}, "not a zoo model"),
        ({"architecture": "toi"}, "no architecture is called 'toi'"),
        (
            {"config": {"width": 6, "hidden": 5, "recurrence": "lstm", "heads": 2}},
            "unknown or missing fields: heads",
        ),
        ({"sizes": {"words": 3}}, "unknown or missing fields: characters, tags"),
    ],
)
def test_a_configuration_that_cannot_be_read_is_told(
    request_of: Any, change: dict[str, Any], message: str
) -> None:
    folder = train_model(request_of()).folder
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **change}))
    manifest = read_manifest(folder / "manifest.json")
    write_manifest(folder / "manifest.json", {**manifest, FILES: {}})  # as if another version had written it
    with pytest.raises(FormatError) as error:
        open_model(f"zoo/{folder}")
    assert message in str(error.value)


def test_folders_that_hold_no_model_are_told(request_of: Any, tmp_path: Path) -> None:
    with pytest.raises(CrossexamError, match="the folder does not exist"):
        open_model(f"zoo/{tmp_path / 'absent'}")
    (tmp_path / "begun" / "unfinished").mkdir(parents=True)
    with pytest.raises(CrossexamError, match="training did not finish"):
        open_model(f"zoo/{tmp_path / 'begun'}")
    trained = train_seeds(request_of(values={"epochs": "1"}), [0, 1])
    with pytest.raises(CrossexamError, match="it holds 2 models: seed-0, seed-1"):
        open_model(f"zoo/{trained[0].folder.parent}")
    with pytest.raises(CrossexamError, match="leave out --label-order"):
        open_model(f"zoo/{trained[0].folder}", {"label_order": ("entailment",)})
    (trained[0].folder / "model.safetensors").unlink()
    with pytest.raises(FormatError, match="the file does not exist"):
        open_model(f"zoo/{trained[0].folder}").predict([("a", "b")])


# Options


def test_the_ablation_replaces_the_rnn(request_of: Any) -> None:
    trained = train_model(request_of(ablate_rnn=True, values={"epochs": "1"}))
    assert json.loads((trained.folder / "config.json").read_text())["config"]["recurrence"] == "feedforward"
    with pytest.raises(CrossexamError, match="cbow cannot be built without an RNN"):
        train_model(request_of("cbow", ablate_rnn=True))


def test_options_change_what_is_learned(request_of: Any) -> None:
    plain = _weights(train_model(request_of(folder="plain")).folder)
    shuffled = _weights(train_model(request_of(folder="s", shuffle_words=True)).folder)
    augmented = train_model(
        request_of(folder="a", augmentations=parse_augmentations("negation,word_overlap:10"))
    )
    assert plain != shuffled
    assert [record["step"] for record in augmented.manifest["curve"]] == [17, 34]  # (60 + 60 + 10) / 8


def test_the_manifest_says_how_many_items_an_augmentation_added(
    request_of: Any, tiny_parsed: list[Example]
) -> None:
    parsed = Corpus("parsed", tuple(tiny_parsed))
    notes: list[str] = []
    asked = parse_augmentations("so_swap:300,negation")
    some = Data((parsed,), DevSets("parsed", (parsed,)))
    trained = train_model(request_of(data=some, augmentations=asked, note=notes.append))
    items = augment(tiny_parsed, asked[0], seed=0, epoch=0)
    for record in trained.manifest["curve"]:
        added = record["augmented"]
        assert added["so_swap"] == {"used": len(items), "distinct": len(items), "asked": 300}
        assert added["negation"]["used"] == 6
        steps = -(-(6 + 6 + len(items)) // 8)
        assert record["step"] == steps * record["epoch"]
    assert trained.manifest["fingerprint"]["options"]["augment"] == [
        "so_swap.v2: at most 300 items per epoch",
        "negation.v1",
    ]
    warning, told = notes
    assert warning.startswith(f"warning: --augment so_swap:300 adds {len(items)} items to an epoch")
    assert told == "--augment negation adds 6 items, 6 of them distinct"
    paper = {"epochs": "1", "so_swap.rules": "paper"}
    literal = train_model(request_of(folder="paper", data=some, augmentations=asked, values=paper)).manifest
    assert "so_swap_paper" in literal["curve"][0]["augmented"]
    assert literal["fingerprint"]["options"]["augment"][0] == (
        "so_swap_paper.v2: at most 300 items per epoch, rules=paper"
    )
    repeated = parse_augmentations("so_swap:300", repeat=True)
    again = train_model(request_of(folder="again", data=some, augmentations=repeated))
    assert again.manifest["curve"][0]["augmented"]["so_swap"]["used"] == 300


def test_words_of_other_corpora_get_their_vectors(request_of: Any, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("zebra 1 2 3 4 5 6\n. 6 5 4 3 2 1\n")
    corpora = []
    for name, label in (("one", "entailment"), ("two", "neutral")):
        path = tmp_path / f"{name}.csv"
        path.write_text(f"premise,hypothesis,label\nA zebra,a gnu,{label}\n")
        corpora.append(load_word_sources([str(path)], {}))
    plain = train_model(request_of(folder="plain", vectors=vectors))
    more, same = (
        train_model(request_of(folder=f"m{k}", vectors=vectors, vocabulary_from=each))
        for k, each in enumerate(corpora)
    )
    words = {
        name: json.loads((m.folder / "vocabulary.json").read_text())["model"]["vocab"]
        for name, m in (("plain", plain), ("more", more))
    }
    assert set(words["more"]) - set(words["plain"]) == {"zebra"}
    assert _weights(more.folder) == _weights(same.folder)  # labels play no part
    (source,) = more.manifest["fingerprint"]["options"]["vocabulary_from"]
    assert (source["spec"], source["rows"]) == (str(tmp_path / "one.csv"), 1)
    assert more.manifest["words_from_other_corpora"] == 1
    assert "vocabulary_from" not in plain.manifest["fingerprint"]["options"]
    with pytest.raises(CrossexamError, match="--vocabulary-from needs word vectors"):
        train_model(request_of(folder="none", vocabulary_from=corpora[0]))


@pytest.mark.parametrize("method", METHODS)
def test_debiasing_keeps_the_main_model_only(request_of: Any, method: str) -> None:
    plain = train_model(request_of(folder="plain"))
    debiased = train_model(request_of(folder="debiased", debias=method))
    assert _weights(debiased.folder) != _weights(plain.folder)
    model = open_model(f"zoo/{debiased.folder}", {"device": "cpu"})
    assert model.predict([("A dog runs.", "It moves.")]).shape == (1, 3)


def _run(examples: list[Example], rows: Any) -> Run:
    return Run("mine", {"train": Dataset("train", tuple(examples))}, {"train": np.asarray(rows)}, {})


@pytest.mark.parametrize("method", ["drift", "weighting", "learned-mixin"])
def test_a_uniform_run_changes_nothing(request_of: Any, data: Data, method: str) -> None:
    uniform = _run(list(data.examples), np.full((60, 3), 1 / 3))
    plain = train_model(request_of(folder="plain"))
    debiased = train_model(request_of(folder="debiased", debias=method, bias=uniform))
    losses = [[record["train_loss"] for record in each.manifest["curve"]] for each in (plain, debiased)]
    assert losses[0] == pytest.approx(losses[1], abs=2e-5)


def test_a_run_over_other_examples_is_refused(data: Data) -> None:
    some = _run(list(data.examples[:58]), np.full((58, 3), 1 / 3))
    with pytest.raises(
        CrossexamError, match="the run of mine has no predictions for 2 of 60 training examples"
    ):
        probabilities_from_run(some, data.examples)


def test_the_way_to_a_biased_models_run_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pair = {"gold_label": "neutral", "annotator_labels": ["neutral"], "sentence2": "It is red."}
    rows = [{**pair, "pairID": f"{k}", "sentence1": f"Rain falls {k}."} for k in range(8)]
    rows[0]["gold_label"] = "entailment"
    file = tmp_path / "snli_1.0_train.jsonl"  # in the format of SNLI's own files
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    train = f"train toy --train {file.name} --dev {file.name} --debias drift"
    for command in (
        "build corpus --base builtin:demo[:3] -o other",
        "run builtin/neutral other -o wrong",
        f"build corpus --base {file.name} -o folder",
        "run builtin/neutral folder -o run",
        f"{train} --bias run -o m",
    ):
        result = CliRunner().invoke(app, command.split())
        assert result.exit_code == 0, result.output
    with pytest.raises(CrossexamError) as caught:
        CliRunner().invoke(app, f"{train} --bias wrong -o n".split(), catch_exceptions=False)
    assert caught.value.hint == (
        "crossexam build corpus --base CORPUS -o FOLDER, with a --base for each training corpus; "
        "crossexam run MODEL FOLDER -o RUN; then --bias RUN"
    )


def test_an_item_made_from_an_example_has_its_bias(data: Data) -> None:
    table_ = torch.full((60, 3), 1 / 3)
    bias = make_bias(
        data.examples, table_, torch.zeros(60, dtype=torch.int64), Debias("drift"), BiasScore(50.0, 40.0)
    )
    made = Example("negation:x", "p", "h", "neutral", base=data.examples[7].id)
    assert bias.rows([data.examples[3], made]) == [3, 7]
    with pytest.raises(CrossexamError, match="the biased model has no prediction for it"):
        bias.rows([Example("y", "p", "h", "neutral")])


def test_folds_answer_for_what_they_did_not_see() -> None:
    asked: list[tuple[set[int], set[int]]] = []

    groups = [f"premise {row // 2}" for row in range(20)]

    def answer(part: BiasedPart) -> BiasPredictions:
        train, stop, held = (set(rows) for rows in part[1:])
        premises = [{groups[row] for row in rows} for rows in (train, stop)]
        assert train
        assert stop
        assert not premises[0] & premises[1]
        asked.append((train | stop, held))
        probabilities = torch.full((len(held), 3), float(len(asked)))
        return BiasPredictions(probabilities, BiasScore(50.0 + len(asked), 30.0, (len(asked),)))

    found, score = cross_predict(groups, Debias("weighting", folds=3), 0, answer)
    assert [rows & held for rows, held in asked] == [set()] * 3
    assert all(not {groups[r] for r in rows} & {groups[r] for r in held} for rows, held in asked)
    assert all(rows | held == set(range(20)) for rows, held in asked)
    assert sorted(sum(([*held] for _, held in asked), [])) == list(range(20))  # noqa: RUF017
    assert found[split_into_folds(groups, 3, 0)[1]].eq(2).all()
    assert score.describe() == {"accuracy": 52.0, "majority": 30.0, "best_epoch": [1, 2, 3]}
    cross_predict(groups, Debias("drift"), 0, answer)
    assert asked[-1] == (set(range(20)), set(range(20)))


def test_a_biased_model_is_stopped_by_held_out_pairs_of_its_own_data(
    request_of: Any, data: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[int]] = []

    def spying(pipeline: Any, model: Any, encoded: Any, device: Any, *more: Any) -> Any:
        seen.append(encoded.labels.tolist())
        return score_model(pipeline, model, encoded, device, *more)

    monkeypatch.setattr(session, "score_model", spying)
    parts: list[BiasedPart] = []

    def keep(part: BiasedPart) -> BiasPredictions:
        parts.append(part)
        return BiasPredictions(torch.zeros(len(part.predict), 3), BiasScore(0.0, 0.0))

    groups = [cluster_of(example) for example in data.examples]
    cross_predict(groups, Debias("drift"), 0, keep)
    labels = [data.classes.class_of(example.label) for example in data.examples]
    held_out = [labels[row] for row in parts[0].stop]
    one = train_model(request_of(folder="one", debias="drift"))
    assert seen[:2] == [held_out] * 2  # of two epochs
    corpus = replace(data.dev.corpora[0], examples=data.examples[:7])
    other = replace(data, dev=replace(data.dev, corpora=(corpus,)))
    two = train_model(request_of(folder="two", data=other, debias="drift"))
    assert one.manifest["bias"] == two.manifest["bias"]
    bias = one.manifest["bias"]
    assert bias["majority"] == pytest.approx(100 * max(Counter(held_out).values()) / len(held_out), abs=1e-4)
    assert bias["best_epoch"] in ([1], [2])
    assert one.manifest["fingerprint"]["debiasing"]["bias_stopped_by"] == "1 of 10 parts of its data"


def test_the_manifest_says_how_good_the_bias_is(request_of: Any, data: Data) -> None:
    folds = train_model(request_of(folder="folds", debias="weighting", values={"folds": "3"}))
    assert len(folds.manifest["bias"]["best_epoch"]) == 3
    labels = [data.classes.class_of(example.label) for example in data.examples]
    majority = 100 * max(Counter(labels).values()) / 60
    rows = np.full((60, 3), 0.1)
    rows[np.arange(60), labels] = 0.8
    rows[:15] = 0.1, 0.1, 0.8
    rows[:15, :] = [[0.8, 0.1, 0.1] if label else [0.1, 0.8, 0.1] for label in labels[:15]]
    given = train_model(request_of(folder="given", debias="drift", bias=_run(list(data.examples), rows)))
    assert given.manifest["bias"] == {"accuracy": 75.0, "majority": round(majority, 4)}
    assert "bias_stopped_by" not in given.manifest["fingerprint"]["debiasing"]
    assert "bias" not in train_model(request_of(folder="adv", debias="adv")).manifest


def test_the_verb_shows_how_good_the_bias_is_and_warns_of_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    common = ["toy", "--train", "builtin:demo[:60]", "--dev", "builtin:demo[60:90]", "--debias", "drift"]
    scores = iter([BiasScore(61.25, 40.0), BiasScore(40.0, 40.0)])
    monkeypatch.setattr(debiasing, "score_of_run", lambda *given: next(scores))
    for command in ("build corpus --base builtin:demo[:60] -o base", "run builtin/neutral base -o run"):
        assert CliRunner().invoke(app, command.split()).exit_code == 0
    good, bad = (_cli(*common, "--bias", "run", "-o", name) for name in ("good", "bad"))
    assert "61.2 % (40.0 %)" in good.output
    assert "warning" not in good.output
    warning = " ".join(bad.output.split())
    assert "warning: zoo/bad: the bias model is right for 40.0 % of the training pairs" in warning
    assert "it has learned no bias that drift could remove; train on more pairs" in warning


def test_a_sweep_trains_the_same_biased_model_once(request_of: Any) -> None:
    epochs: list[int] = []

    def watch(status: Any) -> None:
        if status.scores is not None:
            epochs.append(status.epoch)

    def request(folder: str, **given: Any) -> TrainingRequest:
        made: TrainingRequest = request_of(folder=folder, debias="learned-mixin-h", watch=watch, **given)
        return made

    found = train_grid(request("grid"), grid(["entropy_weight=0.5,0.01"]), [0, 1])
    assert len(epochs) == 2 * (2 + 2 * 2)  # for each seed, one biased model and two models of two epochs
    alone = train_model(request("alone", values={"entropy_weight": "0.01"}, seed=1))
    assert _weights(found["entropy_weight=0.01"][1].folder) == _weights(alone.folder)
    assert found["entropy_weight=0.01"][1].manifest["bias"] == alone.manifest["bias"]
    assert not (found["entropy_weight=0.01"][0].folder.parent.parent / "unfinished").exists()
    epochs.clear()
    train_grid(request("other"), grid(["lr=0.01,0.02"]), [0])
    assert len(epochs) == 2 * (2 + 2)  # the rate is that of the biased model, too


def test_pairs_of_one_premise_cannot_stop_a_biased_model() -> None:
    def answer(part: BiasedPart) -> BiasPredictions:
        raise AssertionError

    with pytest.raises(CrossexamError, match="no pairs to stop the biased model by") as caught:
        cross_predict(["one"] * 9, Debias("drift"), 0, answer)
    assert "--bias RUN" in str(caught.value.hint)
    with pytest.raises(CrossexamError, match="the 9 training examples, which have 1 different premises"):
        cross_predict(["one"] * 9, Debias("weighting"), 0, answer)


def test_adv_needs_a_sentence_encoder(request_of: Any) -> None:
    with pytest.raises(CrossexamError, match="adv needs the hypothesis's vector"):
        train_model(request_of("crossing", debias="adv"))
    assert train_model(request_of("crossing", debias="drift", values={"epochs": "1"})).accuracy >= 0


def test_several_seeds_and_a_grid(request_of: Any) -> None:
    trained = train_seeds(request_of(values={"epochs": "1"}), [3, 4])
    summary = json.loads((trained[0].folder.parent / "seeds.json").read_text())
    assert summary["mean"] == pytest.approx((trained[0].accuracy + trained[1].accuracy) / 2)
    assert set(summary["dev_accuracy"]) == {"seed-3", "seed-4"}
    found = train_grid(
        request_of(folder="grid", values={"epochs": "1"}), grid(["lr=0.1,0.001", "hidden=3"]), [0]
    )
    assert list(found) == ["lr=0.1,hidden=3", "lr=0.001,hidden=3"]
    best = json.loads((request_of(folder="grid").folder / "sweep.json").read_text())["best"]
    assert found[best][0].accuracy == max(each[0].accuracy for each in found.values())
    with pytest.raises(CrossexamError, match="'hidden' is in both --set and --sweep"):
        train_grid(request_of(folder="both", values={"hidden": "2"}), grid(["hidden=3"]), [0])


def test_a_share_is_drawn_anew_each_epoch(data: Data) -> None:
    shared = Data((replace(data.train[0], share=0.25),), data.dev)
    first, second = shared.of_epoch(0, 7), shared.of_epoch(1, 7)
    assert len(first) == len(second) == 15
    assert first != second
    assert first == shared.of_epoch(0, 7)
    augmented = TrainingSet(shared, 7, parse_augmentations("negation")).of_epoch(1).examples
    assert [each.base for each in augmented[15:]] == [each.id for each in second]


def test_corpora_are_joined_cut_and_shared(tmp_path: Path) -> None:
    found = load_data("builtin:demo[::2]+builtin:demo[1::2]@0.5", "builtin:demo", limit=20)
    assert [(c.spec, len(c.examples), c.share) for c in found.train] == [
        ("builtin:demo[::2]", 20, None),
        ("builtin:demo[1::2]@0.5", 20, 0.5),
    ]
    whole = load_data("builtin:demo", "builtin:demo").examples
    assert found.train[0].examples == whole[0:40:2]
    twice = load_data("builtin:demo[:5]+builtin:demo[:5]", "builtin:demo")
    assert len({example.id for example in twice.examples}) == 10
    plus = tmp_path / "a+b.jsonl"
    rows = [{"premise": "a", "hypothesis": label, "label": label} for label in ("neutral", "entailment")]
    plus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert len(load_data(str(plus), str(plus)).examples) == 2


def test_data_that_cannot_be_trained_on(tmp_path: Path) -> None:
    empty, one = tmp_path / "empty.jsonl", tmp_path / "one.jsonl"
    empty.write_text("")
    one.write_text('{"premise": "a", "hypothesis": "b", "label": "neutral"}\n' * 3)
    with pytest.raises(CrossexamError, match="the file is empty"):
        load_data(str(empty), "builtin:demo")
    with pytest.raises(CrossexamError) as error:
        load_data(str(one), "builtin:demo")
    assert f"{one}: all 3 training examples are neutral" in str(error.value)
    with pytest.raises(CrossexamError, match="none of the 5 examples is labelled"):
        load_data("builtin:demo[5:5]", "builtin:demo")


# The command line


def _cli(*arguments: str) -> Result:
    import typer

    from crossexam.cli.train import train as verb

    alone = typer.Typer()
    alone.command()(verb)
    return CliRunner().invoke(alone, list(arguments))


def test_the_verb_trains_and_reports_mean_and_spread(tmp_path: Path) -> None:
    corpora = ["--train", "builtin:demo[:40]", "--dev", "builtin:demo[40:60]", "-o", str(tmp_path / "out")]
    done = _cli(
        "toy",
        *corpora,
        "--seeds",
        "2",
        "--epochs",
        "1",
        "--set",
        "lr=0.02",
        "--device",
        "cpu",
        "--test",
        "builtin:demo[60:]",
    )
    assert done.exit_code == 0, done.exception
    assert "builtin:demo[60:]" in " ".join(done.output.split())
    assert "dev accuracy" in done.output
    assert "on average over 2 seeds, standard deviation" in done.output
    assert "epoch 1 of 1: loss" in done.output
    manifest = json.loads((tmp_path / "out" / "seed-1" / "manifest.json").read_text())
    assert manifest["fingerprint"]["recipe"]["learning_rate"] == 0.02


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "hiden=4"], "no setting is called 'hiden'\n  hint: did you mean 'hidden'?"),
        (["--set", "hidden"], "--set: 'hidden' is not an assignment"),
        (["--set", "hidden=wide"], "'hidden' cannot be 'wide'\n  wanted: a whole number"),
        (["--set", "schedule=plato"], "'schedule' cannot be 'plato'"),
        (["--set", "epochs=2", "--epochs", "3"], "'epochs' is set by both --set and --epochs"),
        (["--set", "hidden=0"], "--set hidden=0: 'hidden' is 0\n  wanted: a number of 1 or more"),
        (["--ablate", "cnn"], "--ablate is 'cnn'"),
        (["--debias", "drifft"], "no debiasing method is called 'drifft'\n  hint: did you mean 'drift'?"),
        (["--bias", "run"], "--bias requires --debias"),
        (["--augment", "negaton"], "did you mean 'negation'?"),
        (["--set", "folds=1", "--debias", "weighting"], "1 folds"),
        (
            ["--set", "smooth=-1", "--debias", "weighting"],
            "--set smooth=-1: 'smooth' is -1\n  wanted: a number of 0 or more",
        ),
        (
            ["--set", "adversary_weight=-3", "--debias", "adv"],
            "--set adversary_weight=-3: 'adversary_weight'",
        ),
        (["--set", "reversal=-1", "--debias", "adv"], "--set reversal=-1: 'reversal' is -1"),
        (["--set", "entropy_weight=-1", "--debias", "learned-mixin-h"], "'entropy_weight' is -1"),
        (["--set", "entropy_weight=nan", "--debias", "learned-mixin-h"], "'entropy_weight'"),
        (
            ["--set", "smooth=0.1", "--debias", "drift"],
            "--set smooth=0.1: drift does not read 'smooth'\n  hint: leave it out; weighting reads it",
        ),
        (["--set", "debias.folds=5", "--debias", "adv"], "--set debias.folds=5: adv does not read 'folds'"),
        (["--set", "method=adv", "--debias", "drift"], "drift does not read 'method'"),
    ],
)
def test_mistakes_on_the_command_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    done = _cli(
        "toy", "--train", "builtin:demo", "--dev", "builtin:demo", "-o", str(tmp_path / "out"), *arguments
    )
    assert isinstance(done.exception, CrossexamError)
    assert message in str(done.exception)
    assert not (tmp_path / "out" / "manifest.json").exists()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("length=4", "an image of 4 words is too small to be halved 3 times\n  hint: --set length=8 or more"),
        ("max_length=100", "--set max_length=100: 100 words of a sentence are kept, but the model reads 48"),
    ],
)
def test_the_image_of_diin_must_hold_its_sentences(tmp_path: Path, setting: str, message: str) -> None:
    given = ["--train", "builtin:demo", "--dev", "builtin:demo", "-o", str(tmp_path / "out")]
    done = _cli("diin", *given, "--set", setting)
    assert message in str(done.exception)
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_every_field_of_the_toys_corpus_is_described(data: Data) -> None:
    described = Corpus("x", data.examples).describe()
    assert described["rows"] == sum(described["labels"].values()) == 60


def test_the_help_lists_every_debiasing_method() -> None:
    text = " ".join(_cli("--help").output.replace("│", " ").split())
    assert f"Debiasing method: {', '.join(METHODS)}." in text


def test_all_seeds_of_the_best_settings_are_marked(tmp_path: Path) -> None:
    corpora = ["--train", "builtin:demo[:40]", "--dev", "builtin:demo[40:60]", "-o", str(tmp_path / "out")]
    done = _cli(
        "toy", *corpora, "--epochs", "1", "--device", "cpu", "--sweep", "lr=0.02,0.01", "--seeds", "2"
    )
    assert done.exit_code == 0, done.exception
    assert done.output.count("(best)") == 2
