"""Compile the inflected forms of English words into the one file that Crossexam ships.

    pip install lemminflect==0.2.3
    python scripts/compile_forms.py -o src/crossexam/language/lexicons/forms.txt.gz

The forms are those of lemminflect, from the SPECIALIST Lexicon of the National Library of Medicine.  A
section has the forms with one Penn tag, a word and its forms per line; those of VB are the base forms of
inflected verbs.  A tag with a question mark has lemmas of WordNet that the lexicon lacks, and their forms
according to lemminflect's model, where these are not regular, or nothing where WordNet does not know what the
model gives.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crossexam.core.files import finished_or_absent
from crossexam.language.inflection import regular_form
from crossexam.language.lexicons.wordnet import wordnet

#: What lemminflect calls the part of speech, WordNet's letter for it, and the tags of its forms.
TAGS = {
    "NOUN": ("n", ("NNS",)),
    "ADJ": ("a", ("JJR", "JJS")),
    "ADV": ("r", ("RBR", "RBS")),
    "VERB": ("v", ("VBD", "VBN", "VBG", "VBZ")),
}
Forms = dict[str, dict[str, str]]


def listed_forms(package: Any) -> Forms:
    """Return the forms in the lexicon, by tag and word."""
    lexicon, lemmatizer = package.Inflections(), package.Lemmatizer()
    found: Forms = {}
    for word in sorted({*lexicon._getInflDict(), *lexicon._getOverridesDict()}):
        if word not in {word.lower(), word.capitalize()}:
            continue  # never looked up
        for part, (_, tags) in TAGS.items():
            proper = part == "NOUN" and word != word.lower()
            forms = lexicon.getAllInflections(word, "PROPN" if proper else part)
            for tag in tags if proper or word == word.lower() else ():
                if forms.get(tag):
                    found.setdefault(tag, {})[word] = "/".join(forms[tag])
    for word in sorted({*lemmatizer._getLemmaDict(), *lemmatizer._getOverridesDict()}):
        if bases := lemmatizer.getAllLemmas(word, "VERB"):
            found.setdefault("VB", {})[word] = bases["VERB"][0]
    return found


def irregular_guesses(package: Any, listed: Forms) -> Forms:
    """Return the forms that the model gives of WordNet's lemmas, where they are not regular."""
    found: Forms = {}
    for part in ("NOUN", "VERB"):
        pos, tags = TAGS[part]
        for lemma in single_words(pos):
            forms = package.getAllInflectionsOOV(lemma, part)
            for tag in tags:
                if lemma in listed[tag]:
                    continue
                theirs, regular = (
                    form if lemma in wordnet().lemmas_of(form, pos) else ""
                    for form in (forms[tag][0].lower(), regular_form(lemma, tag))
                )
                if theirs != regular:
                    found.setdefault(f"{tag}?", {})[lemma] = theirs
    return found


def single_words(pos: str) -> Iterator[str]:
    """Yield WordNet's lemmas of a part of speech, in lower case, that are one word."""
    words = {
        lemma.lower()
        for synset in range(len(wordnet()))
        if wordnet().pos_of(synset) == pos
        for lemma in wordnet().lemmas(synset)
    }
    yield from sorted(word for word in words if "_" not in word)


def main() -> None:
    """Read the command line, write the file."""
    import lemminflect

    parser = argparse.ArgumentParser(description="Compile the inflected forms of English words.")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    output = parser.parse_args().output
    forms = listed_forms(lemminflect)
    forms |= irregular_guesses(lemminflect, forms)
    lines = [
        line
        for tag, rows in forms.items()
        for line in (f"[{tag}]", *(f"{word}\t{each}" for word, each in sorted(rows.items())))
    ]
    with finished_or_absent(output) as temporary:
        temporary.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))
    print(f"{output}: {sum(map(len, forms.values())):,} rows, {output.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
