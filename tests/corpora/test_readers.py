"""Every reader of the table: over the real file where it is there, else over a small one of its format."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.example import Example, cluster_of, content_id
from crossexam.core.labels import PROJECTIONS
from crossexam.corpora.readers.table import READERS
from crossexam.corpora.reading import ReadingReport
from crossexam.corpora.spec import iter_corpus, read_corpus
from crossexam.corpora.split_files import CORPORA, CORPUS_ALIASES, SPLITS

MADE = Path(__file__).parents[1] / "data" / "readers"
E, N, C, NOT = "entailment", "neutral", "contradiction", "not_entailment"

# Records; entailment, neutral, contradiction, not_entailment (as the README of the data says, or counted in
# the file with csv and json alone); without gold; and the first, tenth and last example, which were read,
# as hashes of id, premise, hypothesis and label.
# fmt: off
REAL: dict[str, tuple[int, tuple[int, int, int, int], int, tuple[str, str, str]]] = {
    "snli:dev":         (10000, (3329, 3235, 3278, 0), 158, ("36771103", "8faa6810", "6fd81686")),
    "snli:test":        (10000, (3368, 3219, 3237, 0), 176, ("2e4dc98a", "0e1b5115", "775e628c")),
    "multinli:dev_matched": (9815, (3479, 3123, 3213, 0), 0, ("e7eca8cf", "8c35a99c", "f363ecd9")),
    "multinli:dev_mismatched": (9832, (3243, 2822, 3106, 0), 661, ("63ea6313", "96bf7ded", "52e9bc02")),
    "sick:train":        (4500, (1299, 2536, 665, 0), 0, ("b3a790f9", "2b5abb99", "265dc3de")),
    "sick:dev":          (500, (144, 282, 74, 0), 0, ("43458134", "c2a666e1", "7d6b3269")),
    "sick:test":         (4927, (1414, 2793, 720, 0), 0, ("0f0d4215", "86e12ae3", "f1e4ad82")),
    "sick:all":          (9840, (2821, 5595, 1424, 0), 0, ("b3a790f9", "90a6c9a1", "265dc3de")),
    "joci:train":        (5091, (590, 893 + 863 + 384, 987, 0), 1374, ("9a95cb11", "f3cd31fe", "9f1e63bf")),
    "joci:dev":          (643, (82, 98 + 120 + 48, 116, 0), 179, ("4440e478", "aef420aa", "520c045f")),
    "joci:test":         (641, (86, 112 + 117 + 47, 112, 0), 167, ("541e33fe", "519d2769", "ef59a9f0")),
    "joci:all":          (39092, (7155, 9783 + 8735 + 4098, 9267, 0), 54,
                          ("1ae6f984", "cb573000", "3ffcd06c")),
    "scitail:test":      (2126, (842, 1284, 0, 0), 0, ("edbdca29", "7c3a56a4", "03da96d3")),
    "mpe:train":         (8000, (2584, 2092, 3324, 0), 0, ("460f5df0", "dc835eb0", "f84218dd")),
    "mpe:dev":           (1000, (325, 273, 401, 0), 1, ("7267a243", "35c84a7c", "bc3f5546")),
    "mpe:test":          (1000, (344, 232, 424, 0), 0, ("df26a3e6", "e1d69e97", "373ad690")),
    "diagnostic:test":   (1104, (460, 0, 0, 644), 0, ("22bb3578", "e892fc25", "2a61476e")),
    "add_one:train":     (4991, (1159, 0, 0, 3832), 0, ("0f2781d6", "53ed975c", "f1613459")),
    "add_one:test":      (387, (57, 0, 0, 330), 0, ("da05acd8", "601e4116", "1c646350")),
    "cb:train":          (250, (115, 16, 119, 0), 0, ("23691f89", "ef6d2859", "811fcb87")),
    "cb:dev":            (56, (23, 5, 28, 0), 0, ("e1e43921", "2ed80587", "9528d374")),
    "rte:train":         (2490, (1249, 0, 0, 1241), 0, ("a9fc0cf5", "4e9bcf77", "014e015c")),
    "rte:dev":           (277, (146, 0, 0, 131), 0, ("57c150b6", "647eb78f", "360a8641")),
    "wnli:train":        (635, (312, 0, 0, 323), 0, ("7fcced35", "efc5498b", "b1f59ca1")),
    "wnli:dev":          (71, (31, 0, 0, 40), 0, ("18ce10e9", "a86a2d7c", "f66cdf66")),
    "dpr:all":           (3658, (1829, 0, 0, 1829), 0, ("732bb76f", "25f04d30", "a23b4cf4")),
    "dpr:train":         (2558, (1279, 0, 0, 1279), 0, ("732bb76f", "25f04d30", "f77c2cb0")),
    "dpr:test":          (1100, (550, 0, 0, 550), 0, ("5da77d0b", "6374d38e", "a23b4cf4")),
    "snli_hard:test":    (3261, (1058, 1068, 1135, 0), 0, ("2e4dc98a", "03828fb4", "93445438")),
    "breaking_nli:test": (8193, (982, 47, 7164, 0), 0, ("92fb3208", "45b46ba3", "9a3ae745")),
    "chaosnli:snli":     (1514, (421, 813, 280, 0), 0, ("f728b5f7", "e9706cdc", "6fd81686")),
    "chaosnli:mnli_m":   (1599, (741, 583, 275, 0), 0, ("365dec19", "d6c05b53", "fa93a802")),
    # the examples of MultiNLI whose field `hard`, an addition of the copy, is 1
    "multinli_hard@multinli/multinli_1.0_dev_matched.jsonl":
                         (4573, (1701, 1486, 1386, 0), 0, ("e7eca8cf", "365dec19", "a12f49f0")),
    "multinli_hard@multinli/multinli_1.0_dev_mismatched.jsonl":
                         (4530, (1710, 1400, 1420, 0), 0, ("5e6e93c5", "d11c230e", "52e9bc02")),
}
# fmt: on
#: Splits whose labels are withheld: records in the file.
UNLABELLED = {"rte:test": 3000, "wnli:test": 146}


def digest(example: Example) -> str:
    text = f"{example.id}\x1f{example.premise}\x1f{example.hypothesis}\x1f{example.label}"
    return hashlib.blake2b(text.encode("utf-8"), digest_size=4).hexdigest()


@pytest.mark.slow
def test_a_real_file_is_read_as_it_is(shared_data: Path, for_each: Callable[..., None]) -> None:
    def check(spec: str) -> None:
        records, counts, no_gold, hashes = REAL[spec]
        report = ReadingReport()
        corpus, at, name = spec.partition("@")
        examples = list(
            iter_corpus(f"{corpus}@{shared_data / name}" if at else spec, data_dir=shared_data, report=report)
        )
        assert tuple(report.labels[label] for label in (E, N, C, NOT)) == counts
        assert (report.read, report.no_gold, report.bad) == (records, no_gold, 0)
        assert sum(counts) + no_gold == records == len(examples) + no_gold
        assert tuple(digest(examples[place]) for place in (0, 9, -1)) == hashes
        assert len({example.id for example in examples}) == records - no_gold
        assert not any(re.search(r"</?[bu]>|\.jpg#\d/", e.premise + e.hypothesis) for e in examples)

    for_each(check, REAL)


def test_withheld_labels_are_no_gold(shared_data: Path, said_of: Callable[..., str]) -> None:
    for spec, count in UNLABELLED.items():
        said = said_of(spec, data_dir=shared_data)
        assert f"none of the {count} records has a gold label" in said
        kept = read_corpus(spec, data_dir=shared_data, drop_no_gold=False)
        assert {example.label for example in kept} == {None}
        assert len(kept) == count


def test_what_real_files_say_besides(shared_data: Path) -> None:
    def one(spec: str, place: int = 0) -> dict[str, Any]:
        return dict(read_corpus(spec, data_dir=shared_data).examples[place].info)

    assert one("sick:train") == {"relatedness": 4.5}
    assert one("joci:dev") == {
        "ordinal": "5",
        "context_from": "SNLI-train",
        "hypothesis_from": "AGCI-WK",
        "subset": "AGCI",
    }
    picture = "4818829454.jpg"
    assert one("mpe:dev") == {"captionID": picture, "cluster": picture, "judgments": [3, 0, 2]}
    assert one("breaking_nli:test")["category"] == "colors"
    chaos = one("chaosnli:snli")
    assert (chaos["label_distribution"], chaos["votes"], chaos["old_label"]) == (
        [0.3, 0.7, 0.0],
        [30, 70, 0],
        N,
    )


def test_the_tags_of_the_diagnostic_set(shared_data: Path) -> None:
    examples = read_corpus("diagnostic:test", data_dir=shared_data).examples
    groups = ("lexical_semantics", "predicate_argument_structure", "logic", "knowledge")
    # items with any tag, counted in the file with json alone
    assert [sum(group in e.info for e in examples) for group in groups] == [368, 424, 364, 284]
    tags = [tag for e in examples for tag in e.info.get("logic", ())]
    assert (tags.count("Negation"), tags.count("Double negation"), len(set(tags))) == (82, 28, 12)


def test_four_premises_share_their_picture(shared_data: Path) -> None:
    lines = (shared_data / "mpe" / "mpe_test.txt").read_text(encoding="utf-8").splitlines()[1:]
    by_hand = {line.split("\t")[0]: line.split("\t")[1].partition("#")[0] for line in lines}
    assert {e.id: cluster_of(e) for e in iter_corpus("mpe:test", data_dir=shared_data)} == by_hand


# -- files of the documented formats, made for these tests -----------------------------------------------

# Corpus and split, or corpus@file: id, label, beginning of premise and of hypothesis, info.
# fmt: off
READ: dict[str, list[tuple[str, str | None, str, str, dict[str, Any]]]] = {
    "scitail:dev": [
        (None, E, "Iron rusts where", "Water makes iron", {}),
        (None, N, 'A magnet has two "poles".', "A magnet has a", {}),
    ],
    "scitail:test": [
        (None, E, "Iron rusts where", "Water makes iron",
         {"premise_parse": "(ROOT (S Iron))", "annotator_labels": ["entails"]}),
        (None, N, "Iron", "Copper rusts.", {"annotator_labels": ["neutral"]}),
    ],
    "scitail:train": [
        (None, E, "Iron rusts", "Water makes iron rust.", {}),
        (None, N, "Iron rusts", "Copper rusts.", {}),
    ],
    "diagnostic:test": [
        (None, C, "No cook burnt the soup, and no", "A guest burnt",
         {"predicate_argument_structure": ["Anaphora/Coreference", "Ellipsis/Implicits"],
          "logic": ["Negation"], "domain": "Artificial"}),
        (None, E, "Every ferry sank.", "Some ferry sank.",
         {"lexical_semantics": ["Quantifiers"], "knowledge": ["World knowledge"], "domain": "News"}),
        (None, N, "Some ferry sank.", "Every ferry sank.", {"domain": "Reddit"}),
    ],
    "add_one:train": [  # the cut at 3.5
        (None, E, "Ships lay in the harbour.", "Ships lay in the old harbour.",
         {"score": 3.5, "adjective": "old", "noun": "harbour"}),
        (None, NOT, "A boat left.", "A red boat left.",
         {"score": 3.25, "adjective": "red", "noun": "boat"}),
    ],
    "add_one:test": [  # 4 and 3 count, 3.5 does not
        (None, E, "The crew, tired, slept.", "The whole crew, tired,",
         {"score": 4.0, "adjective": "whole", "noun": "crew"}),
        (None, None, "A dog barked.", "A wet dog barked.",
         {"score": 3.5, "adjective": "wet", "noun": "dog"}),
        (None, NOT, "A man sat.", "A tall man sat.",
         {"score": 3.0, "adjective": "tall", "noun": "man"}),
    ],
    "cb:all": [  # 4 of 5 above 0; all below; 4 of 5 are 0; no 4 of 5 alike
        ("NEW-1", E, "It was late, and dark. Did they know", "the gate was shut",
         {"genre": "NEW", "embedding": "question", "verb": "know", "judgments": [3, 2, 2, 1, 0]}),
        ("NEW-2", C, 'Ann did not think that "he" lied.', "he lied",
         {"genre": "NEW", "embedding": "negation", "verb": "think", "judgments": [-1, -2, -3, -1, -1]}),
        ("NEW-3", N, "A: Well,\nB: so. She might say", "it rains",
         {"genre": "NEW", "embedding": "modal", "verb": "say", "judgments": [0, 0, 0, 0, 1]}),
        ("NEW-4", None, "Wait. If he says so", "it is true",
         {"genre": "NEW", "embedding": "conditional", "verb": "say", "judgments": [3, 0, -1, 2, 0]}),
    ],
    "dpr:all": [
        ("12", NOT, "The cup fell off the table because it was wet : or so", "The cup was wet .", {}),
        ("13", E, "The cup fell", "The table was wet .", {}),
        ("14", E, "Tom thanked Bob", "Bob had helped .", {}),
    ],
    "dpr:train": [
        ("12", NOT, "The cup fell off", "The cup was wet .", {}),
        ("14", E, "Tom thanked Bob", "Bob had helped .", {}),
    ],
    "spr:all": [
        ("en-1-0-agent", NOT, "The mill ground the wheat .", "The mill was sentient .", {}),
        ("en-1-1-patient", E, "The mill ground the wheat .", "The wheat changed .", {}),
    ],
    "spr:dev": [("en-1-1-patient", E, "The mill ground the wheat .", "The wheat changed .", {})],
    "fn_plus:all": [
        ("7-2", E, "The clerk sealed the letter .", "The clerk shut", {"replaced": "shut"}),
        ("7-3", NOT, "The clerk sealed the letter .", "The clerk burnt", {"replaced": "burnt"}),
    ],
    "fn_plus:test": [("7-3", NOT, "The clerk sealed", "The clerk burnt", {"replaced": "burnt"})],
    "dpr@dnc/recast_new_data.json": [
        ("900001", NOT, "The nurse told", "The nurse could", {"inference": "pronoun resolution"}),
        ("900002", E, "The nurse told", "The cook could", {"inference": "pronoun resolution"}),
    ],
    "multinli_hard:test_matched": [
        ("1n", None, "Your gift came.", "A gift came.",
         {"genre": "letters", "promptID": "1", "cluster": "1", "premise_parse": "(ROOT (S Your))"}),
        ("2e", None, "They voted.", "Nobody voted.", {"genre": "slate", "promptID": "2", "cluster": "2"}),
    ],
    "multinli_annotated:matched": [
        ("2c", C, "They voted.", "Nobody voted.",
         {"annotations": ["ANTO", "QUANTIFIER"], "genre": "slate", "promptID": "2", "cluster": "2"}),
        ("1n", N, "Your gift came.", "A big gift came.",
         {"annotations": ["LONG_SENTENCE"], "genre": "letters", "promptID": "1", "cluster": "1"}),
        ("1e", E, "Your gift came.", "A gift came.",
         {"genre": "letters", "promptID": "1", "cluster": "1"}),
    ],
    "hans:test": [
        ("ex0", NOT, "The baker by the judge slept .", "The judge slept .",
         {"heuristic": "lexical_overlap", "subcase": "ln_preposition", "template": "temp1",
          "premise_parse": "(ROOT (S The))", "hypothesis_parse": "(ROOT (S The))",
          "premise_binary_parse": "( The baker )", "hypothesis_binary_parse": "( The judge )"}),
        ("ex1", E, "The bakers and the judge", "The judge slept .",
         {"heuristic": "subsequence", "subcase": "se_conjunction", "template": "temp2",
          "premise_parse": "(ROOT (S a))", "hypothesis_parse": "(ROOT (S b))",
          "premise_binary_parse": "( a )", "hypothesis_binary_parse": "( b )"}),
    ],
    "naik_stress:word_overlap_matched": [
        (None, E, "The ferry left", "The ferry left and true is true.",
         {"genre": "travel", "promptID": "7", "cluster": "7", "base_pair": "7e"}),
        (None, C, "The ferry left", "The ferry sank and true is true.",
         {"genre": "travel", "promptID": "7", "cluster": "7", "base_pair": "7c"}),
    ],
    "conjnli:dev": [
        (None, C, 'She wrote " Ice ", not prose.', "She wrote prose.", {"conjunction": "none"}),
        (None, N, "He sang or read.", "He sang.", {"conjunction": "or"}),
    ],
    "conjnli:test": [(None, None, "He sang and read.", "He sang.", {"conjunction": "and"})],
    "monli:negative": [
        (None, E, "No child holds a flower.", "No child holds a rose.", {"depth": -1}),
        (None, N, "No child holds a rose.", "No child holds a flower.",
         {"depth": 1, "words": ["rose", "flower"]}),
    ],
    "med:test": [
        ("1", E, "No bird sang.", "No wren sang.", {"origin": "paper", "monotonicity": "downward",
                                                    "phenomena": ["GLUE", "lexical_knowledge", "npi"]}),
        ("2", E, "A bird sang loudly.", "A bird sang.", {"origin": "crowd", "monotonicity": "upward"}),
        ("3", NOT, "Exactly one bird", "Exactly one wren", {"origin": "paper", "monotonicity": "non"}),
    ],
    "fracas:test": [  # 005 has no question and is no pair
        ("001", E, "every miller owns a mill's key. Jones is a miller.", "Jones owns a key.",
         {"section": "1 generalized quantifiers", "subsection": "1.1 conservativity", "premises": "2",
          "single_premise": False}),
        ("002", N, "no miller slept.", "no tall man slept.",
         {"section": "1 generalized quantifiers", "subsection": "1.2 monotonicity", "premises": "1",
          "single_premise": True}),
        ("003", C, "nobody slept.", "Jones slept.",
         {"section": "2 plurals", "premises": "1", "single_premise": True}),
        ("004", None, "few slept.", "some slept.",
         {"section": "2 plurals", "premises": "1", "single_premise": True}),
    ],
    "anli:r1_dev": [
        ("u-1", C, "The tower was", "The tower is of wood.",
         {"genre": "wikipedia", "reason": "brick is not wood"}),
        ("u-2", E, "The tower was", "The tower was built in 1901.", {"genre": "wikipedia"}),
        ("u-3", N, "The tower was", "It is red.", {"genre": "news", "reason": "who knows"}),
    ],
    "wanli:test": [
        ("225", E, "It may rain or snow.", "It may snow.", {"genre": "generated", "seed": "17"}),
        ("226", N, "It may rain.", "It will rain.", {"genre": "generated_revised", "seed": 18}),
    ],
    "cad_nli:original_dev": [
        (None, C, "A man rows.", "A man naps.", {"cluster": "cad_nli dev 0"}),
        (None, C, 'A boy reads "Emma".', 'A boy said "no".', {"cluster": "cad_nli dev 1"}),
    ],
    "aggrefact:dev": [
        (None, E, "The ferry left at noon. It", "The ferry left full.",
         {"dataset": "AggreFact-CNN", "contamination_identifier": 64 * "c"}),
        (None, NOT, "The ferry left at noon. It", "The ferry left at night.",
         {"dataset": "AggreFact-CNN", "contamination_identifier": 64 * "c"}),
        (None, E, "Rust is an oxide of iron.\n\nIt is brown.", "Rust is brown.",
         {"dataset": "Wice", "contamination_identifier": 64 * "d"}),
    ],
    "aggrefact:test": [
        (None, E, "A mill ground wheat, and then barley.", "A mill ground wheat.",
         {"dataset": "Reveal", "contamination_identifier": 64 * "e"}),
        (None, NOT, 'The clerk said "no".\nThen she left.', "The clerk said yes.",
         {"dataset": "Reveal", "contamination_identifier": 64 * "f"}),
    ],
    "true:frank": [
        (None, E, "Two boats met. One sank.", "A boat sank.", {"system": "bart"}),
        (None, NOT, "Two boats met.", "Two boats sank.", {"system": "pegasus"}),
    ],
    "true:paws": [
        (None, NOT, "Ann drove from Ayr to Bude.", "Ann drove from Bude to Ayr.", {}),
        (None, E, "Ann, tired, slept.", "Tired, Ann slept.", {}),
    ],
    "summac:all": [
        (None, E, "The bridge opened.", "A long bridge", {"dataset": "factcc"}),
        (None, NOT, "The bridge opened.", "The bridge closed.",
         {"dataset": "frank", "system": "M8"}),
    ],
    "summac:dev": [
        (None, E, "The bridge opened.", "A long bridge", {"dataset": "factcc"}),
    ],
    "summac:test": [
        (None, NOT, "The bridge opened.", "The bridge closed.",
         {"dataset": "frank", "system": "M8"}),
    ],
}
# fmt: on


def as_read(spec: str) -> list[Example]:
    corpus, at, name = spec.partition("@")
    return list(iter_corpus(f"{corpus}@{MADE / name}" if at else spec, data_dir=MADE, drop_no_gold=False))


def test_a_file_of_the_documented_format(for_each: Callable[..., None]) -> None:
    def check(spec: str) -> None:
        examples = as_read(spec)
        assert [(e.label, dict(e.info)) for e in examples] == [(t, m) for _, t, _, _, m in READ[spec]]
        for example, (name, _, premise, hypothesis, _) in zip(examples, READ[spec], strict=True):
            assert example.id == (name or content_id(example.premise, example.hypothesis, example.label))
            assert example.premise.startswith(premise)
            assert example.hypothesis.startswith(hypothesis)

    for_each(check, READ)


def test_no_reader_is_without_a_test() -> None:
    tested = {re.split("[:@]", spec)[0] for spec in (*REAL, *READ)}
    assert tested == {*READERS, "snli", "snli_hard", "multinli"}
    assert set(READERS) < set(CORPORA) == set(SPLITS)
    assert set(CORPUS_ALIASES.values()) <= set(CORPORA)


def test_what_a_reader_was_tried_on_is_true() -> None:
    """A reader that says "its documented format" alone was tried on no real file, and the other way."""
    real = {re.split("[:@]", spec)[0] for spec in REAL}
    assert {name for name, reader in READERS.items() if reader.tested_on == "its documented format"} == {
        name for name in READERS if name not in real
    }
    assert all(len(reader.tested_on) > 10 for reader in READERS.values())


def test_projections_fit_the_labels() -> None:
    two = {"diagnostic", "add_one", "rte", "wnli", "dpr", "spr", "fn_plus", "hans", "med"}
    two |= {"aggrefact", "true", "summac"}
    assert {name for name, reader in READERS.items() if reader.projection == "two labels"} == two
    assert [n for n, reader in READERS.items() if reader.projection == "no contradiction"] == [
        "scitail",
        "monli",
    ]
    assert {reader.projection for reader in READERS.values()} <= set(PROJECTIONS)
    for spec in READ:
        corpus = re.split("[:@]", spec)[0]
        found = {e.label for e in as_read(spec)} - {None}
        allowed = set(PROJECTIONS[READERS[corpus].projection].labels)
        assert found <= allowed or corpus == "diagnostic"  # its full file has the three labels


def test_claims_about_one_document_are_one_cluster() -> None:
    first, second, third = (cluster_of(example) for example in as_read("aggrefact:dev"))
    assert first == second != third


def test_aggrefact_is_read_alike_from_each_of_its_formats(tmp_path: Path) -> None:
    import polars as pl

    path = tmp_path / "LLM-AggreFact" / "data" / "dev-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    pl.read_ndjson(MADE / "aggrefact_dev.jsonl").write_parquet(path)
    pl.read_ndjson(MADE / "aggrefact_dev.jsonl").write_csv(tmp_path / "aggrefact_dev.csv")
    texts = [
        [(e.premise, e.hypothesis, e.label, dict(e.info)) for e in iter_corpus(spec)]
        for spec in (f"aggrefact@{path}", f"aggrefact@{tmp_path / 'aggrefact_dev.csv'}")
    ]
    made = [(e.premise, e.hypothesis, e.label, dict(e.info)) for e in as_read("aggrefact:dev")]
    assert texts == [made, made]
    (tmp_path / "aggrefact_dev.csv").unlink()
    assert (
        len(list(iter_corpus("llm-aggrefact:validation", data_dir=tmp_path))) == 3
    )  # found where hf puts it


def test_neighbours_of_counterfactual_data_are_one_cluster() -> None:
    everything = as_read("cad_nli:all_combined_dev")
    assert [cluster_of(e) for e in everything] == ["cad_nli dev 0"] * 5 + ["cad_nli dev 1"] * 5
    originals = as_read("cad_nli:original_dev")
    assert [cluster_of(e) for e in originals] == ["cad_nli dev 0", "cad_nli dev 1"]
    assert {(e.premise, e.hypothesis) for e in originals} <= {(e.premise, e.hypothesis) for e in everything}


def test_ids_do_not_depend_on_the_split() -> None:
    """A pair without an id of its own has its number in the file, whichever part of the file is read."""
    whole = {e.id: e.hypothesis for e in as_read("dpr:all")}
    assert all(whole[e.id] == e.hypothesis for e in as_read("dpr:train"))


def test_a_split_that_no_pair_is_marked_with(tmp_path: Path, said_of: Callable[..., str]) -> None:
    shutil.copy(MADE / "dpr_data.txt", tmp_path)
    said = said_of("dpr:test", data_dir=tmp_path)
    assert said.startswith(f"{tmp_path / 'dpr_data.txt'}: no pair in the file belongs to the split 'test'")
    assert "dpr:all has all pairs" in said


# -- copies of the hub -----------------------------------------------------------------------------------

# Corpus and split, file, columns, and the labels of two rows that are 0 and 1 there.
# fmt: off
HUB: dict[str, tuple[str, dict[str, list[Any]], tuple[str, str]]] = {
    "sick:dev": ("sick_hub_dev.parquet", {"id": ["1", "2"], "sentence_A": ["A.", "B."],
                 "sentence_B": ["C.", "D."], "relatedness_score": [4.5, 1.0]}, (E, N)),
    "add_one:dev": ("add_one_hub_dev.parquet", {"mean_human_score": [2.0, 4.5], "premise": ["A.", "B."],
                    "hypothesis": ["C.", "D."], "adjective": ["old", "new"], "noun": ["x", "y"]}, (NOT, E)),
    "cb:dev": ("cb_hub_dev.parquet", {"premise": ["A.", "B."], "hypothesis": ["C.", "D."],
               "idx": [0, 1]}, (E, C)),
    "rte:dev": ("rte_hub_dev.parquet", {"sentence1": ["A.", "B."], "sentence2": ["C.", "D."],
                "idx": [0, 1]}, (E, NOT)),
    "wnli:dev": ("wnli_hub_dev.parquet", {"sentence1": ["A.", "B."], "sentence2": ["C.", "D."],
                 "idx": [0, 1]}, (NOT, E)),
    "hans:test": ("hans_hub_dev.parquet", {"premise": ["A.", "B."], "hypothesis": ["C.", "D."],
                  "heuristic": ["constituent"] * 2, "subcase": ["ce"] * 2, "template": ["t"] * 2}, (E, NOT)),
    "anli:r2_dev": ("anli_hub_r2_dev.parquet", {"uid": ["a", "b"], "premise": ["A.", "B."],
                    "hypothesis": ["C.", "D."], "reason": ["", "so"]}, (E, N)),
}
# fmt: on


def test_a_copy_of_the_hub_has_its_own_numbers(tmp_path: Path, for_each: Callable[..., None]) -> None:
    def check(spec: str) -> None:
        import polars as pl

        file, columns, labels = HUB[spec]
        pl.DataFrame({**columns, "label": [0, 1]}).write_parquet(tmp_path / file)
        examples = read_corpus(spec, data_dir=tmp_path).examples
        assert tuple(example.label for example in examples) == labels
        assert [example.premise for example in examples] == ["A.", "B."]
        assert [example.hypothesis for example in examples] == ["C.", "D."]

    for_each(check, HUB)


def test_hub_copies_with_names_and_withheld_labels(tmp_path: Path) -> None:
    import polars as pl

    sides = {"premise": ["A.", "B."], "hypothesis": ["C.", "D."]}
    pl.DataFrame({**sides, "label": ["entails", "neutral"]}).write_parquet(
        tmp_path / "scitail_hub_dev.parquet"
    )
    assert [e.label for e in iter_corpus("scitail:dev", data_dir=tmp_path)] == [E, N]
    wanli = {"id": [1, 2], **sides, "gold": [E, C], "genre": ["g", "g"], "pairID": ["7", "8"]}
    pl.DataFrame(wanli).write_parquet(tmp_path / "wanli_hub_test.parquet")
    assert [(e.id, e.label) for e in iter_corpus("wanli:test", data_dir=tmp_path)] == [("1", E), ("2", C)]
    pl.DataFrame({**sides, "idx": [0, 1], "label": [-1, -1]}).write_parquet(tmp_path / "cb_hub_test.parquet")
    kept = list(iter_corpus("cb:test", data_dir=tmp_path, drop_no_gold=False))
    assert [e.label for e in kept] == [None, None]


def test_superglue_has_its_own_columns_for_rte(tmp_path: Path) -> None:
    (tmp_path / "RTE").mkdir()
    row = '{"premise": "A cat sat.", "hypothesis": "It sat.", "label": "not_entailment", "idx": 4}\n'
    (tmp_path / "RTE" / "val.jsonl").write_text(row, encoding="utf-8")
    (example,) = iter_corpus("rte:dev", data_dir=tmp_path)
    assert (example.id, example.premise, example.label) == ("4", "A cat sat.", NOT)


NUMBERED = {
    "diagnostic@diagnostic-full.tsv": "Lexical Semantics\tPredicate-Argument Structure\tLogic\tKnowledge\t"
    "Domain\tPremise\tHypothesis\tLabel\n\t\t\t\tNews\tA.\tB.\t1\n",
    "rte@r.tsv": "index\tsentence1\tsentence2\tlabel\n0\tA.\tB.\t1\n",
    "rte@p.tsv": "premise\thypothesis\tlabel\nA.\tB.\t0\n",
    "cb@c.jsonl": '{"premise": "A.", "hypothesis": "B.", "label": 1}\n',
}


def test_numbers_that_a_format_does_not_document_are_not_guessed(
    tmp_path: Path, said_of: Callable[..., str]
) -> None:
    for spec, text in NUMBERED.items():
        corpus, file = spec.split("@")
        (tmp_path / file).write_text(text, encoding="utf-8")
        for skip_bad in (False, True):
            said = said_of(f"{corpus}@{tmp_path / file}", skip_bad=skip_bad)
            assert re.search("the label: the label .* is a number", said), spec
            assert "--labels 0=LABEL,1=LABEL" in said, spec


# -- malformed records -----------------------------------------------------------------------------------

# Corpus, file, a text in it and what it becomes, and what is said of the file.
# fmt: off
WRONG: dict[str, tuple[str, str, str, str]] = {
    "scitail":    ("scitail_1.0_dev.tsv", "\tneutral", "", "line 2: 2 fields\n  wanted: 3: premise"),
    "scitail@":   ("scitail_1.0_dev.tsv", "\tneutral", "\tmaybe", "line 2, the label: unknown label 'maybe'"),
    "diagnostic": ("diagnostic-full.tsv", "\tNews", "", "line 3: 7 fields\n  wanted: 8 fields"),
    "add_one":    ("add_one/data.train", "3.25", "9", "line 2, field 'score': '9' is not a mean score"),
    "add_one@":   ("add_one/data.train", "\tred", "", "line 2: 6 fields\n  wanted: 7: score"),
    "cb":         ("CommitmentBank-items.csv", '"0, 0, 0, 0, 1"', "none", "line 4: a field has the wrong"),
    "cb@":        ("CommitmentBank-items.csv", ",Wait.", "", "line 6: 13 fields\n  wanted: 14"),
    "dpr":        ("dpr_data.txt", "partof: dev\n", "", "line 8: the field 'split' is missing"),
    "spr":        ("sprl_data.txt", "partof: test\n\n", "partof: test\n",
                   "line 7: the field 'provenance' is repeated\n  wanted: a blank line"),
    "fn_plus":    ("fnplus_data.txt", "entailed: entailed", "entailed: yes", "line 1, the label: unknown"),
    "fn_plus@":   ("fnplus_data.txt", "entailed: entailed", "entailed", "line 5: 'entailed' is not a field"),
    "dnc":        ("dnc/recast_new_data.json", '"pair-id": 900002', '"pair-id" 900002', "line 12: not JSON"),
    "dnc@":       ("dnc/recast_new_data.json", '"pair-id": 900002,', "", "line 12: the field 'pair-id'"),
    "multinli_hard": ("multinli_0.9_test_matched_unlabeled_hard.jsonl", '"pairID": "2e", ', "",
                   "line 2: the field 'pairID' is missing"),
    "multinli_annotated": ("multinli_1.0_matched_annotations.txt", "2c", "9c",
                   "line 1: '9c' is not a pair of MultiNLI"),
    "hans":       ("heuristics_evaluation_set.txt", "\ttemp2", "", "line 3: 10 fields"),
    "naik_stress": ("multinli_0.9_taut2_matched.jsonl", '"gold_label": "contradiction", ', "",
                   "line 2: the field 'gold_label' is missing"),
    "conjnli":    ("conj_dev.tsv", "He sang or read.", "", "line 3, field 'premise': the text is empty"),
    "monli":      ("nmonli.jsonl", '"gold_label": "neutral"', '"gold_label": "x"', "line 2, field 'label':"),
    "med":        ("MED.tsv", "\tcrowd:upward_monotone", "", "line 3: 15 fields"),
    "fracas":     ("fracas.xml", 'fracas_answer="no"', 'fracas_answer="oh"', "line 26, the label: unknown"),
    "fracas@":    ("fracas.xml", "<h> Jones slept. </h>", "<h> Jones", "line 26: not XML: mismatched tag"),
    "fracas@@":   ("fracas.xml", "<h> Jones slept. </h>", "", "line 26: the field 'h' is missing"),
    "anli":       ("R1/dev.jsonl", '"uid": "u-2", ', "", "line 2: the field 'uid' is missing"),
    "wanli":      ("wanli/test.jsonl", '"It will rain."', "5", "line 2, field 'hypothesis': a number"),
    "aggrefact":  ("aggrefact_dev.jsonl", '"label": 0', '"label": 2', "line 2, the label: unknown label 2"),
    "aggrefact@": ("aggrefact_dev.jsonl", '"dataset": "Wice", ', "",
                   "line 3: the field 'dataset' is missing"),
    "true":       ("frank_valid_download.csv", "generated_text", "text",
                   "line 2: the field 'generated_text' is missing"),
    "summac":     ("summac_benchmark.jsonl", '"cut": "test"', '"cut": "train"',
                   "line 2, field 'cut': unknown cut 'train'\n  wanted: val or test"),
    "summac@":    ("summac_benchmark.jsonl", ', "cut": "val"', "", "line 1: the field 'cut' is missing"),
    "cad_nli":    ("NLI/original/dev.tsv", '"A boy reads ""Emma""."', '"A boy" x', "line 3: malformed CSV"),
}
# fmt: on


def test_a_malformed_record_is_one_error_with_its_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    said_of: Callable[..., str],
    for_each: Callable[..., None],
) -> None:
    monkeypatch.setenv("CROSSEXAM_DATA", str(MADE))

    def check(case: str) -> None:
        file, old, new, message = WRONG[case]
        text = (MADE / file).read_text(encoding="utf-8")
        assert text.count(old) >= 1
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        corpus = {"dnc": "dpr"}.get(case.rstrip("@"), case.rstrip("@"))
        assert said_of(f"{corpus}@{path}", drop_no_gold=False).startswith(f"{path}, {message}")

    for_each(check, WRONG)


def test_annotations_without_their_pairs_say_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said_of: Callable[..., str]
) -> None:
    data = tmp_path / "data"  # the folder above is searched too, and above tmp_path are files of other tests
    data.mkdir()
    monkeypatch.setenv("CROSSEXAM_DATA", str(data))
    (data / "multinli_1.0_matched_annotations.txt").write_text("2c #ANTO\n", encoding="utf-8")
    assert "not installed: multinli:dev_matched" in said_of("multinli_annotated:matched")


def test_wrong_records_of_corpora_whose_real_files_are_there(
    tmp_path: Path, said_of: Callable[..., str], for_each: Callable[..., None]
) -> None:
    def check(spec: str, text: str, message: str) -> None:
        corpus, name = spec.split("@")
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert said_of(f"{corpus}@{tmp_path / name}").startswith(f"{tmp_path / name}, {message}")

    sick = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n1\tA.\tB.\t"
    joci = "CONTEXT,HYPOTHESIS,LABEL,CONTEXT_FROM,HYPOTHESIS_FROM,SUBSET\n"
    columns = ["ID", *(f"premise{n}" for n in "1234"), "hypothesis", *(f"{x}_judgments" for x in (E, N, C))]
    mpe = "\t".join([*columns, "gold_label"])
    short = "\t".join(["1", *(f"9.jpg#{n}/A dog." for n in range(4)), "It sat.", "1", "2"])
    breaking = '{"sentence1": "A.", "sentence2": "B.", "gold_label": "neutral", "pairID": 1}\n'
    votes = '{"uid": "a", "label_count": [0, 0, 0], "majority_label": "e", "example": {}}\n'
    abductive = '{"uid": "a", "label_count": [9, 91, 0], "majority_label": 1, "example": {"obs1": "A."}}\n'
    rows = [
        ("sick@s.txt", f"{sick}high\tNEUTRAL\n", "line 2: a field has the wrong type"),
        ("sick@s.txt", f"{sick}3\tMAYBE\n", "line 2, field 'label': unknown label"),
        ("joci@j.csv", f"{joci}A.,B.,6,x,y,z\n", "line 2, the label: unknown label '6'"),
        ("mpe@mpe_dev.txt", f"{mpe}\n{short}\n", "line 2: 8 fields\n  wanted: 10: ID, "),
        ("rte@r.tsv", "sentence1\tsentence2\tlabel\nA.\tB.\tentailment\n", "line 2: the field 'ind"),
        ("wnli@w.tsv", "index\tsentence1\tsentence2\tlabel\n0\tA.\tB.\t2\n", "line 2, the label"),
        ("breaking_nli@b.jsonl", breaking, "line 1: the field 'category' is missing"),
        ("chaosnli@c.jsonl", votes, "line 1, field 'label_count': [0, 0, 0] are not vote counts"),
        ("chaosnli@c.jsonl", abductive, "line 1: not a premise-hypothesis pair (abductive NLI"),
    ]
    for_each(check, rows)


def test_entities_and_damaged_xml_are_refused(tmp_path: Path, said_of: Callable[..., str]) -> None:
    secret, path = tmp_path / "secret.txt", tmp_path / "fracas.xml"
    secret.write_text("nobody should read this", encoding="utf-8")
    problem = '<f>\n<problem id="1" fracas_answer="yes"><p>&x;</p><h>A.</h></problem></f>'
    for declared in (
        '<!DOCTYPE f [<!ENTITY x "ha"><!ENTITY y "&x;&x;">]>',
        f'<!DOCTYPE f [<!ENTITY x SYSTEM "{secret.as_uri()}">]>',
        f'<!DOCTYPE f SYSTEM "{secret.as_uri()}">',
    ):
        path.write_text(f"{declared}\n{problem}", encoding="utf-8")
        said = said_of("fracas:test", data_dir=tmp_path)
        assert re.search("line [13]: the file declares or uses its own entities", said), declared
    for text in (
        '<?xml version="1.0" encoding="UTF-1.0"?>\n<f/>',
        "<f><p>Out of place.</p><h>So is this.</h>",
    ):
        path.write_text(text, encoding="utf-8")
        assert "not XML" in said_of("fracas:test", data_dir=tmp_path)


def test_bad_records_can_be_skipped(tmp_path: Path) -> None:
    path = tmp_path / "sprl_data.txt"
    text = (MADE / "sprl_data.txt").read_text(encoding="utf-8")
    path.write_text(text.replace("entailed: entailed", "entailed: perhaps"), encoding="utf-8")
    report = ReadingReport()
    kept = list(iter_corpus("spr:all", data_dir=tmp_path, skip_bad=True, allow_loss=True, report=report))
    assert (len(kept), report.bad, report.read) == (1, 1, 2)


def test_the_page_of_corpora_has_every_one() -> None:
    page = (Path(__file__).parents[2] / "docs" / "corpora.md").read_text(encoding="utf-8")
    table = page.partition("## All corpora")[2]
    rows = {line.split("`")[1]: line for line in table.splitlines() if line.startswith("| `")}
    assert list(rows) == list(CORPORA)
    for name, reader in READERS.items():
        assert rows[name].endswith(f"| {reader.tested_on} |")
    assert all(
        candidates[0].rpartition(".")[2] in rows[name]
        for name, splits in SPLITS.items()
        for candidates in splits.values()
    )
