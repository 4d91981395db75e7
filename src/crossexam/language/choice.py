"""How users name a tagger, an entity recognizer or a parser: ``NAME``, or ``spacy:PIPELINE``."""

from __future__ import annotations

from collections.abc import Collection

from crossexam.core.errors import CrossexamError, UnknownNameError


def name_and_pipeline(kind: str, spec: str, known: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """Return the name among *known* in *spec*, and the pipeline after the colon, which only ``spacy`` has.

    *kind* is what errors call what is named.  Raises UnknownNameError for another name, and CrossexamError if
    a pipeline is named where there is none.

    >>> name_and_pipeline("tagger", "spacy:en_core_web_sm", {"auto", "spacy"})
    ('spacy', ('en_core_web_sm',))
    >>> name_and_pipeline("tagger", "auto", {"auto", "spacy"})
    ('auto', ())
    >>> name_and_pipeline("tagger", "spcy:en_core_web_sm", {"auto", "spacy"})
    Traceback (most recent call last):
    crossexam.core.errors.UnknownNameError: no tagger is called 'spcy'
      hint: did you mean 'spacy'?
    """
    name, _, argument = spec.partition(":")
    if name not in known:
        raise UnknownNameError(kind, name, known)
    if name == "spacy":
        return name, (argument,)
    if argument:
        raise CrossexamError(f"the {kind} '{name}' takes no argument, but got '{argument}'")
    return name, ()
