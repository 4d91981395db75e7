"""crossexam train of models that are fitted in one go: which options each takes, and what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.errors import CrossexamError

if TYPE_CHECKING:
    from rich.table import Table

    from crossexam.shallow.fitting import Request, Trained


@dataclass(frozen=True)
class Shallow:
    """A model fitted in one go: its *name*, the *prefix* of its folder, the options that it *takes*.

    *manner* completes the sentence that refuses other options, *settable* says what can be set instead;
    *columns* gives what is shown beside the scores, by heading, of a manifest.
    """

    name: str
    prefix: str
    manner: str
    settable: str
    train: Callable[[Request], Trained]
    columns: Callable[[Mapping[str, Any]], dict[str, str]]
    takes: frozenset[str] = frozenset()


def _bag_of_words(request: Request) -> Trained:
    from crossexam.shallow.bag_of_words_training import Request as BagOfWordsRequest
    from crossexam.shallow.bag_of_words_training import train_bag_of_words

    return train_bag_of_words(
        BagOfWordsRequest(
            request.train,
            request.dev,
            request.folder,
            request.tests,
            values=request.values,
            limit=request.limit,
            progress=request.progress,
        )
    )


def _hypothesis_fasttext(request: Request) -> Trained:
    from crossexam.shallow.hypothesis_fasttext_training import train_hypothesis_fasttext

    return train_hypothesis_fasttext(request)


def _random_forest(request: Request) -> Trained:
    from crossexam.shallow.random_forest_training import train_random_forest

    return train_random_forest(request)


def _of_regression(manifest: Mapping[str, Any]) -> dict[str, str]:
    unfinished = "" if manifest["converged"] else " (not converged)"
    return {
        "features": f"{sum(manifest['features'].values()):,}",
        "iterations": f"{manifest['iterations']:,}{unfinished}",
    }


def _of_fasttext(manifest: Mapping[str, Any]) -> dict[str, str]:
    return {"words": f"{manifest['words']:,}", "buckets": f"{manifest['buckets_met']:,}"}


def _of_forest(manifest: Mapping[str, Any]) -> dict[str, str]:
    covered = f"{100 * manifest['vectors']['coverage']:.1f} %"
    return {
        "trees": f"{manifest['trees']:,}",
        "nodes": f"{manifest['nodes']:,}",
        "words with a vector": covered,
    }


SHALLOW: Final = {
    each.name: each
    for each in (
        Shallow(
            "bag-of-words",
            "bow",
            "fitted in one go and without chance",
            "--set c=0.1 --set min_count=2 --set pairs=false",
            _bag_of_words,
            _of_regression,
        ),
        Shallow(
            "hypothesis-fasttext",
            "hom",
            "fitted on the CPU in one go",
            "--set learning_rate=0.1 --set width=10 --set ngrams=2",
            _hypothesis_fasttext,
            _of_fasttext,
            frozenset({"--seed", "--epochs"}),
        ),
        Shallow(
            "random-forest",
            "rf",
            "fitted on the CPU in one go",
            "--set trees=200 --set min_leaf=10",
            _random_forest,
            _of_forest,
            frozenset({"--seed", "--vectors"}),
        ),
    )
}
#: The names that Zhang et al. (2020) have for theirs.
ALIASES: Final = {"hom": "hypothesis-fasttext", "rf": "random-forest"}


def shallow_named(name: str) -> Shallow | None:
    """Return the model called *name*, None where no model that is fitted in one go is.

    >>> [found.prefix for name in ("hom", "hypothesis-fasttext") if (found := shallow_named(name))]
    ['hom', 'hom']
    """
    return SHALLOW.get(ALIASES.get(name, name))


def refuse_options(model: Shallow, given: Mapping[str, Any]) -> None:
    """Raise CrossexamError for an option of *given* that has a value and that *model* does not take."""
    for option, value in given.items():
        if value and option not in model.takes:
            raise CrossexamError(
                f"{option} does nothing for {model.name}, which is {model.manner}",
                hint=f"leave out {option}; what can be set: {model.settable}",
            )


def fit_and_show(model: Shallow, request: Request) -> None:
    """Fit the model, then print a line of scores."""
    from dataclasses import replace

    from crossexam.cli.console import progress_bar, show, written

    with progress_bar() as progress:
        trained = model.train(replace(request, progress=progress))
    show(_result(model, request, trained))
    written(request.folder)


def _result(model: Shallow, request: Request, trained: Trained) -> Table:
    from rich.table import Table

    manifest = trained.manifest
    table = Table(title=f"{model.name} on {request.dev}", title_justify="left")
    columns = model.columns(manifest)
    for column in ("model", *columns, "dev accuracy", "dev loss", *request.tests):
        table.add_column(column, justify="left" if column == "model" else "right")
    scores = manifest["scores"]
    table.add_row(
        f"{model.prefix}/{trained.folder}",
        *columns.values(),
        f"{scores['dev_accuracy']:.1f} %",
        f"{scores['dev_loss']:.3f}",
        *(f"{manifest['tests'][spec]['accuracy']:.1f} %" for spec in request.tests),
    )
    return table
