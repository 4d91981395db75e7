"""DIIN: what a word is, the image of a pair, growing dropout and penalties, against their equations."""

import math
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn

from crossexam.core.errors import CrossexamError
from crossexam.zoo import diin
from made.architectures import HYPOTHESES, PAIRS, PREMISES, SIZES, close, each_pair, pairs_of, small

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


def test_the_image_is_the_product_of_all_words_and_0_beyond() -> None:
    model = small(diin.DIIN, SMALL)
    images = []
    model.image.register_forward_pre_hook(lambda _, inputs: images.append(inputs[0]))
    model(PAIRS)
    p = model._read(PAIRS.premise, model.premise_attention)
    h = model._read(PAIRS.hypothesis, model.hypothesis_attention)
    wanted = torch.zeros(4, 8, 8, 5 + 4 + 8 + 1)
    for row, (premise, hypothesis) in enumerate(zip(PREMISES, HYPOTHESES, strict=True)):
        n, m = len(premise), len(hypothesis)
        wanted[row, :n, :m] = p[row, :n].unsqueeze(1) * h[row, :m]
    close(images[0].movedim(1, -1), wanted)


def test_words_beyond_the_image_are_cut() -> None:
    model = small(diin.DIIN, SMALL)
    long = list(range(11, 23))
    close(model(pairs_of([long], [[3, 1]])), model(pairs_of([long[:8]], [[3, 1]])))


def test_a_word_is_its_vector_spelling_tag_and_match() -> None:
    model = small(diin.DIIN, SMALL)
    side: Any = PAIRS.premise
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
    model = small(diin.DIIN, replace(SMALL, penalty_steps=100.0, weight_penalty=0.2, difference_penalty=0.0))
    layers = [layer for layer in model.modules() if isinstance(layer, nn.Linear | nn.Conv2d)]
    squares = sum(float(layer.weight.square().sum()) for layer in layers)
    for steps, share in ((50, 1 / 2), (0, 1 / (1 + math.exp(8)))):  # the sigmoid of 0 and of -8
        model.dropout.steps.fill_(steps)
        assert model.penalty().item() == pytest.approx(0.2 * share * squares / 2, rel=1e-4)
    apart = small(diin.DIIN, replace(SMALL, weight_penalty=0.0, difference_penalty=0.3))
    apart.hypothesis_attention.load_state_dict(apart.premise_attention.state_dict())
    apart.hypothesis_attention.score[0, 0] += 2.0
    apart.hypothesis_attention.fuse.weight[1, 1] -= 1.0
    assert apart.penalty().item() == pytest.approx(0.3 * (2**2 + 1**2) / 2, rel=1e-5)


def test_too_many_parts_of_speech_are_an_error() -> None:
    with pytest.raises(CrossexamError, match="DIIN has room for 7 POS tags, but the data have 8"):
        diin.DIIN(replace(SMALL, tags=7), SIZES)
