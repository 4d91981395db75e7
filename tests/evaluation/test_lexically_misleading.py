"""Accuracy where single words mislead: parts of a base, and the curve."""

import re

import pytest

from crossexam.core.dataset import Run
from crossexam.core.labels import LABELS
from crossexam.evaluation.lexically_misleading import CURVE, misled_parts
from crossexam.reports.analyses.lexically_misleading import misleading_charts
from crossexam.reports.results import results_of
from crossexam.runs.run import predict_suite
from crossexam.suites.bases import base_from_spec
from crossexam.suites.build import build_in_memory
from crossexam.suites.lexically_misleading import SCORE
from crossexam.suites.table import suite_request
from made.runs import dataset, run_of

SCORES = (0.1, 0.2, 0.55, 0.65, 0.75, 0.95)


def made(said: str, *, scores: bool = True, votes: str = "555533", name: str = "base.x") -> Run:
    """Six pairs of rising score; of five annotators, so many are for the gold label."""
    golds, info = "ENNCNE", []
    for score, gold, count in zip(SCORES, golds, votes or "-" * 6, strict=True):
        place = "ENC".index(gold)
        labels = [LABELS[place]] * int(count) + [LABELS[(place + 1) % 3]] * (5 - int(count)) if votes else []
        info.append(({SCORE: score} if scores else {}) | ({"annotator_labels": labels} if labels else {}))
    return run_of({name: said}, dataset(name, golds, info=info), model="mine")


def test_sizes_accuracies_majority_and_annotators_by_hand() -> None:
    whole, half, *_, last = parts = misled_parts(made("ENNENE"))
    assert [part.lam for part in parts] == [0.0, 0.5, 0.6, 0.7]
    assert (whole.size, half.size, last.size) == (6, 4, 2)
    assert whole.model.value == 5 / 6  # "E" for the contradiction
    assert half.model.value == 3 / 4
    assert whole.majority.value == 3 / 6  # neutral
    assert whole.human.expected.value == pytest.approx((4 * 1 + 2 * 3 / 5) / 6)
    assert last.human.expected.value == pytest.approx(3 / 5)
    assert (whole.voted, whole.votes) == (6, {5: 6})
    nobody = misled_parts(made("ENNENE", votes=""))[0]
    assert (nobody.human, nobody.voted) == (None, 0)
    assert misled_parts(made("ENNENE", scores=False)) == misled_parts(made("ENNENE", name="negation.x")) == []


def test_the_page_draws_the_curve() -> None:
    suite = build_in_memory(suite_request("compositionality", [base_from_spec("builtin:demo")]))
    run = predict_suite("builtin/overlap", suite)
    ((_, drawings),) = misleading_charts(results_of([run])).figures
    curve, _ = (str(drawing.svg()) for drawing in drawings.values())
    parts = [each for each in misled_parts(run, CURVE) if each.size >= 10]
    (points,) = re.findall(r'<polyline points="([^"]*)" class="curve one"', curve)
    places = [tuple(map(float, point.split(","))) for point in points.split(" ")]
    shown = [((x - 40) / 300, (198 - y) / 190) for x, y in places]
    assert shown == [pytest.approx((each.lam, each.model.value), abs=1e-4) for each in parts]
