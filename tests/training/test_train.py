"""Training from corpora to folders: options, errors, and the trained models as models."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.files import read_json
from crossexam.core.manifest import used_machines
from crossexam.core.sealed import as_json, read_manifest
from crossexam.corpora.development import DevSets
from crossexam.corpora.labelled import Corpus
from crossexam.training.data import Data, augment, parse_augmentations
from crossexam.training.train import train_model
from crossexam.training.vocabulary import load_word_sources
from made.cases import for_each, refused
from made.commands import invoke


def weights(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


def test_tests_are_scored_once_and_kept_with_the_scores(
    request_of: Any, trained: Any, toy: Path, small_data: Data
) -> None:
    examples = small_data.dev.corpora[0].examples
    before = weights(toy)

    def scored(**tests: int) -> Any:
        corpora = tuple(Corpus(name, examples[:count]) for name, count in tests.items())
        return train_model(request_of(data=replace(small_data, tests=corpora))).manifest.tests

    first = scored(again=30)["again"]
    assert weights(toy) == before  # it is not trained again
    assert first.accuracy == pytest.approx(trained().accuracy, abs=1e-3)
    assert {name: test.rows for name, test in scored(again=10, more=5).items()} == {"again": 10, "more": 5}


def test_options_change_what_is_learned_and_a_finished_training_is_not_overwritten(
    request_of: Any, trained: Any
) -> None:
    plain, again = weights(trained().folder), train_model(request_of())
    assert weights(again.folder) == plain
    stamp = (again.folder / "model.safetensors").stat().st_mtime_ns
    assert as_json(train_model(request_of()).manifest) == read_manifest(again.folder / "manifest.json")
    assert (again.folder / "model.safetensors").stat().st_mtime_ns == stamp
    with pytest.raises(CrossexamError, match=r"the folder holds another training run:\n    config\."):
        train_model(request_of(values={"hidden": "3"}))
    assert weights(trained(seed=1).folder) != plain != weights(trained(shuffle_words=True).folder)
    ablated = trained(ablate_rnn=True, values={"epochs": "1"}).folder
    assert json.loads((ablated / "config.json").read_text())["config"]["recurrence"] == "feedforward"
    assert "cbow cannot be built without an RNN" in refused(train_model, request_of("cbow", ablate_rnn=True))


def test_a_training_that_was_resumed_on_another_machine_names_both(
    request_of: Any, trained: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The biased model is the one that was begun elsewhere."""
    whole = trained(debias="drift")
    assert whole.manifest.machines == used_machines()

    def stop(status: Any) -> None:
        if status.scores is not None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_model(request_of(debias="drift", watch=stop))
    threads = torch.get_num_threads()
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads + 1)
    resumed = train_model(request_of(debias="drift"))
    assert [machine["threads"] for machine in resumed.manifest.machines] == [threads, threads + 1]
    assert resumed.manifest.fingerprint == whole.manifest.fingerprint
    assert weights(resumed.folder) == weights(whole.folder)


def test_the_manifest_says_how_many_items_an_augmentation_added(
    request_of: Any, tiny_parsed: list[Example]
) -> None:
    parsed, notes = Corpus("parsed", tuple(tiny_parsed)), list[str]()
    data = Data((parsed,), DevSets("parsed", (parsed,)))
    asked = parse_augmentations("so_swap:300,negation")
    manifest = train_model(request_of(data=data, augmentations=asked, note=notes.append)).manifest
    items = len(augment(tiny_parsed, asked[0], seed=0, epoch=0))
    for record in manifest.curve:
        assert record["augmented"]["so_swap"] == {"used": items, "distinct": items, "asked": 300}
        assert record["augmented"]["negation"]["used"] == 6
        assert record["step"] == -(-(6 + 6 + items) // 8) * record["epoch"]
    described = ["so_swap.v2: at most 300 items per epoch", "negation.v1"]
    assert manifest.fingerprint["options"]["augment"] == described
    warning, _told = notes
    assert warning.startswith(f"warning: --augment so_swap:300 adds {items} items to an epoch")


def test_words_of_other_corpora_get_their_vectors(request_of: Any, tmp_path: Path) -> None:
    vectors, other = tmp_path / "vectors.txt", tmp_path / "other.csv"
    vectors.write_text("zebra 1 2 3 4 5 6\n. 6 5 4 3 2 1\n")
    other.write_text("premise,hypothesis,label\nA zebra,a gnu,entailment\n")
    sources = load_word_sources([str(other)])
    given = {"vectors": vectors, "values": {"epochs": "1"}, "vocabulary_from": sources}
    trained = train_model(request_of(**given))
    words = json.loads((trained.folder / "vocabulary.json").read_text())["model"]["vocab"]
    assert [word in words for word in ("zebra", "gnu")] == [True, False]
    (source,) = trained.manifest.fingerprint["options"]["vocabulary_from"]
    assert (source["spec"], source["rows"]) == (str(other), 1)
    assert trained.manifest.facts["words_from_other_corpora"] == 1
    with pytest.raises(CrossexamError, match="--vocabulary-from needs word vectors"):
        train_model(request_of(folder="none", vocabulary_from=sources))


def test_the_verb_trains_and_reports_mean_and_spread_or_the_best_settings(tmp_path: Path) -> None:
    corpora = "--train builtin:demo[:40] --dev builtin:demo[40:60] --epochs 1 --seeds 2 --device cpu"

    def said(options: str) -> str:
        done = invoke("train", "toy", *corpora.split(), "-o", tmp_path / options[2:5], *options.split())
        return " ".join(done.output.split())

    assert "on average over 2 seeds, standard deviation" in said("--set lr=0.02 --test builtin:demo[60:]")
    manifests = [read_json(tmp_path / "set" / f"seed-{seed}" / "manifest.json") for seed in (0, 1)]
    assert {manifest["fingerprint"]["recipe"]["learning_rate"] for manifest in manifests} == {0.02}
    mean = json.loads((tmp_path / "set" / "seeds.json").read_text())["mean"]
    assert mean == pytest.approx(np.mean([manifest["scores"]["dev_accuracy"] for manifest in manifests]))
    assert said("--sweep lr=0.02,0.01").count("(best)") == 2  # all seeds of the best settings


#: What is written after `train`, and what is said of it.
MISTAKES = [
    ("toy --set hiden=4", "no setting is called 'hiden'\n  hint: did you mean 'hidden'?"),
    ("toy --set epochs=2 --epochs 3", "'epochs' is set by both --set and --epochs"),
    ("toy --set lr=1 --sweep lr=2", "'lr' is in both --set and --sweep"),
    ("toy --bias run", "--bias requires --debias"),
    ("toy --set smooth=-1 --debias weighting", "'smooth' is -1"),
    ("diin --set length=4", "an image of 4 words is too small to be halved 3 times"),
    ("diin --set max_length=100", "100 words of a sentence are kept, but the model reads 48"),
]


def test_mistakes_on_the_command_line(tmp_path: Path) -> None:
    corpora = ["--train", "builtin:demo", "--dev", "builtin:demo", "-o", str(tmp_path / "out")]

    def check(arguments: str, message: str) -> None:
        assert message in refused(invoke, "train", *arguments.split(), *corpora)
        assert not (tmp_path / "out" / "manifest.json").exists()

    for_each(check, MISTAKES)
