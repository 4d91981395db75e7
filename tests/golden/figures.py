"""Compute the figures of reports from ``figures_data.json`` by their formulas, with nothing of the package.

    python tests/golden/figures.py [FILE]

writes ``figures.json`` beside it, or FILE: "model|test set|statistic|of" and the value, with its interval and
number of items if it has these, and by how much a bound may differ that reports draw at random.  The figures
whose keys begin with "shown: " are in tables, charts and gates, and neither in CSV nor in JSON.
Tests of reports (``test_figures.py``, ``test_shown_figures.py``, ``test_charts.py``) and of gates
(``test_checks.py``) compare the result with what these show.

The data are made up: three models, one strong, one overconfident, and one with ties and confident errors, on
six test sets.  These are a base; items that are paired with it; antonyms, of which *hot/cold* is there in
both orders; a corpus of two labels; items that one of the models leaves unanswered; and items whose labels
are only proposed.  Premises have between one and five items.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, product
from math import isfinite, isnan
from pathlib import Path
from typing import Any

import numpy as np
from figure_formulas.answers import Answers, answers_of, too_many
from figure_formulas.intervals import (
    LEVEL,
    Array,
    Figure,
    Named,
    Number,
    between,
    detectable,
    effective,
    equal_weights,
    exact,
    figure_of,
    flipped,
    holm,
    paired,
    share,
    unpaired,
)
from figure_formulas.probabilities import calibration, selective
from figure_formulas.several import comparison, several
from scipy.optimize import brentq
from scipy.stats import binom
from statsmodels.stats.contingency_tables import mcnemar

HERE = Path(__file__).resolve().parent
#: What the keys of figures begin with that only tables, charts and gates show, and neither CSV nor JSON.
SHOWN = "shown: "
#: The least accuracies that gates demand.
DEMANDED = (0.2, 0.6, 0.85)
MEAN, ALL = "(mean of test sets)", "(all test sets)"


def of_model(data: Any, model: str) -> Iterator[Named]:
    """Yield all figures of a model; Holm's correction and the detectable drop depend on all test sets."""
    found = {name: dict(on_test_set(data, model, name)) for name in data["test_sets"]}
    planned = [name for name, entry in data["test_sets"].items() if entry["manifest"].get("keeps_label")]
    p_values = [found[name].get("p_value|") for name in planned]
    for name, corrected in zip(planned, holm(p_values), strict=True):
        if corrected is not None:
            drop = detectable(*detectable_from(data, model, name), LEVEL / len(planned))
            found[name] |= {"p_holm|": {"value": corrected}}
            found[name] |= {"significant|alpha=0.05": {"value": int(corrected <= LEVEL)}}
            found[name] |= {"minimum_detectable_drop|": {"value": drop}}
    for name, figures in found.items():
        yield from ((f"{model}|{name}|{key}", value) for key, value in figures.items())


def on_test_set(data: Any, model: str, name: str) -> Iterator[Named]:
    entry = data["test_sets"][name]
    a = answers_of(data, model, name)
    yield "accuracy|", accuracy(a, a.gold != "")
    yield "unlabelled|", len(entry["items"]) - len(a.gold)
    yield from slices(a, [item for item in entry["items"] if item["gold"]])
    if a.missing:
        yield from unanswered(a)
    if not a.too_few:
        yield from of_answers(a, a.at(a.answered))
    if (base_set := entry["manifest"]["base_set"]) is not None:
        base = answers_of(data, model, base_set)
        yield from (against_pairs if entry["manifest"]["keeps_label"] else against_base)(a, base)


def of_answers(a: Answers, known: Answers) -> Iterator[Named]:
    """Yield what has no bounds, and is of a test set only if enough of it was answered."""
    yield from ties(known)
    yield from errors(known)
    yield from majority(known)
    yield from over_keys(known)
    yield from ((key if "|" in key else f"{key}|", found) for key, found in calibration(a))
    yield from selective(a)


def accuracy(a: Answers, kept: Array) -> Number:
    """The accuracy on the items that are *kept*, or its bounds if too many of them were not answered."""
    part = a.at(kept)
    known = part.at(part.answered)
    if not part.too_few:
        return share(known.right, known.units)
    return between(*(share(end.right, part.units) for _, end in part.ends))


def slices(a: Answers, items: Sequence[Any]) -> Iterator[Named]:
    for of, inside in slices_of(a, items):
        fixed = of.startswith("pair=")  # and so no sample
        part = (a._replace(key=None) if fixed else a).at(inside)
        yield f"accuracy|{of}", accuracy(part, np.ones(len(part.gold), dtype=bool))
        if part.too_few:
            yield from bounds("accuracy", of, part)


def bounds(statistic: str, of: str, a: Answers) -> Iterator[Named]:
    for side, end in a.ends:
        yield f"{statistic}_{side}|{of}", share(end.right, a.units)


def slices_of(a: Answers, items: Sequence[Any]) -> Iterator[tuple[str, Array]]:
    """Yield the name of each slice of more than one, and which items are in it."""
    values = {"gold": list(a.gold)}
    for name, key in (("genre", "genre"), ("pair", "pair"), ("rule", "how")):
        stated = [each.get(key) for each in items]
        counts = Counter(stated)
        values[name] = ["(other)" if name == "pair" and counts[each] < 5 else each for each in stated]
    for name, of_items in values.items():
        if len(set(of_items)) > 1:
            for value in set(of_items) - {None}:
                yield f"{name}={value}", np.array([each == value for each in of_items])


def unanswered(a: Answers) -> Iterator[Named]:
    for status in set(a.status) - {"answered"}:
        yield f"unanswered|{status}", int((a.status == status).sum())
    yield "unanswered_share|", a.missing / len(a.gold)
    yield "only_bounds|", int(a.too_few)
    yield from bounds("accuracy", "", a)


def errors(known: Answers) -> Iterator[Named]:
    counts = Counter(zip(known.gold, known.predicted, strict=True))
    for gold, predicted in product(known.labels, repeat=2):
        yield f"confusion|{gold}>{predicted}", counts[gold, predicted]
        if gold != predicted:
            yield f"errors|{gold[0].upper()}-{predicted[0].upper()}", counts[gold, predicted]
    wrong = int((~known.right).sum())
    for label in ("neutral", "entailment"):
        if label in known.labels and wrong:
            false = int(((known.predicted == label) & ~known.right).sum())
            yield f"false_{label}_share|", false / wrong


def ties(known: Answers) -> Iterator[Named]:
    tied = np.array([len(each) > 1 for each in known.best])
    if tied.any():
        sure, n = int((known.right & ~tied).sum()), len(known.gold)
        possible = sum(gold in best for gold, best in zip(known.gold[tied], known.best[tied], strict=True))
        yield "ties|", int(tied.sum())
        yield "ties_accuracy_least|", sure / n
        yield "ties_accuracy_most|", (sure + possible) / n


def majority(known: Answers) -> Iterator[Named]:
    golds = Counter(known.gold)
    if len(golds) > 1:
        label = max((each for each in known.labels if each in golds), key=lambda each: golds[each])
        yield f"majority_class|{label}", golds[label] / len(known.gold)
        yield "above_majority_class|", paired(known.right, known.gold == label, known.units)


def over_keys(known: Answers) -> Iterator[Named]:
    if known.stated is not None:
        keys = Counter(known.stated)
        largest, count = keys.most_common(1)[0]
        yield "keys|", len(keys)
        yield f"largest_key_share|{largest}", count / len(known.gold)
        yield "accuracy_over_items|", share(known.right, known.units)
        yield "accuracy_over_keys|", share(known.right, known.units, equal_weights(known.stated))


def against_base(a: Answers, base: Answers) -> Iterator[Named]:
    known, base = a.at(a.answered), base.at(base.answered)
    yield "base_accuracy|", share(base.right, [base.premise])
    yield "difference|", unpaired(base.right, [base.premise], known.right, known.units)


def pairs_of(a: Answers, base: Answers) -> tuple[Answers, Answers]:
    """The items whose base has a gold label, and their bases."""
    place = {name: k for k, name in enumerate(base.ids)}
    has = np.array([each in place for each in a.bases])
    return a.at(has), base.at(np.array([place[each] for each in a.bases[has]]))


def against_pairs(a: Answers, base: Answers) -> Iterator[Named]:
    items, bases = pairs_of(a, base)
    answered = items.answered & bases.answered
    worst, best = (
        paired(bases.filled(right).right, items.filled(not right).right, items.units)
        for right in (False, True)
    )
    if not answered.all():
        yield "drop_least|", worst
        yield "drop_most|", best
    if too_many(int((~answered).sum()), len(answered)):
        ends = {side: share(end.right, items.units) for side, end in bases.ends}
        yield "base_accuracy|", between(ends["least"], ends["most"])
        yield from ((f"base_accuracy_{side}|", end) for side, end in ends.items())
        yield "drop|", between(worst, best)
        return
    items, bases = items.at(answered), bases.at(answered)
    yield "base_accuracy|", share(bases.right, items.units)
    yield "drop|", paired(bases.right, items.right, items.units)
    yield "flip_rate|", share(items.predicted != bases.predicted, items.units)
    p, mid = flipped(bases.right, items.right, items.units)
    yield "p_value|", p
    yield "p_mid|", mid
    b, c = int((bases.right & ~items.right).sum()), int((items.right & ~bases.right).sum())
    classical = float(mcnemar([[0, b], [c, 0]], exact=True).pvalue) if b + c else 1.0
    equal = (1 if b != c else 0.5) * float(binom.pmf(b, b + c, 0.5)) if b + c else 0.0
    for of, value in {"b": b, "c": c, "p_exact": classical, "p_mid": classical - equal}.items():
        yield f"mcnemar|{of}", value


def detectable_from(data: Any, model: str, name: str) -> tuple[float, float]:
    """The effective number of pairs, and the share of them that is discordant."""
    base_set = data["test_sets"][name]["manifest"]["base_set"]
    items, bases = pairs_of(*(answers_of(data, model, each) for each in (name, base_set)))
    answered = items.answered & bases.answered
    items, bases = items.at(answered), bases.at(answered)
    size, _ = effective(bases.right.astype(float) - items.right, items.units)
    return size, float((bases.right != items.right).mean())


def finite(number: float | None) -> float | None:
    """What a file has of a number: nothing if it is not finite."""
    return None if number is None or not isfinite(number) else float(number)


#: What is in tables, and in CSV and JSON as well.
IN_FILES = {"answered", "wrong", "pairs", "calibrated_accuracy", "predicted_share"}


def key_of(key: str, figure: Figure, found: dict[str, Figure]) -> str:
    """The key of what is shown: that of a figure, if CSV and JSON have it."""
    _, test_set, statistic, of = key.split("|")
    is_figure = statistic in IN_FILES or (statistic == "items" and not of) or test_set in {MEAN, ALL}
    is_figure |= statistic == "pairs_unanswered" and bool(figure["value"])  # none is not told
    return key if is_figure or key in found else f"{SHOWN}{key}"


def of_test_set(a: Answers, slices: Sequence[tuple[str, Array]]) -> Iterator[Named]:
    """Yield the figures of a test set; *slices* are named and say which items are in them."""
    known = a.at(a.answered)
    yield "items|", len(a.gold)
    yield "clusters|", min(len(set(unit)) for unit in known.units)
    for of, inside in slices:
        yield f"items|{of}", int(inside.sum())
        for side, end in a.at(inside).ends:
            yield f"accuracy_{side}|{of}", float(end.right.mean())
    if a.too_few:
        return
    yield "wrong|", int((~known.right).sum())
    yield "answered|", len(known.gold)
    sure = a.at(a.answered & (a.mass >= 0.5))
    yield "calibrated_accuracy|", share(sure.right, [sure.premise])
    if len(set(known.gold)) == 1:
        for label in known.labels:
            yield f"predicted_share|{label}", float((known.predicted == label).mean())
    if a.answered.all():
        for least in DEMANDED:
            yield f"gate_p|min={least}", one_sided(a, least)


def one_sided(a: Answers, least: float) -> float:
    """The p-value of the side of *least* on which the accuracy is: of the exact limit that touches it."""
    value = float(a.right.mean())

    def beyond(tail: float) -> float:
        size = effective(a.right, a.units, None, 1 - 2 * tail)[0]
        low, high = exact(value, size, tail)
        return low - least if value >= least else least - high

    return 1.0 if beyond(0.4999) < 0 else float(brentq(beyond, 1e-12, 0.4999, xtol=1e-15))


def of_pairs(items: Answers, bases: Answers) -> Iterator[Named]:
    """Yield the number of items whose base has a gold label, and the bounds of accuracies on these bases."""
    yield "pairs|", len(items.gold)
    yield "pairs_unanswered|", int((~(items.answered & bases.answered)).sum())
    for side, end in bases.ends:
        yield f"base_accuracy_{side}|", float(end.right.mean())


def over_test_sets(data: Any, several: dict[str, Figure], sets: Sequence[str]) -> Iterator[Named]:
    """Yield the means of agreement over the ranked *sets*, and what one model alone gets right in all.

    *several* are the figures of each test set.
    """
    models = data["models"]
    for one, other in combinations(models, 2):
        for statistic in ("same", "kappa", "same_errors"):
            found = [several[f"{one}|{name}|agreement_{statistic}|{other}"]["value"] for name in sets]
            known = [each for each in found if each is not None and not isnan(each)]
            yield f"{one}|{MEAN}|agreement_{statistic}|{other}", float(np.mean(known))
    every = data["test_sets"]
    counted = [name for name in every if all(f"{model}|{name}|only_right|" in several for model in models)]
    for model in models:
        n = sum(int(several[f"{model}|{name}|ranked_accuracy|"]["n"] or 0) for name in counted)
        yield f"{model}|{ALL}|items|", n
        for side in ("right", "wrong"):
            alone = sum(several[f"{model}|{name}|only_{side}|"]["value"] or 0 for name in counted)
            yield f"{model}|{ALL}|only_{side}|", alone
            yield f"{model}|{ALL}|only_{side}_share|", alone / n


def of_two(a: Answers, b: Answers) -> Iterator[tuple[str, float]]:
    """Yield the bounds of both accuracies over all items."""
    for side, each in zip("ab", (a, b), strict=True):
        for name, end in each.ends:
            yield f"accuracy_{side}_{name}", float(end.right.mean())


def shown_only(data: Any, of_several: dict[str, Figure]) -> Iterator[Named]:
    """Yield what tables, charts and gates show beside the figures of CSV and JSON."""
    ranked = [
        name
        for name in data["test_sets"]
        if "(proposed)" not in name and all(f"{model}|{name}|rank|" in of_several for model in data["models"])
    ]
    yield from over_test_sets(data, of_several, ranked)
    for name, entry in data["test_sets"].items():
        items, base_set = [each for each in entry["items"] if each["gold"]], entry["manifest"]["base_set"]
        for model in data["models"]:
            a = answers_of(data, model, name)
            found = [*of_test_set(a, list(slices_of(a, items)))]
            if base_set is not None and entry["manifest"]["keeps_label"]:
                found += of_pairs(*pairs_of(a, answers_of(data, model, base_set)))
            yield from ((f"{model}|{name}|{key}", value) for key, value in found)
        for one, other in combinations(data["models"], 2):
            both = of_two(*(answers_of(data, model, name) for model in (one, other)))
            yield from ((f"{one} against {other}|{name}|{key}|", value) for key, value in both)


def figures() -> dict[str, Figure]:
    data = json.loads((HERE / "figures_data.json").read_text(encoding="utf-8"))
    found = {key: figure_of(each) for key, each in several(data)}
    shown = {key: figure_of(each) for key, each in shown_only(data, dict(found))}
    alone = (of_model(data, model) for model in data["models"])
    pairs = (comparison(data, one, other) for one, other in combinations(data["models"], 2))
    found |= {key: figure_of(each) for key, each in chain(*alone, *pairs)}
    found = {key_of(key, each, found): each for key, each in shown.items()} | found
    return {key: {part: finite(number) for part, number in each.items()} for key, each in found.items()}


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "figures.json"
    lines = [f" {json.dumps(key)}: {json.dumps(each)}" for key, each in sorted(figures().items())]
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
