"""The results of a study from its runs: one JSON file per row, and one for the findings.

They hold all that RESULTS.md shows, so that it can be written without the runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from commands import shown
from findings import (
    AllAnswers,
    Answers,
    Finding,
    Ordering,
    Published,
    estimate,
    published_value,
    rows_of,
    verdict,
)
from study import BUILT, Row, Study, command_of, is_run, trainings

from crossexam.core.errors import CrossexamError
from crossexam.core.example import cluster_of
from crossexam.core.files import read_json, write_json
from crossexam.core.manifest import TestSetEntry
from crossexam.evaluation.scores import Scored, score_run
from crossexam.runs.saved import read_run


def answers_of(study: Study, work: Path) -> dict[str, dict[str, Answers]]:
    """Return the answers of the rows that have run, by row and by the name of a set in an expression."""
    premises: dict[str, int] = {}
    found: dict[str, dict[str, Answers]] = {}
    for name in study.rows:
        done = [each for each in trainings(study, [name]) if is_run(study, work, each)]
        if done:
            found[name] = _answers(study, [work / each.run_folder for each in done], premises)
    return found


def _answers(study: Study, folders: Sequence[Path], premises: dict[str, int]) -> dict[str, Answers]:
    runs = [read_run(folder) for folder in folders]
    scored = [score_run(run) for run in runs]
    entries = {name: dataset.entry for name, dataset in runs[0].datasets.items()}
    _refuse_two_rules(entries)
    parts: dict[str, list[Answers]] = {}
    for name, entry in entries.items():
        called = name_in_expressions(study, entry)
        sets = [each[name] for each in scored]
        parts.setdefault(called, []).append(_stacked(sets, premises))
        if entry.base_set in entries and entry.compares_items:
            base = name_in_expressions(study, entries[entry.base_set])
            answers = _stacked([each[entry.base_set] for each in scored], premises)
            parts[f"{base}@{entry.construction}"] = [_at(answers, _bases(sets[0], scored[0][entry.base_set]))]
    return {name: _joined(several) for name, several in parts.items()}


def _stacked(seeds: Sequence[Scored], premises: dict[str, int]) -> Answers:
    """Return the answers of all seeds; *premises* numbers the premises met so far."""
    first = seeds[0]
    codes = (premises.setdefault(cluster_of(each), len(premises)) for each in first.examples)
    predicted = np.stack([each.predicted for each in seeds])
    return Answers(first.gold, predicted, np.fromiter(codes, np.int64, len(first.gold)))


def _bases(items: Scored, base: Scored) -> list[int]:
    """Return the positions in *base* of the examples that *items* were made from."""
    positions = {example.id: position for position, example in enumerate(base.examples)}
    return [positions[item.base] for item in items.examples if item.base in positions]


def _at(answers: Answers, items: Sequence[int]) -> Answers:
    gold, predicted, premises = answers
    return Answers(gold[items], predicted[:, items], premises[items])


def _refuse_two_rules(entries: Mapping[str, TestSetEntry]) -> None:
    first: dict[tuple[str, str], str] = {}
    for name, entry in entries.items():
        known = first.setdefault((entry.construction, entry.part), name)
        if known != name:
            raise CrossexamError(
                f"'{known}' and '{name}' are two test sets of one construction and base",
                wanted="one, which expressions name by the construction",
            )


def name_in_expressions(study: Study, test_set: TestSetEntry) -> str:
    """Return how expressions call *test_set*: by construction, whatever its rules, and by part of the paper.

    The sets of a construction over bases that are no part of the paper's, as the word problems, are one.
    """
    parts = {name: part for part, name in study.parts.items()}
    return ".".join([test_set.construction, *([parts[test_set.part]] if test_set.part in parts else [])])


def _joined(several: Sequence[Answers]) -> Answers:
    return Answers(
        np.concatenate([each.gold for each in several]),
        np.concatenate([each.predicted for each in several], axis=1),
        np.concatenate([each.premises for each in several]),
    )


def collect(study: Study, work: Path) -> None:
    """Write results/ROW.json for the rows that have run, and results/findings.json.

    Raises CrossexamError if a row has results and was not run in *work*: findings need all runs at once.
    """
    answers = answers_of(study, work)
    results = study.folder / "results"
    results.mkdir(exist_ok=True)
    lost = [name for name in study.rows if (results / f"{name}.json").exists() and name not in answers]
    if lost:
        raise CrossexamError(
            f"there are results of models that have not been run over the suite: {', '.join(lost)}",
            where=str(work),
            wanted="the runs of all models that have results: the findings compare them",
            hint="carry out the steps train and run, or remove their files in results/",
        )
    for name, own in answers.items():
        write_json(results / f"{name}.json", _row_result(study, work, study.rows[name], own))
    write_json(
        results / "findings.json",
        {
            "findings": [found(study.published, answers, finding) for finding in study.findings],
            "orderings": [_ordered(study, answers, ordering) for ordering in study.orderings],
        },
    )


def _row_result(study: Study, work: Path, row: Row, own: Mapping[str, Answers]) -> dict[str, Any]:
    done = [each for each in trainings(study, [row.name]) if is_run(study, work, each)]
    manifests = [read_json(work / each.folder / "manifest.json") for each in done]
    fingerprint = manifests[0]["fingerprint"]
    run = read_json(work / done[0].run_folder / "manifest.json")
    cells = {cell: estimate({row.name: own}, f"{row.name}:{cell}") for cell in _cells_of(study, row, own)}
    return {
        "row": row.name,
        "command": shown(command_of(study, done[0])),
        "config": fingerprint.get("config"),
        "recipe": fingerprint["recipe"],
        "options": fingerprint["options"],
        "train_rows": sum(each["rows"] for each in fingerprint["data"]["train"]),
        "versions": manifests[0]["versions"],
        "build": (work / BUILT).read_text(encoding="utf-8"),
        "test_sets": _sizes(work / study.suite / "manifest.json"),
        "trees": run.get("details", {}).get("trees"),
        "parsed": {name: each["parsed"] for name, each in run["test_sets"].items() if "parsed" in each},
        "seeds": [
            {
                "seed": each.seed,
                "dev": manifest["scores"]["dev_accuracy"],
                "best_epoch": manifest["scores"]["best_epoch"],
                "epochs": len(manifest["curve"]),
                "seconds": manifest["curve"][-1]["seconds"],
                "correct": {name: float((a.predicted[k] == a.gold).mean()) for name, a in own.items()},
            }
            for k, (each, manifest) in enumerate(zip(done, manifests, strict=True))
        ],
        "cells": {cell: list(found) for cell, found in cells.items()},
    }


def _cells_of(study: Study, row: Row, own: Mapping[str, Answers]) -> list[str]:
    mine = chain.from_iterable(table.cells for table in study.tables if row.name in table.rows)
    return [cell for cell in dict.fromkeys(mine) if cell.partition(":")[0] in own]


def _sizes(manifest: Path) -> dict[str, dict[str, Any]]:
    entries = read_json(manifest)["test_sets"].items()
    return {name: {"rows": each.get("rows"), "content_hash": each["content_hash"]} for name, each in entries}


def found(published: Published, answers: AllAnswers, finding: Finding) -> dict[str, Any]:
    """Return a *finding* with its values in the paper and here, as they stand in results/findings.json."""
    values = []
    for expression in finding.expressions():
        known = rows_of(expression) <= set(answers)
        ours = estimate(answers, expression) if known else None
        values.append(
            {
                "value": expression,
                "paper": published_value(published, expression),
                "ours": None if ours is None else list(ours),
                "verdict": "not run yet" if ours is None else verdict(ours, finding.expected),
            }
        )
    return {**asdict(finding), "values": values}


def _ordered(study: Study, answers: AllAnswers, ordering: Ordering) -> dict[str, Any]:
    counts: dict[str, list[list[str]]] = {"same": [], "reversed": [], "undecided": [], "not run yet": []}
    for high, low in ordering.pairs(study.published):
        verdict_here = "not run yet"
        if {high, low} <= set(answers):
            ours = estimate(answers, f"{high}:{ordering.cell} - {low}:{ordering.cell}")
            verdict_here = "same" if ours.low > 0 else "reversed" if ours.high < 0 else "undecided"
        counts[verdict_here].append([high, low])
    return {**asdict(ordering), "pairs": counts}
