"""What a report is made from: runs, and every measure of theirs, computed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeVar, cast

from crossexam.core.arguments import shown, whole_number
from crossexam.core.dataset import Dataset, Run, counted_items
from crossexam.core.errors import CrossexamError
from crossexam.core.manifest import CROSS_DATASET
from crossexam.core.outcome import MAX_UNANSWERED, check_max_unanswered
from crossexam.reports.names import short_model_names, short_names
from crossexam.stats.p_values import ALPHA

if TYPE_CHECKING:
    from crossexam.evaluation.calibration import Temperature
    from crossexam.evaluation.comparison import Comparisons
    from crossexam.evaluation.cross_dataset import BenchmarkScore
    from crossexam.evaluation.fact_checking import Threshold, ThresholdChoice
    from crossexam.evaluation.measures import TestSetResult
    from crossexam.evaluation.repeat import Noise
    from crossexam.evaluation.scores import Scored
    from crossexam.evaluation.seen_pairs import TrainingPairs

Owner = TypeVar("Owner", "ModelResults", "Results")
Found = TypeVar("Found")

#: The items of each test set that the page shows: as many, those that some model got wrong, or all.
ItemChoice = int | Literal["errors", "all"]
ITEMS_PER_SET: Final = 400

#: From so many models on, a report ranks them; two are compared as A and B.
SEVERAL: Final = 3
#: Up to so many models, their matrices and drawings are readable; of more there are only tables.
MOST_COMPARED: Final = 12


def item_choice(value: object, name: str = "items") -> ItemChoice:
    """Return *value*, the argument *name*, as a choice of items; raises CrossexamError for anything else.

    >>> item_choice(25), item_choice("errors")
    (25, 'errors')
    """
    if value in ("errors", "all"):
        return cast("ItemChoice", value)
    try:
        return whole_number(value, name, least=1)
    except CrossexamError:
        wanted = "errors, all or a whole number above 0"
        raise CrossexamError(f"{name} is {shown(value)}", wanted=wanted) from None


def check_level(alpha: float) -> None:
    """Raise CrossexamError if the level of significance *alpha* is not between 0 and 1."""
    if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 < alpha < 1:
        raise CrossexamError(
            f"the level of significance (alpha) is {alpha}", wanted="a number between 0 and 1, such as 0.05"
        )


@dataclass(frozen=True)
class ReportOptions:
    """What is measured of runs, and shown of them.

    *published_rows* adds the systems published for the same test sets; *items* says which items of each
    test set the page shows: a number of them, ``"errors"`` (those that some model got wrong) or ``"all"``.
    *relative_to* is the number of the run over which the relative improvement of the others is shown.
    Corrected p-values of at most *alpha* are significant.  The word pairs of two runs are looked up in
    *training*.  If more than the share *max_unanswered* of a test set was not answered, there are only bounds
    of its results.  With *calibration*, calibration and selective prediction are in every format, not in CSV
    and JSON alone; so they are if temperatures are fitted on the runs *temperature_from*, each for the runs
    of the same model.  *threshold* is that of fact checking, 1/2 if None.  Raises CrossexamError if *items*
    is anything else, *alpha* is not between 0 and 1, or *max_unanswered* not from 0 to 1.
    """

    published_rows: bool = True
    items: ItemChoice = ITEMS_PER_SET
    relative_to: int | None = None
    alpha: float = ALPHA
    training: TrainingPairs | None = None
    max_unanswered: float = MAX_UNANSWERED
    calibration: bool = False
    temperature_from: Sequence[Run] = ()
    threshold: ThresholdChoice | None = None

    def __post_init__(self) -> None:
        check_level(self.alpha)
        check_max_unanswered(self.max_unanswered)
        item_choice(self.items)
        if self.temperature_from:
            object.__setattr__(self, "calibration", True)

    @classmethod
    def of(
        cls,
        given: object,
        *,
        training: TrainingPairs | None,
        relative_to: int | None = None,
        temperature_from: Sequence[Run] = (),
        threshold: ThresholdChoice | None = None,
    ) -> Self:
        """Return the options of a report from those *given* to a command or function, and what needs runs.

        *given* has those of the same name that it has.
        """
        of_runs: dict[str, Any] = {
            "training": training,
            "relative_to": relative_to,
            "temperature_from": temperature_from,
            "threshold": threshold,
        }
        names = [each.name for each in fields(cls) if each.name not in of_runs and hasattr(given, each.name)]
        return cls(**{name: getattr(given, name) for name in names}, **of_runs)


DEFAULTS: Final = ReportOptions()


def once(measure: Callable[[Owner], Found]) -> Callable[[Owner], Found]:
    """Return *measure*, a function of the results of a model or of a report, computed once for each."""
    key = f"{measure.__module__}.{measure.__qualname__}"

    @wraps(measure)
    def kept(of: Owner) -> Found:
        known = of.__dict__
        if key not in known:
            known[key] = measure(of)
        return cast("Found", known[key])

    return kept


@dataclass(frozen=True, repr=False)
class ModelResults:
    """The measures of a *run*, under the *name* of its model in the report, with the *options* of that.

    *results* are those of each test set; what else an analysis measures, it computes itself (:func:`once`).
    *temperature* is that of the probabilities, if one was fitted; *thresholds* are those of fact checking, by
    test set.
    """

    name: str
    run: Run
    results: tuple[TestSetResult, ...]
    options: ReportOptions = DEFAULTS
    temperature: Temperature | None = None
    thresholds: Mapping[str, Threshold] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"ModelResults({self.name!r}, {counted_items(len(self.results), 'test set')})"

    def result(self, test_set: str) -> TestSetResult | None:
        """Return the measures of *test_set*, or None if the model was not run over it."""
        return next((result for result in self.results if result.name == test_set), None)

    @property
    def scores(self) -> dict[str, Scored]:
        """The scored items of the test sets of which an accuracy is known, not only its bounds."""
        return {
            each.name: each.parts.scored
            for each in self.results
            if each.parts is not None and not each.only_bounds
        }

    @cached_property
    def answered(self) -> Run:
        """The run over the test sets of which an accuracy is known, not only its bounds.

        Whatever has no bounds of its own is measured on it.
        """
        kept = [result.name for result in self.results if not result.only_bounds]
        return self.run if len(kept) == len(self.run.datasets) else self.run.restricted_to(kept)

    @cached_property
    def only_bounds(self) -> tuple[str, ...]:
        """The test sets of which only bounds of the accuracy are known."""
        return tuple(result.name for result in self.results if result.only_bounds)

    @cached_property
    def noise(self) -> Noise | None:
        """How often the model changes its answers when it is asked again, None if that was not measured."""
        from crossexam.evaluation.repeat import noise_of

        return noise_of(self.run)

    def noise_floor(self, result: TestSetResult) -> float | None:
        """Return how much the drop in *result* changes by chance when the model is asked again, at most.

        None if there is no drop, or if the noise of the model was not measured.
        """
        from crossexam.evaluation.repeat import noise_floor

        loss, base = result.loss, result.base_accuracy
        if self.noise is None or loss is None or base is None:
            return None
        items = loss.n if result.drop is not None else result.accuracy.n  # a difference has those of both
        return noise_floor((self.noise, base.n), (self.noise, items))

    def is_within_noise(self, result: TestSetResult) -> bool | None:
        """Return whether the drop in *result* is not above its noise floor; None if either is not known."""
        from crossexam.evaluation.repeat import is_within

        if self.noise is None:
            return None
        return is_within(result.loss, self.noise_floor(result))

    @cached_property
    def benchmark(self) -> BenchmarkScore | None:
        """The score on the cross-dataset benchmark; None without corpora of the benchmark."""
        from crossexam.evaluation.cross_dataset import benchmark_score

        if not any(CROSS_DATASET in dataset.entry.facts for dataset in self.run.datasets.values()):
            return None
        return benchmark_score(self.run, self.results)

    @cached_property
    def gives_probabilities(self) -> bool:
        """Whether the model gave probabilities for any test set, and not only labels."""
        from crossexam.evaluation.shares import gives_labels_only

        return any(not gives_labels_only(self.run.answers(name)) for name in self.run.datasets)


@dataclass(frozen=True, repr=False)
class Results:
    """The results of the models of a report, and the *options* that say what to show of them."""

    models: tuple[ModelResults, ...]
    options: ReportOptions = DEFAULTS

    def __repr__(self) -> str:
        models = ", ".join(repr(model.name) for model in self.models)
        return f"Results({models}: {counted_items(len(self.test_sets), 'test set')})"

    @property
    def base_model(self) -> ModelResults | None:
        """The model over which the relative improvement of the others is shown, if any."""
        return None if self.options.relative_to is None else self.models[self.options.relative_to]

    @property
    def pair(self) -> str:
        """What exactly two models are called that are compared, A and B."""
        return " against ".join(model.name for model in self.models)

    @property
    def runs(self) -> list[Run]:
        """The runs of the models."""
        return [model.run for model in self.models]

    @cached_property
    def test_sets(self) -> dict[str, Dataset]:
        """The test sets by name, in order of appearance, each from the first run that has it."""
        datasets: dict[str, Dataset] = {}
        for run in self.runs:
            for name, dataset in run.datasets.items():
                datasets.setdefault(name, dataset)
        return datasets

    @cached_property
    def short_names(self) -> dict[str, str]:
        """The short name of each test set, for readers."""
        return short_names(self.test_sets)

    @cached_property
    def drop_bases(self) -> frozenset[str]:
        """The test sets from which the drop on others is measured, and the corpora as they are."""
        compared = {each.base_set for model in self.models for each in model.results if each.lost is not None}
        bases = {name for name, dataset in self.test_sets.items() if dataset.entry.is_base}
        return frozenset(name for name in compared | bases if name is not None)

    @cached_property
    def without_base(self) -> tuple[str, ...]:
        """The test sets whose items have no counterpart in a base, in a report of drops on others."""
        if all(each.lost is None for model in self.models for each in model.results):
            return ()
        measured = {each.name for model in self.models for each in model.results if each.base_set is None}
        return tuple(name for name in self.test_sets if name in measured - self.drop_bases)

    @cached_property
    def comparison(self) -> Comparisons:
        """All that is compared of exactly two models, on the test sets of both; empty if they share none."""
        from crossexam.evaluation.comparison import Comparisons

        if len(self.runs) != 2:
            return Comparisons()
        limit, training = self.options.max_unanswered, self.options.training
        return Comparisons.of(*self.runs, max_unanswered=limit, training=training)

    @cached_property
    def short_models(self) -> tuple[str, ...]:
        """The short name of each model, for matrices and charts of several models."""
        return short_model_names([model.name for model in self.models])

    @property
    def same_labels(self) -> bool:
        """Whether all models have three labels, or all have two."""
        return len({run.two_labels for run in self.runs}) == 1

    @property
    def published_of_three(self) -> bool:
        """Whether figures published for three labels are shown: not if all models have two."""
        return self.options.published_rows and not all(run.two_labels for run in self.runs)

    def by_test_set(self) -> Iterator[tuple[str, ModelResults, TestSetResult]]:
        """Yield name, model and measures of every test set, ordered by test set."""
        for name in self.test_sets:
            for model in self.models:
                if (result := model.result(name)) is not None:
                    yield name, model, result


def results_of(runs: Sequence[Run], options: ReportOptions = DEFAULTS) -> Results:
    """Return the results of *runs*, each model under a name of its own.

    Raises CrossexamError if there is no run, if a test set of one name holds different items in two runs, if
    the run that the others are *relative_to* has no corpus of the cross-dataset benchmark, if calibration is
    asked for and a model gave labels only, or if a temperature cannot be fitted or a threshold not be chosen.
    """
    from crossexam.evaluation.candidates import count_candidates
    from crossexam.evaluation.fact_checking import ThresholdChoice, thresholds_for
    from crossexam.evaluation.measures import measure
    from crossexam.evaluation.shares import probabilities_needed

    if not runs:
        raise CrossexamError("no runs to report", hint="crossexam run MODEL SUITE -o RUN")
    _check_same_items(runs)
    level, limit, candidates = options.alpha, options.max_unanswered, count_candidates(runs)
    models = tuple(
        ModelResults(
            name,
            run,
            measure(run, alpha=level, max_unanswered=limit, candidates=candidates),
            options,
            temperature,
            thresholds,
        )
        for name, run, temperature, thresholds in zip(
            model_names(runs),
            runs,
            _temperatures(runs, options.temperature_from) if options.temperature_from else [None] * len(runs),
            thresholds_for(runs, options.threshold or ThresholdChoice()),
            strict=True,
        )
    )
    for model in models if options.calibration else ():
        if not model.gives_probabilities:
            raise probabilities_needed(model.run, "calibration")
    if options.relative_to is not None and models[options.relative_to].benchmark is None:
        raise CrossexamError(
            f"'{models[options.relative_to].name}' was not run over corpora of the cross-dataset benchmark",
            where="--relative-to",
            hint="crossexam build cross-dataset builds them; --relative-to compares means over them",
        )
    return Results(models, options)


def without_published(results: Results) -> Results:
    """Return *results* without the published systems, for formats that have no room for them."""
    return replace(results, options=replace(results.options, published_rows=False))


def _temperatures(runs: Sequence[Run], fitted_on: Sequence[Run]) -> list[Temperature | None]:
    """Return the temperature of each of *runs*, fitted on the run of *fitted_on* with the same model."""
    from crossexam.evaluation.calibration import same_model, temperature_from

    for other in fitted_on:
        if not any(same_model(other, run) for run in runs):
            temperature_from(other, runs[0])  # says what is wrong
    others = [next((other for other in fitted_on if same_model(other, run)), None) for run in runs]
    return [
        None if other is None else temperature_from(other, run)
        for run, other in zip(runs, others, strict=True)
    ]


def model_names(runs: Sequence[Run]) -> list[str]:
    """Return one name per run: that of its model, with the template if several runs have the same model.

    Runs that still have the same name have what differs in how they were asked, or are numbered.
    """
    from crossexam.evaluation.templates import template_of
    from crossexam.runs.asked import distinct_names, how_asked

    of_model = Counter(run.model for run in runs)
    if len(of_model) == len(runs):
        return list(of_model)
    shown = []
    for run in runs:
        asked = template_of(run) if of_model[run.model] > 1 else None
        shown.append(f"{run.model} [{asked[1]}]" if asked and asked[0] == run.model else run.model)
    return distinct_names(shown, [how_asked(run.details) for run in runs])


def _check_same_items(runs: Sequence[Run]) -> None:

    known: dict[str, tuple[str, Dataset, str | None]] = {}
    for run in runs:
        for name, dataset in run.datasets.items():
            model, first, digest = known.setdefault(name, (run.model, dataset, None))
            if first is dataset:
                continue
            digest = digest or first.stated_hash
            known[name] = (model, first, digest)
            if dataset.stated_hash != digest:
                raise CrossexamError(
                    f"'{model}' and '{run.model}' were run on different items",
                    where=f"test set {name}",
                    wanted="runs over the same test sets",
                    hint="build the suite once and run both models over it",
                )


def two_labels_note(results: Results) -> str:
    """Return what the letter N means in a report on test sets of two labels; else the empty string."""
    two = any("not_entailment" in each.labels for model in results.models for each in model.results)
    return "In test sets of two labels, N is not_entailment." if two else ""
