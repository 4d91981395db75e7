"""The contract of the zoo, tested on every entry of the table of architectures.

Sizes are shrunk by `shrunken`; parameter counts are those of the papers' sizes, on the `meta` device, where
weights take no memory.
"""

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import crossexam.zoo
from crossexam.published.figures import published
from crossexam.zoo.architecture import Architecture, Classifier
from crossexam.zoo.layers import Sizes
from crossexam.zoo.table import ABBREVIATIONS, ARCHITECTURES, architecture_named, table_name
from made.architectures import SIZES, pairs_of, shrunken

PAPER = Sizes(words=10, characters=100, tags=48)  # words are left out of the count, tags are Penn's 47
MOST = 8  # a width of a shrunken configuration
# Fields that `shrunken` leaves too large or makes too small.
TINY: dict[str, dict[str, Any]] = {
    "decomposable_attention": {"deviation": 0.3},  # .01 is for layers of 200
    "diin": {"block_layers": 2},  # 24 shaken layers end at 1e7, where float32 has no decimals
}


def shaken(architecture: Architecture, **changes: Any) -> Any:
    """Return a small model without dropout, in evaluation, whose every weight is moved, as by training.

    Biases that start at zero would else hide a missing mask. As in training, vectors of padding stay zero.
    """
    torch.manual_seed(0)
    config = shrunken(architecture.config, MOST, **{**TINY.get(architecture.name, {}), **changes})
    model: Any = architecture.build(config, SIZES)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
        for module in model.modules():
            if isinstance(module, nn.Embedding) and module.padding_idx is not None:
                module.weight[module.padding_idx] = 0
    return model.eval()


of_all = pytest.mark.parametrize("architecture", ARCHITECTURES.values(), ids=list(ARCHITECTURES))

PREMISES = [[9, 37, 5, 17, 8, 32, 15], [14, 2, 29], [7, 25, 13, 31, 3, 20, 36, 1], [4, 4, 39], [6, 22, 10]]
HYPOTHESES = [[9, 5, 12, 30], [14, 35, 2, 21, 19, 28], [16, 3, 7], [38, 4, 27, 18, 24, 34, 23], [22, 10]]
LONGER = list(range(3, 26))


def close(got: Tensor, wanted: Tensor, tolerance: float = 1e-5) -> None:
    scale = max(1.0, float(wanted.detach().abs().max()))
    torch.testing.assert_close(got, wanted, atol=tolerance * scale, rtol=0)


def test_every_file_with_an_architecture_is_in_the_table() -> None:
    found = set()
    for name in (module.name for module in pkgutil.iter_modules(crossexam.zoo.__path__)):
        module = importlib.import_module(f"crossexam.zoo.{name}")
        found |= {module.ARCHITECTURE.name} if hasattr(module, "ARCHITECTURE") else set()
    assert found == set(ARCHITECTURES)


def test_the_models_of_a_paper_are_known_by_its_names_in_any_case() -> None:
    named = [name for name in published("nie2019").table("predictions").cells if name != "Human"]
    for name in (*named, *ABBREVIATIONS):
        assert architecture_named(name.lower()) is architecture_named(name.upper())
        assert architecture_named(name) is ARCHITECTURES[table_name(name)]
    assert table_name("Hypothesis-fastText") == "Hypothesis-fastText"


def test_parameters_are_those_of_the_paper_by_number_and_of_older_checkpoints_by_name_and_shape(
    golden: Callable[[str, str], None],
) -> None:
    lines: list[str] = []
    for name, architecture in ARCHITECTURES.items():
        with torch.device("meta"):
            model: Any = architecture.build(architecture.config, PAPER)
        shapes = {key: [*value.shape] for key, value in model.state_dict().items()}
        lines.extend([f"{name}\n", *(f"  {key} {shape}\n" for key, shape in shapes.items())])
        count = sum(parameter.numel() for parameter in model.parameters()) - model.words.table.weight.numel()
        assert count == pytest.approx(architecture.parameters, rel=architecture.tolerance), name
    golden("parameters.txt", "".join(lines))


@of_all
def test_logits_depend_neither_on_padding_nor_on_the_batch(architecture: Architecture) -> None:
    model, order = shaken(architecture), [3, 0, 4, 2, 1]

    def of(premises: list[list[int]], hypotheses: list[list[int]], **more: int) -> Tensor:
        logits: Tensor = model(pairs_of(premises, hypotheses, **more))
        return logits

    with torch.no_grad():
        features = model.features(pairs_of(PREMISES, HYPOTHESES))
        logits = of(PREMISES, HYPOTHESES)
        close(of([*PREMISES, LONGER], [*HYPOTHESES, [1]])[:-1], logits)
        close(of([*PREMISES, [1]], [*HYPOTHESES, LONGER])[:-1], logits)
        close(of(PREMISES, HYPOTHESES, extra=3), logits)
        close(torch.cat([of([p], [h]) for p, h in zip(PREMISES, HYPOTHESES, strict=True)]), logits)
        close(of([PREMISES[i] for i in order], [HYPOTHESES[i] for i in order]), logits[order])
    assert isinstance(model, Classifier)
    assert logits.shape == (len(PREMISES), 3)
    close(model.output(features), logits)
    assert logits.std(0).min() > 1e-4  # pairs differ


def without_gradient(model: nn.Module, loss: Tensor) -> list[str]:
    loss.backward()  # type: ignore[no-untyped-call]
    trained = {name: p.grad for name, p in model.named_parameters() if p.requires_grad}
    return [name for name, gradient in trained.items() if gradient is None or not gradient.any()]


@of_all
def test_every_trainable_parameter_gets_a_gradient(architecture: Architecture) -> None:
    model = shaken(architecture).train()
    assert model.words.table.weight.requires_grad == (architecture.recipe.vectors == "tuned")
    logits = model(pairs_of(PREMISES, HYPOTHESES))
    loss = nn.functional.cross_entropy(logits, torch.tensor([0, 1, 2, 0, 1]))
    assert not without_gradient(model, loss)


@pytest.mark.parametrize(
    "architecture", [each for each in ARCHITECTURES.values() if hasattr(each.config, "recurrence")]
)
def test_without_recurrence_no_order_of_words_matters(architecture: Architecture) -> None:
    """The ablation of Nie et al. (2019, section 4.1)."""
    turned = [[text[::-1] for text in side] for side in (PREMISES, HYPOTHESES)]
    for recurrence, matters in (("lstm", True), ("feedforward", False)):
        model = shaken(architecture, recurrence=recurrence)
        recurrent = any(isinstance(each, nn.RNNBase | nn.RNNCellBase) for each in model.modules())
        assert not recurrent or matters
        logits = model(pairs_of(PREMISES, HYPOTHESES))
        if "trees" not in architecture.needs:  # the other inputs move with the word
            assert torch.allclose(logits, model(pairs_of(*turned)), atol=1e-4) is (not matters)
    close(model(pairs_of([*PREMISES, LONGER], [*HYPOTHESES, [1]]))[:-1], logits)
    assert not without_gradient(model, logits.logsumexp(1).sum())
