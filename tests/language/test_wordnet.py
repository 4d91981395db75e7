"""WordNet and Lesk: on a wordnet of a page, and the file in the package."""

import io
import runpy
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from crossexam.core.errors import UnknownNameError
from crossexam.language.lexicons import wordnet as wordnet_module
from crossexam.language.lexicons.wordnet import WordNet, WordNetArchive, wordnet
from crossexam.language.word_senses import lesk

ROOT = Path(__file__).parents[2]
MINI = ROOT / "tests" / "data" / "mini-wordnet"
SOURCE = Path("/usr/share/wordnet")  # Debian's wordnet-base and wordnet-sense-index
SHIPPED = Path(wordnet_module.__file__).with_name("wordnet-3.0.zip")


def compile_wordnet(source: Path) -> tuple[bytes, str]:
    script = ROOT / "scripts" / "compile_wordnet.py"
    compiled: tuple[bytes, str] = runpy.run_path(str(script))["compile_wordnet"](source)
    return compiled


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    path = tmp_path_factory.mktemp("mini") / "mini.zip"
    path.write_bytes(compile_wordnet(MINI)[0])
    return WordNet(path)


# A wordnet of a page: tests/data/mini-wordnet


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


def test_lesk_counts_what_definition_and_sentence_share(mini: WordNet) -> None:
    """Of equal senses it takes the last by name, or the first in the file."""
    for context, word, ties, sense in (
        (["high"], "hot", "name", "hot.a.01"),
        ([], "hot", "name", "hot.a.03"),
        ([], "hot", "frequency", "hot.a.01"),
        (["a", "sailor"], "man", "frequency", "man.n.02"),
    ):
        found = lesk(mini, context, word, ties=ties)
        assert found is not None
        assert mini.name(found) == sense


def test_a_broken_archive_is_an_error_that_names_it(tmp_path: Path, refused: Callable[..., str]) -> None:
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


@pytest.mark.slow
def test_the_shipped_file_is_what_the_script_makes_of_debians() -> None:
    if not (SOURCE / "index.sense").is_file():
        pytest.skip(f"no WordNet at {SOURCE} (Debian: wordnet-base, wordnet-sense-index)")
    archive, licence = compile_wordnet(SOURCE)
    assert licence == SHIPPED.with_name("WORDNET-LICENSE.txt").read_text(encoding="utf-8")
    with zipfile.ZipFile(io.BytesIO(archive)) as made, zipfile.ZipFile(SHIPPED) as shipped:
        assert made.namelist() == shipped.namelist()
        assert [e.CRC for e in made.infolist()] == [e.CRC for e in shipped.infolist()]
