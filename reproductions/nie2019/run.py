"""Build the compositionality tests from SNLI dev and compare the results with the paper's figures.

    python reproductions/nie2019/run.py --work DIR

Corpora are read from CROSSEXAM_DATA.  If snli:train and multinli:train are installed, the bag-of-words model
is fitted on them as in the paper; otherwise builtin/bag-of-words is used, which is fitted on a twentieth of
them.  Predictions of fine-tuned models in predictions/ are evaluated if they are installed.  Writes
RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from crossexam.core.dataset import Dataset, Run
from crossexam.core.test_sets import read_suite
from crossexam.corpora.installed import data_folder
from crossexam.corpora.spec import CorpusSpec
from crossexam.evaluation.lexically_misleading import misled_parts
from crossexam.models.table import open_model

HERE = Path(__file__).parent
PAPER = tomllib.loads((HERE / "expectations.toml").read_text(encoding="utf-8"))
LAMBDAS = (0.5, 0.6, 0.7, 0.95)
PREDICTIONS = {
    "RoBERTa-base, seed 0": "SNLI_dev_roberta-base_0.json",
    "RoBERTa-base, seed 1": "SNLI_dev_roberta-base_1.json",
    "BERT-base": "SNLI_dev_bert-base-uncased_0.json",
}
ORDER = [0, 2, 1]  # the files have entailment, contradiction, neutral


def crossexam(*words: str, cwd: Path) -> None:
    """Print a command of crossexam and run it."""
    print("$ crossexam", *words, flush=True)
    subprocess.run(["crossexam", *words], cwd=cwd, check=True, stdout=subprocess.DEVNULL)


def word_model(work: Path) -> tuple[str, str]:
    """Return the bag-of-words model, fitted as in the paper if possible, and its training data."""
    if not all(CorpusSpec.parse(corpus).installed() for corpus in ("snli:train", "multinli:train")):
        return "builtin/bag-of-words", "parts of SNLI and MultiNLI (47,872 pairs)"
    crossexam(
        "train",
        "bag-of-words",
        "--train",
        "snli:train+multinli:train",
        "--dev",
        "snli:dev",
        "-o",
        "words",
        cwd=work,
    )
    return f"bow/{work / 'words'}", "SNLI and MultiNLI train"


def our_figures(work: Path, model: str) -> dict[str, Any]:
    """Return our counterparts of the paper's figures."""
    crossexam("build", "compositionality", "--base", "snli:dev", "-o", "composed", cwd=work)
    lambdas = [word for lam in LAMBDAS for word in ("--lambda", str(lam))]
    crossexam("subset", "cs", "--base", "snli:dev", "--model", model, *lambdas, "-o", "subsets", cwd=work)
    composed, subsets = read_suite(work / "composed"), read_suite(work / "subsets")
    pair = ("We can't not go to sleep.", "We have to go to sleep.")
    _, *wrong = open_model(model).predict([pair])[0]
    base = subsets.datasets["base.snli_dev"]
    nothing = Run("none", {base.name: base}, {base.name: np.full((len(base), 3), 1 / 3)}, {})
    whole = misled_parts(nothing, [0.0])[0]
    assert whole.human is not None
    return {
        "so_swap": len(composed.datasets["so_swap.snli_dev"]),
        "add_amod": len(composed.datasets["add_amod.snli_dev"]),
        "cs_0_7": len(subsets.datasets["cs_0_7.snli_dev"]),
        "cs_0_95": len(subsets.datasets["cs_0_95.snli_dev"]),
        "double_negation": round(float(max(wrong)), 4),
        "human": round(100 * whole.human.expected.value, 2),
        "majority": round(100 * whole.majority.value, 2),
    }


def stored_runs(base: Dataset) -> dict[str, Run]:
    """Return the runs of the fine-tuned models over the examples of *base* that have predictions."""
    runs = {}
    for name, file in PREDICTIONS.items():
        path = data_folder() / "predictions" / file
        if path.exists():
            rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
            predictions = {row["uid"]: np.array(row["probs"])[ORDER] for row in rows}
            examples = tuple(example for example in base if example.id in predictions)
            dataset = Dataset(base.name, examples, base.manifest)
            probabilities = np.stack([predictions[example.id] for example in examples])
            runs[name] = Run(name, {base.name: dataset}, {base.name: probabilities}, {})
    return runs


def tables(work: Path, fitted_on: str, ours: dict[str, Any]) -> str:
    """Return the text of RESULTS.md."""
    rows = ["| | paper | here |", "|---|---|---|"]
    rows += [f"| `{key}` | {PAPER[key]} | {ours[key]} |" for key in PAPER]
    lines = ["| model | examples | whole | CS 0.5 | CS 0.6 | CS 0.7 |", "|---|---|---|---|---|---|"]
    for name, run in stored_runs(read_suite(work / "subsets").datasets["base.snli_dev"]).items():
        parts = misled_parts(run)
        cells = [
            f"{100 * p.model.value:.1f} [{100 * p.model.low:.1f}, {100 * p.model.high:.1f}] (n = {p.size})"
            for p in parts
        ]
        lines.append(f"| {name} | {parts[0].size} | " + " | ".join(cells) + " |")
    title = "# Nie et al. 2019 on SNLI dev\n\nWritten by `python reproductions/nie2019/run.py --work DIR`. "
    about = f"The bag-of-words model was fitted on {fitted_on}; the paper's on all of SNLI and MultiNLI.\n"
    return "\n".join(
        [
            title + about,
            *rows,
            "",
            "Accuracy of fine-tuned models on lexically misleading subsets:",
            "",
            *lines,
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    work = parser.parse_args().work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    model, fitted_on = word_model(work)
    text = tables(work, fitted_on, our_figures(work, model))
    (HERE / "RESULTS.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
