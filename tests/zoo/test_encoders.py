"""Sentence encoders against equations written out anew in numpy, one sentence and one word at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from crossexam.core.errors import CrossexamError
from crossexam.zoo import conditional_encoder
from crossexam.zoo.inputs import Pairs, Sentences
from crossexam.zoo.layers import Sizes
from crossexam.zoo.table import ARCHITECTURES, architecture_named

Array = NDArray[np.float64]
SIZES = Sizes(words=30, characters=20)
PREMISES, HYPOTHESES = (3, 1, 5), (2, 4, 1)  # words
#: Widths of which no two that meet are equal.
WIDTHS = {"width": 6, "hidden": 4, "classifier": 7, "character_width": 3, "filters": 2}


def small(name: str, **changes: Any) -> Any:
    """A small model with weights far from zero, so that a wrong formula shows."""
    architecture = architecture_named(name)
    config = architecture.config
    widths = {field: value for field, value in WIDTHS.items() if hasattr(config, field)}
    if name == "shortcut_stacked":
        widths["hidden"] = (3, 4, 5)  # type: ignore[assignment]
    torch.manual_seed(7)
    model: Any = architecture.build(replace(config, **{**widths, **changes}), SIZES)
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(std=0.5)  # of padding too: nothing may read it
    return model.double().eval()


def batch(lengths: Sequence[int], *, padding: int = 2, seed: int = 3, spelling: int = 4) -> Sentences:
    """Random sentences of *lengths*, with *padding* more columns than the longest needs."""
    random = np.random.default_rng(seed)
    words = np.zeros((len(lengths), max(lengths) + padding), dtype=np.int64)
    characters = np.zeros((*words.shape, spelling + padding), dtype=np.int64)
    for i, length in enumerate(lengths):
        words[i, :length] = random.integers(1, SIZES.words, length)
        for t in range(length):
            letters = int(random.integers(1, spelling + 1))
            characters[i, t, :letters] = random.integers(1, SIZES.characters, letters)
    return Sentences(
        torch.from_numpy(words), torch.from_numpy(words != 0), characters=torch.from_numpy(characters)
    )


PAIRS = Pairs(batch(PREMISES), batch(HYPOTHESES, seed=5, padding=3))


# The equations


def array(tensor: torch.Tensor) -> Array:
    made: Array = tensor.detach().double().numpy()
    return made


def linear(layer: nn.Linear, x: Array) -> Array:
    return array(layer.weight) @ x + array(layer.bias)


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def one_way(lstm: nn.LSTM, way: str, words: Array, start: Any = None) -> Any:
    """States [T, h] in the order read, input gates [T, h], and the last hidden and cell state."""
    read, remember = array(getattr(lstm, f"weight_ih_{way}")), array(getattr(lstm, f"weight_hh_{way}"))
    bias = array(getattr(lstm, f"bias_ih_{way}")) + array(getattr(lstm, f"bias_hh_{way}"))
    h, c = start or (np.zeros(lstm.hidden_size), np.zeros(lstm.hidden_size))
    states, gates = [], []
    for x in words:
        i, f, g, o = np.split(read @ x + remember @ h + bias, 4)  # PyTorch's order of gates
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
        gates.append(sigmoid(i))
    return np.array(states), np.array(gates), (h, c)


def both_ways(layer: Any, words: Array, start: Any = (None, None)) -> Any:
    """States and input gates of both directions side by side, [T, 2h], and the final ((h, c), (h, c))."""
    ahead, ahead_gates, ahead_final = one_way(layer.lstm, "l0", words, start[0])
    back, back_gates, back_final = one_way(layer.lstm, "l0_reverse", words[::-1], start[1])
    states, gates = np.hstack([ahead, back[::-1]]), np.hstack([ahead_gates, back_gates[::-1]])
    return states, gates, (ahead_final, back_final)


def spelled(model: Any, characters: torch.Tensor) -> Array:
    """The answers of the filters to one word, window by window."""
    table = array(model.characters.table.weight)
    letters = [table[int(c)] for c in characters if int(c)]
    heard: list[float] = []
    for convolution in model.characters.filters:
        width = convolution.weight.shape[-1]
        padded = letters + [np.zeros(table.shape[1])] * (width - 1)
        windows = [np.stack(padded[at : at + width], -1) for at in range(len(letters))]
        heard += [max(0.0, *((f * each).sum() for each in windows)) for f in array(convolution.weight)]
    return np.array(heard)


# Each takes the model, the vectors of a sentence's words, its side and its characters


def last_state(model: Any, w: Array, *_: Any) -> Array:
    projected = np.array([np.tanh(linear(model.project, word)) for word in w])
    last: Array = one_way(model.context.lstm, "l0", projected)[2][0]
    return last


def mean_of_side(model: Any, w: Array, side: str, *_: Any) -> Array:
    return both_ways(model.context[side], w)[0].mean(0)  # type: ignore[no-any-return]


def maximum(model: Any, w: Array, *_: Any) -> Array:
    return both_ways(model.context, w)[0].max(0)  # type: ignore[no-any-return]


def shortcut(model: Any, w: Array, *_: Any) -> Array:
    x = w
    for layer in model.layers:
        h, _gates, _final = both_ways(layer, x)
        x = np.hstack([x, h])
    return h.max(0)  # type: ignore[no-any-return]


def residual(model: Any, w: Array, *_: Any) -> Array:
    one = both_ways(model.layers[0], w)[0]
    two = both_ways(model.layers[1], np.hstack([w, one]))[0]
    return both_ways(model.layers[2], np.hstack([w, one + two]))[0].max(0)  # type: ignore[no-any-return]


def gated(model: Any, w: Array, _: str, characters: torch.Tensor) -> Array:
    x = np.hstack([w, [spelled(model, each) for each in characters[: len(w)]]])
    h, gates, _final = both_ways(model.layers[0], x)
    for layer in model.layers[1:]:
        h, gates, _final = both_ways(layer, np.hstack([h, x]))
    norms = np.sqrt((gates**2).sum(1))
    return np.concatenate([h.mean(0), h.max(0), norms @ h / norms.sum()])


def inner(model: Any, w: Array, side: str, *_: Any) -> Array:
    y = both_ways(model.context, w)[0]
    attention = model.attention[side]
    by_state, by_mean = array(attention.states.weight), array(attention.mean.weight)
    mean = by_mean @ y.mean(0)
    powers = np.exp([array(attention.context.weight)[0] @ np.tanh(by_state @ each + mean) for each in y])
    return powers @ y / powers.sum()  # type: ignore[no-any-return]


def hierarchical(model: Any, w: Array, *_: Any) -> Array:
    final, maxima = (None, None), []
    for layer in model.layers:
        states, _gates, final = both_ways(layer, w, final)
        maxima.append(states.max(0))
    return np.concatenate(maxima)


def signed(u: Array, v: Array) -> list[Array]:
    return [u, v, u - v, u * v]


def unsigned(u: Array, v: Array) -> list[Array]:
    return [u, v, abs(u - v), u * v]


def product_first(u: Array, v: Array) -> list[Array]:
    return [u, v, u * v, abs(u - v)]


def relu(x: Array, slope: float = 0.0) -> Array:
    return np.where(x > 0, x, slope * x)


def through(layers: Callable[[Any], Any], activation: Callable[[Array], Array]) -> Callable[..., Array]:
    def classify(model: Any, x: Array) -> Array:
        for layer in layers(model):
            if isinstance(layer, nn.Linear):
                x = activation(linear(layer, x))
        return x

    return classify


def twice_over_the_match(model: Any, x: Array) -> Array:
    return relu(linear(model.second, np.concatenate([x, relu(linear(model.hidden, x))])))


perceptron = through(lambda model: model.layers, relu)
classifier = through(lambda model: model.classifier, relu)
Equations = tuple[Callable[..., Array], Callable[[Array, Array], list[Array]], Callable[..., Array]]
#: How a sentence is encoded, how two codes are matched, and what becomes the features of the pair.
EQUATIONS: dict[str, Equations] = {
    "cbow": (lambda _model, w, *_: w.sum(0), signed, perceptron),
    "lstm": (last_state, lambda u, v: [u, v], through(lambda model: model.layers, np.tanh)),
    "bilstm": (mean_of_side, signed, through(lambda model: [model.mlp], relu)),
    "infersent": (maximum, unsigned, through(lambda model: model.linear, lambda x: x)),
    "bilstm_max": (maximum, unsigned, perceptron),
    "shortcut_stacked": (shortcut, unsigned, classifier),
    "residual_stacked": (residual, unsigned, classifier),
    "gated_attention": (gated, unsigned, twice_over_the_match),
    "rivercorners": (inner, product_first, classifier),
    "hbmp": (hierarchical, unsigned, through(lambda model: model.classifier, lambda x: relu(x, 0.01))),
}


def conditional_features(model: Any, premise: Array, hypothesis: Array) -> Array:
    ends = []
    for way, step in (("l0", 1), ("l0_reverse", -1)):
        _, _, final = one_way(model.premise.lstm, way, premise[::step])
        ends.append(one_way(model.hypothesis.lstm, way, hypothesis[::step], final)[2][0])
    return through(lambda model: model.layers, np.tanh)(model, np.concatenate(ends))


def without_premise(model: Any, _: Array, hypothesis: Array) -> Array:
    """InferSent of v and |v|."""
    v = maximum(model.encoder, hypothesis)
    first, second = model.encoder.linear
    columns = np.split(array(first.weight), 4, axis=1)  # of u, v, |u - v|, u * v
    return linear(second, columns[1] @ v + columns[2] @ abs(v) + array(first.bias))


def check_logits(model: Any, features: Callable[[int, Array, Array], Array]) -> None:
    """Compare the model's logits with the output layer over *features*(row, premise, hypothesis)."""
    table = array(model.words.table.weight)
    sides = zip(PAIRS.premise.words, PAIRS.hypothesis.words, PREMISES, HYPOTHESES, strict=True)
    wanted = [
        linear(model.output, features(row, table[p[:p_length].numpy()], table[h[:h_length].numpy()]))
        for row, (p, h, p_length, h_length) in enumerate(sides)
    ]
    np.testing.assert_allclose(array(model(PAIRS)), wanted, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", EQUATIONS)
def test_a_padded_batch_has_the_logits_of_the_equations(name: str) -> None:
    model = small(name)
    encode, match, classify = EQUATIONS[name]

    def features(row: int, premise: Array, hypothesis: Array) -> Array:
        u = encode(model, premise, "premise", PAIRS.premise.characters[row])  # type: ignore[index]
        v = encode(model, hypothesis, "hypothesis", PAIRS.hypothesis.characters[row])  # type: ignore[index]
        return classify(model, np.concatenate(match(u, v)))

    check_logits(model, features)


def test_a_conditional_encoder_and_one_without_premise_have_the_logits_of_their_equations() -> None:
    for name, equations in (
        ("conditional_encoder", conditional_features),
        ("hypothesis_only:infersent", without_premise),
    ):
        model = small(name)
        check_logits(model, lambda _, *sides, m=model, e=equations: e(m, *sides))  # type: ignore[misc]
    assert not conditional_encoder.ARCHITECTURE.encodes_sentences
    assert model.encode(PAIRS.premise, "premise").tolist() == [[0.0] * 8] * 3


@pytest.mark.parametrize(
    "name",
    sorted({name for name, each in ARCHITECTURES.items() if each.encodes_sentences} - {"hypothesis_only"}),
)
def test_any_sentence_encoder_can_do_without_the_premise(name: str, shrunken: Callable[..., Any]) -> None:
    architecture = architecture_named(f"hypothesis_only:{name}")
    model: Any = architecture.build(shrunken(architecture.config, 6), SIZES)
    assert architecture.encodes_sentences
    before = model.eval()(PAIRS)
    assert torch.equal(before, model(Pairs(batch((1, 2, 3), seed=8), PAIRS.hypothesis)))
    model.train()(PAIRS).logsumexp(-1).sum().backward()
    unread = [key for key, p in model.named_parameters() if p.requires_grad and p.grad is None]
    assert not unread  # nothing of the premise's is kept


def test_a_model_that_reads_both_sentences_at_once_has_no_such_form() -> None:
    with pytest.raises(CrossexamError, match="'conditional_encoder' has no hypothesis-only form"):
        architecture_named("hypothesis_only:conditional_encoder")
