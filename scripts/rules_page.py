"""Write docs/rules.md, the page of the rules by which constructions reject what they could make.

    python scripts/rules_page.py            # from the tables of rules and the recorded counts
    python scripts/rules_page.py --count    # count anew how often each rule decides alone, and record it

``tests/docs/test_rules_page.py`` says whether the page is up to date.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from unittest import mock

from crossexam.constructions.apply import apply_construction
from crossexam.constructions.resources import LanguageResources
from crossexam.constructions.rules.rule import Rule
from crossexam.constructions.rules.table import TABLES, rules_of
from crossexam.core.imports import imported
from crossexam.corpora.spec import CorpusSpec

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "rules.md"
COUNTS: Final = ROOT / "scripts" / "rules_counts.json"
#: The bases over which is counted, by construction: SOSwap needs parses.
BASES: Final = {"antonymy": ("snli:dev", "multinli:dev_matched"), "so_swap": ("snli:dev", "snli:test")}
#: Under these rules, everything that any rule judges is made.
_OPTIONS: Final = {"antonymy": {"rules": "paper"}, "so_swap": {}}
_TITLES: Final = {"antonymy": "Antonymy", "so_swap": "SOSwap"}
#: What stands before the sections of Quirk et al. 1985, whose numbers the page has alone.
_QUIRK: Final = re.compile(r"\(Quirk et al\., (1985, section )?")
HEAD: Final = """\
# Rules

Antonymy leaves out a word that it could replace, and SOSwap a clause whose subject and object it could
swap, if both sentences may be true or the result may not be English. Each rule below is one reason for it,
with a sentence that it rejects; `crossexam ls rules antonymy` also prints one that it keeps. If several
rules apply, the yield table counts the first, in the order of the table; the last columns count what a rule
keeps out *alone*, because no other applies. `--set antonymy.without="question,at times"` switches rules off
by their reasons. Words without an antonym and sentences without an object are rejected before any rule.

Naik et al. is the paper of antonymy (2018). A number alone is a section of *A Comprehensive Grammar of the
English Language* (Quirk et al. 1985). `python scripts/rules_page.py --count` counts, and writes this page.
"""


def page() -> str:
    """Return the text of the page."""
    counts = json.loads(COUNTS.read_text(encoding="utf-8"))
    parts = [HEAD]
    for name in TABLES:
        bases = BASES[name]
        heads = ("reason", "rejects", "why", *(f"alone, `{base}`" for base in bases))
        lines = [f"## {_TITLES[name]}\n", _row(heads), _row(["---"] * 3 + ["---:"] * len(bases))]
        for number, rule in enumerate(rules_of(name)):
            alone = (f"{counts[name][base][number]:,}" for base in bases)
            why = _QUIRK.sub("(", rule.why)
            lines.append(_row((rule.reason, rule.rejects, why, *alone)))
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _row(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


def counted(name: str, base: str) -> list[int]:
    """Return how often each rule of *name* alone holds of what it could make of *base*."""
    module = f"crossexam.constructions.{name}"
    alone: Counter[int] = Counter()
    against = imported(f"{module}:against")

    def watched(view: Any, without: Any = ()) -> Iterator[Rule[Any]]:
        found = list(against(view, without))
        alone.update(id(rule) for rule in found[:1] if len(found) == 1)
        return iter(found)

    with mock.patch(f"{module}.against", watched):
        examples = CorpusSpec.parse(base).examples()
        resources = LanguageResources("auto")
        apply_construction(name, examples, resources=resources, options=_OPTIONS[name])
    return [alone[id(rule)] for rule in rules_of(name)]


def count() -> dict[str, dict[str, list[int]]]:
    """Return the counts by construction and base, in the order of the rules."""
    return {name: {base: counted(name, base) for base in bases} for name, bases in BASES.items()}


def main() -> None:
    """Count if asked to, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", action="store_true", help="count anew; needs SNLI and MultiNLI")
    if parser.parse_args().count:
        COUNTS.write_text(json.dumps(count()) + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
