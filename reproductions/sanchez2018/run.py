"""Swap word pairs in the SNLI subset and run models trained on it over the swapped items.

    python reproductions/sanchez2018/run.py --work DIR --model zoo/FOLDER ...

Hypernyms are those of Baroni et al. (2012), as in the paper; antonyms are WordNet's, since the opposites of
Mohammad et al. (2013) are not available.  Corpora and lists are read from CROSSEXAM_DATA.  Writes RESULTS.md.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from commands import carry_out

from crossexam.constructions.word_pair_swaps import SWAPS
from crossexam.core.dataset import Run
from crossexam.core.test_sets import read_suite
from crossexam.evaluation.verified import by_status
from crossexam.reports import text
from crossexam.reports.behaviour import behaviour_table, factor_table
from crossexam.reports.results import results_of
from crossexam.runs.folder import read_run

HERE = Path(__file__).parent
BASE = "$CROSSEXAM_DATA/snli/snli_1.0_train_subset.jsonl"
PAIRS = "--pairs antonym=wordnet --pairs hypernym=$CROSSEXAM_DATA/lexical/baroni2012.tsv"
BUILD = f"crossexam build behaviour --base {BASE} {PAIRS} -o swaps"


def run_over(model: str, work: Path) -> Run:
    """Return the run of *model*, stored in *work*, with items of proposed labels as separate test sets."""
    folder = f"swap-runs/{model.replace('/', '-')}"
    carry_out(["crossexam", "run", model, "swaps", "-o", folder], work)
    return by_status(read_run(work / folder))


def sizes(work: Path) -> list[str]:
    """Return the lines of the table of items and rejections per set."""
    lines = ["| set | items | of | rejected, by reason |", "| --- | ---: | ---: | --- |"]
    by_kind = {dataset.name.partition(".")[0]: dataset for dataset in read_suite(work / "swaps")}
    for name in SWAPS:
        counts = by_kind[name].manifest["yield"]
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in counts["rejected"].items())
        lines.append(f"| `{name}` | {counts['items']:,} | {counts['examples']:,} | {reasons} |")
    return lines


def main() -> None:
    """Build the suite, run the models and write RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", action="append", required=True, help="a model to run; repeatable")
    given = parser.parse_args()
    work = given.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    carry_out(shlex.split(BUILD), work)
    results = results_of([run_over(model, work) for model in given.model])
    parts = [
        (HERE / "preface.md").read_text(encoding="utf-8").rstrip(),
        f"```\n{BUILD}\ncrossexam run MODEL swaps -o runs/MODEL\n```",
        "## Items\n\n" + "\n".join(sizes(work)),
        *(text.markdown_table(table) for table in (behaviour_table(results), factor_table(results))),
    ]
    (HERE / "RESULTS.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(f"written: {HERE / 'RESULTS.md'}")


if __name__ == "__main__":
    main()
