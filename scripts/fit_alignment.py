"""Fit the ALIGN baseline on RTE-3 and write its weights: ``python scripts/fit_alignment.py RTE.zip``.

RTE.zip is NLTK's corpus package "rte" (PASCAL RTE 1 to 3).  The strength of the regularisation is
chosen by ten-fold cross-validation on the development set alone; the test set is only scored.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from crossexam.core.files import write_json
from crossexam.models.alignment import CLASSES, unaligned_shares

TARGET = Path(__file__).parents[1] / "src" / "crossexam" / "models" / "alignment_rte3.json"
STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)


def read_rte(archive: Path, name: str) -> tuple[list[tuple[str, str]], NDArray[np.bool_]]:
    """Return the pairs of one RTE file and which of them are entailed."""
    with zipfile.ZipFile(archive) as opened:
        root = ElementTree.fromstring(opened.read(f"rte/{name}.xml"))
    pairs = [((p.findtext("t") or "").strip(), (p.findtext("h") or "").strip()) for p in root.iter("pair")]
    return pairs, np.array([p.get("entailment") == "YES" for p in root.iter("pair")])


def main(archive: Path) -> None:
    pairs, entailed = read_rte(archive, "rte3_dev")
    table = unaligned_shares(pairs)

    def folds(strength: float) -> float:
        model = LogisticRegression(C=strength, max_iter=10_000)
        return float(cross_val_score(model, table, entailed, cv=10).mean())

    strength = max(STRENGTHS, key=folds)
    model = LogisticRegression(C=strength, max_iter=10_000).fit(table, entailed)
    test_pairs, test_entailed = read_rte(archive, "rte3_test")
    fitted = {
        "source": "RTE-3 development set, 800 pairs (Giampiccolo et al., 2007), from NLTK's package rte",
        "script": "scripts/fit_alignment.py",
        "scikit_learn": sklearn.__version__,
        "inverse_regularisation": strength,
        "accuracy_rte3_dev_ten_fold": round(folds(strength), 5),
        "accuracy_rte3_dev": round(float(model.score(table, entailed)), 5),
        "accuracy_rte3_test": round(float(model.score(unaligned_shares(test_pairs), test_entailed)), 5),
        "published_accuracy_rte3_test": 0.61125,
        "intercept": round(float(model.intercept_[0]), 6),
        "weights": {
            name: round(float(weight), 6) for name, weight in zip(CLASSES, model.coef_[0], strict=True)
        },
    }
    write_json(TARGET, fitted)
    print(TARGET.read_text())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
