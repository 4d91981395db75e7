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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from msgspec import structs

from crossexam.constructions.construction import Draft, Rejection, Resources, Yielded
from crossexam.constructions.natural_logic import (
    Proposal,
    after_exchange,
    after_replacement,
    ex_situ_label,
)
from crossexam.constructions.pair_family import Family, Rules, family_of
from crossexam.constructions.pair_matching import NOT_SWAPPED, PairTable, is_contested, matches
from crossexam.constructions.rules import swapped_sentences, word_pair_swaps
from crossexam.constructions.rules.natural_logic import ChangedFamily, against
from crossexam.constructions.rules.swapped_sentences import TOLD
from crossexam.core.example import (
    CONTROL_LABEL,
    DOUBTS,
    PROPOSED,
    SIDES,
    STATUS,
    UNDECIDED,
    Example,
    Side,
)
from crossexam.core.labels import LABELS, Label
from crossexam.core.rules import with_rules
from crossexam.language.lexicons.word_pairs import CONVERSE, Relation, WordPair
from crossexam.language.lexicons.wordnet_pairs import replacements
from crossexam.language.word_relatives import KINDS_OF_RELATIVES, occurrences, relatives

if TYPE_CHECKING:
    from crossexam.language.word_pair_index import WordPairIndex

#: The least training frequency of a word that replaces an antonym (section 6.1, footnote 6).
LEAST_OCCURRENCES: Final = 10


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


class SwapOutcome(NamedTuple):
    """The *outcome* of the construction *name*."""

    name: str
    outcome: Yielded


def swaps(
    control: str, example: Example, resources: SwapResources, rng: random.Random, options: Options = Options()
) -> Iterator[SwapOutcome]:
    """Yield the outcome of each construction of the family of *control* (``i_a`` or ``i_h``) on *example*.

    Examples without one of the three labels, and for ``i_a`` those that are not contradictions, are skipped.
    """
    if example.label not in LABELS or (control == "i_a" and example.label != "contradiction"):
        return
    family = _family(control, example, resources, rng, options)
    if isinstance(family, Rejection):
        yield SwapOutcome(control, family)
        return
    facts = _facts(Proposal(family.gold, "corpus", "as it is"), None)
    yield SwapOutcome(control, replace(family.control, info={**family.control.info, **facts}))
    if control == "i_a":
        yield from _from_antonyms(family, resources, rng)
    else:
        yield from _from_hypernyms(family, rng)


def _family(
    control: str, example: Example, resources: SwapResources, rng: random.Random, options: Options
) -> Family | Rejection:
    """Return the family of *example* with one of its pairs, drawn at random, or the reason why it has none.

    By our rules, antonyms with relatives that may replace them are preferred.
    """
    table = resources.antonyms if control == "i_a" else resources.hypernyms
    fitting: list[Family] = []
    rejections: list[Rejection] = []
    for match in matches(example, table, resources, as_written=options.rules == "paper"):
        family = match if isinstance(match, Rejection) else family_of(example, match, control, options.rules)
        if isinstance(family, Rejection):
            rejections.append(family)
        else:
            fitting.append(family)
    if len(fitting) > 1 and control == "i_a" and options.rules == "ours":
        fitting = [each for each in fitting if _has_relatives(each, resources)] or fitting
    return rng.choice(fitting) if fitting else rejections[0]


def _has_relatives(family: Family, resources: SwapResources) -> bool:
    """Return whether each word of the pair has relatives that may replace the other."""
    return all(_relatives(family, side, resources) for side in SIDES)


def _from_antonyms(family: Family, resources: SwapResources, rng: random.Random) -> Iterator[SwapOutcome]:
    kept = after_exchange("contradiction", "antonym", "up", "up", covered=False)
    yield SwapOutcome("i_ta1", _labelled(family.in_situ(), kept, _exchanged(family, "antonym", kept)))
    sides: tuple[tuple[str, Side], ...] = (("i_ta2", "hypothesis"), ("i_ta3", "premise"))
    for name, side in sides:
        yield SwapOutcome(name, _replacement(family, side, resources, rng))
    yield from _ex_situ_pair(family, ("e_a", "e_ta"), rng)


def _from_hypernyms(family: Family, rng: random.Random) -> Iterator[SwapOutcome]:
    match = family.match
    not_apart = [rule.reason for rule in islice(word_pair_swaps.against(match.pair), 1)]
    if not_apart and family.is_ours:
        yield from (SwapOutcome(name, Rejection(not_apart[0])) for name in ("i_th", "e_h", "e_th"))
        return
    relation = CONVERSE[match.pair.relation]
    directions = match.directions.values()
    proposal = after_exchange(family.gold, match.pair.relation, *directions, covered=match.is_covered)
    change = _exchanged(family, relation, proposal)
    obstacles = [*_obstacles(change), *not_apart]
    yield SwapOutcome("i_th", _labelled(family.in_situ(relation=relation), proposal, change, obstacles))
    yield from _ex_situ_pair(family, ("e_h", "e_th"), rng)


def _exchanged(family: Family, relation: Relation, proposal: Proposal) -> ChangedFamily:
    """Return the change by which the words of *family* are exchanged, and then in *relation*."""
    words = family.exchanged
    return ChangedFamily(
        family, "exchanged", relation, proposal.label, family.gold, words, family.edits, words["hypothesis"]
    )


def _obstacles(change: ChangedFamily) -> Iterator[str]:
    """Yield why the sentences after *change* in situ cannot be a test, whatever their label."""
    yield from (rule.reason for rule in swapped_sentences.against(change.family))
    for saying in change.sayings:
        yield from (rule.reason for rule in swapped_sentences.against(saying, {TOLD}))


def _ex_situ_pair(family: Family, names: tuple[str, str], rng: random.Random) -> Iterator[SwapOutcome]:
    """Yield the ex situ control over a randomly drawn context, and its copy with the pair exchanged."""
    context = rng.choice(SIDES)
    relation, direction = family.match.pair.relation, family.match.directions[context]
    first, second = ex_situ_label(relation, direction), ex_situ_label(CONVERSE[relation], direction)
    change = ChangedFamily(
        family, "copied", relation, first.label, family.gold, family.words, {}, "", context=context
    )
    # both words are said of one sentence: what does not go with one reveals the other
    told = [TOLD] if any(any(swapped_sentences.against(saying)) for saying in change.sayings) else []
    draft = _labelled(family.ex_situ(context), first, change, told)
    if isinstance(draft, Draft):
        control = draft.item(family.control, with_rules(names[0], family.rules))
        if (control.premise, control.hypothesis) == (family.control.premise, family.control.hypothesis):
            draft = Rejection("only the pair differs in the control")
    if isinstance(draft, Rejection):
        for name in names:
            yield SwapOutcome(name, draft)
        return
    yield SwapOutcome(names[0], draft)
    exchanged = family.ex_situ_exchanged(control, context, relation=CONVERSE[relation])
    change = replace(change, label=second.label, gold=first.label)
    yield SwapOutcome(names[1], _labelled(exchanged, second, change, told))


def _replacement(
    family: Family, side: Side, resources: SwapResources, rng: random.Random
) -> Draft | Rejection:
    """Return the control with its word on *side* replaced by a relative of the word on the other side.

    By our rules it is the first, in random order, with which the label is decided, if there is one.
    """
    if family.is_ours and (obstacle := next(swapped_sentences.against(family), None)):
        return Rejection(obstacle.reason)
    choices = _relatives(family, side, resources)
    if not choices:
        return Rejection("no relative that occurs ten times in training")
    rng.shuffle(choices)
    order = sorted({pair.relation for pair in choices})
    rng.shuffle(order)
    choices.sort(key=lambda pair: order.index(pair.relation))
    outcomes: list[Draft | Rejection] = []
    for chosen in choices[: None if family.is_ours else 1]:
        outcome = _replaced_by(family, side, chosen)
        if isinstance(outcome, Draft) and STATUS not in outcome.info:
            return outcome
        outcomes.append(outcome)
    return next((each for each in outcomes if isinstance(each, Draft)), outcomes[0])


def _replaced_by(family: Family, side: Side, chosen: WordPair) -> Draft | Rejection:
    """Return the control with its word on *side* replaced by the second word of *chosen*, and its label."""
    match = family.match
    # the relation of the hypothesis's word to the premise's
    now = chosen.relation if side == "hypothesis" else CONVERSE[chosen.relation]
    draft = family.replaced(side, chosen.second, relation=now)
    if isinstance(draft, Rejection):
        return draft
    proposal = after_replacement(now, match.directions["hypothesis"], match.rest_in_relation)
    words = {**family.words, side: family.inserted(side, draft.edits)}
    named = chosen.second if side == "hypothesis" else match.pair.second
    change = ChangedFamily(
        family, "replaced", now, proposal.label, "contradiction", words, {side: draft.edits}, named
    )
    return _labelled(draft, proposal, change, _obstacles(change))


def _relatives(family: Family, side: Side, resources: SwapResources) -> list[WordPair]:
    """Return the relatives, frequent in training, that may replace the word on *side*.

    By the paper's rules, they are counted as they are written, and by ours in any form.
    """
    match, index = family.match, resources.index
    kept_word = match.pair.first if side == "hypothesis" else match.pair.second
    if not family.is_ours:
        found = replacements(kept_word, KINDS_OF_RELATIVES, pos=match.pos)
        return [pair for pair in found if index.occurrences(pair.second) >= LEAST_OCCURRENCES]
    not_used = NOT_SWAPPED | {token.text.lower() for each in SIDES for token in match.tokens[each]}
    return [
        pair
        for pair in relatives(kept_word, match.pos)
        if occurrences(pair, index) >= LEAST_OCCURRENCES
        and not (pair.second in not_used or is_contested(pair))
    ]


def _facts(proposal: Proposal, control_label: Label | None) -> dict[str, object]:
    facts: dict[str, object] = {"label_from": proposal.source, "reason": proposal.reason}
    if proposal.source == "natural logic":
        facts |= {STATUS: PROPOSED}
    return facts if control_label is None else facts | {CONTROL_LABEL: control_label}


def _labelled(
    draft: Draft, proposal: Proposal, change: ChangedFamily, obstacles: Iterable[str] = ()
) -> Draft | Rejection:
    """Return *draft* with the proposed label, or the first of the *obstacles* to it, or its doubt.

    The paper's rules only record these.  In situ, where natural logic decides, a label without a doubt is
    not only proposed, and one with a doubt is left to judges.
    """
    family, reasons = change.family, list(obstacles)
    doubts = [rule.reason for rule in islice(against(change), 1)]
    decides = change.how != "copied"
    if family.is_ours and (reasons or (doubts and not decides)):
        return Rejection((reasons or doubts)[0])
    facts = _facts(proposal, change.gold)
    if family.is_ours and decides:
        facts[STATUS] = UNDECIDED if doubts else None
    doubts = [*family.control.info.get(DOUBTS, ()), *reasons, *doubts]
    facts |= {DOUBTS: list(dict.fromkeys(doubts))} if doubts else {}
    info = {**draft.info, **{key: value for key, value in facts.items() if value is not None}}
    return structs.replace(draft, label=proposal.label, info=info)
