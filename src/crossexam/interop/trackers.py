"""Reports as runs of experiment trackers: metrics, parameters and files.

A tracker is a function and a line in :data:`REPORT_TRACKERS`.  Each is asked to send nothing by itself:
without further settings MLflow writes to a file of this machine and W&B to a folder, and the usage statistics
of both are switched off.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from crossexam.core.errors import CrossexamError, MissingExtraError, UnknownNameError

#: The project or experiment of the runs, unless the user has named one.
PROJECT: Final = "crossexam"
#: What each tracker allows in the name of a metric; anything else becomes an underscore.
_MLFLOW_NAMES: Final = re.compile(r"[^\w\-./ ]", re.ASCII)
_WANDB_NAMES: Final = re.compile(r"[^\w/]", re.ASCII)


@dataclass(frozen=True)
class TrackedRun:
    """What a tracker is given of a model: its *name*, *metrics*, *parameters*, and a *folder* of files."""

    name: str
    metrics: Mapping[str, float]
    parameters: Mapping[str, str]
    folder: Path


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


def _legal(metrics: Mapping[str, float], illegal: re.Pattern[str]) -> dict[str, float]:
    legal = legal_names(metrics, illegal)
    return {legal[name]: value for name, value in metrics.items()}


def to_mlflow(runs: Sequence[TrackedRun]) -> list[str]:
    """Write *runs* to MLflow, each as a run of its own, and return where each is.

    ``MLFLOW_TRACKING_URI`` says where to, ``MLFLOW_EXPERIMENT_NAME`` to which experiment.
    """
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    mlflow = _imported("mlflow")
    if not {"MLFLOW_EXPERIMENT_NAME", "MLFLOW_EXPERIMENT_ID"} & os.environ.keys():
        mlflow.set_experiment(PROJECT)
    places = []
    for run in runs:
        with mlflow.start_run(run_name=run.name, nested=True) as started:
            mlflow.log_params(dict(run.parameters))
            mlflow.log_metrics(_legal(run.metrics, _MLFLOW_NAMES))
            mlflow.log_artifacts(str(run.folder), "report")
            places.append(f"run {started.info.run_id}")
    return places


def to_wandb(runs: Sequence[TrackedRun]) -> list[str]:
    """Write *runs* to W&B, each as a run of its own, and return where each is.

    They are written to a folder, which ``wandb sync`` uploads; with ``WANDB_MODE=online`` they are uploaded
    at once.  ``WANDB_PROJECT`` names the project.
    """
    os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
    wandb = _imported("wandb")
    settings = wandb.Settings(
        silent=True,
        console="off",
        disable_git=True,
        disable_code=True,
        x_disable_stats=True,
        x_disable_meta=True,
    )
    mode = os.environ.get("WANDB_MODE", "offline")
    places = []
    for run in runs:
        started = wandb.init(
            project=os.environ.get("WANDB_PROJECT", PROJECT),
            name=run.name,
            config=dict(run.parameters),
            mode=mode,
            settings=settings,
            reinit="create_new",
        )
        started.summary.update(_legal(run.metrics, _WANDB_NAMES))
        artifact = wandb.Artifact(re.sub(r"[^\w.-]", "_", f"report-{run.name}")[:128], type="report")
        artifact.add_dir(str(run.folder))
        started.log_artifact(artifact)
        places.append(started.url if mode == "online" else f"wandb sync {Path(started.dir).parent}")
        started.finish()
    return places


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtraError(name, name, f"--track {name}") from None


REPORT_TRACKERS: Final[Mapping[str, Callable[[Sequence[TrackedRun]], list[str]]]] = {
    "mlflow": to_mlflow,
    "wandb": to_wandb,
}


def checked_tracker(name: str) -> str:
    """Return *name*; raises UnknownNameError for other names, MissingExtraError without its package."""
    if name not in REPORT_TRACKERS:
        raise UnknownNameError("tracker of reports", name, REPORT_TRACKERS)
    from importlib.util import find_spec

    if find_spec(name) is None:
        raise MissingExtraError(name, name, f"--track {name}")
    return name


def track_runs(name: str, runs: Sequence[TrackedRun]) -> list[str]:
    """Write *runs* to the tracker called *name* and return where each is.

    Raises what :func:`checked_tracker` does, and CrossexamError if the tracker fails.
    """
    write = REPORT_TRACKERS[checked_tracker(name)]
    try:
        return write(runs)
    except CrossexamError:
        raise
    except Exception as error:  # an unreachable server, a missing key: exceptions of its own
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise CrossexamError(
            f"{name} did not take the report: {first}",
            where=f"--track {name}",
            hint="check its settings (docs/sharing.md), or leave it out",
        ) from error
