"""Reports without a page: tables, Markdown, LaTeX, CSV, JSON, terminal, and which items are shown."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from crossexam.constructions.construction import NO_PARSE
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Change, Edit, Example, apply_edits, undo_edits
from crossexam.core.labels import LABELS, Label
from crossexam.core.manifest import package_version
from crossexam.evaluation.candidates import Candidate
from crossexam.evaluation.measures import measure
from crossexam.reports.accuracy import accuracy_table, error_table, prediction_table
from crossexam.reports.comparison import comparison_tables
from crossexam.reports.headline import headline
from crossexam.reports.items import PageItems, segments, stratified_sample
from crossexam.reports.report import make_report, terminal_comparison, terminal_report, write_comparison
from crossexam.reports.results import ModelResults, Results, results_of
from crossexam.reports.text import latex_table, markdown_table, render_latex

PREMISES = ("It rains.", "Tom sings.", "The cat is old.", "A dog runs.", "Ann reads.", "Birds fly.")
TAIL = " and false is not true"


def base_set(labels: str = "ENCENC", name: str = "base.dev_matched") -> Dataset:
    """A pair per label, each with a premise of its own, so that each is a cluster of its own."""
    named: dict[str, Label | None] = {"E": "entailment", "N": "neutral", "C": "contradiction", "-": None}
    rounds = [f"{premise[:-1]}{' again' * n}." for n in range(len(labels) // 6) for premise in PREMISES]
    pairs = zip(rounds, labels, strict=True)
    items = [
        Example(f"b{i}", premise, f"Some {premise.lower()}", named[letter], info={"genre": "tiny"})
        for i, (premise, letter) in enumerate(pairs)
    ]
    facts = {
        "construction": "base",
        "part": name.partition(".")[2],
        "base_set": None,
        "rows": 6,
        "signature": "corpus:tiny|seed:0",
    }
    return Dataset(name, tuple(items), facts)


def negated(base: Dataset) -> Dataset:
    items = []
    for each in base:
        end = len(each.hypothesis) - 1
        change = Change("negation.v1", "premise", "hypothesis", (Edit("hypothesis", end, end, "", TAIL),))
        items.append(each.derive(each.label, change))
    made = {"examples": 6, "items": 6, "rejected": {"no <full> stop": 2, "empty": 9}}
    facts = {
        "construction": "negation.v1",
        "part": base.manifest["part"],
        "base_set": base.name,
        "keeps_label": True,
        "rows": 6,
        "signature": "corpus:tiny|construction:negation.v1|seed:0",
        "yield": made,
    }
    return Dataset(f"negation.{base.manifest['part']}", tuple(items), facts)


def answers(letters: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Sure answers: "ENC" says entailment, neutral, contradiction."""
    return np.array([[0.8 if letter == said else 0.1 for letter in "ENC"] for said in letters])


def run_of(said: dict[str, str], *datasets: Dataset, model: str = "m", **manifest: Any) -> Run:
    return Run(model, {d.name: d for d in datasets}, {k: answers(v) for k, v in said.items()}, manifest)


@pytest.fixture
def two_runs() -> list[Run]:
    base = base_set()
    test = negated(base)
    first = {base.name: "ENCENC", test.name: "NNCNNN"}  # 6 right, then 3: E-N twice, C-N once
    second = {base.name: "ENCEEE", test.name: "ENCEEE"}  # 4 right twice
    return [
        run_of(first, base, test, model="builtin/first", model_key="f1"),
        run_of(second, base, test, model="hf/second_model", model_key="s1", truncated=0),
    ]


def test_golden_markdown(two_runs: list[Run], golden: Callable[[str, str], None]) -> None:
    golden("report.md", make_report(*two_runs).text(".md").replace(package_version(), "VERSION"))


def test_golden_latex(two_runs: list[Run], golden: Callable[[str, str], None]) -> None:
    golden("report.tex", latex_table(accuracy_table(results_of(two_runs[:1]))) + "\n")


def test_csv_holds_every_statistic_of_measure(two_runs: list[Run]) -> None:
    rows = list(csv.DictReader(io.StringIO(make_report(*two_runs).text(".csv"))))
    found = {(r["model"], r["test_set"], r["statistic"], r["of"]): r for r in rows}
    assert len(found) == len(rows)
    for run in two_runs:
        for result in measure(run):
            key = (run.model, result.name)
            accuracy = found[*key, "accuracy", ""]
            numbers = [float(accuracy[name]) for name in ("value", "low", "high")]
            assert numbers == list(result.accuracy[:3])
            for kind, number in result.errors.items():
                assert int(found[*key, "errors", kind]["value"]) == number
            for name in ("drop", "p_value", "p_mid", "p_holm", "minimum_detectable_drop", "flip_rate"):
                assert ((*key, name, "") in found) == (getattr(result, name) is not None)
    assert found["builtin/first", "negation.dev_matched", "confusion", "entailment>neutral"]["value"] == "2"
    assert found["builtin/first", "negation.dev_matched", "accuracy", "gold=neutral"]["value"] == "1.0"
    signature = found["builtin/first", "negation.dev_matched", "accuracy", ""]["signature"]
    assert signature.startswith("test_set:negation.dev_matched|content:")
    assert "|model:f1|" in signature


def test_json_is_strict_and_says_what_csv_says(two_runs: list[Run]) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    document = json.loads(make_report(*two_runs).text(".json"), parse_constant=refuse)
    test = document["models"][0]["test_sets"][1]
    assert test["accuracy"]["value"] == 3 / 6
    assert test["errors"]["E-N"] == 2
    assert test["confusion"]["contradiction"] == {"entailment": 0, "neutral": 1, "contradiction": 1}
    assert test["yield"]["rejected"] == {"no <full> stop": 2, "empty": 9}
    assert test["published"]["naik2018"]["NB"] == 0.395  # Table 3, negation, matched


def test_spreadsheets_do_not_run_names(two_runs: list[Run]) -> None:
    evil = replace(two_runs[0], model="=cmd|' /C calc'!A0")
    rows = list(csv.DictReader(io.StringIO(make_report(evil).text(".csv"))))
    ours = [row for row in rows if not row["model"].endswith(" (published)")]
    assert {row["model"] for row in ours} == {"'=cmd|' /C calc'!A0"}
    others = {row["statistic"] for row in rows if row not in ours}
    assert others == {"published_accuracy", "published_accuracy_of_other_items"}
    drops = [row["value"] for row in rows if row["statistic"] == "drop"]
    assert [float(value) for value in drops] == [0.5]
    better = replace(
        two_runs[0],
        probabilities={"base.dev_matched": answers("NNCNNN"), "negation.dev_matched": answers("ENCENC")},
    )
    rows = list(csv.DictReader(io.StringIO(make_report(better).text(".csv"))))
    assert [row["value"] for row in rows if row["statistic"] == "drop"] == ["-0.5"]


def test_markup_in_names_is_shown_not_read(two_runs: list[Run]) -> None:
    name = r"a|b_<i>[bold]\input{x}%&"
    evil = replace(two_runs[0], model=name)
    assert r"a\|b\_\<i\>\[bold\]\\input{x}%\&" in make_report(evil).text(".md")
    assert r"a\textbar{}b\_\textless{}i\textgreater{}[bold]\textbackslash{}input\{x\}\%\&" in make_report(
        evil
    ).text(".tex")
    console = Console(width=200, file=io.StringIO(), record=True)
    console.print(terminal_report([evil]))
    assert name in console.export_text()


def test_a_newline_in_a_name_cannot_leave_a_latex_comment(two_runs: list[Run]) -> None:
    text = render_latex("x\n\\input{secret}", [])
    assert all(line.startswith("%") for line in text.splitlines() if line)


def test_terminal_report_fits_80_columns(two_runs: list[Run]) -> None:
    for renderable in (terminal_report(two_runs), terminal_comparison(*two_runs)):
        console = Console(width=80, file=io.StringIO(), record=True)
        console.print(renderable)
        text = console.export_text()
        assert max(map(len, text.splitlines())) <= 80
        assert "100.0" in text
        assert "…" not in text  # nothing cut


def test_published_systems_stand_beside_their_counterparts_only(two_runs: list[Run]) -> None:
    table = accuracy_table(results_of(two_runs))
    headers = [column.header for column in table.columns]
    assert headers[-7:] == ["NB", "CH", "RC", "IS", "BiLSTM", "CBOW", "ALIGN"]
    negation = dict(zip(headers, table.rows[2], strict=True))
    assert negation["NB"] == 0.395  # Table 3, negation, matched
    assert "NB" not in [
        column.header for column in accuracy_table(results_of(two_runs, published_rows=False)).columns
    ]
    assert results_of(two_runs).published_rows
    elsewhere = base_set(name="base.snli_dev")
    alone = accuracy_table(results_of([run_of({elsewhere.name: "ENCENC"}, elsewhere)]))
    assert [column.header for column in alone.columns] == ["Test set", "Items", "m"]
    negated = replace(elsewhere, name="negation.snli_dev", manifest={})
    foreign = results_of([run_of({"negation.snli_dev": "ENCENC"}, negated)])
    assert [column.header for column in accuracy_table(foreign).columns] == ["Test set", "Items", "m"]
    assert "NB" not in make_report(*foreign.runs).text(".html")
    assert "0.395" not in make_report(*foreign.runs).text(".json")
    unknown = replace(elsewhere, name="shuffled.x", manifest={"construction": "shuffled.v1", "part": "x"})
    assert [
        c.header for c in accuracy_table(results_of([run_of({"shuffled.x": "ENCENC"}, unknown)])).columns
    ] == [
        "Test set",
        "Items",
        "m",
    ]


def test_a_set_without_items_is_named_with_the_reason_and_the_way_out() -> None:
    yields = {"examples": 6, "items": 0, "rejected": {NO_PARSE: 6}}
    base, made = base_set(), replace(base_set("", name="so_swap.dev_matched"), manifest={"yield": yields})
    run = run_of({base.name: "ENCENC", made.name: ""}, base, made)
    said = "so swap has no items: no parse of the premise 6."
    assert said in accuracy_table(results_of([run])).notes
    assert any("--parser spacy:PIPELINE" in note for note in accuracy_table(results_of([run])).notes)
    console = Console(width=2000, file=io.StringIO(), record=True)
    console.print(terminal_report([run]))
    assert said in console.export_text()


@pytest.mark.parametrize(("part", "own"), [("aqua_dev", True), ("my_problems", False)])
def test_word_problems_of_ones_own_are_not_those_of_the_paper(part: str, own: bool) -> None:
    one = replace(base_set(name=f"numerical_reasoning.{part}"), manifest={})
    results = results_of([run_of({one.name: "ENCENC"}, one)])
    assert ("NB" in [column.header for column in accuracy_table(results).columns]) == own


def test_each_study_stands_beside_its_own_test_sets(for_each: Callable[..., None]) -> None:
    def check(name: str, system: str, share: float) -> None:
        one = replace(base_set(name=name), manifest={})
        made = replace(
            base_set(name="so_swap.snli_dev"), manifest={}
        )  # without one, no study is beside a base
        sets = {each.name: each for each in (one, made)}
        table = accuracy_table(results_of([run_of(dict.fromkeys(sets, "ENCENC"), *sets.values())]))
        assert {column.group for column in table.columns[3:]} == {"Published, Nie et al. 2019"}
        assert (
            dict(zip([column.header for column in table.columns], table.rows[0], strict=True))[system]
            == share
        )
        assert "on SNLI dev, MultiNLI dev and the authors' own adversaries" in table.notes[-1]

    for_each(
        check,
        [
            ("so_swap.snli_dev", "ESIM", 0.021),  # Table 2, C
            ("add_amod.snli_dev", "DIIN", 0.446),  # Table 2, N
            ("cs_0_7.multinli_dev_mismatched", "S-TLSTM", 0.5061),  # Table 5, row 4
            ("cs_0_6.snli_dev", "ESIM-WS", 0.5061),  # Table 5, row 12
            ("base.snli_dev", "ESIM", 0.8817),  # Table 5 has it in more digits than Table 2
            ("base.snli_dev", "DAM", 0.85),  # Table 2 alone
        ],
    )


def test_figures_of_a_dev_set_stand_beside_no_other_split_and_no_part_of_it(
    for_each: Callable[..., None],
) -> None:
    def check(part: str, facts: dict[str, Any]) -> None:
        names = [f"{made}.{part}" for made in ("base", "so_swap", "cs_0_5", "negation")]
        sets = [replace(base_set(name=name), manifest=facts) for name in names]
        results = results_of([run_of(dict.fromkeys(names, "ENCENC"), *sets)])
        assert [column.header for column in accuracy_table(results).columns] == ["Test set", "Items", "m"]
        assert [row for row in error_table(results).rows if row[2] is None] == []
        assert [row for row in prediction_table(results).rows if row[3] is None] == []

    for_each(
        check,
        [
            ("snli_test", {}),
            ("snli_dev_1000", {}),
            ("snli_dev", {"signature": "corpus:snli:dev@x|limit:1000|version:0"}),
            ("multinli_dev_mismatched", {"cross_dataset": {"key": "multinli_dev_mismatched"}}),
            ("multinli_dev_matched_300", {}),
            ("my_dev_matched", {}),
        ],
    )


def test_headline_names_model_test_and_interval(two_runs: list[Run]) -> None:
    console = Console(width=200, file=io.StringIO(), record=True)
    console.print(terminal_report(two_runs))
    first = console.export_text().splitlines()[0]
    assert (
        first
        == "builtin/first was measured on fewer than 30 items of each test set, too few for a conclusion."
    )
    result = measure(two_runs[0])[1]
    assert result.drop is not None
    large = replace(result, n=60, drop=result.drop._replace(n=60), p_holm=0.25)
    drop = result.drop._replace(value=0.1, low=0.05, high=0.15, n=60)
    sure = replace(large, drop=drop, p_holm=0.01, candidate=Candidate(1, drop, 0.01, True, None))
    for found, words in ((large, "does not drop significantly"), (sure, "by 10.0 points (95 % interval 5.0")):
        assert words in headline(Results((ModelResults("m", two_runs[0], (found,)),)))


def test_one_test_set_without_a_base(two_runs: list[Run]) -> None:
    base = base_set()
    only = make_report(run_of({base.name: "ENCENC"}, base))
    assert only.text(".md").startswith("# m was measured on fewer than 30 items of each test set")
    many = base_set("ENC" * 10)
    enough = make_report(run_of({many.name: "ENC" * 10}, many)).text(".md")
    assert enough.startswith("# The accuracy of m is 100.0 % on base (dev matched) (")
    assert "Drop from the base" not in only.text(".md")


def test_nothing_to_measure_is_no_crash(for_each: Callable[..., None]) -> None:
    def check(suffix: str) -> None:
        unlabelled = base_set("------")
        test = negated(unlabelled)
        facts = {"construction": "antonymy.v1", "base_set": unlabelled.name, "keeps_label": False}
        empty = Dataset("antonymy.dev_matched", (), facts)
        run = run_of({unlabelled.name: "ENCENC", test.name: "ENCENC"}, unlabelled, test)
        run = replace(
            run,
            datasets={**run.datasets, empty.name: empty},
            probabilities={**run.probabilities, empty.name: np.zeros((0, 3))},
        )
        text = make_report(run).text(suffix)
        assert "nan" not in text.lower().replace("sans", "").replace("unanswered", "")
        if suffix == ".md":
            assert text.startswith("# No item has a gold label, so accuracy cannot be computed.")

    for_each(check, [".md", ".tex", ".csv", ".json", ".html"])


def test_no_errors_at_all(two_runs: list[Run]) -> None:
    base = base_set("ENC" * 10)
    test = negated(base)
    perfect = run_of({base.name: "ENC" * 10, test.name: "ENC" * 10}, base, test)
    text = make_report(perfect).text(".md")
    assert "# The accuracy of m, 100.0 % on the base, does not drop on any test set." in text
    assert "| negation | m | 0 | – | – | 0 | 0 | 0 | 0 | 0 | 0 |" in text
    assert "100.0" in make_report(perfect).text(".html")


def test_two_label_models_carry_their_projection() -> None:
    base = base_set()
    run = run_of({base.name: "EEEEEE"}, base, details={"two_label": True})
    for suffix in (".md", ".tex", ".html"):
        assert "not" in make_report(run).text(suffix)
    words = "base (dev matched): not\\_entailment = neutral + contradiction"
    assert words in make_report(run).text(".md")
    half = replace(run, probabilities={base.name: np.tile([0.5, 0.25, 0.25], (6, 1))})
    said = [item[8][0][0] for item in PageItems(results_of([half])).packed(0, 0, 6)["items"]]
    assert said == [3] * 6  # exactly 1/2 is not entailment, as in evaluation.scores


def test_two_runs_of_one_name_are_told_apart(two_runs: list[Run]) -> None:
    twice = [two_runs[0], replace(two_runs[1], model="builtin/first")]
    headers = [column.header for column in accuracy_table(results_of(twice, published_rows=False)).columns]
    assert headers[2:] == ["builtin/first (1)", "builtin/first (2)"]


def test_runs_over_different_items_are_refused(two_runs: list[Run]) -> None:
    other = base_set("CCCCCC")
    with pytest.raises(CrossexamError) as refused:
        make_report(two_runs[0], run_of({other.name: "CCCCCC"}, other, model="x")).text(".md")
    assert str(refused.value) == (
        "test set base.dev_matched: 'builtin/first' and 'x' were run on different items\n"
        "  wanted: runs over the same test sets\n"
        "  hint: build the suite once and run both models over it"
    )


def test_no_run_and_no_such_form(two_runs: list[Run], tmp_path: Path) -> None:
    with pytest.raises(CrossexamError, match="no runs to report"):
        make_report().text(".md")
    with pytest.raises(FormatError) as refused:
        make_report(*two_runs).save(tmp_path / "report.pdf")
    assert str(refused.value).endswith(
        "'.pdf' is not a supported report format\n  wanted: .html, .md, .tex, .csv, .json, .yaml\n"
        "  hint: -o report.html"
    )
    assert not list(tmp_path.iterdir())


def test_comparison_in_each_form(two_runs: list[Run], tmp_path: Path) -> None:
    for suffix in (".md", ".tex", ".csv", ".json"):
        write_comparison(*two_runs, tmp_path / f"c{suffix}")
    rows = list(csv.DictReader((tmp_path / "c.csv").open()))
    assert (rows[1]["a"], rows[1]["b"], rows[1]["name"]) == (
        "builtin/first",
        "hf/second_model",
        "negation.dev_matched",
    )
    # Of six items the first alone has one right (the second neutral), the second alone two (E, E).
    assert (rows[1]["only_a_right"], rows[1]["only_b_right"]) == ("1", "2")
    assert float(rows[1]["difference"]) == (3 - 4) / 6
    document = json.loads((tmp_path / "c.json").read_text())
    assert document["test_sets"][1]["difference_low"] < (3 - 4) / 6
    assert "A: builtin/first, B: hf/second\\_model" in markdown_table(comparison_tables(*two_runs)[0])
    with pytest.raises(FormatError, match=r"'\.html' is not a supported report format"):
        write_comparison(*two_runs, tmp_path / "c.html")


def test_html_survives_lone_surrogates(two_runs: list[Run], tmp_path: Path) -> None:
    base = base_set()
    odd = replace(base.examples[0], premise="It \ud800 rains.", info={"cluster": "a"})
    broken = replace(base, examples=(odd, *base.examples[1:]))
    run = run_of({base.name: "ENCENC"}, broken, model="m\udfff")
    for suffix in (".html", ".md", ".csv", ".json", ".tex"):
        make_report(run).save(tmp_path / f"r{suffix}").read_text(encoding="utf-8")


def test_sample_shows_every_kind_and_repeats() -> None:
    strata = np.repeat([0, 1, 2, 3], [900, 90, 9, 1])
    chosen = stratified_sample(strata, 40, "negation")
    shown = np.bincount(strata[chosen], minlength=4)
    assert len(chosen) == 40 == len(set(chosen))
    # About sqrt(size): of 40, in proportions 30 : 9.5 : 3 : 1 of their sum 43.5.
    assert list(shown) == pytest.approx([40 * 30 / 43.5, 40 * 9.5 / 43.5, 40 * 3 / 43.5, 1], abs=1.5)
    assert chosen == stratified_sample(strata, 40, "negation")
    assert chosen != stratified_sample(strata, 40, "antonymy")
    assert stratified_sample(strata, 1000, "x") == list(range(1000))
    assert stratified_sample(strata[:0], 40, "x") == []


WORDS = st.lists(st.sampled_from(["hot", "cold", "not", "the", "an", "naïve", "😀"]), min_size=1, max_size=8)


@given(WORDS, st.data())
def test_segments_spell_the_new_and_the_old_sentence(words: list[str], data: st.DataObject) -> None:
    text, edits, start = " ".join(words), [], 0
    for word in words:
        if data.draw(st.booleans()):
            new = data.draw(st.sampled_from(["", "cold", "and true is true"]))
            edits.append(Edit("hypothesis", start, start + len(word), word, new))
        start += len(word) + 1
    result = apply_edits(text, edits, "hypothesis")
    pieces = segments(result, edits, "hypothesis")
    assert "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces) == result
    old = "".join(piece if isinstance(piece, str) else piece[1] for piece in pieces)
    assert old == undo_edits(result, edits, "hypothesis") == text


def test_items_carry_their_base_and_its_answer(two_runs: list[Run]) -> None:
    items = PageItems(results_of(two_runs))
    packed = items.packed(1, 0, 6)
    number, name, gold, premise, hypothesis, *rest = packed["items"][0]
    base_premise, base_hypothesis, base_gold, said, before, facts = rest
    assert (items.shown[number].dataset.name, name, gold, facts) == (
        "negation.dev_matched",
        "negation:b0",
        LABELS.index("entailment"),
        "genre: tiny",
    )
    assert packed["texts"][premise] == packed["texts"][base_premise] == "It rains."
    assert hypothesis == ["Some it rains", [TAIL, ""], "."]
    assert packed["texts"][base_hypothesis] == "Some it rains."
    assert base_gold == 0
    assert said == [[1, 100, 800, 100], [0, 800, 100, 100]]
    assert before == [[0, 800, 100, 100], [0, 800, 100, 100]]


def test_items_without_their_base_are_recovered_from_the_edits(two_runs: list[Run]) -> None:
    base = base_set()
    test = negated(base)
    packed = PageItems(results_of([run_of({test.name: "ENCENC"}, test)])).packed(0, 0, 6)
    item = packed["items"][0]
    assert (packed["texts"][item[5]], packed["texts"][item[6]]) == ("It rains.", "Some it rains.")
    assert item[9] == [None]
    wrong = replace(test.examples[0], hypothesis="Another text.")
    broken = replace(test, examples=(wrong, *test.examples[1:]))
    item = PageItems(results_of([run_of({test.name: "ENCENC"}, broken)])).packed(0, 0, 1)["items"][0]
    assert item[5] is None  # the record does not fit: shown without it
