"""Optional experiment trackers, imported only if requested."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol

from crossexam.core.errors import CrossexamError, MissingExtraError, UnknownNameError

_EXTRA: Final = "tracking"


class Tracker(Protocol):
    """A log of each epoch's scores."""

    def log(self, values: Mapping[str, float], step: int) -> None:
        """Log the *values* after *step*."""

    def close(self) -> None:
        """Finish the log."""


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError(name, _EXTRA, f"--track {name}") from None


def numbers_of(record: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers of an epoch's *record*: those of its parts as ``dev/PART``.

    >>> numbers_of({"epoch": 1, "dev": {"snli:dev": 60.5}})
    {'epoch': 1.0, 'dev/snli:dev': 60.5}
    """
    flat: dict[str, float] = {}
    for name, value in record.items():
        if isinstance(value, Mapping):
            flat |= {f"{name}/{part}": number for part, number in numbers_of(value).items()}
        else:
            flat[name] = float(value)
    return flat


class _TensorBoard:
    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            raise MissingExtraError("tensorboard", _EXTRA, "--track tensorboard") from None
        self._writer: Any = SummaryWriter(str(folder / "tensorboard"))

    def log(self, values: Mapping[str, float], step: int) -> None:
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        self._writer.close()


class _WeightsAndBiases:
    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        wandb = _imported("wandb")
        self._run: Any = wandb.init(
            project="crossexam", name=folder.name, dir=str(folder), config=dict(settings)
        )

    def log(self, values: Mapping[str, float], step: int) -> None:
        self._run.log(dict(values), step=step)

    def close(self) -> None:
        self._run.finish()


class _MLflow:
    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        mlflow = _imported("mlflow")
        self._mlflow: Any = mlflow
        mlflow.start_run(run_name=folder.name)
        mlflow.log_params(dict(settings))

    def log(self, values: Mapping[str, float], step: int) -> None:
        self._mlflow.log_metrics(dict(values), step=step)

    def close(self) -> None:
        self._mlflow.end_run()


TRACKERS: Final[dict[str, Callable[[Path, Mapping[str, Any]], Tracker]]] = {
    "tensorboard": _TensorBoard,
    "wandb": _WeightsAndBiases,
    "mlflow": _MLflow,
}


def open_tracker(name: str, folder: Path, settings: Mapping[str, Any]) -> Tracker:
    """Return the tracker called *name*, with *settings* logged.

    Raises UnknownNameError, MissingExtraError, or CrossexamError if the tracker does not start.
    """
    if name not in TRACKERS:
        raise UnknownNameError("tracker", name, TRACKERS)
    try:
        return TRACKERS[name](folder, settings)
    except CrossexamError:
        raise
    except Exception as error:  # an unreachable server, a missing key: exceptions of its own
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise CrossexamError(
            f"{name} failed to start: {first}", where=f"--track {name}", hint="leave it out"
        ) from error
