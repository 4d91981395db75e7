"""Measure the named-entity lists on words that a reader has judged.

    python scripts/check_names.py draw CORPUS... --count 100 -o words.jsonl
    python scripts/check_names.py score words.jsonl

``draw`` samples capitalised words in context; at the beginning of a sentence only those that may be nouns by
their tag.  Fill in ``gold`` on each line: PERSON, LOCATION, ORGANIZATION, or NONE if the word is part of no
such name.  ``score`` compares the recognizer with it, word by word.  The file contains text of the corpora:
do not commit it.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from crossexam.constructions.resources import LanguageResources
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import SIDES, Example
from crossexam.corpora.spec import iter_corpus
from crossexam.language.entities import EntityRecognizer
from crossexam.language.sentences import split_sentences

GOLDS: Final = ("PERSON", "LOCATION", "ORGANIZATION", "NONE")


def candidates(examples: Iterable[Example], resources: LanguageResources) -> Iterator[dict[str, Any]]:
    """Yield the capitalised words of the distinct sentences of *examples*."""
    seen: set[str] = set()
    for example in examples:
        for side in SIDES:
            text = example.text(side)
            for start, end in split_sentences(text):
                sentence = text[start:end]
                if sentence not in seen:
                    seen.add(sentence)
                    yield from _in_sentence(sentence, resources)


def _in_sentence(sentence: str, resources: LanguageResources) -> Iterator[dict[str, Any]]:
    for index, token in enumerate(resources.tokens(Example("e", sentence, "", None), "premise")):
        may_be_noun = index or token.tag.startswith("N")
        if len(token.text) > 1 and token.text[0].isupper() and may_be_noun:
            yield {
                "sentence": sentence,
                "start": token.start,
                "end": token.end,
                "word": token.text,
                "gold": "",
            }


def kind_at(row: dict[str, Any], recognizer: EntityRecognizer, resources: LanguageResources) -> str:
    """Return the kind of the entity that covers the word of *row*, NONE if there is none."""
    tokens = resources.tokens(Example("e", row["sentence"], "", None), "premise")
    found = recognizer.entities(row["sentence"], tokens)
    return next((e.kind for e in found if e.start <= row["start"] and row["end"] <= e.end), "NONE")


def score(golds: Sequence[str], answers: Sequence[str]) -> str:
    """Return precision, recall and the share of kinds, each with its counts."""
    both = [(g, a) for g, a in zip(golds, answers, strict=True) if g != "NONE" and a != "NONE"]
    found, wanted = sum(a != "NONE" for a in answers), sum(g != "NONE" for g in golds)
    kinds = sum(g == a for g, a in both)
    counts = (
        ("precision", len(both), found),
        ("recall", len(both), wanted),
        ("kind right", kinds, len(both)),
    )
    return "\n".join(f"{name} {_share(part, whole)}" for name, part, whole in counts)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} % ({part} of {whole})" if whole else "undefined (none)"


def read_judged(path: Path) -> list[dict[str, Any]]:
    """Return the lines of *path*; raises FormatError for a line whose ``gold`` is not filled in."""
    rows: list[dict[str, Any]] = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for number, row in enumerate(rows, 1):
        if row.get("gold") not in GOLDS:
            raise FormatError(
                f"the word {row.get('word')!r} is not judged",
                where=f"{path}, line {number}",
                wanted=f"gold: one of {', '.join(GOLDS)}",
            )
    return rows


def _draw(arguments: argparse.Namespace) -> None:
    resources = LanguageResources(arguments.tagger)
    rng = random.Random(arguments.seed)
    drawn: list[dict[str, Any]] = []
    for corpus in arguments.corpora:
        words = list(candidates(iter_corpus(corpus, drop_no_gold=False), resources))
        drawn += rng.sample(words, min(arguments.count, len(words)))
    arguments.output.write_text("".join(json.dumps(row) + "\n" for row in drawn), "utf-8")
    print(f"{arguments.output}: {len(drawn)} words")


def _score(arguments: argparse.Namespace) -> None:
    resources = LanguageResources(arguments.tagger, arguments.entities)
    rows = read_judged(arguments.judged)
    answers = [kind_at(row, resources.recognizer, resources) for row in rows]
    print(f"{resources.recognizer.name}, {len(rows)} words")
    print(score([row["gold"] for row in rows], answers))
    if arguments.errors:
        for row, answer in zip(rows, answers, strict=True):
            if row["gold"] != answer:
                print(f"{row['word']}: {answer}, judged {row['gold']}: {row['sentence']}")


def main() -> None:
    """Read the command line; draw or score."""
    parser = argparse.ArgumentParser(description="Measure the named-entity lists.")
    commands = parser.add_subparsers(required=True)
    draw = commands.add_parser("draw", help="sample capitalised words")
    draw.add_argument("corpora", nargs="+", help="CORPUS:SPLIT or files")
    draw.add_argument("--count", type=int, default=100, help="words per corpus")
    draw.add_argument("--seed", type=int, default=0)
    draw.add_argument("-o", "--output", type=Path, required=True)
    draw.set_defaults(function=_draw)
    scoring = commands.add_parser("score", help="compare the recognizer with the judgements")
    scoring.add_argument("judged", type=Path)
    scoring.add_argument("--entities", default="auto", help="lists, spacy:PIPELINE")
    scoring.add_argument("--errors", action="store_true", help="list the words that differ")
    scoring.set_defaults(function=_score)
    for command in (draw, scoring):
        command.add_argument("--tagger", default="auto", help="auto, nltk, spacy:PIPELINE")
    arguments = parser.parse_args()
    try:
        arguments.function(arguments)
    except CrossexamError as error:
        parser.exit(2, f"check_names: {error}\n")


if __name__ == "__main__":
    main()
