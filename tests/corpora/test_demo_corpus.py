"""The built-in corpus: what the demo stands on."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

from crossexam.core.labels import LABELS
from crossexam.language.parsing.trees import leaves
from crossexam.language.tokens import align

ROOT = Path(__file__).resolve().parents[2]
BUILTIN = ROOT / "src" / "crossexam" / "corpora" / "builtin"


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (BUILTIN / name).read_text(encoding="utf-8").splitlines()]


def test_each_premise_has_one_hypothesis_a_label_and_parses_over_its_words() -> None:
    for name in ("demo.jsonl", "scenes.jsonl"):
        pairs = read(name)
        groups = [list(group) for _, group in groupby(pairs, key=lambda pair: pair["captionID"])]
        for group in groups:
            assert [pair["gold_label"] for pair in group] == list(LABELS)
            assert len({pair["sentence1"] for pair in group}) == 1
        texts = [*(group[0]["sentence1"] for group in groups), *(pair["sentence2"] for pair in pairs)]
        assert len(texts) == len(set(texts))
    for pair in read("demo.jsonl"):
        for side in ("sentence1", "sentence2"):
            text, parse, binary = (pair[side + end] for end in ("", "_parse", "_binary_parse"))
            found = leaves(parse)
            assert "".join(token.text for token in align(text, found)) == text.replace(" ", "")
            assert [piece for piece in binary.split() if piece not in "()"] == [word for _, word in found]
