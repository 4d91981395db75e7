"""A model behind an endpoint: what is asked in which words, what the probe finds, how answers become rows."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossexam.core.dataset import Suite
from crossexam.core.errors import CrossexamError, UnfinishedError
from crossexam.core.labels import LABELS
from crossexam.models.api.servers import SERVERS, Server, server_by_host, server_by_models
from crossexam.models.prompts.shots import draw_shots
from crossexam.models.prompts.table import template
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite
from made.runs import dataset

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
    for message, fields, refused in (
        (unsupported, ("max_tokens", "seed", "reasoning_effort"), ["seed", "reasoning"]),
        ("bad request", ("seed",), ["seed", "logprobs", "reasoning"]),
    ):
        server.answer = _refusing(server, dict.fromkeys(fields, message))
        model = opened()
        model.predict(PAIRS)
        assert model.details["fields_refused"] == refused
        assert not server.requests[-1].keys() & {*fields}


def test_every_server_is_recognized_asked_in_its_words_and_documented(
    server: Any, opened: Any, for_each: Any
) -> None:
    grammar = {"grammar": 'root ::= "entailment" | "neutral" | "contradiction"'}
    assert SERVERS["llama.cpp"].choice(LABELS) == grammar
    page = (Path(__file__).parents[3] / "docs" / "llm.md").read_text(encoding="utf-8").lower()
    rows = " ".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| "))

    def check(kind: Server) -> None:
        assert all(server_by_host(f"https://x.{host}/v1") is kind for host in kind.hosts)
        assert all(server_by_models({"data": [{"owned_by": owner}]}) is kind for owner in kind.owners)
        opened(answer="choice", server=kind.name).predict(PAIRS[:1])
        wanted = {kind.limit: 64, **kind.always, **kind.reasoning("off"), **kind.choice(list(LABELS))}
        assert wanted.items() <= server.requests[-1].items()
        assert kind.name in rows or kind.name == "other", "a row of docs/llm.md"

    for_each(check, SERVERS.values())


def test_fields_of_the_user_are_sent_and_sampling_is_recorded(server: Any, opened: Any) -> None:
    extra = '{"provider": {"only": ["x"]}, "logprob_token_ids": [1], "max_tokens": 3}'
    opened(extra=extra).predict(PAIRS[:1])
    assert json.loads(extra).items() <= server.requests[-1].items()
    stated = opened(seed=3, max_output=7).details["sampling"]
    assert stated == {"temperature": 0.0, "seed": 3, "max_output": 7, "reasoning": "off"}


def test_what_the_probe_shows_to_be_wrong_is_refused_before_pairs_are_paid_for(
    server: Any, opened: Any, tmp_path: Path, for_each: Any, refused: Any
) -> None:
    swapped = tmp_path / "swapped.toml"
    labels = "{entailment = 'contradiction', neutral = 'neutral', contradiction = 'entailment'}"
    swapped.write_text(f"like = 'words'\nlabels = {labels}\n")
    too_long = "request (624 tokens) exceeds the available context size (512 tokens)"
    full = server.error(400, too_long, code="exceed_context_size_error")

    where = {"Location": "https://u:p@elsewhere.example/v1?key=abc"}

    def check(answer: Any, options: Any, said: str) -> None:
        server.answer = answer
        message = refused(lambda: opened(**options).predict(PAIRS))
        assert said in message
        assert "abc" not in message

    rows = (
        (server.answer, {"template": str(swapped)}, "the model gets 33 % of 30 easy items right"),
        (lambda _: server.chat("Good question!"), {}, "'Good question!'"),
        (lambda _: server.error(400, "it answers no chats"), {}, "400: it answers no chats"),
        (_refusing(server, {"response_format": "no"}), {"answer": "choice"}, "that --answer choice needs"),
        (lambda _: full, {"shots": 3, "shots_from": "builtin:demo"}, "hint: fewer --shots, "),
        (lambda _: server.response(307, "", where), {}, "redirects to elsewhere.example/v1"),
    )
    for_each(check, rows)
    assert server.asked == []


def test_options_that_are_refused(each_case: Any, server: Any, opened: Any, refused: Any) -> None:
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


def test_a_failure_for_now_is_no_answer(server: Any, opened: Any) -> None:
    plain, found = server.answer, list[int]()
    server.answer = lambda body: (
        server.error(500, "broken") if server.pair_in(body) == PAIRS[1] else plain(body)
    )
    with pytest.raises(UnfinishedError, match=r"1 questions got no answer \(1 times 500: broken\)"):
        found.extend(k for batch in opened(tries=2).batches(PAIRS, [False] * 12) for k in batch.indices)
    assert sorted(found) == [0, *range(2, 12)]


def test_what_fails_for_all_stops_everything(server: Any, opened: Any) -> None:
    plain = server.answer
    for response, is_for_now, said in (
        (server.error(401, "bad key"), False, "401: bad key\n  hint: the key in"),
        (server.error(429, "pay", code="insufficient_quota"), True, "429: pay"),
        (server.error(429, "", headers={"Retry-After": "999"}), True, "999 seconds"),
        (server.error(500, "broken"), True, "5 questions in a row failed: 500: broken"),
    ):
        server.requests.clear()
        server.answer = lambda body, it=response: plain(body) if server.pair_in(body) not in PAIRS else it
        with pytest.raises(CrossexamError) as caught:
            opened(tries=1).predict(PAIRS)
        assert said in str(caught.value)
        assert isinstance(caught.value, UnfinishedError) is is_for_now
        assert len(server.asked) <= 5


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


def test_pairs_of_two_labels_are_asked_about_in_two_words_as_their_probe_is(
    server: Any, refused: Any
) -> None:
    def answering(yes: str, no: str) -> Callable[[dict[str, Any]], Any]:
        def answer(body: dict[str, Any]) -> Any:
            label = server.label_for(body)
            asks_for_two = "one of two words" in body["messages"][0]["content"]
            return server.chat({"entailment": yes}.get(label, no) if asks_for_two else label)

        return answer

    server.answer = answering("Yes.", "No.")
    rte, snli = dataset("rte", "EnEnEn"), dataset("snli", "ENCENC", premises="abcdef")
    for data, is_two in (((rte,), True), ((snli,), False), ((rte, snli), False)):
        suite = Suite("mine", {each.name: each for each in data})
        details = predict_suite("api/mine", suite, options={"endpoint": server.url}).details
        assert details["two_label"] is is_two
        assert details["parse"] == {"exact": 6 * len(data)}
    server.answer = answering("No.", "Yes.")
    exchanged = open_model("api/other", {"endpoint": server.url}, tests=[rte])
    assert "easy items right; if they meant" in refused(lambda: exchanged.predict(PAIRS))


def test_the_template_follows_from_the_labels_of_all_test_sets(server: Any) -> None:
    """Where neutral alone stands against entailment, answers to a question about two would not be those."""
    rte, snli = dataset("rte", "EnEnEn"), dataset("snli", "ENC")
    scitail = dataset("scitail", "ENE", projection="no contradiction")
    for tests, expected in (([rte], "words.two"), ([rte, snli], "words"), ([scitail], "words")):
        model = open_model("api/mine", {"endpoint": server.url}, tests=tests)
        assert model.details["template"]["name"] == expected
        assert open_model(model, tests=tests) is model


def test_shots_are_earlier_turns_of_every_question_and_of_the_probe(server: Any, opened: Any) -> None:
    opened(shots=4, shots_from="builtin:demo", shots_seed=2).predict(PAIRS[:1])
    words = template("words")
    drawn = draw_shots(words, 4, "builtin:demo", 2).examples
    for body in server.requests:
        assert body["messages"] == words.messages(*server.pair_in(body), drawn)
        assert len(body["messages"]) == 1 + 2 * 4 + 1
    assert len(server.requests) == 30 + 1
    assert server.asked == PAIRS[:1]
