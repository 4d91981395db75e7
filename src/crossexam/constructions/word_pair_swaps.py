"""Word pairs swapped in situ and ex situ (Sanchez Carmona et al. 2018, sections 5.2, 5.3 and 6.1).

A control is a training example as it is, with the pair that stands in it.  Everything else is derived: the
words exchanged in place (in situ), one sentence copied to both sides so that only the pair differs (ex situ),
or one of two antonyms replaced by a relative of the other.

The ten sets of the suite ``behaviour``: swaps in situ and ex situ (Sanchez Carmona et al. 2018).

From training examples (section 5): controls ``i_a`` (antonyms) and ``i_h`` (hypernyms), ``i_ta1`` and
``i_th`` (the pair exchanged), ``i_ta2`` and ``i_ta3`` (one antonym replaced by a relative of the other, in
the hypothesis, in the premise), ``e_a`` and ``e_h`` (one sentence on both sides), ``e_ta`` and ``e_th``
(these exchanged).  Every derived item has its control as its base.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, cast

from crossexam.constructions.apply import CHUNK, Yield, chunks
from crossexam.constructions.construction import Rejection
from crossexam.constructions.edits import replacing
from crossexam.constructions.natural_logic import (
    Direction,
    Proposal,
    Rest,
    Sentence,
    after_exchange,
    after_replacement,
    ex_situ_label,
    rest_of,
)
from crossexam.constructions.pair_matching import NOT_SWAPPED, Match, PairTable, is_contested, matches
from crossexam.constructions.resources import Resources
from crossexam.core.example import (
    HEAVY_INFO,
    PROPOSED,
    SIDES,
    STATUS,
    Change,
    Edit,
    Example,
    Side,
    cluster_of,
)
from crossexam.core.labels import LABELS, Gold, Label
from crossexam.core.progress import Progress, silent
from crossexam.core.randomness import rng_for
from crossexam.language.lexicons.word_pairs import CONVERSE, Relation
from crossexam.language.lexicons.wordnet_pairs import replacements
from crossexam.language.monotonicity.polarity import polarity_at
from crossexam.language.word_pair_index import WordPairIndex

OTHER: Final[Mapping[Side, Side]] = {"premise": "hypothesis", "hypothesis": "premise"}
_VERSION: Final = "v1"


@dataclass(frozen=True)
class Swapped:
    """A control, its *match*, and the edits that exchange the pair's words on each side."""

    control: Example
    match: Match
    edits: Mapping[Side, tuple[Edit, ...]]

    def other_word(self, side: Side) -> str:
        """Return the pair's lemma that is put on *side* in the exchange."""
        pair = self.match.pair
        return pair.second if side == "premise" else pair.first

    def new_word(self, side: Side) -> str:
        """Return the first word that the exchange puts on *side*, in lower case."""
        start = self.match.tokens[side][self.match.positions[side][0]].start
        return next(edit.new.lower() for edit in self.edits[side] if edit.start == start)


def exchange(example: Example, match: Match, name: str) -> Swapped | None:
    """Return *example* as a control of the set *name*, with its exchange; None where a form is missing."""
    edits: dict[Side, tuple[Edit, ...]] = {}
    for side in SIDES:
        lemma = match.pair.second if side == "premise" else match.pair.first
        found = replacing(example.text(side), match.tokens[side], match.positions[side], lemma, side)
        if found is None:
            return None
        edits[side] = found
    info = {key: value for key, value in example.info.items() if key not in HEAVY_INFO}
    info |= {
        "cluster": cluster_of(example),
        "pair": f"{match.word('premise')}/{match.word('hypothesis')}",
        "relation": match.pair.relation,
    }
    control = replace(example, id=f"{name}:{example.id}", base=None, change=None, info=info)
    return Swapped(control, match, edits)


def in_situ(swapped: Swapped, name: str, label: Gold, **info: Any) -> Example:
    """Return the control with the pair exchanged: I_TA1, I_TH."""
    edits = (*swapped.edits["premise"], *swapped.edits["hypothesis"])
    change = Change(f"{name}.{_VERSION}", "premise", "hypothesis", edits)
    pair = f"{swapped.new_word('premise')}/{swapped.new_word('hypothesis')}"
    return swapped.control.derive(label, change, info={"pair": pair, **info})


def ex_situ(swapped: Swapped, context: Side, name: str, label: Gold, **info: Any) -> Example:
    """Return the sentence on *context* on both sides, differing in the pair: E_A, E_H."""
    changed = OTHER[context]
    edits = _moved(swapped.edits[context], changed)
    change = Change(f"{name}.{_VERSION}", context, context, edits)
    return swapped.control.derive(
        label, change, info={"pair": _pair(swapped, context), "context": context, **info}
    )


def ex_situ_exchanged(
    swapped: Swapped, control: Example, context: Side, name: str, label: Gold, **info: Any
) -> Example:
    """Return the ex situ *control* with the pair exchanged: E_TA, E_TH."""
    change = Change(f"{name}.{_VERSION}", context, context, _moved(swapped.edits[context], context))
    premise, hypothesis = _pair(swapped, context).split("/")
    return control.derive(label, change, info={"pair": f"{hypothesis}/{premise}", "context": context, **info})


def replaced(swapped: Swapped, side: Side, lemma: str, name: str, label: Gold, **info: Any) -> Example | None:
    """Return the control with the pair's word on *side* replaced by *lemma*: I_TA2, I_TA3; None: no form."""
    match = swapped.match
    text = swapped.control.text(side)
    edits = replacing(text, match.tokens[side], match.positions[side], lemma, side)
    if edits is None:
        return None
    start = match.tokens[side][match.positions[side][0]].start
    new = next(edit.new.lower() for edit in edits if edit.start == start)
    pair = {side: new, OTHER[side]: match.word(OTHER[side])}
    change = Change(f"{name}.{_VERSION}", "premise", "hypothesis", edits)
    return swapped.control.derive(
        label, change, info={"pair": f"{pair['premise']}/{pair['hypothesis']}", **info}
    )


def _pair(swapped: Swapped, context: Side) -> str:
    """Return the pair (premise word, hypothesis word) of the ex situ control on *context*."""
    here, new = swapped.match.word(context), swapped.new_word(context)
    return f"{here}/{new}" if context == "premise" else f"{new}/{here}"


def _moved(edits: tuple[Edit, ...], side: Side) -> tuple[Edit, ...]:
    return tuple(replace(edit, side=side) for edit in edits)


#: How often a word that replaces an antonym must be in the training corpus (section 6.1, footnote 6).
LEAST_OCCURRENCES: Final = 10
#: Section 6.1: a hyponym, hypernym or synonym.
_RELATIVES: Final[tuple[Relation, ...]] = ("hypernym", "hyponym", "synonym")


class SetKind(NamedTuple):
    """A test set of the study: its *control* set, whether labels are those of the control, what it is."""

    name: str
    control: str | None
    keeps_label: bool
    summary: str


# fmt: off
SETS: Final[dict[str, SetKind]] = {each.name: each for each in (
    SetKind("i_a",   None,  True,  "contradictions with antonyms, one in each sentence"),
    SetKind("i_ta1", "i_a", True,  "the antonyms exchanged"),
    SetKind("i_ta2", "i_a", False, "the antonym in the hypothesis replaced by a relative of the premise's"),
    SetKind("i_ta3", "i_a", False, "the antonym in the premise replaced by a relative of the hypothesis's"),
    SetKind("e_a",   "i_a", True,  "one of the sentences on both sides, with either antonym"),
    SetKind("e_ta",  "e_a", True,  "the same with the antonyms exchanged"),
    SetKind("i_h",   None,  True,  "a hypernym or hyponym in the hypothesis of a word in the premise"),
    SetKind("i_th",  "i_h", False, "the two exchanged"),
    SetKind("e_h",   "i_h", False, "one of the sentences on both sides, with either word"),
    SetKind("e_th",  "e_h", False, "the same with the words exchanged"),
)}
# fmt: on


@dataclass
class Workshop:
    """What the sets are made with: pairs, training index, resources; *seed* of every choice."""

    antonyms: PairTable
    hypernyms: PairTable
    index: WordPairIndex
    resources: Resources
    seed: int = 0
    items: dict[str, list[Example]] = field(default_factory=lambda: {name: [] for name in SETS})
    labelled: int = 0
    counts: dict[str, Yield] = field(default_factory=lambda: {name: Yield() for name in SETS})

    def take(self, example: Example) -> None:
        """Add to each set what *example* gives."""
        if example.label not in LABELS:
            return
        self.labelled += 1
        if example.label == "contradiction":
            self._add("i_a", example, self.antonyms)
        self._add("i_h", example, self.hypernyms)

    def _add(self, name: str, example: Example, table: PairTable) -> None:
        rng = rng_for(self.seed, name, example.id)
        counts = self.counts[name]
        counts.examples += 1
        swapped = self._control(name, example, table, rng, counts)
        if swapped is None:
            return
        as_it_is = Proposal(_label(example), "corpus", "as it is")
        self._keep(name, _noted(swapped.control, as_it_is, None))
        made = _from_antonyms if name == "i_a" else _from_hypernyms
        for kind, outcome in made(swapped, self, rng):
            self.counts[kind].examples += 1
            if isinstance(outcome, Rejection):
                self.counts[kind].rejected[outcome.reason] += 1
            else:
                self._keep(kind, outcome)

    def _keep(self, name: str, item: Example) -> None:
        self.counts[name].items += 1
        self.items[name].append(item)

    def _control(
        self, name: str, example: Example, table: PairTable, rng: random.Random, counts: Yield
    ) -> Swapped | None:
        """Return *example* with one of its pairs, drawn where it has several; None where it has none."""
        fitting: list[Swapped] = []
        reasons: list[str] = []
        for outcome in matches(example, table, self.resources):
            if isinstance(outcome, Rejection):
                reasons.append(outcome.reason)
                continue
            swapped = exchange(example, outcome, name)
            if swapped is None:
                reasons.append("no such form")
            else:
                fitting.append(swapped)
        if not fitting:
            counts.rejected[reasons[0]] += 1
            return None
        return rng.choice(fitting)


def make_sets(examples: Iterable[Example], workshop: Workshop, progress: Progress = silent) -> None:
    """Fill the sets of *workshop* from training *examples*, and note what training knows of each pair."""
    done = 0
    for chunk in chunks(examples, CHUNK):
        workshop.resources.prepare(chunk)
        for example in chunk:
            workshop.take(example)
        done += len(chunk)
        progress("swapping word pairs", done, None)
    progress("swapping word pairs", done, done)
    for name, items in workshop.items.items():
        workshop.items[name] = list(with_training_facts(items, workshop.index))


def with_training_facts(items: Sequence[Example], index: WordPairIndex) -> Iterator[Example]:
    """Yield *items* with ``seen`` (the ordered pair stood in training) and ``polarity`` (section 5.5)."""
    asked = [cast("tuple[str, str]", tuple(str(item.info["pair"]).split("/"))) for item in items]
    for item, seen, polarity in zip(items, index.seen(asked), index.polarity(asked), strict=True):
        yield _with(item, seen=bool(seen), polarity=polarity)


def _from_antonyms(
    swapped: Swapped, workshop: Workshop, rng: random.Random
) -> Iterator[tuple[str, Example | Rejection]]:
    kept = after_exchange("contradiction", "antonym", "up", "up", covered=False)
    yield "i_ta1", _noted(in_situ(swapped, "i_ta1", kept.label), kept, "contradiction")
    sides: tuple[tuple[str, Side], ...] = (("i_ta2", "hypothesis"), ("i_ta3", "premise"))
    for name, side in sides:
        yield name, _replacement(swapped, side, name, workshop, rng)
    yield from _ex_situ_pair(swapped, ("e_a", "e_ta"), rng)


def _from_hypernyms(
    swapped: Swapped, workshop: Workshop, rng: random.Random
) -> Iterator[tuple[str, Example | Rejection]]:
    gold, relation = _label(swapped.control), swapped.match.pair.relation
    covered = _rest(swapped, workshop) == "covered"
    premise, hypothesis = (_direction(swapped, side) for side in SIDES)
    proposal = after_exchange(gold, relation, premise, hypothesis, covered=covered)
    item = in_situ(swapped, "i_th", proposal.label, relation=CONVERSE[relation])
    yield "i_th", _noted(item, proposal, gold)
    yield from _ex_situ_pair(swapped, ("e_h", "e_th"), rng)


def _ex_situ_pair(
    swapped: Swapped, names: tuple[str, str], rng: random.Random
) -> Iterator[tuple[str, Example | Rejection]]:
    """Yield the ex situ control over one of the two contexts, drawn, and it with the pair exchanged."""
    context = rng.choice(SIDES)
    relation, direction = swapped.match.pair.relation, _direction(swapped, context)
    first, second = ex_situ_label(relation, direction), ex_situ_label(CONVERSE[relation], direction)
    item = ex_situ(swapped, context, names[0], first.label)
    if (item.premise, item.hypothesis) == (swapped.control.premise, swapped.control.hypothesis):
        for name in names:
            yield name, Rejection("only the pair differs in the control")
        return
    control = _noted(item, first, _label(swapped.control))
    yield names[0], control
    exchanged = ex_situ_exchanged(
        swapped, control, context, names[1], second.label, relation=CONVERSE[relation]
    )
    yield names[1], _noted(exchanged, second, first.label)


def _replacement(
    swapped: Swapped, side: Side, name: str, workshop: Workshop, rng: random.Random
) -> Example | Rejection:
    """Return the control with its word on *side* replaced by a relative of the word on the other side."""
    match = swapped.match
    kept_word = match.pair.first if side == "hypothesis" else match.pair.second
    here = {token.text.lower() for each in SIDES for token in match.tokens[each]}
    found = replacements(kept_word, _RELATIVES, workshop.resources.wordnet, pos=match.pos)
    choices = [
        pair
        for pair in found
        if pair.second not in here | NOT_SWAPPED
        and not is_contested(pair)
        and workshop.index.occurrences(pair.second) >= LEAST_OCCURRENCES
    ]
    if not choices:
        return Rejection("no relative that training has ten times")
    relation = rng.choice(sorted({pair.relation for pair in choices}))
    chosen = rng.choice([pair for pair in choices if pair.relation == relation])
    now = (
        relation if side == "hypothesis" else CONVERSE[relation]
    )  # what the hypothesis's is of the premise's
    proposal = after_replacement(now, _direction(swapped, "hypothesis"), _rest(swapped, workshop))
    item = replaced(swapped, side, chosen.second, name, proposal.label, relation=now)
    return Rejection("no such form") if item is None else _noted(item, proposal, "contradiction")


def _direction(swapped: Swapped, side: Side) -> Direction:
    """Return how the context of the pair's word on *side* is monotone."""
    return polarity_at(swapped.match.tokens[side], swapped.match.positions[side][0]).direction


def _rest(swapped: Swapped, workshop: Workshop) -> Rest:
    match = swapped.match
    premise, hypothesis = (Sentence(match.tokens[side], frozenset(match.positions[side])) for side in SIDES)
    return rest_of(premise, hypothesis, workshop.resources.wordnet)


def _noted(item: Example, proposal: Proposal, control_label: Label | None) -> Example:
    facts: dict[str, str] = {"label_from": proposal.source, "reason": proposal.reason}
    if proposal.source == "natural logic":
        facts |= {STATUS: PROPOSED}
    if control_label is not None:
        facts |= {"control_label": control_label}
    return _with(item, **facts)


def _with(item: Example, **info: object) -> Example:
    return replace(item, info={**item.info, **info})


def _label(example: Example) -> Label:
    return cast(Label, example.label)  # take() lets only the three in
