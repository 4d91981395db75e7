"""The co-attention models against their equations: of one unpadded pair at a time, from a padded batch."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from crossexam.core.errors import CrossexamError
from crossexam.zoo import bimpm, decomposable_attention, diin, dr_bilstm, esim
from crossexam.zoo.inputs import Pairs
from crossexam.zoo.layers import Sizes

SIZES = Sizes(words=40, characters=14, tags=9)
PREMISES = [[3, 17, 8, 22, 5], [9, 31], [12], [4, 28, 39, 6, 11, 20]]
HYPOTHESES = [[17, 8, 30], [2, 9, 13, 25, 31, 7, 16], [1, 12, 36, 21], [14]]


def made(build: Any, config: Any, deviation: float = 0.4) -> Any:
    """A model in evaluation, every weight drawn anew, biases too."""
    torch.manual_seed(3)
    model = build(config, SIZES).eval().requires_grad_(False)
    for parameter in model.parameters():
        parameter.normal_(std=deviation)
    return model


def aligned(a: Tensor, b: Tensor, by_a: Tensor, by_b: Tensor) -> Tensor:
    """What each row of a attends to in b, where by_a and by_b are what is compared by a product."""
    return torch.stack([torch.softmax(by_b @ each, 0) @ b for each in by_a])


def close(got: Tensor, wanted: Tensor) -> None:
    torch.testing.assert_close(got, wanted, atol=1e-5, rtol=1e-4)


def each_pair(model: Any) -> Iterator[list[Tensor]]:
    """The vectors of the unpadded words of each pair."""
    for sides in zip(PREMISES, HYPOTHESES, strict=True):
        yield [model.words.table.weight[words] for words in sides]


@pytest.fixture
def pairs(pairs_of: Callable[..., Pairs]) -> Pairs:
    return pairs_of(PREMISES, HYPOTHESES)


# DAM


def test_decomposable_attention_is_that_of_each_pair_alone(pairs: Pairs) -> None:
    config = decomposable_attention.Config(width=6, hidden=5)
    model = made(decomposable_attention.DecomposableAttention, config)
    wanted = []
    for sides in each_pair(model):
        a, b = (torch.stack([model.null, *words]) @ model.projection.weight.T for words in sides)
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


def test_esim_is_that_of_each_pair_alone(pairs: Pairs) -> None:
    model = made(esim.ESIM, esim.Config(width=6, hidden=5))
    wanted = []
    for sides in each_pair(model):
        a, b = (alone(model.encoder.lstm, words)[0] for words in sides)
        v = []
        for ours, other in ((a, b), (b, a)):
            composed = alone(model.composition.lstm, enhanced(model, ours, other))[0]
            v += [composed.mean(0), composed.amax(0)]
        wanted.append(model.output(model.hidden(torch.cat(v)).tanh()))
    close(model(pairs), torch.stack(wanted))


# DR-BiLSTM


def test_dr_bilstm_is_that_of_each_pair_alone(pairs: Pairs) -> None:
    model = made(dr_bilstm.DRBiLSTM, dr_bilstm.Config(width=6, hidden=5))

    def read(layer: nn.LSTM, u: Tensor, v: Tensor) -> list[Tensor]:
        (u_alone, u_final), (v_alone, v_final) = alone(layer, u), alone(layer, v)
        return [u_alone, v_alone, alone(layer, u, v_final)[0], alone(layer, v, u_final)[0]]

    wanted = []
    for premise, hypothesis in each_pair(model):
        _, _, u, v = read(model.encoder.lstm, premise, hypothesis)
        sides = enhanced(model, u, v), enhanced(model, v, u)
        p_alone, q_alone, p, q = read(model.inference.lstm, *sides)
        p, q = torch.maximum(p_alone, p), torch.maximum(q_alone, q)
        pooled = torch.cat([p.amax(0), p.mean(0), q.amax(0), q.mean(0)])
        wanted.append(model.output(model.hidden(pooled).tanh()))
    close(model(pairs), torch.stack(wanted))


# BiMPM


def multi(one: Tensor, other: Tensor, weight: Tensor) -> Tensor:
    """The cosine in each perspective."""
    return torch.cosine_similarity(one.unsqueeze(-2) * weight, other.unsqueeze(-2) * weight, -1)


def four_matchings(p: Tensor, q: Tensor, q_end: Tensor, weight: Tensor) -> Tensor:
    """Section 3.2: full, max-pooling, attentive and max-attentive matching of each word of p."""
    alpha = torch.cosine_similarity(p.unsqueeze(1), q, -1)
    best = multi(p.unsqueeze(1), q, weight[1]).amax(1)
    mean, nearest = alpha / alpha.sum(1, keepdim=True) @ q, q[alpha.argmax(1)]
    full = multi(p, q_end, weight[0])
    return torch.cat([full, best, multi(p, mean, weight[2]), multi(p, nearest, weight[3])], 1)


def test_the_sum_of_cosines_keeps_its_sign() -> None:
    q = torch.tensor([[[2.0, 1.0], [4.0, 4.0]]])
    alpha = torch.tensor([[[-0.5, 0.3], [0.0, 0.3]]])
    found = bimpm.weighted_mean(alpha, q, torch.tensor([[True, False]]))
    assert found.tolist() == [[[2.0, 1.0], [0.0, 0.0]]]  # -.5 q / -.5, and no sum


def test_bimpm_is_that_of_each_pair_alone(pairs: Any) -> None:
    config = bimpm.Config(width=5, letters=3, spelling=4, hidden=6, perspectives=3)
    model = made(bimpm.BiMPM, config, deviation=0.6)
    wanted = []
    for row, sides in enumerate(each_pair(model)):
        states, ends = [], []
        for side, words in zip((pairs.premise, pairs.hypothesis), sides, strict=True):
            spelt = [
                alone(model.spelling.lstm, model.letters(letters[letters > 0]))[1][0][0, 0]
                for letters in side.characters[row, : len(words)]
            ]
            read, (hidden, _) = alone(model.context.lstm, torch.cat([words, torch.stack(spelt)], 1))
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
    width=5, letters=3, word_length=4, filters=4, filter_width=3, tags=8, length=8, growth=2, block_layers=2
)


def test_trilinear_self_attention() -> None:
    """The score has all of w1.a + w2.b + w3.(a o b) + c here: w1 and c fall out of the softmax."""
    attention = diin.SelfAttention(5).requires_grad_(False)
    torch.manual_seed(7)
    for weight in (attention.score, attention.fuse.weight):
        weight.normal_()
    (w_1, c), (w_2, w_3) = (torch.randn(5), 1.7), attention.score
    p, lengths = torch.randn(3, 4, 5), torch.tensor([4, 1, 3])
    got = attention(p, torch.arange(4) < lengths[:, None], diin.GrowingDropout(1.0, 1.0).eval())
    for row, length in enumerate(lengths):
        a = p[row, :length]
        scores = (a @ w_1).unsqueeze(1) + a @ w_2 + (a * w_3) @ a.T + c
        z, r, f = attention.fuse(torch.cat([a, torch.softmax(scores, 1) @ a], 1)).chunk(3, 1)
        close(got[row, :length], r.sigmoid() * a + f.sigmoid() * z.tanh())


def test_the_image_is_the_product_of_all_words_and_0_beyond(pairs: Pairs) -> None:
    model = made(diin.DIIN, SMALL)
    images = []
    model.image.register_forward_pre_hook(lambda _, inputs: images.append(inputs[0]))
    model(pairs)
    p = model._read(pairs.premise, model.premise_attention)
    h = model._read(pairs.hypothesis, model.hypothesis_attention)
    wanted = torch.zeros(4, 8, 8, 5 + 4 + 8 + 1)
    for row, (premise, hypothesis) in enumerate(zip(PREMISES, HYPOTHESES, strict=True)):
        n, m = len(premise), len(hypothesis)
        wanted[row, :n, :m] = p[row, :n].unsqueeze(1) * h[row, :m]
    close(images[0].movedim(1, -1), wanted)


def test_words_beyond_the_image_are_cut(pairs_of: Callable[..., Pairs]) -> None:
    model = made(diin.DIIN, SMALL)
    long = list(range(11, 23))
    close(model(pairs_of([long], [[3, 1]])), model(pairs_of([long[:8]], [[3, 1]])))


def test_a_word_is_its_vector_spelling_tag_and_match(pairs: Pairs) -> None:
    model = made(diin.DIIN, SMALL)
    side: Any = pairs.premise
    got = model._represent(side, side.words.shape[1])
    for row, (words, _) in enumerate(each_pair(model)):
        for place, word in enumerate(words):
            letters = model.letters.weight[side.characters[row, place, :4]]  # [4, 3]
            windows = letters.unfold(0, 3, 1).unsqueeze(1)  # [2, 1, 3, 3]
            spelt = ((windows * model.spelling.weight).sum((2, 3)) + model.spelling.bias).amax(0).relu()
            tag = torch.eye(8)[side.tags[row, place] - 1]
            close(got[row, place], torch.cat([word, spelt, tag, side.match[row, place].view(1)]))


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
    with pytest.raises(CrossexamError, match="DIIN has room for 7 POS tags, but the data have 8"):
        diin.DIIN(replace(SMALL, tags=7), SIZES)
