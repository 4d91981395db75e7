"""Selective prediction: items without an answer; its figures are among the golden ones."""

import numpy as np
import pytest

from crossexam.core import stretches
from crossexam.stats.selective import risk_coverage


def test_items_without_an_answer_are_abstained_first() -> None:
    wrong, sure = np.array([1, 0, 0, 1]), np.array([np.nan, 0.9, 0.8, 0.7])
    curve = risk_coverage(wrong, sure)
    assert curve.coverage.tolist() == [0.25, 0.5, 0.75]
    assert curve.risk == pytest.approx([0, 0, 1 / 3])
    assert np.isnan(curve.accuracy_at(0.8).value)  # 3 of 4 items have an answer
    assert curve.accuracy_at(0.75).value == pytest.approx(2 / 3)
    assert curve.coverage_at(0.05).value == 0.5
    assert np.isnan(risk_coverage([1, 1], [np.nan, np.nan]).area.value)


def test_a_curve_does_not_depend_on_how_many_items_are_taken_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    sure, codes = rng.random(500).round(2), np.arange(500) // 3
    wrong = rng.random(500) > sure
    whole = risk_coverage(wrong, sure, codes)
    monkeypatch.setattr(stretches, "AT_ONCE", 7)
    found = risk_coverage(wrong, sure, codes)
    assert found.risk.tolist() == whole.risk.tolist()
    assert found.sizes.tolist() == whole.sizes.tolist()
