"""Every published form of a corpus gives the same examples; any table can be read with a mapping."""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.example import Example, content_id
from crossexam.core.labels import LABELS
from crossexam.corpora.columns import find_layout, parse_columns
from crossexam.corpora.label_names import parse_labels
from crossexam.corpora.reading import Reading, ReadingReport
from crossexam.corpora.spec import iter_corpus
from made.cases import refused
from made.corpora import said_of, write_lines, write_records

DATA = Path(__file__).parents[1] / "data" / "corpora"


def test_snli_json_lines_have_every_field() -> None:
    report = ReadingReport()
    examples = list(iter_corpus(DATA / "snli.jsonl", report=report))
    assert [e.id for e in examples] == ["soup.jpg#0r1e", "soup.jpg#0r1n", "soup.jpg#0r1c", "boats.jpg#1r1c"]
    assert (report.read, report.examples, report.no_gold, report.bad) == (5, 4, 1, 0)
    assert dict(report.labels) == {"entailment": 1, "neutral": 1, "contradiction": 2}
    raw = json.loads((DATA / "snli.jsonl").read_text(encoding="utf-8").splitlines()[2])
    assert examples[2].info == {
        "captionID": "soup.jpg#0",
        "cluster": "soup.jpg#0",
        "annotator_labels": ["contradiction", "contradiction", "neutral", "contradiction"],
        "premise_parse": raw["sentence1_parse"],
        "hypothesis_parse": raw["sentence2_parse"],
        "premise_binary_parse": raw["sentence1_binary_parse"],
        "hypothesis_binary_parse": raw["sentence2_binary_parse"],
    }


def test_official_txt_equals_official_json_lines(tmp_path: Path) -> None:
    for corpus in ("snli", "multinli"):
        text = list(iter_corpus(DATA / f"{corpus}.txt", drop_no_gold=False))
        assert text == list(iter_corpus(DATA / f"{corpus}.jsonl", drop_no_gold=False))
        assert len(text) == 5
    found = [f"{e.id} {e.info['genre']} {e.info['cluster']}" for e in iter_corpus(DATA / "multinli.txt")]
    assert found == ["100e fiction 100", "100n fiction 100", "100c fiction 100", "101c telephone 101"]
    # lines may end before the last annotators
    lines = (DATA / "snli.txt").read_text(encoding="utf-8").splitlines()
    short = write_lines(tmp_path / "snli.txt", [line.rstrip("\t") for line in lines])
    assert list(iter_corpus(short)) == list(iter_corpus(DATA / "snli.txt"))


def test_aqua_gives_problems_with_options_rationale_and_answer() -> None:
    report = ReadingReport()
    first, _ = iter_corpus(DATA / "aqua.json", report=report)
    info = {
        "kind": "problem",
        "options": ["A)5", "B)6", "C)7", "D)12", "E)17"],
        "rationale": "Mia gives away 5 of 12.\n12 - 5 = 7\nAnswer is C",
        "correct": "C",
    }
    text = "Mia has 12 shells and gives 5 to Leo. How many are left?"
    assert first == Example(content_id(text, "", None), text, "", None, info=info)
    assert (report.no_gold, report.examples) == (0, 2)  # problems have no gold to be without


def test_plain_text_is_a_sentence_a_line_and_so_is_a_column(tmp_path: Path) -> None:
    news = write_lines(tmp_path / "news.txt", ["\ufeffAnn has 3 pens.\r", "\r", "  Bob has 2.  "])
    column = write_lines(tmp_path / "s.csv", ["n,body", "1,Ann has 3 pens.", "2,Bob has 2."])
    expected = [
        Example(content_id(text, "", None), text, "", None, info={"kind": "sentence"})
        for text in ("Ann has 3 pens.", "Bob has 2.")
    ]
    assert list(iter_corpus(news)) == expected
    assert list(iter_corpus(column, Reading(columns={"sentence": "body"}))) == expected


def test_column_mapping_and_info_columns(tmp_path: Path) -> None:
    rows = ["A b.;C d.;2;sport;k7", "E f.;G h.;-1;;k8"]
    path = write_lines(tmp_path / "odd.csv", rows, "ctx;claim;verdict;topic;key\n")
    columns = parse_columns("premise=ctx,hypothesis=claim,label=verdict,id=key,subject=topic")
    labels = parse_labels("2=contradiction")
    first, second = iter_corpus(path, Reading(columns=columns, labels=labels), drop_no_gold=False)
    assert first == Example("k7", "A b.", "C d.", "contradiction", info={"subject": "sport"})
    assert second == Example("k8", "E f.", "G h.", None)


def test_tags_where_there_are_no_parses(tmp_path: Path) -> None:
    tags = {"sentence1_tags": [["It", "PRP"], ["rains", "VBZ"]], "hypothesis_tags": [["Wet", "JJ"]]}
    pair = {"sentence1": "It rains.", "sentence2": "Wet.", **tags}
    (first,) = iter_corpus(write_records(tmp_path / "p.jsonl", [pair]))
    assert first.info == {"premise_tags": tags["sentence1_tags"], "hypothesis_tags": [["Wet", "JJ"]]}
    path = write_records(tmp_path / "r.jsonl", [{**pair, "sentence1_tags": "PRP VBZ"}])
    assert "line 1, field 'sentence1_tags': a string instead of an array of" in said_of(path)


def test_ids_are_unique_and_do_not_depend_on_what_is_dropped_or_skipped(tmp_path: Path) -> None:
    good = {"premise": "a", "hypothesis": "b", "label": "neutral"}
    lines = [
        *({**good, "id": name} for name in ("7c", "7c", "7c~2", "7c", None)),
        *({**good, "id": None, "label": label} for label in ("-", "perhaps", "neutral")),
    ]
    path, how = write_records(tmp_path / "x.jsonl", lines), Reading(skip_bad=True, allow_loss=True)
    names, name = ["7c", "7c~2", "7c~2~2", "7c~3"], content_id("a", "b", "neutral")
    for drop, unlabelled in ((True, []), (False, [content_id("a", "b", None)])):
        found = [each.id for each in iter_corpus(path, how, drop_no_gold=drop)]
        assert found == [*names, name, *unlabelled, f"{name}~2"]


def test_columns_that_nothing_says_are_not_guessed() -> None:
    # JOCI's: refused, not misread
    assert "no column for the premise" in refused(find_layout, ["CONTEXT", "HYPOTHESIS", "LABEL"])
    for text in ("premise", "premise=a,premise=b"):
        assert "wanted: ROLE=COLUMN" in refused(parse_columns, text)


TEXT = st.text(st.sampled_from("ab é'\",;\t\n"), min_size=1).map("x{}x".format)
ROW = {"premise": TEXT, "hypothesis": TEXT, "label": st.sampled_from(LABELS)}


@given(rows=st.lists(st.fixed_dictionaries(ROW), min_size=1, max_size=5), separator=st.sampled_from(",;"))
def test_csv_json_lines_and_parquet_say_the_same(
    rows: list[Mapping[str, str]], separator: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("forms")
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator)
    writer.writerows([ROW, *([row[name] for name in ROW] for row in rows)])
    (folder / "x.csv").write_text("\ufeff" + text.getvalue(), encoding="utf-8", newline="")
    write_records(folder / "x.jsonl", rows)
    pq.write_table(pa.Table.from_pylist(rows), folder / "x.parquet")
    for suffix in ("csv", "jsonl", "parquet"):
        examples = iter_corpus(folder / f"x.{suffix}")
        found = [{"premise": e.premise, "hypothesis": e.hypothesis, "label": e.label} for e in examples]
        assert found == rows


def test_label_names_in_parquet_metadata_go_before_the_usual_order(tmp_path: Path) -> None:
    names = ["entailment", "contradiction", "neutral"]  # CB's order
    features = {"label": {"names": names, "_type": "ClassLabel"}}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    rows = [{"premise": "a", "hypothesis": "b", "label": number} for number in (0, 1, 2)]
    pq.write_table(pa.Table.from_pylist(rows).replace_schema_metadata(metadata), tmp_path / "cb.parquet")
    assert [e.label for e in iter_corpus(tmp_path / "cb.parquet")] == names
