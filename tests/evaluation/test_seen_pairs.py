"""Which word pairs of two models were in training, counted by hand."""

import json
import math
from pathlib import Path

import pytest

import crossexam as cx
from crossexam.core.dataset import Run
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import Label
from crossexam.evaluation.scores import score_both
from crossexam.evaluation.seen_pairs import TrainingPairs, seen_pairs
from crossexam.language.word_pair_index import WordPairIndex
from crossexam.runs.folder import save_run
from crossexam.stats.estimate import share_interval
from made.commands import invoke
from made.runs import dataset, run_of

E, N, C = "entailment", "neutral", "contradiction"
#: Of nine contradictions, both models get the first four right, neither the next two, and one the others.
ANSWERS = "CCCCEECCE", "CCCCENEEC"
#: cold/hot is the same pair as hot/cold; can't is two words of the index.
PAIRS = "hot/cold cold/hot man/woman near/far old/new near/far big/small can't/can hot/cold".split()
TRAINING: list[tuple[str, str, Label]] = [
    ("The soup is hot.", "The soup is cold.", C),
    ("It was colder outside.", "It was hotter outside.", C),  # other forms, the other way round
    ("A cold day.", "A hot day.", N),
    ("Two men sit.", "Two women sit.", C),
    ("A man sits.", "A woman sits.", E),
    ("The old man has a new hat.", "Nobody sits.", C),  # both in the premise: not seen
    ("A big dog.", "A small dog.", N),
    ("Big dogs.", "Dogs.", E),
]


def models(name: str = "antonymy.x") -> tuple[Run, ...]:
    data = dataset(name, "C" * 9, info=[{"pair": pair, "how": "more"} for pair in PAIRS])
    return tuple(
        run_of({name: said}, data, model=model) for model, said in zip(("one", "other"), ANSWERS, strict=True)
    )


def test_pairs_are_counted_by_group() -> None:
    index = WordPairIndex.build([Example(str(k), *row) for k, row in enumerate(TRAINING)])
    first, second = models()
    pairs = seen_pairs(first.datasets, *score_both(first, second), TrainingPairs("mine.csv", index))
    found = {each.group: each for each in pairs}
    assert list(found) == ["both", "neither", "only_a", "only_b"]
    both = found["both"]  # hot/cold 3 examples, man/woman 2, near/far none
    assert (both.pairs, both.left_out) == (3, 0)
    assert both.seen[:3] == (2 / 3, *share_interval(2 / 3, 3))
    assert both.contradiction.value == 2 / 3
    assert both.mean.value == pytest.approx((3 + 2 + 0) / 3)
    neither = found["neither"]  # old/new and near/far
    assert (neither.pairs, neither.seen.value, neither.mean.value) == (2, 0, 0)
    assert math.isnan(neither.mean.low)  # resampling cannot say how rare they are
    only_a = found["only_a"]  # big/small: neutral only
    assert (only_a.pairs, only_a.left_out) == (1, 1)
    assert (only_a.seen.value, only_a.contradiction.value, only_a.mean.value) == (1, 0, 1)


def test_python_and_the_command_line_look_pairs_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    corpus = tmp_path / "train.jsonl"
    lines = (json.dumps({"premise": p, "hypothesis": h, "label": label}) for p, h, label in TRAINING)
    corpus.write_text("\n".join(lines), encoding="utf-8")
    compared = cx.compare(*models(), index=f"{corpus}+{corpus}")
    assert [each.mean.value for each in compared.seen][2:] == [2, 6]  # the corpus twice
    assert cx.compare(*models()).seen == ()
    with pytest.raises(CrossexamError, match="no test set has word pairs to look up"):
        cx.compare(*models("negation.x"), index=str(corpus))
    with pytest.raises(CrossexamError, match="two models, not for 1"):
        cx.report(models()[0], index=str(corpus))
    folders = [str(tmp_path / run.model) for run in models()]
    for run, folder in zip(models(), folders, strict=True):
        save_run(run, Path(folder))
    done = invoke("compare", *folders, "--index", corpus)
    assert "train.jsonl, 8 examples." in " ".join(done.output.split())
