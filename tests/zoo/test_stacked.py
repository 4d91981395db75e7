"""Stacked sentence encoders against slow references: one sentence at a time, one word at a time, in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from crossexam.zoo import gated_attention, hbmp, residual_stacked, rivercorners, shortcut_stacked  # noqa: E402
from crossexam.zoo.inputs import Pairs, Sentences, joined  # noqa: E402
from crossexam.zoo.layers import Sizes, masked_max, masked_mean  # noqa: E402

SIZES = Sizes(words=30, characters=20)
LENGTHS = (3, 1, 5)
SMALL: dict[str, tuple[Any, Any]] = {
    "shortcut_stacked": (
        shortcut_stacked.ShortcutStacked,
        shortcut_stacked.Config(width=6, hidden=(3, 4, 5), classifier=7),
    ),
    "residual_stacked": (
        residual_stacked.ResidualStacked,
        residual_stacked.Config(width=6, hidden=4, classifier=7),
    ),
    "gated_attention": (
        gated_attention.GatedAttention,
        gated_attention.Config(width=6, character_width=3, filters=2, hidden=4, classifier=7),
    ),
    "rivercorners": (rivercorners.RiverCorners, rivercorners.Config(width=6, hidden=4, classifier=7)),
    "hbmp": (hbmp.HBMP, hbmp.Config(width=6, hidden=4, classifier=7)),
}
ARCHITECTURES = {
    each.ARCHITECTURE.name: each.ARCHITECTURE
    for each in (shortcut_stacked, residual_stacked, gated_attention, rivercorners, hbmp)
}


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(7)


def build(name: str, *, spread: float = 0.5, **changes: Any) -> Any:
    """A small model with weights far from zero, so that a wrong formula shows."""
    kind, config = SMALL[name]
    model = kind(replace(config, **changes), SIZES).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(std=spread)  # of padding too: nothing may read it
    return model


def batch(
    lengths: Sequence[int] = LENGTHS, *, padding: int = 0, seed: int = 3, spelling: int = 4
) -> Sentences:
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


def array(tensor: Any) -> np.ndarray:
    return tensor.detach().double().numpy()


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def cell(
    lstm: Any, way: str, inputs: list[np.ndarray], hidden: np.ndarray, memory: np.ndarray
) -> tuple[list[np.ndarray], list[np.ndarray], np.ndarray, np.ndarray]:
    """One direction of an LSTM, a word at a time: its states, its input gates, its final state and memory."""
    read, remember = array(getattr(lstm, f"weight_ih_{way}")), array(getattr(lstm, f"weight_hh_{way}"))
    bias = array(getattr(lstm, f"bias_ih_{way}")) + array(getattr(lstm, f"bias_hh_{way}"))
    states, gates = [], []
    for x in inputs:
        i, f, g, o = np.split(read @ x + remember @ hidden + bias, 4)  # PyTorch's order of gates
        memory = sigmoid(f) * memory + sigmoid(i) * np.tanh(g)
        hidden = sigmoid(o) * np.tanh(memory)
        states.append(hidden)
        gates.append(sigmoid(i))
    return states, gates, hidden, memory


def bilstm(
    layer: Any, inputs: list[np.ndarray], initial: Any = None
) -> tuple[list[np.ndarray], list[np.ndarray], Any]:
    """Both directions: states and input gates side by side, and the final ((h, c), (h, c))."""
    nothing = np.zeros(layer.lstm.hidden_size)
    start = initial or ((nothing, nothing), (nothing, nothing))
    ahead, ahead_gates, *ahead_final = cell(layer.lstm, "l0", inputs, *start[0])
    back, back_gates, *back_final = cell(layer.lstm, "l0_reverse", inputs[::-1], *start[1])
    states = [np.concatenate(pair) for pair in zip(ahead, back[::-1], strict=True)]
    gates = [np.concatenate(pair) for pair in zip(ahead_gates, back_gates[::-1], strict=True)]
    return states, gates, (tuple(ahead_final), tuple(back_final))


def vectors(model: Any, sentences: Sentences, i: int) -> list[np.ndarray]:
    table = array(model.words.table.weight)
    return [table[int(word)] for word in sentences.words[i] if int(word)]


def spelled(model: Any, characters: Any) -> np.ndarray:
    """The answers of the filters to one word, window by window."""
    table = array(model.characters.table.weight)
    letters = [table[int(c)] for c in characters if int(c)]
    heard = []
    for width, convolution in zip(model.characters.widths, model.characters.filters, strict=True):
        weight = array(convolution.weight)  # [filters, e, width]
        padded = letters + [np.zeros(table.shape[1])] * (width - 1)
        windows = [np.stack(padded[at : at + width], -1) for at in range(len(letters))]
        heard += [max(0.0, *(float((f * window).sum()) for window in windows)) for f in weight]
    return np.array(heard)


def shortcut(model: Any, sentences: Sentences, i: int) -> np.ndarray:
    x = vectors(model, sentences, i)
    for layer in model.layers:
        h, _, _ = bilstm(layer, x)
        x = [np.concatenate(pair) for pair in zip(x, h, strict=True)]
    return np.max(h, axis=0)


def residual(model: Any, sentences: Sentences, i: int) -> np.ndarray:
    w = vectors(model, sentences, i)
    one, _, _ = bilstm(model.layers[0], w)
    two, _, _ = bilstm(model.layers[1], [np.concatenate([w[t], one[t]]) for t in range(len(w))])
    three, _, _ = bilstm(model.layers[2], [np.concatenate([w[t], one[t] + two[t]]) for t in range(len(w))])
    return np.max(three, axis=0)


def gated(model: Any, sentences: Sentences, i: int) -> np.ndarray:
    plain = vectors(model, sentences, i)
    w = [np.concatenate([v, spelled(model, c)]) for v, c in zip(plain, sentences.characters[i], strict=False)]
    h, gates, _ = bilstm(model.layers[0], w)
    for layer in model.layers[1:]:
        h, gates, _ = bilstm(layer, [np.concatenate(pair) for pair in zip(h, w, strict=True)])
    norms = [float(np.sqrt((gate**2).sum())) for gate in gates]
    weighted = sum(norm * state for norm, state in zip(norms, h, strict=True)) / sum(norms)
    return np.concatenate([np.mean(h, axis=0), np.max(h, axis=0), weighted])


def inner(model: Any, sentences: Sentences, i: int, side: str = "premise") -> np.ndarray:
    y, _, _ = bilstm(model.context, vectors(model, sentences, i))
    attention = model.attention[side]
    by_state, by_mean = array(attention.states.weight), array(attention.mean.weight)
    r = np.mean(y, axis=0)
    scores = [
        float(array(attention.context.weight)[0] @ np.tanh(by_state @ state + by_mean @ r)) for state in y
    ]
    exponents = np.exp(scores)
    return sum(e / exponents.sum() * state for e, state in zip(exponents, y, strict=True))


def hierarchical(model: Any, sentences: Sentences, i: int) -> np.ndarray:
    x, final, maxima = vectors(model, sentences, i), None, []
    for layer in model.layers:
        states, _, final = bilstm(layer, x, final)
        maxima.append(np.max(states, axis=0))
    return np.concatenate(maxima)


REFERENCES = {
    "shortcut_stacked": shortcut,
    "residual_stacked": residual,
    "gated_attention": gated,
    "rivercorners": inner,
    "hbmp": hierarchical,
}


@pytest.mark.parametrize("name", SMALL)
def test_a_padded_batch_is_encoded_as_each_sentence_is_word_by_word(name: str) -> None:
    model, sentences = build(name), batch(padding=2)
    encoded = array(model.encode(sentences, "premise"))
    for i in range(len(LENGTHS)):
        np.testing.assert_allclose(encoded[i], REFERENCES[name](model, sentences, i), atol=1e-5)


def perceptron(layers: Any, x: np.ndarray, slope: float) -> np.ndarray:
    for layer in layers:
        x = array(layer.weight) @ x + array(layer.bias)
        x = np.where(x > 0, x, slope * x)
    return x


@pytest.mark.parametrize("name", SMALL)
def test_pairs_are_compared_by_the_papers_match_and_classifier(name: str) -> None:
    model = build(name)
    d = model.encode(batch(), "premise").shape[1]
    u, v = torch.randn(2, d), torch.randn(2, d)
    features, a, b = array(model.compare(u, v)), array(u), array(v)
    for i in range(2):
        last = [a[i] * b[i], np.abs(a[i] - b[i])]
        match = np.concatenate([a[i], b[i], *(last if name == "rivercorners" else last[::-1])])
        if name == "gated_attention":
            first = perceptron([model.hidden], match, 0)
            expected = perceptron([model.second], np.concatenate([match, first]), 0)
        else:
            layers = [each for each in model.classifier if isinstance(each, torch.nn.Linear)]
            expected = perceptron(layers, match, 0.01 if name == "hbmp" else 0)
        np.testing.assert_allclose(features[i], expected, atol=1e-4)


@pytest.mark.parametrize("recurrence", ["lstm", "feedforward"])
@pytest.mark.parametrize("name", SMALL)
def test_logits_depend_neither_on_padding_nor_on_the_batch(name: str, recurrence: str) -> None:
    model = build(name, recurrence=recurrence)
    premise, hypothesis = batch(), batch((2, 4, 1), seed=5)
    together = model(Pairs(premise, hypothesis))
    assert together.shape == (3, 3)
    padded = model(Pairs(batch(padding=3), batch((2, 4, 1), seed=5, padding=6)))
    torch.testing.assert_close(padded, together, atol=1e-5, rtol=0)
    for i in (2, 0, 1):
        alone = Pairs(*(one(sentences, i) for sentences in (premise, hypothesis)))
        torch.testing.assert_close(model(alone)[0], together[i], atol=1e-5, rtol=0)


def one(sentences: Sentences, i: int) -> Sentences:
    length = int(sentences.lengths[i])
    part = slice(i, i + 1)
    letters = sentences.characters[part, :length]
    longest = int((letters != 0).sum(-1).max())
    return Sentences(
        sentences.words[part, :length], sentences.mask[part, :length], characters=letters[:, :, :longest]
    )


@pytest.mark.parametrize("name", SMALL)
def test_features_are_those_of_sides_encoded_apart(name: str) -> None:
    model, pairs = build(name), Pairs(batch(padding=1), batch((2, 4, 1), seed=5, spelling=7))
    apart = model.encode(pairs.premise, "premise"), model.encode(pairs.hypothesis, "hypothesis")
    torch.testing.assert_close(model.features(pairs), model.compare(*apart), atol=1e-5, rtol=0)


def test_batches_are_joined_with_all_they_have() -> None:
    both = joined(batch((2, 1)), batch((4,), seed=5, spelling=6))
    assert both.words.shape == both.mask.shape == (3, 4)
    assert both.characters is not None
    assert both.characters.shape == (3, 4, 6)
    assert both.lengths.tolist() == [2, 1, 4]
    assert torch.equal(both.words[2], batch((4,), seed=5, spelling=6).words[0])
    assert both.tags is None


@pytest.mark.parametrize("name", SMALL)
def test_sides_share_an_encoder_except_for_the_attention_of_rivercorners(name: str) -> None:
    model, sentences = build(name), batch()
    same = torch.equal(model.encode(sentences, "premise"), model.encode(sentences, "hypothesis"))
    assert same == (name != "rivercorners")


# Counted by hand: a BiLSTM of r inputs and h states has 8 h (r + h) weights and 16 h biases.
def _bilstm(r: int, h: int) -> int:
    return 8 * h * (r + h) + 16 * h


def _linear(*widths: int) -> int:
    return sum((a + 1) * b for a, b in pairwise(widths))


EXACT = {
    "shortcut_stacked": _bilstm(300, 512) + _bilstm(300 + 1024, 1024) + _bilstm(300 + 1024 + 2048, 2048)
    + _linear(4 * 4096, 1600, 1600, 3),
    "residual_stacked": _bilstm(300, 600) + 2 * _bilstm(1500, 600) + _linear(4 * 1200, 800, 3),
    "gated_attention": 99 * 15 + (1 + 3 + 5) * 15 * 100 + _bilstm(600, 600) + 2 * _bilstm(1800, 600)
    + _linear(14400, 600) + _linear(15000, 600, 3),
    "rivercorners": _bilstm(300, 300) + 2 * (2 * 600 * 600 + 600) + _linear(4 * 600, 2000, 2000, 3),
    "hbmp": 3 * _bilstm(300, 600) + _linear(4 * 3600, 600, 600, 3),
}  # fmt: skip


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_at_the_papers_size_the_count_of_parameters_is_the_papers(name: str) -> None:
    architecture = ARCHITECTURES[name]
    with torch.device("meta"):
        model = architecture.build(architecture.config, Sizes(words=10, characters=99))
    count = sum(p.numel() for p in model.parameters()) - model.words.table.weight.numel()
    assert count == EXACT[name]
    assert count == pytest.approx(architecture.parameters, rel=architecture.tolerance)


def test_the_papers_count_of_rse_has_a_layer_that_is_never_used() -> None:
    paper = residual_stacked.ARCHITECTURE.parameters
    assert EXACT["residual_stacked"] + _linear(800, 800) == pytest.approx(paper, rel=0.005)


def test_input_gates_are_those_of_a_cell_written_by_hand() -> None:
    layer = build("gated_attention").layers[0]
    mask = batch(padding=2).mask
    x = torch.randn(*mask.shape, layer.lstm.input_size)
    gates = array(gated_attention.input_gates(layer, x, layer(x, mask).states))
    for i, length in enumerate(LENGTHS):
        _, expected, _ = bilstm(layer, list(array(x[i, :length])))
        np.testing.assert_allclose(gates[i, :length], expected, atol=1e-6)


def test_where_all_input_gates_are_alike_the_gated_mean_is_the_mean() -> None:
    model = build("gated_attention")
    with torch.no_grad():
        for weight in model.layers[-1].parameters():
            weight[: SMALL["gated_attention"][1].hidden] = 0  # rows of the input gate: all open by half
    mean, _, weighted = model.encode(batch(), "premise").chunk(3, -1)
    torch.testing.assert_close(weighted, mean)


def test_without_recurrence_the_gated_mean_is_the_mean() -> None:
    mean, _, weighted = (
        build("gated_attention", recurrence="feedforward").encode(batch(), "premise").chunk(3, -1)
    )
    torch.testing.assert_close(weighted, mean)


def test_open_gates_weigh_more_than_closed_ones() -> None:
    mean, _, weighted = build("gated_attention").encode(batch((5,)), "premise").chunk(3, -1)
    assert not torch.allclose(weighted, mean, atol=1e-3)


def test_the_maximum_of_one_word_among_longer_ones_may_be_below_zero() -> None:
    mean, maximum, weighted = build("gated_attention").encode(batch((1, 6)), "premise").chunk(3, -1)
    assert (maximum[0] < 0).any()  # the released code would answer 0
    torch.testing.assert_close(maximum[0], mean[0])
    torch.testing.assert_close(weighted[0], mean[0])


def test_weights_of_gated_attention_are_drawn_as_in_the_released_code() -> None:
    config = gated_attention.Config(width=40, character_width=15, filters=20, hidden=100, classifier=100)
    model = gated_attention.GatedAttention(config, Sizes(words=5, characters=50))
    first, last = model.layers[0].lstm, model.layers[-1].lstm  # width 40 + 3 * 20 = 100 = hidden
    for square in (*first.weight_ih_l0.chunk(4), *last.weight_hh_l0_reverse.chunk(4)):
        torch.testing.assert_close(square @ square.T, torch.eye(100), atol=1e-5, rtol=0)
    for drawn in (
        last.weight_ih_l0,
        model.hidden.weight,
        model.second.weight,
        model.characters.table.weight[1:],
    ):
        assert float(drawn.detach().std()) == pytest.approx(0.01, rel=0.1)
    assert not torch.stack([first.bias_ih_l0, last.bias_hh_l0_reverse]).any()
    assert not model.characters.table.weight[0].any()
    widest = model.characters.filters[-1].weight.detach().abs().max()
    assert float(widest) == pytest.approx((3 * 5 * 15) ** -0.5, rel=0.02)


def test_gated_attention_without_characters_says_so() -> None:
    sentences = batch()
    with pytest.raises(AssertionError, match="gated_attention needs characters"):
        build("gated_attention").encode(Sentences(sentences.words, sentences.mask), "premise")


def test_attention_of_rivercorners_sums_to_one_over_the_words_of_each_sentence() -> None:
    model, sentences = build("rivercorners"), batch(padding=2)
    y = model.context(model.words(sentences.words), sentences.mask).states
    alpha = model.attention["hypothesis"].weights(y, sentences.mask)
    torch.testing.assert_close(alpha.sum(1), torch.ones(len(LENGTHS)))
    assert not alpha[~sentences.mask].any()
    assert alpha[1, 0] == 1  # the sentence of one word


def test_attention_of_rivercorners_that_asks_nothing_is_the_mean() -> None:
    model, sentences = build("rivercorners"), batch()
    torch.nn.init.zeros_(model.attention["premise"].context.weight)
    y = model.context(model.words(sentences.words), sentences.mask).states
    torch.testing.assert_close(model.encode(sentences, "premise"), masked_mean(y, sentences.mask))


def test_later_layers_of_hbmp_begin_where_the_earlier_ended() -> None:
    model, sentences = build("hbmp"), batch()
    x = model.words(sentences.words)
    first = model.layers[0](x, sentences.mask)
    second = model.layers[1](x, sentences.mask, (first.hidden, first.cell))
    h = SMALL["hbmp"][1].hidden
    given = model.encode(sentences, "premise")[:, 2 * h : 4 * h]
    torch.testing.assert_close(given, masked_max(second.states, sentences.mask))
    afresh = model.layers[1](x, sentences.mask)
    assert not torch.allclose(given, masked_max(afresh.states, sentences.mask), atol=1e-3)


@pytest.mark.parametrize("recurrence", ["lstm", "feedforward"])
@pytest.mark.parametrize("name", SMALL)
def test_every_weight_takes_part(name: str, recurrence: str) -> None:
    model = build(name, recurrence=recurrence)
    pairs = Pairs(batch((3, 1, 5, 2)), batch((2, 4, 1, 3), seed=5))
    torch.nn.functional.cross_entropy(model(pairs), torch.tensor([0, 1, 2, 0])).backward()
    idle = [
        each for each, weight in model.named_parameters() if weight.requires_grad and not weight.grad.any()
    ]
    assert idle == []


@pytest.mark.parametrize("recurrence", ["lstm", "feedforward"])
@pytest.mark.parametrize("name", SMALL)
def test_four_pairs_are_learned_from_the_papers_initial_weights(name: str, recurrence: str) -> None:
    kind, config = SMALL[name]
    torch.manual_seed(11)
    model = kind(replace(config, recurrence=recurrence, dropout=0.0, classifier=32), SIZES)
    pairs = Pairs(batch((3, 1, 5, 2)), batch((2, 4, 1, 3), seed=5))
    labels = torch.tensor([0, 1, 2, 0])
    optimizer = torch.optim.Adam([each for each in model.parameters() if each.requires_grad], lr=0.02)
    for _ in range(300):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(pairs), labels)
        if float(loss.detach()) < 0.02:
            break
        loss.backward()
        optimizer.step()
    assert float(loss.detach()) < 0.02
