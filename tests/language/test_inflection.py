"""Inflection: forms with the inflection of another word, case, a and an."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossexam.language import inflection
from crossexam.language.inflection import indefinite_article, inflect_like, match_case
from crossexam.language.lexicons.wordnet import WordNet

# fmt: off
ARTICLES = {
    "an": """apple hour hours hourly honest honor heir heiress herb umbrella uninvited unimportant
             unidentified utter urban usher onerous MBA FBI X-ray x-ray SUV HIV F.B.I. LED mp3 8 8th 80 88
             800 8,000 $8 11 11th 11,000 18 18th 18,000 1890 18-year-old 8-year-old eight eleven élan "old""",
    "a":  """hat house university unique uniform unanimous union European euphemism one one-way once ewe
             useful user usual utility utensil Utah ubiquitous uranium ukulele US U.S. UN UFO NATO NASA
             UNIQUE HOT MAN T-shirt u-turn PhD CD 1 1st 10 100 108 180 110 1,100 1,800 $1 12 one-eyed
             herbivore yellow historic""",
}
# fmt: on


def test_a_word_takes_the_inflection_of_another(each_case: Callable[..., None]) -> None:
    def check(lemma: str, word: str, tag: str, form: str | None) -> None:
        assert inflect_like(lemma, word, tag) == form

    each_case(check)


def test_the_article_goes_by_sound() -> None:
    wrong = {
        article: [word for word in words.split() if indefinite_article(word) != article]
        for article, words in ARTICLES.items()
    }
    assert wrong == {"an": [], "a": []}


def test_case_is_that_of_the_other_word() -> None:
    cases = "cold/hot/cold cold/Hot/Cold cold/HOT/COLD Gentile/heathen/Gentile /Hot/ /HOT/".split()
    cases += ["women/A/Women"]  # one capital is no shouting
    assert [match_case(*case.split("/")[:2]) for case in cases] == [case.split("/")[2] for case in cases]


def antonyms(pos: str) -> list[str]:
    wordnet = WordNet.load()
    return sorted(wordnet.antonymous_lemmas(pos))


@given(lemma=st.sampled_from(antonyms("n") + antonyms("a")), tag=st.sampled_from(["NNS", "JJR", "JJS"]))
def test_wordnets_rules_lead_from_a_form_back_to_its_lemma(lemma: str, tag: str) -> None:
    """morphy(7WN) was written by others: what it does not understand is no form of the word."""
    form = inflect_like(lemma, "", tag)
    pos = "n" if tag == "NNS" else "a"
    suppletive = {"far", "ill", "many", "much", "well"}  # farther and the like are lemmas in WordNet
    unlisted = {"forte", "likely", "loamy", "uneasy", "unlikely", "unwieldy"}  # its exceptions lack likelier
    if form is not None and lemma not in suppletive | unlisted and WordNet.load().synsets(lemma, pos):
        assert " " not in form
        assert lemma in WordNet.load().lemmas_of(form, pos)


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_lemminflect_does_not_load_spacy_and_spacy_loads_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "spacy.py").write_text("NAME = 'a spaCy that loads fast'\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    code = (
        "import sys; before = list(sys.meta_path); from crossexam.language.inflection import inflect_like; "
        "print(inflect_like('cold', 'hotter', 'JJR'), 'spacy' in sys.modules, sys.meta_path == before); "
        "import spacy; print(spacy.NAME)"
    )
    assert run(code).splitlines() == ["colder False True", "a spaCy that loads fast"]


@pytest.mark.slow
def test_lemminflect_works_where_spacy_was_loaded_before() -> None:
    pytest.importorskip("spacy")
    code = (
        "import spacy; from crossexam.language.inflection import inflect_like; "
        "print(inflect_like('cold', 'hotter', 'JJR'))"
    )
    assert run(code) == "colder"


def test_the_guard_stops_its_own_thread_only() -> None:
    import threading

    guard = inflection._NoSpacy()
    with pytest.raises(ModuleNotFoundError, match="No module named 'spacy'"):
        guard.find_spec("spacy")
    assert guard.find_spec("numpy") is None
    found: list[object] = []
    other = threading.Thread(target=lambda: found.append(guard.find_spec("spacy")))
    other.start()
    other.join()
    assert found == [None]


def test_the_import_is_tried_again_when_spacy_comes_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def import_module(name: str) -> str:
        tried.append(name)
        if len(tried) == 1:
            raise NameError("name 'spacy' is not defined")
        return "the package"

    monkeypatch.setattr(inflection.importlib, "import_module", import_module)
    before = list(sys.meta_path)
    assert inflection._imported.__wrapped__() == "the package"
    assert tried == ["lemminflect"] * 2
    assert sys.meta_path == before


@pytest.mark.slow
def test_forms_looked_up_one_by_one_are_those_of_lemminflects_whole_lexicon() -> None:
    package = inflection.lemminflect()
    lexicon = package.Inflections()
    whole = sys.modules["lemminflect.codecs.InflectionLUCodec"].InflectionLUCodec.load(lexicon.infl_lu_fn)
    looked_up = lexicon._getInflDict()
    assert not isinstance(looked_up, dict)
    assert len(whole) > 30_000
    assert {word: looked_up.get(word) for word in whole} == whole
    assert looked_up.get("gooder", {}) == {}
