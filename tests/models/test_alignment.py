"""Alignment of words by the share of characters they have in common, and its weights."""

import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from crossexam.models import alignment


def test_alignment_features_by_hand() -> None:
    # Best premise words: bob "rob" 1 - 1/3; never "and" 1 - 4/5; eats 1; soup "rob" 1 - 3/4.
    row = alignment.unaligned_shares([("Ann and Rob eats.", "Bob never eats soup.")])[0]
    by_class = dict(zip(alignment.CLASSES, row, strict=True))
    assert by_class["negation"] == pytest.approx((1 - 1 / 5) / 4)
    assert by_class["open"] == pytest.approx((1 / 3 + 0 + 3 / 4) / 4)  # the first word may be no name
    assert by_class["name"] == by_class["number"] == 0
    row = alignment.unaligned_shares([("Ann and Rob eats.", "And Bob eats.")])[0]
    assert dict(zip(alignment.CLASSES, row, strict=True))["name"] == pytest.approx((1 / 3) / 3)
    answers = alignment.predict([("It rains.", "It does not rain."), ("", "x"), ("x", "")])
    assert (answers[:, 2] == 0).all()


def test_alignment_has_the_accuracy_on_rte_that_its_file_claims(shared_data: Path) -> None:
    with zipfile.ZipFile(shared_data / "nltk_data" / "corpora" / "rte.zip") as opened:
        root = ElementTree.fromstring(opened.read("rte/rte3_test.xml"))
    items = list(root.iter("pair"))
    answers = alignment.predict([(p.findtext("t", "").strip(), p.findtext("h", "").strip()) for p in items])
    entailed = np.array([p.get("entailment") == "YES" for p in items])
    accuracy = float(((answers[:, 0] > 0.5) == entailed).mean())
    assert len(items) == 800
    assert accuracy == alignment.fitted_weights()["accuracy_rte3_test"]
    assert accuracy > alignment.fitted_weights()["published_accuracy_rte3_test"]  # 61.125 %
