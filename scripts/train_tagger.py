"""Train the part-of-speech tagger in the package and measure it beside NLTK's own weights.

    python scripts/train_tagger.py --data DATA [-o src/crossexam/language/tagging/perceptron.json.gz]
    python scripts/train_tagger.py --data DATA --measure

DATA is a folder with UD English EWT in ``ud_ewt``, SNLI 1.0 in ``snli`` (the part of its training set that
has parses) and, for the measurement, NLTK's data with the treebank sample in ``nltk_data``.  Training takes
about two minutes, and the same input gives the same bytes.

NLTK's trainer reads the words that the tagger will see: ours, not those of the treebank.  The parts of a
hyphenated word, which EWT separates, become one word with the tag of the last part, or JJ before a noun; a
sentence whose words differ in another way, or that has a word written apart (GW), is left out.  The
preposition *to* is TO, as in the Penn Treebank.  Some sentences are repeated with a first name in place of
*a man* or *the girl*: captions name hardly anybody, word problems do.  Weights are multiplied by ten and
rounded, and those below 0.1 are dropped.

An accuracy is the share of words with the tag of the treebank, among those that are words in both
tokenizations.  The tags that only EWT uses (ADD, AFX, GW, HYPH, NFP, XX) are not counted, as NLTK's weights
do not know them.  EWT's tags and those of the treebank sample were made by people, those of SNLI by the
Stanford parser.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import os
import random
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from crossexam.core.files import finished_or_absent
from crossexam.language.parsing.trees import leaves
from crossexam.language.tagging.nltk_tagger import NltkTagger, downloaded, in_penn
from crossexam.language.tagging.perceptron import SHIPPED, Perceptron, shipped
from crossexam.language.tokens import AlignmentError, Token, align, words

SEED = 0
ITERATIONS = 8
SCALE = 10  # weights are stored in tenths
SMALLEST = 0.1
#: The tags of EWT that the Penn Treebank does not have.
EWT_ONLY = frozenset("ADD AFX GW HYPH NFP XX".split())
NAMED = 1_500  # sentences that are repeated with a name
PEOPLE = frozenset("man woman boy girl person child lady guy kid player worker dog".split())
# Part of the training data, so that the weights do not change with the lists of names in the package.
NAMES = (
    "Aaron Adam Aisha Akhil Alex Alison Amir Ana Andy Anita Anne Anuj Arun Ashok Ben Beth Bob Brenda "
    "Carl Carmen Catherine Charlotte Christine Claire Connie Dana Dave Deborah Denise Diana Divya "
    "Doris Douglas Eddie Eli Ellen Eric Ethan Eve Felix Fred Geeta Gina Greg Harish Hassan Helen Hugo "
    "Ida Isabella Jacob Jamie Janice Jay Jeffrey Jenny Jesse Jim Joel Jon Jorge Josh Judy Julie Karen "
    "Katherine Kavita Ken Kim Kumar Larry Leah Leo Linda Liz Lucas Luke Mahesh Marcus Mario Martin "
    "Matthew Megan Melissa Miguel Mohammed Molly Naomi Neha Nick Nina Oliver Oscar Pamela Paul Peggy "
    "Peter Piyush Pravin Radha Raj Rajesh Ralph Ramu Ravi Reema Richard Robert Roger Ron Roy Ryan Sam "
    "Samuel Sanjay Sarita Seema Shannon Sima Sofia Sophia Stella Steve Sunil Susan Tanya Teresa "
    "Thomas Tina Tommy Trevor Usha Varsha Victor Vikram Virginia Wayne Xavier Zachary"
).split()
_BRACKETS = {"(": "-LRB-", ")": "-RRB-"}

Tagged = tuple[str, tuple[Token, ...]]  # a sentence and its tokens


def ewt(path: Path) -> Iterator[Tagged]:
    """Yield the sentences of a CoNLL-U file with their XPOS."""
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        text = re.search(r"^# text = (.*)$", block, re.MULTILINE)
        rows = [line.split("\t") for line in block.splitlines() if re.match(r"\d+\t", line)]
        if text:
            tagged = [(row[4], row[1]) for row in rows]
            penn = [("TO" if (tag, word.lower()) == ("IN", "to") else tag, word) for tag, word in tagged]
            yield text[1], align(text[1], penn)


def snli(path: Path) -> Iterator[Tagged]:
    """Yield the distinct sentences of a file of SNLI that have a parse which fits."""
    known = set()
    with path.open(encoding="utf-8") as stream:
        for row in map(json.loads, stream):
            for side in ("sentence1", "sentence2"):
                sentence, parse = row[side], row.get(f"{side}_parse")
                if not parse or sentence in known:
                    continue
                known.add(sentence)
                try:
                    yield sentence, align(sentence, leaves(parse))
                except AlignmentError:
                    continue


def treebank(nltk_data: Path) -> Iterator[Tagged]:
    """Yield the sentences of NLTK's sample of the Penn Treebank, their words joined by blanks."""
    with zipfile.ZipFile(nltk_data / "corpora" / "treebank.zip") as archive:
        for name in sorted(archive.namelist()):
            if not name.endswith(".mrg"):
                continue
            for tree in re.split(r"\n(?=\( )", archive.read(name).decode()):
                found = [(tag, word) for tag, word in leaves(tree) if tag != "-NONE-"]
                if found:
                    joined = " ".join(word.replace("\\/", "/") for _, word in found)
                    sentence = joined.replace("`` ", '"').replace(" ''", '"')
                    for bracket, escape in _BRACKETS.items():
                        sentence = sentence.replace(escape, bracket)
                    yield sentence, align(sentence, found)


def in_our_words(sentence: str, gold: Sequence[Token]) -> list[tuple[str, str]] | None:
    """Return our words of *sentence* with the tags of *gold*, None if the two have different words."""
    tagged, first = [], 0
    for word in words(sentence):
        last = first
        while last < len(gold) and gold[last].end < word.end:
            last += 1
        if last == len(gold) or (gold[first].start, gold[last].end) != word[1:3]:
            return None
        following = gold[last + 1].tag if last + 1 < len(gold) else ""
        joined = last > first and following.startswith("NN") and gold[last].tag in {"NN", "CD", "VBN", "VBG"}
        tagged.append((in_penn(sentence, word), "JJ" if joined else gold[last].tag))
        first = last + 1
    return tagged


def with_names(sentences: Iterable[list[tuple[str, str]]]) -> list[list[tuple[str, str]]]:
    """Return sentences that begin *A man plays* anew as *Priya plays*, as captions have hardly any names."""
    of_people = (
        rest
        for (_, first), (noun, _), *rest in (each for each in sentences if len(each) > 3)
        if first == "DT" and noun in PEOPLE and rest[0][1].startswith(("VB", "MD"))
    )
    return [[(random.choice(NAMES), "NNP"), *rest] for rest in islice(of_people, NAMED)]


def training_sentences(data: Path) -> list[list[tuple[str, str]]]:
    """Return the training sentences in a random order."""
    sources = chain(
        ewt(data / "ud_ewt" / "en_ewt-ud-train.conllu"), snli(data / "snli" / "snli_1.0_train_subset.jsonl")
    )
    whole = [(text, gold) for text, gold in sources if all(token.tag != "GW" for token in gold)]
    sentences = [found for text, gold in whole if (found := in_our_words(text, gold))]
    sentences += with_names(sentences)
    print(f"training sentences: {len(sentences):,}, words: {sum(map(len, sentences)):,}")
    random.shuffle(sentences)
    return sentences


def train(sentences: list[list[tuple[str, str]]]) -> Any:
    """Return NLTK's tagger, trained on *sentences* by its own trainer, which shuffles them."""
    from nltk.tag.perceptron import PerceptronTagger

    tagger = PerceptronTagger(load=False)
    tagger.train(sentences, nr_iter=ITERATIONS)
    return tagger


def packed(tagger: Any) -> bytes:
    """Return the content of the file in the package, with small weights dropped and the others rounded."""
    weights = {
        feature: {tag: round(weight * SCALE) for tag, weight in of_tags.items() if abs(weight) >= SMALLEST}
        for feature, of_tags in tagger.model.weights.items()
    }
    kept = {feature: of_tags for feature, of_tags in weights.items() if of_tags}
    content = [kept, tagger.tagdict, sorted(tagger.classes)]
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), 9, mtime=0)


def accuracy(tagger: NltkTagger, sentences: Iterable[Tagged]) -> tuple[float, int]:
    """Return the percentage of words with the tag of the treebank, and the number of words compared."""
    right = compared = 0
    for sentence, gold in sentences:
        ours = {token[1:3]: token.tag for token in tagger.tag(sentence)}
        for token in gold:
            tag = ours.get(token[1:3])
            if tag is not None and token.tag not in EWT_ONLY:
                compared += 1
                right += _BRACKETS.get(tag, tag) == token.tag
    return 100 * right / compared, compared


def measure(data: Path, perceptrons: Sequence[Perceptron]) -> None:
    """Print the accuracy of each of *perceptrons* on every test set."""
    tests = {
        "EWT dev": list(ewt(data / "ud_ewt" / "en_ewt-ud-dev.conllu")),
        "EWT test": list(ewt(data / "ud_ewt" / "en_ewt-ud-test.conllu")),
        "SNLI dev": list(snli(data / "snli" / "snli_1.0_dev.jsonl")),
        "SNLI test": list(snli(data / "snli" / "snli_1.0_test.jsonl")),
        "treebank sample": list(treebank(data / "nltk_data")),
    }
    for perceptron in perceptrons:
        tagger = NltkTagger(lambda chosen=perceptron: chosen)
        for name, sentences in tests.items():
            value, compared = accuracy(tagger, sentences)
            print(f"{perceptron.name:>45}  {name:<16} {value:5.2f} % of {compared:,} words")


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the part-of-speech tagger in the package.")
    parser.add_argument("--data", type=Path, required=True, help="folder of ud_ewt, snli and nltk_data")
    parser.add_argument("-o", "--output", type=Path, default=SHIPPED, help="the file of weights to write")
    parser.add_argument("--measure", action="store_true", help="do not train, measure the file that is there")
    arguments = parser.parse_args()
    os.environ["NLTK_DATA"] = str(arguments.data / "nltk_data")  # read when NLTK is imported
    logging.basicConfig(level=logging.INFO, format="%(message)s")  # NLTK's accuracy after each iteration
    perceptrons = [downloaded()]
    if not arguments.measure:
        random.seed(SEED)
        trained = train(training_sentences(arguments.data))
        perceptrons.append(Perceptron("before rounding", trained))
        with finished_or_absent(arguments.output) as temporary:
            temporary.write_bytes(packed(trained))
    print(f"{arguments.output}: {arguments.output.stat().st_size:,} bytes")
    measure(arguments.data, [*perceptrons, shipped(arguments.output)])


if __name__ == "__main__":
    main()
