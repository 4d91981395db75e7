"""AddAmod: where the adjective goes, which nouns and adjectives are taken, and why others are not."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from crossexam.constructions.apply import apply_construction
from crossexam.constructions.check import run_checks
from crossexam.constructions.rules.add_amod import Entities, Entity, Premise, against
from crossexam.core.dataset import Dataset
from crossexam.core.example import SIDES
from crossexam.corpora.spec import CorpusSpec
from crossexam.language.lexicons.counts import CountTable
from crossexam.language.noun_phrases import noun_phrases
from crossexam.language.tokens import Parsed, words
from made.cases import each_row
from made.items import made_by
from made.sentences import tagged


def counted(folder: Path, counts: Mapping[str, Mapping[str, int]]) -> dict[str, str]:
    """Options with a table of the counts of adjectives by noun."""
    pairs = {(noun, each): n for noun, row in counts.items() for each, n in row.items()}
    CountTable(pairs, "test").write(folder / "counts.tsv")
    return {"adjectives": str(folder / "counts.tsv")}


def only(folder: Path, adjectives: str, nouns: str) -> dict[str, str]:
    """Options with a table that has each of the adjectives once with each of the nouns."""
    return counted(folder, {noun: dict.fromkeys(adjectives.split(), 1) for noun in nouns.split()})


@each_row
def test_where_the_adjective_stands(
    rules: str, words: str, adjective: str, nouns: str, expected: list[str], *, tmp_path: Path
) -> None:
    """The new premise and hypothesis, in the order of where it stands."""
    (item,), rejected = made_by("add_amod", tagged(words), **only(tmp_path, adjective, nouns), rules=rules)
    assert (item.label, rejected) == ("neutral", {})
    assert run_checks(Dataset("add_amod", [item]), Dataset("base", [tagged(words)])) == []
    starts = {side: max(e.start for e in item.change.edits if e.side == side) for side in SIDES}
    assert [item.text(side) for side in sorted(starts, key=starts.__getitem__)] == expected


@each_row
def test_why_there_is_no_item(
    rules: str, words: str, adjectives: str, nouns: str, reason: str, *, tmp_path: Path
) -> None:
    items, rejected = made_by("add_amod", tagged(words), **only(tmp_path, adjectives, nouns), rules=rules)
    assert (items, rejected) == ([], {reason: 1})


def test_an_adjective_that_is_usual_of_a_noun_is_not_added(tmp_path: Path) -> None:
    base = tagged("A/DT goat/NN on/IN a/DT truck/NN near/IN a/DT boat/NN")
    more_than_three_in_five, fewer, too_few_to_say = (7, 3, 0), (6, 4, 1), (7, 0, 1)
    for red, others, items in (more_than_three_in_five, fewer, too_few_to_say):
        counts = {"boat": {"red": red, "green": others}, "truck": {"red": 9, "old": 9}}
        assert len(made_by("add_amod", base, **counted(tmp_path, counts))[0]) == items


def test_both_directions_are_of_one_cluster_and_say_how_often_the_nouns_have_it(tmp_path: Path) -> None:
    options = counted(tmp_path, {"goat": {"old": 1}, "truck": {"old": 2}})
    base = tagged("A/DT goat/NN near/IN a/DT truck/NN")
    (first, second), _ = made_by("add_amod", base, **options, both_directions=True)
    assert (first.premise, first.hypothesis) == (second.hypothesis, second.premise)
    assert first.info["cluster"] == second.info["cluster"]
    for item in (first, second):
        told = dict(zip(item.info["nouns"], item.info["counts"], strict=True))
        assert all(("goat" in noun) == (count == 1) for noun, count in told.items())


@each_row
def test_what_the_parse_says_of_two_nouns(text: str, tags: str, links: str, reason: str | None) -> None:
    tokens = tuple(token._replace(tag=tag) for token, tag in zip(words(text), tags.split(), strict=True))
    heads, relations = zip(*(link.split(":", 1) for link in links.split()), strict=True)
    parse = Parsed(tokens, tuple(map(int, heads)), relations)
    premise = Premise(text, tokens, [*noun_phrases(tokens, parse)], parse)
    entities = [Entity(premise, phrase) for phrase in premise.phrases]
    two = Entities(*(each for each in entities if each.noun in {"nurse", "pilot"}))
    assert [rule.reason for rule in against(two)] == ([] if reason is None else [reason])


@pytest.mark.slow
def test_the_rules_of_the_paper_make_at_least_as_many_items_as_the_paper(shared_data: Path) -> None:
    base = CorpusSpec.parse(f"snli@{shared_data / 'snli' / 'snli_1.0_dev.jsonl'}").examples()
    items, _ = apply_construction("add_amod", base, options={"rules": "paper"})
    assert len(items) >= 1_783
