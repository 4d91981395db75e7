"""Baselines: their size and bytes, what they give back, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import crossexam as cx
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example
from crossexam.core.labels import LABELS, PROJECTIONS, Gold
from crossexam.core.sealed import ChangedError
from crossexam.evaluation.comparison import compare_runs
from crossexam.gates.baseline import Baseline, read_baseline, write_baseline

MakeRun = Callable[..., Run]


def stored(run: Run, path: Path, **how: Any) -> Baseline:
    write_baseline(Baseline.of(run, **how), path)
    return read_baseline(path)


@pytest.fixture
def some(make_run: MakeRun) -> Run:
    """A run that is wrong on every fourth item, and did not answer three."""
    wrong = np.arange(300) % 4 != 0
    return make_run({"negation.dev": wrong}, {"negation.dev": [5, 6, 299]}, model_key="k")


def test_it_is_compared_as_the_run_itself(some: Run, make_run: MakeRun, tmp_path: Path) -> None:
    new = make_run({"negation.dev": np.arange(300) % 3 != 0}, {"negation.dev": [5, 100]})
    baseline = stored(some, tmp_path / "b.parquet", probabilities=False).over(new)
    assert compare_runs(new, baseline) == compare_runs(new, some)
    assert baseline.outcomes["negation.dev"].unanswered() == {"refused": 3}
    assert baseline.predictions("negation.dev").tolist() == some.predictions("negation.dev").tolist()


def test_probabilities_are_kept_as_32_bits_on_request(some: Run, tmp_path: Path) -> None:
    with_them = stored(some, tmp_path / "p.parquet", probabilities=True)
    kept = with_them.over(some, probabilities=True).answers("negation.dev")
    assert np.array_equal(kept, some.answers("negation.dev").astype(np.float32), equal_nan=True)
    without = stored(some, tmp_path / "b.parquet", probabilities=False)
    assert not without.over(some, probabilities=True).datasets


@pytest.mark.parametrize("projection", [None, *PROJECTIONS])
def test_labels_survive_every_projection_and_scoring(
    projection: str | None, make_run: MakeRun, tmp_path: Path
) -> None:
    """Entailment may be the most probable of three labels with less than one half, which differs on two."""
    other: Gold = "not_entailment" if projection == "two labels" else "neutral"
    items = tuple(Example(f"i{k}", f"P{k}.", "H.", "entailment" if k % 2 else other) for k in range(300))
    dataset = Dataset("x.dev", items, {} if projection is None else {"projection": projection})
    rows = np.random.default_rng(0).dirichlet([1, 1, 1], 300)
    run = Run("mine", {"x.dev": dataset}, {"x.dev": rows})
    baseline = stored(run, tmp_path / "b.parquet", probabilities=False).over(run)
    for two_label in (False, True):
        model = Run("new", {"x.dev": dataset}, {"x.dev": rows[::-1]}, {"details": {"two_label": two_label}})
        assert compare_runs(model, baseline) == compare_runs(model, run)


def test_a_model_of_two_labels_stays_one(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run(details={"two_label": True})
    baseline = stored(run, tmp_path / "b.parquet")
    assert baseline.over(run).two_labels
    assert compare_runs(make_run(), baseline.over(run)) == compare_runs(make_run(), run)


def test_the_same_run_gives_the_same_bytes(some: Run, tmp_path: Path) -> None:
    for probabilities in (False, True):
        for name in ("a", "b"):
            write_baseline(Baseline.of(some, probabilities=probabilities), tmp_path / name)
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_hundred_thousand_items_are_far_below_a_megabyte(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    items = tuple(Example(f"i{k}", "P.", "H.", LABELS[k % 3]) for k in range(100_000))
    rows = rng.dirichlet([1, 1, 1], 100_000)  # labels without any pattern that could be compressed
    run = Run("mine", {"x.dev": Dataset("x.dev", items)}, {"x.dev": rows})
    write_baseline(Baseline.of(run, probabilities=False), tmp_path / "b.parquet")
    assert (tmp_path / "b.parquet").stat().st_size < 100_000


def test_every_changed_byte_is_noticed_or_changes_nothing(some: Run, tmp_path: Path) -> None:
    path = tmp_path / "b.parquet"
    good = stored(some, path, probabilities=True)
    data, rng = path.read_bytes(), np.random.default_rng(0)
    noticed = 0
    for place in rng.choice(len(data), 150, replace=False).tolist():
        changed = bytearray(data)
        changed[place] ^= int(rng.integers(1, 256))
        path.write_bytes(changed)
        try:
            again = read_baseline(path)
        except FormatError:
            noticed += 1
            continue
        assert again.facts == good.facts
        for name, each in again.sets.items():
            assert np.array_equal(each.label_rows, good.sets[name].label_rows, equal_nan=True)
    assert noticed > 75


def test_a_changed_column_is_an_error(some: Run, tmp_path: Path) -> None:
    path = tmp_path / "b.parquet"
    stored(some, path)
    table = pq.read_table(path)
    flipped = table["entailed"].to_numpy()
    flipped = flipped.copy()
    flipped[0] = not flipped[0]
    changed = table.set_column(table.column_names.index("entailed"), "entailed", [flipped])
    pq.write_table(changed.replace_schema_metadata(table.schema.metadata), path)
    with pytest.raises(ChangedError, match="changed by hand, or damaged"):
        read_baseline(path)


def test_changed_metadata_are_an_error(some: Run, tmp_path: Path) -> None:
    path = tmp_path / "b.parquet"
    stored(some, path)
    table = pq.read_table(path)
    ((key, text),) = ((k, v) for k, v in table.schema.metadata.items() if k == b"crossexam_baseline")
    pq.write_table(table.replace_schema_metadata({key: text.replace(b'"mine"', b'"mind"')}), path)
    with pytest.raises(ChangedError, match="its checksum is that of another content"):
        read_baseline(path)


def test_a_later_format_is_refused(some: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crossexam.gates.baseline._FORMAT", 2)
    write_baseline(Baseline.of(some), tmp_path / "b.parquet")
    monkeypatch.undo()
    with pytest.raises(FormatError, match="the baseline has the format 2"):
        read_baseline(tmp_path / "b.parquet")


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("no Parquet")
    for path, says in ((tmp_path, "this is a folder"), (tmp_path / "no", "no such file"),
                       (tmp_path / "text.parquet", "damaged")):  # fmt: skip
        with pytest.raises(FormatError, match=says):
            read_baseline(path)


def test_other_items_are_refused(some: Run, make_run: MakeRun, datasets: dict[str, Dataset]) -> None:
    baseline = Baseline.of(some)
    items = datasets["negation.dev"].examples
    changed = replace(items[0], hypothesis="Another.")
    other = replace(datasets["negation.dev"], examples=(changed, *items[1:]))
    with pytest.raises(CrossexamError, match="over different items"):
        baseline.check(make_run(of={**datasets, "negation.dev": other}, right={}))
    cut = replace(datasets["negation.dev"], examples=items[:30])
    with pytest.raises(CrossexamError, match=r"over different items \(30 with content"):
        baseline.check(make_run(of={**datasets, "negation.dev": cut}))
    with pytest.raises(CrossexamError, match=r"lacks negation\.dev, which the baseline has"):
        baseline.check(make_run(of={"base.dev": datasets["base.dev"]}))
    renamed = {name.replace("dev", "new"): each for name, each in datasets.items()}
    with pytest.raises(
        CrossexamError, match=r"hint: 'base\.dev' has the items of 'base\.new', .*; or write the"
    ):
        baseline.check(make_run(of=renamed))


def test_other_labels_of_the_same_items_are_refused(tmp_path: Path) -> None:
    items = tuple(Example(f"i{k}", f"P{k}.", "H.", LABELS[k % 2]) for k in range(6))
    rows = {"x.dev": np.full((6, 3), 1 / 3)}
    one, other = (
        Run("mine", {"x.dev": Dataset("x.dev", items, manifest)}, rows)
        for manifest in ({}, {"projection": "no contradiction"})
    )
    with pytest.raises(
        CrossexamError, match="has the labels 'no contradiction', the baseline 'three labels'"
    ):
        Baseline.of(one).check(other)


def test_probabilities_that_a_model_does_not_give_are_refused(tmp_path: Path) -> None:
    labels = cx.run("builtin/overlap", "builtin:demo[:9]")
    with pytest.raises(CrossexamError, match="gives labels without probabilities"):
        cx.baseline(labels, tmp_path / "b.parquet", probabilities=True)
    assert not list(tmp_path.iterdir())
    assert cx.baseline(labels, tmp_path / "b.parquet").is_file()
