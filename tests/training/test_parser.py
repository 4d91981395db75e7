"""Training on corpora without parses: trees from a pipeline, and resources of augmentation."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crossexam.cli.main import app
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.example import BINARY_PARSE_KEY, PARSE_KEY, Example
from crossexam.core.labels import LABELS
from crossexam.corpora.development import DevSets
from crossexam.corpora.labelled import Corpus
from crossexam.language.lexicons.adjectives import AdjectiveCounts
from crossexam.language.parsing.binary import located_tree
from crossexam.training.data import Data, augment, parse_augmentations, with_parser
from crossexam.training.request import TrainingRequest
from crossexam.training.train import train_model


def pair(k: int) -> Example:
    """A pair with binary parses if *k* is odd."""
    info = {
        BINARY_PARSE_KEY["premise"]: f"( ( A dog ) ( chases ( {k} cats ) ) )",
        BINARY_PARSE_KEY["hypothesis"]: f"( ( A dog ) ( sees ( {k} cats ) ) )",
    }
    texts = (f"A dog chases {k} cats", f"A dog sees {k} cats")
    return Example(str(k), *texts, LABELS[k % 3], info=info if k % 2 else {})


EXAMPLES = tuple(pair(k) for k in range(6))
DATA = Data(
    (Corpus("made", EXAMPLES),),
    DevSets("dev", (Corpus("dev", EXAMPLES[:3]),)),
    (Corpus("test", EXAMPLES[3:]),),
)


def test_items_that_augment_the_data_have_the_trees_of_their_bases() -> None:
    items = augment(EXAMPLES, *parse_augmentations("negation"), seed=0, epoch=0)
    trees = [item.info.get(BINARY_PARSE_KEY["hypothesis"]) for item in items]
    assert trees[1] == "( ( ( A dog ) ( sees ( 1 cats ) ) ) ( and ( false ( is ( not true ) ) ) ) )"
    assert [tree is not None for tree in trees] == [False, True] * 3


def test_a_manifest_has_the_hash_of_the_adjectives() -> None:
    amod = parse_augmentations("add_amod:5")[0].with_values({"adjectives": "builtin:demo"})
    assert re.fullmatch(
        r"add_amod\.v\d: at most 5 items per epoch, adjectives=builtin:demo#\w+", amod.describe()
    )


def test_adjectives_decide_what_is_added(tmp_path: Path) -> None:
    parse = "(S (NP (DT A) (NN boy)) (VP (VBZ sees) (NP (DT a) (NN dog))) (. .))"
    info = {PARSE_KEY["premise"]: parse}
    example = Example("a", "A boy sees a dog.", "He sees it.", "entailment", info=info)
    amod = parse_augmentations("add_amod")[0]
    assert len(augment([example], amod, seed=0, epoch=0)) == 1
    AdjectiveCounts({"cup": {"green": 50}}, "made").write(tmp_path / "adjectives.tsv")
    chosen = amod.with_values({"adjectives": str(tmp_path / "adjectives.tsv")})
    with pytest.raises(CrossexamError, match="'add_amod' yields no labelled items"):
        augment([example], chosen, seed=0, epoch=0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cbow", "--parser", "spacy:x"], "--parser has no effect on cbow, which reads no parses"),
        (["cbow", "--adjectives", "builtin:demo"], "--adjectives requires --augment"),
        (
            ["cbow", "--augment", "negation", "--adjectives", "builtin:demo"],
            "'add_amod.adjectives' has no effect: no items of add_amod are added to the data",
        ),
        (
            ["cbow", *"--augment add_amod --adjectives builtin:demo --set add_amod.adjectives=x".split()],
            "'add_amod.adjectives' is set by both --set and --adjectives",
        ),
        (["bag-of-words", "--parser", "spacy:x"], "--parser has no effect on bag-of-words"),
    ],
)
def test_an_option_without_effect_is_refused(arguments: list[str], said: str, tmp_path: Path) -> None:
    demo = ["--train", "builtin:demo", "--dev", "builtin:demo", "-o", str(tmp_path / "m")]
    found = CliRunner().invoke(app, ["train", *arguments, *demo])
    assert isinstance(found.exception, CrossexamError)
    assert said in str(found.exception)


def test_an_unknown_parser_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="no parser is called 'treebank'"):
        with_parser(DATA, "treebank", trees=True)
    assert with_parser(DATA, "parses", trees=True) == replace(DATA, parser="parses")


def test_a_pipeline_parses_what_the_corpus_does_not(shared_data: Path, tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    spec = f"spacy:{shared_data / 'spacy' / 'en_ewt_small'}"
    data = with_parser(DATA, spec, trees=True)
    corpora = (*data.train, *data.dev.corpora, *data.tests)
    for example in (example for corpus in corpora for example in corpus.examples):
        assert located_tree(example.premise, example.info[BINARY_PARSE_KEY["premise"]]) is not None
    assert data.train[0].examples[1] == EXAMPLES[1]
    assert data.describe()["parser"].startswith("spacy:en_ewt_small")
    assert "parser" not in DATA.describe()
    assert with_parser(DATA, spec, trees=False).train == DATA.train
    values = {"hidden": "3", "width": "4", "epochs": "1"}
    more, fewer = (
        train_model(TrainingRequest("syntactic_tree_lstm", given, tmp_path / name, values=values))
        for name, given in (("with", data), ("without", DATA))
    )
    assert more.manifest["sentences_with_parses"] == 2 * (6 + 3)  # of training and dev data
    assert fewer.manifest["sentences_with_parses"] == 2 * (3 + 1)
