"""Challenge sets: from files in the formats of their authors to test sets and slices."""

import shutil
from fractions import Fraction
from pathlib import Path

import pytest

import crossexam as cx
from crossexam.core.manifest import CHALLENGE
from crossexam.reports.analyses.challenge import challenge_tables, more_challenge_tables
from crossexam.reports.results import results_of
from crossexam.suites.challenge_sets import CHALLENGES
from made.cases import each_row, refused

#: A small file of each challenge set.
FILES = Path(__file__).parents[1] / "data" / "suites" / "challenge"


@pytest.fixture
def everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSEXAM_DATA", str(FILES))


def test_there_is_a_test_set_per_corpus_round_and_part(everything: None) -> None:
    suite = cx.build("challenge")
    sizes = " ".join(f"{name.removeprefix('base.')}:{len(each)}" for name, each in suite.datasets.items())
    # FraCaS has a fourth problem without an answer
    assert sizes == (
        "hans:6 anli_r1:3 anli_r2:3 anli_r3:3 breaking_nli:3 monli_positive:2 monli_negative:2 med:4 "
        "conjnli:4 fracas:3 chaosnli_snli:3 snli_hard:3 multinli_hard_matched:2"
    )
    projections = {each.name.removeprefix("base."): each.entry.projection for each in suite}
    assert projections == {
        **dict.fromkeys(projections),
        **dict.fromkeys(("hans", "med"), "two labels"),
        **dict.fromkeys(("monli_positive", "monli_negative"), "no contradiction"),
    }
    facts = suite["base.anli_r2"].entry.facts[CHALLENGE]
    assert facts == {"name": "anli", "title": "round 2", "of": 3, "published_items": 1000}
    assert "|selected:hard" in str(suite["base.multinli_hard_matched"].entry.signature)
    # a new line needs a file
    assert {each.entry.facts[CHALLENGE]["name"] for each in suite} == set(CHALLENGES)


def test_only_some_of_them_and_what_is_not_installed(data: Path) -> None:
    assert "none of the challenge sets is installed\n" in refused(cx.build, "challenge")
    shutil.copy(FILES / "MED.tsv", data)
    for part in ("R1", "R3"):
        shutil.copytree(FILES / part, data / part)
    suite = cx.build("challenge", options={"challenge": {"only": " med , anli "}})
    assert list(suite.datasets) == ["base.anli_r1", "base.anli_r3", "base.med"]
    assert "no challenge set is called 'hanz'" in refused(cx.build, "challenge", only=["anli,hanz"])
    assert "not installed: hans, fracas\n" in refused(cx.build, "challenge", only=["med,fracas,hans"])
    shutil.copy(FILES / "multinli_1.0_dev_matched.jsonl", data)
    (dataset,) = cx.build("challenge", only=["multinli_hard"]).datasets.values()
    assert [example.id for example in dataset] == ["0e", "2c"]


def test_a_limit_draws_from_the_whole_file(everything: None) -> None:
    """The pairs of HANS are sorted: the first ones are all of one subcase."""
    suites = [cx.build("challenge", "hans", limit=2, seed=seed)["base.hans"] for seed in range(6)]
    drawn = {tuple(example.id for example in dataset) for dataset in suites}
    assert len(drawn) > 2
    assert all(names == tuple(sorted(names)) and len(names) == 2 for names in drawn)


@each_row
def test_slices_by_hand(
    name: str, title: str, answer: str, chance: str, expected: dict[str, tuple[int, int]], *, everything: None
) -> None:
    run = cx.run(lambda pairs: [answer] * len(pairs), cx.build("challenge", name))
    results = results_of([run])
    tables = (*challenge_tables(results), *more_challenge_tables(results))
    found = next(each for each in tables if each.title == title)
    n = [each.header for each in found.columns].index("Items")
    shares = {
        " / ".join(filter(None, row[:n])): (row[n], getattr(row[n + 1], "value", row[n + 1]))
        for row in found.rows
    }
    by_hand = {cells: (n, right / n) for cells, (n, right) in expected.items()}
    assert shares == {**by_hand, "chance": (None, float(Fraction(chance)))}
