"""Count which adjectives stand before which nouns, and write the table.

    python scripts/compile_adjectives.py snli_1.0_train_subset.jsonl multinli_train_subset_tokenised.tsv \
        --source "SNLI and MultiNLI train, parts" -o src/crossexam/language/lexicons/adjectives.tsv

One pass; each distinct sentence counts once.  Parses that a corpus ships are read, other sentences are
tagged by the tagger in the package.  The shipped table was counted before there was one, with NLTK's own
weights in its place.
"""

from __future__ import annotations

import argparse
from itertools import chain
from pathlib import Path

from crossexam.constructions.resources import LanguageResources, count_words
from crossexam.core.errors import CrossexamError
from crossexam.corpora.spec import iter_corpus


def main() -> None:
    """Read the command line, write the table."""
    parser = argparse.ArgumentParser(description="Count which adjectives stand before which nouns.")
    parser.add_argument("corpora", nargs="+", help="CORPUS:SPLIT or files")
    parser.add_argument("--source", required=True, help="what the table says it was counted in")
    parser.add_argument("--tagger", default="auto", help="auto, builtin, nltk, spacy:PIPELINE")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the table to write")
    arguments = parser.parse_args()
    streams = (iter_corpus(spec, drop_no_gold=False) for spec in arguments.corpora)
    try:
        table = count_words(
            chain.from_iterable(streams), arguments.source, LanguageResources(arguments.tagger)
        )
    except CrossexamError as error:
        parser.exit(2, f"compile_adjectives: {error}\n")
    table.write(arguments.output)
    print(f"{arguments.output}: {len(table):,} pairs, {arguments.output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
