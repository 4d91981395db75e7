"""The co-attention models, against slow references: one pair at a time, word by word, from the equations.

The references see unpadded sentences, the models a padded batch of pairs of different lengths.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from crossexam.core.errors import CrossexamError
from crossexam.zoo import bimpm, decomposable_attention, diin, dr_bilstm, esim
from crossexam.zoo.inputs import Pairs, Sentences
from crossexam.zoo.layers import Sizes

SIZES = Sizes(words=30, characters=12, tags=6)
LENGTHS = [(5, 3), (2, 7), (1, 4), (6, 1)]  # words of premise and hypothesis


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(7)


def made(build: Any, config: Any, deviation: float = 0.4) -> Any:
    """A model in evaluation, every weight drawn anew, biases too."""
    torch.manual_seed(3)
    model = build(config, SIZES).eval().requires_grad_(False)
    for parameter in model.parameters():
        parameter.normal_(std=deviation)
    return model


def batch(generator: torch.Generator) -> Pairs:
    premises, hypotheses = zip(*LENGTHS, strict=True)
    return Pairs(_sentences(premises, generator), _sentences(hypotheses, generator))


def _sentences(lengths: Sequence[int], generator: torch.Generator) -> Sentences:
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    words = torch.randint(1, SIZES.words, mask.shape, generator=generator) * mask
    letters = torch.arange(7) < 1 + words.unsqueeze(-1) % 7
    characters = torch.randint(1, SIZES.characters, (*mask.shape, 7), generator=generator)
    tags = words % (SIZES.tags - 1) * mask + mask
    return Sentences(words, mask, characters * (letters & mask.unsqueeze(-1)), tags, (words % 3 == 0) & mask)


def aligned(a: Tensor, b: Tensor, by_a: Tensor, by_b: Tensor) -> Tensor:
    """What each row of a attends to in b, where by_a and by_b are what is compared by a product."""
    return torch.stack([torch.softmax(by_b @ each, 0) @ b for each in by_a])


def close(got: Tensor, wanted: Tensor) -> None:
    torch.testing.assert_close(got, wanted, atol=1e-5, rtol=1e-4)


def each_pair(pairs: Pairs) -> Iterator[tuple[Tensor, Tensor]]:
    """The unpadded words of each pair."""
    for row, (premise, hypothesis) in enumerate(LENGTHS):
        yield pairs.premise.words[row, :premise], pairs.hypothesis.words[row, :hypothesis]


# DAM


def test_decomposable_attention_is_that_of_each_pair_alone(generator: torch.Generator) -> None:
    config = decomposable_attention.Config(width=6, hidden=5)
    model = made(decomposable_attention.DecomposableAttention, config)
    pairs = batch(generator)
    wanted = []
    for sides in each_pair(pairs):
        a, b = (
            torch.stack([model.null, *model.words.table.weight[words]]) @ model.projection.weight.T
            for words in sides
        )
        v_1 = model.g(torch.cat([a, aligned(a, b, model.f(a), model.f(b))], -1)).sum(0)
        v_2 = model.g(torch.cat([b, aligned(b, a, model.f(b), model.f(a))], -1)).sum(0)
        wanted.append(model.output(model.h(torch.cat([v_1, v_2]))))
    close(model(pairs), torch.stack(wanted))


# ESIM


def alone(layer: nn.LSTM, words: Tensor, start: Any = None) -> tuple[Tensor, Any]:
    """The states of one unpadded sentence, and its final states."""
    states, final = layer(words.unsqueeze(0), start)
    return states[0], final


def enhanced(model: Any, ours: Tensor, other: Tensor) -> Tensor:
    """What is composed of one side: equations 11 to 15 of ESIM, without scale or projection of the scores."""
    found = aligned(ours, other, ours, other)
    m = torch.cat([ours, found, ours - found, ours * found], -1)
    projected: Tensor = model.projection(m).relu()
    return projected


def test_esim_is_that_of_each_pair_alone(generator: torch.Generator) -> None:
    model = made(esim.ESIM, esim.Config(width=6, hidden=5))
    pairs = batch(generator)
    wanted = []
    for sides in each_pair(pairs):
        a, b = (alone(model.encoder.lstm, model.words.table.weight[words])[0] for words in sides)
        v = []
        for ours, other in ((a, b), (b, a)):
            composed = alone(model.composition.lstm, enhanced(model, ours, other))[0]
            v += [composed.mean(0), composed.amax(0)]
        wanted.append(model.output(model.hidden(torch.cat(v)).tanh()))
    close(model(pairs), torch.stack(wanted))


# DR-BiLSTM


def test_dr_bilstm_is_that_of_each_pair_alone(generator: torch.Generator) -> None:
    model = made(dr_bilstm.DRBiLSTM, dr_bilstm.Config(width=6, hidden=5))
    pairs = batch(generator)

    def read(layer: nn.LSTM, u: Tensor, v: Tensor) -> list[Tensor]:
        (u_alone, u_final), (v_alone, v_final) = alone(layer, u), alone(layer, v)
        return [u_alone, v_alone, alone(layer, u, v_final)[0], alone(layer, v, u_final)[0]]

    wanted = []
    for premise, hypothesis in each_pair(pairs):
        table = model.words.table.weight
        _, _, u, v = read(model.encoder.lstm, table[premise], table[hypothesis])
        sides = enhanced(model, u, v), enhanced(model, v, u)
        p_alone, q_alone, p, q = read(model.inference.lstm, *sides)
        p, q = torch.maximum(p_alone, p), torch.maximum(q_alone, q)
        pooled = torch.cat([p.amax(0), p.mean(0), q.amax(0), q.mean(0)])
        wanted.append(model.output(model.hidden(pooled).tanh()))
    close(model(pairs), torch.stack(wanted))


# BiMPM


def multi(one: Tensor, other: Tensor, weight: Tensor) -> list[float]:
    return [float(torch.cosine_similarity(w * one, w * other, 0)) for w in weight]


def four_matchings(p: Tensor, q: Tensor, q_end: Tensor, weight: Tensor) -> Tensor:
    """Section 3.2, word by word."""
    rows = []
    for word in p:
        alpha = torch.cosine_similarity(word, q)
        every = [multi(word, other, weight[1]) for other in q]
        rows.append(
            multi(word, q_end, weight[0])
            + [max(column) for column in zip(*every, strict=True)]
            + multi(word, alpha / alpha.sum() @ q, weight[2])
            + multi(word, q[alpha.argmax()], weight[3])
        )
    return torch.tensor(rows)


def spelt_words(model: Any, side: Sentences, row: int, length: int) -> Tensor:
    words = []
    for word, letters in zip(side.words[row, :length], side.characters[row], strict=False):  # type: ignore[index]
        _, (spelt, _) = alone(model.spelling.lstm, model.letters(letters[letters > 0]))
        words.append(torch.cat([model.words.table.weight[word], spelt[0, 0]]))
    return torch.stack(words)


def test_the_sum_of_cosines_keeps_its_sign() -> None:
    q = torch.tensor([[[2.0, 1.0], [4.0, 4.0]]])
    alpha = torch.tensor([[[-0.5, 0.3], [0.0, 0.3]]])
    found = bimpm.weighted_mean(alpha, q, torch.tensor([[True, False]]))
    assert found.tolist() == [[[2.0, 1.0], [0.0, 0.0]]]  # -.5 q / -.5, and no sum


def test_bimpm_is_that_of_each_pair_alone(generator: torch.Generator) -> None:
    config = bimpm.Config(width=5, letters=3, spelling=4, hidden=6, perspectives=3)
    model = made(bimpm.BiMPM, config, deviation=0.6)
    pairs = batch(generator)
    wanted = []
    for row, lengths in enumerate(LENGTHS):
        states, ends = [], []
        for side, length in zip((pairs.premise, pairs.hypothesis), lengths, strict=True):
            read, (hidden, _) = alone(model.context.lstm, spelt_words(model, side, row, length))
            states.append(read.chunk(2, -1))
            ends.append(hidden[:, 0])
        final = []
        for ours, theirs in ((0, 1), (1, 0)):
            matches = [
                four_matchings(states[ours][way], states[theirs][way], ends[theirs][way], match.weight)
                for way, match in enumerate((model.forward_matching, model.backward_matching))
            ]
            _, (hidden, _) = alone(model.aggregation.lstm, torch.cat(matches, -1))
            final += list(hidden[:, 0])
        wanted.append(model.output(model.hidden(torch.cat(final)).tanh()))
    close(model(pairs), torch.stack(wanted))


# DIIN

SMALL = diin.Config(
    width=5, letters=3, word_length=6, filters=4, filter_width=3, tags=6, length=8, growth=2, block_layers=2
)


def test_trilinear_self_attention(generator: torch.Generator) -> None:
    """The score has all of w1.a + w2.b + w3.(a o b) + c here: w1 and c fall out of the softmax."""
    d = 5
    attention = diin.SelfAttention(d).requires_grad_(False)
    nn.init.normal_(attention.score, generator=generator)
    nn.init.normal_(attention.fuse.weight, generator=generator)
    w_1, c = torch.randn(d, generator=generator), 1.7
    w_2, w_3 = attention.score
    p = torch.randn(3, 4, d, generator=generator)
    lengths = [4, 1, 3]
    mask = torch.arange(4) < torch.tensor(lengths)[:, None]
    got = attention(p, mask, diin.GrowingDropout(1.0, 1.0).eval())
    for row, length in enumerate(lengths):
        words = p[row, :length]
        for place, a in enumerate(words):
            scores = torch.stack([w_1 @ a + w_2 @ b + w_3 @ (a * b) + c for b in words])
            z, r, f = attention.fuse(torch.cat([a, torch.softmax(scores, 0) @ words])).chunk(3)
            close(got[row, place], r.sigmoid() * a + f.sigmoid() * z.tanh())


def test_the_image_is_the_product_of_all_words_and_0_beyond(generator: torch.Generator) -> None:
    model = made(diin.DIIN, SMALL)
    images = []
    model.image.register_forward_pre_hook(lambda _, inputs: images.append(inputs[0]))
    pairs = batch(generator)
    model(pairs)
    p = model._read(pairs.premise, model.premise_attention)
    h = model._read(pairs.hypothesis, model.hypothesis_attention)
    wanted = torch.zeros(4, 5 + 4 + 6 + 1, 8, 8)
    for row, (premise, hypothesis) in enumerate(LENGTHS):
        for i in range(premise):
            for j in range(hypothesis):
                wanted[row, :, i, j] = p[row, i] * h[row, j]
    close(images[0], wanted)


def test_words_beyond_the_image_are_cut(generator: torch.Generator) -> None:
    model = made(diin.DIIN, SMALL)
    long, short = _sentences([12], generator), _sentences([3], generator)
    fields = ("words", "mask", "characters", "tags", "match")
    cut = replace(long, **{name: getattr(long, name)[:, :8] for name in fields})
    close(model(Pairs(long, short)), model(Pairs(cut, short)))


def test_a_word_is_its_vector_spelling_tag_and_match(generator: torch.Generator) -> None:
    model = made(diin.DIIN, SMALL)
    side: Any = batch(generator).premise
    words = model._represent(side, side.words.shape[1])
    for row, (length, _) in enumerate(LENGTHS):
        for place in range(length):
            letters = model.letters.weight[side.characters[row, place, :6]]  # [6, 3]
            windows = letters.unfold(0, 3, 1).unsqueeze(1)  # [4, 1, 3, 3]
            spelt = ((windows * model.spelling.weight).sum((2, 3)) + model.spelling.bias).amax(0).relu()
            tag = torch.tensor([float(side.tags[row, place] == each) for each in range(1, 7)])
            match = torch.tensor([float(side.match[row, place])])
            vector = model.words.table.weight[side.words[row, place]]
            close(words[row, place], torch.cat([vector, spelt, tag, match]))


def test_dropout_grows_with_training_and_is_saved() -> None:
    dropout = diin.GrowingDropout(0.5, 2.0)
    rates = []
    for _ in range(4):
        dropout.step()
        rates.append(dropout.rate)
    assert rates == pytest.approx([1 - 0.5 ** (step / 2) for step in range(4)])
    dropout.eval().step()
    assert int(dropout.state_dict()["steps"]) == 4


def test_the_penalty_is_of_weights_as_training_goes_on_and_of_differences_of_the_attentions() -> None:
    model = made(diin.DIIN, replace(SMALL, penalty_steps=100.0, weight_penalty=0.2, difference_penalty=0.0))
    layers = [layer for layer in model.modules() if isinstance(layer, nn.Linear | nn.Conv2d)]
    squares = sum(float(layer.weight.square().sum()) for layer in layers)
    for steps, share in ((50, 1 / 2), (0, 1 / (1 + math.exp(8)))):  # the sigmoid of 0 and of -8
        model.dropout.steps.fill_(steps)
        assert model.penalty().item() == pytest.approx(0.2 * share * squares / 2, rel=1e-4)
    apart = made(diin.DIIN, replace(SMALL, weight_penalty=0.0, difference_penalty=0.3))
    apart.hypothesis_attention.load_state_dict(apart.premise_attention.state_dict())
    apart.hypothesis_attention.score[0, 0] += 2.0
    apart.hypothesis_attention.fuse.weight[1, 1] -= 1.0
    assert apart.penalty().item() == pytest.approx(0.3 * (2**2 + 1**2) / 2, rel=1e-5)


def test_too_many_parts_of_speech_are_an_error() -> None:
    with pytest.raises(CrossexamError, match="DIIN has room for 6 POS tags, but the data have 8"):
        diin.DIIN(SMALL, replace(SIZES, tags=9))
