"""By whose rules items are made: ours, those of the paper's text, or those of the authors' script."""

from collections import Counter
from collections.abc import Callable, Iterable

from crossexam.constructions.apply import apply_construction
from crossexam.constructions.check import run_checks
from crossexam.constructions.entry import Construction
from crossexam.constructions.resources import LanguageResources
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.dataset import Dataset
from crossexam.core.example import CORRECT, OPTIONS, RATIONALE, Example
from made.cases import each_row
from made.sentences import tagged

RULES = ("ours", "paper", "released")


def made(
    name: str, example: Example, rules: str, seeds: Iterable[int] = (0,)
) -> tuple[list[Example], dict[str, int]]:
    items: list[Example] = []
    rejected: Counter[str] = Counter()
    for seed in seeds:
        found, counts = apply_construction(
            name, [example], seed=seed, resources=LanguageResources("parses"), options={"rules": rules}
        )
        items += found
        rejected.update(counts["rejected"])
    return items, dict(rejected)


def texts(name: str, example: Example, rules: str, seeds: Iterable[int] = (0,)) -> list[str]:
    return [item.hypothesis for item in made(name, example, rules, seeds)[0]]


def test_items_of_other_rules_say_so_and_pass_every_check(
    for_each: Callable[..., None],
    tiny_corpus: list[Example],
    tiny_problems: list[Example],
    tiny_parsed: list[Example],
) -> None:
    def check(construction: Construction, rules: str) -> None:
        parsed = tiny_parsed if "parser" in construction.uses else []
        base = tiny_problems if construction.reads_problems else [*tiny_corpus, *parsed]
        literal, name = construction.under(rules), f"{construction.name}_{rules}"
        assert (literal.makes, literal.versioned) == (name, f"{name}.v{construction.version}")
        resources = LanguageResources("parses")
        items, _ = apply_construction(literal, base, resources=resources)
        assert items
        assert all(item.change and item.change.construction == literal.versioned for item in items)
        compared = None if construction.reads_problems else Dataset("base", base)
        found = run_checks(Dataset(name, items), compared)
        assert [each for each in found if each.code.startswith(("E", "W6"))] == []  # they are known
        assert apply_construction(literal.versioned, base, resources=resources)[0] == items

    for_each(check, [(each, rules) for each in CONSTRUCTIONS.values() for rules in each.known_rules[1:]])


@each_row
def test_the_script_replaces_nouns_at_the_first_substring(premise: str, expected: list[str]) -> None:
    assert texts("antonymy", tagged(premise), "released") == expected


def test_the_script_knows_lower_case_words_and_writes_the_copy_of_a_hypothesis_into_the_premise() -> None:
    capital = made("antonymy", tagged("The/DT Husband/NN sang/VBD"), "released")
    assert capital == ([], {"the lower-cased word is not in the sentence": 1})
    (item,), _ = made("antonymy", tagged("It/PRP rains/VBZ", "The/DT husband/NN sang/VBD"), "released")
    assert (item.premise, item.hypothesis) == ("The wife sang", "The husband sang")


def problem(
    rationale: str = "", answer: str = "A)27", sentence: str = "Tom/NNP has/VBZ 350/CD pens/NNS"
) -> Example:
    info = {OPTIONS: [answer, "B)1"], CORRECT: "A", RATIONALE: rationale}
    return tagged(sentence, label=None, **info)


def test_the_script_changes_the_first_digit_of_the_first_integer() -> None:
    items, _ = made("numerical_reasoning", problem(), "released", range(400))
    entailed = {item.hypothesis for item in items if item.label == "entailment"}
    less = {f"Tom has less than {digit}50 pens" for digit in (4, 5, 6, 7, 8)}  # never 9
    assert entailed == less | {f"Tom has more than {digit}50 pens" for digit in (1, 2)}  # never 0
    contradicted = Counter(item.hypothesis for item in items if item.label == "contradiction")
    prefixed = {f"Tom has {word} than 350 pens" for word in ("less", "more")}
    assert set(contradicted) == {f"Tom has {digit}50 pens" for digit in (1, 2, 4, 5, 6, 7, 8)} | prefixed
    # half of 400, three standard deviations of 10 and more
    assert 160 < sum(contradicted[text] for text in prefixed) < 240
    assert all(70 < contradicted[text] < 130 for text in prefixed)
    assert {item.premise for item in items if item.label == "neutral"} == entailed


def test_which_problems_and_numbers_the_script_takes() -> None:
    for given, reason in (
        (problem("1\n2\n3\n4\n5\n6"), "rationale of more than 5 lines"),
        (problem(answer="A )27"), None),
        (problem(answer="A)27 km"), "the answer is not a number above 1"),
        (problem(sentence="Tom/NNP has/VBZ $350/CD and/CC 2.5/CD pens/NNS"), "no integer"),
        (problem(sentence="A/DT dog/NN has/VBZ 350/CD pens/NNS"), "no named entity"),
    ):
        items, rejected = made("numerical_reasoning", given, "released")
        assert (len(items), rejected) == ((0, {reason: 1}) if reason else (3, {}))
    # the paper draws any number
    sentence = problem(sentence="In/IN 1990/CD Tom/NNP had/VBD 30/CD pens/NNS")
    for rules, drawn in (("ours", {"30"}), ("paper", {"30", "1990"})):
        items, _ = made("numerical_reasoning", sentence, rules, range(30))
        assert {item.info["quantity"] for item in items} == drawn


@each_row
def test_where_the_paper_and_the_script_put_a_tautology(sentence: str, paper: str, released: str) -> None:
    """At the plus sign; the paper appends them to the end of a premise, and no script does otherwise."""
    pair = Example("e", sentence, sentence, "neutral")
    for name, clause in (("word_overlap", "true is true"), ("tautology", "green is not red")):
        found = [texts(name, pair, rules) for rules in ("paper", "released")]
        assert found == [[text.replace("+", f" and {clause}")] for text in (paper, released)]
    (item,), _ = made("length_mismatch", pair, "paper")
    assert item.premise == sentence.removesuffix(".") + " and true is true" * 5


def test_which_words_and_capitals_the_script_and_our_rules_take() -> None:
    pair = tagged("It/PRP", "Soup/NN cools/VBZ under/IN trees/VBZ")
    content, function = (f"spelling_error_mixed_{kind}_word" for kind in ("content", "function"))
    assert made(content, pair, "released")[1] == {"no word that the script can misspell": 1}
    assert made(function, pair, "ours")[1] == {"no conjunction, pronoun or article": 1}
    cat, the = (Example("e", "p", word, "neutral") for word in ("cat", "The"))
    for rules in RULES:  # a car is another word
        made_by = texts("spelling_error_keyboard_swap", cat, rules, range(60))
        assert ("car" in made_by) is (rules != "ours")
    for example, kind in ((cat, "content"), (the, "function")):
        (item,), _ = apply_construction("spelling_error_keyboard_swap", [example])
        assert item.info["word_class"] == kind
    for rules, swapped in (("ours", {"Hte", "Teh"}), ("paper", {"hTe", "Teh"})):
        assert set(texts("spelling_error_adjacent_swap", the, rules, range(20))) == swapped
    # the script gives the error a capital if the word occurs with one
    first = {
        text.split()[0]
        for text in texts(function, tagged("It/PRP", "Near/IN the/DT Nearest/NNP"), "released", range(40))
    }
    assert "ENar" in first
    assert all(word[0].isupper() for word in first)
