"""DIIN: the densely interactive inference network (Gong, Luo and Zhang, 2018, ICLR, arXiv 1709.04348).

Section 3: words with character CNN, POS tag and exact match; a highway network; self-attention with a fuse
gate; all products of words as an image; a DenseNet over it.  What the paper leaves open follows the released
code (YichenGong/Densely-Interactive-Inference-Network, python/models/DIIN.py).

The image has 48 x 48 words because the classifier reads it flattened: sentences are truncated at 48 words and
words at 16 characters, in training and in prediction.  That is part of the model.  Shorter words are padded
with a character that has a trained vector, as in the released code.

Beyond the end of a sentence the image is 0; in the released code it is the output of highway and gate for an
empty word.  Within the DenseNet nothing is masked, as there.

The score of self-attention is w1.a + w2.b + w3.(a o b) + c, followed by a softmax over b, which cancels all
terms without b: w1 and c have no effect and no gradient, and are left out (898 parameters).  The paper's
equation 2 normalises over a, its code over b; here over b.  The scores are computed as w2.b + (w3 o a).b, two
matrix products instead of a [B, T, T, 3d] tensor; dropout is applied to the words, not to each product.

Dropout starts at 0 and grows with the number of training steps, which is a buffer saved with the weights, so
that a resumed run continues with the right rate.

The paper adds two penalties to the loss; models here return logits only, and the training loop adds
:meth:`DIIN.penalty`.  The switch to SGD at the end of the paper's training is not in its code and is left
out.  The released code's Adadelta has rho .95, torch's .9.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from crossexam.core.errors import CrossexamError
from crossexam.zoo.architecture import Architecture, Recipe
from crossexam.zoo.inputs import Pairs, Sentences
from crossexam.zoo.layers import Sizes, WordEmbedding, dropout, masked_softmax, zero_padding


@dataclass(frozen=True)
class Config:
    """The paper's sizes (section 4.2) and those of the released code (util/parameters.py)."""

    width: int = 300  # of word vectors, GloVe 840B
    letters: int = 8  # of the vector of a character
    word_length: int = 16  # in characters
    filters: int = 100  # of the character CNN
    filter_width: int = 5
    tags: int = 47  # one-hot parts of speech
    highways: int = 2
    length: int = 48  # of both sides of the image, in words
    first_share: float = 0.3  # eta: channels after the first 1 x 1 convolution
    transition_share: float = 0.5  # theta: channels after each transition
    growth: int = 20  # channels that a layer of a dense block adds
    block_layers: int = 8
    blocks: int = 3
    keep: float = 0.977  # of what dropout keeps, per decay_steps
    decay_steps: float = 1e4
    weight_penalty: float = 9e-5  # of L2, at its maximum
    penalty_steps: float = 1e5  # to that maximum
    difference_penalty: float = 1e-3


class DIIN(nn.Module):
    """Word representations, highway, self-attention, image, DenseNet.

    Shapes: B pairs, T words of a sentence, at most L = 48, d = 448 width of a word, c channels.
    p, h: words of premise and hypothesis.  *most_words_field* names the field of Config with L.

    >>> model = DIIN(Config(), Sizes(words=10, characters=100, tags=48))
    >>> sum(p.numel() for p in model.parameters()) - 10 * 300
    4366766
    """

    most_words_field: Final = "length"

    def __init__(self, config: Config, sizes: Sizes) -> None:
        super().__init__()
        if sizes.tags > config.tags + 1:
            what = f"DIIN has room for {config.tags} POS tags, but the data have {sizes.tags - 1}"
            raise CrossexamError(what, hint=f"increase its number of tags: tags={sizes.tags - 1}")
        if config.length < 2**config.blocks:
            what = f"an image of {config.length} words is too small to be halved {config.blocks} times"
            raise CrossexamError(what, hint=f"--set length={2**config.blocks} or more, or fewer blocks")
        d = config.width + config.filters + config.tags + 1
        self.config = config
        self.words = WordEmbedding(sizes.words, config.width)
        self.letters = nn.Embedding(sizes.characters, config.letters)
        self.spelling = nn.Conv1d(config.letters, config.filters, config.filter_width)
        self.highways = nn.ModuleList(Highway(d) for _ in range(config.highways))
        self.premise_attention, self.hypothesis_attention = SelfAttention(d), SelfAttention(d)
        self.image, channels = _dense_net(config, d)
        side = config.length // 2**config.blocks
        self.output = nn.Linear(channels * side * side, 3)
        self.dropout = GrowingDropout(config.keep, config.decay_steps)
        for part in (self.letters, self.spelling, self.highways, self.image, self.output):
            for weight in part.parameters():
                nn.init.zeros_(weight) if weight.dim() == 1 else nn.init.xavier_uniform_(weight)

    def features(self, pairs: Pairs) -> Tensor:
        """Return the flattened last feature map: [B, c * 6 * 6]."""
        self.dropout.step()
        p = self._read(pairs.premise, self.premise_attention)  # [B, L, d]
        h = self._read(pairs.hypothesis, self.hypothesis_attention)  # [B, L, d]
        image = p.unsqueeze(2) * h.unsqueeze(1)  # (7) [B, L, L, d]
        image = self.dropout(image).permute(0, 3, 1, 2)  # [B, d, L, L], channels last in memory
        features: Tensor = self.dropout(self.image(image).flatten(1))  # [B, c * 6 * 6]
        return features

    def forward(self, pairs: Pairs) -> Tensor:
        """Return the logits of *pairs*: [B, 3]."""
        logits: Tensor = self.output(self.features(pairs))
        return logits

    def penalty(self) -> Tensor:
        """Return the penalty that the paper adds to the loss (sections 3.2 and 4.2): [].

        Half the squared weights of linear and convolution layers, times a sigmoid that reaches 1/2 after half
        of ``penalty_steps``, and half the squared difference of the two self-attentions.
        """
        half = self.config.penalty_steps / 2
        share = 1 / (1 + math.exp(8 * (half - float(self.dropout.steps)) / half))
        layers = (each for each in self.modules() if isinstance(each, nn.Linear | nn.Conv2d))
        squares = torch.stack([each.weight.square().sum() for each in layers]).sum()
        ours = (each for each in self.premise_attention.parameters() if each.dim() > 1)
        theirs = (each for each in self.hypothesis_attention.parameters() if each.dim() > 1)
        apart = torch.stack([(a - b).square().sum() for a, b in zip(ours, theirs, strict=True)]).sum()
        return (self.config.weight_penalty * share * squares + self.config.difference_penalty * apart) / 2

    @property
    def most_words(self) -> int:
        """The number of words of a sentence that are read; those after them are not."""
        return self.config.length

    def _read(self, sentences: Sentences, attention: SelfAttention) -> Tensor:
        """Return the words along one side of the image, zero beyond the end of the sentence."""
        length = min(sentences.words.shape[1], self.most_words)  # T
        states, mask = self._represent(sentences, length), sentences.mask[:, :length]  # [B, T, d], [B, T]
        for highway in self.highways:
            states = highway(states, self.dropout)  # [B, T, d]
        states = zero_padding(attention(states, mask, self.dropout), mask)  # [B, T, d]
        return functional.pad(states, (0, 0, 0, self.config.length - length))  # [B, L, d]

    def _represent(self, sentences: Sentences, length: int) -> Tensor:
        """Return word vector, character CNN, POS tag and exact match of the first *length* words."""
        letters, tags, match = sentences.characters, sentences.tags, sentences.match
        assert letters is not None and tags is not None and match is not None  # noqa: PT018 (needed inputs)
        missing = self.config.word_length - letters.shape[-1]  # negative if characters are cut
        letters = functional.pad(letters[:, :length], (0, missing))  # [B, T, 16]
        vectors = self.dropout(self.letters(letters.flatten(0, 1))).transpose(1, 2)  # [B * T, 8, 16]
        spelling = torch.relu(self.spelling(vectors)).amax(-1)  # [B * T, filters]
        one_hot = functional.one_hot(tags[:, :length], self.config.tags + 1)[..., 1:]  # [B, T, tags]
        words = self.dropout(self.words(sentences.words[:, :length]))  # [B, T, w]
        rest = torch.cat([one_hot, match[:, :length, None]], -1).to(words.dtype)  # [B, T, tags + 1]
        return torch.cat([words, spelling.view(*words.shape[:2], -1), rest], -1)  # [B, T, d]


class GrowingDropout(nn.Module):
    """Dropout that keeps ``keep ** (steps / every)`` of the values after *steps* training steps."""

    steps: Tensor

    def __init__(self, keep: float, every: float) -> None:
        super().__init__()
        self.keep, self.every, self.rate = keep, every, 0.0
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))

    def step(self) -> None:
        """Count a step and set the rate; only in training."""
        if self.training:
            self.rate = 1 - self.keep ** (int(self.steps) / self.every)
            self.steps += 1

    def forward(self, values: Tensor) -> Tensor:
        """Return *values*, in training with some dropped."""
        return dropout(values, self.rate, training=self.training)


class Highway(nn.Module):
    """A gated layer: relu(W x) if the gate is open, x if it is closed (section 3.2)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer, self.gate = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, words: Tensor, dropout: GrowingDropout) -> Tensor:
        """Return *words* passed through the layer: [B, T, d]."""
        gate = torch.sigmoid(self.gate(dropout(words)))  # [B, T, d]
        return words + gate * (torch.relu(self.layer(dropout(words))) - words)


class SelfAttention(nn.Module):
    """Attention of each word to its sentence, and the gate that fuses the two (equations 1 to 6)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.score = nn.Parameter(torch.empty(2, width))  # w2 and w3 of the trilinear score
        self.fuse = nn.Linear(2 * width, 3 * width)  # W^1, W^2, W^3 side by side
        bound = math.sqrt(6 / (3 * width + 1))  # that of the released code's [3d, 1]
        nn.init.uniform_(self.score, -bound, bound)
        for rows in self.fuse.weight.detach().chunk(3):
            for block in rows.chunk(2, -1):  # the released code has six [d, d]
                nn.init.xavier_uniform_(block)
        nn.init.zeros_(self.fuse.bias)

    def forward(self, p: Tensor, mask: Tensor, dropout: GrowingDropout) -> Tensor:
        """Return the fused words: [B, T, d]."""
        w_2, w_3 = self.score  # [d], [d]
        kept = dropout(p)  # [B, T, d]
        scores = (kept @ w_2).unsqueeze(1) + (kept * w_3) @ kept.transpose(1, 2)  # (1) [B, T, T]
        attended = masked_softmax(scores, mask.unsqueeze(1)) @ p  # (2) [B, T, d]
        z, r, f = self.fuse(dropout(torch.cat([p, attended], -1))).chunk(3, -1)  # [B, T, d] each
        fused: Tensor = torch.sigmoid(r) * p + torch.sigmoid(f) * torch.tanh(z)  # (3 to 6) [B, T, d]
        return fused


class DenseBlock(nn.Module):
    """Convolutions, each of which reads the outputs of all before it (section 3.2, feature extraction)."""

    def __init__(self, channels: int, growth: int, layers: int) -> None:
        super().__init__()
        widths = (channels + growth * i for i in range(layers))
        self.layers = nn.ModuleList(nn.Conv2d(width, growth, 3, padding=1) for width in widths)

    def forward(self, image: Tensor) -> Tensor:
        """Return the image and the outputs of all layers: [B, c, L, L] -> [B, c + growth * layers, L, L]."""
        for layer in self.layers:
            image = torch.cat([image, torch.relu(layer(image))], 1)
        return image


def _dense_net(config: Config, width: int) -> tuple[nn.Sequential, int]:
    """Return the DenseNet for images of *width* channels, and the number of its output channels."""
    channels = int(width * config.first_share)
    parts: list[nn.Module] = [nn.Conv2d(width, channels, 1)]
    for _ in range(config.blocks):
        parts.append(DenseBlock(channels, config.growth, config.block_layers))
        grown = channels + config.growth * config.block_layers
        channels = int(grown * config.transition_share)
        parts += [nn.Conv2d(grown, channels, 1), nn.MaxPool2d(2)]
    return nn.Sequential(*parts), channels


ARCHITECTURE = Architecture(
    name="diin",
    build=DIIN,
    config=Config(),
    recipe=Recipe(
        optimizer="adadelta",
        learning_rate=0.5,
        batch_size=70,
        epochs=50,
        patience=5,
        max_length=48,
        clip=1,
        source="Gong et al. 2018, section 4.2; util/parameters.py; stops after 35,000 steps without a gain",
    ),
    paper="Gong et al. 2018, Natural Language Inference over Interaction Space, ICLR",
    summary="DIIN: a DenseNet over all products of words",
    parameters=4.4e6,
    parameters_source="CAFE (Tay et al. 2018), Table 1 (4.4 M, without vectors)",
    published={"snli": 88.0, "multinli_matched": 78.8, "multinli_mismatched": 77.8},
    needs=("characters", "tags", "match"),
)
