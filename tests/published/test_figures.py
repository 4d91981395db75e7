"""The published figures are complete and agree with each other and with the text of the papers."""

import math
from collections.abc import Callable
from statistics import mean
from typing import Any

import pytest

from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.published.figures import Claim, published, published_studies, split_of, study_from_toml
from crossexam.suites.challenge_sets import CHALLENGES
from crossexam.suites.cross_dataset_corpora import MEMBERS

STUDY, NIE, ZHANG = published("naik2018"), published("nie2019"), published("zhang2020")
SPLITS = ("matched", "mismatched")
SIX = ("NB", "CH", "RC", "IS", "BiLSTM", "CBOW")
FOURTEEN = ZHANG.table("accuracy").columns[:14]


def claim(name: str) -> Claim:
    return next(each for each in STUDY.claims if each.name == name)


def figure(table: str, row: str, column: str) -> float:
    found = STUDY.table(table).value(row, column)
    assert found is not None
    return found


# Naik et al. 2018 and Nie et al. 2019


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
    rows = STUDY.table("accuracy").cells.values()
    drop = mean(row[f"base.{split}"] - row[f"negation.{split}"] for row in rows)
    stated = claim(f"mean drop on negation, {split}")
    assert round(drop, 2) == stated.computed
    assert abs(stated.stated - drop) > 0.05  # the paper's own figure is not the mean of its table
    rows = STUDY.table("antonymy_errors").cells.values()
    share = mean(row[f"C-E.{split}"] for row in rows)
    stated = claim(f"mean share of false entailment in errors on antonymy, {split}")
    assert share == pytest.approx(stated.computed, abs=1e-3)
    assert round(share, 1) == stated.stated
    for row in rows:  # one gold class: errors are of two kinds
        assert row[f"C-E.{split}"] + row[f"C-N.{split}"] == pytest.approx(100)


def test_other_claims_are_recomputed() -> None:
    share = 100 * (1703 + 1695) / 4337
    stated = claim("share of false entailment in the errors that NB and BiLSTM share on numerical reasoning")
    assert (round(share, 2), math.floor(10 * share) / 10) == (stated.computed, stated.stated)
    items = figure("set_size", "items", "antonymy.matched")
    right = [figure("accuracy", system, "antonymy.matched") for system in ("RC", "CH")]
    stated = claim("antonymy items that RC and CH both fail, matched")
    both_fail = items - sum(right) / 100 * items + 171
    assert both_fail == pytest.approx(stated.computed, abs=0.01)
    assert abs(both_fail - stated.stated) <= 2 * 0.0005 * items  # two accuracies rounded to 0.1 %
    errors = STUDY.table("error_analysis").cells.values()
    sums = [sum(row[split] for row in errors) for split in SPLITS]
    assert sums == [claim("sum of the sources of error, matched").computed, 100]


def test_every_construction_that_knows_other_rules_says_how_ours_differ() -> None:
    literal = {name for name, each in CONSTRUCTIONS.items() if len(each.known_rules) > 1}
    said = {name for key in published_studies() for name in published(key).differences.get("ours", {})}
    assert literal <= said <= {"*", "cs_0_5", "cs_0_6", "cs_0_7", *CONSTRUCTIONS}


@pytest.mark.parametrize("split", SPLITS)
def test_tables_agree_with_each_other_and_with_the_text(split: str) -> None:
    spelling, accuracy = STUDY.table("spelling_error"), STUDY.table("accuracy")
    for row in spelling.rows:  # Table 8, CN swap, is Table 3's spelling error
        content = f"spelling_error_mixed_content_word.{split}"
        assert spelling.value(row, content) == accuracy.value(row, content) is not None
    for system in SIX:
        base = figure("accuracy", system, f"base.{split}")
        assert all(
            value < base  # section 4.2: "performance of all models drops across all stress tests"
            for column, value in accuracy.cells[system].items()
            if column.endswith(f".{split}") and not column.startswith("base")
        )
        before = figure("false_neutral", system, f"base.{split}")
        for test in ("word_overlap", "length_mismatch"):  # section 4.4: "it increases for all models"
            assert figure("false_neutral", system, f"{test}.{split}") > before


def test_predictions_on_adversaries_add_up_and_agree_with_the_accuracies() -> None:
    for key in ("predictions", "adversarial_training"):
        for row, cells in NIE.table(key).cells.items():
            for test in ("so_swap", "add_amod"):
                total = sum(cells[f"{test}.{label}"] for label in "ECN")
                assert total == pytest.approx(100, abs=0.21), (row, test)  # each is rounded to a tenth
    for row, cells in NIE.table("accuracy").cells.items():
        made = NIE.table("predictions").cells[row]
        assert (cells["so_swap.snli"], cells["add_amod.snli"]) == (made["so_swap.C"], made["add_amod.N"])


def test_unknown_names_and_malformed_studies_are_refused(refused: Callable[..., Any]) -> None:
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


# Zhang et al. 2020


def test_the_published_majority_is_always_neutral() -> None:
    """Table 5's row Majority is the share of neutral or not_entailment in Table 4, within halves."""
    for member in MEMBERS.values():
        share = member.shares.get("neutral", member.shares.get("not_entailment", 0.0))
        found = ZHANG.table("accuracy").value("Majority", member.key)
        assert found == pytest.approx(share, abs=3.1), member.key  # WNLI's halves of 353 differ most


def test_tables_2_and_5_agree() -> None:
    claims = {each.name: each.computed for each in ZHANG.claims}
    for row, cells in ZHANG.table("accuracy").cells.items():
        wanted = claims.get(f"{row}'s mean over fourteen corpora", cells["mean"])
        assert round(mean(cells[corpus] for corpus in FOURTEEN), 1) == wanted, row
        assert cells["mean"] == ZHANG.table("summary").cells[row]["mean"]
    for row, cells in ZHANG.table("summary").cells.items():
        snli, over = cells["snli_test"], cells["mean"]
        assert cells["difference"] == pytest.approx(over - snli, abs=0.101), row
        assert cells["relative"] == pytest.approx(100 * (over / snli - 1), abs=0.25), row


# Challenge sets


CHALLENGE_STUDIES = sorted({key for challenge in CHALLENGES.values() for key in challenge.studies})


def test_the_figures_on_challenge_sets_belong_to_their_test_sets(for_each: Callable[..., None]) -> None:
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

    for_each(check, CHALLENGE_STUDIES)
    tables = [(key, table) for key in published_studies() for table in published(key).tables.values()]
    unchecked = {key for key, table in tables if not table.checked}  # not compared with the paper
    assert unchecked == {"chen2018", "chen2021", "geiger2020", "maccartney2008"}


def test_the_figures_of_natlog_are_those_that_angeli_quotes() -> None:
    """His table has whole percents, cut off or rounded, of 183 problems, of which 129 (70.5 %) are right."""
    problems = (44, 24, 6, 25, 15, 16, 36, 8, 9)
    quoted = (97, 75, 50, 24, 80, 81, 58, 62, 89)
    (row,) = published("maccartney2008").table("accuracy").cells.values()
    found = tuple(row.values())
    right = [round(size * share / 100) for size, share in zip(problems, found, strict=True)]
    shares = [100 * each / size for each, size in zip(right, problems, strict=True)]
    assert found == pytest.approx(shares, abs=0.051)
    assert all(abs(figure - whole) < 1 for figure, whole in zip(found, quoted, strict=True))
    assert sum(right) == 129
