"""A loaded model: how it turns pairs into prompts, prompts into tokens, and outputs into scores of labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from crossexam.core.errors import CrossexamError
from crossexam.core.outcome import Outcome
from crossexam.models.checkpoint import find_device, limit_of
from crossexam.models.label_order import PAIRS
from crossexam.models.lm import loading
from crossexam.models.lm.encoding import EncodedPrompt, PromptEncoder, Text
from crossexam.models.model import Pair
from crossexam.models.prompts.shots import Shots
from crossexam.models.prompts.template import Score, Template
from crossexam.training.pretrained import Checkpoint

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from crossexam.models.lm.scoring import Scorer


class PromptSettings(NamedTuple):
    """With what a model of some *kind* is asked, and how that is computed."""

    template: Template
    shots: Shots
    score: Score
    kind: loading.Kind
    chat: Literal["auto", "yes", "no"]
    device: str
    dtype: str
    batch_size: int | Literal["auto"]
    max_length: int | None


class ScoredLabels(NamedTuple):
    """The *scores* [n, labels] of a batch of questions, from which probabilities are made.

    *parts* are what they consist of by name, and *mass* [n] is the probability of all labels together.
    """

    scores: NDArray[np.float64]
    parts: Mapping[str, NDArray[np.float64]]
    mass: NDArray[np.float64] | None

    def outcome(self, row: int, template: Template) -> Outcome:
        """Return the outcome of the question in *row*: that it was answered, with the unnormalised values."""
        detail = {
            name: dict(zip(template.labels, table[row].tolist(), strict=True))
            for name, table in self.parts.items()
        }
        return Outcome(label_mass=None if self.mass is None else float(self.mass[row]), detail=detail)


class LoadedModel:
    """A loaded model with its tokenizer, that scores the labels of a template."""

    def __init__(
        self, checkpoint: Checkpoint, foundation: Checkpoint | None, settings: PromptSettings
    ) -> None:
        import torch

        from crossexam.models.lm.scoring import budget_of

        self._where, self._settings, self._template = checkpoint.where, settings, settings.template
        tokenizer, model = loading.load_language_model(checkpoint, settings.kind, foundation)
        config = (foundation or checkpoint).config
        dtype = loading.dtype_of(checkpoint.config, settings.dtype)
        self._tokenizer, self._device = tokenizer, find_device(settings.device, self._where)
        self._model = model.to(device=self._device, dtype=getattr(torch, dtype)).eval()
        self.max_length = loading.longest_input(
            config, limit_of(tokenizer.model_max_length, self._where), settings.max_length, where=self._where
        )
        self._chat = self._uses_chat()
        self._encoder = PromptEncoder(tokenizer, causal=settings.kind == "causal", where=self._where)
        probe = self.questions(PAIRS)
        self._scorer = self._scorer_for(probe)
        self._budget = budget_of(self._scorer, probe, self._device, self._model.config.hidden_size)
        self._without_pair = self._fixed_without_pair()
        self.facts: dict[str, Any] = {
            "device": str(self._device),
            "dtype": dtype,
            "max_length": self.max_length,
            "chat": self._chat,
            **self._scorer.facts,
            **({"batch_tokens": self._budget} if settings.batch_size == "auto" else {}),
        }

    def questions(self, pairs: Sequence[Pair]) -> list[EncodedPrompt]:
        """Return *pairs* as tokens of prompts and labels; raises CrossexamError."""
        return self._encoded([(self._prompt(*pair), self._template.forms(*pair)) for pair in pairs])

    def plan(self, questions: Sequence[EncodedPrompt]) -> list[list[int]]:
        """Return the batches of *questions*, which depend on their lengths and the options."""
        if not questions:
            return []
        size = self._settings.batch_size
        if size == "auto":
            return self._scorer.plan(questions, self._budget, None)
        return self._scorer.plan(questions, None, size)

    def scored(
        self, pairs: Sequence[Pair], questions: Sequence[EncodedPrompt], batches: Sequence[Sequence[int]]
    ) -> Iterator[ScoredLabels]:
        """Yield the scores for each of *batches* of *questions*, which are those of *pairs*."""
        for rows, table in zip(batches, self._outputs(questions, batches), strict=True):
            if self._settings.kind == "classifier":
                yield self._of_classes(table)
                continue
            tokens = [questions[row].labels for row in rows]
            sums, means, firsts = _reduced(table, tokens)
            parts = {"log_likelihood": sums}
            scores = {"sum": sums, "mean": means, "first": firsts}.get(self._settings.score)
            if self._settings.score == "first":
                parts = {"first_token": firsts}
            if scores is None:
                parts["without_pair"] = self._likelihoods_without([pairs[row] for row in rows])
                scores = sums - parts["without_pair"]
            exact = parts.get("first_token", sums)
            mass = None if self._template.shared_prefix() else np.exp(exact).sum(axis=1)
            yield ScoredLabels(scores, parts, mass)

    def _outputs(
        self, questions: Sequence[EncodedPrompt], batches: Sequence[Sequence[int]]
    ) -> Iterator[NDArray[np.float64]]:
        from crossexam.models.lm.scoring import outputs_of

        for found in outputs_of(self._scorer, questions, batches, self._device, self._where):
            yield found.double().numpy()

    def _of_classes(self, table: NDArray[np.float64]) -> ScoredLabels:
        outputs = self._template.outputs or {}
        classes = int(self._model.config.num_labels)
        if classes != len(outputs) or max(outputs.values(), default=0) >= classes:
            raise CrossexamError(
                f"the model has {classes} classes, the template {self._template.name} names {len(outputs)}",
                where=self._where,
                wanted="an output of the model for each label of the template",
            )
        logits = table.reshape(-1, classes)[:, [outputs[label] for label in self._template.labels]]
        return ScoredLabels(logits, {"logit": logits}, None)

    def _likelihoods_without(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the log-likelihoods of the labels after the prompt without the pair: [n, labels]."""
        if self._without_pair is not None:
            return np.repeat(self._without_pair, len(pairs), axis=0)
        empty = self._prompt("", "")
        questions = self._encoded([(empty, self._template.forms(*pair)) for pair in pairs])
        return self._log_likelihoods(questions)

    def _fixed_without_pair(self) -> NDArray[np.float64] | None:
        """Return the log-likelihoods [1, labels] without a pair if they are needed, and the same for all."""
        if self._settings.score != "pmi" or not self._template.fixed_labels:
            return None
        return self._log_likelihoods(self._encoded([(self._prompt("", ""), self._template.forms("", ""))]))

    def _log_likelihoods(self, questions: Sequence[EncodedPrompt]) -> NDArray[np.float64]:
        batches = self.plan(questions)
        found = [
            _reduced(table, [questions[row].labels for row in rows])[0]
            for rows, table in zip(batches, self._outputs(questions, batches), strict=True)
        ]
        whole: NDArray[np.float64] = np.concatenate(found)[np.argsort(np.concatenate(batches))]
        return whole

    def _encoded(self, asked: Sequence[tuple[str, Mapping[Any, str]]]) -> list[EncodedPrompt]:
        """Return prompts with the forms of their labels as tokens, as the score needs them."""
        if self._settings.kind == "classifier":
            return [EncodedPrompt(context, []) for context in self._encoder.prompts([p for p, _ in asked])]
        delimiter = "" if self._chat else self._template.delimiter
        texts = [Text(prompt, [f"{delimiter}{form}" for form in forms.values()]) for prompt, forms in asked]
        questions = self._encoder.questions(texts)
        if self._settings.score != "first":
            return questions
        outputs = self._template.outputs
        if outputs is not None:
            labels = [[outputs[label]] for label in self._template.labels]
            return [question._replace(labels=labels) for question in questions]
        return [self._first_tokens(question) for question in questions]

    def _first_tokens(self, question: EncodedPrompt) -> EncodedPrompt:
        firsts = [label[:1] for label in question.labels]
        if len({tuple(first) for first in firsts}) < len(firsts):
            raise CrossexamError(
                f"labels of the template {self._template.name} begin with the same token",
                where=self._where,
                wanted="labels that differ in their first tokens, for the score first",
                hint="--score sum",
            )
        return question._replace(labels=firsts)

    def _prompt(self, premise: str, hypothesis: str) -> str:
        shots = self._settings.shots.examples
        if not self._chat:
            return self._template.prompt(premise, hypothesis, shots)
        messages = self._template.messages(premise, hypothesis, shots)
        return _conversation(self._tokenizer, messages, self._where)

    def _uses_chat(self) -> bool:
        """Return whether prompts are messages; raises CrossexamError if they cannot be."""
        has = bool(getattr(self._tokenizer, "chat_template", None)) and self._settings.kind != "classifier"
        if self._settings.chat == "yes" and not has:
            raise CrossexamError(
                "its tokenizer has no chat template",
                where=self._where,
                wanted="a model that was tuned for conversations",
                hint="leave out --chat, or --chat no",
            )
        return has and self._settings.chat != "no"

    def _scorer_for(self, probe: Sequence[EncodedPrompt]) -> Scorer:
        """Return what scores the labels, with the shortcuts that leave the scores of *probe* as they are."""
        from crossexam.models.lm.scoring import CausalScorer, ClassScorer, EncoderDecoderScorer

        if self._settings.kind == "classifier":
            return ClassScorer(self._model, self._device, self._tokenizer.pad_token_id or 0)
        if self._settings.kind == "encoder-decoder":
            return EncoderDecoderScorer(self._model, self._device, self._where)
        causal = CausalScorer(self._model, self._device)
        causal.take_shortcuts([question for question in probe if question.length <= self.max_length])
        return causal


def _reduced(
    table: NDArray[np.float64], labels: Sequence[Sequence[Sequence[int]]]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the sums, the means and the first of the log-probabilities of each label: [n, labels] each.

    *table* [tokens] has the log-probabilities of all tokens of *labels*, which are those of n questions.

    >>> import numpy as np
    >>> sums, means, firsts = _reduced(np.array([-1.0, -2.0, -3.0]), [[[7, 8], [9]]])
    >>> sums.tolist(), means.tolist(), firsts.tolist()
    ([[-3.0, -3.0]], [[-1.5, -3.0]], [[-1.0, -3.0]])
    """
    sizes = np.array([len(label) for of_question in labels for label in of_question])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    shape = (len(labels), -1)
    sums = np.add.reduceat(table, starts)
    return sums.reshape(shape), (sums / sizes).reshape(shape), table[starts].reshape(shape)


def _conversation(tokenizer: Any, messages: list[dict[str, str]], where: str) -> str:
    """Return *messages* in the form of the chat template, up to where the answer begins.

    A system message that the chat template does not take comes before the first message of the user.
    """
    try:
        return _templated(tokenizer, messages)
    except Exception as error:  # templates raise what they like
        if messages[0]["role"] != "system":
            raise _refused_by_template(error, where) from error
    first = {"role": "user", "content": f"{messages[0]['content']}\n\n{messages[1]['content']}"}
    try:
        return _templated(tokenizer, [first, *messages[2:]])
    except Exception as error:
        raise _refused_by_template(error, where) from error


def _templated(tokenizer: Any, messages: list[dict[str, str]]) -> str:
    return str(tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))


def _refused_by_template(error: Exception, where: str) -> CrossexamError:
    first = (str(error).strip() or type(error).__name__).splitlines()[0]
    return CrossexamError(
        f"the tokenizer's chat template refuses the prompt: {first}",
        where=where,
        hint="--chat no gives the model the prompt as plain text",
    )
