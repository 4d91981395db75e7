"""Experiment trackers: the epochs of a training, and the numbers and files of a report.

A tracker is a line in :data:`TRACKERS`, with a function that opens a run in it.  Each is asked to send
nothing by itself: without further settings MLflow writes to a file of this machine and W&B to a folder, and
the usage statistics of both are switched off.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from crossexam.core.errors import CrossexamError, MissingExtraError, UnknownNameError
from crossexam.core.output.file_names import artifact_name

#: The project or experiment of the runs, unless the user has named one.
PROJECT: Final = "crossexam"


class OpenRun(NamedTuple):
    """A run in a tracker: *place* is where, *log* takes metrics after a step, or None, *attach* a folder."""

    place: str
    log: Callable[[Mapping[str, float], int | None], object]
    attach: Callable[[Path], object]


@contextmanager
def _mlflow(name: str, parameters: Mapping[str, Any], folder: Path) -> Iterator[OpenRun]:
    """Open a run of MLflow.

    ``MLFLOW_TRACKING_URI`` says where, ``MLFLOW_EXPERIMENT_NAME`` in which experiment.
    """
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    mlflow = import_module("mlflow")
    if not {"MLFLOW_EXPERIMENT_NAME", "MLFLOW_EXPERIMENT_ID"} & os.environ.keys():
        mlflow.set_experiment(PROJECT)
    with mlflow.start_run(run_name=name, nested=True) as started:
        mlflow.log_params(dict(parameters))
        yield OpenRun(
            f"run {started.info.run_id}",
            lambda metrics, step: mlflow.log_metrics(metrics, step=step),
            lambda files: mlflow.log_artifacts(str(files), "report"),
        )


@contextmanager
def _wandb(name: str, parameters: Mapping[str, Any], folder: Path) -> Iterator[OpenRun]:
    """Open a run of W&B, in *folder*, which ``wandb sync`` uploads; ``WANDB_MODE=online`` does so at once.

    ``WANDB_PROJECT`` names the project.
    """
    os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
    wandb = import_module("wandb")
    mode = os.environ.get("WANDB_MODE", "offline")
    settings = wandb.Settings(
        silent=True,
        console="off",
        disable_git=True,
        disable_code=True,
        x_disable_stats=True,
        x_disable_meta=True,
    )
    run = wandb.init(
        project=os.environ.get("WANDB_PROJECT", PROJECT),
        name=name,
        dir=str(folder),
        config=dict(parameters),
        mode=mode,
        settings=settings,
        reinit="create_new",
    )

    def log(metrics: Mapping[str, float], step: int | None) -> None:
        if step is None:
            run.summary.update(metrics)
        else:
            run.log(metrics, step=step)

    def attach(files: Path) -> None:
        artifact = wandb.Artifact(artifact_name(name), type="report")
        artifact.add_dir(str(files))
        run.log_artifact(artifact)

    with run:
        yield OpenRun(run.url if mode == "online" else f"wandb sync {Path(run.dir).parent}", log, attach)


@contextmanager
def _tensorboard(name: str, parameters: Mapping[str, Any], folder: Path) -> Iterator[OpenRun]:
    """Open a log of TensorBoard in *folder*, which has neither parameters nor files."""
    from torch.utils.tensorboard import SummaryWriter

    writer: Any = SummaryWriter(str(folder / "tensorboard"))

    def log(metrics: Mapping[str, float], step: int | None) -> None:
        for metric, value in metrics.items():
            writer.add_scalar(metric, value, step)

    with writer:
        yield OpenRun(str(folder / "tensorboard"), log, lambda files: None)


@dataclass(frozen=True)
class Tracker:
    """A tracker: *open* a run of a name, with parameters, and a folder for what is kept here.

    *extra* has its package, which has its name; *illegal* is what the name of a metric must not contain.
    Only those that keep *files* take reports.
    """

    open: Callable[[str, Mapping[str, Any], Path], AbstractContextManager[OpenRun]]
    extra: str
    illegal: re.Pattern[str]
    files: bool = True


TRACKERS: Final[Mapping[str, Tracker]] = {
    "mlflow": Tracker(_mlflow, "mlflow", re.compile(r"[^\w\-./ ]", re.ASCII)),
    "wandb": Tracker(_wandb, "wandb", re.compile(r"[^\w/]", re.ASCII)),
    "tensorboard": Tracker(_tensorboard, "tracking", re.compile(r"[^ -~]"), files=False),
}


@dataclass(frozen=True)
class TrackedRun:
    """What a tracker is given of a model: its *name*, *metrics*, *parameters*, and a *folder* of files."""

    name: str
    metrics: Mapping[str, float]
    parameters: Mapping[str, str]
    folder: Path


def checked_tracker(name: str, *, files: bool = False) -> str:
    """Return *name*; raises UnknownNameError for other names, MissingExtraError without its package.

    With *files*, only the names of trackers that keep files are known.
    """
    known = [each for each, tracker in TRACKERS.items() if tracker.files or not files]
    if name not in known:
        raise UnknownNameError("tracker of reports" if files else "tracker", name, known)
    if find_spec(name) is None:
        raise MissingExtraError(name, TRACKERS[name].extra, f"--track {name}")
    return name


@contextmanager
def open_run(tracker: str, name: str, parameters: Mapping[str, Any], folder: Path) -> Iterator[OpenRun]:
    """Open a run in *tracker*, whose metrics get legal names; *folder* is for what it keeps here.

    Raises what :func:`checked_tracker` does, and CrossexamError if the tracker fails.
    """
    chosen = TRACKERS[checked_tracker(tracker)]
    with ExitStack() as stack:
        with _failures_of(tracker):
            run = stack.enter_context(chosen.open(name, parameters, folder))

        def log(metrics: Mapping[str, float], step: int | None) -> None:
            names = legal_names(metrics, chosen.illegal)
            with _failures_of(tracker):
                run.log({names[metric]: value for metric, value in metrics.items()}, step)

        yield run._replace(log=log)


@contextmanager
def _failures_of(tracker: str) -> Iterator[None]:
    """Raise CrossexamError for whatever *tracker* raises: an unreachable server, a missing key."""
    try:
        yield
    except CrossexamError:
        raise
    except Exception as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise CrossexamError(
            f"{tracker} failed: {first}",
            where=f"--track {tracker}",
            hint="check its settings (docs/sharing.md), or leave it out",
        ) from error


def track_runs(tracker: str, runs: Sequence[TrackedRun]) -> list[str]:
    """Write *runs*, each as a run of its own, and return where each is; raises what :func:`open_run` does."""
    places = []
    for each in runs:
        with _failures_of(tracker), open_run(tracker, each.name, each.parameters, Path()) as run:
            run.log(each.metrics, None)
            run.attach(each.folder)
            places.append(run.place)
    return places


def legal_names(names: Iterable[str], illegal: re.Pattern[str]) -> dict[str, str]:
    """Return a name without *illegal* characters per name; those that would be the same are numbered.

    >>> legal_names(["a (b)", "a [b]", "c"], re.compile(r"[^a-z ]"))
    {'a (b)': 'a _b_', 'a [b]': 'a _b__2', 'c': 'c'}
    """
    found: dict[str, str] = {}
    for name in names:
        legal = first = illegal.sub("_", name)
        number = 1
        while legal in found.values():
            number += 1
            legal = f"{first}_{number}"
        found[name] = legal
    return found


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
