"""Figures of papers beside those of models: which stand where, and which of them are marked."""

from dataclasses import replace
from typing import Any

from crossexam.core.manifest import RunManifest
from crossexam.reports.accuracy import accuracy_table
from crossexam.reports.report import make_report
from crossexam.reports.results import results_of
from crossexam.reports.table import MARK, Marked, Table
from made.runs import dataset, run_of
from made.shown import headers


def test_figures_of_three_labels_do_not_stand_beside_models_of_two() -> None:
    data = replace(dataset("so_swap.snli_dev", "CCCC"), manifest={})
    run = run_of({data.name: "EENC"}, data, model="mine", sure=0.8)
    two = replace(run, manifest=RunManifest(details={"two_label": True}), model="two")
    columns = [len(accuracy_table(results_of(runs)).columns) for runs in ([two], [run], [two, run])]
    assert columns[0] == 3 < columns[1] < columns[2]
    assert "84.9" not in make_report(two).text(".md")


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
