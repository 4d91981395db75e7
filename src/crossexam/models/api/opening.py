"""Models behind an endpoint, opened by their names and options; nothing is sent."""

from __future__ import annotations

import os
from dataclasses import dataclass

from crossexam.core.errors import CrossexamError
from crossexam.models.api.batch_files import BatchReplies
from crossexam.models.api.endpoint import OPENAI, Address, Endpoint, address_of, key_from_environment
from crossexam.models.api.model import ChatModel, Options
from crossexam.models.api.questions import way_named
from crossexam.models.api.servers import NO_KEY
from crossexam.models.prompts.shots import Shots, draw_shots
from crossexam.models.prompts.table import AUTO, default_template
from crossexam.models.prompts.table import template as template_named
from crossexam.models.prompts.template import Template
from crossexam.models.prompts.wording import Wording

__all__ = ["Options", "open_api"]


def open_api(name: str, options: Options) -> ChatModel:
    """Return the model ``api/NAME`` at the endpoint of *options*; nothing is sent before it is asked.

    Raises CrossexamError if the endpoint, its key, the template or the shots are not in order.
    """
    stated = options.endpoint or os.environ.get("OPENAI_BASE_URL") or OPENAI
    has_key = options.key_env != NO_KEY
    address = address_of(stated, insecure_http=options.insecure_http, has_key=has_key)
    if options.batch_in:
        place = _Place(name, options, address, replies=BatchReplies(options.batch_in))
    else:
        key = key_from_environment(address, options.key_env, is_default=options.endpoint is None)
        place = _Place(name, options, address, Endpoint(address, key, timeout=options.timeout))
    return place.unworded() if options.template == AUTO else place.asked_with(_named_template(options))


def _named_template(options: Options) -> Template:
    prompt = template_named(options.template)
    if not prompt.fixed_labels:
        raise CrossexamError(
            f"the labels of the template '{prompt.name}' are different for each pair",
            where="--template",
            wanted="a template whose labels are the same for all pairs",
            hint="such templates are for local models (lm/)",
        )
    if way_named(options.answer).name == "logprobs":
        prompt.refuse_shared_prefix("--answer logprobs")
    return prompt


@dataclass(frozen=True)
class _Place:
    """Where a model is asked, whatever the words: at *endpoint*, or by the *replies* of a batch."""

    name: str
    options: Options
    address: Address
    endpoint: Endpoint | None = None
    replies: BatchReplies | None = None

    def asked_with(self, prompt: Template, wording: Wording[ChatModel] | None = None) -> ChatModel:
        """Return the model that is asked with *prompt* and its shots; raises CrossexamError."""
        options = self.options
        model = self._model(
            prompt, draw_shots(prompt, options.shots, options.shots_from, options.shots_seed), wording
        )
        if self.replies is not None and not self.replies.knows(model.key):
            raise CrossexamError(
                f"none of the {len(self.replies):,} answers is to a request of this model with these options",
                where=", ".join(options.batch_in),
                wanted="the answers to the file that --batch-out wrote, and the same options",
            )
        return model

    def unworded(self) -> ChatModel:
        """Return the model before it is known about which test sets it is asked, without shots."""
        return self._model(default_template(two_labels=False), Shots(), Wording(None, self._worded))

    def _worded(self, two_labels: bool) -> ChatModel:
        return self.asked_with(default_template(two_labels), Wording(two_labels, self._worded))

    def _model(self, prompt: Template, shots: Shots, wording: Wording[ChatModel] | None) -> ChatModel:
        return ChatModel(
            self.name,
            self.options,
            self.address,
            prompt,
            self.endpoint,
            self.replies,
            shots=shots,
            wording=wording,
        )
