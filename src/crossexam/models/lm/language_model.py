"""Local language models: ``lm/ID-or-folder``, and checkpoints that verify claims by one prompt.

The labels are not generated: each is scored by its log-likelihood after the prompt, and the softmax of the
scores are the probabilities.  The log-likelihoods are those of lm-eval 0.4.13 (``hf``) for the same prompts.
Weights are read from safetensors only, and code that comes with a checkpoint is never run.  A prompt that
does not fit in the model is not truncated: it has no answer.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np

from crossexam.core.errors import CrossexamError
from crossexam.core.outcome import Outcome
from crossexam.models.checkpoint import DeclaredOrder, import_torch
from crossexam.models.label_order import PAIRS
from crossexam.models.lm import loading
from crossexam.models.lm.encoding import EncodedPrompt
from crossexam.models.lm.known import known_checkpoint
from crossexam.models.lm.loaded import LoadedModel, PromptSettings
from crossexam.models.model import Batch, Model, Pair, check_batch_size
from crossexam.models.prompts.shots import Shots, draw_shots
from crossexam.models.prompts.table import AUTO, default_template
from crossexam.models.prompts.table import template as template_named
from crossexam.models.prompts.template import SCORES, Score, Template
from crossexam.models.prompts.wording import Wording
from crossexam.models.threshold import check_threshold, refuse_threshold
from crossexam.training.pretrained import Checkpoint, find_checkpoint

_VERSION: Final = "lm.v1"
_WITH_TEMPLATE: Final = re.compile(r"^(?P<spec>.*\S) \[(?P<template>[^\[\]]+)\]$")


@dataclass(frozen=True)
class Options:
    """How a language model is asked.

    ``template`` is the name of a prompt template or a file (``auto``: the one with which a known checkpoint
    was trained, else ``words``, or ``words.two`` if all test sets have two labels).  ``score`` is what is
    compared: the ``sum`` or the ``mean`` of the log-probabilities of a label's tokens, the sum minus that
    without premise and hypothesis (``pmi``), the ``first`` token, the ``class`` of a classifier (``auto``:
    what the template says, else the sum).  ``chat`` says whether the prompt is a message in the form of the
    tokenizer's chat template (``auto``: if it has one).  ``dtype`` is that of the weights and of the
    arithmetic (``auto``: that of the checkpoint).
    ``max_length`` counts the tokens of prompt and label; ``batch_size`` counts pairs (``auto``: batches of
    about the same number of tokens).  ``threshold`` is the probability above which a template of two labels
    predicts entailment.  ``shots`` solved examples are shown in each prompt, drawn from the corpus
    ``shots_from`` by ``shots_seed``.  ``foundation`` is the folder or name of the checkpoint on which
    HHEM-2.1-open builds.
    """

    template: str = AUTO
    score: Literal["auto", "sum", "mean", "pmi", "first", "class"] = "auto"
    chat: Literal["auto", "yes", "no"] = "auto"
    device: str = "auto"
    batch_size: int | Literal["auto"] = "auto"
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    max_length: int | None = None
    threshold: float | None = None
    revision: str | None = None
    shots: int = 0
    shots_from: str | None = None
    shots_seed: int = 0
    foundation: str | None = None

    def __post_init__(self) -> None:
        check_batch_size(self.batch_size)
        check_threshold(self.threshold)


def open_language_model(name: str, options: Options) -> LanguageModel:
    """Return the model ``lm/FOLDER`` or ``lm/ID`` (of the hub); raises CrossexamError.

    A name may end with a template, as in ``lm/FOLDER [gpt3]``.  Weights are loaded when the model first
    predicts; errors in the files, the template or the options are raised at once.
    """
    spec, stated = _spec_and_template(name, options.template)
    known = known_checkpoint(spec)
    checkpoint = find_checkpoint(spec, options.revision, "lm")
    max_length = options.max_length or (known.max_length if known else None)
    opened = _Opened(checkpoint, options, stated, max_length, loading.kind_of(checkpoint))
    named = stated or (known.template if known else None)
    return opened.unworded() if named is None else opened.asked_with(template_named(named))


@dataclass(frozen=True)
class _Opened:
    """What is known of a model whatever its template: *stated* is the one that its name shows."""

    checkpoint: Checkpoint
    options: Options
    stated: str | None
    max_length: int | None
    kind: loading.Kind

    @cached_property
    def content(self) -> str:
        """The hash of the files, which may have gigabytes."""
        return self.checkpoint.content_hash()

    def asked_with(self, template: Template, wording: Wording[LanguageModel] | None = None) -> LanguageModel:
        """Return the model that is asked with *template* and its shots; raises CrossexamError."""
        options, where = self.options, self.checkpoint.where
        if options.threshold is not None and not template.two_label:
            raise refuse_threshold(f"the template {template.name} has three labels", where=where)
        shots = draw_shots(template, options.shots, options.shots_from, options.shots_seed)
        return self._model(template, shots, wording)

    def unworded(self) -> LanguageModel:
        """Return the model before it is known about which test sets it is asked, without shots."""
        return self._model(default_template(two_labels=False), Shots(), Wording(None, self._worded))

    def _worded(self, two_labels: bool) -> LanguageModel:
        return self.asked_with(default_template(two_labels), Wording(two_labels, self._worded))

    def _model(
        self, template: Template, shots: Shots, wording: Wording[LanguageModel] | None
    ) -> LanguageModel:
        options = self.options
        settings = PromptSettings(
            template,
            shots,
            _score(options.score, template, self.kind, self.checkpoint.where),
            self.kind,
            options.chat,
            options.device,
            options.dtype,
            options.batch_size,
            self.max_length,
        )
        return LanguageModel(self.checkpoint, self.content, options, settings, self.stated, wording)


def _spec_and_template(name: str, stated: str) -> tuple[str, str | None]:
    """Return the checkpoint and the template that *name* and the option name, None for no template."""
    spec = name.partition("/")[2]
    match = _WITH_TEMPLATE.match(spec)
    if match is None:
        return spec, None if stated == AUTO else stated
    if stated not in (AUTO, match["template"]):
        raise CrossexamError(
            f"the name says the template {match['template']}, the option {stated}",
            where=name,
            wanted="one template",
            hint="leave out --template",
        )
    return match["spec"], match["template"]


def _score(stated: str, template: Template, kind: loading.Kind, where: str) -> Score:
    """Return how labels are scored; raises CrossexamError if model and template do not go together."""
    chosen = template.score or "sum" if stated == "auto" else stated
    score = next(each for each in SCORES if each == chosen)
    if (score == "class") != (kind == "classifier"):
        is_one = kind == "classifier"
        raise CrossexamError(
            "the checkpoint is a classifier" if is_one else f"the score is {score}",
            where=where,
            wanted="a template whose labels are classes (minicheck-roberta, hhem), or the kind hf/ for a "
            "classifier of pairs"
            if is_one
            else "a classifier for it; a language model scores labels by sum, mean, pmi or first",
        )
    if template.outputs is not None and score != template.score:
        raise CrossexamError(
            f"the labels of the template {template.name} are numbered outputs, for the score "
            f"{template.score}, and the score is {score}",
            where=where,
            hint="leave out --score, or take a template whose labels are words",
        )
    return score


class LanguageModel(Model):
    """A local language model, or a classifier of one text, that is asked with a template.

    *content* is the hash of the *checkpoint*; *wording* is that of a model for which nobody named a template.
    """

    name: str
    key: str

    def __init__(
        self,
        checkpoint: Checkpoint,
        content: str,
        options: Options,
        settings: PromptSettings,
        shown_template: str | None,
        wording: Wording[LanguageModel] | None = None,
    ) -> None:
        self.name = checkpoint.where if shown_template is None else f"{checkpoint.where} [{shown_template}]"
        self._checkpoint, self._options, self._settings = checkpoint, options, settings
        self._wording = wording
        self._foundation = loading.foundation_of(checkpoint, options.foundation)
        self.key = self._key(content)
        template = settings.template
        source = f"template {template.name}"
        self._declared = DeclaredOrder(tuple(template.labels), source, options.threshold)
        self._details: dict[str, Any] = {
            "checkpoint": content,
            "revision": checkpoint.revision,
            "architecture": (checkpoint.config.get("architectures") or [None])[0],
            "template": template.facts,
            **settings.shots.facts,
            "score": settings.score,
            **self._declared.details,
            "probe": "not asked: every answer was in the store",
            "too_long": 0,
            "real_tokens": 0,
        }

    def worded_for(self, two_labels: bool) -> LanguageModel:
        """Return the model with the template for test sets of *two_labels*, or of three."""
        return self if self._wording is None else self._wording.model(self, two_labels)

    @property
    def details(self) -> Mapping[str, Any]:
        """Return the facts on the model and on how it was run."""
        loaded = self.__dict__.get("_loaded")
        return {**self._details, **(loaded.facts if loaded else {})}

    def batches(self, pairs: Sequence[Pair], known: Sequence[bool]) -> Iterator[Batch]:
        """Yield the predictions for those of *pairs* that are not *known*, batch by batch.

        Batches are planned over all *pairs*, so that an interrupted run resumes with the same batches.
        """
        self._settings.shots.refuse_asking_about(pairs)
        loaded = self._loaded
        questions = loaded.questions(pairs)
        short = [k for k, question in enumerate(questions) if question.length <= loaded.max_length]
        too_long = sorted(set(range(len(pairs))) - set(short))
        unanswered = [row for row in too_long if not known[row]]
        if unanswered:
            yield self._not_answered(unanswered, questions)
        planned = ([short[k] for k in batch] for batch in loaded.plan([questions[k] for k in short]))
        todo = [rows for rows in ([row for row in batch if not known[row]] for batch in planned) if rows]
        for rows, scored in zip(todo, loaded.scored(pairs, questions, todo), strict=True):
            self._details["real_tokens"] += sum(len(questions[row].context) for row in rows)
            probabilities = self._declared.probabilities(scored.scores)
            outcomes = [scored.outcome(k, self._settings.template) for k in range(len(rows))]
            yield Batch(rows, probabilities, [None] * len(rows), outcomes)

    def _not_answered(self, rows: list[int], questions: Sequence[EncodedPrompt]) -> Batch:
        self._details["too_long"] += len(rows)
        outcomes = [Outcome("too_long", detail={"tokens": questions[row].length}) for row in rows]
        return Batch(rows, np.full((len(rows), 3), np.nan), [None] * len(rows), outcomes)

    def _key(self, content: str) -> str:
        options, settings = self._options, self._settings
        chat = "plain" if options.chat == "no" else f"{options.chat} {loading.chat_hash(self._checkpoint)}"
        parts = (
            _VERSION,
            content,
            loading.foundation_hash(self._foundation),
            settings.template.sha256,
            settings.shots.sha256,
            settings.score,
            chat,
            options.dtype,
            str(settings.max_length),
            str(options.threshold),
        )
        return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()

    @cached_property
    def _loaded(self) -> LoadedModel:
        """The loaded model, asked about the probe; raises CrossexamError."""
        import_torch(self._checkpoint)
        loaded = LoadedModel(self._checkpoint, self._foundation, self._settings)
        self._details["probe"] = self._probed(loaded)
        return loaded

    def _probed(self, loaded: LoadedModel) -> dict[str, Any]:
        """Return how well the model answers the probe, for the manifest of a run.

        Raises CrossexamError if outputs that are numbered in the template must be in another order.  Words
        mean what they say: a model that uses them wrongly is a bad model, not a wrong order.
        """
        questions = loaded.questions(PAIRS)
        if any(question.length > loaded.max_length for question in questions):
            return {"warning": "the prompts of the probe do not fit in the model"}
        batches = loaded.plan(questions)
        scored = loaded.scored(PAIRS, questions, batches)
        table = np.concatenate([each.scores for each in scored])[np.argsort(np.concatenate(batches))]
        result = self._declared.judged(table, where=self.name)
        if self._settings.template.outputs is not None and result.conflicts:
            raise CrossexamError(
                f"with the outputs of the template {self._settings.template.name}, the model gets "
                f"{100 * result.share:.0f} % of the easy items of the probe right; in another order, "
                f"{100 * result.best_share:.0f} %",
                where=self.name,
                wanted="the outputs of this checkpoint",
                hint="state them in a template of your own (docs/templates.md)",
            )
        return result.as_details()
