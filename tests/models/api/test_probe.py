"""What the probe shows to be wrong is refused before pairs are paid for."""

from pathlib import Path
from typing import Any

from made.cases import for_each, refused


def test_what_the_probe_shows_to_be_wrong_is_refused_before_pairs_are_paid_for(
    server: Any, opened: Any, tmp_path: Path
) -> None:
    plain, swapped = server.answer, tmp_path / "swapped.toml"
    labels = "{entailment = 'contradiction', neutral = 'neutral', contradiction = 'entailment'}"
    swapped.write_text(f"like = 'words'\nlabels = {labels}\n")
    too_long = "request (624 tokens) exceeds the available context size (512 tokens)"
    full = server.error(400, too_long, code="exceed_context_size_error")

    def refusing(body: dict[str, Any]) -> Any:
        return server.error(400, "no") if "response_format" in body else plain(body)

    where = {"Location": "https://u:p@elsewhere.example/v1?key=abc"}

    def check(answer: Any, options: Any, said: str) -> None:
        server.answer = answer
        message = refused(lambda: opened(**options).predict([("It rains.", "It is wet.")]))
        assert said in message
        assert "abc" not in message

    rows = (
        (plain, {"template": str(swapped)}, "the model gets 33 % of 30 easy items right"),
        (lambda _: server.chat("Good question!"), {}, "'Good question!'"),
        (lambda _: server.error(400, "it answers no chats"), {}, "400: it answers no chats"),
        (refusing, {"answer": "choice"}, "that --answer choice needs"),
        (lambda _: full, {"shots": 3, "shots_from": "builtin:demo"}, "hint: fewer --shots, "),
        (lambda _: server.response(307, "", where), {}, "redirects to elsewhere.example/v1"),
    )
    for_each(check, rows)
    assert server.asked == []
