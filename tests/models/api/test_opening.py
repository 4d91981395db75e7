"""In which words, and with which shots, a model behind an endpoint is asked."""

from typing import Any

from crossexam.core.dataset import Suite
from crossexam.models.prompts.shots import draw_shots
from crossexam.models.prompts.table import template
from crossexam.models.table import open_model
from crossexam.runs.run import predict_suite
from made.cases import refused
from made.runs import dataset

PAIRS = [(f"Premise number {n}.", f"Hypothesis number {n}.") for n in range(12)]


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


def test_pairs_of_two_labels_are_asked_about_in_two_words_as_their_probe_is(server: Any) -> None:
    def answering(yes: str, no: str) -> Any:
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
