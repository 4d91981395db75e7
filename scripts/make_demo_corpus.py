"""Make the built-in corpus from its bracketed source: demo.jsonl and word_problems.jsonl.

    python scripts/make_demo_corpus.py [FOLDER]

The fields are those of SNLI's and AQuA-RAT's published files, besides `genre` (MultiNLI) and
`question_tags` (ours: no tagger is needed).  The output depends on the two source files alone.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PAIRS = HERE / "demo_corpus_source.txt"
PROBLEMS = HERE / "word_problems_source.txt"
OUTPUT = HERE.parent / "src" / "crossexam" / "corpora" / "builtin"

LABELS = ("entailment", "neutral", "contradiction")
LETTERS = "ABCDE"
VERBS = frozenset({"MD", "TO", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
JOINED_TO_THE_LEFT = frozenset({",", ".", "!", "?", ";", ":", "''", "'s", "n't", "%"})
JOINED_TO_THE_RIGHT = frozenset({"``", "$"})


@dataclass(frozen=True)
class Node:
    """A constituent with *children*, or a leaf with a *word*; the label of a leaf is its tag."""

    label: str
    children: tuple[Node, ...] = ()
    word: str = ""


def read_trees(line: str) -> tuple[Node, ...]:
    """Return the bracketed constituents of a source line."""
    stack: list[tuple[str, list[Node]]] = [("", [])]
    for piece in re.findall(r"\([A-Z]+|\)|[^\s()]+", line):
        if piece.startswith("("):
            stack.append((piece[1:], []))
        elif piece == ")":
            label, children = stack.pop()
            if not stack or not children:
                raise ValueError(f"a closing bracket too many, or an empty bracket: {line}")
            stack[-1][1].append(Node(label, tuple(children)))
        else:
            stack[-1][1].append(read_leaf(piece))
    if len(stack) != 1 or any(node.word for node in stack[0][1]):
        raise ValueError(f"brackets do not match: {line}")
    return tuple(stack[0][1])


def read_leaf(piece: str) -> Node:
    """Return the leaf that *piece*, word/TAG, writes down."""
    word, _, tag = piece.rpartition("/")
    if not word or not tag:
        raise ValueError(f"{piece!r} is not word/TAG")
    return Node(tag, word=word)


def leaves(node: Node) -> Iterator[Node]:
    """Yield the leaves below *node*, left to right."""
    if node.word:
        yield node
    for child in node.children:
        yield from leaves(child)


def written(words: Sequence[str]) -> str:
    """Return the text of Penn Treebank tokens: ``You can not , "`` and so on as one writes it."""
    text, previous = "", ""
    for word in words:
        joined = word in JOINED_TO_THE_LEFT or previous in JOINED_TO_THE_RIGHT
        if text and not joined and (previous.lower(), word) != ("can", "not"):
            text += " "
        text += {"``": '"', "''": '"'}.get(word, word)
        previous = word
    return text


def bracketed(node: Node) -> str:
    """Return *node* as the treebank prints it, ``(NP (DT a) (NN dog))``."""
    inside = node.word or " ".join(bracketed(child) for child in node.children)
    return f"({node.label} {inside})"


def binary(node: Node) -> str:
    """Return *node* with two branches everywhere and no labels, as SNLI prints it.

    A constituent grows from its head: first what follows the head, then what precedes it.
    """
    if node.word:
        return node.word
    parts = [binary(child) for child in node.children]
    at = head(node)
    grown = parts[at]
    for part in parts[at + 1 :]:
        grown = f"( {grown} {part} )"
    for part in reversed(parts[:at]):
        grown = f"( {part} {grown} )"
    return grown


def head(node: Node) -> int:
    """Return which child of *node* is its head: a verb, a clause's VP, a first NP, else the last."""
    labels = [child.label for child in node.children]
    wanted: frozenset[str] = {"VP": VERBS, "S": frozenset({"VP"}), "NP": frozenset({"NP"})}.get(
        node.label, frozenset()
    )
    return next((at for at, label in enumerate(labels) if label in wanted), len(labels) - 1)


def source_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the first word of each line of *path* and what follows it."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            key, _, rest = line.partition(" ")
            yield key, rest.strip()


def pairs() -> Iterator[dict[str, Any]]:
    """Yield the records of demo.jsonl."""
    genre, number, premise = "", 0, Node("ROOT")
    for key, rest in source_lines(PAIRS):
        if key == "genre":
            genre, number = rest, 0
            continue
        root = Node("ROOT", read_trees(rest))
        if key == "premise":
            number, premise = number + 1, root
        elif key in LABELS:
            yield pair(f"demo-{genre}-{number:03d}", genre, key, premise, root)
        else:
            raise ValueError(f"{key!r} begins a line, not genre, premise or a label")


def pair(group: str, genre: str, label: str, premise: Node, hypothesis: Node) -> dict[str, Any]:
    """Return one record with the fields of SNLI, and the genre."""
    record: dict[str, Any] = {"annotator_labels": [label], "captionID": group, "gold_label": label}
    record |= {"genre": genre, "pairID": f"{group}{label[0]}"}
    for name, tree in (("sentence1", premise), ("sentence2", hypothesis)):
        record[name] = written([leaf.word for leaf in leaves(tree)])
        record[f"{name}_binary_parse"] = binary(tree)
        record[f"{name}_parse"] = bracketed(tree)
    return record


def problems() -> Iterator[dict[str, Any]]:
    """Yield the records of word_problems.jsonl."""
    fields: dict[str, str] = {}
    for key, rest in source_lines(PROBLEMS):
        fields[key] = rest
        if key == "options":
            yield problem(fields)
            fields = {}


def problem(fields: dict[str, str]) -> dict[str, Any]:
    """Return one record with the fields of AQuA-RAT, and the tags of the question."""
    options = [option.strip() for option in fields["options"].split("|")]
    right = [letter for letter, option in zip(LETTERS, options, strict=True) if option.startswith("*")]
    if len(right) != 1:
        raise ValueError(f"not one right option: {fields['options']}")
    tokens = [read_leaf(piece) for piece in fields["question"].split()]
    return {
        "question": written([token.word for token in tokens]),
        "options": [f"{a}){b.removeprefix('*')}" for a, b in zip(LETTERS, options, strict=True)],
        "rationale": fields["rationale"],
        "correct": right[0],
        "question_tags": [[token.word, token.label] for token in tokens],
    }


def main(folder: Path = OUTPUT) -> None:
    """Write both files into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in (("demo.jsonl", pairs()), ("word_problems.jsonl", problems())):
        lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
        (folder / name).write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:2]))
