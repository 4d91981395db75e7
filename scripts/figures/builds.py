"""How many items the constructions and suites make of published corpora."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from figures.pages import ROOT
from figures.records import Figures
from figures.shown import as_markdown, grouped
from figures.workplace import Workplace

_RULES: Final = ("ours", "paper", "released")


def published(study: str) -> Mapping[str, Any]:
    """Return the tables of published figures of a study."""
    path = ROOT / "src/crossexam/published" / f"{study}.toml"
    tables: Mapping[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))["tables"]
    return tables


def built(suite: str, base: Any, limit: int | None = None, rules: str = "ours", **options: Any) -> Any:
    """Build a suite in memory; *rules* are those of all its constructions that have them."""
    import crossexam as cx

    if rules == "released":
        options["as_published"] = True
    elif rules == "paper":
        options["options"] = {name: {"rules": "paper"} for name in _with_rules(suite)}
    return cx.build(suite, base, limit=limit, **options)


def _with_rules(suite: str) -> list[str]:
    from crossexam.constructions.table import CONSTRUCTIONS
    from crossexam.suites.table import SUITES

    names = (suite,) if suite in CONSTRUCTIONS else SUITES[suite].constructions
    return [name for name in names if hasattr(CONSTRUCTIONS[name].options, "rules")]


def made(construction: str, base: Any, limit: int | None = None, rules: str = "ours", **options: Any) -> Any:
    """Return the test set of one construction."""
    suite = built(construction, base, limit, rules, **options)
    (found,) = (each for each in suite if not each.entry.is_base)
    return found


def sizes(suite: Any) -> dict[tuple[str, str], int]:
    """Return the number of items by construction and part."""
    return {(each.entry.construction, each.entry.part): len(each) for each in suite}


def stress(place: Workplace, limit: int | None) -> Figures:
    """Return the yields of the stress tests from both halves of MultiNLI dev, by test and rules."""
    found: dict[str, dict[str, list[int]]] = {}
    for rules in _RULES:
        for base in ("multinli:dev_matched", "multinli:dev_mismatched"):
            suite = built("stress-tests", base, limit, rules, word_problems="builtin:word_problems")
            for (test, part), items in sizes(suite).items():
                if part != "builtin_word_problems" and (
                    rules == "ours" or test in _with_rules("stress-tests")
                ):
                    found.setdefault(test, {}).setdefault(rules, []).append(items)
    matched, mismatched, _ = published("naik2018")["set_size"]["rows"]["items"]
    paper = {"antonymy": _both((matched, mismatched)), "base": _both(_published_bases())}
    rows = [
        (names, *(_both(by_rules.get(rules, ())) for rules in _RULES), paper.get(names.strip("`"), ""))
        for names, by_rules in _alike(found)
    ]
    return {"yields": as_markdown(("test", *(f"`{rules}`" for rules in _RULES), "the paper"), rows)}


def _alike(found: Mapping[str, Mapping[str, Sequence[int]]]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """Yield the numbers by rules, with the names of all tests that have them."""
    together: dict[str, list[str]] = {}
    for test, by_rules in found.items():
        together.setdefault(repr(by_rules), []).append(test)
    for tests in together.values():
        yield ", ".join(f"`{test}`" for test in tests), found[tests[0]]


def _both(items: Iterable[int]) -> str:
    return "/".join(map(grouped, items))


def _published_bases() -> tuple[int, int]:
    """Return the numbers of labelled pairs of the halves of MultiNLI dev."""
    catalog = tomllib.loads((ROOT / "src/crossexam/corpora/catalog.toml").read_text(encoding="utf-8"))
    splits = catalog["multinli"]["splits"]
    return splits["dev_matched"]["gold"], splits["dev_mismatched"]["gold"]


def cut(place: Workplace, limit: int | None) -> Figures:
    """Return how many hypotheses lose words where the authors' script cuts them."""
    base, items = built("word_overlap", "multinli:dev_matched", limit, "released")
    words = [len(pair.hypothesis.split()) for pair in base]
    lost = sum(len(item.hypothesis.split()) < n + 4 for item, n in zip(items, words, strict=True))
    return {"matched": grouped(lost), "matched_of": grouped(len(base))}


def word_problems(place: Workplace, limit: int | None) -> Figures:
    """Return how many premises numerical reasoning makes of AQuA-RAT, by rules."""
    spec = "aqua:dev+aqua:test"
    return {rules: grouped(len(made("numerical_reasoning", spec, None, rules)) // 3) for rules in _RULES}


def less_than(place: Workplace, limit: int | None) -> Figures:
    """Return how often (percent) "less than" is before the number of entailments and of contradictions."""
    seeds = 20 if limit is None else 2
    figures: Figures = {}
    for rules in ("ours", "released"):
        said: Counter[tuple[str | None, str]] = Counter()
        for seed in range(seeds):
            items = made("numerical_reasoning", "aqua:dev+aqua:test", None, rules, seed=seed)
            said.update((item.label, item.change.edits[0].new.lower()[:5]) for item in items)
        for name, label in (("entailed", "entailment"), ("contradicted", "contradiction")):
            less, more = said[label, "less "], said[label, "more "]
            figures[f"{rules}_{name}"] = f"{100 * less / (less + more):.1f}"
    return figures


def _examples(test_set: Any) -> int:
    """Return how many examples were read."""
    return int(test_set.entry.yields["examples"])


def composed(place: Workplace, limit: int | None) -> Figures:
    """Return the yields of the adversaries of Nie et al. (2019) from SNLI dev."""
    paper = dict(zip(("so_swap", "add_amod"), published("nie2019")["sizes"]["rows"]["dev"], strict=False))
    rows = [
        (
            f"`{name}`",
            *(grouped(len(made(name, "snli:dev", limit, rules))) for rules in ("ours", "paper")),
            grouped(paper[name]),
        )
        for name in ("so_swap", "add_amod")
    ]
    plausible = made("so_swap_plausible", "snli:dev", limit)
    rows.insert(1, ("`so_swap_plausible`", grouped(len(plausible)), "", ""))
    subset = made("cs-subsets", "snli:dev", limit, options={"cs-subsets": {"lambdas": (0.7,)}})
    return {
        "yields": as_markdown(("test", "`ours`", "`paper`", "the paper"), rows),
        "cs": grouped(len(subset)),
    }


def documents(place: Workplace, limit: int | None) -> Figures:
    """Return how many examples of RTE give items of the suite ``documents``, the same for each test."""
    tests = [each for each in built("documents", "rte:train", limit) if not each.entry.is_base]
    ((examples, items),) = {(_examples(each), len(each)) for each in tests}
    return {"examples": grouped(examples), "items": grouped(items)}


def cross_dataset(place: Workplace, limit: int | None) -> Figures:
    """Return what the two halves of the cross-dataset benchmark have in common, and their sizes."""
    import crossexam as cx

    test, validation = (cx.build("cross-dataset", split=name) for name in ("test", "validation"))
    development = [len(each) for each in validation if each.entry.part != "snli_dev"]
    add_one = validation["base.add_one"], test["base.add_one"]
    return {
        **{
            part: grouped(len(_premises(validation, part) & _premises(test, part)))
            for part in ("multinli_dev_mismatched", "sick")
        },
        "validation": grouped(sum(development)),
        "limited": grouped(sum(min(size, 500) for size in development)),
        "add_one_half": grouped(len(add_one[0])),
        "add_one_entailed": f"{100 * _entailed(*add_one):.1f}",
    }


def _premises(suite: Any, part: str) -> set[str]:
    """Return the premises of the base of a corpus."""
    return {example.premise for example in suite[f"base.{part}"]}


def _entailed(*halves: Any) -> float:
    """Return the share of entailment in both halves of a corpus."""
    return sum(each.label == "entailment" for half in halves for each in half) / sum(map(len, halves))
