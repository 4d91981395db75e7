"""Antonymy over SNLI dev and test against NLTK's Lesk and WordNet, word by word, in one run.

    CROSSEXAM_DATA=... python bench/antonymy.py [--sample N]

NLTK reads the dictionary files of Debian's wordnet-base and wordnet-sense-index.  Three comparisons:
the lookups alone (sense and antonyms of the same words); the same job, from the bracketed parse to
pairs (NLTK's: ``Tree.fromstring``, ``lesk``, ``lemma.antonyms``, one replacement a word, no inflection,
no articles, no rules); and NLTK's lookups alone against our whole job.  Loading is timed apart.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crossexam.constructions.apply import Applier, chunks
from crossexam.constructions.resources import LanguageResources
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.example import SIDES, Example
from crossexam.core.progress import seldom_collected
from crossexam.corpora.spec import iter_corpus
from crossexam.language.inflection import inflect_like
from crossexam.language.lexicons.wordnet import wordnet
from crossexam.language.tagging.tagger import resolve_tagger
from crossexam.language.word_senses import lesk

_WORDNET = Path("/usr/share/wordnet")
_LEXNAMES = (
    "adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body "
    "noun.cognition noun.communication noun.event noun.feeling noun.food noun.group noun.location "
    "noun.motive noun.object noun.person noun.phenomenon noun.plant noun.possession noun.process "
    "noun.quantity noun.relation noun.shape noun.state noun.substance noun.time verb.body verb.change "
    "verb.cognition verb.communication verb.competition verb.consumption verb.contact verb.creation "
    "verb.emotion verb.motion verb.perception verb.possession verb.social verb.stative verb.weather adj.ppl"
).split()
_PARTS = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}


def ours(examples: list[Example]) -> tuple[float, int]:
    """Return the CPU seconds and the items of a fresh construction from parses to items."""
    resources = LanguageResources("parses")
    maker = Applier(CONSTRUCTIONS["antonymy"], resources, seed=0)
    start = time.process_time()
    count = 0
    with seldom_collected():  # as in a build
        for chunk in chunks(examples):
            resources.prepare(chunk)
            for example in chunk:
                count += sum(1 for _ in maker.items(example))
    return time.process_time() - start, count


def _words(examples: list[Example]) -> Iterator[tuple[list[str], str, str]]:
    tagger = resolve_tagger("parses")
    for example in examples:
        for side in SIDES:
            tokens = tagger.tokens(example, side)
            sentence = [token.text for token in tokens]
            for token in tokens:
                if token.tag[:2] in {"JJ", "NN"} and not token.tag.startswith("NNP"):
                    yield sentence, token.text, "a" if token.tag.startswith("JJ") else "n"


def nltk_reader(root: Path) -> Any:
    """Return NLTK's WordNet over Debian's files, loaded."""
    import nltk
    from nltk.corpus import LazyCorpusLoader
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    folder = root / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    for name in WordNetCorpusReader._FILES:
        if name != "lexnames":
            shutil.copy(_WORDNET / name, folder)
    rows = [f"{n:02}\t{name}\t{_PARTS[name.partition('.')[0]]}" for n, name in enumerate(_LEXNAMES)]
    (folder / "lexnames").write_text("\n".join(rows) + "\n")
    nltk.data.path[:] = [str(root)]
    nltk.corpus.wordnet = reader = LazyCorpusLoader("wordnet", WordNetCorpusReader, None)
    reader.synsets("dog")
    return reader


def nltk_word_by_word(examples: list[Example], reader: Any) -> tuple[float, int, int]:
    """Return the CPU seconds that NLTK takes for sense and antonyms, the words, and those that have one."""
    from nltk.wsd import lesk

    words = list(_words(examples))
    start = time.process_time()
    count = 0
    for sentence, word, pos in words:
        sense = lesk(sentence, word, pos, synsets=reader.synsets(word))
        count += bool(sense and any(lemma.antonyms() for lemma in sense.lemmas()))
    return time.process_time() - start, len(words), count


def nltk_job(examples: list[Example], reader: Any) -> tuple[float, int]:
    """Return the CPU seconds of a plain NLTK script that does the same job, and its pairs."""
    from nltk import Tree
    from nltk.wsd import lesk

    start = time.process_time()
    pairs = set()
    for example in examples:
        for side in SIDES:
            tagged = Tree.fromstring(example.info[f"{side}_parse"]).pos()
            sentence = [word for word, _ in tagged]
            for place, (word, tag) in enumerate(tagged):
                if tag not in {"JJ", "JJR", "JJS", "NN", "NNS"}:
                    continue
                sense = lesk(sentence, word, tag[0].lower().replace("j", "a"), synsets=reader.synsets(word))
                for lemma in sense.lemmas() if sense else ():
                    for antonym in lemma.antonyms()[:1]:
                        copy = [*sentence[:place], antonym.name(), *sentence[place + 1 :]]
                        pairs.add((" ".join(sentence), " ".join(copy)))
    return time.process_time() - start, len(pairs)


def lookups(examples: list[Example]) -> tuple[float, int]:
    """Return the CPU seconds that ours take for the same, from a cold cache, and the words that have one."""
    words = list(_words(examples))
    start = time.process_time()
    count = 0
    for sentence, word, pos in words:
        if wordnet().has_antonym(word.lower()):
            sense = lesk(wordnet(), sentence, word, pos, ties="frequency")
            count += bool(sense is not None and wordnet().antonyms(sense))
    return time.process_time() - start, count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, help="examples that NLTK's side gets; default: all")
    sample = parser.parse_args().sample
    examples = [example for split in ("dev", "test") for example in iter_corpus(f"snli:{split}")]
    gc.freeze()  # the examples are held for the bench only; a build streams them
    start = time.process_time()
    wordnet().gloss_words(0)
    inflect_like("cold", "hottest", "JJS")
    loading = time.process_time() - start
    seconds, count = ours(examples)
    print(f"{len(examples)} examples, {count} items: {seconds:.2f} s CPU, and {loading:.2f} s to load once")
    some = examples[:: len(examples) // sample] if sample else examples
    share = len(examples) / len(some)
    with tempfile.TemporaryDirectory() as root:
        reader = nltk_reader(Path(root))
        theirs, words, found = nltk_word_by_word(some, reader)
        ours_alone, ours_found = lookups(some)
        job, pairs = nltk_job(some, reader)
    print(f"NLTK's lookups on {len(some)} of them, {words} words: {theirs:.2f} s, {found} have an antonym")
    print(f"our lookups on the same words: {ours_alone:.3f} s, {ours_found} have an antonym")
    print(f"NLTK's whole job on them: {job:.2f} s, {pairs} pairs")
    print(f"ratio of the lookups: {theirs / ours_alone:.1f}")
    print(f"ratio of the whole job, NLTK's projected to all examples: {job * share / seconds:.1f}")
    print(f"ratio of NLTK's lookups, projected, to our whole job: {theirs * share / seconds:.1f}")


if __name__ == "__main__":
    main()
