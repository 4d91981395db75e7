"""Logs of other harnesses as models: ``log/PATH``.

The lines have the shapes that lm-eval 0.4.13 and inspect-ai 0.3.285 wrote for tasks of ``crossexam export``.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.interop.questions import Question, question_set
from crossexam.models.prompts.table import template
from crossexam.runs.run import predict_suite as run
from made.cases import refused
from made.runs import dataset

GPT3 = template("gpt3")
NAME = "negation.dev"
SET = dataset(NAME, "ENCE")
LIKELIHOODS = [(-0.5, -2.0, -4.0), (-3.0, -1.0, -2.0), (-9.0, -9.5, -8.0), (-1.0, -1.5, -1.0001)]
ANSWERS = ["entailment", "neutral", "contradiction", "entailment"]  # by LIKELIHOODS
TEXTS = ["True", "The answer is Neither.", "True or False", ""]


def lm_eval_line(question: Question, replies: Sequence[float] | str) -> dict[str, Any]:
    """A line of samples_*.jsonl, in which numbers are texts."""
    asked: list[Any] = [f" {choice}" for choice in question.choices]
    resps: list[Any] = [[[str(number), "False"]] for number in replies]
    if isinstance(replies, str):
        asked, resps = [{"until": [], "max_gen_toks": 16}], [[replies]]
    arguments = {f"gen_args_{k}": {"arg_0": question.prompt, "arg_1": each} for k, each in enumerate(asked)}
    return {"doc_id": 0, "doc": question.record(), "arguments": arguments, "resps": resps, "filter": "none"}


def write_samples(folder: Path, replies: Sequence[Any]) -> Path:
    path = folder / "samples_crossexam_negation_dev_2026-11-22T13-10-07.840940.jsonl"
    lines = [lm_eval_line(each, reply) for each, reply in zip(question_set(SET, GPT3), replies, strict=True)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def write_inspect(folder: Path, texts: Sequence[str]) -> Path:
    samples = []
    for question, text in zip(question_set(SET, GPT3), texts, strict=True):
        said = {"message": {"role": "assistant", "content": text}, "stop_reason": "stop"}
        about = {"id": question.id, "epoch": 1, "metadata": question.record()}
        samples.append({**about, "output": {"model": "m", "choices": [said]}})
    task = {"task": "crossexam_negation_dev", "model": "m", "packages": {"inspect_ai": "0.3.285"}}
    path = folder / "m.json"
    path.write_text(json.dumps({"version": 2, "eval": task, "samples": samples}), encoding="utf-8")
    return path


def rewritten(path: Path, change: Callable[[dict[str, Any]], object], most: int | None = None) -> Path:
    """Change the first *most* lines of a log."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines[:most]:
        change(line)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_likelihoods_of_lm_eval_are_probabilities(tmp_path: Path) -> None:
    found = run(f"log/{write_samples(tmp_path, LIKELIHOODS)}", SET)
    exact = np.exp(LIKELIHOODS)
    mass = exact.sum(axis=1)
    np.testing.assert_allclose(found.probabilities[NAME], exact / mass[:, None], rtol=1e-12)
    assert found.predictions(NAME).tolist() == ANSWERS
    np.testing.assert_allclose(found.outcomes[NAME].label_mass, np.minimum(1, mass), rtol=1e-12)

    def reverse(line: dict[str, Any]) -> None:
        """Each choice has its label beside it: a task may have them in another order than LABELS."""
        for values in (line["doc"]["labels"], line["doc"]["choices"], line["resps"]):
            values.reverse()

    path = rewritten(write_samples(tmp_path, LIKELIHOODS), reverse)
    assert run(f"log/{path}", SET).predictions(NAME).tolist() == ANSWERS


def test_without_ids_pairs_are_matched_by_their_texts(tmp_path: Path) -> None:
    """As in tasks of lm-eval itself: the template names the choices, whatever their order.

    The task CB of lm-eval lists True, False, Neither; the template gpt3 True, Neither, False.
    """

    def bare(line: dict[str, Any]) -> None:
        line["doc"] = {key: line["doc"][key] for key in ("premise", "hypothesis")}

    def exchange(line: dict[str, Any]) -> None:
        arguments = list(line["arguments"].values())
        for values in (line["resps"], arguments):
            values[1], values[2] = values[2], values[1]
        line["arguments"] = {f"gen_args_{k}": each for k, each in enumerate(arguments)}

    path = rewritten(write_samples(tmp_path, LIKELIHOODS), bare)
    assert "not known which answer" in refused(FormatError, run, f"log/{path}", SET)
    for log in (path, rewritten(path, exchange)):
        assert run(f"log/{log}", SET, options={"template": "gpt3"}).predictions(NAME).tolist() == ANSWERS


def test_texts_are_read_by_the_rules_of_api(tmp_path: Path) -> None:
    for path in (write_samples(tmp_path, TEXTS), write_inspect(tmp_path, TEXTS)):
        found = run(f"log/{path}", SET)
        assert found.predictions(NAME).tolist()[:2] == ["entailment", "neutral"]
        assert found.outcomes[NAME].statuses().tolist() == ["answered", "answered", "ambiguous", "empty"]
        assert found.details["rules"] == {"exact": 1, "phrase": 1}


def test_a_log_that_does_not_fit_is_an_error(tmp_path: Path) -> None:
    changes: list[tuple[Callable[[dict[str, Any]], object], str]] = [
        (lambda line: line["doc"].update(hypothesis="Ann has dogs."), "'negation:0' is 'Ann has dogs.'"),
        (lambda line: line["doc"].update(id="negation:99"), "item 'negation:99' of negation.dev, which is"),
        (lambda line: line["resps"][0][0].__setitem__(0, "nan"), "this is not a sample of lm-eval"),
        (lambda line: line.update(filter="strict"), "several filters: none, strict"),
    ]
    for change, said in changes:
        path = rewritten(write_samples(tmp_path, LIKELIHOODS), change, 1)
        assert said in refused(FormatError, run, f"log/{path}", SET)
    path = write_samples(tmp_path, LIKELIHOODS)
    lines = path.read_text().splitlines(keepends=True)
    for text, said in (
        ("".join(lines[1:]), "1 of 4 items have no reply: 'negation:0'"),
        ("".join([*lines, lines[0]]), "there are two replies to item 'negation:0'"),
        ("{]\n", "line 1: not JSON"),
    ):
        path.write_text(text)
        assert said in refused(FormatError, run, f"log/{path}", SET)


def test_items_and_test_sets_that_were_not_asked_about(tmp_path: Path) -> None:
    """Items without a gold label are not exported, since harnesses would count each as wrong."""
    more = dataset("antonymy.dev", "NNN")
    both = Suite("tests", {each.name: each for each in (SET, more)})
    log = f"log/{write_samples(tmp_path, LIKELIHOODS)}"
    unlabelled = Example("negation:9", "Ann has a dog.", "Ann has cats.", None)
    found = run(log, Dataset(NAME, (*SET, unlabelled), SET.manifest))
    assert found.outcomes[NAME].statuses().tolist() == ["answered"] * 4 + ["unasked"]
    said = "no reply to any item of 1 of the 2 test sets with gold labels: antonymy.dev"
    assert refused(FormatError, run, log, both).has(said, "--only 'negation.dev'")
