"""WordNet and Lesk: on a wordnet of a page, and against NLTK's reader of the same dictionary files."""

import io
import json
import random
import runpy
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.errors import UnknownNameError
from crossexam.language.lexicons import wordnet as wordnet_module
from crossexam.language.lexicons.wordnet import WordNet, WordNetArchive, wordnet
from crossexam.language.word_senses import lesk
from made.cases import refused

ROOT = Path(__file__).parents[3]
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


@pytest.fixture(scope="module")
def nltk_wordnet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """NLTK's WordNet over Debian's files; it wants names of the 45 lexicographers' files, too."""
    if not (SOURCE / "index.sense").is_file():
        pytest.skip(f"no WordNet at {SOURCE} (Debian: wordnet-base, wordnet-sense-index)")
    import nltk
    from nltk.corpus import LazyCorpusLoader
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    root = tmp_path_factory.mktemp("nltk_data")
    folder = root / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    for name in {*WordNetCorpusReader._FILES} - {"lexnames"}:
        shutil.copy(SOURCE / name, folder)
    (folder / "lexnames").write_text("".join(f"{number:02}\tfile\t1\n" for number in range(45)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nltk.data, "path", [str(root)])
        reader = LazyCorpusLoader("wordnet", WordNetCorpusReader, None)
        patch.setattr(nltk.wsd, "wordnet", reader)
        patch.setattr(nltk.corpus, "wordnet", reader)
        yield reader


@pytest.fixture(scope="module")
def number_of(nltk_wordnet: Any) -> Callable[[Any], int | None]:
    """From NLTK's synset to ours, by offset: names of satellites differ between versions of NLTK."""
    numbers = {(wordnet().pos_of(s), wordnet().offset(s)): s for s in range(len(wordnet()))}
    return lambda synset: None if synset is None else numbers[synset.pos(), synset.offset()]


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
def test_lesk_is_nltks(nltk_wordnet: Any, number_of: Callable[[Any], int | None], shared_data: Path) -> None:
    from nltk.wsd import lesk as nltk_lesk

    ties = "frequency" if nltk_lesk([], "bank", "n").name() == "bank.n.01" else "name"
    with (shared_data / "snli" / "snli_1.0_dev.jsonl").open(encoding="utf-8") as stream:
        parses = [json.loads(line)["sentence1_binary_parse"] for line in stream]
    sentences = sorted({tuple(parse.replace("(", "").replace(")", "").lower().split()) for parse in parses})
    pairs = [(list(sentence), word) for sentence in sentences for word in sentence if wordnet().synsets(word)]
    for context, word in random.Random(7).sample(pairs, 5000):
        for pos in (None, "n", "a", "s"):
            theirs = number_of(nltk_lesk(context, word, pos))
            assert lesk(wordnet(), context, word, pos, ties=ties) == theirs, (context, word, pos)


@pytest.mark.slow
def test_the_shipped_file_is_what_the_script_makes_of_debians() -> None:
    if not (SOURCE / "index.sense").is_file():
        pytest.skip(f"no WordNet at {SOURCE} (Debian: wordnet-base, wordnet-sense-index)")
    archive, licence = compile_wordnet(SOURCE)
    assert licence == SHIPPED.with_name("WORDNET-LICENSE.txt").read_text(encoding="utf-8")
    with zipfile.ZipFile(io.BytesIO(archive)) as made, zipfile.ZipFile(SHIPPED) as shipped:
        assert made.namelist() == shipped.namelist()
        assert [e.CRC for e in made.infolist()] == [e.CRC for e in shipped.infolist()]
