"""A model behind an endpoint: what is asked, and how answers become rows."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from crossexam.core.errors import CrossexamError
from crossexam.core.labels import LABELS
from made.cases import refused

PAIRS = [(f"Premise number {n}.", f"Hypothesis number {n}.") for n in range(12)]


def test_each_pair_is_asked_once_after_the_probe(server: Any, opened: Any) -> None:
    """And what was learnt of the server is not found out again."""
    model = opened(concurrency=4)
    rows = model.predict(PAIRS)
    assert rows.argmax(axis=1).tolist() == [sum(map(ord, hypothesis)) % 3 for _, hypothesis in PAIRS]
    assert sorted(server.asked) == sorted(PAIRS)
    assert len(server.requests) == 30 + len(PAIRS)
    assert model.details["requests"]["sent"] == 30 + len(PAIRS) + 1  # the list of models
    assert model.details["usage"] == {"input": 42 * 50, "output": 42 * 2}
    assert model.details["models_served"] == {"mine": 42}
    second = opened()
    second.recall(json.loads(json.dumps(dict(model.details))))
    sent = len(server.requests)
    second.predict(PAIRS[2:4])
    assert len(server.requests) == sent + 2
    assert "logprobs" not in server.requests[-1]  # the first found that they do not come
    assert second.details["usage"]["input"] == 44 * 50


def test_probabilities_are_used_where_they_come_and_agree_with_the_text(server: Any, opened: Any) -> None:
    """Otherwise they are refused, if they were asked for, or the text decides."""
    with pytest.raises(CrossexamError, match="the server sends no log-probabilities\n"):
        opened(answer="logprobs").predict(PAIRS)

    def answer(body: dict[str, Any], own: float = -0.3) -> Any:
        label = server.label_for(body)
        others = [each for each in LABELS if each != label]
        top = {label: own, others[0]: -2.0, others[1]: -3.0}
        return server.chat(label, top if body.get("logprobs") else None)

    server.answer = answer
    model = opened()
    found, exact = model.answered(PAIRS), np.exp([-0.3, -2.0, -3.0])
    assert np.allclose(np.sort(found.probabilities, axis=1)[:, ::-1], exact / exact.sum())
    assert found.outcomes[0].label_mass == pytest.approx(exact.sum())
    server.answer = lambda body: answer(body, own=-5.3)
    found = opened(answer="logprobs").answered(PAIRS)
    assert {(each.detail["logprobs"], each.label_mass) for each in found.outcomes} == {("disagree", None)}
    assert sorted(set(found.probabilities.ravel())) == [0, 1]


def test_shares_of_samples_are_probabilities(server: Any, opened: Any) -> None:
    """A server that sends one is asked for each; labels that came equally often are equally probable."""
    texts = ["neutral", "entailment", "neutral", "what?"]

    def answer(body: dict[str, Any]) -> Any:
        own = [server.label_for(body)] * 4 if server.pair_in(body) not in PAIRS else texts
        whole = server.chat("")
        choice = whole.body["choices"][0]
        whole.body["choices"] = [{**choice, "message": {"content": text}} for text in own[: body["n"]]]
        return whole

    server.answer = answer
    model = opened(answer="samples:4")
    found = model.answered(PAIRS[:1])
    assert np.allclose(found.probabilities, [[1 / 3, 2 / 3, 0]])
    assert found.outcomes[0].label_mass == 0.75
    assert found.outcomes[0].detail["samples"] == {"neutral": 2, "entailment": 1, "unparsed": 1}
    given = iter(["contradiction", "entailment"])
    server.answer = lambda body: server.chat(
        next(given) if server.pair_in(body) in PAIRS else server.label_for(body)
    )
    model = opened(answer="samples:2")
    assert model.predict(PAIRS[:1]).tolist() == [[0.5, 0, 0.5]]
    assert model.details["fields_ignored"] == ["samples"]


def _refusing(server: Any, fields: dict[str, str]) -> Callable[[dict[str, Any]], Any]:
    def answer(body: dict[str, Any]) -> Any:
        for name, message in fields.items():
            if name in body:
                return server.error(400, message.format(name=name))
        return server.chat(server.label_for(body))

    return answer


def test_fields_that_are_refused_are_left_out_and_recorded(server: Any, opened: Any) -> None:
    """One after another, the last first, if the server does not say which it refuses."""
    unsupported = "Unsupported parameter: '{name}'"
    for message, fields, turned_down in (
        (unsupported, ("max_tokens", "seed", "reasoning_effort"), ["seed", "reasoning"]),
        ("bad request", ("seed",), ["seed", "logprobs", "reasoning"]),
    ):
        server.answer = _refusing(server, dict.fromkeys(fields, message))
        model = opened()
        model.predict(PAIRS)
        assert model.details["fields_refused"] == turned_down
        assert not server.requests[-1].keys() & {*fields}


def test_fields_of_the_user_are_sent_and_sampling_is_recorded(server: Any, opened: Any) -> None:
    extra = '{"provider": {"only": ["x"]}, "logprob_token_ids": [1], "max_tokens": 3}'
    opened(extra=extra).predict(PAIRS[:1])
    assert json.loads(extra).items() <= server.requests[-1].items()
    stated = opened(seed=3, max_output=7).details["sampling"]
    assert stated == {"temperature": 0.0, "seed": 3, "max_output": 7, "reasoning": "off"}


def test_options_that_are_refused(each_case: Any, server: Any, opened: Any) -> None:
    def check(option: str, value: str, said: str) -> None:
        assert said in refused(lambda: opened(**{option: value}).predict(PAIRS))

    each_case(check)
    assert "are all the same" in refused(opened, answer="samples:3", temperature=0.0)
    assert server.requests == []


def test_pairs_without_an_answer_have_a_status(server: Any, opened: Any) -> None:
    plain = server.answer
    for response, status in (
        (server.chat("no idea"), "unparsed"),
        (server.chat("The premise", finish_reason="length"), "cut"),
        (server.error(400, "policy", code="content_filter"), "filtered"),
        (server.error(400, "8 tokens exceed", type="exceed_context_size_error"), "too_long"),
    ):
        server.answer = lambda body, it=response: it if server.pair_in(body) == PAIRS[1] else plain(body)
        found = opened().answered(PAIRS[:3])
        assert np.isnan(found.probabilities).any(axis=1).tolist() == [False, True, False]
        assert found.outcomes[1].status == status


def test_declared_words_are_read_and_are_part_of_the_key(server: Any, opened: Any) -> None:
    words = {"entailment": "Follows", "neutral": "open", "contradiction": "clashes"}
    server.answer = lambda body: server.chat(words[server.label_for(body)])
    with pytest.raises(CrossexamError, match=r"can be read, such as 'Follows'\n.*\n.*--labels WORD=LABEL"):
        opened(answer="text").predict(PAIRS)
    model = opened(answer="text", labels="follows=entailment,open=neutral,clashes=contradiction")
    assert len({LABELS[k] for k in model.predict(PAIRS).argmax(axis=1)}) == 3
    assert model.key != opened(answer="text").key
    two = opened(answer="text", labels={"yes": "entailment", "no": "not_entailment"})
    assert two.details["warning"].startswith("the words of --labels (yes, no) are not read in its answers")
