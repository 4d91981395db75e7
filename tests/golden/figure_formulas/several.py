"""Two models, or more, on the same items: differences, ranks and agreement, by their formulas."""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from math import sqrt
from typing import Any

import numpy as np
from figure_formulas.answers import Answers, answers_of, too_many
from figure_formulas.intervals import (
    LEVEL,
    Array,
    Named,
    Number,
    between,
    correlations,
    equal_weights,
    figure_of,
    flipped,
    holm,
    mean,
    paired,
    share,
    sums_of,
)
from figure_formulas.probabilities import compared_probabilities
from scipy.stats import t


def comparison(data: Any, one: str, other: str) -> Iterator[Named]:
    """Yield the figures of the comparison of two models."""
    rows = {}
    for name in data["test_sets"]:
        rows[name] = dict(compared(*(answers_of(data, model, name) for model in (one, other))))
    for p in ("p", "brier_p", "log_loss_p"):
        corrected = holm([row.get(f"{p}_value|") for row in rows.values()])
        for row, each in zip(rows.values(), corrected, strict=True):
            row[f"{p}_holm|"] = each
    for name, row in rows.items():
        p_holm = row["p_holm|"]
        row["significant|alpha=0.05"] = None if p_holm is None else p_holm <= LEVEL
        for key, found in row.items():
            parts = {part: number for part, number in figure_of(found).items() if part != "n"}
            yield f"{one} against {other}|{name}|{key}", parts


def compared(a: Answers, b: Answers) -> Iterator[Named]:
    """Yield the figures of a test set but for what is corrected over all test sets."""
    answered = a.answered & b.answered
    missing = int((~answered).sum())
    one, other = (each.at(answered) for each in (a, b))
    yield "n|", int(answered.sum())
    if missing:
        yield from unanswered(a, b, missing)
    if too_many(missing, len(answered)):
        yield from (("only_a_right|", None), ("only_b_right|", None))
        return
    for side, each in (("a", one), ("b", other)):
        if ties := sum(len(best) > 1 for best in each.best):
            yield f"ties_{side}|", ties
        yield f"accuracy_{side}|", share(each.right, each.units)
    yield "only_a_right|", int((one.right & ~other.right).sum())
    yield "only_b_right|", int((other.right & ~one.right).sum())
    yield "difference|", paired(one.right, other.right, one.units)
    yield from zip(("p_value|", "p_mid|"), flipped(one.right, other.right, one.units), strict=True)
    yield from joint(one, other)
    yield from compared_probabilities(a, b)


def unanswered(a: Answers, b: Answers, missing: int) -> Iterator[Named]:
    """Yield what is missing, the bounds of the difference, and those of accuracies if they are the result."""
    only_bounds = too_many(missing, len(a.gold))
    worst, best = (
        paired(a.filled(right).right, b.filled(not right).right, a.units) for right in (False, True)
    )
    yield from (("unanswered_a|", a.missing), ("unanswered_b|", b.missing), ("unanswered|", missing))
    yield from (("labelled|", len(a.gold)), ("only_bounds|", only_bounds))
    yield from (("difference_least|", worst), ("difference_most|", best))
    if only_bounds:
        for side, each in zip("ab", (a, b), strict=True):
            least, most = (share(end.right, each.units) for _, end in each.ends)
            yield from ((f"accuracy_{side}_least|", least), (f"accuracy_{side}_most|", most))
            yield f"accuracy_{side}|", between(least, most)
        yield "difference|", between(worst, best)


def joint(a: Answers, b: Answers) -> Iterator[Named]:
    """Yield what both get right and wrong, and the differences over keys."""
    easy, hard = a.right & b.right, ~a.right & ~b.right
    yield from (("both_right|", int(easy.sum())), ("both_wrong|", int(hard.sum())))
    yield from ((f"both_{'-'.join(kind)}|", 0) for kind in permutations("ENC", 2))  # also of two labels
    for gold, predicted in permutations(a.labels, 2):
        same = (a.gold == gold) & (a.predicted == predicted) & (b.predicted == predicted)
        yield f"both_{gold[0].upper()}-{predicted[0].upper()}|", int(same.sum())
    if a.stated is not None:
        yield "keys|", len(set(a.stated))
        yield from (("easy_keys|", len(set(a.stated[easy]))), ("hard_keys|", len(set(a.stated[hard]))))
        yield "difference_over_keys|", paired(a.right, b.right, a.units, equal_weights(a.stated))
        yield "difference_over_items|", paired(a.right, b.right, a.units)


def together(data: Any, models: Sequence[str], name: str) -> tuple[dict[str, Answers], int]:
    """The items that all answered, without the models that leave out too many, and the number of these."""
    given = {model: answers_of(data, model, name) for model in models}
    while True:
        answered = np.all([each.answered for each in given.values()], axis=0)
        if not too_many(int((~answered).sum()), len(answered)):
            return {model: each.at(answered) for model, each in given.items()}, len(models) - len(given)
        del given[max(given, key=lambda model: given[model].missing)]


def several(data: Any) -> Iterator[Named]:
    models = data["models"]
    counted = []
    for name in data["test_sets"]:
        answers, left_out = together(data, models, name)
        accuracies = {model: share(each.right, each.units) for model, each in answers.items()}
        tests = {}
        for (one, a), (other, b) in combinations(answers.items(), 2):
            tests[one, other] = paired(a.right, b.right, a.units), flipped(a.right, b.right, a.units)[0]
            yield from agreement(f"{one}|{name}", other, a, b)
        planned = len(list(combinations(models, 2))) - len(tests)
        yield from ranking(name, accuracies, tests, planned)
        yield from alone(name, answers)
        for model in set(models) - set(answers):
            yield f"{model}|{name}|left_out_of_ranking|", 1
        if not left_out and "(proposed)" not in name:
            counted.append(list(answers.values()))
    yield from mean_ranking(models, counted)


def ranking(
    name: str,
    accuracies: dict[str, Number],
    tests: dict[tuple[str, str], tuple[Number, float]],
    untested: int,
) -> Iterator[Named]:
    apart = set()
    corrected = holm([p for _, p in tests.values()] + [None] * untested)[: len(tests)]
    for ((one, other), (difference, p)), p_holm in zip(tests.items(), corrected, strict=True):
        key = f"{one}|{name}|model_difference"
        assert p_holm is not None
        yield f"{key}|{other}", difference
        yield f"{key}_p_value|{other}", p
        yield f"{key}_p_holm|{other}", p_holm
        yield f"{key}_significant|{other}", int(p_holm <= LEVEL)
        apart |= {(one, other), (other, one)} if p_holm <= LEVEL else set()
    value = {model: round(number.value, 12) for model, number in accuracies.items()}
    order = sorted(value, key=lambda model: -value[model])
    for model, number in accuracies.items():
        better = [other for other in value if value[other] > value[model]]
        worse = [other for other in value if value[other] < value[model]]
        low = 1 + sum((model, other) in apart for other in better)
        high = len(value) - sum((model, other) in apart for other in worse)
        yield f"{model}|{name}|ranked_accuracy|", number
        yield f"{model}|{name}|rank|", {"value": 1 + len(better), "low": low, "high": high}
    alike = [
        set(chosen)
        for size in range(1, len(order) + 1)
        for chosen in combinations(range(len(order)), size)
        if not any((order[i], order[j]) in apart for i, j in combinations(chosen, 2))
    ]
    largest = sorted(sorted(each) for each in alike if not any(each < other for other in alike))
    for letter, group in zip("abc", largest, strict=False):
        for place in group:
            yield f"{order[place]}|{name}|rank_group|{letter}", 1


def mean_ranking(models: Sequence[str], sets: Sequence[Sequence[Answers]]) -> Iterator[Named]:
    """The means over test sets, whose parts are correlated by the premises and word pairs that they share."""
    units = [each[0].units for each in sets]

    def mean_of(parts: Sequence[Number], values: Sequence[Array], low: float) -> Number:
        r = np.maximum(0.0, correlations(list(zip(values, units, strict=True))))
        np.fill_diagonal(r, 1.0)
        value = float(np.mean([part.value for part in parts]))
        below = np.array([part.value - part.low for part in parts])
        above = np.array([part.high - part.value for part in parts])
        down, up = (sqrt(float(each @ r @ each)) / len(parts) for each in (below, above))
        return Number(value, max(low, value - down), min(1.0, value + up), sum(part.n for part in parts))

    right = {model: [each[place].right for each in sets] for place, model in enumerate(models)}
    accuracies, tests = {}, {}
    for model, marks in right.items():
        parts = [share(each, of_set) for each, of_set in zip(marks, units, strict=True)]
        accuracies[model] = mean_of(parts, [each.astype(float) for each in marks], 0.0)
    for one, other in combinations(models, 2):
        marks = list(zip(right[one], right[other], units, strict=True))
        values = [a.astype(float) - b for a, b, _ in marks]
        # by premise; by word pair, and by premise where there are none
        p = max(t_of_sums(values, [of_set[way] for of_set in units]) for way in (0, -1))
        tests[one, other] = mean_of([paired(*each) for each in marks], values, -1.0), p
    yield from ranking("(mean of test sets)", accuracies, tests, 0)


def t_of_sums(values: Sequence[Array], clusters: Sequence[Array]) -> float:
    parts = np.concatenate([d / (len(d) * len(values)) for d in values])
    z = sums_of(parts, np.concatenate(clusters))
    differing = z[np.abs(z) > 1e-12]
    statistic = abs(differing.sum()) / sqrt(float(differing @ differing))
    return 2 * float(t.sf(statistic, len(differing) - 1))


def agreement(key: str, other: str, a: Answers, b: Answers) -> Iterator[Named]:
    same, wrong = a.predicted == b.predicted, ~a.right & ~b.right
    alike = share(same, [a.premise])
    yield f"{key}|agreement_same|{other}", alike
    yield f"{key}|agreement_same_errors|{other}", share(same[wrong], [a.premise[wrong]])
    of_a, of_b = ({label: (each.predicted == label).mean() for label in a.labels} for each in (a, b))
    chance = sum(of_a[label] * of_b[label] for label in a.labels)
    kappa = (same.mean() - chance) / (1 - chance)
    marginal = np.array([of_b[i] + of_a[j] for i, j in zip(a.predicted, b.predicted, strict=True)])
    pull = (same - same.mean()) / (1 - chance)
    pull = pull - (1 - same.mean()) * (marginal - 2 * chance) / (1 - chance) ** 2
    half = mean(pull, a.premise).high - float(pull.mean())
    low, high = (1 - (1 - bound) / (1 - chance) for bound in (alike.low, alike.high))
    number = Number(kappa, max(-1.0, min(low, kappa - half)), min(1.0, max(high, kappa + half)), len(same))
    yield f"{key}|agreement_kappa|{other}", number


def alone(name: str, answers: dict[str, Answers]) -> Iterator[Named]:
    for model, a in answers.items():
        others = [each.right for other, each in answers.items() if other != model]
        for kind, found in (
            ("right", a.right & ~np.any(others, axis=0)),
            ("wrong", ~a.right & np.all(others, axis=0)),
        ):
            yield f"{model}|{name}|only_{kind}|", int(found.sum())
            yield f"{model}|{name}|only_{kind}_share|", share(found, [a.premise])
