"""Every reader of the table: over the real file where it is there, else over a small one of its format."""

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from crossexam.core.example import Example, content_id
from crossexam.core.labels import LABELS, PROJECTIONS
from crossexam.corpora.catalog import catalog
from crossexam.corpora.readers.table import READERS
from crossexam.corpora.reading import Reading, ReadingReport
from crossexam.corpora.spec import iter_corpus, read_corpus
from made.cases import each_row, for_each
from made.corpora import said_of, write_lines

MADE = Path(__file__).parents[2] / "data" / "readers"
E, N, C, NOT = "entailment", "neutral", "contradiction", "not_entailment"


def table(name: str) -> list[list[str]]:
    """Return the rows of the table of that name; what their cells are is said in its first lines."""
    lines = (MADE.parent / "corpora" / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("# ")]


REAL = table("real.tsv")
READ: dict[str, list[list[str]]] = {}
for spec, *cells in table("read.tsv"):
    READ.setdefault(spec, []).append(cells)
CORPORA_TRIED = {re.split("[:@]", row[0])[0] for row in REAL}
CORPORA_READ = {re.split("[:@]", spec)[0] for spec in READ}


def digest(example: Example) -> str:
    text = f"{example.id}\x1f{example.premise}\x1f{example.hypothesis}\x1f{example.label}"
    return hashlib.blake2b(text.encode("utf-8"), digest_size=4).hexdigest()


@pytest.mark.slow
def test_a_real_file_is_read_as_it_is(published: Path) -> None:
    def check(spec: str, *cells: str) -> None:
        records, *counts, no_gold = map(int, cells[:6])
        report = ReadingReport()
        corpus, at, name = spec.partition("@")
        where = f"{corpus}@{published / name}" if at else spec
        examples = list(iter_corpus(where, report=report))
        assert [report.labels[label] for label in (E, N, C, NOT)] == counts
        assert (report.read, report.no_gold, report.bad) == (records, no_gold, 0)
        assert len(examples) == len({example.id for example in examples}) == sum(counts) == records - no_gold
        assert tuple(digest(examples[place]) for place in (0, 9, -1)) == cells[6:]
        assert not any(re.search(r"</?[bu]>|\.jpg#\d/", e.premise + e.hypothesis) for e in examples)

    for_each(check, map(tuple, REAL))


def test_what_real_files_say_besides(published: Path) -> None:
    assert "none of the 3000 records has a gold label" in said_of("rte:test")
    kept = read_corpus("rte:test", drop_no_gold=False)
    assert [example.label for example in kept] == [None] * 3000
    chaos, mpe = (read_corpus(spec).examples[0].info for spec in ("chaosnli:snli", "mpe:dev"))
    votes = {"label_distribution": [0.3, 0.7, 0.0], "votes": [30, 70, 0], "old_label": N}
    assert {key: chaos[key] for key in votes} == votes
    assert mpe == {"captionID": "4818829454.jpg", "cluster": "4818829454.jpg", "judgments": [3, 0, 2]}


def as_read(spec: str) -> list[Example]:
    corpus, at, name = spec.partition("@")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CROSSEXAM_DATA", str(MADE))
        return list(iter_corpus(f"{corpus}@{MADE / name}" if at else spec, drop_no_gold=False))


def test_a_file_of_the_documented_format() -> None:
    def check(spec: str) -> None:
        corpus = re.split("[:@]", spec)[0]
        allowed = PROJECTIONS[READERS[corpus].projection].labels if corpus in READERS else LABELS
        for example, (name, label, *starts, info) in zip(as_read(spec), READ[spec], strict=True):
            assert (example.label or "-", dict(example.info)) == (label, json.loads(info))
            # the full file of the diagnostic set has the three labels
            assert example.label in {*allowed, None} or corpus == "diagnostic"
            assert example.id == (
                content_id(example.premise, example.hypothesis, example.label) if name == "-" else name
            )
            premise, hypothesis = (start.replace("\\n", "\n") for start in starts)
            assert example.premise.startswith(premise)
            assert example.hypothesis.startswith(hypothesis)

    for_each(check, READ)


def test_no_reader_is_without_a_test() -> None:
    assert {*READERS, "snli", "snli_hard", "multinli"} <= CORPORA_TRIED | CORPORA_READ <= set(catalog())
    assert READERS.keys() <= {row[0].partition(":")[0] for row in table("readers/table.tsv")}  # malformed
    # a reader that says "its documented format" alone was tried on no real file, and the other way
    by_format = {name for name, reader in READERS.items() if reader.tested_on == "its documented format"}
    assert by_format == READERS.keys() - CORPORA_TRIED
    page = (Path(__file__).parents[3] / "docs" / "corpora.md").read_text(encoding="utf-8")
    assert [name for name in catalog() if name != "builtin" and f"`{name}`" not in page] == []


@each_row
def test_a_copy_of_the_hub_has_its_own_numbers(
    spec: str, file: str, columns: dict[str, list[Any]], labels: list[str], *, tmp_path: Path
) -> None:
    pl.DataFrame({**columns, "label": [0, 1]}).write_parquet(tmp_path / file)
    examples = read_corpus(spec).examples
    read = [(example.premise, example.hypothesis, example.label) for example in examples]
    assert read == [*zip(("A.", "B."), ("C.", "D."), labels, strict=True)]


@each_row
def test_numbers_that_a_format_does_not_document_are_not_guessed(
    corpus: str, file: str, lines: list[str], *, tmp_path: Path
) -> None:
    write_lines(tmp_path / file, lines)
    said = said_of(f"{corpus}@{tmp_path / file}", Reading(skip_bad=True))
    assert re.search("the label: the label .* is a number", said)
    assert "--labels 0=LABEL,1=LABEL" in said


def test_a_malformed_record_is_one_error_with_its_line(
    each_case: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROSSEXAM_DATA", str(MADE))

    def check(corpus: str, file: str, old: str | list[str], new: str | list[str], message: str) -> None:
        was, becomes = (text if isinstance(text, str) else text[0] for text in (old, new))
        text = (MADE / file).read_text(encoding="utf-8")
        assert was in text
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace(was, becomes, 1), encoding="utf-8")
        assert said_of(f"{corpus}@{path}", drop_no_gold=False).startswith(f"{path}, {message}")

    each_case(check)


@each_row
def test_wrong_records_of_corpora_whose_real_files_are_there(
    corpus: str, name: str, lines: list[str], message: str, *, tmp_path: Path
) -> None:
    path = write_lines(tmp_path / name, lines)
    assert said_of(f"{corpus}@{path}").startswith(f"{path}, {message}")


def test_entities_and_damaged_xml_are_refused(tmp_path: Path) -> None:
    secret, path = tmp_path / "secret.txt", tmp_path / "fracas.xml"
    secret.write_text("nobody should read this", encoding="utf-8")
    problem = '<f>\n<problem id="1" fracas_answer="yes"><p>&x;</p><h>A.</h></problem></f>'
    for declared in (
        '<!DOCTYPE f [<!ENTITY x "ha"><!ENTITY y "&x;&x;">]>',
        f'<!DOCTYPE f SYSTEM "{secret.as_uri()}">',
    ):
        path.write_text(f"{declared}\n{problem}", encoding="utf-8")
        said = said_of("fracas:test")
        assert re.search("line [13]: the file declares or uses its own entities", said), declared
    for text in ('<?xml version="1.0" encoding="UTF-1.0"?>\n<f/>', "<f><p>Out of place.</p></h>"):
        path.write_text(text, encoding="utf-8")
        assert "not XML" in said_of("fracas:test")


def test_a_split_whose_pairs_are_not_there_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"  # the folder above is searched too, and above tmp_path are files of other tests
    data.mkdir()
    monkeypatch.setenv("CROSSEXAM_DATA", str(data))
    shutil.copy(MADE / "dpr_data.txt", data)
    assert "no pair in the file belongs to the split 'test'" in said_of("dpr:test")
    (data / "multinli_1.0_matched_annotations.txt").write_text("2c #ANTO\n", encoding="utf-8")
    assert "not installed: multinli:dev_matched" in said_of("multinli_annotated:matched")


def test_copies_with_columns_of_their_own(tmp_path: Path) -> None:
    sides = {"premise": ["A.", "B."], "hypothesis": ["C.", "D."]}
    wanli = {"id": [1, 2], "gold": [E, C], "genre": ["g", "g"], "pairID": ["7", "8"]}
    pl.DataFrame({**sides, **wanli}).write_parquet(tmp_path / "wanli_hub_test.parquet")
    assert [(e.id, e.label) for e in iter_corpus("wanli:test")] == [("1", E), ("2", C)]
    scitail = pl.DataFrame({**sides, "label": ["entails", "neutral"]})
    scitail.write_parquet(tmp_path / "scitail_hub_test.parquet")
    assert [e.label for e in iter_corpus("scitail:test")] == [E, N]
