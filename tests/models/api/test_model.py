"""A model behind an endpoint: what is asked, what the probe finds, how answers become rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.core.errors import CrossexamError, UnfinishedError
from crossexam.core.labels import LABELS
from crossexam.models.api.model import ChatModel
from crossexam.models.api.remarks import endpoint_remarks
from crossexam.models.table import open_model

Open = Callable[..., ChatModel]
PAIRS = [(f"Premise number {n}.", f"Hypothesis number {n}.") for n in range(12)]


def _outcomes(model: ChatModel, pairs: list[tuple[str, str]] = PAIRS) -> dict[int, Any]:
    found = {}
    for batch in model.batches(pairs, [False] * len(pairs)):
        found |= dict(zip(batch.indices, batch.outcomes, strict=True))
    return found


def test_each_pair_is_asked_once_after_the_probe(server: Any, opened: Open) -> None:
    model = opened(concurrency=4)
    rows = model.predict(PAIRS)
    expected = [
        server.label_for({"messages": [{"content": f"Premise: {p}\nHypothesis: {h}\nAnswer:"}]})
        for p, h in PAIRS
    ]
    assert [LABELS[k] for k in rows.argmax(axis=1)] == expected
    assert sorted(server.asked) == sorted(PAIRS)
    assert len(server.requests) == 30 + len(PAIRS)
    assert model.details["probe"]["right"] == 1
    assert model.details["requests"]["sent"] == 30 + len(PAIRS) + 1  # the list of models
    assert model.details["usage"] == {"input": 42 * 50, "output": 42 * 2}
    assert model.details["models_served"] == {"mine": 42}


def test_what_was_learnt_is_not_found_out_again(server: Any, opened: Open) -> None:
    first = opened()
    first.predict(PAIRS[:2])
    second = opened()
    second.recall(json.loads(json.dumps(dict(first.details))))
    sent = len(server.requests)
    second.predict(PAIRS[2:4])
    assert [body["max_tokens"] for body in server.requests[sent:]] == [16, 16]
    assert "logprobs" not in server.requests[-1]  # the first found that they do not come
    assert second.details["models_served"] == {"mine": 34}
    assert second.details["usage"]["input"] == 34 * 50


def _with_logprobs(server: Any, shift: float = 0.0) -> Callable[[dict[str, Any]], Any]:
    def answer(body: dict[str, Any]) -> Any:
        label = server.label_for(body)
        others = [each for each in LABELS if each != label]
        top = [(label, -0.3 - shift), (others[0], -2.0), (others[1], -3.0)]
        listed = [{"token": t, "bytes": list(t.encode()), "logprob": v} for t, v in top]
        content = [{**listed[0], "top_logprobs": listed}]
        return server.chat(label, logprobs={"content": content} if body.get("logprobs") else None)

    return answer


def test_probabilities_are_used_where_they_come(server: Any, opened: Open) -> None:
    server.answer = _with_logprobs(server)
    model = opened()
    rows = model.predict(PAIRS)
    exact = np.exp([-0.3, -2.0, -3.0])
    assert np.allclose(np.sort(rows, axis=1)[:, ::-1], exact / exact.sum())
    assert model.details["probe"]["answer"] == "logprobs"
    outcomes = _outcomes(model)
    assert outcomes[0].label_mass == pytest.approx(exact.sum())
    model.count(each.detail for each in outcomes.values())
    assert _outcomes(model, PAIRS[:1])  # brings the details up to date
    mass = round(float(exact.sum()), 6)
    assert model.details["logprobs"] == {"aligned": 12, "mass_median": mass, "low_mass": 0}


def test_the_text_wins_over_probabilities_that_disagree(server: Any, opened: Open) -> None:
    server.answer = _with_logprobs(server, shift=5.0)
    model = opened(answer="logprobs")
    outcomes = _outcomes(model)
    assert {each.detail["logprobs"] for each in outcomes.values()} == {"disagree"}
    assert {each.label_mass for each in outcomes.values()} == {None}
    assert sorted(set(model.predict(PAIRS).ravel())) == [0, 1]


def test_probabilities_that_do_not_come_are_refused_or_done_without(server: Any, opened: Open) -> None:
    with pytest.raises(CrossexamError, match="the server sends no log-probabilities\n"):
        opened(answer="logprobs").predict(PAIRS)
    model = opened()
    model.predict(PAIRS)
    assert model.details["probe"]["answer"] == "text"
    assert model.details["fields_ignored"] == ["logprobs"]


def _refusing(server: Any, fields: dict[str, str]) -> Callable[[dict[str, Any]], Any]:
    def answer(body: dict[str, Any]) -> Any:
        for name, message in fields.items():
            if name in body:
                return server.error(400, message.format(name=name))
        return server.chat(server.label_for(body))

    return answer


@pytest.mark.parametrize("message", ["Unsupported parameter: '{name}'", "bad request"])
def test_fields_that_are_refused_are_left_out_and_recorded(server: Any, opened: Open, message: str) -> None:
    server.answer = _refusing(server, dict.fromkeys(("max_tokens", "seed", "reasoning_effort"), message))
    model = opened()
    model.predict(PAIRS)
    assert server.requests[-1].keys() == {"model", "messages", "max_completion_tokens", "temperature"}
    assert model.details["fields_refused"] == ["seed", "reasoning"]


def test_a_way_that_the_server_refuses_is_an_error(server: Any, opened: Open) -> None:
    server.answer = _refusing(server, {"response_format": "no '{name}'"})
    with pytest.raises(CrossexamError, match="the server refuses the fields that --answer choice needs"):
        opened(answer="choice").predict(PAIRS)


def test_a_request_that_is_refused_with_no_field_left_is_an_error(server: Any, opened: Open) -> None:
    server.answer = lambda body: server.error(400, "this model answers no chats")
    with pytest.raises(CrossexamError, match="400: this model answers no chats"):
        opened().predict(PAIRS)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("vllm", {"structured_outputs": {"choice": list(LABELS)}}),
        ("sglang", {"regex": "(entailment|neutral|contradiction)"}),
        ("llama.cpp", {"grammar": 'root ::= "entailment" | "neutral" | "contradiction"'}),
    ],
)
def test_labels_alone_are_allowed_in_the_words_of_the_server(
    server: Any, opened: Open, kind: str, fields: dict[str, Any]
) -> None:
    model = opened(answer="choice", server=kind)
    model.predict(PAIRS[:1])
    assert fields.items() <= server.requests[-1].items()


def test_a_server_is_known_by_its_list_of_models(server: Any, opened: Open) -> None:
    server.models = {"data": [{"id": "mine", "owned_by": "llamacpp"}]}
    model = opened()
    model.predict(PAIRS[:1])
    assert model.details["server"] == {"name": "llama.cpp", "how": "by its list of models"}
    assert server.requests[-1]["cache_prompt"] is False


def test_labels_that_mean_something_else_are_refused(server: Any, opened: Open, tmp_path: Path) -> None:
    swapped = tmp_path / "swapped.toml"
    swapped.write_text(
        'like = "words"\nlabels = {entailment = "contradiction", neutral = "neutral", '
        'contradiction = "entailment"}\n'
    )
    with pytest.raises(CrossexamError, match="the model gets 33 % of 30 easy items right; if they meant"):
        opened(template=str(swapped)).predict(PAIRS)


def test_answers_that_cannot_be_read_are_refused_before_they_are_paid_for(server: Any, opened: Open) -> None:
    server.answer = lambda body: server.chat("Good question!")
    with pytest.raises(CrossexamError, match=r"none of the answers .* 'Good question!'"):
        opened().predict(PAIRS)
    assert server.asked == []


def test_shares_of_samples_are_probabilities(server: Any, opened: Open) -> None:
    texts = ["neutral", "entailment", "neutral", "what?"]

    def answer(body: dict[str, Any]) -> Any:
        own = [server.label_for(body)] * 4 if server.pair_in(body) not in PAIRS else texts
        whole = server.chat("")
        choice = whole.body["choices"][0]
        whole.body["choices"] = [{**choice, "message": {"content": text}} for text in own[: body["n"]]]
        return whole

    server.answer = answer
    model = opened(answer="samples:4")
    assert np.allclose(model.predict(PAIRS[:1]), [[1 / 3, 2 / 3, 0]])
    assert server.requests[-1]["temperature"] == 1
    assert "seed" not in server.requests[-1]
    outcome = _outcomes(model, PAIRS[:1])[0]
    assert outcome.label_mass == 0.75
    assert outcome.detail["samples"] == {"neutral": 2, "entailment": 1, "unparsed": 1}


def test_samples_are_asked_one_by_one_if_the_server_sends_one(server: Any, opened: Open) -> None:
    """And labels that came equally often are equally probable, whichever came first."""
    given = iter(["contradiction", "entailment"])
    plain = server.answer
    server.answer = lambda body: (
        plain(body) if server.pair_in(body) not in PAIRS else server.chat(next(given))
    )
    model = opened(answer="samples:2")
    rows = model.predict(PAIRS[:1])
    assert rows.tolist() == [[0.5, 0, 0.5]]
    assert model.details["fields_ignored"] == ["samples"]


@pytest.mark.parametrize(
    ("make", "status"),
    [
        (lambda s: s.chat("no idea"), "unparsed"),
        (lambda s: s.chat("neutral or entailment"), "ambiguous"),
        (lambda s: s.chat(None, finish_reason="length"), "empty"),
        (lambda s: s.chat("The premise", finish_reason="length"), "cut"),
        (lambda s: s.chat("neutral", finish_reason="content_filter"), "filtered"),
        (lambda s: s.error(400, "policy", code="content_filter"), "filtered"),
        (lambda s: s.error(400, "too long", code="context_length_exceeded"), "too_long"),
        (lambda s: s.error(400, "8 tokens exceed", type="exceed_context_size_error"), "too_long"),
        (lambda s: s.error(400, "This model's maximum context length is 8 tokens."), "too_long"),
    ],
)
def test_pairs_without_an_answer_have_a_status(
    server: Any, opened: Open, make: Callable[[Any], Any], status: str
) -> None:
    plain = server.answer
    server.answer = lambda body: make(server) if server.pair_in(body) == PAIRS[1] else plain(body)
    model = opened()
    rows = model.predict(PAIRS[:3])
    assert np.isnan(rows).any(axis=1).tolist() == [False, True, False]
    assert _outcomes(model, PAIRS[:3])[1].status == status


def test_a_failure_for_now_is_no_answer(server: Any, opened: Open) -> None:
    plain = server.answer
    server.answer = lambda body: (
        server.error(500, "broken") if server.pair_in(body) == PAIRS[1] else plain(body)
    )
    model, found = opened(tries=2), list[int]()

    def ask() -> None:
        for batch in model.batches(PAIRS, [False] * 12):
            found.extend(batch.indices)

    with pytest.raises(UnfinishedError, match=r"1 questions got no answer \(1 times 500: broken\)"):
        ask()
    assert sorted(found) == [0, *range(2, 12)]


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda s: s.error(401, "bad key"), CrossexamError, "401: bad key\n  hint: the key in"),
        (lambda s: s.error(404, "no such model"), CrossexamError, "404: no such model"),
        (lambda s: s.error(429, "pay", code="insufficient_quota"), UnfinishedError, "429: pay"),
        (lambda s: s.error(429, "", headers={"Retry-After": "999"}), UnfinishedError, "999 seconds"),
        (lambda s: s.error(500, "broken"), UnfinishedError, "5 questions in a row failed: 500: broken"),
    ],
)
def test_what_fails_for_all_stops_everything(
    server: Any, opened: Open, make: Callable[[Any], Any], kind: type[Exception], message: str
) -> None:
    plain = server.answer
    server.answer = lambda body: plain(body) if server.pair_in(body) not in PAIRS else make(server)
    model = opened(tries=1)
    with pytest.raises(kind, match=message) as caught:
        model.predict(PAIRS)
    assert isinstance(caught.value, UnfinishedError) == (kind is UnfinishedError)
    assert len(server.asked) <= 5


def test_a_budget_stops_between_requests(server: Any, opened: Open) -> None:
    with pytest.raises(UnfinishedError, match=r"the budget of 1,800 tokens is used up \(1,820 so far\)"):
        opened(budget=1_800).predict(PAIRS)
    assert len(server.requests) == 35  # of 52 tokens each
    with pytest.raises(UnfinishedError, match=r"the cost limit of 0\.2 was reached"):
        opened(price=(100.0, 0.0), max_cost=0.2).predict(PAIRS)
    assert len(server.requests) == 35 + 40  # of 50 tokens read at 100 a million
    with pytest.raises(CrossexamError, match="--max-cost needs the prices of tokens"):
        opened(max_cost=1.0)


def test_a_resumed_budget_is_that_of_the_whole_run(server: Any, opened: Open) -> None:
    first = opened(budget=1_800)
    first.predict(PAIRS[:2])
    second = opened(budget=1_800)
    second.recall(dict(first.details))
    with pytest.raises(UnfinishedError, match="is used up"):
        second.predict(PAIRS[2:])
    assert len(server.requests) == 35


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"answer": "samples"}, "--answer is 'samples'"),
        ({"answer": "samples:1"}, "2 to 100 samples"),
        ({"answer": "guess"}, "--answer is 'guess'"),
        ({"answer": "samples:3", "temperature": 0.0}, "are all the same"),
        ({"concurrency": 0}, "--concurrency is 0"),
        ({"tries": 0}, "--tries is 0"),
        ({"timeout": 0.0}, "--timeout is 0"),
        ({"temperature": -1.0}, "--temperature is -1"),
        ({"max_output": 0}, "--max-output is 0"),
        ({"budget": 0}, "--budget is 0"),
        ({"price": (1.0,)}, "--price is 1.0"),
        ({"extra": "[1]"}, "--extra is not a JSON object"),
        ({"extra": '{"headers": {"x_api_key": "s"}}'}, "looks like a secret"),
        ({"extra": '{"Authorization": "s"}'}, "looks like a secret"),
        ({"extra": '{"auth_token": "s"}'}, "looks like a secret"),
        ({"extra": '{"messages": []}'}, "fields that Crossexam does not set"),
        ({"server": "tgi"}, "no kind of server is called 'tgi'"),
        ({"template": "lighteval-cf"}, "are different for each pair"),
        ({"reasoning": "much"}, "reasoning"),
    ],
)
def test_options_that_are_refused(server: Any, opened: Open, options: dict[str, Any], message: str) -> None:
    with pytest.raises(CrossexamError, match=message):
        opened(**options).predict(PAIRS)
    assert server.asked == []


def test_fields_of_the_user_are_sent(server: Any, opened: Open) -> None:
    extra = '{"provider": {"only": ["x"]}, "logprob_token_ids": [1], "max_tokens": 3}'
    opened(extra=extra).predict(PAIRS[:1])
    assert json.loads(extra).items() <= server.requests[-1].items()


def test_the_key_covers_what_answers_depend_on_and_nothing_else(server: Any) -> None:
    def key(**options: Any) -> str:
        return open_model("api/mine", {"endpoint": server.url, **options}).key

    plain = key()
    changes: list[dict[str, Any]] = [
        {"endpoint": "http://127.0.0.1:9/v1"},
        {"template": "gpt3"},
        {"answer": "text"},
        {"reasoning": "low"},
        {"max_output": 7},
        {"temperature": 0.5},
        {"seed": 1},
        {"extra": '{"top_p": 0.5}'},
    ]
    assert len({plain, *(key(**change) for change in changes)}) == 1 + len(changes)
    same: list[dict[str, Any]] = [
        {"concurrency": 3},
        {"timeout": 5.0},
        {"tries": 2},
        {"budget": 9},
        {"yes": True},
    ]
    assert {key(**change) for change in same} == {plain}


def test_a_template_of_two_labels_makes_such_a_model(server: Any, opened: Open, tmp_path: Path) -> None:
    two = tmp_path / "two.toml"
    two.write_text(
        'user = "Premise: {premise}\\nHypothesis: {hypothesis}\\nAnswer:"\n'
        'labels = {entailment = "Yes", not_entailment = "No"}\n'
    )
    server.answer = lambda body: server.chat("Yes" if server.label_for(body) == "entailment" else "No")
    model = opened(template=str(two))
    rows = model.predict(PAIRS[:3])
    assert model.details["two_label"] is True
    assert model.details["probe"]["right"] == 1
    assert set(rows[:, 2]) == {0}


def test_a_prompt_that_is_too_long_for_the_probe_names_the_way_out(server: Any, opened: Open) -> None:
    message = "request (624 tokens) exceeds the available context size (512 tokens)"
    server.answer = lambda body: server.error(400, message, code="exceed_context_size_error")
    shots = {"shots": 3, "shots_from": "builtin:demo"}
    with pytest.raises(CrossexamError, match="an easy pair of the probe, which goes first, is too long") as e:
        opened(**shots).predict(PAIRS)
    assert "624 tokens" in str(e.value)
    assert "hint: fewer --shots, " in str(e.value)
    with pytest.raises(CrossexamError, match="hint: a shorter --template, or a server") as e:
        opened().predict(PAIRS)
    assert "shots" not in str(e.value)


def test_what_follows_from_a_refused_field_is_said() -> None:
    details = {"model_asked": "x", "fields_refused": ["samples"], "fields_ignored": ["logprobs", "choice"]}
    assert list(endpoint_remarks(details)) == [
        "the server refused the number of answers per request: each answer was asked for by a request of its "
        "own, which changes no result",
        "the server ignored the restriction to the labels: answers may be anything",
    ]


def test_declared_words_are_read_and_are_part_of_the_key(server: Any, opened: Open) -> None:
    words = {"entailment": "Follows", "neutral": "open", "contradiction": "clashes"}
    server.answer = lambda body: server.chat(words[server.label_for(body)])
    labels = "follows=entailment,open=neutral,clashes=contradiction"
    with pytest.raises(CrossexamError, match=r"can be read, such as 'Follows'\n.*\n.*--labels WORD=LABEL"):
        opened(answer="text").predict(PAIRS)
    model = opened(answer="text", labels=labels)
    rows = model.predict(PAIRS)
    assert len({LABELS[k] for k in rows.argmax(axis=1)}) == 3
    assert {each.status for each in _outcomes(model).values()} == {"answered"}
    assert model.details["declared_labels"] == {
        "follows": "entailment", "open": "neutral", "clashes": "contradiction",
    }  # fmt: skip
    assert model.key != opened(answer="text").key
    assert model.details["probe"]["right"] == 1


def test_words_of_two_labels_are_not_read_in_answers_of_three(opened: Open) -> None:
    model = opened(labels={"yes": "entailment", "no": "not_entailment"})
    assert model.key == opened().key
    assert "declared_labels" not in model.details
    assert model.details["warning"].startswith("the words of --labels (yes, no) are not read in its answers")
    two = opened(template="minicheck-llm", labels={"supported": "entailment"})
    assert two.details["declared_labels"] == {"supported": "entailment"}
    assert "warning" not in two.details
