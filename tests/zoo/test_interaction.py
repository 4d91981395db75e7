"""The co-attention models, against slow references: one pair at a time, word by word, from the equations.

The references see unpadded sentences, the models a padded batch of pairs of different lengths.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
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
    model = build(config, SIZES).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=deviation)
    return model


def batch(generator: torch.Generator) -> Pairs:
    return Pairs(
        _sentences([p for p, _ in LENGTHS], generator), _sentences([h for _, h in LENGTHS], generator)
    )


def _sentences(lengths: list[int], generator: torch.Generator) -> Sentences:
    width = max(lengths)
    mask = torch.arange(width) < torch.tensor(lengths)[:, None]
    words = torch.randint(1, SIZES.words, mask.shape, generator=generator) * mask
    letters = torch.arange(7) < 1 + words.unsqueeze(-1) % 7
    characters = torch.randint(1, SIZES.characters, (*mask.shape, 7), generator=generator)
    return Sentences(
        words,
        mask,
        characters * (letters & mask.unsqueeze(-1)),
        words % (SIZES.tags - 1) * mask + mask,
        (words % 3 == 0) & mask,
    )


def softmax(scores: list[float]) -> list[float]:
    powers = [math.exp(score) for score in scores]
    return [power / sum(powers) for power in powers]


def mixture(weights: list[float], states: Tensor) -> Tensor:
    return torch.stack([weight * state for weight, state in zip(weights, states, strict=True)]).sum(0)


def aligned(a: Tensor, b: Tensor, by_a: Tensor, by_b: Tensor) -> Tensor:
    """What each row of a attends to in b, where by_a and by_b are what is compared by a product."""
    return torch.stack([mixture(softmax([float(left @ right) for right in by_b]), b) for left in by_a])


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
    with torch.no_grad():
        for premise, hypothesis in each_pair(pairs):
            a, b = (
                torch.stack([model.null, *model.words.table.weight[words]]) @ model.projection.weight.T
                for words in (premise, hypothesis)
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


def test_esim_is_that_of_each_pair_alone(generator: torch.Generator) -> None:
    model = made(esim.ESIM, esim.Config(width=6, hidden=5))
    pairs = batch(generator)
    wanted = []
    with torch.no_grad():
        for sides in each_pair(pairs):
            a, b = (alone(model.encoder.lstm, model.words.table.weight[words])[0] for words in sides)
            v = []
            for ours, other in ((a, b), (b, a)):
                found = aligned(ours, other, ours, other)  # equations 11 to 13: no scale, no projection
                m = torch.cat([ours, found, ours - found, ours * found], -1)
                composed = alone(model.composition.lstm, model.projection(m).relu())[0]
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
    with torch.no_grad():
        for premise, hypothesis in each_pair(pairs):
            table = model.words.table.weight
            _, _, u, v = read(model.encoder.lstm, table[premise], table[hypothesis])
            enhanced = []
            for ours, other in ((u, v), (v, u)):
                found = aligned(ours, other, ours, other)
                m = torch.cat([ours, found, ours - found, ours * found], -1)
                enhanced.append(model.projection(m).relu())
            p_alone, q_alone, p, q = read(model.inference.lstm, *enhanced)
            p, q = torch.maximum(p_alone, p), torch.maximum(q_alone, q)
            best_p, best_q = p.max(0).values, q.max(0).values
            features = model.hidden(torch.cat([best_p, p.mean(0), best_q, q.mean(0)])).tanh()
            wanted.append(model.output(features))
        close(model(pairs), torch.stack(wanted))


# BiMPM


def cosine(one: Tensor, other: Tensor) -> float:
    return float(one @ other / one.norm() / other.norm())


def multi(one: Tensor, other: Tensor, weight: Tensor) -> list[float]:
    return [cosine(w * one, w * other) for w in weight]


def four_matchings(p: Tensor, q: Tensor, q_end: Tensor, weight: Tensor) -> Tensor:
    """Section 3.2, word by word."""
    rows = []
    for word in p:
        alpha = [cosine(word, other) for other in q]
        mean = mixture([each / sum(alpha) for each in alpha], q)
        every = [multi(word, other, weight[1]) for other in q]
        rows.append(
            multi(word, q_end, weight[0])
            + [max(column) for column in zip(*every, strict=True)]
            + multi(word, mean, weight[2])
            + multi(word, q[alpha.index(max(alpha))], weight[3])
        )
    return torch.tensor(rows)


def test_the_sum_of_cosines_keeps_its_sign() -> None:
    q = torch.tensor([[[2.0, 1.0], [4.0, 4.0]]])
    inside = torch.tensor([[True, False]])
    minus = bimpm.weighted_mean(torch.tensor([[[-0.5, 0.3]]]), q, inside)  # -.5 q / -.5
    nought = bimpm.weighted_mean(torch.tensor([[[0.0, 0.3]]]), q, inside)
    assert minus.tolist() == [[[2.0, 1.0]]]
    assert nought.tolist() == [[[0.0, 0.0]]]


def test_bimpm_is_that_of_each_pair_alone(generator: torch.Generator) -> None:
    config = bimpm.Config(width=5, letters=3, spelling=4, hidden=6, perspectives=3)
    model = made(bimpm.BiMPM, config, deviation=0.6)
    pairs = batch(generator)
    wanted = []
    with torch.no_grad():
        for row, lengths in enumerate(LENGTHS):
            states, ends = [], []
            for side, length in zip((pairs.premise, pairs.hypothesis), lengths, strict=True):
                assert side.characters is not None
                words = []
                for word, letters in zip(side.words[row, :length], side.characters[row], strict=False):
                    _, (spelt, _) = alone(model.spelling.lstm, model.letters(letters[letters > 0]))
                    words.append(torch.cat([model.words.table.weight[word], spelt[0, 0]]))
                read, (hidden, _) = alone(model.context.lstm, torch.stack(words))
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
    attention = diin.SelfAttention(d)
    nn.init.normal_(attention.score, generator=generator)
    nn.init.normal_(attention.fuse.weight, generator=generator)
    w_1, c = torch.randn(d, generator=generator), 1.7
    p = torch.randn(3, 4, d, generator=generator)
    lengths = [4, 1, 3]
    mask = torch.arange(4) < torch.tensor(lengths)[:, None]
    with torch.no_grad():
        got = attention(p, mask, diin.GrowingDropout(1.0, 1.0).eval())
        weights = attention.fuse.weight.view(3, d, 2 * d)
        biases = attention.fuse.bias.view(3, d)
        w_2, w_3 = attention.score
        for row, length in enumerate(lengths):
            words = p[row, :length]
            for place, a in enumerate(words):
                scores = [float(w_1 @ a + w_2 @ b + w_3 @ (a * b) + c) for b in words]
                both = torch.cat([a, mixture(softmax(scores), words)])
                z, r, f = (weight @ both + bias for weight, bias in zip(weights, biases, strict=True))
                close(got[row, place], r.sigmoid() * a + f.sigmoid() * z.tanh())


def test_the_image_is_the_product_of_all_words_and_0_beyond(generator: torch.Generator) -> None:
    model = made(diin.DIIN, SMALL)
    images = []
    model.image.register_forward_pre_hook(lambda _, inputs: images.append(inputs[0]))
    pairs = batch(generator)
    with torch.no_grad():
        model(pairs)
        p = model._read(pairs.premise, model.premise_attention)
        h = model._read(pairs.hypothesis, model.hypothesis_attention)
    (image,) = images
    assert image.shape == (4, 5 + 4 + 6 + 1, 8, 8)
    for row, (premise, hypothesis) in enumerate(LENGTHS):
        for i in range(8):
            for j in range(8):
                inside = i < premise and j < hypothesis
                wanted = p[row, i] * h[row, j] if inside else torch.zeros(16)
                close(image[row, :, i, j], wanted)
                assert bool(wanted.any()) is inside


def test_words_beyond_the_image_are_cut(generator: torch.Generator) -> None:
    model = made(diin.DIIN, SMALL)
    long, short = _sentences([12], generator), _sentences([3], generator)
    fields = ("words", "mask", "characters", "tags", "match")
    cut = replace(long, **{name: getattr(long, name)[:, :8] for name in fields})
    with torch.no_grad():
        close(model(Pairs(long, short)), model(Pairs(cut, short)))
        changed = replace(cut, words=cut.words.roll(1, 1))
        assert not torch.allclose(model(Pairs(changed, short)), model(Pairs(cut, short)))


def test_the_spelling_is_read_by_hand(generator: torch.Generator) -> None:
    model = made(diin.DIIN, SMALL)
    pairs = batch(generator)
    with torch.no_grad():
        words = model._represent(pairs.premise, pairs.premise.words.shape[1])
    side = pairs.premise
    kernels, biases = model.spelling.weight.detach(), model.spelling.bias.detach()
    assert side.characters is not None
    assert side.tags is not None
    assert side.match is not None
    for row, (length, _) in enumerate(LENGTHS):
        for place in range(length):
            letters = model.letters.weight.detach()[side.characters[row, place, :6]]  # [6, 3]
            maps = [
                [float((kernel.T * letters[at : at + 3]).sum() + bias) for at in range(4)]
                for kernel, bias in zip(kernels, biases, strict=True)
            ]
            spelt = torch.tensor([max(0.0, *each) for each in maps])
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
    assert torch.equal(dropout(torch.ones(9)), torch.ones(9))
    assert not dropout.train()(torch.ones(99)).all()


def test_the_penalty(generator: torch.Generator) -> None:
    model = made(diin.DIIN, replace(SMALL, penalty_steps=100.0, weight_penalty=0.2, difference_penalty=0.0))
    squares = sum(
        float(layer.weight.detach().square().sum())
        for layer in model.modules()
        if isinstance(layer, nn.Linear | nn.Conv2d)
    )
    for steps, share in ((50, 1 / 2), (0, 1 / (1 + math.exp(8)))):  # the sigmoid of 0 and of -8
        model.dropout.steps.fill_(steps)
        assert model.penalty().item() == pytest.approx(0.2 * share * squares / 2, rel=1e-4)
    apart = made(diin.DIIN, replace(SMALL, weight_penalty=0.0, difference_penalty=0.3))
    with torch.no_grad():
        apart.hypothesis_attention.load_state_dict(apart.premise_attention.state_dict())
        assert apart.penalty().item() == 0
        apart.hypothesis_attention.score[0, 0] += 2.0
        apart.hypothesis_attention.fuse.weight[1, 1] -= 1.0
    assert apart.penalty().item() == pytest.approx(0.3 * (2**2 + 1**2) / 2, rel=1e-5)


def test_too_many_parts_of_speech_are_an_error() -> None:
    with pytest.raises(CrossexamError, match="DIIN has room for 6 POS tags, but the data have 8"):
        diin.DIIN(SMALL, replace(SIZES, tags=9))
