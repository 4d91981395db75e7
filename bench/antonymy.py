"""Antonymy over SNLI dev and test against NLTK's Lesk and WordNet, word by word, in one run.

    CROSSEXAM_DATA=... python bench/antonymy.py [--sample 2000]

NLTK reads the dictionary files of Debian's wordnet-base and wordnet-sense-index.  Both get the same
tokens; NLTK's side looks up the sense and antonyms of each adjective and noun and does nothing else,
so that the ratio is a lower bound.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from crossexam.constructions.making import Maker, chunks
from crossexam.constructions.resources import Resources
from crossexam.constructions.table import CONSTRUCTIONS
from crossexam.core.example import SIDES, Example
from crossexam.corpora.reading import iter_corpus
from crossexam.language.annotators import resolve_annotator

_WORDNET = Path("/usr/share/wordnet")
_LEXNAMES = (
    "adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body "
    "noun.cognition noun.communication noun.event noun.feeling noun.food noun.group noun.location "
    "noun.motive noun.object noun.person noun.phenomenon noun.plant noun.possession noun.process noun.quantity "
    "noun.relation noun.shape noun.state noun.substance noun.time verb.body verb.change verb.cognition "
    "verb.communication verb.competition verb.consumption verb.contact verb.creation verb.emotion "
    "verb.motion verb.perception verb.possession verb.social verb.stative verb.weather adj.ppl"
).split()
_PARTS = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}


def ours(examples: list[Example]) -> tuple[float, int]:
    """Return the CPU seconds and the items of a fresh construction from parses to items."""
    resources = Resources("parses")
    maker = Maker(CONSTRUCTIONS["antonymy"], resources, seed=0)
    start = time.process_time()
    count = 0
    for chunk in chunks(examples):
        resources.prepare(chunk)
        for example in chunk:
            count += sum(1 for _ in maker.items(example))
    return time.process_time() - start, count


def _words(examples: list[Example]) -> Iterator[tuple[list[str], str, str]]:
    annotator = resolve_annotator("parses")
    for example in examples:
        for side in SIDES:
            tokens = annotator.tokens(example, side)
            sentence = [token.text for token in tokens]
            for token in tokens:
                if token.tag[:2] in {"JJ", "NN"} and not token.tag.startswith("NNP"):
                    yield sentence, token.text, "a" if token.tag.startswith("JJ") else "n"


def nltk_word_by_word(examples: list[Example]) -> tuple[float, int]:
    """Return the CPU seconds that NLTK takes for sense and antonyms, and the words that have one."""
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.data import path as allowed
    from nltk.wsd import lesk

    with tempfile.TemporaryDirectory() as folder:
        for path in _WORDNET.iterdir():
            if path.is_file():
                shutil.copy(path, folder)
        rows = [f"{n:02}\t{name}\t{_PARTS[name.partition('.')[0]]}" for n, name in enumerate(_LEXNAMES)]
        (Path(folder) / "lexnames").write_text("\n".join(rows) + "\n")
        allowed.append(folder)  # NLTK refuses to read elsewhere
        reader = WordNetCorpusReader(folder, None)
        words = list(_words(examples))
        start = time.process_time()
        count = 0
        for sentence, word, pos in words:
            sense = lesk(sentence, word, pos, synsets=reader.synsets(word))
            count += bool(sense and any(lemma.antonyms() for lemma in sense.lemmas()))
        return time.process_time() - start, count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=2000, help="examples that NLTK's side gets")
    sample = parser.parse_args().sample
    examples = [example for split in ("dev", "test") for example in iter_corpus(f"snli:{split}")]
    seconds, count = ours(examples)
    print(f"ours: {len(examples)} examples, {count} items, {seconds:.2f} s CPU")
    step = len(examples) // sample
    some = examples[::step]
    ours_some, _ = ours(some)
    theirs, found = nltk_word_by_word(some)
    print(f"same {len(some)} examples: ours {ours_some:.3f} s, NLTK {theirs:.2f} s, {found} words")
    print(f"ratio {theirs / ours_some:.1f}")
    projected = theirs * len(examples) / len(some)
    print(f"NLTK over all, projected: {projected:.0f} s; ratio {projected / seconds:.1f}")


if __name__ == "__main__":
    main()
