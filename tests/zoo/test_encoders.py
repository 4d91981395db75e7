"""Sentence encoders against their equations, written out anew for one unpadded sentence."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from crossexam.zoo.table import architecture_named
from made.architectures import SIZES, drawn, pairs_of
from made.cases import refused

PREMISES, HYPOTHESES = [[3, 17, 8], [30], [5, 9, 9, 21, 14]], [[4, 8], [22, 13, 1, 39], [6]]
#: Widths of which no two that meet are equal.
WIDTHS = {"width": 6, "hidden": 4, "classifier": 7, "character_width": 3, "filters": 2}


def built(name: str) -> Any:
    """A small model with weights far from zero, so that a wrong formula shows."""
    architecture = architecture_named(name)
    config = architecture.config
    widths: dict[str, Any] = {field: n for field, n in WIDTHS.items() if hasattr(config, field)}
    if name == "shortcut_stacked":
        widths["hidden"] = (3, 4, 5)
    torch.manual_seed(7)
    model: Any = architecture.build(replace(config, **widths), SIZES)
    return drawn(model.double(), 0.5).requires_grad_(False)  # of padding too: nothing may read it


# The equations. Each takes the model, the vectors of a sentence's words, its side and its characters


def states(layer: Any, words: Tensor, start: Any = None) -> Tensor:
    """The states of both directions side by side, [T, 2h]."""
    found: Tensor = layer.lstm(words.unsqueeze(0), start)[0][0]
    return found


def last_state(model: Any, w: Tensor, *_: Any) -> Tensor:
    return states(model.context, model.project(w).tanh())[-1]


def mean_of_side(model: Any, w: Tensor, side: str, *_: Any) -> Tensor:
    return states(model.context[side], w).mean(0)


def maximum(model: Any, w: Tensor, *_: Any) -> Tensor:
    return states(model.context, w).amax(0)


def shortcut(model: Any, w: Tensor, *_: Any) -> Tensor:
    x = w
    for layer in model.layers:
        h = states(layer, x)
        x = torch.cat([x, h], 1)
    return h.amax(0)


def residual(model: Any, w: Tensor, *_: Any) -> Tensor:
    one = states(model.layers[0], w)
    two = states(model.layers[1], torch.cat([w, one], 1))
    return states(model.layers[2], torch.cat([w, one + two], 1)).amax(0)


def spelled(model: Any, characters: Tensor) -> Tensor:
    """The answers of the filters to one word, window by window."""
    letters = model.characters.table.weight[characters[characters > 0]]
    heard = []
    for convolution in model.characters.filters:
        width = convolution.weight.shape[-1]
        padded = torch.cat([letters, letters.new_zeros(width - 1, letters.shape[1])])
        windows = padded.unfold(0, width, 1).unsqueeze(1)  # [letters, 1, d, width]
        heard.append((windows * convolution.weight).sum((2, 3)).amax(0).relu())
    return torch.cat(heard)


def input_gates(lstm: nn.LSTM, x: Tensor, h: Tensor) -> Tensor:
    ahead, back = h.chunk(2, 1)
    start = torch.zeros_like(ahead[:1])
    gates = []
    for way, before in (("l0", [start, ahead[:-1]]), ("l0_reverse", [back[1:], start])):
        of_x, of_h = (getattr(lstm, f"weight_{part}_{way}").chunk(4)[0] for part in ("ih", "hh"))
        bias = sum(getattr(lstm, f"bias_{part}_{way}").chunk(4)[0] for part in ("ih", "hh"))
        gates.append((x @ of_x.T + torch.cat(before) @ of_h.T + bias).sigmoid())
    return torch.cat(gates, 1)


def gated(model: Any, w: Tensor, _: str, characters: Tensor) -> Tensor:
    x = torch.cat([w, torch.stack([spelled(model, each) for each in characters[: len(w)]])], 1)
    read = x
    h = states(model.layers[0], x)
    for layer in model.layers[1:]:
        read = torch.cat([h, x], 1)
        h = states(layer, read)
    norms = input_gates(model.layers[-1].lstm, read, h).norm(dim=1)
    return torch.cat([h.mean(0), h.amax(0), norms @ h / norms.sum()])


def inner(model: Any, w: Tensor, side: str, *_: Any) -> Tensor:
    y = states(model.context, w)
    attention = model.attention[side]
    seen = (y @ attention.states.weight.T + attention.mean.weight @ y.mean(0)).tanh()
    return torch.softmax(seen @ attention.context.weight[0], 0) @ y


def hierarchical(model: Any, w: Tensor, *_: Any) -> Tensor:
    start, maxima = None, []
    for layer in model.layers:
        found, start = layer.lstm(w.unsqueeze(0), start)
        maxima.append(found[0].amax(0))
    return torch.cat(maxima)


def signed(u: Tensor, v: Tensor) -> list[Tensor]:
    return [u, v, u - v, u * v]


def unsigned(u: Tensor, v: Tensor) -> list[Tensor]:
    return [u, v, abs(u - v), u * v]


def through(layers: Callable[[Any], Any], activation: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    def classify(model: Any, x: Tensor) -> Tensor:
        for layer in layers(model):
            if isinstance(layer, nn.Linear):
                x = activation(layer(x))
        return x

    return classify


def twice_over_the_match(model: Any, x: Tensor) -> Tensor:
    found: Tensor = model.second(torch.cat([x, model.hidden(x).relu()])).relu()
    return found


perceptron = through(lambda model: model.layers, torch.relu)
classifier = through(lambda model: model.classifier, torch.relu)
Equations = tuple[Callable[..., Tensor], Callable[[Tensor, Tensor], list[Tensor]], Callable[..., Tensor]]
#: How a sentence is encoded, how two codes are matched, and what becomes the features of the pair.
EQUATIONS: dict[str, Equations] = {
    "cbow": (lambda _model, w, *_: w.sum(0), signed, perceptron),
    "lstm": (last_state, lambda u, v: [u, v], through(lambda model: model.layers, torch.tanh)),
    "bilstm": (mean_of_side, signed, through(lambda model: [model.mlp], torch.relu)),
    "infersent": (maximum, unsigned, through(lambda model: model.linear, lambda x: x)),
    "bilstm_max": (maximum, unsigned, perceptron),
    "shortcut_stacked": (shortcut, unsigned, classifier),
    "residual_stacked": (residual, unsigned, classifier),
    "gated_attention": (gated, unsigned, twice_over_the_match),
    "rivercorners": (inner, lambda u, v: [u, v, u * v, abs(u - v)], classifier),
    "hbmp": (
        hierarchical,
        unsigned,
        through(lambda model: model.classifier, lambda x: nn.functional.leaky_relu(x, 0.01)),
    ),
}


def conditional_features(model: Any, premise: Tensor, hypothesis: Tensor) -> Tensor:
    _, final = model.premise.lstm(premise.unsqueeze(0))
    _, (ends, _) = model.hypothesis.lstm(hypothesis.unsqueeze(0), final)
    return through(lambda model: model.layers, torch.tanh)(model, ends.flatten())


def without_premise(model: Any, _: Tensor, hypothesis: Tensor) -> Tensor:
    """InferSent of v and |v|."""
    v = maximum(model.encoder, hypothesis)
    first, second = model.encoder.linear
    columns = first.weight.chunk(4, 1)  # of u, v, |u - v|, u * v
    found: Tensor = second(columns[1] @ v + columns[2] @ abs(v) + first.bias)
    return found


#: Those whose features are not of two codes.
OF_PAIRS = {"conditional_encoder": conditional_features, "hypothesis_only:infersent": without_premise}


@pytest.mark.parametrize("name", [*EQUATIONS, *OF_PAIRS])
def test_a_padded_batch_has_the_logits_of_the_equations(name: str) -> None:
    model, pairs = built(name), pairs_of(PREMISES, HYPOTHESES, extra=2)
    wanted = []
    for row, texts in enumerate(zip(PREMISES, HYPOTHESES, strict=True)):
        premise, hypothesis = (model.words.table.weight[text] for text in texts)
        if name in OF_PAIRS:
            features = OF_PAIRS[name](model, premise, hypothesis)
        else:
            encode, match, classify = EQUATIONS[name]
            u = encode(model, premise, "premise", pairs.premise.characters[row])
            v = encode(model, hypothesis, "hypothesis", pairs.hypothesis.characters[row])
            features = classify(model, torch.cat(match(u, v)))
        wanted.append(model.output(features))
    torch.testing.assert_close(model(pairs), torch.stack(wanted), rtol=1e-6, atol=1e-9)


def test_a_conditional_encoder_has_no_hypothesis_only_form() -> None:
    said = refused(architecture_named, "hypothesis_only:conditional_encoder")
    assert "'conditional_encoder' has no hypothesis-only form" in said
