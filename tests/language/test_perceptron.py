"""The perceptron in the package: how accurate it is beside NLTK's own weights."""

import runpy
from pathlib import Path

import pytest

from crossexam.language.tagging.nltk_tagger import NltkTagger, downloaded
from crossexam.language.tagging.perceptron import shipped

SCRIPT = Path(__file__).parents[2] / "scripts" / "train_tagger.py"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("corpus", "file"), [("ewt", "ud_ewt/en_ewt-ud-test.conllu"), ("snli", "snli/snli_1.0_test.jsonl")]
)
def test_the_weights_in_the_package_are_more_accurate_than_those_of_nltk(
    corpus: str, file: str, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not SCRIPT.is_file():
        pytest.skip("the scripts are not in the source distribution")
    script = runpy.run_path(str(SCRIPT))
    monkeypatch.setattr("nltk.data.path", [str(shared_data / "nltk_data")])
    sentences = list(script[corpus](shared_data / file))[:2_000]
    ours, theirs = (script["accuracy"](NltkTagger(each), sentences)[0] for each in (shipped, downloaded))
    assert ours > theirs + 2
