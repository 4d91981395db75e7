"""Prompts and labels as tokens, exactly as lm-eval 0.4.13 encodes contexts and continuations.

A causal model reads prompt and label as one text, whose tokens after those of the prompt alone are the
label's.  Blanks at the end of a prompt are moved to the label, whose first token they belong to.  The encoder
of an encoder-decoder model reads the prompt, and its decoder writes the label.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from crossexam.core.errors import CrossexamError
from crossexam.core.output.escapes import quoted


class Text(NamedTuple):
    """A *prompt*, and the *labels* each of which may continue it."""

    prompt: str
    labels: Sequence[str]


class EncodedPrompt(NamedTuple):
    """The tokens of a prompt, the *context*, and those of each of its *labels*."""

    context: list[int]
    labels: list[list[int]]

    @property
    def length(self) -> int:
        """How many tokens a causal model reads at most: the last of a label is only predicted."""
        return len(self.context) + max(map(len, self.labels), default=1) - 1


class PromptEncoder:
    """Encodes texts with a *tokenizer* for a causal model, or for one with an encoder and a decoder."""

    def __init__(self, tokenizer: Any, *, causal: bool, where: str) -> None:
        self._tokenizer, self._causal, self._where = tokenizer, causal, where
        first = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
        self._first: int | None = first
        self._first_text: str | None = None if first is None else tokenizer.decode(first)
        self._backend = _backend_of(tokenizer)

    def questions(self, texts: Sequence[Text]) -> list[EncodedPrompt]:
        """Return *texts* as tokens; raises CrossexamError if a prompt or a label has none."""
        moved = [_with_blanks_moved(text) for text in texts]
        contexts = self._whole([text.prompt for text in moved])
        if self._causal:
            joined = iter(self._whole([text.prompt + label for text in moved for label in text.labels]))
            labels = [
                [next(joined)[len(c) :] for _ in t.labels] for c, t in zip(contexts, moved, strict=True)
            ]
        else:
            alone = iter(self._tokens([label for text in moved for label in text.labels], special=False))
            labels = [[next(alone) for _ in text.labels] for text in moved]
        return [self._question(*each) for each in zip(moved, contexts, labels, strict=True)]

    def prompts(self, prompts: Sequence[str]) -> list[list[int]]:
        """Return *prompts* as tokens, with the tokens that the tokenizer puts around a text."""
        return self._whole(prompts)

    def _question(self, text: Text, context: list[int], labels: list[list[int]]) -> EncodedPrompt:
        if not text.prompt or not context:
            if self._first is None:
                raise CrossexamError(
                    "the prompt is empty, and the tokenizer has no token that begins a text",
                    where=self._where,
                    wanted="a template that contains words of its own",
                )
            context = [self._first]
            labels = self._tokens(text.labels, special=False)
        for label, tokens in zip(text.labels, labels, strict=True):
            if not tokens:
                raise CrossexamError(
                    f"the label {quoted(label)} has no token of its own after the prompt",
                    where=self._where,
                    wanted="labels that the tokenizer tells from the prompt",
                    hint="write the label, or the end of the prompt, otherwise in a template of your own",
                )
        return EncodedPrompt(context, labels)

    def _whole(self, texts: Sequence[str]) -> list[list[int]]:
        """Return *texts* with special tokens, but for those that begin with the first of these already."""
        begins = [bool(self._first_text) and text.startswith(self._first_text or "") for text in texts]
        plain = iter(self._tokens([t for t, has in zip(texts, begins, strict=True) if not has], special=True))
        given = iter(self._tokens([t for t, has in zip(texts, begins, strict=True) if has], special=False))
        return [next(given) if has else next(plain) for has in begins]

    def _tokens(self, texts: Sequence[str], *, special: bool) -> list[list[int]]:
        if not texts:
            return []
        if self._backend is not None:
            return [each.ids for each in self._backend.encode_batch_fast(texts, add_special_tokens=special)]
        encoded = self._tokenizer(
            list(texts), add_special_tokens=special, return_attention_mask=False, verbose=False
        )
        return [list(row) for row in encoded["input_ids"]]


def _backend_of(tokenizer: Any) -> Any:
    """Return what *tokenizer* encodes with, if it can leave out where each token is, which saves a third."""
    backend: Any = getattr(tokenizer, "backend_tokenizer", None)
    if not hasattr(backend, "encode_batch_fast"):
        return None
    backend.no_truncation()
    backend.no_padding()
    return backend


def _with_blanks_moved(text: Text) -> Text:
    """Return *text* with the blanks at the end of the prompt at the start of each label.

    >>> _with_blanks_moved(Text("Answer: ", ["yes", "no"]))
    Text(prompt='Answer:', labels=[' yes', ' no'])
    """
    bare = text.prompt.rstrip()
    blanks = text.prompt[len(bare) :]
    return Text(bare, [blanks + label for label in text.labels])
