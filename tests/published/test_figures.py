"""The published figures: whose they are, how they are found, and what the papers' claims rest on."""

from statistics import mean

import pytest

from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.published.figures import published, published_studies, split_of, study_from_toml
from crossexam.suites.challenge_sets import CHALLENGES
from crossexam.suites.cross_dataset_corpora import MEMBERS
from made.cases import for_each, refused

STUDY, ZHANG = published("naik2018"), published("zhang2020")
SPLITS = ("matched", "mismatched")


def test_every_column_is_a_test_set_of_ours_and_every_row_a_known_system() -> None:
    for key in ("accuracy", "false_neutral", "distraction_training", "spelling_error", "set_size", "human"):
        for column in STUDY.table(key).columns:
            assert column.partition(".")[0] in {"base", *CONSTRUCTIONS}, column
            assert column.partition(".")[2] in {"", *SPLITS}, column
    for key in ("accuracy", "false_neutral", "distraction_training", "antonymy_errors", "spelling_error"):
        assert set(STUDY.table(key).rows) <= set(STUDY.systems)


def test_a_figure_is_found_by_construction_and_part() -> None:
    figures = {
        ("negation", "multinli_dev_matched"): 39.5,
        ("negation", "dev_mismatched"): 40.0,
        ("numerical_reasoning", "aqua_test"): 21.2,
        ("numerical_reasoning", None): 21.2,
        ("negation", "snli_dev"): None,
        ("negation", "unmatched"): None,
        ("tautology", "dev_matched"): None,
    }
    assert {place: STUDY.table("accuracy").value("NB", *place) for place in figures} == figures
    for part in ("snli_1_0_dev", "dev_matched", "multinli_1_0_dev_mismatched"):
        parts = (part, f"{part}_1000", f"{part}_hard", f"my_{part}")  # those of a part are not
        assert [split_of(each) is not None for each in parts] == [True, False, False, False]


@pytest.mark.parametrize("split", SPLITS)
def test_means_are_recomputed(split: str) -> None:
    claims = {each.name: each for each in STUDY.claims}
    rows = STUDY.table("accuracy").cells.values()
    drop = mean(row[f"base.{split}"] - row[f"negation.{split}"] for row in rows)
    stated = claims[f"mean drop on negation, {split}"]
    assert round(drop, 2) == stated.computed
    assert abs(stated.stated - drop) > 0.05  # the paper's own figure is not the mean of its table
    rows = STUDY.table("antonymy_errors").cells.values()
    share = mean(row[f"C-E.{split}"] for row in rows)
    stated = claims[f"mean share of false entailment in errors on antonymy, {split}"]
    assert share == pytest.approx(stated.computed, abs=1e-3)
    assert round(share, 1) == stated.stated
    for row in rows:  # one gold class: errors are of two kinds
        assert row[f"C-E.{split}"] + row[f"C-N.{split}"] == pytest.approx(100)


def test_every_construction_that_knows_other_rules_says_how_ours_differ() -> None:
    literal = {name for name, each in CONSTRUCTIONS.items() if len(each.known_rules) > 1}
    said = {name for key in published_studies() for name in published(key).differences.get("ours", {})}
    assert literal <= said <= {"*", "cs_0_5", "cs_0_6", "cs_0_7", *CONSTRUCTIONS}


def test_unknown_names_and_malformed_studies_are_refused() -> None:
    assert refused(published, "naik2081").has("'naik2081'", "did you mean 'naik2018'")
    assert refused(STUDY.table, "acuracy").has("no table of naik2018 is called 'acuracy'")
    assert refused(STUDY.table("accuracy").value, "BILSTM", "base.matched").has("'BILSTM'")
    table = (
        '[systems]\n[tables.t]\ncaption = "c"\nplace = "p"\ncolumns = ["a", "b"]\n[tables.t.rows]\nNB = [1]'
    )
    wrong = {
        "key = ": "x.toml: not TOML",
        'key = "x"': "x.toml: field 'citation' is missing",
        f'key = "x"\ncitation = "c"\nsource = "s"\n{table}': "x.toml, t, NB: 1 figures\n",
    }
    for text, message in wrong.items():
        assert refused(study_from_toml, text, where="x.toml").startswith(message)


def test_the_published_majority_is_always_neutral() -> None:
    """Table 5's row Majority is the share of neutral or not_entailment in Table 4, within halves."""
    for member in MEMBERS.values():
        share = member.shares.get("neutral", member.shares.get("not_entailment", 0.0))
        found = ZHANG.table("accuracy").value("Majority", member.key)
        assert found == pytest.approx(share, abs=3.1), member.key  # WNLI's halves of 353 differ most


def test_the_figures_on_challenge_sets_belong_to_their_test_sets() -> None:
    parts = {each.part: challenge for challenge in CHALLENGES.values() for each in challenge.sets}

    def check(key: str) -> None:
        study = published(key)
        assert study.source.startswith("https://")
        for table in study.tables.values():
            assert set(table.rows) <= set(study.systems)
            assert all(0 <= value <= 100 for row in table.cells.values() for value in row.values())
            for column in table.columns:
                part, _, of = column.partition(".")
                challenge = parts[part]
                assert key in challenge.studies
                assert not of or of.partition("=")[0] in (*challenge.slices, *challenge.more)

    for_each(check, sorted({key for challenge in CHALLENGES.values() for key in challenge.studies}))
    tables = [(key, table) for key in published_studies() for table in published(key).tables.values()]
    unchecked = {key for key, table in tables if not table.checked}  # not compared with the paper
    assert unchecked == {"chen2018", "chen2021", "geiger2020", "maccartney2008"}
