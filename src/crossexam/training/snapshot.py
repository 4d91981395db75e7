"""Where a training stands, as one safetensors file: tensors, and all else as JSON in its header.

One file, renamed when it is whole, so that a run killed at any moment finds one state or the one before,
never half of each.  Nothing is pickled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import finished_or_absent

_FORMAT: Final = "crossexam-training-1"


def save_tensors(path: Path, tensors: Mapping[str, Tensor], state: Mapping[str, Any] | None = None) -> None:
    """Write *tensors* and, in the file's header, *state* to *path*, whole or not at all."""
    from safetensors.torch import save_file

    held = {name: tensor.detach().cpu().clone().contiguous() for name, tensor in tensors.items()}
    header = {"format": _FORMAT, "state": json.dumps(state)} if state is not None else {"format": "pt"}
    with finished_or_absent(path) as temporary:
        save_file(held, temporary, metadata=header)


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the tensors in *path*, on the CPU, and its state; raises FormatError where it is damaged."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as stored:
            header = stored.metadata() or {}
            tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise FormatError(f"not a safetensors file: {error}", where=str(path)) from None
    return tensors, json.loads(header.get("state", "{}"))


def under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return *tensors* with *prefix* and a slash before each name."""
    return {f"{prefix}/{name}": tensor for name, tensor in tensors.items()}


def those_under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors that :func:`under` named with *prefix*, by their own names."""
    start = f"{prefix}/"
    return {name.removeprefix(start): tensor for name, tensor in tensors.items() if name.startswith(start)}


def random_states() -> dict[str, Tensor]:
    """Return the states of torch's random generators, of the CPU and of each CUDA device."""
    states = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        states |= {f"cuda{number}": state for number, state in enumerate(torch.cuda.get_rng_state_all())}
    return states


def set_random_states(states: Mapping[str, Tensor]) -> None:
    """Put back what :func:`random_states` returned; a device that is not here is passed over."""
    torch.set_rng_state(states["cpu"])
    for number in range(torch.cuda.device_count()):
        if f"cuda{number}" in states:
            torch.cuda.set_rng_state(states[f"cuda{number}"], number)


def refuse_other(found: Mapping[str, Any], ours: Mapping[str, Any], folder: Path) -> None:
    """Raise CrossexamError where *folder* holds a training that depends on something else than *ours*."""
    differing = [name for name in sorted({*found, *ours}) if found.get(name) != ours.get(name)]
    if differing:
        name = differing[0]
        raise CrossexamError(
            f"it holds a training with another {name}: {_short(found.get(name))}, "
            f"not {_short(ours.get(name))}",
            where=str(folder),
            hint="choose another folder, or remove this one",
        )


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
