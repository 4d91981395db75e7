"""The table of servers: each is recognized, asked in its words, and documented."""

from pathlib import Path
from typing import Any

from crossexam.core.labels import LABELS
from crossexam.models.api.servers import SERVERS, Server, server_by_host, server_by_models
from made.cases import for_each


def test_every_server_is_recognized_asked_in_its_words_and_documented(server: Any, opened: Any) -> None:
    grammar = {"grammar": 'root ::= "entailment" | "neutral" | "contradiction"'}
    assert SERVERS["llama.cpp"].choice(LABELS) == grammar
    page = (Path(__file__).parents[3] / "docs" / "llm.md").read_text(encoding="utf-8").lower()
    rows = " ".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| "))

    def check(kind: Server) -> None:
        assert all(server_by_host(f"https://x.{host}/v1") is kind for host in kind.hosts)
        assert all(server_by_models({"data": [{"owned_by": owner}]}) is kind for owner in kind.owners)
        opened(answer="choice", server=kind.name).predict([("It rains.", "It is wet.")])
        wanted = {kind.limit: 64, **kind.always, **kind.reasoning("off"), **kind.choice(list(LABELS))}
        assert wanted.items() <= server.requests[-1].items()
        assert kind.name in rows or kind.name == "other", "a row of docs/llm.md"

    for_each(check, SERVERS.values())
