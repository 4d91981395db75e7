"""How well binarised dependencies agree with the binary parses of SNLI, and what parses cost a suite.

    python bench/binary_parses.py CORPUS [--parser PIPELINE] [--limit N]

Prints the share of the inner nodes of the corpus's binary parses, without the root, that other trees have as
well: those from the corpus's own dependencies, from a spaCy pipeline, and right-branching trees.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from itertools import islice

from crossexam.core.example import BINARY_PARSE_KEY, SIDES
from crossexam.corpora.spec import CorpusSpec
from crossexam.language.parsing.binary import binary_from_dependencies, binary_tree
from crossexam.language.parsing.parsers import DependencyParser, ShippedDependencies, SpacyDependencies


def main() -> None:
    """Print the share of nodes per kind of tree."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("corpus")
    arguments.add_argument("--parser")
    arguments.add_argument("--limit", type=int)
    chosen = arguments.parse_args()
    parsers: dict[str, DependencyParser] = {"the corpus's dependencies": ShippedDependencies()}
    if chosen.parser:
        parsers[chosen.parser] = SpacyDependencies(chosen.parser)
    examples = list(islice(CorpusSpec.parse(chosen.corpus).examples(), chosen.limit))
    found: dict[str, int] = defaultdict(int)
    nodes: dict[str, int] = defaultdict(int)
    for parser in parsers.values():
        parser.prepare(examples)
    for example, side in ((example, side) for example in examples for side in SIDES):
        gold = binary_tree(str(example.info.get(BINARY_PARSE_KEY[side])))
        if gold is None or len(gold.leaves) < 3:
            continue
        words = len(gold.leaves)
        inner = gold.spans - {(0, words)}
        trees = {"right-branching": frozenset((k, words) for k in range(words))}
        for name, parser in parsers.items():
            parsed = parser.parsed(example, side)
            text = binary_from_dependencies(parsed) if parsed else None
            tree = binary_tree(text) if text else None
            if tree is None:
                trees[name] = frozenset()
            elif len(tree.leaves) == words:  # the pipeline may split words differently
                trees[name] = tree.spans
        for name, spans in trees.items():
            found[name] += len(inner & spans)
            nodes[name] += len(inner)
    for name, count in nodes.items():
        print(f"{name}: {100 * found[name] / count:.1f} % of {count:,} nodes")


if __name__ == "__main__":
    main()
