"""Run the baselines and the trained models of Zhang et al. (2020) over the installed corpora.

    python reproductions/zhang2020/run.py --work DIR [MODEL ...]

Corpora and vectors are read from CROSSEXAM_DATA.  Majority, HOM and RF are run in addition to each MODEL
(``zoo/FOLDER``, of ../zoo/train.py).  What is shown of a model is kept in results/fourteen/, and a model that
is there is not run again: RESULTS.md is written of all that are there.  Nothing is selected on a test split:
the recipes are the defaults.  Every command is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crossexam.core.dataset import Run
from crossexam.core.estimate import Estimate
from crossexam.core.files import read_json, write_json
from crossexam.core.test_sets import read_suite
from crossexam.evaluation.cross_dataset import about
from crossexam.published.figures import published
from crossexam.reports.results import results_of
from crossexam.runs.saved import read_run
from crossexam.suites.cross_dataset_corpora import MEMBERS

HERE = Path(__file__).parent
TRAIN = "$CROSSEXAM_DATA/snli/snli_1.0_train_subset.jsonl"
VECTORS = "$CROSSEXAM_DATA/vectors/googlenews_word2vec_8000x300.txt.gz"
ON = f"--train {TRAIN} --dev snli:dev --test snli:test"
SUITE = "crossexam build cross-dataset -o fourteen"
TRAININGS = {
    "hom/hom": f"crossexam train hom {ON} -o hom",
    "rf/rf": f"crossexam train random-forest {ON} --vectors {VECTORS} -o rf",
}
KEPT = HERE / "results" / "fourteen"
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


def keep(run: Run) -> None:
    """Write what the tables show of a run, percentages with their intervals, to results/fourteen/."""
    (model,) = results_of([run]).models
    score = model.benchmark
    assert score is not None
    found = {result.part: result.accuracy for result in model.results}
    figures = {"mean": score.mean, "snli": score.reference, "difference": score.difference}
    figures["relative"] = score.relative
    document = {
        "model": run.model,
        "accuracy": {key: _percent(found[key]) for key in MEMBERS if key in found},
        **{name: _percent(figure) for name, figure in figures.items()},
    }
    write_json(_path(run.model), document)


def _path(model: str) -> Path:
    return KEPT / f"{model.replace('/', '-')}.json"


def _percent(figure: Estimate | None) -> list[float]:
    assert figure is not None
    return [round(100 * number, 1) for number in (figure.value, figure.low, figure.high)]


def kept() -> list[Mapping[str, Any]]:
    """Return what is known of the models: those of the paper's Table 5 in its order, then the others."""
    found = {each["model"]: each for path in sorted(KEPT.glob("*.json")) if (each := read_json(path))}
    debiased = [f"zoo/snli/{name}/seed-0" for name in DEBIASED]
    first = ["builtin/majority", "builtin/neutral", *list(PUBLISHED_ROWS)[1:], *debiased]
    return [found[name] for name in (*first, *(name for name in found if name not in first)) if name in found]


def accuracies(models: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of the table of accuracies by corpus, with the paper's row below each of ours."""
    table = published("zhang2020").table("accuracy")
    keys = list(models[0]["accuracy"])
    titles = [MEMBERS[key].title for key in keys]
    lines = [f"| | {' | '.join(titles)} | mean | SNLI |", "| --- |" + " --- |" * (len(titles) + 2)]
    for model in models:
        row = [model["accuracy"][key][0] for key in keys]
        lines.append(_line(model["model"], [*row, model["mean"][0], model["snli"][0]]))
        if system := PUBLISHED_ROWS.get(model["model"]):
            theirs = [table.value(system, key) or 0.0 for key in keys]
            mean, snli = sum(theirs) / len(theirs), table.value(system, "snli_test") or 0.0
            lines.append(_line(f"*{system}, published*", [*theirs, mean, snli]))
    return lines


def _line(name: str, row: Sequence[float]) -> str:
    return f"| {name} | {' | '.join(f'{each:.1f}' for each in row)} |"


def intervals(models: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of the table of 95 % intervals: a row per model, the corpora and their mean."""
    keys = list(models[0]["accuracy"])
    lines = [
        f"| | {' | '.join(MEMBERS[key].title for key in keys)} | mean | mean minus SNLI | in % of SNLI |"
    ]
    lines.append("| --- |" + " --- |" * (len(keys) + 3))
    for model in models:
        shown = [model["accuracy"][key] for key in keys]
        shown += [model[name] for name in ("mean", "difference", "relative")]
        cells = (f"{low:.1f} to {high:.1f}" for _, low, high in shown)
        lines.append(f"| {model['model']} | {' | '.join(cells)} |")
    return lines


def debiasing(models: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of the counterpart of Table 3: SNLI, the mean, and both relative to the base."""
    found = {}
    for model in models:
        row = next((part for part in model["model"].split("/") if part in DEBIASED), None)
        if row is not None:
            found[row] = (model["snli"][0], model["mean"][0])
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
    """Build the suite, run the models that are not kept, and write RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", help="models to run, zoo/FOLDER")
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    work = given.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    carry_out(SUITE, work)
    for model in (*BASELINES, *given.models):
        if _path(model).exists():
            continue
        if model in TRAININGS:
            carry_out(TRAININGS[model], work)
        keep(run_over(model, work))
    models = kept()
    preface = (HERE / "preface.md").read_text(encoding="utf-8")
    commands = "\n".join([*TRAININGS.values(), SUITE, "crossexam run MODEL fourteen -o runs/MODEL"])
    parts = [
        preface.rstrip(),
        f"```\n{commands}\n```",
        "## Corpora\n\n" + "\n".join(corpora(work)),
        "## Accuracy by corpus\n\n" + "\n".join(accuracies(models)),
        f"## Debiasing\n\n{_DEBIASING}\n\n" + "\n".join(debiasing(models)),
        f"## Intervals\n\n{_INTERVALS}\n\n" + "\n".join(intervals(models)),
    ]
    (HERE / "RESULTS.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(f"written: {HERE / 'RESULTS.md'}")


_DEBIASING = (
    "One seed each, compared with Table 3. Relative: to BiLSTM, in percent of it, from the rounded figures."
)
_INTERVALS = (
    "95 % intervals of the accuracies by corpus, of their plain mean, and of how far the mean is from SNLI "
    "test, in points and in percent of it. Corpora are independent, items of one premise are one cluster."
)


if __name__ == "__main__":
    main()
