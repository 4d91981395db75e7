"""Development sets: which test sets of a suite count, under which projections, and what is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.example import Example
from crossexam.core.labels import ENTAILMENT_OR_NOT, LABELS, PROJECTIONS, THREE_LABELS, Gold
from crossexam.core.manifest import BASE, CROSS_DATASET, TestSetEntry
from crossexam.core.sealed import MANIFEST
from crossexam.corpora.development import load_dev_sets
from crossexam.corpora.labelled import load_corpus
from made.cases import refused
from made.suites import write_suite

Suites = Callable[..., Path]


def base(part: str, *labels: Gold | None, versioned: str = BASE, **known: Any) -> Dataset:
    entry = TestSetEntry(versioned=versioned, part=part, **known)
    items = [Example(f"{part}-{k}", f"It rains in town {k}.", f"{part}.", e) for k, e in enumerate(labels)]
    return Dataset(entry.name, items, entry.to_json())


@pytest.fixture
def suite(tmp_path: Path) -> Suites:
    return lambda *sets, name="mixed": write_suite(tmp_path / name, *sets)


THREE = base("three", "entailment", "neutral", "contradiction")
TWO = base("two", "entailment", "not_entailment", projection="two labels")
SCITAIL = base("scitail", "neutral", "entailment", None, projection="no contradiction")
NEGATION = base("three", "neutral", versioned="negation.v1", base_set="base.three")


def benchmark(corpus: str, **place: Any) -> Dataset:
    return base(corpus, "entailment", "neutral", facts={CROSS_DATASET: place})


def test_the_bases_of_a_suite_count_each_under_its_projection(suite: Suites) -> None:
    folder = suite(THREE, TWO, SCITAIL, NEGATION)
    found = load_dev_sets(["builtin:demo[:5]", str(folder)])
    names = [Path(corpus.spec).name for corpus in found.corpora]
    assert names[1:] == ["base.three.parquet", "base.two.parquet", "base.scitail.parquet"]
    projections = [THREE_LABELS, THREE_LABELS, ENTAILMENT_OR_NOT, PROJECTIONS["no contradiction"]]
    assert [corpus.projection for corpus in found.corpora] == projections
    lengths = [len(corpus.examples) for corpus in found.corpora]
    assert lengths == [5, 3, 2, 2]  # one example of SciTail's is unlabelled
    assert found.notes == (f"{folder}: 1 test set made from its corpora left out",)
    described = load_dev_sets([str(folder)]).describe()
    assert (described["spec"], described["rows"]) == (str(folder), 7)
    assert [part.get("projection") for part in described["parts"]] == [None, "two labels", "no contradiction"]


def test_a_file_of_a_suite_has_its_projection_wherever_it_is_read(suite: Suites) -> None:
    path = suite(THREE, SCITAIL) / "base.scitail.parquet"
    assert load_corpus(str(path)).projection is PROJECTIONS["no contradiction"]
    assert load_dev_sets([f"{path}[:1]"]).corpora[0].projection is PROJECTIONS["no contradiction"]
    (path.parent / MANIFEST).write_text("no JSON", encoding="utf-8")  # some other file of that name
    assert load_corpus(str(path)).projection is THREE_LABELS


def test_of_the_benchmark_those_count_that_its_score_is_the_mean_of(suite: Suites) -> None:
    rest = suite(benchmark("sick", key="sick", part="validation"), benchmark("snli_dev", reference=True))
    found = load_dev_sets([str(rest)])
    assert [Path(corpus.spec).name for corpus in found.corpora] == ["base.sick.parquet"]
    (note,) = found.notes
    assert "base.snli_dev is left out" in note
    tests = suite(benchmark("sick", key="sick", part="test"), name="tests")
    (warning,) = load_dev_sets([str(tests)]).notes
    assert warning.startswith(f"warning: {tests} holds test sets of the benchmark")


def test_a_limit_draws_examples_of_each_corpus(suite: Suites) -> None:
    many = base("many", *20 * LABELS)
    folder = suite(many, TWO)
    found = load_dev_sets([str(folder)], limit=5, seed=3)
    drawn, two = found.corpora
    assert [len(drawn.examples), len(two.examples)] == [5, 2]
    places = [list(many).index(example) for example in drawn.examples]
    assert places == sorted(places) != list(range(5))
    # one that cuts nothing off changes nothing
    assert load_dev_sets([str(folder)], limit=60, seed=1) == load_dev_sets([str(folder)])


def test_what_is_refused(suite: Suites) -> None:
    folder = suite(THREE, TWO)
    twice = [str(folder), f"{folder / 'base.two.parquet'}[:2]"]
    assert "hold the same examples" in refused(load_dev_sets, twice)
    assert "--dev: builtin:demo is given twice" in refused(load_dev_sets, ["builtin:demo"] * 2)
    assert "no unchanged corpus" in refused(load_dev_sets, [str(suite(NEGATION, name="made"))])
    assert "--dev-limit is 0" in refused(load_dev_sets, [str(folder)], limit=0)
