"""The table of constructions: every entry can be built and is checked, documented and tested.

No construction is imported before its function or its options are used.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import replace
from functools import cache
from pkgutil import resolve_name
from typing import Any, Final, get_args

from crossexam.constructions.construction import Function, Yielded
from crossexam.constructions.entry import Construction, TestClass
from crossexam.core.arguments import shown
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import PAIR, Side
from crossexam.core.labels import LABELS, Label
from crossexam.core.manifest import BASE
from crossexam.core.plug_ins import plug_ins
from crossexam.core.rules import OURS, without_rules

_FLOOD = "Heavy rain flooded the old town."

_ALL: Final = (
    Construction(
        "antonymy",
        4,
        "crossexam.constructions.antonymy:antonymy",
        "competence",
        "a sentence, and its copy with an adjective or noun replaced by an antonym",
        "Naik et al. 2018, section 3.1",
        ("The soup was hot.", "The soup was cold.", "contradiction"),
        keeps_label=False,
        labels=("contradiction",),
        edits=("premise", "hypothesis"),  # the premise only by the released rules
        unique_pairs=True,
        per_sentence=True,
        needs_gold=False,
        uses=("tagger", "wordnet", "forms"),
        options="crossexam.constructions.antonymy:Options",
        key=("pair",),
        keys_are_sampled=True,
    ),
    Construction(
        "numerical_reasoning",
        4,
        "crossexam.constructions.numerical_reasoning:numerical_reasoning",
        "competence",
        "a sentence with a quantity, and its copy with the quantity changed or prefixed",
        "Naik et al. 2018, section 3.1",
        ("Ada has 350 marbles.", "Ada has less than 750 marbles.", "entailment"),
        keeps_label=False,
        edits=("premise", "hypothesis"),
        unique_pairs=True,
        per_sentence=True,
        reads_problems=True,
        uses=("tagger", "recognizer"),
        key=("how",),
        options="crossexam.constructions.numerical_reasoning:Options",
    ),
    Construction(
        "word_overlap",
        1,
        "crossexam.constructions.tautology:word_overlap",
        "distraction",
        '"and true is true" after the hypothesis',
        "Naik et al. 2018, section 3.2",
        (_FLOOD, "The town was wet and true is true.", "entailment"),
        draws=False,
        options="crossexam.constructions.tautology:Options",
    ),
    Construction(
        "negation",
        1,
        "crossexam.constructions.tautology:negation",
        "distraction",
        '"and false is not true" after the hypothesis',
        "Naik et al. 2018, section 3.2",
        (_FLOOD, "The town was wet and false is not true.", "entailment"),
        draws=False,
        options="crossexam.constructions.tautology:Options",
    ),
    Construction(
        "length_mismatch",
        1,
        "crossexam.constructions.tautology:length_mismatch",
        "distraction",
        '"and true is true" five times after the premise',
        "Naik et al. 2018, section 3.2",
        (
            "Heavy rain flooded the old town" + " and true is true" * 5 + ".",
            "The town was wet.",
            "entailment",
        ),
        edits=("premise",),
        draws=False,
        options="crossexam.constructions.tautology:LengthOptions",
    ),
    Construction(
        "spelling_error_mixed_content_word",
        1,
        "crossexam.constructions.spelling_error:mixed_content_word",
        "noise",
        "adjacent letters swapped or a keyboard error in a noun or adjective of the hypothesis",
        "Naik et al. 2018, section 3.3 and appendix C",
        (_FLOOD, "The twon was wet.", "entailment"),
        uses=("tagger", "wordnet"),
        options="crossexam.constructions.spelling_error:Options",
    ),
    Construction(
        "spelling_error_mixed_function_word",
        1,
        "crossexam.constructions.spelling_error:mixed_function_word",
        "noise",
        "adjacent letters swapped or a keyboard error in a conjunction, pronoun or article",
        "Naik et al. 2018, appendix C",
        (_FLOOD, "Teh town was wet.", "entailment"),
        uses=("tagger", "wordnet"),
        options="crossexam.constructions.spelling_error:Options",
    ),
    Construction(
        "spelling_error_content_word",
        1,
        "crossexam.constructions.spelling_error:content_word",
        "noise",
        "a keyboard error in a noun or adjective of the hypothesis",
        "Crossexam",
        (_FLOOD, "The towm was wet.", "entailment"),
        uses=("tagger", "wordnet"),
    ),
    Construction(
        "spelling_error_function_word",
        1,
        "crossexam.constructions.spelling_error:function_word",
        "noise",
        "a keyboard error in a conjunction, pronoun or article of the hypothesis",
        "Crossexam",
        (_FLOOD, "Tje town was wet.", "entailment"),
        uses=("tagger", "wordnet"),
    ),
    Construction(
        "spelling_error_keyboard_swap",
        1,
        "crossexam.constructions.spelling_error:keyboard_swap",
        "noise",
        "a keyboard error in any word of the hypothesis",
        "Naik et al. 2018, section 3.3 and appendix C",
        (_FLOOD, "The town qas wet.", "entailment"),
        uses=("wordnet",),
        options="crossexam.constructions.spelling_error:Options",
    ),
    Construction(
        "spelling_error_adjacent_swap",
        1,
        "crossexam.constructions.spelling_error:adjacent_swap",
        "noise",
        "two adjacent letters swapped in a word of the hypothesis",
        "Naik et al. 2018, section 3.3 and appendix C",
        (_FLOOD, "The town aws wet.", "entailment"),
        uses=("wordnet",),
        options="crossexam.constructions.spelling_error:Options",
    ),
    Construction(
        "tautology",
        1,
        "crossexam.constructions.tautology:tautology",
        "distraction",
        '"and green is not red", or another tautology (--tautology), after the hypothesis',
        "Naik et al. 2018, section 4.6",
        (_FLOOD, "The town was wet and green is not red.", "entailment"),
        draws=False,
        options="crossexam.constructions.tautology:TautologyOptions",
    ),
    Construction(
        "distractor_passage",
        1,
        "crossexam.constructions.distractor_passage:distractor_passage",
        "distraction",
        "a passage of another item before, after or around a premise of several sentences",
        "Crossexam",
        ("The bus was late. Ann walked. Rain fell. The well is full.", "Ann went on foot.", "entailment"),
        edits=("premise",),
        uses=("passages",),
        options="crossexam.constructions.distractor_passage:Options",
    ),
    Construction(
        "sentence_shuffle",
        1,
        "crossexam.constructions.sentence_shuffle:sentence_shuffle",
        "distraction",
        "the sentences of the premise in another order",
        "Crossexam",
        ("Ann walked. The bus was late.", "Ann went on foot.", "entailment"),
        edits=("premise",),
    ),
    Construction(
        "spelling_error_premise",
        1,
        "crossexam.constructions.spelling_error:premise",
        "noise",
        "a keyboard error in each sentence of a premise of several sentences",
        "Crossexam",
        ("The bus qas late. Ann walkef.", "Ann went on foot.", "entailment"),
        edits=("premise",),
        uses=("wordnet",),
        options="crossexam.constructions.spelling_error:PremiseOptions",
    ),
    Construction(
        "so_swap",
        2,
        "crossexam.constructions.so_swap:so_swap",
        "compositionality",
        "a sentence, and its copy with subject and object swapped",
        "Nie et al. 2019, section 3.1",
        ("The sailor is pulling an old cart.", "An old cart is pulling the sailor.", "contradiction"),
        keeps_label=False,
        labels=("contradiction",),
        unique_pairs=True,
        per_sentence=True,
        draws=False,
        uses=("parser", "wordnet", "forms"),
        options="crossexam.constructions.so_swap:Options",
        key=("subject", "verb", "object"),
        keys_are_sampled=True,
    ),
    Construction(
        "so_swap_plausible",
        1,
        "crossexam.constructions.so_swap_plausible:so_swap_plausible",
        "compositionality",
        "a sentence, and its copy with subject and object swapped, either of which could be true",
        "Crossexam",
        ("The gardener chases two geese.", "Two geese chase the gardener.", "contradiction"),
        keeps_label=False,
        labels=("contradiction",),
        unique_pairs=True,
        per_sentence=True,
        draws=False,
        uses=("parser", "wordnet", "forms"),
        key=("subject", "verb", "object"),
        keys_are_sampled=True,
    ),
    Construction(
        "add_amod",
        3,
        "crossexam.constructions.add_amod:add_amod",
        "compositionality",
        "an adjective before one noun of the premise, and before another in the hypothesis",
        "Nie et al. 2019, section 3.1",
        ("A small truck passed the boat.", "A truck passed the small boat.", "neutral"),
        keeps_label=False,
        labels=("neutral",),
        edits=("premise", "hypothesis"),
        unique_pairs=True,
        per_sentence=True,
        uses=("tagger", "parser", "wordnet", "adjectives"),
        options="crossexam.constructions.add_amod:Options",
        key=("adjective", "nouns"),
        keys_are_sampled=True,
    ),
    Construction(
        "word_shuffle",
        1,
        "crossexam.constructions.word_shuffle:word_shuffle",
        "ablation",
        "the words of premise and hypothesis shuffled; an ablation, not a test of robustness",
        "Nie et al. 2019, section 4.1",
        ("Rain heavy the flooded town old.", "was The wet town.", "entailment"),
        edits=("premise", "hypothesis"),
    ),
    Construction(
        "word_shuffle_premise",
        1,
        "crossexam.constructions.word_shuffle:word_shuffle_premise",
        "ablation",
        "the words of the premise shuffled; an ablation, not a test of robustness",
        "Nie et al. 2019, section 4.1",
        ("Rain heavy the flooded town old.", "The town was wet.", "entailment"),
        edits=("premise",),
    ),
    Construction(
        "word_shuffle_hypothesis",
        1,
        "crossexam.constructions.word_shuffle:word_shuffle_hypothesis",
        "ablation",
        "the words of the hypothesis shuffled; an ablation, not a test of robustness",
        "Nie et al. 2019, section 4.1",
        (_FLOOD, "was The wet town.", "entailment"),
    ),
    Construction(
        "identity",
        1,
        "crossexam.constructions.consistency:identity",
        "consistency",
        "the premise and itself",
        "Minervini & Riedel 2018 (arXiv 1808.08609)",
        (_FLOOD, _FLOOD, "entailment"),
        keeps_label=False,
        labels=("entailment",),
        edits=(),
        unique_pairs=True,
        draws=False,
    ),
    Construction(
        "symmetry",
        1,
        "crossexam.constructions.consistency:symmetry",
        "consistency",
        "premise and hypothesis exchanged",
        "Li et al. 2019 (arXiv 1909.00126)",
        ("The town was wet.", _FLOOD, None),
        keeps_label=False,
        labels=(),
        edits=(),
        draws=False,
    ),
    Construction(
        "negated_hypothesis",
        1,
        "crossexam.constructions.consistency:negated_hypothesis",
        "consistency",
        '"It is not the case that" before the hypothesis',
        "Crossexam",
        (_FLOOD, "It is not the case that the town was wet.", None),
        keeps_label=False,
        labels=(),
        draws=False,
        uses=("tagger", "wordnet"),
    ),
    Construction(
        "double_negation",
        1,
        "crossexam.constructions.consistency:double_negation",
        "consistency",
        '"It is not the case that" before the hypothesis, twice',
        "Crossexam",
        (_FLOOD, "It is not the case that it is not the case that the town was wet.", None),
        keeps_label=False,
        labels=(),
        draws=False,
        uses=("tagger", "wordnet"),
    ),
    Construction(
        "conjunction",
        1,
        "crossexam.constructions.consistency:conjunction",
        "consistency",
        '"and" and the premise after the hypothesis',
        "Crossexam",
        (_FLOOD, "The town was wet and heavy rain flooded the old town.", None),
        keeps_label=False,
        labels=(),
        draws=False,
        uses=("tagger", "wordnet"),
    ),
    Construction(
        "transitivity",
        1,
        "crossexam.constructions.consistency:transitivity",
        "consistency",
        "hypothesis and premise, each with a copy of the hypothesis that has an antonym",
        "Li et al. 2019 (arXiv 1909.00126)",
        ("The town was wet.", "The town was dry.", None),
        keeps_label=False,
        labels=(),
        uses=("tagger", "wordnet", "forms"),
    ),
)


def _only(name: str, control: str) -> Function:
    """Return the function of the swap *name*, which selects its items from those of its family."""

    def function(*given: Any, **options: Any) -> Iterator[Yielded]:
        swaps = resolve_name("crossexam.constructions.word_pair_swaps:swaps")
        for made, outcome in swaps(control, *given, **options):
            if made == name:
                yield outcome

    function.__doc__ = f"Yield the item of the set {name} built from an example."
    return function


_CUP: Final = "A full cup is on a table."
_DOG: Final = "A dog runs."
_PAPER: Final = "Sanchez Carmona et al. 2018, section "
_BOTH: Final[tuple[Side, ...]] = ("premise", "hypothesis")


def _swap(
    name: str,
    family: str,
    control: str | None,
    summary: str,
    section: str,
    illustration: tuple[str, str, Label],
    *,
    keeps_label: bool = True,
    labels: tuple[Label, ...] = LABELS,
    edits: tuple[Side, ...] = _BOTH,
) -> Construction:
    return Construction(
        name,
        4,
        _only(name, family),
        "behaviour",
        summary,
        _PAPER + section,
        illustration,
        keeps_label=keeps_label,
        labels=labels,
        edits=edits,
        uses=("tagger", "wordnet", "word_pairs"),
        options="crossexam.constructions.word_pair_swaps:Options",
        control=control,
        drawn_as=family,
        key=(PAIR,),
        keys_are_sampled=True,
    )


_CONTRADICTION: Final[tuple[Label, ...]] = ("contradiction",)

# fmt: off
_SWAPS: Final = (
    _swap("i_a", "i_a", None, "contradictions with antonyms, one in each sentence", "5.2",
          (_CUP, "An empty cup is on a table.", "contradiction"), labels=_CONTRADICTION, edits=()),
    _swap("i_ta1", "i_a", "i_a", "the antonyms exchanged", "5.3",
          ("An empty cup is on a table.", "A full cup is here.", "contradiction"), labels=_CONTRADICTION),
    _swap("i_ta2", "i_a", "i_a", "the antonym in the hypothesis replaced by a relative of the premise's",
          "6.1", (_CUP, "A filled cup is here.", "entailment"), keeps_label=False, edits=("hypothesis",)),
    _swap("i_ta3", "i_a", "i_a", "the antonym in the premise replaced by a relative of the hypothesis's",
          "6.1", ("A hollow cup is on a table.", "An empty cup is here.", "entailment"), keeps_label=False,
          edits=("premise",)),
    _swap("e_a", "i_a", "i_a", "one of the sentences on both sides, with either antonym", "5.3",
          (_CUP, "An empty cup is on a table.", "contradiction"), labels=_CONTRADICTION),
    _swap("e_ta", "i_a", "e_a", "as e_a, with the antonyms exchanged", "5.3",
          ("An empty cup is on a table.", _CUP, "contradiction"), labels=_CONTRADICTION),
    _swap("i_h", "i_h", None, "a hypothesis with a hypernym or hyponym of a word in the premise", "5.2",
          (_DOG, "An animal runs.", "entailment"), edits=()),
    _swap("i_th", "i_h", "i_h", "the word and its hypernym or hyponym exchanged", "5.3",
          ("An animal runs.", _DOG, "neutral"), keeps_label=False),
    _swap("e_h", "i_h", "i_h", "one of the sentences on both sides, with either word", "5.3",
          (_DOG, "An animal runs.", "entailment"), keeps_label=False),
    _swap("e_th", "i_h", "e_h", "as e_h, with the words exchanged", "5.3",
          ("An animal runs.", _DOG, "neutral"), keeps_label=False),
)
# fmt: on

#: The ten constructions, each control before those derived from it.
SWAPS: Final[dict[str, Construction]] = {each.name: each for each in _SWAPS}
#: The controls, whose names the families have.
FAMILIES: Final = tuple(dict.fromkeys(str(each.drawn_as) for each in _SWAPS))

#: The entry points by which other distributions add constructions.
PLUG_INS: Final = "crossexam.constructions"
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")


def added(taken: Container[str]) -> Iterator[Construction]:
    """Yield the constructions that other installed distributions add.

    Raises CrossexamError for what is not a construction, or if its name is *taken* or cannot be used.
    """
    names = set[str]()
    for value, where, source in plug_ins(PLUG_INS):
        if not isinstance(value, Construction):
            raise CrossexamError(
                f"it is a {type(value).__name__}", where=where, wanted="an object of the class Construction"
            )
        name = value.name
        if name in taken or name in names or name == BASE:
            raise CrossexamError(f"there is already a construction called '{name}'", where=where)
        if not _NAME.fullmatch(name) or without_rules(name)[1] != OURS:
            raise CrossexamError(
                f"'{name}' cannot be the name of a construction",
                where=where,
                wanted="lower-case letters, digits and _; not ending in _released, _paper or _authors",
            )
        if value.test_class not in get_args(TestClass):
            raise CrossexamError(
                f"its test_class is {shown(value.test_class)}",
                where=where,
                wanted=", ".join(get_args(TestClass)),
            )
        names.add(name)
        yield replace(value, plug_in=source)


_OWN: Final = {each.name: each for each in _ALL}

#: The constructions that can be applied to any base.
CONSTRUCTIONS: Final[dict[str, Construction]] = {
    **_OWN,
    **{each.name: each for each in added({**_OWN, **SWAPS})},
}

#: The same and the word-pair swaps, which also require word pairs and a training corpus.
KNOWN: Final[dict[str, Construction]] = {**CONSTRUCTIONS, **SWAPS}


def construction_named(name: str) -> Construction:
    """Return the construction called *name*, with or without its version and rules.

    Raises UnknownNameError.

    >>> construction_named("negation.v1").name, construction_named("antonymy_released").options.rules
    ('negation', 'released')
    """
    made_by, _, version = name.partition(".")
    construction = known_construction(made_by)
    if construction is None or (version and version != f"v{construction.version}"):
        raise UnknownNameError("construction", name, KNOWN)
    return construction


@cache
def known_construction(made_by: str) -> Construction | None:
    """Return the construction that makes test sets called *made_by*, under its rules; None if none does."""
    bare, rules = without_rules(made_by)
    construction = KNOWN.get(bare)
    if construction is None or rules == OURS:
        return construction
    return construction.under(rules) if rules in construction.known_rules else None
