"""Train the baselines of Zhang et al. (2020) on the SNLI subset and run them over the installed corpora.

    python reproductions/zhang2020/run.py --work DIR [--model zoo/FOLDER ...]

Corpora and vectors are read from CROSSEXAM_DATA.  Each --model is run in addition to Majority, HOM and RF.
Nothing is selected on a test split: the recipes are the defaults.  Every command is printed.  Writes
RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from pathlib import Path

from crossexam.core.dataset import Run
from crossexam.core.test_sets import read_suite
from crossexam.evaluation.cross_dataset import about
from crossexam.published.figures import published
from crossexam.reports.analyses.cross_dataset import corpus_table, score_table
from crossexam.reports.results import results_of
from crossexam.reports.table import Table
from crossexam.reports.text import markdown_table
from crossexam.runs.saved import read_run
from crossexam.suites.cross_dataset_corpora import MEMBERS

HERE = Path(__file__).parent
TRAIN = "$CROSSEXAM_DATA/snli/snli_1.0_train_subset.jsonl"
VECTORS = "$CROSSEXAM_DATA/vectors/googlenews_word2vec_8000x300.txt.gz"
ON = f"--train {TRAIN} --dev snli:dev --test snli:test"
COMMANDS = {
    "hom": f"crossexam train hom {ON} -o hom",
    "rf": f"crossexam train random-forest {ON} --vectors {VECTORS} -o rf",
    "suite": "crossexam build cross-dataset -o fourteen",
}
BASELINES = ("builtin/majority", "builtin/neutral", "hom/hom", "rf/rf")
#: Rows of the paper's Table 5 by the name of our counterpart.
PUBLISHED_ROWS = {
    "builtin/majority": "Majority",
    "hom/hom": "HOM",
    "rf/rf": "RF",
    "zoo/snli/lstm/seed-0": "LSTM",
    "zoo/snli/infersent": "InferSent",
    "zoo/snli/disan": "DiSAN",
    "zoo/snli/hbmp": "HBMP",
    "zoo/snli/decomposable_attention/seed-0": "DAM",
    "zoo/snli/bimpm": "BiMPM",
    "zoo/snli/diin": "DIIN",
    "zoo/snli/esim": "ESIM",
}

#: Rows of Table 3 by the folder of our counterpart.
DEBIASED = {
    "bilstm_max": "BiLSTM",
    "bilstm_max_adv": "adv",
    "bilstm_max_drift": "drift",
    "bilstm_max_learned_mixin": "learned-mixin",
    "bilstm_max_learned_mixin_h": "learned-mixin-h",
    "bilstm_max_weighting": "weighting",
}


def carry_out(command: str, work: Path) -> None:
    """Print a command and run it; raises CalledProcessError."""
    print("$", command, flush=True)
    subprocess.run(
        [os.path.expandvars(word) for word in command.split()],
        cwd=work,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def run_over(model: str, work: Path) -> Run:
    """Return the run of *model* over the suite, stored in *work*."""
    folder = f"fourteen-runs/{model.replace('/', '-').strip('-')}"
    carry_out(f"crossexam run {model} fourteen -o {folder}", work)
    return read_run(work / folder)


def corpora(work: Path) -> list[str]:
    """Return the lines of the table of corpora: sizes here and in Table 4, and differences."""
    lines = ["| corpus | validation, test | Table 4 | differences |", "| --- | --- | --- | --- |"]
    suite = read_suite(work / "fourteen")
    there = {place["key"]: (place, len(dataset)) for dataset in suite if "key" in (place := about(dataset))}
    for key, member in MEMBERS.items():
        published_sizes = " / ".join(f"{size:,}" for size in member.sizes)
        if key not in there:
            lines.append(f"| {member.title} | not installed | {published_sizes} | |")
            continue
        place, size = there[key]
        validation = _validation_rows(work, key)
        differences = "; ".join(place["differences"])
        differences += f" ({member.known})" if differences and member.known else ""
        lines.append(f"| {member.title} | {validation:,} / {size:,} | {published_sizes} | {differences} |")
    return lines


def _validation_rows(work: Path, key: str) -> int:
    split = json.loads((work / "fourteen" / "splits" / f"{key}.json").read_text(encoding="utf-8"))
    return int(split["validation"]["rows"])


def accuracies(runs: list[Run]) -> list[str]:
    """Return the lines of the table of accuracies by corpus, with the paper's row below each of ours."""
    table = published("zhang2020").table("accuracy")
    models = results_of(runs).models
    keys = [key for key in MEMBERS if any(about(d).get("key") == key for d in runs[0].datasets.values())]
    titles = [MEMBERS[key].title for key in keys]
    lines = [f"| | {' | '.join(titles)} | mean | SNLI |", "| --- |" + " --- |" * (len(titles) + 2)]
    for model in models:
        found = {r.part: r.accuracy.value for r in model.results}
        row = [100 * found[key] for key in keys]
        snli = 100 * found["snli_test"]
        lines.append(_line(model.name, row, snli))
        system = PUBLISHED_ROWS.get(model.run.model)
        if system:
            theirs = [table.value(system, key) or 0.0 for key in keys]
            lines.append(_line(f"*{system}, published*", theirs, table.value(system, "snli_test") or 0.0))
    return lines


def _line(name: str, row: list[float], snli: float) -> str:
    cells = " | ".join(f"{each:.1f}" for each in [*row, sum(row) / len(row), snli])
    return f"| {name} | {cells} |"


def debiasing(runs: list[Run]) -> list[str]:
    """Return the lines of the counterpart of Table 3: SNLI, the mean, and both relative to the base."""
    found = {}
    for model in results_of(runs).models:
        row = next((part for part in model.run.model.split("/") if part in DEBIASED), None)
        score = model.benchmark
        if row is not None and score is not None and score.reference is not None:
            found[row] = (100 * score.reference.value, 100 * score.mean.value)
    if len(found) < 2 or "bilstm_max" not in found:
        return []
    table, base = published("zhang2020").table("debiasing"), found["bilstm_max"]
    lines = [
        "| | SNLI | relative | mean | relative | published SNLI | relative | mean | relative |",
        "| --- |" + " --- |" * 8,
    ]
    for row, (snli, mean) in found.items():
        ours = f"{snli:.1f} | {_change(snli, base[0])} | {mean:.1f} | {_change(mean, base[1])}"
        theirs = (table.value(DEBIASED[row], column) for column in table.columns)
        cells = " | ".join("–" if figure is None else f"{figure:.1f}" for figure in theirs)
        lines.append(f"| {DEBIASED[row]} | {ours} | {cells} |")
    return lines


def _change(after: float, before: float) -> str:
    return "–" if after == before else f"{100 * (after / before - 1):+.1f} %"


def main() -> None:
    """Train the baselines, build the suite, run the models and write RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", action="append", default=[], help="another model to run; repeatable")
    given = parser.parse_args()
    work = given.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    for command in COMMANDS.values():
        carry_out(command, work)
    runs = [run_over(model, work) for model in (*BASELINES, *given.model)]
    results = results_of(runs)
    tables: list[Table] = [score_table(results), corpus_table(results)]
    preface = (HERE / "preface.md").read_text(encoding="utf-8")
    commands = "\n".join(COMMANDS.values())
    parts = [
        preface.rstrip(),
        f"```\n{commands}\ncrossexam run MODEL fourteen -o runs/MODEL\n```",
        "## Corpora\n\n" + "\n".join(corpora(work)),
        "## Accuracy by corpus\n\n" + "\n".join(accuracies(runs)),
        "## Debiasing\n\nOne seed each, compared with Table 3.\n\n" + "\n".join(debiasing(runs)),
        *(markdown_table(table) for table in tables),
    ]
    (HERE / "RESULTS.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(f"written: {HERE / 'RESULTS.md'}")


if __name__ == "__main__":
    main()
