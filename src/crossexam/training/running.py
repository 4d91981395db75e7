"""A request carried out by the loop: folder, hooks, snapshots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn

from crossexam.training import folder
from crossexam.training.devices import Device
from crossexam.training.loop import Trainer
from crossexam.training.objective import Objective
from crossexam.training.plan import Epoch, Plan, Score
from crossexam.training.request import Request
from crossexam.training.tracking import open_tracker
from crossexam.zoo.recipe import Recipe


def carry_out(
    request: Request,
    objective: Objective,
    epoch_of: Callable[[int], Epoch],
    score: Callable[[nn.Module], Score],
    recipe: Recipe,
    device: Device,
    prints: dict[str, Any],
) -> list[dict[str, Any]]:
    """Train *objective* as *request* asks, and return the curve; its model has the best weights then."""
    request.folder.mkdir(parents=True, exist_ok=True)
    names = request.trackers if device.is_main else ()
    trackers = [open_tracker(name, request.folder, prints["recipe"]) for name in names]
    plan = Plan(
        recipe, request.seed, device, request.folder / folder.UNFINISHED, request.folder / folder.METRICS,
        prints, snapshot_steps=request.snapshot_steps, watch=request.watch, trackers=trackers,
    )  # fmt: skip
    try:
        return Trainer(objective, epoch_of, score, plan).run()
    finally:
        for tracker in trackers:
            tracker.close()
