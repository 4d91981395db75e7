"""A hook of mkdocs: the rules by which constructions reject what they could make, as tables of docs/rules.md.

Each table is made from the rules in the source and from rules_counts.json, which says how often
a rule decides alone.

    python scripts/rules_page.py    # count anew, and record it; needs SNLI and MultiNLI
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final
from unittest import mock

from crossexam.api import build
from crossexam.constructions.apply import apply_construction
from crossexam.constructions.resources import LanguageResources
from crossexam.constructions.rules.rule import Rule
from crossexam.constructions.rules.table import rules_of
from crossexam.corpora.spec import CorpusSpec

ROOT: Final = Path(__file__).parents[1]
COUNTS: Final = ROOT / "scripts" / "rules_counts.json"
_PARSED: Final = ("snli:dev", "snli:test")
_UNPARSED: Final = ("snli:dev", "multinli:dev_matched")
#: The bases over which is counted, by construction: SOSwap needs parses.
BASES: Final = {
    "add_amod": _UNPARSED,
    "antonymy": _UNPARSED,
    "natural_logic": _UNPARSED,
    "numerical_reasoning": _UNPARSED,
    "so_swap": _PARSED,
    "so_swap_plausible": _PARSED,
    "swapped_sentences": _UNPARSED,
    "word_pair_swaps": _UNPARSED,
}
#: Under these rules, everything that any rule judges is made.
_OPTIONS: Final[dict[str, dict[str, str]]] = {"antonymy": {"rules": "paper"}}
#: The modules that ask the rules of the suite of behaviour, below ``crossexam.constructions``.
_OF_BEHAVIOUR: Final = {
    "natural_logic": ("word_pair_swaps",),
    "swapped_sentences": ("rules.swapped_sentences",),
    "word_pair_swaps": ("pair_matching", "pair_family", "rules.word_pair_swaps"),
}
#: What stands before the sections of Quirk et al. 1985, whose numbers the page has alone.
_QUIRK: Final = re.compile(r"\(Quirk et al\., (1985, section )?")
_PLACE: Final = re.compile(r"<!-- rules: (\w+) -->")


def on_page_markdown(markdown: str, **_: object) -> str:
    """Return the text of a page with a table in each place for the rules of a construction."""
    return _PLACE.sub(lambda found: table(found[1]), markdown)


def table(name: str) -> str:
    """Return the rules of the construction *name*, and how often each decides alone."""
    alone = json.loads(COUNTS.read_text(encoding="utf-8"))[name]
    heads = ("", "reason", "rejects", "keeps", "why", *(f"alone, `{base}`" for base in BASES[name]))
    lines = [_row(heads), _row(["---:"] + ["---"] * 4 + ["---:"] * len(BASES[name]))]
    for place, rule in enumerate(rules_of(name)):
        counts = (f"{alone[base][place]:,}" for base in BASES[name])
        lines.append(
            _row((str(place + 1), rule.reason, rule.rejects, rule.keeps, _QUIRK.sub("(", rule.why), *counts))
        )
    return "\n".join(lines)


def _row(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


def counted(name: str, base: str) -> list[int]:
    """Return how often each rule of *name* alone holds of what it could make of *base*."""
    alone: Counter[int] = Counter()
    with ExitStack() as stack:
        for module in _OF_BEHAVIOUR.get(name, (name,)):
            place = f"crossexam.constructions.{module}.against"
            against = resolve_name(f"crossexam.constructions.{module}:against")
            stack.enter_context(mock.patch(place, partial(_watched, against, alone)))
        if name in _OF_BEHAVIOUR:
            build("behaviour", base)
        else:
            examples = CorpusSpec.parse(base).examples()
            resources = LanguageResources("auto")
            apply_construction(name, examples, resources=resources, options=_OPTIONS.get(name, {}))
    return [alone[id(rule)] for rule in rules_of(name)]


def _watched(
    against: Callable[..., Iterator[Rule[Any]]], alone: Counter[int], view: Any, without: Any = ()
) -> Iterator[Rule[Any]]:
    """Yield the rules that hold of *view*, and count the one that does so alone."""
    found = list(against(view, without) if without else against(view))
    alone.update(id(rule) for rule in found[:1] if len(found) == 1)
    return iter(found)


def count() -> dict[str, dict[str, list[int]]]:
    """Return the counts by construction and base, in the order of the rules."""
    return {name: {base: counted(name, base) for base in bases} for name, bases in BASES.items()}


if __name__ == "__main__":
    COUNTS.write_text(json.dumps(count()) + "\n", encoding="utf-8")
