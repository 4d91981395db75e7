"""Swap word pairs in the SNLI subset and run models trained on it over the swapped items.

    python reproductions/sanchez2018/run.py --work DIR --model esim=zoo/FOLDER --model dam=zoo/FOLDER ...

The findings are stated for the rows *ce*, *dam* and *esim*; a model without a row is only in the tables.
Hypernyms are those of Baroni et al. (2012), as in the paper; antonyms are WordNet's, since the opposites of
Mohammad et al. (2013) are not available.  Corpora and lists are read from CROSSEXAM_DATA.  Writes RESULTS.md.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1]))
from commands import carry_out
from findings import AllAnswers, Answers, Finding
from page import findings_table
from results import found

from crossexam.constructions.word_pair_swaps import SWAPS
from crossexam.core.dataset import Run
from crossexam.core.test_sets import read_suite
from crossexam.evaluation.behaviour import Factor, subset_items
from crossexam.evaluation.scores import score_run
from crossexam.evaluation.verified import by_status
from crossexam.published.figures import published
from crossexam.reports import text
from crossexam.reports.analyses.behaviour import behaviour_table, factor_table
from crossexam.reports.results import results_of
from crossexam.runs.saved import read_run

HERE = Path(__file__).parent
BASE = "$CROSSEXAM_DATA/snli/snli_1.0_train_subset.jsonl"
PAIRS = "--pairs antonym=wordnet --pairs hypernym=$CROSSEXAM_DATA/lexical/baroni2012.tsv"
BUILD = f"crossexam build behaviour --base {BASE} {PAIRS} -o swaps"
#: The rows of the findings, by their name in the paper's tables.
ROWS: Final = {"ce": "CE", "dam": "DAM", "esim": "ESIM"}
#: How expressions call the subsets of Table 1, and the paper's table of each.
SUBSETS: Final[Mapping[Factor, tuple[str, str]]] = {
    "insensitivity": ("changed", "insensitivity"),
    "unseen pairs": ("unseen", "unseen"),
    "polarity": ("against", "polarity"),
}


def run_over(model: str, work: Path) -> Run:
    """Return the run of *model*, stored in *work*."""
    folder = f"swap-runs/{model.replace('/', '-')}"
    carry_out(["crossexam", "run", model, "swaps", "-o", folder], work)
    return read_run(work / folder)


def read_findings() -> list[Finding]:
    """Return what the paper says of its models."""
    document = tomllib.loads((HERE / "findings.toml").read_text(encoding="utf-8"))
    return [
        Finding(**{key: tuple(value) if isinstance(value, list) else value for key, value in each.items()})
        for each in document["findings"]
    ]


def published_share(row: str, cell: str) -> float | None:
    """Return the paper's accuracy for *row* on a set, or a subset, of Table 1; None if it has none."""
    test_set, _, subset = cell.partition("@")
    table = dict(SUBSETS.values())[subset] if subset else "accuracy"
    return published("sanchez2018").table(table).cells[ROWS[row]].get(test_set)


def answers_of(run: Run) -> dict[str, Answers]:
    """Return what a model answered, by set and subset.

    An item and its control are one cluster, so that differences are paired.
    """
    scored, answers = score_run(run), {}
    for name, here in scored.items():
        kind = run.datasets[name].entry.construction
        answers[kind] = Answers(here.gold, here.predicted[None], here.clusters)
    for (name, factor), kept in subset_items(run).items():
        gold, predicted, premises = answers[kind := run.datasets[name].entry.construction]
        answers[f"{kind}@{SUBSETS[factor][0]}"] = Answers(gold[kept], predicted[:, kept], premises[kept])
    return answers


def findings_of(answers: AllAnswers) -> str:
    """Return the table of the findings, in the paper and here."""
    return text.markdown_table(
        findings_table([found(published_share, answers, each) for each in read_findings()])
    )


def sizes(work: Path) -> list[str]:
    """Return the lines of the table of items and rejections per set."""
    lines = ["| set | items | of | rejected, by reason |", "| --- | ---: | ---: | --- |"]
    by_kind = {dataset.name.partition(".")[0]: dataset for dataset in read_suite(work / "swaps")}
    for name in SWAPS:
        counts = by_kind[name].manifest["yield"]
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in counts["rejected"].items())
        lines.append(f"| `{name}` | {counts['items']:,} | {counts['examples']:,} | {reasons} |")
    return lines


def _commands(models: Sequence[str]) -> list[str]:
    """Return the command that wrote the page, after those that it runs itself."""
    chosen = " ".join(f"--model {each}" for each in models)
    return [
        BUILD,
        "crossexam run MODEL swaps -o swap-runs/MODEL",
        f"python reproductions/sanchez2018/run.py --work DIR {chosen}",
    ]


def main() -> None:
    """Build the suite, run the models and write RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument(
        "--model", action="append", required=True, metavar="[ROW=]MODEL", help="a model to run; repeatable"
    )
    given = parser.parse_args()
    work = given.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    carry_out(shlex.split(BUILD), work)
    named = [(row, model) for row, _, model in (each.rpartition("=") for each in given.model)]
    runs = [(row, run_over(model, work)) for row, model in named]
    results = results_of([by_status(run) for _, run in runs])
    answers = {row: answers_of(run) for row, run in runs if row in ROWS}
    parts = [
        (HERE / "preface.md").read_text(encoding="utf-8").rstrip(),
        findings_of(answers),
        "## Items\n\n" + "\n".join(sizes(work)),
        *(text.markdown_table(table) for table in (behaviour_table(results), factor_table(results))),
        "## Commands\n\n```\n" + "\n".join(_commands(given.model)) + "\n```",
    ]
    (HERE / "RESULTS.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(f"written: {HERE / 'RESULTS.md'}")


if __name__ == "__main__":
    main()
