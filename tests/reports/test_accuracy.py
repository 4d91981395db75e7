"""Tables of accuracies, errors and predictions: figures of papers and of judges beside those of models."""

from dataclasses import replace
from typing import Any

from crossexam.core.dataset import Run
from crossexam.core.estimate import Estimate
from crossexam.core.manifest import RunManifest
from crossexam.reports.accuracy import accuracy_table
from crossexam.reports.analyses.errors import error_table, prediction_table
from crossexam.reports.analyses.judged import judged_table
from crossexam.reports.report import make_report
from crossexam.reports.results import results_of
from crossexam.reports.table import MARK, Marked, Table
from made.runs import GOLD_OF, dataset, run_of
from made.shown import headers


def said_of(name: str, golds: str = "CCCC", said: str = "EENC", model: str = "mine", **facts: Any) -> Run:
    """A run over a test set of which nothing but *facts* is known."""
    data = replace(dataset(name, golds), manifest=facts)
    return run_of({name: said}, data, model=model, sure=0.8)


def predicted(*runs: Run) -> Table:
    return prediction_table(results_of(runs))


def test_shares_of_each_label_and_the_published_below() -> None:
    table = predicted(said_of("so_swap.snli_dev"))
    assert table.rows[0] == ("so swap", "contradiction", "mine", 4, 0.5, 0.25, 0.25)
    beside = {str(row[2]): row[4:] for row in table.rows[1:]}
    assert beside["DIIN (published)"] == (0.849, 0.106, 0.045)  # Table 2: E 84.9, C 4.5, N 10.6
    assert beside["Human (published)"] == (0.02, 0.14, 0.84)
    assert beside["ESIM trained with AddAmod (published)"] == (0.731, 0.259, 0.01)  # Table 4
    for name, golds in (("negation.x", "NE"), ("base.x", "NN")):  # several labels, or a base
        assert predicted(said_of(name, golds, "EC")).rows == ()
    for name in ("so_swap.my_corpus", "antonymy.x"):  # a base of another corpus, a set of another study
        assert [row[2] for row in predicted(said_of(name, "CC", "EC")).rows] == ["mine"]


def test_figures_of_three_labels_do_not_stand_beside_models_of_two() -> None:
    run = said_of("so_swap.snli_dev")
    two = replace(run, manifest=RunManifest(details={"two_label": True}), model="two")
    columns = [len(accuracy_table(results_of(runs)).columns) for runs in ([two], [run], [two, run])]
    assert columns[0] == 3 < columns[1] < columns[2]
    assert "84.9" not in make_report(two).text(".md")


def test_published_shares_of_errors_stand_below_those_of_the_models() -> None:
    """Tables 4 and 7 of Naik et al. (2018)."""
    for name, expected in (
        ("antonymy.dev_matched", [("CH (published)", None, 0.9978, 0.0022)]),
        ("word_overlap.dev_mismatched", [("CH (published)", None, None, 0.8533)]),
        ("antonymy.my_corpus", []),
    ):
        rows = error_table(results_of([said_of(name)])).in_words.rows
        assert [row[1:5] for row in rows if row[1] == "CH (published)"] == expected


def accuracies(*names: str, **facts: Any) -> Table:
    """The table of accuracies on test sets of which nothing but *facts* is known."""
    sets = [replace(dataset(name, "CCCC"), manifest=facts) for name in names]
    return accuracy_table(results_of([run_of(dict.fromkeys(names, "CCCC"), *sets)]))


def test_each_study_stands_beside_its_own_test_sets() -> None:
    naik, nie = "Published, Naik et al. 2018", "Published, Nie et al. 2019"
    for name, study, system, share in (
        ("negation.dev_matched", naik, "NB", 0.395),  # Table 3, negation, matched
        ("cs_0_7.multinli_dev_mismatched", nie, "S-TLSTM", 0.5061),  # Table 5, row 4
        ("base.snli_dev", nie, "ESIM", 0.8817),  # Table 5 has it in more digits than Table 2
    ):
        # Without one of its own test sets, no study is beside a base.
        other = "so_swap.snli_dev" if study == nie else "negation.dev_matched"
        table = accuracies(*dict.fromkeys((name, other)))
        assert {column.group for column in table.columns[3:]} == {study}
        assert dict(zip(headers(table), table.rows[0], strict=True))[system] == share


def test_figures_of_a_dev_set_stand_beside_no_other_part() -> None:
    limited = {"signature": "corpus:snli:dev@x|limit:1000|version:0"}
    parts = ("snli_test", "snli_dev_1000", "multinli_dev_matched_300", "my_dev_matched")
    for part, facts in (*((part, {}) for part in parts), ("snli_dev", limited)):
        table = accuracies(*(f"{each}.{part}" for each in ("base", "so_swap", "cs_0_5", "negation")), **facts)
        assert headers(table) == ["Test set", "Items", "m"]
        assert ("built with --limit" in " ".join(table.notes)) == bool(facts)


def test_figures_are_marked_unless_the_rules_are_the_authors() -> None:
    def published(*kinds: str) -> tuple[Any, tuple[str, ...]]:
        """The figures of each system by the rows of the table, and its notes."""
        table = accuracies(*(f"{each}.dev_matched" for each in kinds))
        found = {str(row[0]): dict(zip(headers(table), row, strict=True)) for row in table.rows}
        return found, tuple(table.notes)

    found, notes = published("base", *(f"antonymy{rules}" for rules in ("", "_paper", "_released")))
    assert found["antonymy"]["NB"] == found["antonymy (released)"]["NB"] == 0.151
    marked = {name for name, row in found.items() if isinstance(row["NB"], Marked)}
    assert marked == {"antonymy", "antonymy (paper)"}
    (note,) = [note for note in notes if note.startswith(MARK)]
    assert "For antonymy, our rules replace adjectives and nouns" in note
    assert "released" not in note
    found, _ = published("base", "spelling_error_content_word", "spelling_error_mixed_content_word_released")
    keyboard, mixed = (
        found[f"spelling error {kind}"]["NB"] for kind in ("content word", "mixed content word (released)")
    )
    assert keyboard is None  # that of Table 3 is another
    assert mixed == 0.511  # Table 3, and Table 8 (CN swap)


def test_the_labels_of_judges_stand_beside_those_of_models() -> None:
    def info(k: int) -> dict[str, Any]:
        return {"judge_labels": [GOLD_OF[each] for each in said[k]]} if said[k] else {}

    def values(row: tuple[object, ...]) -> list[object]:
        return [cell.value if isinstance(cell, Estimate) else cell for cell in row]

    said = ("CCN", "", "NC")
    of_judges = dataset("so_swap.snli_dev", "CCC", info=info)
    run = run_of({"so_swap.snli_dev": "ENE"}, of_judges, model="mine")  # the item with N was not judged
    table = judged_table(results_of([run]))
    assert headers(table)[3:] == ["Entailment", "Neutral", "Contradiction"]
    assert [values(row) for row in table.rows] == [
        ["so swap", "judges", 2, 0 / 5, 2 / 5, 3 / 5],
        ["so swap", "mine", 2, 1.0, 0.0, 0.0],  # of the two items that were judged
        ["so swap", "Human (published)", None, 0.02, 0.14, 0.84],  # E 2, C 84, N 14 in Table 2
    ]
    assert not judged_table(results_of([said_of("so_swap.snli_dev")])).rows
    said = ("nE", "")
    of_two = dataset("antonymy.snli_dev", "nE", info=info)
    table = judged_table(results_of([run_of({"antonymy.snli_dev": "NN"}, of_two)]))
    assert headers(table)[3:] == ["Entailment", "Neutral", "Contradiction", "Not entailment"]
    assert [values(row)[3:] for row in table.rows[:2]] == [[1 / 2, None, None, 1 / 2], [0.0, None, None, 1.0]]
