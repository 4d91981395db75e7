"""Labels of users' files: declared, refused, counted, and not lost."""

from collections.abc import Callable
from pathlib import Path

from crossexam.corpora.label_names import name_of, parse_labels
from crossexam.corpora.reading import Reading, ReadingReport
from crossexam.corpora.spec import iter_corpus
from made.cases import each_row, refused
from made.corpora import said_of, write_lines


def table(path: Path, labels: list[str]) -> Path:
    rows = (f"Sentence {k} is here.,Sentence {k}.,{label}" for k, label in enumerate(labels))
    return write_lines(path, rows, "premise,hypothesis,label\n")


def test_numbers_and_unknown_words_are_refused_with_likely_mappings(
    each_case: Callable[..., None], tmp_path: Path
) -> None:
    def check(labels: list[str], parts: list[str]) -> None:
        said = said_of(table(tmp_path / "n.csv", labels))
        assert [part for part in parts if part not in said] == [], said

    each_case(check)
    path = table(tmp_path / "n.csv", ["1", "0", "1", "1"])
    assert "the labels are numbers" in said_of(path, Reading(skip_bad=True, allow_loss=True))


@each_row
def test_declared_labels_are_read(mapping: str, cells: list[str], *, tmp_path: Path) -> None:
    declared = parse_labels(mapping)
    examples = iter_corpus(table(tmp_path / "d.csv", cells), Reading(labels=declared))
    found = [each.label for each in examples]
    assert found == [declared[name_of(value)] for value in cells]
    assert found[0] == "entailment"


def test_declarations_and_values_fit_each_other(tmp_path: Path) -> None:
    path = table(tmp_path / "d.csv", ["yes", "entailment"])
    said = said_of(path, Reading(labels=parse_labels("yes=entailment,no=not_entailment")))
    assert "unknown label 'entailment'" in said
    assert "one that --labels declares: yes, no" in said
    path = table(tmp_path / "d.csv", ["yes", "yes"])
    labels = parse_labels("yes=entailment,nope=not_entailment")
    assert "no record has the label 'nope', which --labels declares" in said_of(path, Reading(labels=labels))
    assert len(list(iter_corpus(path, Reading(labels=labels, allow_loss=True)))) == 2
    report = ReadingReport()
    path = table(tmp_path / "d.csv", ["yes", "unclear", "no", "-"])
    labels = parse_labels("yes=entailment,no=not_entailment,unclear=-")
    found = [example.label for example in iter_corpus(path, Reading(labels=labels), report=report)]
    assert (found, report.no_gold) == (["entailment", "not_entailment"], 2)


def test_a_label_is_not_lost_by_skipping(tmp_path: Path) -> None:
    path = table(tmp_path / "d.csv", ["entailment"] * 500 + ["neutral"] * 500 + ["nein", "nein"])
    assert "all 2 records with the label 'nein' were skipped" in said_of(path, Reading(skip_bad=True))
    assert len(list(iter_corpus(path, Reading(skip_bad=True, allow_loss=True)))) == 1000
    many = table(tmp_path / "many.csv", ["entailment"] * 98 + ["?", "??"])
    assert "2 of 100 records are malformed, which is more than 1 %" in said_of(many, Reading(skip_bad=True))


@each_row
def test_malformed_declarations_are_refused(text: str, message: str) -> None:
    said = refused(parse_labels, text)
    assert message in said
    assert "--labels" in said
