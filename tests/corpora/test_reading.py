"""Malformed input is an error that names file, line and field, or is skipped."""

import json
from pathlib import Path

from crossexam.corpora.reading import Reading, ReadingReport
from crossexam.corpora.spec import iter_corpus
from made.cases import for_each
from made.corpora import said_of, write_lines

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
    "not utf-8":         (b'{"sentence1": "caf\xe9"}',  ": byte 0xe9 at position 18 is not UTF-8"),
    "half a surrogate":  (line(sentence1="x\ud83d"),    r": an unpaired surrogate escape"),
    "too deep":          (b"[" * 100_000,               ": not JSON: "),
}
# fmt: on


def test_bad_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"

    def check(bad: bytes, message: str) -> None:
        path.write_bytes(line() + b"\n" + bad + b"\n" + line() + b"\n")
        said = said_of(path)
        assert said.startswith(f"{path}, line 2{message}")
        assert "--skip-bad" in said
        report = ReadingReport()
        assert len(list(iter_corpus(path, Reading(skip_bad=True, allow_loss=True), report=report))) == 2
        assert (report.read, report.bad, report.messages) == (3, 1, [said])

    for_each(check, BAD_JSON.values())


def test_fields_that_a_writer_of_csv_quoted_are_counted(tmp_path: Path) -> None:
    """Quotes are plain text in a tab-separated file, as in those of MultiNLI: nothing is taken away."""
    path, report = tmp_path / "own.tsv", ReadingReport()
    write_lines(path, ['"He said ""no""."\tHe spoke.', '"Yes\tHe said "no".'], "premise\thypothesis\n")
    first, second = iter_corpus(path, report=report, drop_no_gold=False)
    assert [first.premise, second.premise] == ['"He said ""no""."', '"Yes']
    assert second.hypothesis == 'He said "no".'
    assert report.quoted == 1


def test_skipping_all_records_is_an_error(tmp_path: Path) -> None:
    path, report = tmp_path / "x.jsonl", ReadingReport()
    path.write_bytes(b"{\n[\n" * 4)
    said = said_of(path, Reading(skip_bad=True, allow_loss=True), report=report)
    assert "none of the 8 records could be used" in said
    assert (report.bad, len(report.messages)) == (8, 5)
    path = tmp_path / "mine.tsv"
    path.write_text("prémisse\thypothesis\tlabel\nTwo.\tOne.\tneutral\n", encoding="latin-1")
    assert "iconv -f WINDOWS-1252 -t UTF-8 FILE > NEWFILE" in said_of(path, Reading(skip_bad=True))


AQUA = {"question": "How many?", "options": ["A)1"], "rationale": "r", "correct": "A"}
ITEM = (
    b'{"id": "a", "premise": "p", "hypothesis": "h", "label": "neutral", "construction": null, "edits": []}'
)
#: A file, what is in it, and what is said of it; others are among the mistakes of the command line.
BAD_FILES = [
    ("x.jsonl", without("sentence2") + b"\n" + line(), "line 1: no column for the hypothesis"),
    ("x.jsonl", line() + b"\n" + line()[:-9], "the line does not end in a newline: is the file truncated"),
    ("x.jsonl", without("gold_label") + b"\n" + line(), "this record has a label, but the first has none"),
    ("x.jsonl", ITEM + b"\n" + ITEM, "line 2, field 'id': the id 'a' is not unique"),
    ("x.csv", HEADER + b'"a"x,b,neutral\n', "line 2: malformed CSV: ',' expected"),
    ("x.csv", HEADER + b'"a\nb",c,neutral\nd\n', "line 4: 1 fields"),
    ("x.tsv", b"premise\thypothesis\tlabel\na\tb\n", "line 2: 2 fields\n  wanted: 3 fields"),
    ("x.txt", b"Good.\nna\xefve\n", "line 2: byte 0xef at position 2 is not"),
    ("x.txt", b"a\tb\nc\td\n", "header: no column for the premise or the hypothesis"),
    ("x.parquet", b"premise,hypothesis\n", "not a Parquet file"),
    ("x.data", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file"),
    ("x.htm", b"\n <!DOCTYPE html>\n<p>a</p>", "the file is a page for a browser"),
    ("x.json", json.dumps({**AQUA, "options": [1]}).encode(), "an array instead of an array of strings"),
    ("x.json", json.dumps({**AQUA, "rationale": None}).encode(), "'rationale': null instead of a string"),
]


def test_bad_files(tmp_path: Path) -> None:
    def check(name: str, content: bytes, message: str) -> None:
        (tmp_path / name).write_bytes(content)
        assert message in said_of(tmp_path / name)

    for_each(check, BAD_FILES)


def test_bad_lines_of_a_table_are_skipped_and_blank_ones_are_none(tmp_path: Path) -> None:
    path, report = tmp_path / "x.csv", ReadingReport()
    path.write_bytes(HEADER + b'"a"x,b,neutral\nc\nd,e,neutral\nf,g,-\n')
    (kept,) = iter_corpus(path, Reading(skip_bad=True, allow_loss=True), report=report)
    assert (kept.premise, kept.hypothesis) == ("d", "e")
    assert (report.read, report.bad, report.no_gold, report.examples) == (4, 2, 1, 1)
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + line(sentence1="\U0001f600") + b"\r\n\r\n" + line() + b"\r\n \n")
    assert [e.premise for e in iter_corpus(path)] == ["\U0001f600", "A b."]
