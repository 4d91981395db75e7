"""Train the models of Nie et al. (2019) on the SNLI subset and run them over the compositionality tests.

    python reproductions/nie2019/run.py --work DIR [ROW...] [--only STEP...] [--limit N]

Corpora and vectors are read from CROSSEXAM_DATA.  If snli:train and multinli:train are installed, the
bag-of-words model that selects CS_lambda is fitted on them as in the paper; otherwise builtin/bag-of-words is
used, which is fitted on a twentieth of them.  Predictions of fine-tuned models in predictions/ are evaluated
if they are installed.  Every command is printed before it runs; what is finished is skipped.  Writes results/
and RESULTS.md.  The step judge needs no model: it writes RESULTS.md from the predictions in results/.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from commands import carry_out
from results import name_in_expressions
from steps import main

from crossexam.core.dataset import Dataset, Run, Suite
from crossexam.core.estimate import Estimate
from crossexam.core.labels import LABELS, Label
from crossexam.corpora.installed import data_folder
from crossexam.corpora.spec import CorpusSpec
from crossexam.evaluation.lexically_misleading import STEPS, misled_parts
from crossexam.models.table import open_model
from crossexam.reports.table import Column, Table
from crossexam.reports.text import markdown_table

HERE = Path(__file__).parent
PAPER = tomllib.loads((HERE / "expectations.toml").read_text(encoding="utf-8"))
PREDICTIONS = {
    "RoBERTa-base, seed 0": "SNLI_dev_roberta-base_0.json",
    "RoBERTa-base, seed 1": "SNLI_dev_roberta-base_1.json",
    "BERT-base": "SNLI_dev_bert-base-uncased_0.json",
}
ORDER = [0, 2, 1]  # the files have entailment, contradiction, neutral
FULL = "snli:train+multinli:train"
#: The example of section 6 whose double negation needs composition, but whose words suggest the right label.
DOUBLE_NEGATION = ("We can't not go to sleep.", "We have to go to sleep.")


def has_full_corpora() -> bool:
    """Return whether the bag-of-words model can be fitted as in the paper."""
    return all(spec.installed() for spec in CorpusSpec.parse_union(FULL))


def word_model(work: Path) -> list[str]:
    """Return the option of `build` for the bag-of-words model, fitted as in the paper if possible."""
    if not has_full_corpora():
        return []
    carry_out(
        ["crossexam", "train", "bag-of-words", "--train", FULL, "--dev", "snli:dev", "-o", "words"], work
    )
    return ["--model", f"bow/{work / 'words'}"]


def figures(suite: Suite, work: Path) -> dict[str, Any]:
    """Return our counterparts of the figures in the text, and the accuracies of fine-tuned models."""
    model = f"bow/{work / 'words'}" if has_full_corpora() else "builtin/bag-of-words"
    sets = {name_in_expressions(each.entry, {}): each for each in suite}
    shares = dict(zip(LABELS, map(float, open_model(model).predict([DOUBLE_NEGATION])[0]), strict=True))
    base = sets["base"]
    nothing = Run("none", {base.name: base}, {base.name: np.full((len(base), 3), 1 / 3)})
    whole = misled_parts(nothing, [0.0])[0]
    assert whole.human is not None
    ours = {
        **{name: len(sets[name]) for name in ("so_swap", "add_amod", "cs_0_7", "cs_0_95")},
        "double_negation": round(max(shares["neutral"], shares["contradiction"]), 4),
        "human": round(100 * whole.human.expected.value, 2),
        "majority": round(100 * whole.majority.value, 2),
    }
    fitted_on = FULL if has_full_corpora() else "parts of SNLI and MultiNLI (47,872 pairs)"
    note = double_negation_note(shares)
    return {"fitted_on": fitted_on, "ours": ours, "double_negation": note, "fine_tuned": fine_tuned(base)}


def double_negation_note(shares: Mapping[Label, float]) -> str:
    """Return what the *shares* that our bag-of-words model gives the labels say of the paper's example.

    >>> double_negation_note({"entailment": 0.6, "neutral": 0.3, "contradiction": 0.1}).split(": ")[0]
    'double_negation, whose gold label is entailment'
    """
    told = ", ".join(f"{label} {share:.3f}" for label, share in shares.items())
    predicted = max(shares, key=lambda label: shares[label])
    if predicted == "entailment":
        verdict = "single words solve it, as in the paper (section 6), and no composition is needed"
    else:
        verdict = (
            f"it predicts {predicted}, so that the words mislead our model. The paper's model solves the "
            "example, and its point (section 6), that single words are enough, does not follow from ours"
        )
    return f"double_negation, whose gold label is entailment: our model gives {told}; {verdict}."


def fine_tuned(base: Dataset) -> dict[str, Any]:
    """Return the accuracies on *base* and its CS_lambda of the models that have stored predictions."""
    return {
        name: {f"{part.lam:g}": list(part.model) for part in misled_parts(run)}
        for name, run in stored_runs(base).items()
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
            runs[name] = Run(name, {base.name: dataset}, {base.name: probabilities})
    return runs


def sections(suite: Suite, work: Path) -> list[str]:
    """Return the tables of figures in the text and of fine-tuned models."""
    found = figures(suite, work)
    text = Table(
        "Figures in the text",
        (Column("figure"), Column("paper"), Column("here")),
        tuple((key, str(PAPER[key]), str(found["ours"][key])) for key in PAPER),
        (
            f"The bag-of-words model was fitted on {found['fitted_on']}, the paper's on SNLI and MultiNLI.",
            found["double_negation"],
        ),
    )
    lambdas = [f"{lam:g}" for lam in STEPS]
    tuned = Table(
        "Fine-tuned models on lexically misleading subsets",
        (Column("model"), *(Column(f"CS {lam}" if lam != "0" else "whole", "percent") for lam in lambdas)),
        tuple(
            (f"{name} ({int(parts['0'][3]):,} pairs)", *(Estimate(*parts[lam]) for lam in lambdas))
            for name, parts in found["fine_tuned"].items()
        ),
    )
    return [markdown_table(text), *([markdown_table(tuned)] if found["fine_tuned"] else [])]


if __name__ == "__main__":
    main(HERE, __doc__ or "", prepare=word_model, sections=sections)
