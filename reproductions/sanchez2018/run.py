"""Swap word pairs in the SNLI subset and run models trained on it over the swapped items.

    python reproductions/sanchez2018/run.py --work DIR [--model ROW=MODEL ...]

The predictions of every model that is given are kept in results/, and RESULTS.md is written from these:
without a model, nothing is run.  The findings are stated for the rows *ce*, *dam* and *esim*; other rows are
only in the tables.  Hypernyms are those of Baroni et al. (2012), as in the paper; antonyms are WordNet's,
since the opposites of Mohammad et al. (2013) are not available.  Corpora and lists are read from
CROSSEXAM_DATA.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import Final

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from commands import carry_out, origin, shown
from findings import Answers
from kept import Kept, hash_of, keep_predictions, read_kept
from page import findings_table, opening
from results import Results, answers_over, at, judged, refuse_another_suite, run_facts, training_facts
from study import read_statements

from crossexam.constructions.table import SWAPS
from crossexam.core.dataset import Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.example import STATUS, UNDECIDED
from crossexam.core.files import read_json, write_json
from crossexam.core.test_sets import read_suite
from crossexam.evaluation.behaviour import TESTED, Factor, subset_items
from crossexam.evaluation.verified import by_status
from crossexam.published.figures import published
from crossexam.reports import text
from crossexam.reports.analyses.behaviour import behaviour_table, factor_table
from crossexam.reports.results import ReportOptions, results_of
from crossexam.runs.saved import read_run

HERE = Path(__file__).parent
BASE = "$CROSSEXAM_DATA/snli/snli_1.0_train_subset.jsonl"
PAIRS = "--pairs antonym=wordnet --pairs hypernym=$CROSSEXAM_DATA/lexical/baroni2012.tsv"
BUILD = f"crossexam build behaviour --base {BASE} {PAIRS} -o swaps"
#: The level of the paper's tests (section 5.5).
ALPHA: Final = 0.0001
#: The rows of the findings, by their name in the paper's tables.
ROWS: Final = {"ce": "CE", "dam": "DAM", "esim": "ESIM"}
#: How expressions call the subsets of Table 1, and the paper's table of each.
SUBSETS: Final[Mapping[Factor, tuple[str, str]]] = {
    "insensitivity": ("changed", "insensitivity"),
    "unseen pairs": ("unseen", "unseen"),
    "polarity": ("against", "polarity"),
}


def run_model(row: str, model: str, work: Path, results: Path) -> None:
    """Run *model* over the suite in *work*, and keep its predictions and how it was trained in *results*."""
    words = ["crossexam", "run", model, "swaps", "-o", f"swap-runs/{row}", "--force"]
    carry_out(words, work)
    run = read_run(work / words[-2])
    results.mkdir(exist_ok=True)
    keep_predictions(results / f"{row}.npz", [run])
    trained = work / model.partition("/")[2] / "manifest.json"
    facts = {"row": row, "command": shown(words)}
    if trained.exists():
        manifest = read_json(trained)
        facts |= {**training_facts(manifest), **origin(manifest)}
    write_json(results / f"{row}.json", {**facts, **run_facts(run.manifest)})


def published_share(row: str, cell: str) -> float | None:
    """Return the paper's accuracy for *row* on a set, or a subset, of Table 1; None if it has none.

    The paper has no accuracy on the controls of some items: that on all controls takes its place.
    """
    test_set, *restricted = cell.split("@")
    table = dict(SUBSETS.values()).get(restricted[0], "accuracy") if restricted else "accuracy"
    return published("sanchez2018").table(table).cells[ROWS[row]].get(test_set)


def read_results(suite: Suite, folder: Path) -> Results:
    """Return the results in *folder* over *suite*, with the answers on the subsets of Table 1.

    Raises CrossexamError if there are none, or if the predictions of no row belong to *suite*.
    """
    kept = {path.stem: read_kept(path) for path in sorted(folder.glob("*.npz"))}
    refuse_another_suite(kept, suite, folder)
    suite, kept = without_undecided(suite, kept)
    answers, outdated, sets = answers_over(suite, kept, {})
    for row, own in kept.items():
        subsets, old = with_subsets(answers[row], own, suite)
        answers[row], outdated[row] = answers[row] | subsets, outdated[row] | old
    rows = {name: read_json(folder / f"{name}.json") for name in kept}
    return Results(suite, rows, answers, outdated, sets)


def without_undecided(suite: Suite, kept: Mapping[str, Kept]) -> tuple[Suite, dict[str, Kept]]:
    """Return *suite* and what is *kept* for it without the items whose label is left to judges."""
    decided = {
        each.name: np.array([item.info.get(STATUS) != UNDECIDED for item in each], dtype=bool)
        for each in suite
    }
    datasets = {
        each.name: replace(each, examples=tuple(compress(each, decided[each.name]))) for each in suite
    }
    rows = {}
    for row, own in kept.items():
        known = [each.name for each in suite if own.belongs_to(each)]
        rows[row] = own._replace(
            predicted={**own.predicted, **{name: own.predicted[name][:, decided[name]] for name in known}},
            content_hashes={**own.content_hashes, **{name: hash_of(datasets[name]) for name in known}},
        )
    return replace(suite, datasets=datasets), rows


def with_subsets(
    answers: Mapping[str, Answers], kept: Kept, suite: Suite
) -> tuple[dict[str, Answers], frozenset[str]]:
    """Return the answers on the subsets of Table 1, ``SET@SUBSET``, and on their controls.

    ``CONTROL@SET@SUBSET`` are the controls of the items of the subset.  The names of what cannot be told,
    because predictions belong to another version of a set, are the second result.
    """
    run = kept.runs_over(suite)[0]
    known = {
        (run.datasets[name].entry.construction, factor): items
        for (name, factor), items in subset_items(run).items()
    }
    found: dict[str, Answers] = {}
    old: set[str] = set()
    for kind, factor in ((kind, factor) for factor, kinds in TESTED.items() for kind in kinds):
        control = SWAPS[kind].control
        for whole in (kind, *([f"{control}@{kind}"] if control else [])):
            name = f"{whole}@{SUBSETS[factor][0]}"
            if (kind, factor) in known and whole in answers:
                found[name] = at(answers[whole], known[kind, factor])
            else:
                old.add(name)
    return found, frozenset(old)


def sizes(suite: Suite) -> list[str]:
    """Return the lines of the table of items and rejections per set."""
    lines = ["| set | items | of | rejected, by reason |", "| --- | ---: | ---: | --- |"]
    by_kind = {dataset.name.partition(".")[0]: dataset for dataset in suite}
    for name in SWAPS:
        counts = by_kind[name].manifest["yield"]
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in counts["rejected"].items())
        lines.append(f"| `{name}` | {counts['items']:,} | {counts['examples']:,} | {reasons} |")
    return lines


def page(suite: Suite, folder: Path) -> str:
    """Return RESULTS.md from the predictions in *folder*; raises CrossexamError if there are none."""
    results = read_results(suite, folder)
    document = tomllib.loads((HERE / "findings.toml").read_text(encoding="utf-8"))
    deviations, findings = read_statements(document, HERE / "findings.toml")
    runs = [read_kept(folder / f"{row}.npz").runs_over(suite)[0] for row in results.rows]
    measured = results_of([by_status(run) for run in runs], ReportOptions(alpha=ALPHA))
    commands = [BUILD, *(row["command"] for row in results.rows.values())]
    parts = [
        *opening(HERE / "preface.md", deviations, results),
        text.markdown_table(findings_table(judged(published_share, results, findings, deviations))),
        "## Items\n\n" + "\n".join(sizes(suite)),
        *(text.markdown_table(table) for table in (behaviour_table(measured), factor_table(measured))),
        "## Commands\n\n```\n" + "\n".join(commands) + "\n```",
    ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Build the suite, run the models that are given, and write RESULTS.md from the predictions kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="folder for test sets and runs")
    parser.add_argument(
        "--model", action="append", default=[], metavar="ROW=MODEL", help="a model to run; repeatable"
    )
    given = parser.parse_args()
    try:
        print(f"written: {reproduce(given.work.resolve(), given.model)}")
    except CrossexamError as error:
        sys.exit(f"error: {error}")


def reproduce(work: Path, models: Sequence[str]) -> Path:
    """Build the suite in *work*, run the *models*, ROW=MODEL, and write RESULTS.md; return its path.

    Raises CrossexamError if a model has no row, or if there are no predictions for the suite.
    """
    work.mkdir(parents=True, exist_ok=True)
    if nameless := [model for model in models if "=" not in model]:
        raise CrossexamError(f"'{nameless[0]}' has no row", where="--model", wanted="ROW=MODEL")
    carry_out(shlex.split(BUILD), work)
    for row, _, model in (each.partition("=") for each in models):
        run_model(row, model, work, HERE / "results")
    path = HERE / "RESULTS.md"
    path.write_text(page(read_suite(work / "swaps"), HERE / "results"), encoding="utf-8")
    return path


if __name__ == "__main__":
    main()
