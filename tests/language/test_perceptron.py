"""The perceptron in the package: how it was trained, how accurate it is beside NLTK's own weights."""

from __future__ import annotations

import gzip
import json
import random
import runpy
from pathlib import Path
from typing import Any

import pytest

from crossexam.language.tagging.nltk_tagger import NltkTagger, downloaded
from crossexam.language.tagging.perceptron import shipped
from crossexam.language.tokens import align

ROOT = Path(__file__).parents[2]
CONLLU = """# text = I'll walk to a well-known man.
1-2\tI'll\t_\t_\t_
1\tI\tI\tPRON\tPRP
2\t'll\twill\tAUX\tMD
3\twalk\twalk\tVERB\tVB
4\tto\tto\tADP\tIN
5\ta\ta\tDET\tDT
6\twell\twell\tADV\tRB
7\t-\t-\tPUNCT\tHYPH
8\tknown\tknow\tVERB\tVBN
9\tman\tman\tNOUN\tNN
10\t.\t.\tPUNCT\t.
"""


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    path = ROOT / "scripts" / "train_tagger.py"
    if not path.is_file():
        pytest.skip("the scripts are not in the source distribution")
    return runpy.run_path(str(path))


def test_sentences_are_read_in_our_words_and_those_of_people_are_repeated_with_names(
    script: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    [sentence] = [script["in_our_words"](*sentence) for sentence in script["ewt"](path)]
    wanted = "I/PRP 'll/MD walk/VB to/TO a/DT well-known/JJ man/NN ./."  # VBN before a noun
    assert " ".join("/".join(pair) for pair in sentence) == wanted
    whole = align("It can't.", [("PRP", "It"), ("MD", "can't"), (".", ".")])
    assert script["in_our_words"]("It can't.", whole) is None
    man = [("A", "DT"), ("man", "NN"), ("plays", "VBZ"), ("guitar", "NN")]
    others = [[("A", "DT"), ("tree", "NN"), ("grows", "VBZ"), ("here", "RB")], [*man[:2], ("in", "IN"), *man]]
    [named] = script["with_names"]([man, *others, man[1:]])
    assert named[1:] == man[2:]
    assert (named[0][0] in script["NAMES"], named[0][1]) == (True, "NNP")


def test_training_twice_gives_the_same_bytes_with_small_weights_dropped(
    script: dict[str, Any], tmp_path: Path
) -> None:
    trees = (
        "(S (DT A) (NN dog) (VBZ runs) (. .))",
        "(S (DT The) (NNS dogs) (VBP run))",
        "(S (VB Run) (. !))",
    )
    pairs = [*zip(("A dog runs.", "The dogs run", "Run!"), trees, strict=True), ("No", trees[0])] * 2
    rows = [{"sentence1": "", "sentence2": sentence, "sentence2_parse": tree} for sentence, tree in pairs]
    path = tmp_path / "snli.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    def trained() -> bytes:
        sentences = [script["in_our_words"](*sentence) for sentence in script["snli"](path)]
        assert len(sentences) == 3  # distinct ones with a parse of their own
        random.seed(script["SEED"])
        return script["packed"](script["train"](sentences))

    content = trained()
    assert content == trained()
    weights, _, classes = json.loads(gzip.decompress(content))
    assert all(abs(weight) >= 1 for of_tags in weights.values() for weight in of_tags.values())
    assert classes == sorted({".", *"DT NN NNS VBZ VBP VB".split()})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("corpus", "file"), [("ewt", "ud_ewt/en_ewt-ud-test.conllu"), ("snli", "snli/snli_1.0_test.jsonl")]
)
def test_the_weights_in_the_package_are_more_accurate_than_those_of_nltk(
    corpus: str, file: str, script: dict[str, Any], shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nltk.data.path", [str(shared_data / "nltk_data")])
    sentences = list(script[corpus](shared_data / file))[:2_000]
    ours, theirs = (script["accuracy"](NltkTagger(each), sentences)[0] for each in (shipped, downloaded))
    assert ours > theirs + 2
