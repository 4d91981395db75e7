"""The results of a report as metrics and parameters of experiment trackers, with its page and JSON."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from crossexam.core.estimate import Bounds, Estimate
from crossexam.core.manifest import package_version
from crossexam.reports.figures import Figure
from crossexam.reports.report import Report
from crossexam.reports.results import Results
from crossexam.reports.sections import figures_by_set
from crossexam.training.trackers import TrackedRun, checked_tracker, track_runs

if TYPE_CHECKING:
    from crossexam.core.dataset import Run


def track_report(report: Report, tracker: str) -> list[str]:
    """Write *report* to the tracker called *tracker*, a run per model, and return where each is.

    A run has the numbers of its model as metrics, what they depend on as parameters, and the page and the
    JSON of the whole report as files.  Raises UnknownNameError, MissingExtraError, or CrossexamError if the
    tracker fails.
    """
    checked_tracker(tracker, files=True)
    with TemporaryDirectory() as folder:
        report.save(Path(folder) / "report.html")
        report.save(Path(folder) / "report.json")
        metrics = metrics_of(report.results)
        return track_runs(
            tracker,
            [
                TrackedRun(model.name, metrics[model.name], parameters_of(model.run), Path(folder))
                for model in report.results.models
            ],
        )


#: What trackers are given of a test set, by statistic: a difference from a base is a drop, too.
_TRACKED: Final = {"accuracy": "accuracy", "drop": "drop", "difference": "drop"}


def metrics_of(results: Results) -> dict[str, dict[str, float]]:
    """Return by model the accuracy and drop on each test set with their ends or bounds, as ``SET/NUMBER``."""
    found: dict[str, dict[str, float]] = {model.name: {} for model in results.models}
    for (model, test_set), figures in figures_by_set(results).items():
        for statistic, name in _TRACKED.items():
            if model in found and statistic in figures:
                numbers = dict(_numbers(statistic, name, figures))
                found[model] |= {
                    f"{test_set}/{key}": each for key, each in numbers.items() if math.isfinite(each)
                }
    return found


def _numbers(statistic: str, name: str, figures: Mapping[str, Figure]) -> Iterator[tuple[str, float]]:
    """Yield the value of a statistic and the ends of its interval; the bounds if only these are known."""
    estimate = figures[statistic].value
    if not isinstance(estimate, Estimate):
        return
    if isinstance(estimate, Bounds):
        yield from ((f"{name}_least", estimate.least.value), (f"{name}_most", estimate.most.value))
    elif math.isnan(estimate.value):
        return
    else:
        yield name, estimate.value
    yield from ((f"{name}_low", estimate.low), (f"{name}_high", estimate.high))


def parameters_of(run: Run) -> dict[str, str]:
    """Return the model, its key, a hash of the items, and the versions of the packages."""
    manifest = run.manifest
    known = {
        "model": run.model,
        "model_key": manifest.model_key,
        "suite": suite_hash(run),
        "test_sets": len(run.datasets),
        "crossexam": package_version(),
        "python": manifest.python,
        **{f"version_{name}": version for name, version in (manifest.packages or {}).items()},
    }
    return {name: str(value) for name, value in known.items() if value is not None}


def suite_hash(run: Run) -> str:
    """Return a hash of the names and contents of the test sets of *run*, in 16 hexadecimal digits."""
    contents: Mapping[str, str] = {name: each.stated_hash for name, each in run.datasets.items()}
    text = "\n".join(f"{name}\t{contents[name]}" for name in sorted(contents))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
