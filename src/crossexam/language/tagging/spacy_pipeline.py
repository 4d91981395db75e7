"""spaCy pipelines, installed or in a folder, and the tagger of one that assigns Penn tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final

from crossexam.core.choice import name_and_argument
from crossexam.core.errors import CrossexamError, MissingExtraError, MissingResourceError
from crossexam.core.example import SIDES, Example, Side
from crossexam.language.remembered import SENTENCES, remembered
from crossexam.language.tokens import Token

#: Attributes by which the embedding layer of a pipeline is known, which its other components need.
_VECTORS: Final = frozenset({"doc.tensor", "doc._.trf_data"})
#: How ``spacy`` is written with its argument.
SPACY: Final = {"spacy": "spacy:NAME or spacy:FOLDER"}
_PENN_SAMPLE: Final = frozenset({"NN", "JJ", "VBZ"})


def name_and_pipeline(kind: str, spec: str, known: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """Return the name among *known* in *spec*, and the pipeline after the colon, which only ``spacy`` has.

    *kind* is what errors call what is named.  Raises what :func:`name_and_argument` does.

    >>> name_and_pipeline("tagger", "spacy:en_core_web_sm", {"auto", "spacy"})
    ('spacy', ('en_core_web_sm',))
    >>> name_and_pipeline("tagger", "auto", {"auto", "spacy"})
    ('auto', ())
    >>> name_and_pipeline("tagger", "spcy:en_core_web_sm", {"auto", "spacy"})
    Traceback (most recent call last):
    crossexam.core.errors.UnknownNameError: no tagger is called 'spcy'
      hint: did you mean 'spacy'?
    """
    name, pipeline = name_and_argument(kind, spec, known, SPACY)
    return name, (pipeline,) if name == "spacy" else ()


def load_pipeline(name: str, assigns: Collection[str], what: str) -> Any:
    """Return the spaCy pipeline *name* (a package or a folder) with the components that assign *assigns*.

    The other components are disabled.  Raises MissingExtraError if spaCy is not installed, and
    CrossexamError if *name* is empty, there is no such pipeline, or it has no *what*.
    """
    if not name:
        raise CrossexamError(
            "the name of the spaCy pipeline is missing",
            wanted=SPACY["spacy"],
            hint="for instance, spacy:en_core_web_sm",
        )
    try:
        import spacy
    except ImportError:
        download = None if Path(name).exists() else f"python -m spacy download {name}"
        raise MissingExtraError("spacy", "spacy", f"the pipeline '{name}'", then=download) from None
    try:
        nlp = spacy.load(name)
    except OSError:
        raise MissingResourceError(
            f"there is no spaCy pipeline '{name}'",
            wanted="the name of an installed pipeline or the path of a folder",
            hint=f"installed: {', '.join(sorted(spacy.util.get_installed_models())) or 'none'}",
        ) from None
    wanted = [part for part in nlp.pipe_names if set(assigns) & set(nlp.get_pipe_meta(part).assigns)]
    if not wanted:
        raise CrossexamError(
            f"the spaCy pipeline '{name}' has no {what}",
            where=f"its components: {', '.join(nlp.pipe_names) or 'none'}",
            hint="name a pipeline that has one",
        )
    vectors = [part for part in nlp.pipe_names if _VECTORS & set(nlp.get_pipe_meta(part).assigns)]
    nlp.select_pipes(enable=[part for part in nlp.pipe_names if part in {*wanted, *vectors}])
    return nlp


def pipeline_name(nlp: Any) -> str:
    """Return the name of a pipeline in signatures: ``spacy:en_core_web_sm-3.8.0``."""
    return f"spacy:{nlp.meta['lang']}_{nlp.meta['name']}-{nlp.meta['version']}"


class SpacyTagger:
    """The tagger of a spaCy *pipeline*, which tags a chunk at a time if :meth:`prepare` is called."""

    def __init__(self, pipeline: str) -> None:
        self._nlp = load_pipeline(pipeline, {"token.tag"}, "tagger")
        self.name = pipeline_name(self._nlp)
        self.answered: Counter[str] = Counter()
        self._chunk: dict[str, tuple[Token, ...]] = {}
        self._single = remembered(SENTENCES)(self._annotate)
        labels = {label for _, part in self._nlp.pipeline for label in getattr(part, "labels", ())}
        if labels and not labels >= _PENN_SAMPLE:
            raise CrossexamError(
                f"the spaCy pipeline '{pipeline}' does not assign Penn tags",
                where=f"its labels: {', '.join(sorted(map(str, labels))[:8])} ...",
                wanted="NN, JJ, VBZ ...",
                hint="name an English pipeline, such as en_core_web_sm",
            )

    def signature(self) -> str:
        """Return the name, as there is only one source."""
        return self.name

    def prepare(self, examples: Sequence[Example]) -> None:
        """Tag the sentences of *examples*, each distinct one once, and forget the previous chunk."""
        texts = list(dict.fromkeys(example.text(side) for example in examples for side in SIDES))
        self._chunk = {doc.text: _tokens_of(doc) for doc in self._nlp.pipe(texts)}
        self.answered[self.name] += len(texts)

    def tokens(self, example: Example, side: Side) -> tuple[Token, ...]:
        """Return the tokens of the sentence on *side*."""
        return self.tag(example.text(side))

    def tag(self, sentence: str) -> tuple[Token, ...]:
        """Return the tokens of any *sentence*."""
        known = self._chunk.get(sentence)
        return self._single(sentence) if known is None else known

    def _annotate(self, sentence: str) -> tuple[Token, ...]:
        self.answered[self.name] += 1
        return _tokens_of(self._nlp(sentence))


def _tokens_of(doc: Any) -> tuple[Token, ...]:
    """Return the tokens of *doc* without those that are blanks."""
    return tuple([Token(t.text, t.idx, t.idx + len(t.text), t.tag_) for t in doc if not t.is_space])
