"""The simpler models of the zoo against equations written out anew in numpy, one sentence at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from crossexam.core.errors import CrossexamError
from crossexam.zoo import bilstm, bilstm_max, cbow, conditional_encoder, infersent, lstm
from crossexam.zoo.architecture import Architecture
from crossexam.zoo.hypothesis_only import hypothesis_only
from crossexam.zoo.inputs import Pairs, Sentences
from crossexam.zoo.layers import SentenceEncoder, Sizes
from crossexam.zoo.table import ARCHITECTURES, architecture_named

Array = NDArray[np.float64]
PREMISES = [[3, 1, 4, 1, 5], [9, 2], [6]]
HYPOTHESES = [[5, 3], [5, 8, 9, 7], [9, 3]]


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def small(architecture: Architecture, **changes: Any) -> Any:
    """A model of widths 3 to 5, of which no two that meet are equal, with weights large enough to tell."""
    widths = {"width": 3, "hidden": 4, "classifier": 5}
    config = architecture.config
    changes = {**{name: value for name, value in widths.items() if hasattr(config, name)}, **changes}
    torch.manual_seed(5)
    model: Any = architecture.build(replace(config, **changes), Sizes(words=10))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape) / 2)
        model.words.table.weight[0] = 0
    return model.eval()


def sentences(texts: list[list[int]]) -> Sentences:
    words = torch.zeros(len(texts), max(map(len, texts)), dtype=torch.int64)
    for row, text in enumerate(texts):
        words[row, : len(text)] = torch.tensor(text)
    return Sentences(words, words > 0)


BATCH = Pairs(sentences(PREMISES), sentences(HYPOTHESES))


# The equations


def weight(tensor: torch.Tensor) -> Array:
    return tensor.detach().numpy().astype(np.float64)


def linear(layer: nn.Linear, x: Array) -> Array:
    return weight(layer.weight) @ x + weight(layer.bias)


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def run_lstm(module: nn.LSTM, words: Array, way: str, start: tuple[Array, Array] | None = None) -> Any:
    """Return the states [T, h] in the order read, and the last hidden and cell state (Hochreiter's cell)."""
    inputs, past = weight(getattr(module, f"weight_ih_{way}")), weight(getattr(module, f"weight_hh_{way}"))
    bias = weight(getattr(module, f"bias_ih_{way}")) + weight(getattr(module, f"bias_hh_{way}"))
    h, c = start or (np.zeros(module.hidden_size), np.zeros(module.hidden_size))
    states = []
    for x in words:
        i, f, g, o = np.split(inputs @ x + past @ h + bias, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return np.array(states), h, c


def both_ways(module: nn.LSTM, words: Array) -> Array:
    """Return the states of a bidirectional LSTM: [T, 2h]."""
    forward = run_lstm(module, words, "l0")[0]
    backward = run_lstm(module, words[::-1], "l0_reverse")[0]
    return np.concatenate([forward, backward[::-1]], -1)


def vectors(model: Any, text: list[int]) -> Array:
    return weight(model.words.table.weight)[text]


def check(model: Any, features: Any) -> None:
    """Compare the model's logits with the output layer over *features*(premise, hypothesis)."""
    wanted = [
        linear(model.output, features(vectors(model, p), vectors(model, h)))
        for p, h in zip(PREMISES, HYPOTHESES, strict=True)
    ]
    np.testing.assert_allclose(model(BATCH).detach().numpy(), wanted, rtol=1e-4, atol=1e-5)


def test_cbow_sums_and_matches_with_a_signed_difference() -> None:
    model = small(cbow.ARCHITECTURE)

    def features(premise: Array, hypothesis: Array) -> Array:
        p, h = premise.sum(0), hypothesis.sum(0)
        m = np.concatenate([p, h, p - h, p * h])
        for layer in model.layers:
            m = np.maximum(linear(layer, m), 0)
        return m

    check(model, features)


def test_lstm_takes_the_last_state_of_projected_words() -> None:
    model = small(lstm.ARCHITECTURE)

    def encoded(words: Array) -> Array:
        projected = np.array([np.tanh(linear(model.project, word)) for word in words])
        last: Array = run_lstm(model.context.lstm, projected, "l0")[1]
        return last

    def features(premise: Array, hypothesis: Array) -> Array:
        m = np.concatenate([encoded(premise), encoded(hypothesis)])
        for layer in model.layers:
            m = np.tanh(linear(layer, m))
        return m

    check(model, features)


def test_bilstm_takes_the_mean_of_a_bilstm_for_each_side() -> None:
    model = small(bilstm.ARCHITECTURE)

    def features(premise: Array, hypothesis: Array) -> Array:
        p = both_ways(model.context["premise"].lstm, premise).mean(0)
        h = both_ways(model.context["hypothesis"].lstm, hypothesis).mean(0)
        return np.maximum(linear(model.mlp, np.concatenate([p, h, p - h, p * h])), 0)

    check(model, features)


def test_infersent_takes_the_maximum_and_stays_linear() -> None:
    model = small(infersent.ARCHITECTURE)

    def features(premise: Array, hypothesis: Array) -> Array:
        u = both_ways(model.context.lstm, premise).max(0)
        v = both_ways(model.context.lstm, hypothesis).max(0)
        first, second = model.linear
        return linear(second, linear(first, np.concatenate([u, v, abs(u - v), u * v])))

    check(model, features)


def test_bilstm_max_is_siamese() -> None:
    model = small(bilstm_max.ARCHITECTURE)

    def features(premise: Array, hypothesis: Array) -> Array:
        u, v = (both_ways(model.context.lstm, words).max(0) for words in (premise, hypothesis))
        m = np.concatenate([u, v, abs(u - v), u * v])
        for layer in model.layers:
            m = np.maximum(linear(layer, m), 0)
        return m

    check(model, features)


def test_the_conditional_encoder_starts_from_the_premises_last_states() -> None:
    model = small(conditional_encoder.ARCHITECTURE)

    def features(premise: Array, hypothesis: Array) -> Array:
        ends = []
        for way, step in (("l0", 1), ("l0_reverse", -1)):
            _, h, c = run_lstm(model.premise.lstm, premise[::step], way)
            ends.append(run_lstm(model.hypothesis.lstm, hypothesis[::step], way, (h, c))[1])
        m = np.concatenate(ends)
        for layer in model.layers:
            m = np.tanh(linear(layer, m))
        return m

    check(model, features)
    assert not conditional_encoder.ARCHITECTURE.encodes_sentences


# Initialisation and dropout


def test_bilstm_starts_as_tensorflow_starts() -> None:
    torch.manual_seed(0)
    config = replace(bilstm.ARCHITECTURE.config, width=30, hidden=50)
    model: Any = bilstm.BiLSTM(config, Sizes(words=5))
    model.requires_grad_(False)
    module = model.context["hypothesis"].lstm
    limit = math.sqrt(6 / (30 + 50 + 4 * 50))  # Glorot: inputs and outputs of the matrix [80, 200]
    for weights in (module.weight_ih_l0, module.weight_hh_l0_reverse):
        assert 0.98 * limit < weights.abs().max() <= limit
    assert module.bias_ih_l0.tolist() == [0.0] * 50 + [1.0] * 50 + [0.0] * 100  # forget gate: 1
    assert module.bias_hh_l0_reverse.abs().max() == 0
    assert model.mlp.weight.std() == pytest.approx(0.1, rel=0.05)
    assert model.mlp.bias.std() == pytest.approx(0.1, rel=0.3)


def test_dropout_acts_in_training_alone(for_each: Callable[..., None]) -> None:
    def check(name: str) -> None:
        model = small(ARCHITECTURES[name], dropout=0.5)
        assert torch.equal(model(BATCH), model(BATCH))
        model.train()
        assert not torch.equal(model(BATCH), model(BATCH))

    for_each(check, ["bilstm", "bilstm_max", "cbow", "conditional_encoder", "lstm"])


def test_infersent_has_no_dropout() -> None:
    model = small(infersent.ARCHITECTURE).train()
    assert torch.equal(model(BATCH), model(BATCH))


# Hypothesis only

WITHOUT = {"hypothesis_only"}
ENCODERS = [name for name, each in ARCHITECTURES.items() if each.encodes_sentences and name not in WITHOUT]


def tiny(architecture: Architecture) -> Any:
    """The configuration with widths of 6 at most and without dropout."""
    changes: dict[str, Any] = {}
    for name, value in vars(architecture.config).items():
        if isinstance(value, int):
            changes[name] = min(value, 6)
        elif isinstance(value, tuple):
            changes[name] = tuple(min(each, 6) for each in value)
        elif "dropout" in name:
            changes[name] = 0.0
    return replace(architecture.config, **changes)


def with_characters(side: Sentences) -> Sentences:
    spelling = torch.stack([side.words, side.words % 3, side.words % 2], -1)
    return Sentences(side.words, side.mask, characters=spelling)


@pytest.mark.parametrize("name", ENCODERS)
def test_any_sentence_encoder_can_do_without_the_premise(name: str) -> None:
    architecture = architecture_named(f"hypothesis_only:{name}")
    torch.manual_seed(2)
    model: Any = architecture.build(tiny(architecture), Sizes(words=10, characters=10))
    premise, hypothesis = with_characters(BATCH.premise), with_characters(BATCH.hypothesis)
    other = with_characters(sentences([[8], [8, 8], [1, 2, 3]]))
    assert architecture.encodes_sentences
    assert isinstance(model, SentenceEncoder)
    assert torch.equal(model.eval()(Pairs(premise, hypothesis)), model(Pairs(other, hypothesis)))
    changed = model(Pairs(premise, with_characters(sentences([[5, 4], [5, 8, 9, 7], [9, 3]]))))
    assert (changed != model(Pairs(premise, hypothesis))).any(1).tolist() == [True, False, False]
    model.train()(Pairs(premise, hypothesis)).logsumexp(-1).sum().backward()
    unread = [key for key, p in model.named_parameters() if p.requires_grad and p.grad is None]
    assert not unread  # nothing of the premise's is kept


def test_what_reads_the_premise_alone_is_left_out() -> None:
    with torch.device("meta"):
        whole, half = (
            each.build(each.config, Sizes(words=10))
            for each in (bilstm.ARCHITECTURE, hypothesis_only(bilstm.ARCHITECTURE))
        )
    count = [sum(parameter.numel() for parameter in model.parameters()) for model in (whole, half)]
    assert count[0] - count[1] == 2 * 4 * (600 * 300 + 2 * 300)  # one BiLSTM
    assert not [name for name, _ in half.named_parameters() if "premise" in name]


def test_without_a_premise_infersent_reads_v_and_its_absolute_value() -> None:
    model = small(hypothesis_only(infersent.ARCHITECTURE))

    def features(_: Array, hypothesis: Array) -> Array:
        v = both_ways(model.encoder.context.lstm, hypothesis).max(0)
        first, second = model.encoder.linear
        columns = np.split(weight(first.weight), 4, axis=1)  # of u, v, |u - v|, u * v
        return linear(second, columns[1] @ v + columns[2] @ abs(v) + weight(first.bias))

    check(model, features)
    assert model.encode(BATCH.premise, "premise").tolist() == [[0.0] * 8] * 3


def test_a_model_that_reads_both_sentences_at_once_has_no_such_form() -> None:
    with pytest.raises(CrossexamError, match="'conditional_encoder' has no hypothesis-only form") as error:
        architecture_named("hypothesis_only:conditional_encoder")
    assert error.value.wanted == "a sentence encoder, which encodes the hypothesis without the premise"
    assert error.value.hint == "crossexam train hypothesis_only, or hypothesis_only:infersent"
    with pytest.raises(CrossexamError, match="no architecture is called 'infersnt'"):
        architecture_named("hypothesis_only:infersnt")
