"""The reproductions that train models: their definitions, the findings, and the steps."""

from __future__ import annotations

import json
import math
import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import crossexam
from crossexam.core.dataset import Dataset, Run
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Estimate
from crossexam.core.example import CLUSTER, CONTROL_LABEL, POLARITY, SEEN, Example, cluster_of
from crossexam.core.files import write_json
from crossexam.core.labels import LABELS
from crossexam.core.sealed import read_manifest
from crossexam.core.test_sets import read_suite
from crossexam.evaluation.behaviour import factor_results
from crossexam.runs.folder import run_into_folder

FOLDER = Path(crossexam.__file__).resolve().parents[2] / "reproductions"
if not FOLDER.is_dir():
    pytest.skip("the reproductions are not beside the package", allow_module_level=True)
sys.path.insert(0, str(FOLDER))
import commands  # noqa: E402
import findings  # noqa: E402
import page  # noqa: E402
import results  # noqa: E402
import steps  # noqa: E402
import study  # noqa: E402

STUDIES = ("naik2018", "nie2019")


@pytest.fixture(params=STUDIES)
def defined(request: pytest.FixtureRequest) -> study.Study:
    return study.read_study(FOLDER / request.param)


def _expressions(defined: study.Study) -> list[str]:
    return list(chain.from_iterable(finding.expressions() for finding in defined.findings))


def test_rows_are_architectures_with_sizes(defined: study.Study) -> None:
    assert {row.architecture for row in defined.rows.values()} <= set(commands.ROWS)


def test_expressions_name_rows(defined: study.Study) -> None:
    for expression in _expressions(defined):
        assert findings.rows_of(expression) <= set(defined.rows), expression
    named = chain(*(table.rows for table in defined.tables), *(order.rows for order in defined.orderings))
    assert set(named) <= set(defined.rows)


def test_findings_have_the_paper_s_figures(defined: study.Study) -> None:
    """A misspelt set or measure would be a column without published figures."""
    in_text_alone = ("dr_bilstm_", "wrong-", "numerical_reasoning:")  # Table 4 has ESIM alone
    for expression in _expressions(defined):
        if not any(part in expression for part in in_text_alone):
            assert findings.published_value(defined.published, expression) is not None, expression
    for ordering in defined.orderings:
        assert ordering.pairs(defined.published), ordering.claim
    for table in defined.tables:
        for cell in table.cells:
            assert any(defined.published(row, cell) is not None for row in table.rows), cell


def test_the_paper_s_figures_agree_with_its_findings(defined: study.Study) -> None:
    """What the paper says is true of its own tables: else the expression or the range is ours, and wrong."""
    for finding in defined.findings:
        low, high = finding.expected
        for expression in finding.expressions():
            value = findings.published_value(defined.published, expression)
            assert value is None or low <= 100 * value + 0.5, (expression, value)
            assert value is None or 100 * value - 0.5 <= high, (expression, value)


def test_published_figures_of_augmented_models_are_those_of_their_table() -> None:
    naik = study.read_study(FOLDER / "naik2018")
    assert naik.published("nb", "base.matched") == pytest.approx(0.742)
    assert naik.published("nb_negation", "base.matched") == pytest.approx(0.666)
    assert naik.published("nb", "tautology.matched") is None
    assert naik.published("rc", "antonymy.mismatched:false-neutral") == pytest.approx(0.315)
    assert naik.published("rc", "negation.matched:false-neutral") is None


@pytest.fixture
def swaps() -> ModuleType:
    """The script of the third study, which trains nothing."""
    spec = spec_from_file_location("sanchez2018_run", FOLDER / "sanchez2018" / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_findings_on_word_swaps_are_true_of_the_paper_s_table(swaps: ModuleType) -> None:
    for finding in swaps.read_findings():
        low, high = finding.expected
        for expression in finding.expressions():
            value = findings.published_value(swaps.published_share, expression)
            assert value is not None, expression
            assert low <= 100 * value <= high, (expression, value)


def test_subsets_of_word_swaps_are_those_of_the_report(swaps: ModuleType) -> None:
    """The accuracies that findings compare are those of Table 1 of the report."""
    control = tuple(Example(f"i_a:{k}", f"Man {k}", f"Woman {k}", LABELS[k % 3]) for k in range(30))
    swapped = tuple(
        Example(
            f"i_th:{k}", f"Woman {k}", f"Man {k}", LABELS[k % 2], base=each.id,
            info={
                CLUSTER: cluster_of(each), CONTROL_LABEL: each.label, SEEN: k % 4 > 0, POLARITY: LABELS[k % 3]
            },
        )
        for k, each in enumerate(control)
    )  # fmt: skip
    sets = (
        Dataset("i_h.train", control, {"construction": "i_h"}),
        Dataset("i_th.train", swapped, {"construction": "i_th", "base_set": "i_h.train"}),
    )
    said = np.random.default_rng(1).dirichlet(np.ones(3), size=30)
    run = Run("m", {each.name: each for each in sets}, {each.name: said for each in sets}, {})
    answers = {"ce": swaps.answers_of(run)}
    tested = [each for each in factor_results(run) if each.test_set == "i_th.train"]
    assert {each.factor for each in tested} == set(swaps.SUBSETS)
    for result in tested:
        subset, _ = swaps.SUBSETS[result.factor]
        assert 0 < result.subset.n < 30
        assert findings.estimate(answers, f"ce:i_th@{subset}") == result.subset
    paired = findings.estimate(answers, "ce:i_h - ce:i_th")
    assert paired.clusters == 30


def test_a_study_trains_seed_0_of_all_rows_first(defined: study.Study) -> None:
    seeds = [training.seed for training in study.trainings(defined)]
    assert seeds == sorted(seeds)
    assert len(seeds) == sum(row.seeds for row in defined.rows.values())


def test_the_command_has_the_sizes_of_the_row() -> None:
    nie = study.read_study(FOLDER / "nie2019")
    training = next(t for t in study.trainings(nie) if t.row.name == "esim_so_swap")
    words = study.command_of(nie, training)
    assert words[:3] == ["crossexam", "train", "esim"]
    assert words[words.index("--augment") :][:2] == ["--augment", "so_swap:900"]
    assert "hidden=100" in words
    assert words[-2:] == ["-o", "trained/esim_so_swap/seed-0"]


def _answers(gold: list[int], *predicted: list[int]) -> findings.Answers:
    return findings.Answers(np.array(gold), np.array(predicted), np.arange(len(gold)))


def test_an_expression_is_the_sum_of_its_terms() -> None:
    half, all_right = _answers([0, 1, 2, 0] * 25, [0, 1, 1, 1] * 25), _answers([0] * 100, [0] * 100)
    answers = {"a": {"base": half, "easy": all_right}, "b": {"base": all_right, "easy": half}}
    assert findings.estimate(answers, "a:base").value == 0.5
    assert findings.estimate(answers, "a,b:base").value == 0.75
    assert findings.estimate(answers, "a:easy - a:base").value == 0.5
    assert findings.estimate(answers, "a:base - a:easy - b:base + b:easy").value == -1.0
    assert (
        findings.estimate(answers, "a:base:N").value == 0.75
    )  # predicted, right or wrong: E, N, C are 0, 1, 2
    assert findings.estimate(answers, "a:base:false-neutral").value == 1.0  # of the two errors in four
    assert findings.estimate(answers, "a:base:wrong-neutral").value == 0.5  # of all answers
    assert findings.estimate(answers, "a:base:majority").value == 0.5


def test_seeds_are_one_model() -> None:
    answers = {"a": {"base": _answers([0, 0], [0, 0], [0, 1], [1, 1])}}
    found = findings.estimate(answers, "a:base")
    assert found.value == 0.5
    assert found.clusters == 2


def test_a_difference_is_paired() -> None:
    """Two models that err on the same items differ by little, whatever their accuracy."""
    rng = np.random.default_rng(0)
    right = rng.random(400) < 0.5
    gold = np.zeros(400, dtype=np.int64)
    same, other = (~right).astype(np.int64), (rng.random(400) < 0.5).astype(np.int64)
    rows = {"a": same, "b": np.where(np.arange(400) < 8, 1, same), "c": other}
    answers = {
        name: {"base": findings.Answers(gold, wrong[None], np.arange(400))} for name, wrong in rows.items()
    }
    paired, unrelated = (findings.estimate(answers, f"a:base - {name}:base") for name in "bc")
    assert paired.high - paired.low < 0.03 < 0.08 < unrelated.high - unrelated.low
    turned = findings.Answers(gold, rows["b"][None, ::-1], np.arange(400)[::-1])
    assert findings.estimate({**answers, "b": {"base": turned}}, "a:base - b:base") == paired


@pytest.mark.parametrize("text", ["a", "a:base -", "a:base b:base", "a:base * b:base", "a:base:F"])
def test_a_malformed_expression_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a term|shorter|longer"):
        findings.parse(text)


@pytest.mark.parametrize(
    ("low", "high", "expected", "said"),
    [
        (0.01, 0.05, (0.0, math.inf), "holds"),
        (-0.01, 0.05, (0.0, math.inf), "undecided"),
        (-0.05, -0.01, (0.0, math.inf), "does not hold"),
        (0.02, 0.09, (0.0, 10.0), "holds"),
        (0.12, 0.15, (0.0, 10.0), "does not hold"),
    ],
)
def test_verdicts(low: float, high: float, expected: tuple[float, float], said: str) -> None:
    assert findings.verdict(Estimate((low + high) / 2, low, high, 10, 10), expected) == said


def test_finished_trainings_are_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nie = study.read_study(FOLDER / "nie2019")
    done = []

    def trained(words: list[str], cwd: Path) -> None:
        done.append(words[-1])
        write_json(cwd / words[-1] / "manifest.json", {})

    monkeypatch.setattr(steps, "carry_out", trained)
    (tmp_path / "trained/dam/seed-1").mkdir(parents=True)
    (tmp_path / "trained/dam/seed-1/manifest.json").write_text("{}")
    steps.train(nie, tmp_path, ["dam"])
    assert done == ["trained/dam/seed-0", "trained/dam/seed-2"]
    steps.train(nie, tmp_path, ["dam"])
    assert len(done) == 2
    assert "0 of 3 trainings remain" in steps.describe(nie, tmp_path, ["dam"])


def test_only_steps_that_are_chosen_are_said_to_remain(tmp_path: Path) -> None:
    nie = study.read_study(FOLDER / "nie2019")
    said = {step: steps.describe(nie, tmp_path, ["dam"], [step]) for step in steps.STEPS}
    assert "3 of 3 trainings remain" in said["train"]
    assert "models have not been run" not in said["train"]
    assert said["run"] == f"{nie.study}: 3 of 3 models have not been run"
    assert (said["build"], said["collect"], said["write"]) == ("", "", "")


DEFINITION = """
study = "naik2018"
data = "snli"
train = "builtin:demo"
dev = "builtin:demo"
build = "crossexam build stress-tests --base builtin:demo -o suite"
[parts]
matched = "builtin_demo"
[figures]
accuracy = [["accuracy", "{set}"]]
[notes]
models = "A note."
[rows.neutral]
title = "NB"
architecture = "cbow"
published = "NB"
seeds = 2
[rows.later]
title = "IS"
architecture = "cbow"
published = "IS"
seeds = 1
[[tables]]
title = "Table 3"
rows = ["neutral", "later"]
cells = ["base.matched", "negation.matched"]
[[findings]]
claim = "Negation costs accuracy"
place = "Table 3"
value = "{}:base.matched - {}:negation.matched"
each = ["neutral", "later"]
expected = [5.0, inf]
[[orderings]]
claim = "dev"
place = "Table 3"
cell = "base.matched"
rows = ["neutral", "later"]
"""


@pytest.fixture
def small(tmp_path: Path) -> tuple[study.Study, Path]:
    """A study of which one model of two has been run, by two seeds that always answer neutral."""
    folder, work = tmp_path / "study", tmp_path / "work"
    folder.mkdir()
    (folder / "study.toml").write_text(DEFINITION, encoding="utf-8")
    (folder / "preface.md").write_text("# Title\n", encoding="utf-8")
    crossexam.build("negation", "builtin:demo", folder=work / "suite")
    (work / study.BUILT).write_text("crossexam build negation --base builtin:demo --limit 9")
    fingerprint: dict[str, Any] = {"recipe": {}, "options": {}, "data": {"train": [{"rows": 324}]}}
    manifest = {
        "fingerprint": fingerprint,
        "versions": {},
        "scores": {"dev_accuracy": 33.3, "best_epoch": 1},
        "curve": [{"seconds": 60.0}],
    }
    for seed in (0, 1):
        write_json(work / f"trained/neutral/seed-{seed}/manifest.json", manifest)
        run_into_folder("builtin/neutral", read_suite(work / "suite"), work / f"runs/neutral/seed-{seed}")
    return study.read_study(folder), work


def test_results_and_page(small: tuple[study.Study, Path]) -> None:
    defined, work = small
    results.collect(defined, work)
    found = json.loads((defined.folder / "results/neutral.json").read_text("utf-8"))
    assert [seed["seed"] for seed in found["seeds"]] == [0, 1]
    assert found["cells"]["base.matched"][0] == found["seeds"][0]["correct"]["base.matched"]
    text = page.write(defined).read_text("utf-8")
    assert "| Negation costs accuracy | Table 3 | neutral:base.matched - neutral:negation.matched |" in text
    assert "does not hold: 1 of 2; not run yet: 1 of 2" in text
    assert "| IS (not run yet) | – | – |" in text
    assert "| NB, published | 74.2 | 39.5 |" in text
    assert "\ncrossexam build negation --base builtin:demo --limit 9\ncrossexam train cbow" in text


def test_the_base_of_a_test_set_is_those_examples_that_have_an_item(small: tuple[study.Study, Path]) -> None:
    defined, work = small
    (work / "suite").rename(work / "earlier")
    suite = crossexam.build("spelling_error_function_word", "builtin:demo", folder=work / "suite")
    (items,) = (each for each in suite if not each.entry.is_base)
    for seed in (0, 1):
        folder = work / f"runs/neutral/seed-{seed}"
        run_into_folder("builtin/neutral", suite, folder, force=True)
    found = results.answers_of(defined, work)["neutral"]
    whole, part = found["base.matched"], found["base.matched@spelling_error_function_word"]
    assert len(part.gold) == len(items) < len(whole.gold)
    golds = {example.id: example.label for example in suite["base.builtin_demo"]}
    assert [LABELS[gold] for gold in part.gold] == [golds[item.base] for item in items]
    assert part.premises.tolist() == found["spelling_error_function_word.matched"].premises.tolist()
    assert defined.published("neutral", "base.matched@negation") == pytest.approx(0.742)


def test_the_page_says_what_a_model_that_reads_parses_had_to_read(small: tuple[study.Study, Path]) -> None:
    defined, work = small
    path = work / "runs/neutral/seed-0/manifest.json"
    manifest = read_manifest(path)
    manifest["test_sets"]["negation.builtin_demo"]["parsed"] = 300
    write_json(path, manifest)
    results.collect(defined, work)
    assert "NB: both sentences of 300 of 324 items have a parse" in page.write(defined).read_text("utf-8")
    manifest["details"]["trees"] = "right-branching: no parse"
    write_json(path, manifest)
    results.collect(defined, work)
    assert "NB: trees of the test sets are right-branching: no parse." in page.write(defined).read_text(
        "utf-8"
    )


def test_a_run_over_another_suite_is_run_again(small: tuple[study.Study, Path]) -> None:
    defined, work = small
    (training, *_) = study.trainings(defined)
    assert study.is_run(defined, work, training)
    crossexam.build("word_overlap", "builtin:demo", folder=work / "other")
    (work / "suite").rename(work / "earlier")
    (work / "other").rename(work / "suite")
    assert not study.is_run(defined, work, training)
    assert results.answers_of(defined, work) == {}


def test_two_sets_of_one_construction_and_base_are_not_pooled(small: tuple[study.Study, Path]) -> None:
    defined, work = small
    manifest = work / "suite/manifest.json"
    described = read_manifest(manifest)
    described["test_sets"]["negation_paper.builtin_demo"] = described["test_sets"]["negation.builtin_demo"]
    write_json(manifest, described)
    for seed in (0, 1):
        run_into_folder("builtin/neutral", read_suite(work / "suite"), work / f"runs/neutral/seed-{seed}")
    with pytest.raises(CrossexamError, match=r"'negation\.builtin_demo' and 'negation_paper\."):
        results.answers_of(defined, work)


def test_a_model_that_was_trained_again_is_run_again(small: tuple[study.Study, Path]) -> None:
    defined, work = small
    first, second = (t for t in study.trainings(defined, ["neutral"]))
    run = work / first.run_folder / "manifest.json"
    os.utime(work / first.folder / "manifest.json", (0, run.stat().st_mtime + 1))
    assert not study.is_run(defined, work, first)
    assert study.is_run(defined, work, second)


def test_results_of_models_that_were_not_run_here_are_not_mixed(small: tuple[study.Study, Path]) -> None:
    defined, work = small
    results.collect(defined, work)
    path = defined.folder / "results/neutral.json"
    (path.parent / "later.json").write_text(path.read_text("utf-8"), encoding="utf-8")
    with pytest.raises(CrossexamError, match="not been run over the suite: later"):
        results.collect(defined, work)
    other = json.loads(path.read_text("utf-8"))
    other["test_sets"]["negation.builtin_demo"]["content_hash"] = "0"
    write_json(path.parent / "later.json", other)
    with pytest.raises(CrossexamError, match="different test sets"):
        page.write(defined)


@pytest.mark.parametrize("name", STUDIES)
def test_the_page_is_that_of_the_results(name: str, tmp_path: Path) -> None:
    """RESULTS.md has no number that the files in results/ lack."""
    if not (FOLDER / name / "results").is_dir():
        pytest.skip("no results yet")
    defined = study.read_study(FOLDER / name)
    text = (defined.folder / "RESULTS.md").read_text("utf-8")
    for part in page.parts(defined):
        assert part in text, part[:200]
