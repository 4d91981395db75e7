"""Malformed input is an error that names file, line and field, or is skipped; published files are read whole.

Counts of real files are those of `shared/data/README.md`, and of the files.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

from crossexam.corpora.reading import Reading, ReadingReport
from crossexam.corpora.spec import iter_corpus

HEADER = b"premise,hypothesis,label\n"
GOOD = {"sentence1": "A b.", "sentence2": "C d.", "gold_label": "neutral"}


def line(**changes: object) -> bytes:
    return json.dumps({**GOOD, **changes}).encode()


def without(name: str) -> bytes:
    return json.dumps({key: value for key, value in GOOD.items() if key != name}).encode()


# What stands on line 2 of a file whose lines 1 and 3 are good, and what the error says after "line 2".
# fmt: off
BAD_JSON = {
    "not json":          (b'{"sentence1": "A b."',      ": not JSON: Expecting ',' delimiter"),
    "an array":          (b'["A b.", "C d."]',          ": an array, not an object"),
    "no sentence2":      (without("sentence2"),         ": the field 'sentence2' is missing"),
    "empty sentence":    (line(sentence1=""),           ", field 'sentence1': the text is empty"),
    "nul":               (line(sentence1="A\0b"),       ", field 'sentence1': a NUL character at position 1"),
    "unknown label":     (line(gold_label="maybe"),     ", field 'gold_label': unknown label 'maybe'"),
    "label true":        (line(gold_label=True),        ", field 'gold_label': unknown label True"),
    "parse not text":    (line(sentence1_parse=["S"]),  ", field 'sentence1_parse': an array instead"),
    "not utf-8":         (b'{"sentence1": "caf\xe9"}',  ": byte 0xe9 at position 18 is not UTF-8"),
    "half a surrogate":  (line(sentence1="x\ud83d"),    r": an unpaired surrogate escape"),
    "too deep":          (b"[" * 100_000,               ": not JSON: "),
}
# fmt: on


def test_bad_json_lines(tmp_path: Path, said_of: Callable[..., str], for_each: Callable[..., None]) -> None:
    path = tmp_path / "x.jsonl"

    def check(bad: bytes, message: str) -> None:
        path.write_bytes(line() + b"\n" + bad + b"\n" + line() + b"\n")
        said = said_of(path)
        assert said.startswith(f"{path}, line 2{message}")
        assert "wanted: " in said
        assert "--skip-bad" in said
        report = ReadingReport()
        assert len(list(iter_corpus(path, Reading(skip_bad=True, allow_loss=True), report=report))) == 2
        assert (report.read, report.bad, report.messages) == (3, 1, [said])

    for_each(check, BAD_JSON.values())


def test_first_and_last_lines(tmp_path: Path, said_of: Callable[..., str]) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(without("sentence2") + b"\n" + line() + b"\n")
    assert "line 1: no column for the hypothesis" in said_of(path)
    assert len(list(iter_corpus(path, Reading(skip_bad=True, allow_loss=True)))) == 1
    path.write_bytes(line() + b"\n" + line()[:-9])
    assert "line 2: not JSON: " in said_of(path)
    assert "; the line does not end in a newline: is the file truncated" in said_of(path)
    path.write_bytes(without("gold_label") + b"\n" + line())
    assert "line 2, field 'gold_label': this record has a label, but the first has none" in said_of(path)
    path.write_bytes(b"\xef\xbb\xbf" + line(sentence1="\U0001f600") + b"\r\n\r\n" + line() + b"\r\n \n")
    assert [e.premise for e in iter_corpus(path)] == ["\U0001f600", "A b."]  # no mistake


# What else is wrong with tables is among the mistakes of the command line.
BAD_TABLES = [
    ("x.csv", HEADER + b'"a"x,b,neutral\n', "line 2: malformed CSV: ',' expected"),
    ("x.csv", HEADER + b'"a\nb",c,neutral\nd\n', "line 4: 1 fields"),
    ("x.tsv", b"premise\thypothesis\tlabel\na\tb\n", "line 2: 2 fields\n  wanted: 3 fields"),
    ("x.tsv", b"premise\thypothesis\nna\xefve\tb\n", "line 2: byte 0xef at position 2 is not"),
    ("x.txt", b"Good.\nna\xefve\n", "line 2: byte 0xef at position 2 is not"),
]


def test_bad_tables(tmp_path: Path, said_of: Callable[..., str], for_each: Callable[..., None]) -> None:
    def check(name: str, content: bytes, message: str) -> None:
        path = tmp_path / name
        path.write_bytes(content)
        assert said_of(path).startswith(f"{path}, {message}")

    for_each(check, BAD_TABLES)
    path = tmp_path / "x.csv"
    path.write_bytes(HEADER + b'"a"x,b,neutral\nc\nd,e,neutral\nf,g,-\n')
    report = ReadingReport()
    (kept,) = iter_corpus(path, Reading(skip_bad=True, allow_loss=True), report=report)
    assert (kept.premise, kept.hypothesis) == ("d", "e")
    assert (report.read, report.bad, report.no_gold, report.examples) == (4, 2, 1, 1)


def test_problems_and_test_sets_with_wrong_fields(tmp_path: Path, said_of: Callable[..., str]) -> None:
    def said_of_second(name: str, first: dict[str, object], second: dict[str, object]) -> str:
        (tmp_path / name).write_text(f"{json.dumps(first)}\n{json.dumps(second)}", encoding="utf-8")
        return said_of(tmp_path / name)

    problem = {"question": "How many?", "options": ["A)1"], "rationale": "r", "correct": "A"}
    for changes, message in (
        ({"options": "A)1"}, ", field 'options': a string instead of an array of strings"),
        ({"options": [1]}, ", field 'options': an array instead of an array of strings"),
        ({"rationale": None}, ", field 'rationale': null instead of a string"),
    ):
        assert f"line 2{message}" in said_of_second("aqua.json", problem, {**problem, **changes})
    row = {"id": "a", "premise": "p", "hypothesis": "h", "label": "neutral"}
    row |= {"base": None, "construction": None, "edits": []}
    assert "line 2, field 'id': the id 'a' is not unique" in said_of_second("s.jsonl", row, row)


# The file, what is in it, and what it is said to be; others are among the mistakes of the command line.
NOT_CORPORA = [
    ("x.parquet", b"premise,hypothesis\n", "not a Parquet file"),
    ("x.csv", HEADER + b"a,b,-\n", "none of the 1 records has a gold label"),
    ("x.data", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file"),
    ("x.htm", b"\n <!DOCTYPE html>\n<p>a</p>", "the file is a page for a browser"),
    ("x.npy", b"\x93NUMPY\x01\x00", "the file is not text: byte 0x01 at position 6"),
    ("x.txt", b"a\tb\nc\td\n", "header: no column for the premise or the hypothesis"),
]


def test_files_that_hold_no_corpus(
    tmp_path: Path, said_of: Callable[..., str], for_each: Callable[..., None]
) -> None:
    def check(name: str, content: bytes, message: str) -> None:
        (tmp_path / name).write_bytes(content)
        assert f"{tmp_path / name}" in said_of(tmp_path / name)
        assert message in said_of(tmp_path / name)

    for_each(check, NOT_CORPORA)


def test_skipping_too_many_records_or_all_is_an_error(tmp_path: Path, said_of: Callable[..., str]) -> None:
    path, report = tmp_path / "x.jsonl", ReadingReport()
    path.write_bytes(b"{\n[\n" * 4)
    said = said_of(path, Reading(skip_bad=True, allow_loss=True), report=report)
    assert "none of the 8 records could be used" in said
    assert (report.bad, len(report.messages)) == (8, 5)
    path = tmp_path / "mine.tsv"
    for header in ("premise\thypothesis\tlabel", "prémisse\thypothesis\tlabel"):
        rows = "Un café.\tA coffee.\tentailment\nTwo.\tOne.\tneutral\n"
        path.write_text(f"{header}\n{rows}", encoding="latin-1")
        assert "iconv -f WINDOWS-1252 -t UTF-8 FILE > NEWFILE" in said_of(path, Reading(skip_bad=True))


# Published files


def test_published_tables_need_no_mapping(shared_data: Path) -> None:
    sick = list(iter_corpus(shared_data / "sick" / "SICK_test_annotated.txt"))
    assert (len(sick), sick[0].label) == (4927, "neutral")  # README; the first row says NEUTRAL
    telephone = next(iter_corpus(shared_data / "multinli" / "multinli_train_subset_tokenised.tsv"))
    assert (telephone.label, telephone.info) == ("neutral", {"genre": "telephone"})
    problems = iter_corpus(shared_data / "word_problems" / "mixed_word_problems.jsonl")
    assert sum(problem.info == {"kind": "problem"} for problem in problems) == 3260  # README


def test_fields_that_a_writer_of_csv_quoted_are_named(tmp_path: Path) -> None:
    """Quotes are plain text in a tab-separated file, as in those of MultiNLI: nothing is taken away."""
    path, report = tmp_path / "own.tsv", ReadingReport()
    rows = [("premise", "hypothesis", "label"), ('He said "no".', "He spoke.", "neutral")]
    rows += [('"Yes," he said.', "He spoke.", "neutral")]
    path.write_text("\n".join("\t".join(row) for row in rows), encoding="utf-8")
    list(iter_corpus(str(path), report=report))
    assert report.summary() == ""
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, delimiter="\t").writerows(rows)
    report.reset()
    (first, _) = iter_corpus(str(path), report=report)
    assert first.premise == '"He said ""no""."'
    quoted = "with quotes around a field, which are text in a tab-separated file (not in .csv)"
    assert report.summary() == f"of 2 records: 2 {quoted}"
