"""Part-of-speech taggers: what each of them does, and the contract that all in the table keep."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example as example_of
from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.errors import MissingResourceError
from crossexam.core.example import SIDES, Example
from crossexam.language.tagging.tagger import TAGGERS, resolve_tagger
from crossexam.language.tokens import AlignmentError, Token
from made.cases import refused

PREMISE = 'A man says "hi" (twice).'
PARSE = (
    "(ROOT (S (NP (DT A) (NN man)) (VP (VBZ says) (`` ``) (UH hi) ('' '')"
    " (-LRB- -LRB-) (RB twice) (-RRB- -RRB-)) (. .)))"
)


def _example(**info: object) -> Example:
    return Example("a", PREMISE, "A dog sleeps.", None, info=info)


@pytest.fixture
def no_nltk_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nltk.data.path", [])


@pytest.fixture(scope="module")
def pipeline(shared_data: Path) -> str:
    pytest.importorskip("spacy")
    return str(shared_data / "spacy" / "en_ewt_small")


def test_shipped_parses_and_tags_answer_with_offsets_and_auto_counts_who_answered(no_nltk_data: None) -> None:
    tagger, builtin = resolve_tagger("auto"), resolve_tagger("builtin").name
    assert re.fullmatch(r"builtin-perceptron-[0-9a-f]{8}-nltk-[\d.]+", builtin)
    tokens = tagger.tokens(_example(premise_parse=PARSE), "premise")
    assert [token.text for token in tokens] == 'A man says " hi " ( twice ) .'.split()
    assert [token.tag for token in tokens] == "DT NN VBZ `` UH '' -LRB- RB -RRB- .".split()
    assert tagger.signature() == "corpus-parses"
    tokens = tagger.tokens(_example(premise_parse="(S (NN Nobody))"), "premise")  # of another sentence
    assert [token.tag for token in tokens[:4]] == ["DT", "NN", "VBZ", "``"]  # quotes as the Treebank has them
    assert tagger.signature() == f"{builtin}+corpus-parses"
    assert dict(tagger.answered) == {"corpus-parses": 1, builtin: 1}
    tags = [["A", "DT"], ["dog", "NN"], ["sleeps", "VBZ"], [".", "."]]
    tokens = tagger.tokens(_example(hypothesis_tags=tags), "hypothesis")
    assert tokens[1:3] == (Token("dog", 2, 5, "NN"), Token("sleeps", 6, 12, "VBZ"))


def test_what_cannot_be_tagged_is_refused(
    no_nltk_data: None, tmp_path: Path, pipeline_in: Callable[..., str]
) -> None:
    tagger = resolve_tagger("parses")
    said = refused(tagger.tokens, _example(premise_tags=["A", "man"]), "premise")
    assert "example a: info['premise_tags'] is malformed" in said
    assert "neither a parse nor tags" in refused(tagger.tokens, _example(), "premise")
    other = _example(premise_parse="(S (NN Nobody))")
    assert "'Nobody'" in refused(AlignmentError, tagger.tokens, other, "premise")
    assert "averaged_perceptron_tagger_eng" in refused(MissingResourceError, resolve_tagger, "nltk")
    assert "'x'" in refused(resolve_tagger, "parses:x")
    assert "spaCy pipeline" in refused(resolve_tagger, "spacy")
    assert "spaCy pipeline" in refused(MissingResourceError, resolve_tagger, "spacy:en_no_such")
    assert "has no tagger" in refused(resolve_tagger, pipeline_in(tmp_path / "blank"))
    assert "NOUN, VERB" in refused(resolve_tagger, pipeline_in(tmp_path / "other", tags="NOUN VERB"))


#: The tags of the Penn Treebank (Marcus et al., 1993), of OntoNotes and of the English Web Treebank.
PENN = frozenset(
    "CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH VB VBD VBG "
    "VBN VBP VBZ WDT WP WP$ WRB # $ '' ( ) , -LRB- -RRB- . : `` ADD AFX GW HYPH NFP XX".split()
)
#: The spec of each tagger of the table, with a place for the folder of a spaCy pipeline.
SPECS = {"auto": "auto", "parses": "parses", "builtin": "builtin", "nltk": "nltk", "spacy": "spacy:{}"}
PIECES = "A dog “runs” (fast) , Kim can't see 5 % of it . no — it’s Zoë cafe\u0301 naïve 中文 🐕 ﬁsh".split()
SENTENCES = st.lists(st.sampled_from([*PIECES, '"', '"hi"']), max_size=12).map(" ".join)


def _shipping(name: str, premise: str, hypothesis: str, kind: str) -> Example:
    """Return an example that ships tags, for ``auto`` those of the premise only."""
    shipped = {"parses": ("premise", "hypothesis"), "auto": ("premise",)}.get(kind, ())
    texts = {"premise": premise, "hypothesis": hypothesis}
    info = {f"{side}_tags": [[word, "NN"] for word in texts[side].split()] for side in shipped}
    return Example(name, premise, hypothesis, None, info=info)


@pytest.mark.parametrize("kind", sorted(TAGGERS))
def test_a_tagger_gives_penn_tags_and_the_text_at_the_offsets(
    kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the same tags whether a sentence was prepared with another or not; NLTK's needs its model."""
    assert set(SPECS) == set(TAGGERS), "add a line to SPECS for every tagger in TAGGERS"
    if kind == "nltk":
        data = request.getfixturevalue("shared_data") / "nltk_data"
        monkeypatch.setattr("nltk.data.path", [str(data)])
    spec = SPECS[kind].format(request.getfixturevalue("pipeline") if kind == "spacy" else "")
    alone, prepared = resolve_tagger(spec), resolve_tagger(spec)

    @example_of("", "  ")
    @given(SENTENCES, SENTENCES)
    def holds(premise: str, hypothesis: str) -> None:
        example = _shipping("a", premise, hypothesis, kind)
        prepared.prepare([example])
        for side in SIDES:
            tokens, text = prepared.tokens(example, side), example.text(side)
            assert tokens == alone.tokens(example, side)
            assert all(text[token.start : token.end] == token.text for token in tokens)
            assert "".join(token.text for token in tokens) == "".join(text.split())  # nothing is skipped
            assert {token.tag for token in tokens} <= PENN

    prepared.prepare([])
    holds()
    assert prepared.signature() == prepared.name == "+".join(sorted(prepared.answered))
