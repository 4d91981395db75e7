"""The results of a study: what its runs say of each row, kept in ``results/``, and what follows from that.

For each row there are ``ROW.npz``, the labels that its models predicted (``kept.py``), and ``ROW.json``, how
they were trained and run.  Whatever can be computed from the predictions is computed from them, and from the
suite, when the page is written.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from commands import seed_facts, shown
from deviations import Deviation
from findings import AllAnswers, Answers, Finding, Ordering, Published, cells_of, estimate, verdict
from kept import Kept, keep_predictions, read_kept
from numpy.typing import NDArray
from study import BUILT, Row, Study, Trained, command_of, is_run, models

from crossexam.constructions.keys import key_clusters
from crossexam.core.columns import examples_at
from crossexam.core.dataset import Run, Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.files import read_json, write_json
from crossexam.core.manifest import TestSetEntry
from crossexam.core.rules import without_rules
from crossexam.evaluation.scores import Scored, numbered_clusters, score_answered
from crossexam.runs.saved import read_run

#: Verdicts on what is not known: the row has no predictions, or they are for another version of a test set.
NOT_RUN = "not run yet"
NOT_AGAIN = "not measured again"


@dataclass(frozen=True)
class Results:
    """The results of a study with the *suite* that its models were run over.

    *rows* are the contents of results/ROW.json by row.  *answers* are the predictions by row and by the name
    of a set in an expression.  Those that belong to another version of a test set are not among them: these
    names are in *outdated*.  *sets* are the test sets behind each name.
    """

    suite: Suite
    rows: Mapping[str, Mapping[str, Any]]
    answers: AllAnswers
    outdated: Mapping[str, frozenset[str]] = field(default_factory=dict)
    sets: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def missing(self, expression: str) -> str | None:
        """Return why the value of *expression* is not known; None if it is.  Raises CrossexamError."""
        found = None
        for row, test_set in cells_of(expression):
            if row not in self.answers:
                return NOT_RUN
            if test_set in self.outdated.get(row, ()):
                found = NOT_AGAIN
            elif test_set not in self.answers[row]:
                raise CrossexamError(
                    f"'{expression}' is of '{test_set}', which the suite does not have",
                    wanted=", ".join(sorted(self.answers[row])),
                )
        return found

    def unread(self, row: str, test_set: str) -> float | None:
        """Return the share of the items of *test_set* that *row* did not read to the end, None if unknown."""
        names = self.sets.get(test_set, ())
        if row not in self.rows or test_set in self.outdated.get(row, ()) or not names:
            return None
        truncated: Mapping[str, int] = self.rows[row]["truncated"]
        return sum(truncated.get(each, 0) for each in names) / sum(len(self.suite[each]) for each in names)


def store(study: Study, work: Path, name: str) -> None:
    """Write the results of the row *name* if a model of it has run over the suite in *work*."""
    folder = study.folder / "results"
    done = [each for each in models(study, [name]) if is_run(study, work, each)]
    if done:
        folder.mkdir(exist_ok=True)
        keep_predictions(folder / f"{name}.npz", [read_run(work / each.run_folder) for each in done])
        write_json(folder / f"{name}.json", _row_result(study, work, study.rows[name], done))


def _row_result(study: Study, work: Path, row: Row, done: Sequence[Trained]) -> dict[str, Any]:
    trained = [(training, work / training.folder) for model in done for training in model.trainings]
    manifests = [(training, read_json(folder / "manifest.json")) for training, folder in trained]
    return {
        "row": row.name,
        "commands": [shown(command_of(study, training)) for training in done[0].trainings],
        "members": row.members,
        "build": (work / BUILT).read_text(encoding="utf-8"),
        **training_facts(manifests[0][1]),
        **run_facts(read_json(work / done[0].run_folder / "manifest.json")),
        "seeds": [{"seed": training.seed, **seed_facts(manifest)} for training, manifest in manifests],
    }


def training_facts(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the *manifest* of a model says of how it was trained."""
    fingerprint = manifest["fingerprint"]
    data = fingerprint["data"]
    return {
        "config": fingerprint.get("config"),
        "recipe": fingerprint["recipe"],
        "options": fingerprint["options"],
        "train": [_corpus(each) for each in data["train"]],
        "parses": manifest.get("parses"),
        "versions": manifest["versions"],
    }


def run_facts(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the *manifest* of a run says of how much of the items the model could read."""
    counts = manifest["test_sets"].items()
    return {
        "trees": manifest.get("details", {}).get("trees"),
        "parsed": {name: each["parsed"] for name, each in counts if "parsed" in each},
        "truncated": {name: each["truncated"] for name, each in counts if each.get("truncated")},
    }


def _corpus(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return the name of a training corpus without its folder, and how many of its pairs an epoch has."""
    share = described.get("share", 1.0)
    pairs = max(1, round(share * described["rows"]))
    return {"corpus": described["spec"].rpartition("/")[2], "pairs": pairs}


def read_results(study: Study, suite: Suite) -> Results:
    """Return the results in results/ over *suite*, the rows in the order of study.toml.

    Test sets of a construction over whose items no row was run are no part of them.  Rows whose predictions
    belong to another version of a test set are named on the standard error.  Raises CrossexamError if there
    are no predictions, if those of no row belong to *suite*, or if a row lacks one of its files.
    """
    folder = study.folder / "results"
    rows = {name: folder / f"{name}.json" for name in study.rows}
    rows = {name: path for name, path in rows.items() if path.exists() or path.with_suffix(".npz").exists()}
    kept = {name: read_kept(path.with_suffix(".npz")) for name, path in rows.items()}
    suite = _over_which_any_was_run(suite, kept.values())
    refuse_another_suite(kept, suite, folder)
    answers, outdated, sets = answers_over(suite, kept, study.parts)
    return Results(suite, {name: read_json(path) for name, path in rows.items()}, answers, outdated, sets)


def _over_which_any_was_run(suite: Suite, kept: Iterable[Kept]) -> Suite:
    """Return *suite* without the sets of constructions, by whatever rules, that joined it after all runs."""
    run_over = {without_rules(name.partition(".")[0])[0] for own in kept for name in own.content_hashes}
    datasets = {each.name: each for each in suite if each.entry.construction in run_over}
    return Suite(suite.name, datasets, suite.manifest)


def refuse_another_suite(kept: Mapping[str, Kept], suite: Suite, folder: Path) -> None:
    """Raise CrossexamError if no row *kept* predictions for the bases of *suite*, or for any set without one.

    *folder* is where predictions are kept.  Rows with predictions for another version of some test sets are
    named on the standard error.
    """
    if not kept:
        raise CrossexamError(
            "no row has predictions here, so that there is nothing to judge",
            where=str(folder),
            wanted="ROW.npz, which running a model writes",
        )
    bases = [each for each in suite if each.entry.is_base] or [*suite]
    if not any(own.belongs_to(each) for own in kept.values() for each in bases):
        row, own = next(iter(kept.items()))
        raise CrossexamError(
            f"the predictions of '{row}', as those of all rows, are for other items of '{bases[0].name}'",
            where=str(own.path),
            wanted="predictions for the suite as it is built now",
            hint="run a model again, or build the suite from the whole corpora that the models were run over",
        )
    for row, own in kept.items():
        if names := [each.name for each in suite if not own.belongs_to(each)]:
            what = f"the predictions of '{row}' belong to another version of {', '.join(names)}"
            print(f"{NOT_AGAIN}: {what}", file=sys.stderr)


def answers_over(
    suite: Suite, kept: Mapping[str, Kept], parts: Mapping[str, str]
) -> tuple[dict[str, dict[str, Answers]], dict[str, frozenset[str]], dict[str, list[str]]]:
    """Return the answers by row and name, the names that are outdated by row, and the sets of each name.

    *parts* are the names of the bases by the part of a set in an expression.
    """
    entries = {each.name: each.entry for each in suite}
    _refuse_two_rules(entries)
    clusters = numbered_clusters(Run("", suite.datasets, {}))
    pairs = word_pairs(suite)
    sources = _sources(entries, parts)
    answers: dict[str, dict[str, Answers]] = {}
    outdated: dict[str, frozenset[str]] = {}
    for row, own in kept.items():
        scored = [score_answered(run, clusters=clusters) for run in own.runs_over(suite)]
        known = set(scored[0]) if scored else set()
        whole = {name: all(known.issuperset(each) for each in of) for name, of in sources.items()}
        answers[row] = {
            name: _joined([_answers(scored, pairs, *each) for each in of])
            for name, of in sources.items()
            if whole[name]
        }
        outdated[row] = frozenset(name for name, is_whole in whole.items() if not is_whole)
    return answers, outdated, {name: [each[0] for each in of] for name, of in sources.items()}


def _sources(
    entries: Mapping[str, TestSetEntry], parts: Mapping[str, str]
) -> dict[str, list[tuple[str, ...]]]:
    """Return what an expression can be about: the test sets of each name.

    ``SET@CONSTRUCTION`` are the items of the first set of a tuple from which the second has one.
    """
    found: dict[str, list[tuple[str, ...]]] = {}
    for name, entry in entries.items():
        found.setdefault(name_in_expressions(entry, parts), []).append((name,))
        base = entry.base_set
        if base is not None and base in entries and entry.compares_items:
            whole = name_in_expressions(entries[base], parts)
            found.setdefault(f"{whole}@{entry.construction}", []).append((base, name))
    return found


def word_pairs(suite: Suite) -> dict[str, NDArray[np.int64]]:
    """Return the number of the word pair of each item with a gold label, by test set; -1 where there is none.

    Different test sets have different numbers.
    """
    found: dict[str, NDArray[np.int64]] = {}
    start = 0
    for dataset in suite:
        labelled = examples_at(dataset.examples, dataset.labels() >= 0)
        keys = key_clusters(labelled, dataset.entry.construction)
        if keys is None:
            found[dataset.name] = np.full(len(labelled), -1, dtype=np.int64)
        else:
            found[dataset.name] = start + keys.astype(np.int64)
            start += int(keys.max(initial=-1)) + 1
    return found


def _answers(
    seeds: Sequence[Mapping[str, Scored]],
    pairs: Mapping[str, NDArray[np.int64]],
    name: str,
    made_from_it: str | None = None,
) -> Answers:
    """Return the answers of all seeds on *name*: on all items, or on those from which one was made.

    The latter have the word pairs of the items that were made from them.
    """
    first = seeds[0][name]
    predicted = np.stack([each[name].predicted for each in seeds]).astype(np.int64)
    answers = Answers(first.gold.astype(np.int64), predicted, first.clusters.astype(np.int64), pairs[name])
    if made_from_it is None:
        return answers
    positions = base_positions(seeds[0][made_from_it], first)
    known = positions >= 0
    return at(answers, positions[known])._replace(pairs=pairs[made_from_it][known])


def base_positions(items: Scored, base: Scored) -> NDArray[np.int64]:
    """Return the positions in *base* of the examples that *items* were made from: [n], -1 if not there."""
    positions = {example.id: position for position, example in enumerate(base.examples)}
    return np.array([positions.get(str(item.base), -1) for item in items.examples], dtype=np.int64)


def at(answers: Answers, items: NDArray[np.int64] | NDArray[np.bool_]) -> Answers:
    """Return the *answers* to *items*: positions, or True for those that are kept."""
    gold, predicted, premises, pairs = answers
    return Answers(gold[items], predicted[:, items], premises[items], pairs[items])


def _refuse_two_rules(entries: Mapping[str, TestSetEntry]) -> None:
    first: dict[tuple[str, str], str] = {}
    for name, entry in entries.items():
        known = first.setdefault((entry.construction, entry.part), name)
        if known != name:
            raise CrossexamError(
                f"'{known}' and '{name}' are two test sets of one construction and base",
                wanted="one, which expressions name by the construction",
            )


def name_in_expressions(test_set: TestSetEntry, parts: Mapping[str, str]) -> str:
    """Return how expressions call *test_set*: by construction, whatever its rules, and by part of the paper.

    The sets of a construction over bases that are no part of the paper's, as the word problems, are one.
    """
    names = {name: part for part, name in parts.items()}
    return ".".join([test_set.construction, *([names[test_set.part]] if test_set.part in names else [])])


def _joined(several: Sequence[Answers]) -> Answers:
    return Answers(
        np.concatenate([each.gold for each in several]),
        np.concatenate([each.predicted for each in several], axis=1),
        np.concatenate([each.premises for each in several]),
        np.concatenate([each.pairs for each in several]),
    )


def judged(
    published: Published,
    results: Results,
    findings: Iterable[Finding],
    deviations: Sequence[Deviation] = (),
) -> list[dict[str, Any]]:
    """Return *findings*, each with its values in the paper and here, and the verdict on each.

    With each value are the names of the *deviations* that it rests on.
    """
    return [{**asdict(each), "values": [*_values(published, results, each, deviations)]} for each in findings]


def _values(
    published: Published, results: Results, finding: Finding, deviations: Sequence[Deviation]
) -> Iterator[dict[str, Any]]:
    for expression in finding.expressions():
        ones = finding.single(expression).values()
        rows = {row for one in ones for row, _ in cells_of(one)}
        missing = [results.missing(one) for one in ones]
        lacking = NOT_RUN if NOT_RUN in missing else NOT_AGAIN if NOT_AGAIN in missing else None
        ours, nearest = (None, "") if lacking else finding.here(results.answers, expression)
        yield {
            "value": expression,
            "paper": finding.in_paper(published, expression),
            "ours": ours,
            "nearest": nearest,
            "verdict": lacking if ours is None else verdict(ours, finding.expected),
            "rests_on": [
                each.name
                for each in deviations
                if each.name in finding.deviation or not rows.isdisjoint(each.rows)
            ],
        }


def ordered(study: Study, results: Results, ordering: Ordering) -> dict[str, Any]:
    """Return *ordering* with its pairs of rows by whether they have the paper's order here."""
    counts: dict[str, list[tuple[str, str]]] = {
        each: [] for each in ("same", "reversed", "undecided", NOT_RUN, NOT_AGAIN)
    }
    for high, low in ordering.pairs(study.published):
        expression = f"{high}:{ordering.cell} - {low}:{ordering.cell}"
        found = results.missing(expression)
        if found is None:
            ours = estimate(results.answers, expression)
            found = "same" if ours.low > 0 else "reversed" if ours.high < 0 else "undecided"
        counts[found].append((high, low))
    return {**asdict(ordering), "pairs": counts}
