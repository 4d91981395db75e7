"""Word pairs swapped in situ and ex situ (Sanchez Carmona et al. 2018, sections 5.2, 5.3 and 6.1).

There are ten constructions in two families.  A control is an unchanged training example that contains a word
pair: ``i_a`` (antonyms) and ``i_h`` (hypernyms).  All others are derived from a control: ``i_ta1`` and
``i_th`` exchange the pair in place (in situ); ``i_ta2`` and ``i_ta3`` replace one of two antonyms by a
semantic relative of the other, in the hypothesis and in the premise; ``e_a`` and ``e_h`` copy one sentence to
both sides, so that only the pair differs (ex situ); ``e_ta`` and ``e_th`` exchange the pair in these.  The
items of a family share one sequence of random choices, so :func:`swaps` builds them together.

Deviation: by our rules, items are rejected if a sentence reveals what the word leaves open ("a person lifts
her hand"); those of ``i_ta2``, ``i_ta3`` and ``i_th`` whose label natural logic leaves in doubt are left to
judges.  With ``rules=paper``, words are matched and exchanged as written, and nothing is rejected; what our
rules hold against an item is in ``info["doubts"]``.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, cast

from crossexam.constructions.construction import Draft, Outcome, Rejection, Resources
from crossexam.constructions.natural_logic import (
    POSTURES,
    Proposal,
    after_exchange,
    after_replacement,
    are_same_otherwise,
    ex_situ_label,
)
from crossexam.constructions.pair_matching import (
    NOT_SWAPPED,
    Match,
    PairTable,
    is_contested,
    matches,
)
from crossexam.constructions.pair_replacement import (
    KINDS_OF_RELATIVES,
    Rules,
    has_particle,
    is_odd,
    occurrences,
    relatives,
    tells_more,
    word_edits,
)
from crossexam.constructions.rules import word_pair_swaps as rules_of_words
from crossexam.constructions.rules.natural_logic import Change, against
from crossexam.core.example import (
    CONTROL_LABEL,
    DOUBTS,
    ONLY_PAIR,
    OTHER_SIDE,
    PAIR,
    PROPOSED,
    RELATION,
    SIDES,
    STATUS,
    UNDECIDED,
    Edit,
    Example,
    Side,
    light_info,
)
from crossexam.core.labels import LABELS, Label
from crossexam.core.rules import with_rules
from crossexam.language.lexicons.word_pairs import CONVERSE, Relation, WordPair
from crossexam.language.lexicons.wordnet_pairs import replacements
from crossexam.language.sentences import split_sentences

if TYPE_CHECKING:
    from crossexam.language.word_pair_index import WordPairIndex

#: The least training frequency of a word that replaces an antonym (section 6.1, footnote 6).
LEAST_OCCURRENCES: Final = 10
_TOLD: Final = Rejection("the sentence reveals what the word leaves open")
_ODD: Final = Rejection("the sentence does not go with the word")
_SEVERAL: Final = Rejection("premise of several sentences")


class SwapResources(Resources, Protocol):
    """The resources of the swaps, which include word pairs and their index over the training corpus."""

    @property
    def antonyms(self) -> PairTable:
        """Pairs of antonyms."""
        ...

    @property
    def hypernyms(self) -> PairTable:
        """Pairs of a word and its hypernym, in both directions."""
        ...

    @property
    def index(self) -> WordPairIndex:
        """The index of the word pairs in the training corpus."""
        ...


@dataclass(frozen=True)
class Options:
    """The options of the ten swaps.

    *rules*: ``ours`` matches inflected forms and mends what has to agree with a new word; ``paper`` matches
    and exchanges words as written, and rejects nothing.
    """

    rules: Rules = "ours"


@dataclass(frozen=True)
class Swapped:
    """A control, its *match*, and the *edits* that exchange the pair's words on each side."""

    control: Example
    match: Match
    edits: Mapping[Side, tuple[Edit, ...]]
    rules: Rules = "ours"

    def new_word(self, side: Side) -> str:
        """Return the first word that the exchange inserts on *side*, in lower case."""
        return _inserted(self.match, side, self.edits[side])


def exchange(example: Example, match: Match, name: str, options: Options = Options()) -> Swapped | Rejection:
    """Return *example* as a control of the set *name*, with its exchange, or why a word does not fit."""
    edits: dict[Side, tuple[Edit, ...]] = {}
    doubts = dict.fromkeys(match.doubts)
    for side in SIDES:
        lemma = match.pair.second if side == "premise" else match.pair.first
        found = by_ours = word_edits(example.text(side), match, side, lemma)
        if options.rules == "paper":
            found = word_edits(example.text(side), match, side, lemma, "paper")
        if isinstance(found, Rejection):
            return found
        edits[side] = found
        if isinstance(by_ours, Rejection):  # which the paper's rules ignore
            doubts[by_ours.reason] = None
    info = light_info(example) | {
        PAIR: f"{match.word('premise')}/{match.word('hypothesis')}",
        RELATION: match.pair.relation,
        ONLY_PAIR: are_same_otherwise(*match.sentences),
        **({DOUBTS: list(doubts)} if doubts else {}),
    }
    control = replace(example, id=f"{name}:{example.id}", base=None, change=None, info=info)
    return Swapped(control, match, edits, options.rules)


def _inserted(match: Match, side: Side, edits: Iterable[Edit]) -> str:
    """Return the word that *edits* insert in the first place of the pair's word on *side*, in lower case.

    If they insert several, as in *is seated*, it is the last.
    """
    start = match.tokens[side][match.positions[side][0]].start
    return next(edit.new.lower().split()[-1] for edit in edits if edit.start == start)


def in_situ(swapped: Swapped, **info: Any) -> Draft:
    """Return the control with the pair exchanged: I_TA1, I_TH.  Natural logic provides the label."""
    edits = (*swapped.edits["premise"], *swapped.edits["hypothesis"])
    pair = f"{swapped.new_word('premise')}/{swapped.new_word('hypothesis')}"
    return Draft(None, edits, info={PAIR: pair, **info}, base=swapped.control)


def ex_situ(swapped: Swapped, context: Side, **info: Any) -> Draft:
    """Return the sentence on *context* on both sides, differing in the pair: E_A, E_H."""
    edits = _moved(swapped.edits[context], OTHER_SIDE[context])
    pair = _pair(swapped, context)
    return Draft(
        None, edits, context, context, info={PAIR: pair, "context": context, **info}, base=swapped.control
    )


def ex_situ_exchanged(swapped: Swapped, control: Example, context: Side, **info: Any) -> Draft:
    """Return the ex situ *control* with the pair exchanged: E_TA, E_TH."""
    edits = _moved(swapped.edits[context], context)
    premise, hypothesis = _pair(swapped, context).split("/")
    pair = f"{hypothesis}/{premise}"
    return Draft(None, edits, context, context, info={PAIR: pair, "context": context, **info}, base=control)


def replaced(swapped: Swapped, side: Side, lemma: str, **info: Any) -> Draft | Rejection:
    """Return the control with the pair's word on *side* replaced by *lemma*: I_TA2, I_TA3.

    A rejection if *lemma* does not fit.
    """
    match, other = swapped.match, OTHER_SIDE[side]
    if swapped.rules == "ours" and has_particle(match, side) and lemma not in POSTURES:
        return Rejection("part of a fixed expression")
    edits = word_edits(swapped.control.text(side), match, side, lemma, swapped.rules)
    if isinstance(edits, Rejection):
        return edits
    words = {side: _inserted(match, side, edits), other: match.word(other)}
    pair = f"{words['premise']}/{words['hypothesis']}"
    return Draft(None, edits, info={PAIR: pair, **info}, base=swapped.control)


def _odd(swapped: Swapped, change: Change) -> Rejection | None:
    """Return a rejection if a sentence does not go with its word after *change*."""
    odd = any(
        is_odd(
            swapped.match,
            side,
            (change.words[side], change.words[OTHER_SIDE[side]]),
            change.edits.get(side, ()),
        )
        for side in SIDES
    )
    return _ODD if odd else None


def _pair(swapped: Swapped, context: Side) -> str:
    """Return the pair (premise word, hypothesis word) of the ex situ control on *context*."""
    here, new = swapped.match.word(context), swapped.new_word(context)
    return f"{here}/{new}" if context == "premise" else f"{new}/{here}"


def _moved(edits: tuple[Edit, ...], side: Side) -> tuple[Edit, ...]:
    return tuple([edit._replace(side=side) for edit in edits])


class SwapOutcome(NamedTuple):
    """The *outcome* of the construction *name*."""

    name: str
    outcome: Outcome


def swaps(
    control: str, example: Example, resources: SwapResources, rng: random.Random, options: Options = Options()
) -> Iterator[SwapOutcome]:
    """Yield the outcome of each construction of the family of *control* (``i_a`` or ``i_h``) on *example*.

    Examples without one of the three labels, and for ``i_a`` those that are not contradictions, are skipped.
    """
    if example.label not in LABELS or (control == "i_a" and example.label != "contradiction"):
        return
    table = resources.antonyms if control == "i_a" else resources.hypernyms
    swapped = _control(control, example, table, resources, rng, options)
    if isinstance(swapped, Rejection):
        yield SwapOutcome(control, swapped)
        return
    as_it_is = Proposal(_label(example), "corpus", "as it is")
    yield SwapOutcome(control, _with(swapped.control, _facts(as_it_is, None)))
    derived = _from_antonyms if control == "i_a" else _from_hypernyms
    yield from derived(swapped, resources, rng)


def _control(
    name: str,
    example: Example,
    table: PairTable,
    resources: SwapResources,
    rng: random.Random,
    options: Options,
) -> Swapped | Rejection:
    """Return *example* with one of its pairs, drawn at random, or the reason why it has none.

    By our rules, antonyms with relatives that may replace them are preferred.
    """
    fitting: list[Swapped] = []
    rejections: list[Rejection] = []
    for match in matches(example, table, resources, as_written=options.rules == "paper"):
        swapped = match if isinstance(match, Rejection) else exchange(example, match, name, options)
        if isinstance(swapped, Rejection):
            rejections.append(swapped)
        else:
            fitting.append(swapped)
    if len(fitting) > 1 and name == "i_a" and options.rules == "ours":
        fitting = [each for each in fitting if _has_relatives(each, resources)] or fitting
    return rng.choice(fitting) if fitting else rejections[0]


def _has_relatives(swapped: Swapped, resources: SwapResources) -> bool:
    """Return whether each word of the pair has relatives that may replace the other."""
    return all(_relatives(swapped, side, resources) for side in SIDES)


def _from_antonyms(swapped: Swapped, resources: SwapResources, rng: random.Random) -> Iterator[SwapOutcome]:
    kept = after_exchange("contradiction", "antonym", "up", "up", covered=False)
    change = _exchanged(swapped, "antonym", kept)
    yield SwapOutcome("i_ta1", _labelled(swapped, in_situ(swapped), kept, change))
    sides: tuple[tuple[str, Side], ...] = (("i_ta2", "hypothesis"), ("i_ta3", "premise"))
    for name, side in sides:
        yield SwapOutcome(name, _replacement(swapped, side, resources, rng))
    yield from _ex_situ_pair(swapped, ("e_a", "e_ta"), rng)


def _from_hypernyms(swapped: Swapped, resources: SwapResources, rng: random.Random) -> Iterator[SwapOutcome]:
    match, gold = swapped.match, _label(swapped.control)
    relation = CONVERSE[match.pair.relation]
    directions = match.directions.values()
    proposal = after_exchange(gold, match.pair.relation, *directions, covered=match.is_covered)
    change = _exchanged(swapped, relation, proposal)
    not_apart = next(rules_of_words.against(match.pair), None)
    kinds = Rejection(not_apart.reason) if not_apart else None
    if kinds is not None and swapped.rules == "ours":
        yield from (SwapOutcome(name, kinds) for name in ("i_th", "e_h", "e_th"))
        return
    draft = in_situ(swapped, relation=relation)
    obstacles = (_several(swapped), _odd(swapped, change), kinds)
    yield SwapOutcome("i_th", _labelled(swapped, draft, proposal, change, obstacles))
    yield from _ex_situ_pair(swapped, ("e_h", "e_th"), rng)


def _exchanged(swapped: Swapped, relation: Relation, proposal: Proposal) -> Change:
    """Return the change by which the words of *swapped* are exchanged, and then in *relation*."""
    words: dict[Side, str] = {side: swapped.new_word(side) for side in SIDES}
    gold, named = _label(swapped.control), words["hypothesis"]
    return Change(swapped.match, "exchanged", relation, proposal.label, gold, words, swapped.edits, named)


def _several(swapped: Swapped) -> Rejection | None:
    """Return a rejection if sentences of the premise that are not edited may tell what a word said."""
    return _SEVERAL if len(split_sentences(swapped.control.premise)) > 1 else None


def _told_ex_situ(swapped: Swapped, context: Side) -> bool:
    """Return whether the sentence on *context* reveals what one of the words leaves open."""
    here, new = swapped.match.word(context), swapped.new_word(context)
    versions: tuple[tuple[tuple[str, str], tuple[Edit, ...]], ...] = (
        ((here, new), ()),
        ((new, here), swapped.edits[context]),
    )
    return any(
        test(swapped.match, context, words, edits)
        for words, edits in versions
        for test in (tells_more, is_odd)
    )


def _ex_situ_pair(swapped: Swapped, names: tuple[str, str], rng: random.Random) -> Iterator[SwapOutcome]:
    """Yield the ex situ control over a randomly drawn context, and its copy with the pair exchanged."""
    context = rng.choice(SIDES)
    relation, direction = swapped.match.pair.relation, swapped.match.directions[context]
    first, second = ex_situ_label(relation, direction), ex_situ_label(CONVERSE[relation], direction)
    told = (_TOLD if _told_ex_situ(swapped, context) else None,)
    words = {side: swapped.match.word(side) for side in SIDES}
    change = Change(
        swapped.match, "copied", relation, first.label, _label(swapped.control), words, {}, "", context
    )
    draft = _labelled(swapped, ex_situ(swapped, context), first, change, told)
    if isinstance(draft, Draft):
        control = draft.item(swapped.control, with_rules(names[0], swapped.rules))
        if (control.premise, control.hypothesis) == (swapped.control.premise, swapped.control.hypothesis):
            draft = Rejection("only the pair differs in the control")
    if isinstance(draft, Rejection):
        for name in names:
            yield SwapOutcome(name, draft)
        return
    yield SwapOutcome(names[0], draft)
    exchanged = ex_situ_exchanged(swapped, control, context, relation=CONVERSE[relation])
    change = replace(change, label=second.label, gold=first.label)
    yield SwapOutcome(names[1], _labelled(swapped, exchanged, second, change, told))


def _replacement(
    swapped: Swapped, side: Side, resources: SwapResources, rng: random.Random
) -> Draft | Rejection:
    """Return the control with its word on *side* replaced by a relative of the word on the other side.

    By our rules it is the first, in random order, with which the label is decided, if there is one.
    """
    if swapped.rules == "ours" and (several := _several(swapped)) is not None:
        return several
    choices = _relatives(swapped, side, resources)
    if not choices:
        return Rejection("no relative that training has ten times")
    rng.shuffle(choices)
    order = sorted({pair.relation for pair in choices})
    rng.shuffle(order)
    choices.sort(key=lambda pair: order.index(pair.relation))
    outcomes: list[Draft | Rejection] = []
    for chosen in choices[: 1 if swapped.rules == "paper" else None]:
        outcome = _replaced_by(swapped, side, chosen)
        if isinstance(outcome, Draft) and STATUS not in outcome.info:
            return outcome
        outcomes.append(outcome)
    return next((each for each in outcomes if isinstance(each, Draft)), outcomes[0])


def _replaced_by(swapped: Swapped, side: Side, chosen: WordPair) -> Draft | Rejection:
    """Return the control with its word on *side* replaced by the second word of *chosen*, and its label."""
    match, other = swapped.match, OTHER_SIDE[side]
    # the relation of the hypothesis's word to the premise's
    now = chosen.relation if side == "hypothesis" else CONVERSE[chosen.relation]
    draft = replaced(swapped, side, chosen.second, relation=now)
    if isinstance(draft, Rejection):
        return draft
    proposal = after_replacement(now, match.directions["hypothesis"], match.rest_in_relation)
    words = {side: _inserted(match, side, draft.edits), other: match.word(other)}
    edits = {side: draft.edits}
    named = chosen.second if side == "hypothesis" else match.pair.second
    change = Change(match, "replaced", now, proposal.label, "contradiction", words, edits, named)
    return _labelled(swapped, draft, proposal, change, (_several(swapped), _odd(swapped, change)))


def _relatives(swapped: Swapped, side: Side, resources: SwapResources) -> list[WordPair]:
    """Return the relatives, frequent in training, that may replace the word on *side*."""
    match, ours = swapped.match, swapped.rules == "ours"
    kept_word = match.pair.first if side == "hypothesis" else match.pair.second
    here = {token.text.lower() for each in SIDES for token in match.tokens[each]}
    found = (
        relatives(kept_word, match.pos)
        if ours
        else replacements(kept_word, KINDS_OF_RELATIVES, pos=match.pos)
    )
    return [
        pair
        for pair in found
        if occurrences(pair, resources.index) >= LEAST_OCCURRENCES
        and not (ours and (pair.second in here | NOT_SWAPPED or is_contested(pair)))
    ]


def _facts(proposal: Proposal, control_label: Label | None) -> dict[str, object]:
    facts: dict[str, object] = {"label_from": proposal.source, "reason": proposal.reason}
    if proposal.source == "natural logic":
        facts |= {STATUS: PROPOSED}
    return facts if control_label is None else facts | {CONTROL_LABEL: control_label}


def _labelled(
    swapped: Swapped,
    draft: Draft,
    proposal: Proposal,
    change: Change,
    obstacles: Iterable[Rejection | None] = (),
) -> Draft | Rejection:
    """Return *draft* with the proposed label, or the first of the *obstacles* to it, or its doubt.

    The paper's rules only record these.  In situ, where natural logic decides, a label without a doubt is
    not only proposed, and one with a doubt is left to judges.
    """
    reasons = [each.reason for each in obstacles if each is not None]
    doubts = [rule.reason for rule in islice(against(change), 1)]
    decides = change.how != "copied"
    if swapped.rules == "ours" and (reasons or (doubts and not decides)):
        return Rejection((reasons or doubts)[0])
    facts = _facts(proposal, change.gold)
    if swapped.rules == "ours" and decides:
        facts[STATUS] = UNDECIDED if doubts else None
    doubts = [*swapped.control.info.get(DOUBTS, ()), *reasons, *doubts]
    facts |= {DOUBTS: list(dict.fromkeys(doubts))} if doubts else {}
    info = {**draft.info, **{key: value for key, value in facts.items() if value is not None}}
    return draft._replace(label=proposal.label, info=info)


def _with(item: Example, info: Mapping[str, object]) -> Example:
    return replace(item, info={**item.info, **info})


def _label(example: Example) -> Label:
    return cast(Label, example.label)  # swaps() skips examples with other labels
