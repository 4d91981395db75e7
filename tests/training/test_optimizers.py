"""AdaDelta over the touched rows of a table is AdaDelta over the table."""

from __future__ import annotations

from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")

from crossexam.training import optimizers  # noqa: E402
from crossexam.training.optimizers import SparseAdadelta  # noqa: E402
from crossexam.zoo import lstm  # noqa: E402
from crossexam.zoo.layers import WordEmbedding  # noqa: E402


class Toy(torch.nn.Module):
    """Word vectors and a layer over their mean."""

    def __init__(self) -> None:
        super().__init__()
        self.words = WordEmbedding(50, 4)
        self.layer = torch.nn.Linear(4, 2)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        score: torch.Tensor = self.layer(self.words(words).mean(1)).square().sum()
        return score


def trained(optimizer_of: object, steps: int, *, reload_at: int | None = None) -> list[torch.Tensor]:
    """Return the parameters after *steps* on batches of rare and frequent words."""
    torch.manual_seed(0)
    model = Toy()
    optimizer = optimizer_of(model)  # type: ignore[operator]
    for step in range(steps):
        if step == reload_at:
            state = optimizers.flatten(optimizer)
            optimizer = optimizer_of(model)  # type: ignore[operator]
            optimizers.restore(optimizer, *state)
        made = torch.Generator().manual_seed(step)
        words = (50 * torch.rand(3, 4, generator=made) ** 4).long()  # the first words far more often
        optimizer.zero_grad()
        model(words).backward()
        optimizer.step()
    return [p.detach().clone() for p in model.parameters()]


def of_recipe(model: torch.nn.Module) -> torch.optim.Optimizer:
    recipe = replace(lstm.ARCHITECTURE.recipe, optimizer="adadelta", learning_rate=1.0, weight_decay=0.0)
    return optimizers.make_optimizer(model, recipe)


def plain(model: torch.nn.Module) -> torch.optim.Optimizer:
    return torch.optim.Adadelta(model.parameters(), lr=1.0, rho=0.95)


@pytest.mark.slow
def test_it_is_torchs_to_rounding() -> None:
    for here, there in zip(trained(of_recipe, 300), trained(plain, 300), strict=True):
        torch.testing.assert_close(here, there, atol=1e-6, rtol=1e-4)


def test_the_table_is_read_by_rows() -> None:
    optimizer = of_recipe(Toy())
    assert isinstance(optimizer, SparseAdadelta)
    assert [bool(group.get("rows")) for group in optimizer.param_groups] == [False, False, True]


def test_a_saved_state_goes_on_to_the_same_bytes() -> None:
    for here, there in zip(trained(of_recipe, 60), trained(of_recipe, 60, reload_at=31), strict=True):
        assert torch.equal(here, there)


def test_rows_without_gradient_do_not_move() -> None:
    torch.manual_seed(0)
    model = Toy()
    before = model.words.table.weight.detach().clone()
    optimizer = of_recipe(model)
    for _ in range(5):
        optimizer.zero_grad()
        model(torch.tensor([[1, 2], [2, 7]])).backward()
        optimizer.step()
    moved = (model.words.table.weight.detach() != before).any(1).nonzero().squeeze(1)
    assert moved.tolist() == [1, 2, 7]


def test_without_a_gradient_nothing_happens() -> None:
    model = Toy()
    before = [p.detach().clone() for p in model.parameters()]
    of_recipe(model).step()
    assert all(torch.equal(p, q) for p, q in zip(model.parameters(), before, strict=True))


def test_a_closure_makes_the_gradients() -> None:
    torch.manual_seed(0)
    model = Toy()
    optimizer = of_recipe(model)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = model(torch.tensor([[1, 2]]))
        loss.backward()
        return loss

    first = optimizer.step(closure)
    assert first > optimizer.step(closure)


def test_what_follows_an_epoch() -> None:
    """Training stops when the best epoch, the first of equals, is as many epochs ago as patience lasts."""
    recipe = replace(lstm.ARCHITECTURE.recipe, patience=2, factor=0.5)

    def after(schedule: str, *accuracies: float) -> optimizers.Decision:
        given = replace(recipe, schedule=schedule)  # type: ignore[arg-type]
        return optimizers.after_epoch(given, 1.0, accuracies, [0.0] * len(accuracies))

    stops = [after("constant", *curve).stop for curve in ((50, 60), (50, 60, 60), (50, 60, 60, 55))]
    assert stops == [False, False, True]
    rates = [after("halve-every-two", *[50.0] * epochs).rate for epochs in (1, 2, 3, 4)]
    assert rates == [1.0, 0.5, 1.0, 0.5]
    assert [after("halve-on-miss", *curve).rate for curve in ((50, 60), (60, 50))] == [1.0, 0.5]
    missed = after("halve-and-restore", 60, 50)
    assert (missed.rate, missed.restore) == (0.5, True)
    assert not after("halve-and-restore", 50, 60).restore


def test_the_factor_of_each_step() -> None:
    """A tenth of the steps warms up, from the first on, and the rest falls to the last step above zero."""
    factors = [optimizers.step_factor("linear-warmup", step, 40) for step in range(40)]
    assert factors[:5] == pytest.approx([0.25, 0.5, 0.75, 1.0, 1.0])
    assert factors[5:] == pytest.approx([(40 - step) / 36 for step in range(5, 40)])
    assert [optimizers.step_factor("decay", step, 0) for step in (99, 100, 250)] == [1, 0.999, 0.999**2]
