"""Binary parses of the sentences of test sets, for models that read them.

A suite keeps the parses of its base, but not those of the sentences that a construction edited: these follow
from the edits (:mod:`crossexam.language.parsing.binary`), and only the models that read parses need them.
"""

from __future__ import annotations

from collections.abc import Iterable

from crossexam.core.dataset import Dataset
from crossexam.core.example import BINARY_PARSE_KEY, SIDES, Edit, undo_edits
from crossexam.language.parsing.binary import edited_parse, located_tree


def known_parses(datasets: Iterable[Dataset]) -> dict[str, str]:
    """Return a binary parse for each sentence of *datasets* that has one, by sentence.

    It is the first parse in the data that fits the sentence, else what follows from that of the sentence
    before its edits.
    """
    known: dict[str, str] = {}
    edited: list[tuple[str, str, list[Edit]]] = []
    for dataset in datasets:
        for item in dataset:
            for side in SIDES:
                text, parse = item.text(side), item.info.get(BINARY_PARSE_KEY[side])
                if text in known:
                    continue
                if parse and located_tree(text, str(parse)) is not None:
                    known[text] = str(parse)
                elif item.change is not None:
                    edits = [edit for edit in item.change.edits if edit.side == side]
                    edited.append((text, undo_edits(text, edits, side), edits))
    grown = True
    while grown:  # a construction may start from the items of another
        grown = False
        for text, original, edits in edited:
            if text not in known and original in known:
                parse = edited_parse(known[original], original, edits)
                if parse is not None and located_tree(text, parse) is not None:
                    known[text] = parse
                    grown = True
    return known


def parsed_items(dataset: Dataset, parses: dict[str, str]) -> int:
    """Return the number of items of *dataset* of which both sentences have a parse in *parses*."""
    return sum(item.premise in parses and item.hypothesis in parses for item in dataset)
