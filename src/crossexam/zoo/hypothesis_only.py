"""Any sentence encoder without the premise (Poliak et al., 2018, S18-2023; Gururangan et al., 2018).

What such a model predicts correctly does not require the premise.  Poliak et al. (section 3) take InferSent
and give its classifier the hypothesis alone, v instead of ``[u, v, |u - v|, u * v]``.  The debiasing methods
of Zhang et al. (2020, section 4) use its predictions as those of the biased model; for them,
`hypothesis_only` is derived from `bilstm_max`, the model that is debiased.

Here every sentence encoder has a hypothesis-only form, in which its own classifier reads u = 0, that is
``[0, v, |v|, 0]`` with InferSent's matching.

Deviation: the columns of the first layer for u and for u * v exist but have no effect, and those for
|u - v| read |v|, which Poliak et al. leave out (with a signed difference they read -v or v and add nothing).
In return no classifier is written twice, and the recipe, the options and the ablations of the encoder apply
unchanged.

Deviation: the HOM of Zhang et al. (66.9 on SNLI, Table 2) is fastText's classifier over words and word
bigrams of the hypothesis, as in Gururangan et al.; that is another model, `crossexam train
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
from crossexam.zoo.layers import SentenceEncoder, Sizes, WordEmbedding

#: `hypothesis_only:infersent` is the hypothesis-only form of `infersent`.
PREFIX: Final = "hypothesis_only:"


class HypothesisOnly(SentenceEncoder):
    """A sentence encoder that predicts from the hypothesis, without the modules used for premises only.

    Those are the modules called ``premise`` or ``premise_...``.  Shapes: B pairs, d width of an encoded
    sentence, h of the features.
    """

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        for module in list(encoder.modules()):
            for name in [name for name, _ in module.named_children() if name.split("_")[0] == "premise"]:
                delattr(module, name)
        self.encoder = encoder

    # Properties, so that the state dict holds these modules once, under "encoder.".
    @property
    def words(self) -> WordEmbedding:  # type: ignore[override]
        """The encoder's word vectors."""
        words: WordEmbedding = self.encoder.words
        return words

    @property
    def output(self) -> nn.Linear:  # type: ignore[override]
        """The encoder's last layer."""
        output: nn.Linear = self.encoder.output
        return output

    def encode(self, sentences: Sentences, side: Side) -> Tensor:
        """Return the encoded *sentences* if they are hypotheses, zeros if they are premises: [B, d]."""
        if side == "hypothesis":
            encoded: Tensor = self.encoder.encode(sentences, side)  # [B, d]
            return encoded
        one: Tensor = self.encoder.encode(_first(sentences), "hypothesis")  # [1, d], for its width
        return torch.zeros_like(one).expand(len(sentences.words), -1)  # [B, d]

    def compare(self, premise: Tensor, hypothesis: Tensor) -> Tensor:
        """Return the features of the encoded *hypothesis* and a zero premise: [B, d], [B, d] -> [B, h]."""
        features: Tensor = self.encoder.compare(torch.zeros_like(hypothesis), hypothesis)  # [B, h]
        return features

    def features(self, pairs: Pairs) -> Tensor:
        """Return the input of the output layer: [B, h]; premises are not encoded."""
        hypothesis = self.encode(pairs.hypothesis, "hypothesis")
        return self.compare(hypothesis, hypothesis)


def hypothesis_only(architecture: Architecture) -> Architecture:
    """Return the hypothesis-only form of *architecture*, with the same configuration, recipe and options.

    ``parameters`` remains that of *architecture*, although modules used for premises only are left out.
    Raises CrossexamError if it is not a sentence encoder.

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
        parameters_source=f"as {architecture.name}, less the modules used for premises only",
        published={},
    )


def _first(sentences: Sentences) -> Sentences:
    """Return the first of *sentences*."""
    present = {field.name: getattr(sentences, field.name) for field in fields(sentences)}
    return Sentences(**{name: value[:1] for name, value in present.items() if value is not None})


ARCHITECTURE = replace(hypothesis_only(BILSTM_MAX), name="hypothesis_only")
