"""What follows from the figures of a report: sentences by rules, each with its condition and its source."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from crossexam.evaluation.candidates import FEW
from crossexam.reports.analyses.fact_checking import FACT_CHECKING, fact_checking
from crossexam.reports.analyses.gold_labels import hidden_changes, most_hidden
from crossexam.reports.analyses.keys import KEYS, heavy_keys
from crossexam.reports.analysis import Analysis
from crossexam.reports.names import named_together
from crossexam.reports.results import ModelResults, Results
from crossexam.reports.sections import analyses_of
from crossexam.reports.sentences.leading import leading
from crossexam.reports.table import number_text

if TYPE_CHECKING:
    from crossexam.core.labels import Gold
    from crossexam.evaluation.measures import TestSetResult

#: So many sentences are shown, those of the first rules.
MOST: Final = 5
#: A drop that a test should find, if it is there.
WORTH_FINDING: Final = 0.05
#: A ROC AUC that is so far above the balanced accuracy leaves room for another threshold.
ROOM: Final = 0.1
#: So many test sets are named; of more, the first few.
MOST_NAMED: Final = 4
FIRST_NAMED: Final = 3
#: Nobody is told to find more pairs than this.
MOST_PAIRS: Final = 100_000
#: What `train --augment` can add to the training data, and what to test afterwards: another of its kind.
TRAINABLE: Final = {
    "negation": "tautology",
    "tautology": "negation",
    "word_overlap": "negation",
    "so_swap": "add_amod",
    "add_amod": "so_swap",
}


#: Models that nobody trains with `crossexam train`.
NOT_TRAINED_HERE: Final = ("builtin/", "py/", "file/", "api/")


@dataclass(frozen=True)
class AdviceRule:
    """A rule: its name, the *source* of what it says, and its *sentences*, none where it does not apply.

    If it is about the figures of an *analysis*, it applies only to results that have this.
    """

    name: str
    source: str
    sentences: Callable[[Results], Iterator[str]]
    analysis: Analysis | None = None


def advice(results: Results) -> list[str]:
    """Return what to do next, in at most :data:`MOST` sentences; none where nothing follows."""
    analyses = (None, *analyses_of(results))
    found = (rule.sentences(results) for rule in RULES if rule.analysis in analyses)
    return list(islice(chain.from_iterable(found), MOST))


def _bases(model: ModelResults, results: Results) -> list[TestSetResult]:
    """Return the results of *model* on the bases of drops, but for those of which only bounds are known."""
    return [each for each in model.results if each.name in results.drop_bases and not each.only_bounds]


def _label_order(results: Results) -> Iterator[str]:
    """Yield which models are significantly worse on a base than always giving one label."""
    for model in results.models:
        worse = [
            results.short_names[each.name]
            for each in _bases(model, results)
            if each.majority is not None and each.majority.advantage.high < 0
        ]
        if worse:
            yield (
                f"{model.name} is significantly worse on {worse[0]} than always giving one label: check in "
                "which order it gives its labels (run --label-order) before you believe any number."
            )


def _one_answer(results: Results) -> Iterator[str]:
    """Yield which models always give one label on a base that has several."""
    for model in results.models:
        if model.name.startswith("builtin/"):
            continue
        for each in _bases(model, results):
            golds = sum(any(counts.values()) for counts in each.confused.values())
            if each.n >= FEW and golds > 1 and 1.0 in each.predicted_shares:
                label = each.labels[each.predicted_shares.index(1.0)]
                base = results.short_names[each.name]
                yield (
                    f"{model.name} always answers {label} on {base} ({each.n:,} items): check that "
                    "its weights and labels were read correctly before you believe any number."
                )
                break


def _small_base(results: Results) -> Iterator[str]:
    """Yield how many pairs of a base would show that a model is above the majority baseline, if it is."""
    for model in results.models:
        for each in _bases(model, results):
            if each.majority is None or each.majority.beaten:
                continue
            above, base = each.majority.advantage, results.short_names[each.name]
            pairs = each.n * ((above.value - above.low) / above.value) ** 2 if above.value > 0 else math.inf
            if pairs <= MOST_PAIRS:
                yield (
                    f"{model.name} is above the majority baseline on {base}, but not significantly: about "
                    f"{100 * math.ceil(pairs / 100):,} pairs instead of {each.n:,} would show it in half of "
                    "the cases, if the accuracy stayed the same."
                )
                break


def _one_gold_label(results: Results) -> Iterator[str]:
    """Yield of which gold label items are worth reading; what became of them is among the warnings."""
    models: dict[tuple[str, Gold], list[str]] = {}
    for model in results.models:
        if (name := most_hidden(model, results)) is not None:
            change = max(hidden_changes(results)[model.name, name], key=lambda each: each.drop)
            models.setdefault((results.short_names[name], change.gold), []).append(model.name)
    for (name, gold), changed in models.items():
        yield (
            f"Read some items of {name} whose gold label is {gold} (Items), and see the accuracy of "
            f"{' and '.join(changed)} by gold label (Slices)."
        )


def _few_keys(results: Results) -> Iterator[str]:
    """Yield on which test sets a large share of the items has the same key."""
    for name, each in heavy_keys(results).items():
        if each.n >= FEW:
            yield (
                f"Keep at most five {results.short_names[name]} items with the same words (build "
                "--per-key 5), or use more sentences."
            )


def _another_threshold(results: Results) -> Iterator[str]:
    """Yield which models separate claims better than their threshold of 1/2 does."""
    for model in results.models:
        for mean in fact_checking(model).sets:
            auc = mean.figures.roc_auc
            if mean.threshold.n or auc is None or not math.isfinite(auc.value):
                continue
            if auc.value - mean.figures.balanced_accuracy.value > ROOM:
                yield (
                    f"{model.name} separates the claims of {mean.name} better (ROC AUC "
                    f"{number_text(auc, 'percent')} %) than its threshold does (balanced accuracy "
                    f"{number_text(mean.figures.balanced_accuracy, 'percent')} %): have the threshold chosen "
                    "on a development split, --threshold dev:RUN."
                )
                break


def _augmentation(results: Results) -> Iterator[str]:
    """Yield what training on such items gives, for the first model with a significant drop on them."""
    for model in results.models:
        fallen = _fallen(model, results)
        if fallen is not None:
            kind, other = fallen.construction, TRAINABLE[fallen.construction].replace("_", " ")
            yield (
                f"If you train {model.name} on items like those of {results.short_names[fallen.name]} (train "
                f"--augment {kind}), test it on {other} as well: in the papers, such training helped on the "
                "same test alone."
            )
            return


def _fallen(model: ModelResults, results: Results) -> TestSetResult | None:
    """Return the test set with the largest significant drop of those that *model* can be trained on."""
    if model.run.model.startswith(NOT_TRAINED_HERE):
        return None
    found = {
        each.loss.value: each
        for each in model.results
        if each.construction in TRAINABLE
        and each.loss is not None
        and each.loss.low > 0
        and (each.p_holm is None or each.p_holm <= results.options.alpha)  # None: not paired, and not tested
    }
    return found[max(found)] if found else None


def _more_pairs(results: Results) -> Iterator[str]:
    """Yield how many pairs a test needs to find the drop that is worth finding; after Connor (1987)."""
    unnoticed: dict[str, float] = {}
    whose: dict[str, None] = {}
    most = 0
    for model in results.models:
        if leading(model) is None:
            continue
        for each in model.results:
            detectable, pairs = each.minimum_detectable_drop, each.drop
            if (
                detectable is None
                or pairs is None
                or each.p_holm is None
                or each.p_holm <= results.options.alpha
            ):
                continue
            if detectable > WORTH_FINDING and math.isfinite(detectable):
                changed = 0.0 if each.mcnemar is None else (each.mcnemar.b + each.mcnemar.c) / pairs.n
                count = pairs.n * _times_as_many(detectable, changed)
                most = max(most, 100 * math.ceil(count / 100))
                unnoticed[each.name] = max(detectable, unnoticed.get(each.name, 0.0))
                whose[model.name] = None
    if unnoticed:
        ordered = sorted(unnoticed, key=lambda name: -unnoticed[name])
        of_model = f" of {', '.join(whose)}" if len(whose) < len(results.models) else ""
        yield (
            f"On {_listed(ordered, results)}, a drop{of_model} of {100 * WORTH_FINDING:.0f} points could go "
            f"unnoticed; detecting one takes up to about {most:,} pairs per test set, from more sentences "
            "(--base, --limit)."
        )


def _listed(names: Sequence[str], results: Results) -> str:
    """Return the short names of the test sets *names*; of many, those of the first, and how many others."""
    if len(names) <= MOST_NAMED:
        return named_together(names, results.test_sets, results.short_names)
    first = ", ".join(results.short_names[name] for name in names[:FIRST_NAMED])
    return f"{first} and {len(names) - FIRST_NAMED} other test sets"


def _times_as_many(detectable: float, changed: float) -> float:
    """Return how many times as many pairs show the drop worth finding in place of the *detectable* one.

    The detectable drop falls with the number of pairs until it is the share of pairs that *changed* between
    right and wrong, and then with its square root (Connor 1987; an approximation).

    >>> _times_as_many(0.1, 0.3), _times_as_many(0.1, 0.0)
    (4.0, 2.0)
    """
    turn = min(max(changed, WORTH_FINDING), detectable)
    return detectable / turn * (turn / WORTH_FINDING) ** 2


#: In the order in which their sentences are shown.
RULES: Final = (
    AdviceRule("order of labels", "the majority baseline of the report", _label_order),
    AdviceRule("one answer", "the labels that the model predicts", _one_answer),
    AdviceRule(
        "small base", "the interval of the majority baseline, which narrows with the square root", _small_base
    ),
    AdviceRule("one gold label", "the changes for one gold label that a drop hides", _one_gold_label),
    AdviceRule(
        "few keys", "Naik et al. 2018, section 4.3: what is known of single word pairs", _few_keys, KEYS
    ),
    AdviceRule(
        "threshold",
        "docs/studies/fact-checking.md: balanced accuracy at a threshold, ROC AUC at all",
        _another_threshold,
        FACT_CHECKING,
    ),
    AdviceRule("more pairs", "Connor 1987; the column of smallest detectable drops", _more_pairs),
    AdviceRule("augmentation", "Naik et al. 2018, section 4.6; Nie et al. 2019, section 4.2", _augmentation),
)
