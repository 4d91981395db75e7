"""Being in the table of constructions is being tested, by whichever rules items are made."""

from collections.abc import Callable

import pytest

from crossexam.constructions.apply import apply_construction
from crossexam.constructions.check import run_checks
from crossexam.constructions.entry import Construction
from crossexam.constructions.keys import key_of
from crossexam.constructions.pair_matching import PairTable
from crossexam.constructions.table import CONSTRUCTIONS, KNOWN, SWAPS
from crossexam.constructions.word_pair_swaps import LEAST_OCCURRENCES
from crossexam.core.dataset import Dataset
from crossexam.core.example import Example
from crossexam.language.lexicons.word_pairs import WordPair
from crossexam.language.word_pair_index import WordPairIndex
from crossexam.suites.behaviour import PairResources
from crossexam.suites.table import SUITES
from made.cases import for_each, refused

BaseOf = Callable[[Construction], list[Example]]


@pytest.fixture(scope="module")
def base_of(request: pytest.FixtureRequest) -> BaseOf:
    """Return the base of a construction: six pairs, and those that show what its resources are used for."""
    showing = {"parser": "parsed", "word_pairs": "pairs"}

    def base(construction: Construction) -> list[Example]:
        names = ["corpus", *(showing[use] for use in construction.uses if use in showing)]
        if construction.reads_problems:
            names = ["problems"]
        elif construction.name in SUITES["documents"].constructions:
            names = ["documents"]
        return [example for name in names for example in request.getfixturevalue(f"tiny_{name}")]

    return base


@pytest.fixture(scope="module")
def resources(tiny_pairs: list[Example]) -> PairResources:
    """All that is looked up; the training corpus has each pair as often as a relative must occur."""
    antonyms = [WordPair("old", "young", "antonym", "a"), WordPair("man", "woman", "antonym", "n")]
    hypernyms = [WordPair("dog", "animal", "hypernym", "n")]
    found = PairResources("parses", antonyms=PairTable(antonyms), hypernyms=PairTable(hypernyms))
    found.index = WordPairIndex.build(tiny_pairs * LEAST_OCCURRENCES)
    return found


def test_items_pass_the_checks_and_name_their_construction_and_base(
    base_of: BaseOf, resources: PairResources, golden: Callable[[str, str], None]
) -> None:
    """They are compared with the base, or with the items of a control, which are examples as they are."""

    def check(construction: Construction) -> None:
        name, base = construction.name, base_of(construction)
        items, counts = apply_construction(name, base, resources=resources)
        assert (counts["items"], counts["examples"]) == (len(items), len(base))
        assert len({item.id for item in items}) == len(items) > 0
        other = apply_construction(name, base, seed=1, resources=resources)[0]
        assert construction.draws or items == other
        assert {item.label for item in items} <= {*construction.labels, None}
        assert not construction.key or all(key_of(item, construction) for item in items)
        control = construction.control
        compared = apply_construction(KNOWN[control], base, resources=resources)[0] if control else base
        of_base = None if construction.reads_problems else Dataset("base", compared)
        findings = run_checks(Dataset(name, items), of_base)
        assert [finding for finding in findings if finding.code.startswith("E")] == []
        by_id = {each.id: each for each in compared}
        for item in items:
            assert item.id.startswith(f"{name}:")
            if item.change is None:
                assert not construction.edits
                assert item.base is None
                continue
            assert item.change.construction == construction.versioned
            named = item.base or ""
            assert (named if control else named.partition(":")[0]) in by_id
        lines = [f"{item.label}\n  {item.premise}\n  {item.hypothesis}" for item in items]
        lines += [f"rejected: {reason}: {count}" for reason, count in counts["rejected"].items()]
        golden(f"{name}.txt", "\n".join(lines) + "\n")

    for_each(check, KNOWN.values())


def test_an_empty_sentence_is_rejected_or_ignored(resources: PairResources) -> None:
    empty = Example("e", "", "", "contradiction", info={"premise_tags": [], "hypothesis_tags": []})

    def check(construction: Construction) -> None:
        items, counts = apply_construction(construction.name, [empty], resources=resources)
        assert items == []
        # what has no control is counted as a rejection of the control
        assert counts["rejected"] or construction.per_sentence or construction.control

    for_each(check, KNOWN.values())


def test_what_cannot_be_made_is_refused_by_name() -> None:
    for name, options, said in (
        ("negation.v9", {}, "no construction is called 'negation.v9'"),
        ("tautology", {"clause": " "}, "the tautology is empty"),
        *((name, {}, f"'{name}' needs") for name in SWAPS),
    ):
        assert said in refused(apply_construction, name, [], options=options)


def test_items_of_other_rules_say_so_and_pass_every_check(base_of: BaseOf, resources: PairResources) -> None:
    def check(construction: Construction, rules: str) -> None:
        base = base_of(construction)
        literal, name = construction.under(rules), f"{construction.name}_{rules}"
        assert (literal.makes, literal.versioned) == (name, f"{name}.v{construction.version}")
        items, _ = apply_construction(literal, base, resources=resources)
        assert items
        assert all(item.change and item.change.construction == literal.versioned for item in items)
        compared = None if construction.reads_problems else Dataset("base", base)
        found = run_checks(Dataset(name, items), compared)
        assert [each for each in found if each.code.startswith(("E", "W6"))] == []  # they are known
        assert apply_construction(literal.versioned, base, resources=resources)[0] == items

    for_each(check, [(each, rules) for each in CONSTRUCTIONS.values() for rules in each.known_rules[1:]])
