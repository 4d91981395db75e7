"""Who answers which word depends on which: shipped parses, a spaCy pipeline with a parser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, Protocol

from crossexam.core.errors import CrossexamError, FormatError, UnknownNameError
from crossexam.core.example import SIDES, Example, Side
from crossexam.language.parsing.clear_labels import CLEAR_ONLY, to_universal
from crossexam.language.parsing.constituency import parsed_from_parse
from crossexam.language.parsing.dependencies import Parsed
from crossexam.language.tagging.corpus_parses import PARSE_KEY
from crossexam.language.tagging.spacy_pipeline import load_pipeline, pipeline_name
from crossexam.language.tokens import AlignmentError, Token

REMEMBERED: Final = 4096  # sentences; a premise stands in neighbouring rows


class DependencyParser(Protocol):
    """What tells the dependencies of an example's sentences."""

    @property
    def name(self) -> str:
        """What signatures call it: ``corpus-parses``, ``spacy:en_core_web_sm-3.8.0``."""

    def prepare(self, examples: Sequence[Example]) -> None:
        """Parse a chunk at once where that is cheaper; optional."""

    def parsed(self, example: Example, side: Side) -> Parsed | None:
        """Return the dependencies of the sentence on *side*, None where there is no parse to be had."""


class ShippedDependencies:
    """Converts the constituency parse that a corpus ships (SNLI and MultiNLI do).

    A parse that is broken or of another sentence is as good as none; ``answered`` counts those used,
    and under ``unusable parse`` the others.
    """

    name = "corpus-parses"

    def __init__(self) -> None:
        self.answered: Counter[str] = Counter()
        self._known = lru_cache(REMEMBERED)(self._convert)

    def prepare(self, examples: Sequence[Example]) -> None:
        """Do nothing: a parse is converted when it is asked for, and remembered for a while."""

    def parsed(self, example: Example, side: Side) -> Parsed | None:
        """Return the dependencies of the sentence on *side*, None where it ships no usable parse."""
        parse = example.info.get(PARSE_KEY[side])
        return self._known(example.text(side), parse) if parse else None

    def _convert(self, sentence: str, parse: str) -> Parsed | None:
        try:
            parsed = parsed_from_parse(sentence, parse)
        except (AlignmentError, FormatError):
            self.answered["unusable parse"] += 1
            return None
        self.answered[self.name] += 1
        return parsed if parsed.tokens else None


class SpacyDependencies:
    """Parses with a spaCy pipeline, whose labels may be Universal Dependencies' or ClearNLP's."""

    def __init__(self, pipeline: str) -> None:
        self._nlp = load_pipeline(pipeline, {"token.dep", "token.tag"}, "parser")
        if not any("token.dep" in self._nlp.get_pipe_meta(part).assigns for part in self._nlp.pipe_names):
            raise CrossexamError(
                f"the spaCy pipeline '{pipeline}' has no parser",
                where=f"its components: {', '.join(self._nlp.component_names)}",
                hint="give a pipeline that has one",
            )
        self.name = pipeline_name(self._nlp)
        self.answered: Counter[str] = Counter()
        self._chunk: dict[str, Parsed | None] = {}
        self._single = lru_cache(REMEMBERED)(self._parse)

    def prepare(self, examples: Sequence[Example]) -> None:
        """Parse the sentences of *examples*, each distinct one once; forget the chunk before."""
        texts = list(dict.fromkeys(example.text(side) for example in examples for side in SIDES))
        self._chunk = {doc.text: parsed_from_doc(doc) for doc in self._nlp.pipe(texts)}
        self.answered[self.name] += len(texts)

    def parsed(self, example: Example, side: Side) -> Parsed | None:
        """Return the dependencies of the sentence on *side*, None for an empty one."""
        sentence = example.text(side)
        return self._chunk[sentence] if sentence in self._chunk else self._single(sentence)

    def _parse(self, sentence: str) -> Parsed | None:
        self.answered[self.name] += 1
        return parsed_from_doc(self._nlp(sentence))


def parsed_from_doc(doc: Any) -> Parsed | None:
    """Return the dependencies of a parsed spaCy *doc*, blanks left out, in Universal Dependencies.

    None where nothing is left.  Whether the labels are ClearNLP's is told by those that only it has.
    """
    kept = [token for token in doc if not token.is_space]
    place = {token.i: k for k, token in enumerate(kept)}
    tokens = tuple([Token(t.text, t.idx, t.idx + len(t.text), t.tag_) for t in kept])
    heads = [-1 if t.head.i == t.i else place.get(t.head.i, -1) for t in kept]
    labels = [t.dep_ for t in kept]
    if _is_clear(doc, labels):
        return Parsed(tokens, *to_universal(tokens, heads, labels)) if tokens else None
    names = {"ROOT": "root", "det:predet": "det", "cc:preconj": "cc"}
    return Parsed(tokens, tuple(heads), tuple(names.get(name, name) for name in labels)) if tokens else None


def _is_clear(doc: Any, labels: Sequence[str]) -> bool:
    universal = {"obj", "obl", "case", "cop", "nsubj:pass", "aux:pass", "nmod:poss", "obl:agent", "root"}
    return bool(set(labels) & (CLEAR_ONLY | {"prep", "attr", "acomp", "poss", "relcl", "prt"})) or not (
        set(labels) & universal
    )


class AutomaticDependencies:
    """Takes the shipped parse, else asks *fallback*, where there is one."""

    def __init__(self, fallback: SpacyDependencies | None = None) -> None:
        self._shipped, self._fallback = ShippedDependencies(), fallback

    @property
    def answered(self) -> Counter[str]:
        """The number of sentences parsed by each source."""
        return self._shipped.answered + (self._fallback.answered if self._fallback else Counter())

    @property
    def name(self) -> str:
        """The sources that have answered so far, ``auto`` before the first sentence."""
        return "+".join(sorted(set(self.answered) - {"unusable parse"})) or "auto"

    def prepare(self, examples: Sequence[Example]) -> None:
        """Let the fallback parse what ships no parse."""
        without = [e for e in examples if not all(e.info.get(PARSE_KEY[side]) for side in SIDES)]
        if self._fallback and without:
            self._fallback.prepare(without)

    def parsed(self, example: Example, side: Side) -> Parsed | None:
        """Return the dependencies of the sentence on *side*, None where no source has them."""
        found = self._shipped.parsed(example, side)
        if found is None and self._fallback is not None:
            return self._fallback.parsed(example, side)
        return found


def resolve_parser(spec: str = "auto", tagger_spec: str = "auto") -> DependencyParser:
    """Return the parser that *spec* names: ``auto``, ``parses``, ``spacy:NAME-OR-FOLDER``.

    ``auto`` takes the shipped parse, else the spaCy pipeline that *annotator_spec* names, if it has a
    parser.  Raises UnknownNameError for another, CrossexamError where the pipeline has no parser.

    >>> resolve_parser("treebank")
    Traceback (most recent call last):
    crossexam.core.errors.UnknownNameError: no parser is called 'treebank'
      hint: there are: auto, parses, spacy
    """
    kind, _, argument = spec.partition(":")
    if kind == "spacy" and argument:
        return SpacyDependencies(argument)
    if kind == "spacy":
        raise CrossexamError(
            "which spaCy pipeline?",
            wanted="spacy:NAME or spacy:FOLDER",
            hint="spacy:en_core_web_sm for instance",
        )
    if kind not in {"auto", "parses"}:
        raise UnknownNameError("parser", kind, ("auto", "parses", "spacy"))
    if argument:
        raise CrossexamError(f"the parser '{kind}' takes no argument, but got '{argument}'")
    return ShippedDependencies() if kind == "parses" else AutomaticDependencies(_fallback(tagger_spec))


def _fallback(tagger_spec: str) -> SpacyDependencies | None:
    kind, _, pipeline = tagger_spec.partition(":")
    if kind != "spacy" or not pipeline:
        return None
    nlp = load_pipeline(pipeline, {"token.dep", "token.tag"}, "parser or tagger")
    has_parser = any("token.dep" in nlp.get_pipe_meta(part).assigns for part in nlp.pipe_names)
    return SpacyDependencies(pipeline) if has_parser else None
