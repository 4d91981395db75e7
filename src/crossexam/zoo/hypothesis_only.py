"""Any sentence encoder without the premise (Poliak et al., 2018, S18-2023; Gururangan et al., 2018).

What such a model gets right, the premise was not needed for.  Poliak et al. (section 3) take InferSent
and give its classifier the hypothesis alone, v instead of ``[u, v, |u - v|, u * v]``.  The debiasing methods
of Zhang et al. (2020, section 4) need its answers as those of the biased model; there, `hypothesis_only`
is made of `bilstm_max`, the model that is debiased.

Here every sentence encoder can be made into one: its own classifier reads u = 0, that is ``[0, v, |v|, 0]``
under InferSent's matching.

Deviation: the columns of the first layer that belong to u and to u * v are there and take no part; those of
|u - v| read |v|, which Poliak et al. leave out (under a signed difference they read -v or v and add
nothing).  In exchange no classifier is written twice, and the recipe, the options and the ablations of the
encoder hold unchanged.

Deviation: the HOM of Zhang et al. (66.9 on SNLI, Table 2) is fastText's classifier over words and
pairs of words of the hypothesis, as in Gururangan et al.; it is another model, `crossexam train
hypothesis-fasttext`.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Final

import torch
from torch import Tensor, nn

from crossexam.core.errors import CrossexamError
from crossexam.core.example import Side
from crossexam.zoo.architecture import Architecture
from crossexam.zoo.bilstm_max import ARCHITECTURE as BILSTM_MAX
from crossexam.zoo.inputs import Pairs, Sentences
from crossexam.zoo.layers import Sizes, Words

#: `hypothesis_only:infersent` is what `hypothesis_only` makes of `infersent`.
PREFIX: Final = "hypothesis_only:"


class HypothesisOnly(nn.Module):
    """A sentence encoder that answers from the hypothesis; modules for the premise alone are left out.

    Those are the modules called ``premise`` or ``premise_...``.  Shapes: B pairs, d of an encoded sentence,
    h of the features.
    """

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        for module in list(encoder.modules()):
            for name in [name for name, _ in module.named_children() if name.split("_")[0] == "premise"]:
                delattr(module, name)
        self.encoder = encoder

    @property
    def words(self) -> Words:
        """The encoder's word vectors."""
        words: Words = self.encoder.words
        return words

    @property
    def output(self) -> nn.Linear:
        """The encoder's last layer."""
        output: nn.Linear = self.encoder.output
        return output

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the encodings of hypotheses, zeros for premises: [B, d]."""
        if side == "hypothesis":
            encoded: Tensor = self.encoder.encode(sentences, side)  # [B, d]
            return encoded
        one: Tensor = self.encoder.encode(_first(sentences), "hypothesis")  # [1, d], for its width alone
        return torch.zeros_like(one).expand(len(sentences.words), -1)  # [B, d]

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of encoded *hypothesis* and a zero premise: [B, d], [B, d] -> [B, h]."""
        features: Tensor = self.encoder.compare(torch.zeros_like(hypothesis), hypothesis)  # [B, h]
        return features

    def features(self, pairs: Pairs) -> Tensor:
        """Return what the output layer reads: [B, h]."""
        hypothesis = self.encode(pairs.hypothesis, "hypothesis")
        return self.compare(hypothesis, hypothesis)

    def forward(self, pairs: Pairs) -> Tensor:
        """Return the logits of *pairs*: [B, 3]."""
        logits: Tensor = self.output(self.features(pairs))  # [B, 3]
        return logits


def hypothesis_only(architecture: Architecture) -> Architecture:
    """Return *architecture* without the premise: its configuration, recipe and options are the same.

    ``parameters`` stay those of *architecture*, less the premise's own modules where it has any.  Raises
    CrossexamError where it is no sentence encoder.

    >>> from crossexam.zoo.infersent import ARCHITECTURE
    >>> hypothesis_only(ARCHITECTURE).name
    'hypothesis_only:infersent'
    """
    if not architecture.encodes_sentences:
        raise CrossexamError(
            f"'{architecture.name}' has no hypothesis-only form",
            wanted="a sentence encoder, which encodes the hypothesis without the premise",
            hint="crossexam train hypothesis_only, or hypothesis_only:infersent",
        )

    class Built(HypothesisOnly):
        """Built from the configuration of *architecture*."""

        def __init__(self, config: Any, sizes: Sizes) -> None:
            super().__init__(architecture.build(config, sizes))

    return replace(
        architecture,
        name=PREFIX + architecture.name,
        build=Built,
        paper=f"Poliak et al., 2018, S18-2023, section 3; over {architecture.paper}",
        summary=f"without the premise: {architecture.summary}",
        parameters_source=f"as {architecture.name}, less what reads the premise only",
        published={},
    )


def _first(sentences: Sentences) -> Sentences:
    """Return the first of *sentences*."""
    present = {field.name: getattr(sentences, field.name) for field in fields(sentences)}
    return Sentences(**{name: value[:1] for name, value in present.items() if value is not None})


ARCHITECTURE = replace(hypothesis_only(BILSTM_MAX), name="hypothesis_only")
