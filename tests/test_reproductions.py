"""The reproductions that train models: their definitions, the findings, and the steps."""

import json
import math
import shutil
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import typer
from figure_formulas.intervals import variance

import crossexam
from crossexam.cli.main import app
from crossexam.core.dataset import Run, Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.estimate import Estimate
from crossexam.core.example import CLUSTER, CONTROL_LABEL, POLARITY, SEEN, cluster_of
from crossexam.core.files import write_json
from crossexam.core.labels import LABELS
from crossexam.core.outcome import CODES, Outcomes
from crossexam.core.sealed import write_manifest
from crossexam.core.settings import parse_assignments
from crossexam.core.test_sets import read_suite
from crossexam.runs.folder import run_into_folder
from crossexam.stats.estimate import share_correct
from crossexam.training.data import parse_augmentations, with_construction_options
from made.runs import dataset
from made.scripts import script
from made.suites import write_suite

FOLDER = Path(crossexam.__file__).resolve().parents[2] / "reproductions"
if not FOLDER.is_dir():
    pytest.skip("the reproductions are not beside the package", allow_module_level=True)
sys.path.insert(0, str(FOLDER))
import commands  # noqa: E402
import findings  # noqa: E402
import kept  # noqa: E402
import page  # noqa: E402
import results  # noqa: E402
import steps  # noqa: E402
import study  # noqa: E402

#: A study and the folder in which it is carried out.
Small = tuple[study.Study, Path]


@pytest.fixture(params=["naik2018", "nie2019", "nie2019_multinli"])
def defined(request: pytest.FixtureRequest) -> study.Study:
    return study.read_study(FOLDER / request.param)


def _expressions(defined: study.Study) -> list[str]:
    """Return the expressions of all findings, those about others once for each of them."""
    return [
        one
        for finding in defined.findings
        for expression in finding.expressions()
        for one in finding.single(expression).values()
    ]


def test_rows_and_their_options_are_those_of_train(defined: study.Study) -> None:
    rows = defined.rows.values()
    assert {row.architecture for row in rows} <= set(commands.ROWS)
    for expression in _expressions(defined):
        assert {row for row, _ in findings.cells_of(expression)} <= set(defined.rows), expression
    parts = (*defined.tables, *defined.orderings, *defined.deviations)
    assert {row for each in parts for row in each.rows} <= set(defined.rows)
    seeds = [training.seed for training in study.trainings(defined)]
    assert seeds == sorted(seeds)  # seed 0 of all rows first
    assert len(seeds) == sum(row.seeds * row.members for row in rows)
    for row in rows:
        given = list(zip(row.more[:-1], row.more[1:], strict=True))
        asked = [words for option, words in given if option == "--augment"]
        values = parse_assignments([words for option, words in given if option == "--set"], "--set")
        augmentations = parse_augmentations(asked[0]) if asked else ()
        changed, rest = with_construction_options(augmentations, values)
        assert not rest, row.name
        assert all(each.construction.rules != "ours" for each in changed), "other rules than the test sets"


def test_findings_have_the_paper_s_figures_and_are_true_of_them(defined: study.Study) -> None:
    """A misspelt set would be a column without figures; what the paper says is true of its tables."""
    in_text_alone = ("dr_bilstm_", "wrong-", "numerical_reasoning:")  # Table 4 has ESIM alone
    for expression in _expressions(defined):
        if not any(part in expression for part in in_text_alone):
            assert findings.published_value(defined.published, expression) is not None, expression
    for ordering in defined.orderings:
        assert ordering.pairs(defined.published), ordering.claim
    for table in defined.tables:
        for cell in table.cells:
            assert any(defined.published(row, cell) is not None for row in table.rows), cell
    for finding in defined.findings:
        low, high = finding.expected
        for expression in finding.expressions():
            value = finding.in_paper(defined.published, expression)
            assert value is None or low - 0.5 <= 100 * value <= high + 0.5, (expression, value)


@pytest.fixture
def swaps() -> ModuleType:
    """The script of the third study, which trains nothing."""
    return script("reproductions/sanchez2018/run.py")


def test_findings_on_word_swaps_are_true_of_the_paper_s_table(swaps: ModuleType) -> None:
    path = FOLDER / "sanchez2018" / "findings.toml"
    _, said = study.read_statements(tomllib.loads(path.read_text("utf-8")), path)
    for finding in said:
        low, high = finding.expected
        for expression in finding.expressions():
            value = finding.in_paper(swaps.published_share, expression)
            assert value is not None, expression
            assert low <= 100 * value <= high, (expression, value)


def test_the_commands_of_the_zoo_s_results_can_be_given_again() -> None:
    zoo, group = script("reproductions/zoo/train.py"), vars(typer.main.get_command(app))["commands"]
    found = sorted((FOLDER / "zoo" / "results").glob("*.json"))
    assert found
    for path in found:
        committed = json.loads(path.read_text(encoding="utf-8"))
        words = zoo.first_seed(committed["command"], "here")
        assert words[-2:] == ["-o", "here"], path.name
        given = group["train"].make_context("train", words[2:]).params
        assert given["seeds"] in (None, ["1"]), path.name
        assert {Path(spec).name for spec in given["test"]} == set(committed["seeds"][0]["tests"]), path.name


def _swapped() -> Suite:
    """Return controls, and items made from the first twenty of them."""
    control = dataset("i_h.train", "ENC" * 10)

    def info(k: int) -> dict[str, Any]:
        made_from = control.examples[k]
        facts = {SEEN: k % 4 > 0, POLARITY: LABELS[k % 3], CLUSTER: cluster_of(made_from)}
        return {**facts, CONTROL_LABEL: made_from.label, "pair": f"man/w{k % 5}"}

    swapped = dataset("i_th.train", "EN" * 10, control.name, info=info, keeps_label=False, paired=True)
    return Suite("swaps", {each.name: each for each in (control, swapped)})


def _random_run(suite: Suite, seed: int = 1) -> Run:
    rng = np.random.default_rng(seed)
    said = {each.name: rng.dirichlet(np.ones(3), size=len(each)) for each in suite}
    return Run("m", suite.datasets, said)


def test_swapped_items_are_compared_with_their_own_controls(swaps: ModuleType, tmp_path: Path) -> None:
    """The drop is that of the report; a subset's is that of its items, whatever the other controls are."""
    suite, right = _swapped(), {}
    run = _random_run(suite)
    kept.keep_predictions(tmp_path / "ce.npz", [run])
    write_json(tmp_path / "ce.json", {})
    answers = swaps.read_results(suite, tmp_path).answers
    for name in suite.datasets:
        predicted = np.array([LABELS[k] for k in run.answers(name).argmax(axis=1)])
        right[name] = predicted == np.array([item.label for item in suite[name]])
    before, after = right["i_h.train"][:20], right["i_th.train"]
    assert right["i_h.train"].mean() != before.mean()
    drop = findings.estimate(answers, "ce:i_h@i_th - ce:i_th")
    assert drop.value == pytest.approx(before.mean() - after.mean())
    unseen = np.arange(20) % 4 == 0
    part = findings.estimate(answers, "ce:i_h@i_th@unseen - ce:i_th@unseen")
    assert part.value == pytest.approx(before[unseen].mean() - after[unseen].mean())
    own = answers["ce"]["i_h@i_th"].pairs  # controls have the word pairs of the items made from them
    assert own.tolist() == answers["ce"]["i_th"].pairs.tolist() == [k % 5 for k in range(20)]


def _answers(gold: list[int], *predicted: list[int]) -> findings.Answers:
    return findings.Answers(np.array(gold), np.array(predicted), np.arange(len(gold)), np.full(len(gold), -1))


def test_the_interval_of_the_least_difference_is_that_of_a_second_computation() -> None:
    """By hand: normal intervals of the mean differences of items, each alone and at Bonferroni's level."""
    rng, answers = np.random.default_rng(6), {}
    for row, accuracy in {"ch": 0.6, "nb": 0.58, "rc": 0.59, "is": 0.3}.items():
        answers[row] = {"t": _answers([0] * 1000, (rng.random(1000) > accuracy).astype(int).tolist())}
    best, others = (0.0, math.inf), ("nb", "rc", "is")
    finding = findings.Finding("best", "Table", "ch:t - {other}:t", best, others=others)
    found, nearest = finding.here(answers, finding.value)
    lows, highs, means = [], [], []
    for other in finding.others:
        right = [answers[row]["t"].predicted[0] == 0 for row in ("ch", other)]
        difference = right[0].astype(float) - right[1]
        error = difference.std(ddof=1) / math.sqrt(1000)
        means.append(difference.mean())
        lows.append(difference.mean() - NormalDist().inv_cdf(0.975) * error)
        highs.append(difference.mean() + NormalDist().inv_cdf(1 - 0.025 / 3) * error)
    assert found.value == pytest.approx(min(means))
    assert nearest == finding.others[int(np.argmin(means))]
    assert found.low == pytest.approx(min(lows), abs=0.004)
    assert found.high == pytest.approx(min(highs), abs=0.004)


def test_an_expression_is_the_sum_of_its_terms() -> None:
    half, all_right = _answers([0, 1, 2, 0] * 25, [0, 1, 1, 1] * 25), _answers([0] * 100, [0] * 100)
    answers = {"a": {"base": half, "easy": all_right}, "b": {"base": all_right, "easy": half}}
    values = {
        "a:base": 0.5,
        "a,b:base": 0.75,
        "a:easy - a:base": 0.5,
        "a:base - a:easy - b:base + b:easy": -1.0,
        "a:base:N": 0.75,  # predicted, right or wrong: E, N, C are 0, 1, 2
        "a:base:false-neutral": 1.0,  # of the two errors in four
        "a:base:wrong-neutral": 0.5,  # of all answers
        "a:base:majority": 0.5,
    }
    assert {each: findings.estimate(answers, each).value for each in values} == values
    seeds = {"a": {"base": _answers([0, 0], [0, 0], [0, 1], [1, 1])}}  # of one model
    found = findings.estimate(seeds, "a:base")
    assert (found.value, found.clusters) == (0.5, 2)


def test_the_items_of_a_word_pair_are_not_independent() -> None:
    """The variance of a drop is that of the second implementation, in two ways."""
    rng = np.random.default_rng(3)
    premises, pairs = np.repeat(np.arange(60), 2), rng.integers(0, 12, 120)
    gold = np.zeros(120, dtype=np.int64)
    before = rng.integers(0, 2, (1, 120))
    after = np.where(pairs % 3 == 0, 1, before)
    said = {"base": before, "t": after}
    answers = {"a": {name: findings.Answers(gold, said[name], premises, pairs) for name in said}}
    found = findings.estimate(answers, "a:base - a:t")
    drop = (before[0] == 0).astype(float) - (after[0] == 0)
    half = 2.200985 * math.sqrt(variance(drop, [premises, pairs]))  # t of 11 degrees of freedom
    assert found.value == pytest.approx(drop.mean())
    assert (found.low, found.high) == pytest.approx((drop.mean() - half, drop.mean() + half))
    one = findings.estimate(answers, "a:t")
    assert one == share_correct(after[0] == 0, np.stack([premises, pairs], axis=1))


def test_verdicts() -> None:
    above, between = (0.0, math.inf), (0.0, 10.0)
    for low, high, expected, said in (
        (0.01, 0.05, above, "holds"),
        (-0.01, 0.05, above, "undecided"),
        (0.02, 0.09, between, "holds"),
        (0.12, 0.15, between, "does not hold"),
    ):
        assert findings.verdict(Estimate((low + high) / 2, low, high, 10, 10), expected) == said


def test_finished_trainings_are_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    naik, done = study.read_study(FOLDER / "naik2018"), []

    def trained(words: list[str], cwd: Path) -> None:
        done.append(words[-1])
        write_json(cwd / words[-1] / "manifest.json", {})

    monkeypatch.setattr(steps, "carry_out", trained)
    write_json(tmp_path / "trained/cbow/seed-1/manifest.json", {})
    for _ in range(2):
        steps.train(naik, tmp_path, ["cbow"])
    assert done == ["trained/cbow/seed-0", "trained/cbow/seed-2"]


DEFINITION = """
study = "naik2018"
data = "snli"
train = "builtin:demo"
dev = "builtin:demo"
build = "crossexam build stress-tests --base builtin:demo -o suite"
orderings = []
notes = {models = "A note."}
[parts]
matched = "builtin_demo"
[figures]
accuracy = [["accuracy", "{set}"]]
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
"""


@pytest.fixture
def small(tmp_path: Path) -> tuple[study.Study, Path]:
    """A study of which one model of two has been run, by two seeds that always answer neutral."""
    folder, work = tmp_path / "study", tmp_path / "work"
    folder.mkdir()
    (folder / "study.toml").write_text(DEFINITION, encoding="utf-8")
    (folder / "preface.md").write_text("# Title\n", encoding="utf-8")
    suite = crossexam.build("negation", "builtin:demo", folder=work / "suite")
    (work / study.BUILT).write_text("crossexam build negation --base builtin:demo --limit 9")
    data = {"train": [{"spec": "snli:train", "rows": 324}], "dev": {"rows": 9}}
    fingerprint: dict[str, Any] = {"recipe": {}, "options": {}, "data": data}
    known = {"fingerprint": fingerprint, "versions": {}, "files": {"model.safetensors": "ab"}}
    manifest = {**known, "scores": {"dev_accuracy": 33.3, "best_epoch": 1}, "curve": [{"seconds": 60.0}]}
    for seed in (0, 1):
        write_manifest(work / f"trained/neutral/seed-{seed}/manifest.json", manifest)
    _run_again(suite, work)
    return study.read_study(folder), work


def _run_again(suite: Suite, work: Path) -> None:
    for seed in (0, 1):
        run_into_folder("builtin/neutral", suite, work / f"runs/neutral/seed-{seed}", force=True)


def _judged(defined: study.Study, work: Path) -> tuple[results.Results, str]:
    """Return the results of *defined* after the steps run and judge, and its page."""
    for name in defined.rows:
        results.store(defined, work, name)
    read = results.read_results(defined, read_suite(work / "suite"))
    return read, page.write(defined, read).read_text("utf-8")


def test_results_and_page(small: Small) -> None:
    """The predictions and the suite are enough: no model, no run and nothing that is computed from them."""
    defined, work = small
    read, text = _judged(defined, work)
    golds = [example.label for example in read_suite(work / "suite")["base.builtin_demo"]]
    accuracy = findings.estimate(read.answers, "neutral:base.matched")
    assert accuracy.value == pytest.approx(golds.count("neutral") / len(golds))
    assert f"| NB | {accuracy:.1f} |" in text
    assert "| Negation costs accuracy | Table 3 | neutral:base.matched - neutral:negation.matched |" in text
    assert "does not hold: 1 of 2; not run yet: 1 of 2" in text
    assert "| IS (not run yet) | – | – |" in text
    assert "| NB, published | 74.2 | 39.5 |" in text
    shutil.rmtree(work / "runs")
    shutil.rmtree(work / "trained")
    assert steps.judge(defined, work).read_text("utf-8") == text


def test_predictions_are_kept_as_they_are_or_refused_by_name(tmp_path: Path) -> None:
    suite, path = _swapped(), tmp_path / "esim.npz"
    runs = [_random_run(suite, seed) for seed in (1, 2)]
    kept.keep_predictions(path, runs)
    for run, again in zip(runs, kept.read_kept(path).runs_over(suite), strict=True):
        for name in suite.datasets:
            assert again.predictions(name).tolist() == run.predictions(name).tolist()
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(CrossexamError, match=r"esim\.npz: not a file of predictions"):
        kept.read_kept(path)
    runs[0].probabilities["i_th.train"][3] = np.nan
    codes = np.where(np.arange(20) == 3, CODES["refused"], 0).astype(np.int8)
    silent = replace(runs[0], outcomes={"i_th.train": Outcomes(codes, np.full(20, np.nan))})
    with pytest.raises(CrossexamError, match=r"i_th\.train: 1 items have no answer"):
        kept.keep_predictions(tmp_path / "silent.npz", [silent])


def _other_negation(work: Path) -> None:
    """Let the negation of the suite in *work* have other items."""
    base, negation = (replace(each, examples=tuple(each)) for each in read_suite(work / "suite"))
    first, *rest = negation.examples
    changed = (replace(first, hypothesis="Something else."), *rest)
    write_suite(work / "suite", base, replace(negation, examples=changed))


def test_predictions_for_another_version_of_a_set_are_left_out(
    small: Small, capsys: pytest.CaptureFixture[str]
) -> None:
    """A study is brought up to date row by row: no figure mixes two versions; the page says what is old."""
    defined, work = small
    before, _ = _judged(defined, work)
    _other_negation(work)
    read, text = _judged(defined, work)
    assert read.answers["neutral"].keys() == {"base.matched"}
    assert read.outdated["neutral"] == {"negation.matched", "base.matched@negation"}
    assert "'neutral' belong to another version of negation.builtin_demo" in capsys.readouterr().err
    assert "not measured again: 1 of 2; not run yet: 1 of 2" in text
    accuracy = findings.estimate(before.answers, "neutral:base.matched")
    assert f"| NB (not measured again) | {accuracy:.1f} | – |" in text
    assert r"NB: not measured again on base.matched\@negation, negation.matched." in text
    _run_again(read_suite(work / "suite"), work)
    read, text = _judged(defined, work)
    assert not read.outdated["neutral"]
    assert "not measured again" not in text
