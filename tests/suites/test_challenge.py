"""Challenge sets: from files in the formats of their authors to test sets, slices and published figures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

import crossexam as cx
from crossexam.core.dataset import Run, Suite
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import Example
from crossexam.core.manifest import CHALLENGE, package_version
from crossexam.corpora.catalog import catalog
from crossexam.corpora.split_files import CORPORA, SPLITS
from crossexam.evaluation.measures import measure
from crossexam.reports.analyses.challenge import challenge_tables, more_challenge_tables
from crossexam.reports.report import RENDERERS, make_report
from crossexam.reports.results import results_of
from crossexam.reports.table import Table
from crossexam.suites.build import SuiteWriter
from crossexam.suites.challenge_sets import CHALLENGES
from crossexam.suites.table import SUITES, suite_request

#: The place of HANS's columns that the tests do not need: four parses.
_PARSES: Final = "\t\t\t\t"
_HANS: Final = (
    ("lexical_overlap", "ln_passive", "non-entailment"),
    ("lexical_overlap", "ln_passive", "non-entailment"),
    ("lexical_overlap", "le_passive", "entailment"),
    ("subsequence", "sn_NP/S", "non-entailment"),
    ("subsequence", "se_adjective", "entailment"),
    ("subsequence", "se_adjective", "entailment"),
)


def hans(folder: Path) -> None:
    head = "gold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\tsentence2_parse\t"
    head += "sentence1\tsentence2\tpairID\theuristic\tsubcase\ttemplate\n"
    rows = [
        f"{label}{_PARSES}\tJudges met the baker {n} .\tThe baker slept .\tex{n}\t{kind}\t{subcase}\tt{n}\n"
        for n, (kind, subcase, label) in enumerate(_HANS)
    ]
    (folder / "heuristics_evaluation_set.txt").write_text(head + "".join(rows))


def json_lines(path: Path, records: Sequence[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def anli(folder: Path, rounds: Sequence[int] = (1, 2, 3)) -> None:
    for number in rounds:
        records = [
            {
                "uid": f"{number}-{n}",
                "context": f"Tower {number}{n} is old.",
                "hypothesis": "It is.",
                "label": "enc"[n],
            }
            for n in range(3)
        ]
        json_lines(folder / f"R{number}" / "test.jsonl", records)


def breaking_nli(folder: Path) -> None:
    kinds = ("colors", "colors", "drinks")
    records = [
        {
            "sentence1": f"Ann wore red {n}.",
            "sentence2": "Ann wore blue.",
            "gold_label": "contradiction",
            "pairID": str(n),
            "category": kind,
            "annotator_labels": ["contradiction"],
        }
        for n, kind in enumerate(kinds)
    ]
    json_lines(folder / "breaking_nli" / "dataset.jsonl", records)


def monli(folder: Path) -> None:
    for name in ("pmonli", "nmonli"):
        records = [
            {
                "sentence1": f"A child holds rose {n}.",
                "sentence2": "A child holds a flower.",
                "gold_label": label,
            }
            for n, label in enumerate(("entailment", "neutral"))
        ]
        json_lines(folder / f"{name}.jsonl", records)


def med(folder: Path) -> None:
    head = "index\tpromptID\tpairID\tgenre\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\t"
    head += "sentence2_parse\tsentence1\tsentence2\tlabel1\tlabel2\tlabel3\tlabel4\tlabel5\tgold_label\n"
    kinds = (("crowd:upward_monotone", "entailment"), ("paper:downward_monotone:npi", "neutral"))
    rows = [
        f"{n}\t{n}\t{n}\t{kind}{_PARSES}\tBird {n} sang.\tA wren sang.\t\t\t\t\t\t{label}\n"
        for n, (kind, label) in enumerate(kinds * 2)
    ]
    (folder / "MED.tsv").write_text(head + "".join(rows))


def conjnli(folder: Path) -> None:
    rows = (
        ("Ann and Bo ran.", "Ann ran.", "entailment"),
        ("Ann or Bo sang.", "Ann sang.", "neutral"),
        ("Ann and Bo sang or ran.", "Ann ran.", "neutral"),
        ("Nor did Ann.", "Ann did.", "contradiction"),
    )
    text = "".join("\t".join(row) + "\n" for row in rows)
    (folder / "conj_dev.tsv").write_text(f"Premise\tHypothesis\tLabel\n{text}")


def fracas(folder: Path) -> None:
    problems = (("yes", 1, "1 A"), ("no", 2, "1 A"), ("unknown", 1, "2 B"), ("undef", 1, "2 B"))
    text = "".join(
        f'<comment class="section"> {section} </comment><problem id="{n}" fracas_answer="{answer}">'
        + "".join(f'<p idx="{k}"> Ann {n} ran {k}. </p>' for k in range(premises))
        + "<q> Did she? </q><h> She ran. </h><a> ? </a></problem>"
        for n, (answer, premises, section) in enumerate(problems)
    )
    (folder / "fracas.xml").write_text(f"<fracas-problems>{text}</fracas-problems>")


def chaosnli(folder: Path) -> None:
    records = [
        {
            "uid": str(n),
            "label_count": votes,
            "majority_label": "enc"[n],
            "entropy": 0.9,
            "old_label": "n",
            "example": {"premise": f"Rain {n} fell.", "hypothesis": "It is wet.", "uid": str(n)},
        }
        for n, votes in enumerate(([76, 20, 4], [10, 80, 10], [0, 40, 60]))
    ]
    json_lines(folder / "chaosNLI_snli.jsonl", records)


def snli(folder: Path, name: str = "snli_1.0_test_hard.jsonl", **more: Any) -> None:
    records = [
        {
            "pairID": f"{n}{label[0]}",
            "gold_label": label,
            "sentence1": f"Dog {n} runs.",
            "sentence2": "It moves.",
            **{key: values[n] for key, values in more.items()},
        }
        for n, label in enumerate(("entailment", "neutral", "contradiction"))
    ]
    json_lines(folder / name, records)


def multinli(folder: Path) -> None:
    snli(folder, "multinli_1.0_dev_matched.jsonl", hard=(1, 0, 1))


MAKERS: Final[dict[str, Callable[[Path], None]]] = {
    "hans": hans, "anli": anli, "breaking_nli": breaking_nli, "monli": monli, "med": med, "conjnli": conjnli,
    "fracas": fracas, "chaosnli": chaosnli, "snli_hard": snli, "multinli_hard": multinli,
}  # fmt: skip


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("CROSSEXAM_DATA", str(folder))
    return folder


@pytest.fixture
def everything(data: Path) -> Path:
    """A data folder with a small file of each challenge set."""
    for make in MAKERS.values():
        make(data)
    return data


def always(label: str) -> Callable[[Sequence[Any]], list[str]]:
    return lambda pairs: [label] * len(pairs)


def run_on(suite: Suite, label: str = "entailment") -> Run:
    return cx.run(always(label), suite)


def table(run: Run, title: str, *, more: bool = False, published: bool = True) -> Table:
    results = results_of([run], published_rows=published)
    tables = (more_challenge_tables if more else challenge_tables)(results)
    return next(each for each in tables if each.title == title)


def shares(found: Table, columns: int = 1) -> dict[tuple[Any, ...], tuple[Any, Any]]:
    """The number of items and the accuracy of the first model by the cells before them."""
    return {
        row[:columns]: (row[columns], getattr(row[columns + 1], "value", row[columns + 1]))
        for row in found.rows
    }


# -- building --------------------------------------------------------------------------------------------


def test_every_challenge_is_a_corpus_of_the_catalogue() -> None:
    assert set(MAKERS) == set(CHALLENGES)  # a new line needs a file here
    parts = Counter(each.part for challenge in CHALLENGES.values() for each in challenge.sets)
    assert set(parts.values()) == {1}
    for name, challenge in CHALLENGES.items():
        assert name in catalog()
        assert name in CORPORA
        for each in challenge.sets:
            corpus, _, split = each.source.spec.partition(":")
            assert split in SPLITS[corpus]


def test_there_is_a_test_set_per_corpus_round_and_part(everything: Path) -> None:
    suite = cx.build("challenge")
    assert [(name, len(dataset)) for name, dataset in suite.datasets.items()] == [
        ("base.hans", 6),
        ("base.anli_r1", 3),
        ("base.anli_r2", 3),
        ("base.anli_r3", 3),
        ("base.breaking_nli", 3),
        ("base.monli_positive", 2),
        ("base.monli_negative", 2),
        ("base.med", 4),
        ("base.conjnli", 4),
        ("base.fracas", 3),  # a fourth problem has no defined answer
        ("base.chaosnli_snli", 3),
        ("base.snli_hard", 3),
        ("base.multinli_hard_matched", 2),
    ]
    assert {name: dataset.entry.projection for name, dataset in suite.datasets.items()} == {
        **dict.fromkeys(suite.datasets),
        "base.hans": "two labels",
        "base.med": "two labels",
        "base.monli_positive": "no contradiction",
        "base.monli_negative": "no contradiction",
    }
    assert [each for each in cx.check(suite) if each.code.startswith("E")] == []


def test_the_manifest_says_what_the_test_sets_are(everything: Path) -> None:
    suite = cx.build("challenge")
    facts = suite["base.anli_r2"].entry.facts[CHALLENGE]
    assert facts == {"name": "anli", "title": "round 2", "of": 3, "published_items": 1000}
    assert "published_items" not in suite["base.multinli_hard_matched"].entry.facts[CHALLENGE]
    signature = suite["base.multinli_hard_matched"].entry.signature
    assert signature is not None
    assert "multinli:dev_matched@" in signature
    assert "selected:hard" in signature
    assert str(everything) not in json.dumps(suite.manifest)  # the same on any machine
    overview = SUITES["challenge"].overview
    assert overview is not None
    rows = {row[0]: row for row in overview(suite.manifest).rows}
    assert rows["base.hans"] == (
        "base.hans",
        "6",
        "two labels",
        "heuristic and gold, subcase",
        "6 examples, published 30,000",
    )


def test_only_some_of_them(everything: Path) -> None:
    for given in ("anli,med", ("med", "anli"), " med , anli "):
        suite = cx.build("challenge", options={"challenge": {"only": given}})
        assert list(suite.datasets) == ["base.anli_r1", "base.anli_r2", "base.anli_r3", "base.med"]
    assert list(cx.build("challenge", only=["conj_nli"]).datasets) == ["base.conjnli"]  # another name of it
    assert list(cx.build("challenge", "med").datasets) == ["base.med"]


def test_an_unknown_name_is_refused_with_all_names(everything: Path) -> None:
    with pytest.raises(UnknownNameError) as caught:
        cx.build("challenge", only=["anli,hanz"])
    with pytest.raises(UnknownNameError, match="no challenge set is called ''"):
        cx.build("challenge", only=[""])
    assert str(caught.value) == (
        "--only: no challenge set is called 'hanz'\n  hint: available: " + ", ".join(CHALLENGES)
    )


def test_what_is_not_installed_is_an_error_if_it_was_named(data: Path) -> None:
    with pytest.raises(CrossexamError, match=r"none of the challenge sets is installed\n(.|\n)*fetch hans"):
        cx.build("challenge")
    med(data)
    assert list(cx.build("challenge").datasets) == ["base.med"]
    with pytest.raises(CrossexamError) as caught:
        cx.build("challenge", only=["med,anli,hans"])
    assert str(caught.value) == (
        "not installed: hans, anli\n  wanted: their files in the data folder\n"
        "  hint: crossexam fetch hans; crossexam fetch anli"
    )


def test_what_is_not_installed_is_listed(data: Path) -> None:
    med(data)
    anli(data, rounds=(1, 3))
    request = suite_request("challenge", options={"challenge": {"only": "anli,med"}})
    with SuiteWriter(request, None) as writer:
        request.kind.build(request, writer)
    assert writer.notes == ["not installed, so not included: ANLI (round 2): crossexam fetch anli"]
    assert list(writer.suite().datasets) == ["base.anli_r1", "base.anli_r3", "base.med"]


def test_multinli_without_the_field_has_no_hard_pairs(data: Path) -> None:
    snli(data, "multinli_1.0_dev_matched.jsonl")
    with pytest.raises(CrossexamError, match=r"not installed: multinli_hard\n(.|\n)*have a field 'hard'"):
        cx.build("challenge", only=["multinli_hard"])
    multinli(data)
    (dataset,) = cx.build("challenge", only=["multinli_hard"]).datasets.values()
    assert [example.id for example in dataset] == ["0e", "2c"]


def test_a_limit_draws_from_the_whole_file(everything: Path) -> None:
    """The pairs of HANS are sorted: the first ones are all of one subcase."""
    drawn = {
        tuple(example.id for example in cx.build("challenge", "hans", limit=2, seed=seed)["base.hans"])
        for seed in range(6)
    }
    assert len(drawn) > 2
    assert all(names == tuple(sorted(names)) and len(names) == 2 for names in drawn)
    dataset = cx.build("challenge", "hans", limit=2)["base.hans"]
    assert dataset.entry.facts[CHALLENGE]["of"] == 6
    assert "seed:0" in str(dataset.entry.signature)
    first = table(run_on(cx.build("challenge", "hans", limit=2)), "HANS by heuristic and gold")
    assert "HANS: 2 of 6 items. Published figures are of all items." in first.notes


# -- slices ----------------------------------------------------------------------------------------------


def test_hans_by_heuristic_and_gold_label(everything: Path) -> None:
    found = table(run_on(cx.build("challenge", "hans")), "HANS by heuristic and gold")
    # entailment throughout: right on all entailed pairs, of which there are 1 and 2, wrong on the others
    assert shares(found, 2) == {
        ("all", ""): (6, 3 / 6),
        ("lexical overlap", "entailment"): (1, 1.0),
        ("subsequence", "entailment"): (2, 1.0),
        ("lexical overlap", "not entailment"): (2, 0.0),
        ("subsequence", "not entailment"): (1, 0.0),
        ("chance", ""): (None, 1 / 2),
    }
    assert [row[0] for row in found.rows] == ["all", *["lexical overlap", "subsequence"] * 2, "chance"]
    bert = [column.header for column in found.columns].index("BERT")
    assert found.columns[bert].group == "Published, McCoy et al. 2019"
    assert [row[bert] for row in found.rows] == [0.548, 0.946, 0.993, 0.164, 0.039, None]
    assert any(
        note.startswith("For the published figures, the label with the highest") for note in found.notes
    )


def test_python_has_two_properties_together(everything: Path) -> None:
    run = run_on(cx.build("challenge", only=["hans,med"]))
    found = cx.accuracy_by(run, "heuristic and gold")
    assert {name: list(slices) for name, slices in found.items()} == {
        "base.hans": [
            "lexical_overlap/not_entailment",
            "subsequence/entailment",
            "lexical_overlap/entailment",
            "subsequence/not_entailment",
        ]
    }
    assert found["base.hans"]["subsequence/entailment"].value == 1.0
    with pytest.raises(UnknownNameError, match="no slice is called 'section and single premise'"):
        cx.accuracy_by(run, "section and single premise")


def test_hans_by_subcase(everything: Path) -> None:
    found = table(run_on(cx.build("challenge", "hans"), "neutral"), "HANS by subcase", more=True)
    assert shares(found) == {
        ("all",): (6, 3 / 6),
        ("le passive",): (1, 0.0),
        ("ln passive",): (2, 1.0),
        ("se adjective",): (2, 0.0),
        ("sn NP/S",): (1, 1.0),
        ("chance",): (None, 1 / 2),
    }
    bert = [column.header for column in found.columns].index("BERT")
    assert [row[bert] for row in found.rows] == [0.548, 1.0, 0.0, 1.0, 0.019, None]


def test_anli_by_round(everything: Path) -> None:
    found = table(run_on(cx.build("challenge", "anli")), "ANLI")
    assert shares(found) == {
        ("round 1",): (3, 1 / 3),
        ("round 2",): (3, 1 / 3),
        ("round 3",): (3, 1 / 3),
        ("chance",): (None, 1 / 3),
    }
    roberta = [column.header for column in found.columns].index("RoBERTa (S+M)")
    assert [row[roberta] for row in found.rows] == [0.476, 0.254, 0.221, None]


@pytest.mark.parametrize(
    ("name", "title", "label", "expected"),
    [
        # gold: contradiction for two colours and a drink
        ("breaking_nli", "Breaking NLI by category", "contradiction",
         {"all": (3, 1.0), "colors": (2, 1.0), "drinks": (1, 1.0)}),
        # gold: entailment in two upward pairs, not_entailment in two downward ones
        ("med", "MED by monotonicity", "contradiction",
         {"all": (4, 1 / 2), "downward": (2, 1.0), "upward": (2, 0.0)}),
        # gold: entailment (and), neutral (or, several), contradiction (nor)
        ("conjnli", "ConjNLI by conjunction", "neutral",
         {"all": (4, 1 / 2), "and": (1, 0.0), "nor": (1, 0.0), "or": (1, 1.0), "several": (1, 1.0)}),
        # gold: entailment, neutral; contradiction alone counts as neutral
        ("monli", "MoNLI", "contradiction",
         {"PMoNLI (without negation)": (2, 1 / 2), "NMoNLI (under negation)": (2, 1 / 2)}),
        ("chaosnli", "ChaosNLI", "entailment", {"pairs of SNLI dev": (3, 1 / 3)}),
        ("snli_hard", "SNLI-hard", "entailment", {"SNLI test, hard": (3, 1 / 3)}),
        # gold: entailment and contradiction, without the pair that is not hard
        ("multinli_hard", "MultiNLI-hard", "entailment", {"dev matched": (2, 1 / 2)}),
    ],
)  # fmt: skip
def test_slices_by_hand(
    everything: Path, name: str, title: str, label: str, expected: dict[str, tuple[int, float]]
) -> None:
    found = shares(table(run_on(cx.build("challenge", name), label), title))
    assert found.pop(("chance",))[1] == (1 / 2 if name in {"med", "monli"} else 1 / 3)
    assert {cells[0]: value for cells, value in found.items()} == expected


def test_fracas_by_section_and_premises(everything: Path) -> None:
    found = table(run_on(cx.build("challenge", "fracas")), "FraCaS by section and single premise")
    assert shares(found, 2) == {
        ("all", ""): (3, 1 / 3),
        ("1 a", "no"): (1, 0.0),
        ("1 a", "yes"): (1, 1.0),
        ("2 b", "yes"): (1, 0.0),
        ("chance", ""): (None, 1 / 3),
    }


def test_chance_is_left_out_where_a_model_of_two_labels_meets_three(everything: Path) -> None:
    run = run_on(cx.build("challenge", only=["anli,hans"]))
    two = Run(run.model, run.datasets, run.probabilities, {"details": {"two_label": True}})
    assert shares(table(two, "ANLI"))[("chance",)] == (None, None)
    assert shares(table(two, "HANS by heuristic and gold"), 2)[("chance", "")] == (None, 1 / 2)


# -- published figures -----------------------------------------------------------------------------------


def test_figures_that_are_not_checked_are_marked(everything: Path) -> None:
    found = table(run_on(cx.build("challenge", "monli")), "MoNLI")
    assert [column.header for column in found.columns][-1] == "BERT ‡"
    assert [row[-1] for row in found.rows] == [None, 0.022, None]
    assert any(note.startswith("‡ Not checked against the paper. Published, BERT: ") for note in found.notes)
    checked = table(run_on(cx.build("challenge", "snli_hard")), "SNLI-hard")
    assert not any("‡" in text for text in (*checked.notes, *(each.header for each in checked.columns)))


def test_published_figures_can_be_left_out(everything: Path) -> None:
    found = table(run_on(cx.build("challenge", "hans")), "HANS by heuristic and gold", published=False)
    assert not any(column.group for column in found.columns)
    assert not any("ublished figures" in note or "Published," in note for note in found.notes)


def test_another_suite_has_no_such_tables(everything: Path) -> None:
    run = run_on(cx.build("corpus", "hans:test"))
    assert challenge_tables(results_of([run])) == []


# -- reports ---------------------------------------------------------------------------------------------


def test_every_format_has_the_slices(everything: Path) -> None:
    run = run_on(cx.build("challenge"))
    results = results_of([run])
    titles = [each.title for each in challenge_tables(results)]
    assert len(titles) == len(CHALLENGES)
    for suffix in (".html", ".md", ".tex"):
        text = RENDERERS[suffix](results)
        assert all(title in text for title in titles), suffix
    assert "HANS by subcase" in RENDERERS[".html"](results)
    rows = RENDERERS[".csv"](results)
    assert "heuristic and gold=lexical_overlap/not_entailment" in rows
    assert "subcase=sn_NP/S" in rows
    sets = {each["name"]: each for each in json.loads(RENDERERS[".json"](results))["models"][0]["test_sets"]}
    sliced = sets["base.hans"]["slices"]["heuristic and gold"]["subsequence/entailment"]
    assert (sliced["value"], sliced["n"]) == (1.0, 2)
    assert sets["base.anli_r3"]["published"]["nie2020"]["BERT (all)"] == 0.435
    assert sets["base.anli_r3"]["published_not_checked"] == []
    assert sets["base.monli_negative"]["published_not_checked"] == ["geiger2020"]


def test_the_report_in_markdown(everything: Path, golden: Callable[[str, str], None]) -> None:
    run = cx.run("builtin/overlap", cx.build("challenge", only=["hans,anli,monli,fracas"]))
    text = make_report(run).text(".md").replace(package_version(), "VERSION")
    start = text.index("## HANS by heuristic")
    golden("challenge.md", text[start : text.index("\n## ", text.index("## FraCaS by"))] + "\n")


def test_real_corpora_have_their_published_sizes(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSEXAM_DATA", str(shared_data))
    suite = cx.build("challenge", limit=40)
    of = {name: dataset.entry.facts[CHALLENGE]["of"] for name, dataset in suite.datasets.items()}
    assert {
        name: of[name]
        for name in ("base.breaking_nli", "base.chaosnli_snli", "base.chaosnli_mnli", "base.snli_hard")
    } == {
        "base.breaking_nli": 8193,
        "base.chaosnli_snli": 1514,
        "base.chaosnli_mnli": 1599,
        "base.snli_hard": 3261,
    }
    assert of["base.multinli_hard_matched"] == 4573
    assert all(isinstance(example, Example) for dataset in suite.datasets.values() for example in dataset)
    result = next(each for each in measure(run_on(suite)) if each.name == "base.breaking_nli")
    assert {"category", "gold"} <= set(result.slices)
