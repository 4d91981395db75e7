"""AdaDelta over the touched rows of a table is AdaDelta over the table."""

from collections.abc import Callable

import torch

from crossexam.training import optimizers
from crossexam.zoo.architecture import Recipe
from crossexam.zoo.layers import WordEmbedding


def trained(optimizer_of: Callable[[torch.nn.Module], torch.optim.Optimizer]) -> list[torch.Tensor]:
    """Return the parameters after steps on batches of rare and frequent words."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(WordEmbedding(50, 4), torch.nn.Flatten(), torch.nn.Linear(16, 2))
    optimizer = optimizer_of(model)
    for step in range(100):
        made = torch.Generator().manual_seed(step)
        words = (50 * torch.rand(3, 4, generator=made) ** 4).long()  # the first words far more often
        optimizer.zero_grad()
        model(words).square().sum().backward()
        optimizer.step()
    return list(model.parameters())


def test_it_is_torchs_to_rounding() -> None:
    recipe = Recipe("adadelta", 1.0, 2, 4, source="")
    touched = trained(lambda model: optimizers.make_optimizer(model, recipe))
    plain = trained(lambda model: torch.optim.Adadelta(model.parameters(), lr=1.0, rho=0.95))
    for here, there in zip(touched, plain, strict=True):
        torch.testing.assert_close(here, there, atol=1e-6, rtol=1e-4)
