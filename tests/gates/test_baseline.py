"""Baselines: their bytes, what they give back, and what is refused."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.labels import PROJECTIONS
from crossexam.core.sealed import ChangedError
from crossexam.evaluation.comparison import compare_runs
from crossexam.gates.baseline import Baseline, read_baseline, write_baseline
from made import runs as letters
from made.gated import MakeRun
from made.runs import dataset


def stored(run: Run, path: Path, **how: Any) -> Baseline:
    write_baseline(Baseline.of(run, **how), path)
    return read_baseline(path)


@pytest.fixture
def some(make_run: MakeRun) -> Run:
    """A run that is wrong on every fourth item, and did not answer three."""
    wrong = np.arange(300) % 4 != 0
    return make_run({"negation.dev": wrong}, {"negation.dev": [5, 6, 299]}, model_key="k")


@pytest.mark.parametrize("projection", [None, *PROJECTIONS])
def test_it_is_compared_as_the_run_itself_in_every_projection(projection: str | None, tmp_path: Path) -> None:
    """Entailment may be the most probable of three labels with less than one half, which differs on two."""
    golds = ("nE" if projection == "two labels" else "NE") * 150
    items = replace(
        dataset("x.dev", golds), manifest={} if projection is None else {"projection": projection}
    )
    rows = np.random.default_rng(0).dirichlet([1, 1, 1], 300)
    rows[:3] = np.nan
    said = "?" * 3 + golds[3:]

    def run_of(model: str, step: int, two_label: bool) -> Run:
        made = letters.run_of({items.name: said[::step]}, items, model=model, two_label=two_label)
        return replace(made, probabilities={items.name: rows[::step]})

    for of_run, of_model in product((False, True), repeat=2):
        run, model = run_of("mine", 1, of_run), run_of("new", -1, of_model)
        baseline = stored(run, tmp_path / "b.parquet", probabilities=False).over(run)
        assert baseline.outcomes["x.dev"].unanswered() == {"refused": 3}
        assert compare_runs(model, baseline) == compare_runs(model, run)


def test_probabilities_are_kept_as_32_bits_on_request_and_bytes_are_the_same(
    some: Run, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        baseline = stored(some, tmp_path / name, probabilities=True)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    without = stored(some, tmp_path / "c", probabilities=False)
    assert not without.over(some, probabilities=True).datasets
    kept = baseline.over(some, probabilities=True)
    expected = some.answers("negation.dev").astype(np.float32)
    assert np.array_equal(kept.answers("negation.dev"), expected, equal_nan=True)


def test_changed_files_and_those_of_later_versions_are_refused(
    some: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other files, too: tests/golden/messages.txt."""
    path = tmp_path / "b.parquet"
    stored(some, path)
    table = pq.read_table(path)
    flipped = table["entailed"].to_numpy().copy()
    flipped[0] = not flipped[0]
    changed = table.set_column(table.column_names.index("entailed"), "entailed", [flipped])
    pq.write_table(changed.replace_schema_metadata(table.schema.metadata), path)
    with pytest.raises(ChangedError, match="changed by hand, or damaged"):
        read_baseline(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(FormatError, match="the file is damaged"):
        read_baseline(path)
    with monkeypatch.context() as patched:
        patched.setattr("crossexam.gates.baseline._FORMAT", 2)
        write_baseline(Baseline.of(some), path)
    with pytest.raises(FormatError, match="the baseline has the format 2"):
        read_baseline(path)


def test_other_items_are_refused(some: Run, make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    base, negation = datasets.values()
    other = (replace(negation.examples[0], hypothesis="Another."), *negation.examples[1:])
    of_two = replace(negation, manifest={**negation.manifest, "projection": "two labels"})
    for says, sets in (
        ("over different items", [base, replace(negation, examples=other)]),
        (r"lacks negation\.dev, which the baseline has", [base]),
        ("has the labels 'two labels', the baseline 'three labels'", [base, of_two]),
    ):
        with pytest.raises(CrossexamError, match=says):
            Baseline.of(some).check(make_run(of={each.name: each for each in sets}))
