"""The properties by which the items of a test set are divided, and the accuracy of each of their values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from crossexam.core.columns import InfoValues, info_values
from crossexam.core.dataset import Run
from crossexam.core.errors import UnknownNameError
from crossexam.core.estimate import Estimate
from crossexam.core.example import PAIR
from crossexam.core.labels import GOLDS
from crossexam.core.outcome import MAX_UNANSWERED
from crossexam.evaluation.scores import Scored, score_run
from crossexam.evaluation.unanswered import PartAccuracies
from crossexam.stats.estimate import Coded

#: Values beyond the most frequent are pooled as "(other)".
MOST: Final = 30

# Slice, the key of ``info`` (None: the gold label), the fewest items for which a value is listed separately,
# whether an item counts under each value of a list (tags), and which test sets have it.
# fmt: off
SLICES: Final[tuple[tuple[str, str | None, int, bool, str], ...]] = (
    ("gold",               None,                1, False, "every test set"),
    ("genre",              "genre",             1, False, "corpora with genres (MultiNLI)"),
    ("pair",               "pair",              5, False, "antonymy: the word and its antonym"),
    ("kind",               "kind",              1, False, "antonymy: gradable, complementary, relational"),
    ("judged kind",        "judged_kind",       1, False, "antonymy: its kind according to judges"),
    ("relation",           "relation",          1, False, "antonymy: of the word, or indirect"),
    ("word class",         "word_class",        1, False, "antonymy: noun ...; errors: content, function"),
    ("error",              "error",             1, False, "spelling errors of two kinds: swap, keyboard"),
    ("side",               "side",              1, False, "antonymy: the sentence it was constructed from"),
    ("rule",               "how",               1, False, "numerical reasoning: which rule made the item"),
    ("question",           "question",          1, False, "numerical reasoning: the sentence is a question"),
    ("conditional",        "conditional",       1, False, "numerical reasoning: it begins with 'if'"),
    ("place",              "place",             1, False, "distractor passage: before, after, around"),
    ("lexical semantics",  "lexical_semantics", 1, True,  "GLUE diagnostic: its four groups of phenomena"),
    ("predicate-argument structure",
                           "predicate_argument_structure", 1, True, "GLUE diagnostic"),
    ("logic",              "logic",             1, True,  "GLUE diagnostic"),
    ("knowledge",          "knowledge",         1, True,  "GLUE diagnostic"),
    ("domain",             "domain",            1, False, "GLUE diagnostic: the source of the text"),
    ("category",           "category",          1, False, "Breaking NLI: what kind of word was replaced"),
    ("annotation",         "annotations",       1, True,  "MultiNLI's annotated pairs: tags such as ANTO"),
    ("heuristic",          "heuristic",         1, False, "HANS: the heuristic a model may rely on"),
    ("subcase",            "subcase",           1, False, "HANS: the thirty constructions"),
    ("conjunction",        "conjunction",       1, False, "ConjNLI: and, or, but, nor, several"),
    ("monotonicity",       "monotonicity",      1, False, "MED: upward, downward, non"),
    ("phenomenon",         "phenomena",         1, True,  "MED: the phenomena it tests; its collection"),
    ("origin",             "origin",            1, False, "MED: crowdsourced or from papers"),
    ("section",            "section",           1, False, "FraCaS: nine topics"),
    ("premises",           "premises",          1, False, "FraCaS: the number of premises"),
    ("single premise",     "single_premise",    1, False, "FraCaS: there is only one"),
    ("subset",             "subset",            1, False, "JOCI: how the pair was obtained"),
    ("ordinal",            "ordinal",           1, False, "JOCI: 5 very likely to 1 impossible"),
    ("context from",       "context_from",      1, False, "JOCI: the collection of the context"),
    ("embedding",          "embedding",         1, False, "CommitmentBank: question, modal, negation ..."),
    ("inference",          "inference",         1, False, "the Diverse NLI Collection: type of inference"),
    ("old label",          "old_label",         1, False, "ChaosNLI: the gold label before"),
)
# fmt: on

#: Properties of :data:`SLICES` by which items are divided together, as published: "heuristic and gold".
CROSSED: Final = (
    ("heuristic", "gold"),  # HANS: McCoy et al. (2019)
    ("monotonicity", "gold"),  # MED
    ("section", "single premise"),  # FraCaS: MacCartney and Manning (2007) leave out the other problems
)
#: Joins the values of two properties: "subsequence/entailment".
BETWEEN: Final = "/"

#: Slices by what the model read, by the fields of :class:`~crossexam.core.dataset.ReadItems`.
READ_SLICES: Final = (("truncated", "truncated"), ("edit unseen", "edit_unseen"))


def slices_of(parts: PartAccuracies) -> dict[str, dict[str, Estimate]]:
    """Return the accuracy of items by every property in :data:`SLICES` that divides them.

    Pairs of these that divide them together are slices too (:data:`CROSSED`), and so are items that were
    truncated, or whose edit the model did not see (:data:`READ_SLICES`).

    A property with a single value would repeat the overall accuracy and is left out.  An item with several
    tags counts under each, so that the slices together may have more items than the test set.
    """
    sliced: dict[str, dict[str, Estimate]] = {}
    scored = parts.scored
    info = _info_of(scored)
    for name, key, minimum, tagged, _ in SLICES:
        of_key = None if key is None else info[key]
        if of_key is not None and not of_key.values:
            continue
        items, values = _values(scored, of_key, tagged)
        if not values.is_constant:
            sliced[name] = parts.by(items, values, minimum=minimum, most=MOST, are_pairs=key == PAIR)
    for one, other in CROSSED:
        crossed = _crossed(scored, info, one, other)
        if crossed is not None:
            sliced[f"{one} and {other}"] = parts.by(slice(None), crossed, most=MOST)
    for name, of_reading in READ_SLICES if scored.reading is not None else ():
        said = getattr(scored.reading, of_reading).astype(np.int8)
        values = Coded.in_order([_value(False), _value(True)], said)
        if not values.is_constant:
            sliced[name] = parts.by(slice(None), values)
    return {name: slices for name, slices in sliced.items() if len(slices) > 1}


def _values(scored: Scored, info: InfoValues | None, tagged: bool) -> tuple[NDArray[np.int64] | slice, Coded]:
    """Return the items [n] and their values in *info*, or their gold labels without it.

    If *tagged*, an item is there once per tag.
    """
    if info is None:
        return slice(None), Coded.in_order(GOLDS, scored.gold)
    if not tagged:
        shown = Coded.of([_value(value) for value in (*info.values, None)])
        return slice(None), Coded(shown.names, shown.codes.astype(np.int32)[info.codes])
    items = np.arange(len(scored.gold))
    tags = [_tags(value) for value in (*info.values, None)]  # the last is that of the number -1
    counts = np.array([len(each) for each in tags])[info.codes]  # [n]
    starts = np.cumsum([0, *map(len, tags)])[:-1][info.codes]  # [n], of an item's tags among all tags
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    every = Coded.of([_value(tag) for each in tags for tag in each])
    return np.repeat(items, counts), Coded(every.names, every.codes[np.repeat(starts, counts) + within])


def _info_of(scored: Scored) -> Mapping[str, InfoValues]:
    """Return the values of the items for every property in :data:`SLICES`."""
    return info_values(scored.examples, [key for _, key, *_ in SLICES if key is not None])


def _crossed(scored: Scored, info: Mapping[str, InfoValues], one: str, other: str) -> Coded | None:
    """Return the values of two properties of items together; None if either does not divide the items."""
    keys = {name: key for name, key, *_ in SLICES}
    found = []
    for name in (one, other):
        key = keys[name]
        _, values = _values(scored, None if key is None else info[key], tagged=False)
        if values.is_constant:
            return None
        found.append(values)
    first, second = found
    names = [
        None if a is None or b is None else f"{a}{BETWEEN}{b}" for a in first.names for b in second.names
    ]
    return Coded.in_order(names, first.codes.astype(np.int64) * len(second.names) + second.codes)


def _tags(value: Any) -> list[Any]:
    """Return the different tags in *value*, a list of them or the only one."""
    return list(dict.fromkeys(value if isinstance(value, list | tuple) else [value]))


def _value(value: Any) -> Hashable:
    """Return a *value* of ``info`` as it is shown: "yes", "hot/cold"; None if it is empty."""
    if value is None or value == "":
        return None
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return "/".join(map(str, value))
    return str(value)


def accuracy_by_value(
    run: Run, by: str, *, max_unanswered: float = MAX_UNANSWERED
) -> dict[str, dict[str, Estimate]]:
    """Return the accuracy of *run* on each test set by value of *by*.

    *by* is one of :data:`SLICES`, a key of ``info``, or two of :data:`CROSSED` ("heuristic and gold").  A
    key may have the name of a slice of other test sets, as "phenomenon" of MED's.  The accuracy is that of
    the answered items; if more than the share *max_unanswered* of those with some value was not answered, it
    is given as Bounds.  Test sets without a value are left out.  Raises UnknownNameError if none has one.
    """
    two = next((pair for pair in CROSSED if f"{pair[0]} and {pair[1]}" == by), None)
    keys = {key: tagged for name, key, _, tagged, _ in SLICES if name == by}
    keys.setdefault(by, False)
    found = {}
    for name, scored in score_run(run, two_labels=run.two_labels).items():
        parts = PartAccuracies(scored, max_unanswered)
        if two is not None:
            crossed = _crossed(scored, _info_of(scored), *two)
            slices = {} if crossed is None else parts.by(slice(None), crossed)
        else:
            info = info_values(scored.examples, [key for key in keys if key is not None])
            of_keys = ((None if key is None else info[key], tagged) for key, tagged in keys.items())
            slices = next(filter(None, (parts.by(*_values(scored, *each)) for each in of_keys)), {})
        if slices:
            found[name] = slices
    if not found:
        known = {key for dataset in run.datasets.values() for example in dataset for key in example.info}
        known.add("gold")
        what = f"no item has a value of '{by}'" if by in known else None
        raise UnknownNameError("slice", by, known - {by}, what=what)
    return found
