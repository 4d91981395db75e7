"""Logs of other harnesses as models: ``log/PATH``.

The lines have the shapes that lm-eval 0.4.13 and inspect-ai 0.3.285 wrote for tasks of ``crossexam export``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.example import Example
from crossexam.interop.asked import AskedItem, asked_set
from crossexam.models.prompts.table import template
from crossexam.runs.run import predict_suite as run

GPT3 = template("gpt3")
ITEMS = tuple(
    Example(f"negation:{k}", f"Ann has {k} cats.", "Ann has cats.", label)
    for k, label in enumerate(["entailment", "neutral", "contradiction", "entailment"])
)
SET = Dataset("negation.dev", ITEMS, {"construction": "negation"})
LIKELIHOODS = [(-0.5, -2.0, -4.0), (-3.0, -1.0, -2.0), (-9.0, -9.5, -8.0), (-1.0, -1.5, -1.0001)]
TEXTS = ["True", "The answer is Neither.", "True or False", ""]


def lm_eval_line(question: AskedItem, replies: Sequence[float] | str) -> dict[str, Any]:
    """A line of samples_*.jsonl, in which numbers are texts."""
    arguments: dict[str, Any]
    if isinstance(replies, str):
        arguments = {"gen_args_0": {"arg_0": question.prompt, "arg_1": {"until": [], "max_gen_toks": 16}}}
        resps: list[Any] = [[replies]]
    else:
        arguments = {
            f"gen_args_{k}": {"arg_0": question.prompt, "arg_1": f" {choice}"}
            for k, choice in enumerate(question.choices)
        }
        resps = [[[str(number), "False"]] for number in replies]
    return {"doc_id": 0, "doc": question.record(), "arguments": arguments, "resps": resps, "filter": "none"}


def inspect_sample(question: AskedItem, text: str, **choice: Any) -> dict[str, Any]:
    names = (
        "base",
        "cluster",
        "test_set",
        "construction",
        "premise",
        "hypothesis",
        "gold",
        "labels",
        "choices",
    )
    record = question.record()
    message = {"role": "assistant", "content": text}
    return {
        "id": question.id,
        "epoch": 1,
        "metadata": {name: record[name] for name in names},
        "output": {"model": "m", "choices": [{"message": message, "stop_reason": "stop", **choice}]},
    }


def write_samples(folder: Path, replies: Sequence[Any], *, date: str = "2026-11-22T13-10-07.840940") -> Path:
    path = folder / f"samples_crossexam_negation_dev_{date}.jsonl"
    lines = [lm_eval_line(each, reply) for each, reply in zip(asked_set(SET, GPT3), replies, strict=True)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def write_inspect(folder: Path, samples: Sequence[Mapping[str, Any]], model: str = "openai/gpt-5.1") -> Path:
    about = {"task": "crossexam_negation_dev", "model": model, "packages": {"inspect_ai": "0.3.285"}}
    path = folder / f"{model.rpartition('/')[2]}.json"
    path.write_text(json.dumps({"version": 2, "eval": about, "samples": list(samples)}), encoding="utf-8")
    return path


def inspect_texts(folder: Path, texts: Sequence[str] = TEXTS) -> Path:
    asked = zip(asked_set(SET, GPT3), texts, strict=True)
    return write_inspect(folder, [inspect_sample(each, text) for each, text in asked])


def test_likelihoods_of_lm_eval_are_probabilities(tmp_path: Path) -> None:
    found = run(f"log/{write_samples(tmp_path, LIKELIHOODS)}", SET)
    expected = np.exp(LIKELIHOODS)
    np.testing.assert_allclose(
        found.probabilities["negation.dev"], expected / expected.sum(axis=1, keepdims=True), rtol=1e-12
    )
    assert found.predictions("negation.dev").tolist() == [
        "entailment",
        "neutral",
        "contradiction",
        "entailment",
    ]
    np.testing.assert_allclose(
        found.outcomes["negation.dev"].label_mass, np.minimum(1, expected.sum(axis=1)), rtol=1e-12
    )
    assert found.manifest["details"]["harness"] == "lm-eval"


def test_labels_are_those_of_the_item_whatever_their_order(tmp_path: Path) -> None:
    """The choices of a task may be in another order than LABELS: each has its label beside it."""
    path = write_samples(tmp_path, LIKELIHOODS)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        for key in ("labels", "choices"):
            line["doc"][key].reverse()
        line["resps"].reverse()
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run(f"log/{path}", SET).predictions("negation.dev").tolist() == [
        "entailment", "neutral", "contradiction", "entailment",
    ]  # fmt: skip


def _lm_eval_texts(folder: Path) -> Path:
    return write_samples(folder, TEXTS)


@pytest.mark.parametrize("write", [_lm_eval_texts, inspect_texts])
def test_texts_are_read_by_the_rules_of_api(write: Callable[[Path], Path], tmp_path: Path) -> None:
    found = run(f"log/{write(tmp_path)}", SET)
    assert found.predictions("negation.dev").tolist()[:2] == ["entailment", "neutral"]
    outcomes = found.outcomes["negation.dev"]
    assert outcomes.statuses().tolist() == ["answered", "answered", "ambiguous", "empty"]
    assert np.isnan(found.probabilities["negation.dev"][2:]).all()
    assert found.manifest["details"]["rules"] == {"exact": 1, "phrase": 1}


def test_a_text_that_was_cut_is_no_answer(tmp_path: Path) -> None:
    samples = [inspect_sample(each, "Tr", stop_reason="max_tokens") for each in asked_set(SET, GPT3)]
    found = run(f"log/{write_inspect(tmp_path, samples)}", SET)
    assert set(found.outcomes["negation.dev"].statuses()) == {"cut"}


def test_log_probabilities_of_the_answer_are_used(tmp_path: Path) -> None:
    token = {
        "token": "True", "logprob": math.log(0.5), "bytes": list(b"True"),
        "top_logprobs": [
            {"token": "True", "logprob": math.log(0.5), "bytes": list(b"True")},
            {"token": "False", "logprob": math.log(0.3), "bytes": list(b"False")},
        ],
    }  # fmt: skip
    samples = [inspect_sample(each, "True", logprobs={"content": [token]}) for each in asked_set(SET, GPT3)]
    found = run(f"log/{write_inspect(tmp_path, samples)}", SET)
    np.testing.assert_allclose(found.probabilities["negation.dev"][0], [0.625, 0, 0.375], atol=1e-9)
    np.testing.assert_allclose(found.outcomes["negation.dev"].label_mass[0], 0.8)


def test_epochs_are_shares(tmp_path: Path) -> None:
    """Each item was asked twice; an answer that names no label does not count."""
    first, second = (
        [inspect_sample(each, text) for each, text in zip(asked_set(SET, GPT3), texts, strict=True)]
        for texts in (["True", "True", "no idea", "no idea"], ["False", "True", "Neither", "no idea"])
    )
    found = run(f"log/{write_inspect(tmp_path, [*first, *second])}", SET)
    rows = found.probabilities["negation.dev"]
    np.testing.assert_allclose(
        rows[:3], [[0.5, 0.0, 0.5], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], rtol=0, atol=1e-6
    )
    assert found.outcomes["negation.dev"].unanswered() == {"unparsed": 1}


def test_of_labels_that_were_answered_equally_often_the_first_counts(tmp_path: Path) -> None:
    """Otherwise the order of the columns would decide for entailment."""
    samples = [inspect_sample(each, text) for text in ("False", "True") for each in asked_set(SET, GPT3)]
    found = run(f"log/{write_inspect(tmp_path, samples)}", SET)
    assert set(found.predictions("negation.dev")) == {"contradiction"}


def test_a_folder_has_the_logs_of_one_model(tmp_path: Path) -> None:
    inspect_texts(tmp_path)
    assert run(f"log/{tmp_path}", SET).manifest["details"]["models"] == ["openai/gpt-5.1"]
    write_inspect(tmp_path, [], model="openai/other")
    with pytest.raises(FormatError, match="several models"):
        run(f"log/{tmp_path}", SET)


def _changed(line: dict[str, Any]) -> None:
    line["doc"]["hypothesis"] = "Ann has dogs."


def _unknown(line: dict[str, Any]) -> None:
    line["doc"]["id"] = "negation:99"


def _not_a_number(line: dict[str, Any]) -> None:
    line["resps"][0][0][0] = "nan"


def _too_few(line: dict[str, Any]) -> None:
    line["resps"].pop()


def _other_filter(line: dict[str, Any]) -> None:
    line["filter"] = "strict"


def _no_labels(line: dict[str, Any]) -> None:
    del line["doc"]["labels"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_changed, "the hypothesis of item 'negation:0' is 'Ann has dogs.' there"),
        (_unknown, "item 'negation:99' of negation.dev, which is in none of the test sets"),
        (_not_a_number, "this is not a sample of lm-eval"),
        (_too_few, "there are 2 likelihoods for 3 labels"),
        (_other_filter, "several filters: none, strict"),
        (_no_labels, "it is not known which answer stands for which label"),
    ],
)
def test_a_log_that_does_not_fit_is_an_error(
    change: Callable[[dict[str, Any]], None], message: str, tmp_path: Path
) -> None:
    path = write_samples(tmp_path, LIKELIHOODS)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines[0])
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(FormatError, match=message):
        run(f"log/{path}", SET)


def test_every_item_needs_a_reply_and_only_one(tmp_path: Path) -> None:
    path = write_samples(tmp_path, LIKELIHOODS)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[1:]))
    with pytest.raises(FormatError, match="1 of 4 items have no reply: 'negation:0'"):
        run(f"log/{path}", SET)
    path.write_text("".join([*lines, lines[0]]))
    with pytest.raises(FormatError, match="there are two replies to item 'negation:0'"):
        run(f"log/{path}", SET)
    path.write_text("".join(lines))
    write_samples(tmp_path, LIKELIHOODS, date="2026-11-23T13-10-07.840940")
    with pytest.raises(FormatError, match="two logs of task crossexam_negation_dev"):
        run(f"log/{tmp_path}", SET)


def test_items_without_a_gold_label_need_no_reply(tmp_path: Path) -> None:
    """They are not exported: harnesses would count each as wrong."""
    more = Dataset(
        SET.name, (*ITEMS, Example("negation:9", "Ann has a dog.", "Ann has cats.", None)), SET.manifest
    )
    found = run(f"log/{write_samples(tmp_path, LIKELIHOODS)}", more)
    assert found.outcomes["negation.dev"].unanswered() == {"unasked": 1}
    assert found.answered("negation.dev").tolist() == [True, True, True, True, False]


def test_a_limit_needs_replies_to_those_items_only(tmp_path: Path) -> None:
    found = run(f"log/{write_samples(tmp_path, LIKELIHOODS)}", SET, limit=2)
    assert len(found.predictions("negation.dev")) == 2


def test_without_ids_pairs_are_matched_by_their_texts(tmp_path: Path) -> None:
    """As in tasks of lm-eval itself, whose labels the template names."""
    path = write_samples(tmp_path, LIKELIHOODS)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        line["doc"] = {key: line["doc"][key] for key in ("premise", "hypothesis")}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(FormatError, match="not known which answer"):
        run(f"log/{path}", SET)
    found = run(f"log/{path}", SET, options={"template": "gpt3"})
    assert found.predictions("negation.dev").tolist()[1] == "neutral"


def test_a_template_names_the_choices_whatever_their_order(tmp_path: Path) -> None:
    """The task CB of lm-eval lists True, False, Neither; the template gpt3 True, Neither, False."""
    path = write_samples(tmp_path, LIKELIHOODS)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        line["doc"] = {key: line["doc"][key] for key in ("premise", "hypothesis")}
        _exchange(line["resps"], 1, 2)
        arguments = list(line["arguments"].values())
        _exchange(arguments, 1, 2)
        line["arguments"] = {f"gen_args_{k}": each for k, each in enumerate(arguments)}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = run(f"log/{path}", SET, options={"template": "gpt3"})
    assert found.predictions("negation.dev").tolist() == [
        "entailment", "neutral", "contradiction", "entailment",
    ]  # fmt: skip
    with pytest.raises(FormatError, match="the choices are 'True', 'False', 'Neither', and the labels"):
        run(f"log/{path}", SET, options={"template": "words"})


def _exchange(values: list[Any], first: int, second: int) -> None:
    values[first], values[second] = values[second], values[first]


MORE = Dataset(
    "antonymy.dev", tuple(Example(f"antonymy:{k}", f"It is {k}.", "It rains.", "neutral") for k in range(3))
)
BOTH = Suite("tests", {each.name: each for each in (SET, MORE)})


def test_test_sets_that_were_not_asked_about_are_named_with_the_way_out(tmp_path: Path) -> None:
    log = f"log/{write_samples(tmp_path, LIKELIHOODS)}"
    with pytest.raises(
        FormatError, match=r"no reply to any item of 1 of the 2 test sets with gold labels: antonymy.dev"
    ) as error:
        run(log, BOTH)
    assert "--only 'negation.dev'" in str(error.value)
    found = run(log, BOTH.only(["negation.*"]))
    assert list(found.datasets) == ["negation.dev"]
    assert "warning" not in found.manifest["details"]


def test_replies_to_test_sets_that_are_left_out_are_a_warning(tmp_path: Path) -> None:
    log = f"log/{write_samples(tmp_path, LIKELIHOODS)}"
    with pytest.raises(
        FormatError, match=r"no reply to any item of 1 of the 1 test sets with gold labels: antonymy.dev"
    ):
        run(log, MORE)
    samples = [inspect_sample(each, "True") for data in (SET, MORE) for each in asked_set(data, GPT3)]
    found = run(f"log/{write_inspect(tmp_path, samples)}", MORE)
    assert found.manifest["details"]["warning"] == (
        "the log has 4 replies to test sets that were left out: negation.dev"
    )


def test_what_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such file or folder"):
        run(f"log/{tmp_path / 'nothing'}", SET)
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(FormatError, match="no log of a known harness"):
        run(f"log/{tmp_path}", SET)
    path = write_samples(tmp_path, LIKELIHOODS)
    path.write_text("{]\n")
    with pytest.raises(FormatError, match="line 1: not JSON"):
        run(f"log/{path}", SET)


def test_a_log_answers_its_own_pairs_only(tmp_path: Path) -> None:
    from crossexam.models.table import open_model

    model = open_model(f"log/{write_samples(tmp_path, LIKELIHOODS)}")
    known = (ITEMS[1].premise, ITEMS[1].hypothesis)
    assert model.predict([known])[0].argmax() == 1
    with pytest.raises(CrossexamError, match="1 of 2 pairs have no reply"):
        model.predict([known, ("a", "b")])


def test_the_key_is_of_the_content_of_the_log(tmp_path: Path) -> None:
    from crossexam.models.table import open_model

    path = write_samples(tmp_path, LIKELIHOODS)
    first = open_model(f"log/{path}").key
    assert open_model(f"log/{path}").key == first
    assert open_model(f"log/{path}", {"template": "words"}).key != first
    write_samples(tmp_path, [*LIKELIHOODS[1:], LIKELIHOODS[0]])
    assert open_model(f"log/{path}").key != first
