"""WordNet on a wordnet of a page, and against NLTK's reader of the same dictionary files."""

import io
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.errors import UnknownNameError
from crossexam.language.lexicons import wordnet as wordnet_module
from crossexam.language.lexicons.wordnet import WordNet, WordNetArchive, wordnet
from made.cases import refused
from made.wordnet import SOURCE, compile_wordnet

SHIPPED = Path(wordnet_module.__file__).with_name("wordnet-3.0.zip")


def test_words_synsets_and_links(mini: WordNet) -> None:
    def names(word: str, pos: str | None = None) -> list[str]:
        return [mini.name(synset) for synset in mini.synsets(word, pos)]

    assert names("MEN") == ["man.n.01", "man.n.02"]  # an exception, in any case
    assert names("persons") == ["person.n.01"]  # a rule
    # Satellites are adjectives: index.adj has hot 00000100 00000300 00000400; the second is boiling.
    assert names("hot", "a") == ["hot.a.01", "boiling.s.01", "hot.a.03"]
    assert names("hot", "s") == ["boiling.s.01"]
    man, sailor = mini.synsets("man")
    woman, person, boiling = (mini.synsets(word)[0] for word in ("woman", "person", "boiling"))
    assert mini.lemmas(man) == ("man", "Adult_Male")
    assert mini.lemmas(mini.synsets("torrid")[0]) == ("hot", "torrid")  # its mark (p) is off
    assert mini.definition(sailor) == "one who crews a ship; ; a sailor"  # its example is out
    assert mini.gloss_words(man) == set("an adult male person (as opposed to a woman)".split())
    assert (mini.offset(sailor), mini.pos_of(sailor)) == (400, "n")
    assert (mini.tag_count(man, "MAN"), mini.tag_count(boiling, "hot")) == (5, 2)  # index.sense
    assert mini.tag_count(sailor, "man") == 0
    assert mini.antonyms(man) == mini.antonyms(man, "Man") == ((woman, "woman"),)
    assert mini.antonyms(man, "adult_male") == ()  # it is the other word that has the antonym
    assert (mini.hypernyms(man), mini.hyponyms(person)) == ((person,), (man, woman, sailor))
    assert mini.instance_hypernyms(mini.synsets("socrates")[0]) == (man,)
    assert mini.similar_to(boiling) == (mini.synsets("hot", "a")[0],)
    assert mini.antonymous_lemmas() == {"man", "woman", "rise", "fall", "hot", "cold"}
    assert mini.antonymous_lemmas("n") == {"man", "woman"}
    assert mini.words_of("man", "n") == {"man", "mans", "men"}
    words = ("men", "hottest", "person", "torrid")
    assert [word for word in words if mini.has_antonym(word)] == ["men", "hottest"]
    for unknown in (mini.synsets, mini.has_antonym):
        with pytest.raises(UnknownNameError, match="noun"):
            unknown("man", "noun")


def test_a_broken_archive_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    assert "x.zip: no such file" in refused(WordNetArchive, path)
    path.write_text("no archive")
    assert "x.zip: File is not a zip file" in refused(WordNetArchive, path)
    wrong = {'{"format": 99}': "unknown format 99", '{"format": 1, "version": "none"}': "no member"}
    for about, said in wrong.items():
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("about.json", about)
        assert said in refused(WordNet, path)


def test_the_shipped_wordnet_is_whole() -> None:
    assert len(wordnet()) == 117_659  # wnstats(7WN): unique synsets


def sampled_words(count: int) -> list[str]:
    """Lemmas of WordNet, most of them with endings that its rules know, some with those they do not."""
    rng, archive = random.Random(7), WordNetArchive(SHIPPED)
    lemmas = [row for part in "nvar" for row in archive.lines(f"{part}/lemmas")]
    irregular = [row.split()[0] for part in "nvar" for row in archive.lines(f"{part}/exceptions")]
    endings = ["", "s", "es", "ies", "ed", "d", "ing", "er", "est", "r", "st", "men", "ly", "X"]
    inflected = [
        rng.choice(lemmas)[: rng.choice([None, None, -1])] + rng.choice(endings) for _ in range(count)
    ]
    return inflected + rng.sample(irregular, count // 4) + rng.sample(lemmas, count // 4)


@pytest.mark.slow
def test_words_have_the_synsets_links_and_base_forms_that_nltk_gives_them(
    nltk_wordnet: Any, number_of: Callable[[Any], int]
) -> None:
    ours, seen = wordnet(), dict[int, Any]()
    for word in sampled_words(6000):
        for pos in ("n", "v", "a", "r"):
            assert ours.morphy(word, pos) == nltk_wordnet.morphy(word, pos), (word, pos)
        found = [(number_of(each), each) for each in nltk_wordnet.synsets(word)]
        assert list(ours.synsets(word)) == [number for number, _ in found], word
        seen |= dict(found)
    for number, theirs in seen.items():
        assert ours.pos_of(number) == theirs.pos()
        assert ours.lemmas(number) == tuple(theirs.lemma_names())
        assert ours.definition(number) == theirs.definition()
        for relation, method in (
            (ours.hypernyms, theirs.hypernyms),
            (ours.instance_hypernyms, theirs.instance_hypernyms),
            (ours.hyponyms, theirs.hyponyms),
            (ours.similar_to, theirs.similar_tos),
        ):
            assert sorted(relation(number)) == sorted(map(number_of, method()))
        for lemma in theirs.lemmas():
            others = [(number_of(other.synset()), other.name()) for other in lemma.antonyms()]
            assert list(ours.antonyms(number, lemma.name())) == others
            # NLTK's versions number satellites in two ways, and count those of *afraid(p)* as 0
            if theirs.pos() != "s":
                assert ours.name(number) == theirs.name()
                assert ours.tag_count(number, lemma.name()) == lemma.count()


@pytest.mark.slow
def test_the_shipped_file_is_what_the_script_makes_of_debians() -> None:
    if not (SOURCE / "index.sense").is_file():
        pytest.skip(f"no WordNet at {SOURCE} (Debian: wordnet-base, wordnet-sense-index)")
    archive, licence = compile_wordnet(SOURCE)
    assert licence == SHIPPED.with_name("WORDNET-LICENSE.txt").read_text(encoding="utf-8")
    with zipfile.ZipFile(io.BytesIO(archive)) as made, zipfile.ZipFile(SHIPPED) as shipped:
        assert made.namelist() == shipped.namelist()
        assert [e.CRC for e in made.infolist()] == [e.CRC for e in shipped.infolist()]
