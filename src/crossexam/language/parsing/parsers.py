"""Dependency parsers in Universal Dependencies: converted constituency parses of a corpus, or spaCy.

The English pipelines of spaCy use the labels of ClearNLP (Choi and Palmer, 2012, "Guidelines for the CLEAR
style constituent to dependency conversion"), which :func:`to_universal` converts.  Some differ only in name,
others in direction: in ClearNLP a preposition is the head of its object, *be* of its predicate, and each
conjunct of the next one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, Protocol

from crossexam.core.choice import name_and_argument
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import BINARY_PARSE_KEY, PARSE_KEY, SIDES, Example, Side
from crossexam.language.parsing.binary import binary_from_dependencies, located_tree, with_parses
from crossexam.language.parsing.constituency import parsed_from_parse
from crossexam.language.parsing.head_rules import PENN_BE
from crossexam.language.remembered import SENTENCES, remembered
from crossexam.language.tagging.spacy_pipeline import SPACY, load_pipeline, name_and_pipeline, pipeline_name
from crossexam.language.tagging.tagger import TAGGERS
from crossexam.language.tokens import AlignmentError, Parsed, Token

# fmt: off
_NAMES: Final = {
    "ROOT": "root",        "dobj": "obj",             "nsubjpass": "nsubj:pass", "csubjpass": "csubj:pass",
    "auxpass": "aux:pass", "poss": "nmod:poss",       "prt": "compound:prt",     "relcl": "acl:relcl",
    "neg": "advmod",       "npadvmod": "obl",         "quantmod": "advmod",      "predet": "det",
    "preconj": "cc",       "intj": "discourse",       "meta": "dep",             "oprd": "xcomp",
    "dative": "iobj",      "attr": "xcomp",           "acomp": "xcomp",
    "agent": "obl:agent",  "pcomp": "advcl",          "prep": "advmod",          "pobj": "obl",
}
# fmt: on
_PREPOSITIONS: Final = frozenset({"prep", "agent", "dative"})
_NOMINAL_TAGS: Final = frozenset("NN NNS NNP NNPS PRP CD DT WP EX".split())
CLEAR_ONLY: Final = frozenset({"dobj", "pobj", "nsubjpass", "auxpass"})


def to_universal(
    tokens: Sequence[Token], heads: Sequence[int], labels: Sequence[str]
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return heads and relations in Universal Dependencies, given ClearNLP's; roots have the head -1.

    >>> tokens = [Token(word, 0, 0, tag) for word, tag in (("Go", "VB"), ("to", "IN"), ("bed", "NN"))]
    >>> to_universal(tokens, [-1, 0, 1], ["ROOT", "prep", "pobj"])
    ((-1, 2, 0), ('root', 'case', 'obl'))
    """
    conversion = _Conversion(
        tokens, list(heads), ["compound" if label == "nmod" else label for label in labels]
    )
    conversion.predicates()
    conversion.prepositions()
    conversion.conjuncts()
    named = tuple(
        "mark" if label == "aux" and tokens[k].tag == "TO" else _NAMES.get(label, label)
        for k, label in enumerate(conversion.labels)
    )
    return tuple(conversion.heads), named


class _Conversion:
    def __init__(self, tokens: Sequence[Token], heads: list[int], labels: list[str]) -> None:
        self.tokens, self.heads, self.labels = tokens, heads, labels

    def children(self, k: int, *labels: str) -> list[int]:
        return [j for j, head in enumerate(self.heads) if head == k and self.labels[j] in labels]

    def raise_over(self, child: int, parent: int, label: str) -> None:
        """Exchange *child* and its *parent*, whose other dependents *child* takes over."""
        self.heads[child], self.labels[child] = self.heads[parent], self.labels[parent]
        self.heads = [child if h == parent and j != child else h for j, h in enumerate(self.heads)]
        self.heads[parent], self.labels[parent] = child, label

    def predicates(self) -> None:
        """Make the predicate the head of *be*, or its subject after existential *there*."""
        for k, token in enumerate(self.tokens):
            if token.text.lower() not in PENN_BE or self.labels[k] in {"aux", "auxpass"}:
                continue
            complements = self.children(k, "attr", "acomp")
            if self.children(k, "expl"):
                for j in complements:
                    self.labels[j] = "nsubj"
                continue
            subject = self.children(k, "nsubj")
            places = [j for j in self.children(k, "prep") if subject and j > k and self.children(j, "pobj")]
            if chosen := complements[:1] or places[:1]:
                self.raise_over(chosen[0], k, "cop")

    def prepositions(self) -> None:
        """Make the object the head of its preposition, as ``obl``, ``obl:agent``, ``nmod`` or a clause."""
        for k, label in reversed(list(enumerate(self.labels))):  # the object of an inner one first
            objects, clauses = self.children(k, "pobj"), self.children(k, "pcomp")
            if not (objects or clauses):
                continue
            wanted = self._relation(k, label, bool(objects))
            self.raise_over((objects or clauses)[0], k, "case" if objects else "mark")
            self.labels[(objects or clauses)[0]] = wanted

    def _relation(self, k: int, label: str, phrase: bool) -> str:
        head = self.heads[k]
        under_noun = head >= 0 and self.tokens[head].tag in _NOMINAL_TAGS and not self._is_predicate(head)
        if label not in _PREPOSITIONS:  # a conjunct, the root, the object of another preposition
            return label if label != "pcomp" else "advcl"
        if not phrase:
            return "acl" if under_noun else "advcl"
        if label == "agent":
            return "obl:agent"
        if head >= 0 and self.labels[head] == "prep" and self.tokens[head].tag in {"IN", "RB", "RP"}:
            return "pobj"  # out of the house: raised over the outer preposition next
        return "nmod" if under_noun else "obl"

    def _is_predicate(self, k: int) -> bool:
        return bool(self.children(k, "cop"))

    def conjuncts(self) -> None:
        """Attach all conjuncts to the first one, and each conjunction to the conjunct it precedes."""
        for k, label in enumerate(self.labels):
            while label == "conj" and self.labels[self.heads[k]] == "conj":
                self.heads[k] = self.heads[self.heads[k]]
        for k, label in enumerate(self.labels):
            if label == "cc":
                later = [j for j in self._conjuncts_of(self.heads[k]) if j > k]
                self.heads[k] = later[0] if later else self.heads[k]

    def _conjuncts_of(self, k: int) -> list[int]:
        first = self.heads[k] if self.labels[k] == "conj" else k
        return self.children(first, "conj")


class DependencyParser(Protocol):
    """A parser of the sentences of examples into Universal Dependencies."""

    @property
    def name(self) -> str:
        """Its name in signatures: ``corpus-parses``, ``spacy:en_core_web_sm-3.8.0``."""

    @property
    def answered(self) -> Counter[str]:
        """The number of sentences parsed by each source."""

    def prepare(self, examples: Sequence[Example]) -> None:
        """Parse a chunk at once if that is cheaper; optional."""

    def parsed(self, example: Example, side: Side) -> Parsed | None:
        """Return the dependency parse of the sentence on *side*, or None if it has not been parsed."""


class ShippedDependencies:
    """The constituency parses that a corpus ships (SNLI and MultiNLI do), converted.

    A parse that is malformed or of another sentence counts as none: ``answered`` counts the parses used,
    and the others as ``unusable parse``.
    """

    name = "corpus-parses"

    def __init__(self) -> None:
        self.answered: Counter[str] = Counter()
        self._known = remembered(SENTENCES)(self._convert)

    def prepare(self, examples: Sequence[Example]) -> None:
        """Do nothing: parses are converted one by one, and cached."""

    def parsed(self, example: Example, side: Side) -> Parsed | None:
        """Return the dependencies of the sentence on *side*, None if it has no usable parse."""
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
    """The parser of a spaCy pipeline, with labels of Universal Dependencies or ClearNLP."""

    def __init__(self, pipeline: str) -> None:
        self._nlp = load_pipeline(pipeline, {"token.dep", "token.tag"}, "parser")
        if not _has_parser(self._nlp):
            raise CrossexamError(
                f"the spaCy pipeline '{pipeline}' has no parser",
                where=f"its components: {', '.join(self._nlp.component_names)}",
                hint="name a pipeline that has one",
            )
        self.name = pipeline_name(self._nlp)
        self.answered: Counter[str] = Counter()
        self._chunk: dict[str, Parsed | None] = {}
        self._single = remembered(SENTENCES)(self._parse)

    def prepare(self, examples: Sequence[Example]) -> None:
        """Parse the sentences of *examples*, each distinct one once, and forget the previous chunk.

        No parse of that is kept: else the batches, on which the last bits of scores may depend, would differ
        with the chunks that this process was given before.
        """
        texts = list(dict.fromkeys(example.text(side) for example in examples for side in SIDES))
        self._chunk = {doc.text: parsed_from_doc(doc) for doc in self._nlp.pipe(texts)}
        if texts:
            self.answered[self.name] += len(texts)

    def parsed(self, example: Example, side: Side) -> Parsed | None:
        """Return the dependencies of the sentence on *side*, None for an empty one."""
        sentence = example.text(side)
        return self._chunk[sentence] if sentence in self._chunk else self._single(sentence)

    def _parse(self, sentence: str) -> Parsed | None:
        self.answered[self.name] += 1
        return parsed_from_doc(self._nlp(sentence))


class AutomaticDependencies:
    """The shipped parse, or the *fallback* if there is none."""

    def __init__(self, fallback: SpacyDependencies | None = None) -> None:
        self.answered: Counter[str] = Counter()
        self._shipped, self._fallback = ShippedDependencies(), fallback
        self._shipped.answered = self.answered
        if fallback is not None:
            fallback.answered = self.answered

    @property
    def name(self) -> str:
        """The sources used so far, ``auto`` before the first sentence."""
        return "+".join(sorted(set(self.answered) - {"unusable parse"})) or "auto"

    def prepare(self, examples: Sequence[Example]) -> None:
        """Let the fallback parse the examples without shipped parses."""
        without = [e for e in examples if not all(e.info.get(PARSE_KEY[side]) for side in SIDES)]
        if self._fallback:
            self._fallback.prepare(without)

    def parsed(self, example: Example, side: Side) -> Parsed | None:
        """Return the dependencies of the sentence on *side*, None if no source has them."""
        found = self._shipped.parsed(example, side)
        if found is None and self._fallback is not None:
            return self._fallback.parsed(example, side)
        return found


def parsed_from_doc(doc: Any) -> Parsed | None:
    """Return the dependencies of a parsed spaCy *doc*, without blanks, in Universal Dependencies.

    None if nothing is left.  ClearNLP's labels are recognized by those that only it has.
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


class TreeParser:
    """A spaCy pipeline that parses the sentences whose example has no usable binary parse."""

    def __init__(self, pipeline: str) -> None:
        self._pipeline, self._parser = pipeline, SpacyDependencies(pipeline)
        self.name = self._parser.name

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name of the pipeline only: a copy in another process loads it again."""
        return TreeParser, (self._pipeline,)

    def completed(
        self, examples: Sequence[Example], known: Sequence[Collection[Side]] | None = None
    ) -> list[Example]:
        """Return *examples* with a binary parse of each sentence in ``info``, but for the *known* sides.

        Parses that fit their sentence are kept.  A sentence whose phrases are not contiguous has none.
        """
        missing = [
            [side for side in SIDES if side not in sides and not has_binary_parse(each, side)]
            for each, sides in zip(examples, known or [()] * len(examples), strict=True)
        ]
        self._parser.prepare([each for each, sides in zip(examples, missing, strict=True) if sides])
        return [
            self._with_new(each, sides) if sides else each
            for each, sides in zip(examples, missing, strict=True)
        ]

    def _with_new(self, example: Example, sides: Sequence[Side]) -> Example:
        found: dict[Side, str] = {}
        for side in sides:
            parsed = self._parser.parsed(example, side)
            tree = binary_from_dependencies(parsed) if parsed else None
            if tree is not None and located_tree(example.text(side), tree) is not None:
                found[side] = tree
        return with_parses(example, found)


def has_binary_parse(example: Example, side: Side) -> bool:
    """Return whether *example* has a binary parse of the sentence on *side* that fits it."""
    parse = example.info.get(BINARY_PARSE_KEY[side])
    return bool(parse) and located_tree(example.text(side), str(parse)) is not None


def tree_parser(spec: str) -> TreeParser | None:
    """Return the parser that completes binary parses if *spec* names a spaCy pipeline, else None.

    Raises UnknownNameError for an unknown kind of parser, CrossexamError if the pipeline has no parser.
    """
    name, pipeline = name_and_pipeline("parser", spec, PARSERS)
    return TreeParser(*pipeline) if name == "spacy" else None


#: What makes each parser; spaCy's is given its pipeline, the automatic one what parses the other sentences.
PARSERS: Final[dict[str, Callable[..., DependencyParser]]] = {
    "auto": AutomaticDependencies,
    "parses": ShippedDependencies,
    "spacy": SpacyDependencies,
}


def resolve_parser(spec: str = "auto", tagger_spec: str = "auto") -> DependencyParser:
    """Return the parser that *spec* names: ``auto``, ``parses``, ``spacy:NAME-OR-FOLDER``.

    ``auto`` is the shipped parse or, if there is none, the spaCy pipeline that *tagger_spec* names, if it
    has a parser.  Raises UnknownNameError for any other name, CrossexamError if the pipeline has no parser.
    """
    name, pipeline = name_and_pipeline("parser", spec, PARSERS)
    return AutomaticDependencies(_fallback(tagger_spec)) if name == "auto" else PARSERS[name](*pipeline)


def _fallback(tagger_spec: str) -> SpacyDependencies | None:
    _, pipeline = name_and_argument("tagger", tagger_spec, TAGGERS, SPACY)
    if not pipeline:
        return None
    nlp = load_pipeline(pipeline, {"token.dep", "token.tag"}, "parser or tagger")
    return SpacyDependencies(pipeline) if _has_parser(nlp) else None


def _has_parser(nlp: Any) -> bool:
    return any("token.dep" in nlp.get_pipe_meta(part).assigns for part in nlp.pipe_names)
