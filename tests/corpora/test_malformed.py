"""Malformed input is an error that names file, line and field, or is skipped and counted on request."""

from __future__ import annotations

import itertools
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.corpora.reading import ReadingReport
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
    "a number":          (b"17",                        ": a number, not an object"),
    "null":              (b"null",                      ": null, not an object"),
    "no sentence2":      (without("sentence2"),         ": the field 'sentence2' is missing"),
    "no gold_label":     (without("gold_label"),        ": the field 'gold_label' is missing"),
    "number sentence":   (line(sentence1=3),            ", field 'sentence1': a number instead of a string"),
    "null sentence":     (line(sentence2=None),         ", field 'sentence2': null instead of a string"),
    "list sentence":     (line(sentence2=["C"]),        ", field 'sentence2': an array instead of a string"),
    "empty sentence":    (line(sentence1=""),           ", field 'sentence1': the text is empty"),
    "blank sentence":    (line(sentence2=" \t"),        ", field 'sentence2': the text is empty"),
    "nul":               (line(sentence1="A\0b"),       ", field 'sentence1': a NUL character at position 1"),
    "unknown label":     (line(gold_label="maybe"),     ", field 'gold_label': unknown label 'maybe'"),
    "label out of range": (line(gold_label=3),          ", field 'gold_label': unknown label 3"),
    "label true":        (line(gold_label=True),        ", field 'gold_label': unknown label True"),
    "parse not text":    (line(sentence1_parse=["S"]),  ", field 'sentence1_parse': an array instead"),
    "annotators":        (line(annotator_labels="e"),   ", field 'annotator_labels': a string instead"),
    "not utf-8":         (b'{"sentence1": "caf\xe9"}',  ": byte 0xe9 at position 18 is not UTF-8"),
    "half a surrogate":  (line(sentence1="x\ud83d"),    r": an unpaired surrogate escape"),
    "too deep":          (b"[" * 100_000,               ": not JSON: "),
}
# fmt: on


def test_bad_json_lines(tmp_path: Path, for_each: Callable[..., None]) -> None:
    def check(name: str) -> None:
        bad, message = BAD_JSON[name]
        path = tmp_path / "x.jsonl"
        path.write_bytes(line() + b"\n" + bad + b"\n" + line() + b"\n")
        with pytest.raises(FormatError) as caught:
            list(iter_corpus(path))
        assert str(caught.value).startswith(f"{path}, line 2{message}")
        assert "wanted: " in str(caught.value)
        assert "--skip-bad" in str(caught.value)
        report = ReadingReport()
        assert len(list(iter_corpus(path, skip_bad=True, allow_loss=True, report=report))) == 2
        assert (report.read, report.bad, report.messages) == (3, 1, [str(caught.value)])

    for_each(check, BAD_JSON)


def test_a_bad_first_line_does_not_hide_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(without("sentence2") + b"\n" + line() + b"\n")
    with pytest.raises(FormatError, match="line 1: no column for the hypothesis"):
        list(iter_corpus(path))
    assert len(list(iter_corpus(path, skip_bad=True, allow_loss=True))) == 1


def test_a_truncated_last_line(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(line() + b"\n" + line()[:-9])
    with pytest.raises(
        FormatError, match=r"line 2: not JSON: .*; the line does not end in a newline: is the file truncated"
    ):
        list(iter_corpus(path))


def test_labels_that_begin_in_the_middle_are_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(without("gold_label") + b"\n" + line())
    with pytest.raises(
        FormatError, match="line 2, field 'gold_label': this record has a label, but the first has none"
    ):
        list(iter_corpus(path))


def test_what_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + line(sentence1="\U0001f600") + b"\r\n\r\n" + line() + b"\r\n \n")
    assert [e.premise for e in iter_corpus(path)] == ["\U0001f600", "A b."]


BAD_TABLES = {
    "too few": ("x.csv", HEADER + b"a,b,neutral\nc,d\n", "line 3: 2 fields\n  wanted: 3 fields"),
    "too many": ("x.csv", HEADER + b"a,b,c,neutral\n", "line 2: 4 fields\n  wanted: 3 fields"),
    "open quote": ("x.csv", HEADER + b'"a,b,neutral\n', "line 2: malformed CSV: unexpected end"),
    "after quote": ("x.csv", HEADER + b'"a"x,b,neutral\n', "line 2: malformed CSV: ',' expected"),
    "after lines": ("x.csv", HEADER + b'"a\nb",c,neutral\nd\n', "line 4: 1 fields"),
    "not utf-8": ("x.csv", HEADER + b"caf\xe9,b,neutral\n", "line 2: byte 0xe9 at position 3 is not"),
    "nul": ("x.csv", HEADER + b"a\0,b,neutral\n", "line 2, field 'premise': a NUL"),
    "twice": (
        "x.csv",
        b"premise,hypothesis,label,label\na,b,c,d\n",
        "line 1: the header repeats column 'label'",
    ),
    "tsv short": ("x.tsv", b"premise\thypothesis\tlabel\na\tb\n", "line 2: 2 fields\n  wanted: 3 fields"),
    "tsv latin": ("x.tsv", b"premise\thypothesis\nna\xefve\tb\n", "line 2: byte 0xef at position 2 is not"),
    "txt latin": ("x.txt", b"Good.\nna\xefve\n", "line 2: byte 0xef at position 2 is not"),
}


def test_bad_tables(tmp_path: Path, for_each: Callable[..., None]) -> None:
    def check(case: str) -> None:
        name, content, message = BAD_TABLES[case]
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(FormatError) as caught:
            list(iter_corpus(path))
        assert str(caught.value).startswith(f"{path}, {message}")

    for_each(check, BAD_TABLES)


def test_a_bad_row_of_a_csv_is_skipped_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(HEADER + b'"a"x,b,neutral\nc\nd,e,neutral\nf,g,-\n')
    report = ReadingReport()
    (kept,) = iter_corpus(path, skip_bad=True, allow_loss=True, report=report)
    assert (kept.premise, kept.hypothesis) == ("d", "e")
    assert (report.read, report.bad, report.no_gold, report.examples) == (4, 2, 1, 1)


def test_problems_with_fields_of_the_wrong_kind(tmp_path: Path) -> None:
    good = {"question": "How many?", "options": ["A)1"], "rationale": "r", "correct": "A"}
    path = tmp_path / "aqua.json"
    for field, value, message in (
        ("options", "A)1", "a string instead of an array of strings"),
        ("options", [1], "an array instead of an array of strings"),
        ("rationale", None, "null instead of a string"),
    ):
        path.write_text(json.dumps(good) + "\n" + json.dumps({**good, field: value}), encoding="utf-8")
        with pytest.raises(FormatError, match=f"line 2, field '{field}': {message}"):
            list(iter_corpus(path))
    path.write_text(json.dumps(good) + '\n{"question": "How many?", "options": []}', encoding="utf-8")
    with pytest.raises(FormatError, match="line 2: the field 'rationale' is missing"):
        list(iter_corpus(path))


def test_a_test_set_with_an_id_twice(tmp_path: Path) -> None:
    row = {
        "id": "a",
        "premise": "p",
        "hypothesis": "h",
        "label": "neutral",
        "base": None,
        "construction": None,
    }
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join([json.dumps({**row, "edits": []})] * 2), encoding="utf-8")
    with pytest.raises(FormatError, match="line 2, field 'id': the id 'a' is not unique"):
        list(iter_corpus(path))


NOT_CORPORA = {
    "empty": ("x.jsonl", b"", "the file is empty"),
    "only a header": ("x.csv", b"premise,hypothesis\n", "the file has no records"),
    "blank": ("x.txt", b"\n \n", "the file has no records"),
    "gzip": ("x.jsonl", b"\x1f\x8b\x08\x00", r"the file is compressed \(gzip\)(.|\n)*gunzip"),
    "utf-16": ("x.csv", "\ufeffa,b".encode("utf-16-le"), "the file is UTF-16 text(.|\n)*iconv"),
    "not parquet": ("x.parquet", b"premise,hypothesis\n", "not a Parquet file"),
    "half parquet": ("x.parquet", b"PAR1abcdefgh", "the Parquet file is damaged"),
    "json array": ("x.json", b"[\n{}]", "the file is a JSON array(.|\n)*jq"),
    "all without gold": ("x.csv", HEADER + b"a,b,-\n", "none of the 1 records has a gold label"),
    "workbook": (
        "x.xlsx",
        b"PK\x03\x04" + b"\0" * 26 + b"[Content_Types].xml",
        r"x.xlsx: the file is a workbook\n  wanted: a text or Parquet file\n  hint: save it as CSV",
    ),
    "workbook called csv": (
        "x.csv",
        b"PK\x03\x04" + b"\0" * 26 + b"[Content_Types].xml",
        "the file is an Excel workbook or another Office file(.|\\n)*save it as CSV",
    ),
    "old workbook": ("x.data", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file"),
    "open document": ("x", b"PK\x03\x04" + b"\0" * 26 + b"mimetypeapplication/", "an OpenDocument sheet"),
    "pdf": ("x.pdf", b"%PDF-1.7\n", "the file is a PDF"),
    "html": ("x.htm", b"\n <!DOCTYPE html>\n<p>a</p>", "the file is XML or HTML"),
    "binary": ("x.npy", b"\x93NUMPY\x01\x00", r"the file is not text: byte 0x01 at position 6"),
    "binary called txt": ("x.txt", b"ab\0cd\n", r"the file is not text: byte 0x00 at position 2"),
    "no tabs known": ("x.txt", b"a\tb\nc\td\n", "header: no column for the premise or the hypothesis"),
}


def test_files_that_hold_no_corpus(tmp_path: Path, for_each: Callable[..., None]) -> None:
    def check(case: str) -> None:
        name, content, message = NOT_CORPORA[case]
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(FormatError, match=message) as caught:
            list(iter_corpus(path))
        assert str(path) in str(caught.value)

    for_each(check, NOT_CORPORA)


def test_a_zip_archive_is_named_as_one(tmp_path: Path) -> None:
    path = tmp_path / "snli_1.0.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(FormatError, match=r"is a zip archive(.|\n)*crossexam fetch NAME --from ZIP"):
        iter_corpus(path)


def test_when_every_record_is_bad_skipping_them_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"{\n[\n" * 4)
    report = ReadingReport()
    with pytest.raises(FormatError, match="none of the 8 records could be used"):
        list(iter_corpus(path, skip_bad=True, allow_loss=True, report=report))
    assert (report.bad, len(report.messages)) == (8, 5)


def test_a_folder_lists_its_files(tmp_path: Path) -> None:
    (tmp_path / "dev.jsonl").write_bytes(line())
    with pytest.raises(CrossexamError, match=r"is a folder(.|\n)*its files are: dev.jsonl"):
        iter_corpus(tmp_path)


def test_a_file_in_latin_1_says_how_to_convert_it(tmp_path: Path, for_each: Callable[..., None]) -> None:
    """With --skip-bad as well, which skips too many records, or cannot skip the header."""

    def check(header: str, skip_bad: bool) -> None:
        path = tmp_path / "mine.tsv"
        path.write_text(
            f"{header}\nUn café.\tA coffee.\tentailment\nTwo.\tOne.\tneutral\n", encoding="latin-1"
        )
        with pytest.raises(FormatError, match="is not UTF-8") as caught:
            list(iter_corpus(path, skip_bad=skip_bad))
        assert caught.value.hint is not None
        assert "iconv -f latin1 -t UTF-8 FILE > NEWFILE" in caught.value.hint

    for_each(
        check, itertools.product(["premise\thypothesis\tlabel", "prémisse\thypothesis\tlabel"], [False, True])
    )
