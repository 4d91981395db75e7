"""The short names of test sets."""

from __future__ import annotations

from crossexam.core.dataset import Dataset
from crossexam.reports.names import short_names


def short(*names: str, **manifests: dict[str, str]) -> list[str]:
    sets = {name: Dataset(name, (), manifests.get(name, {})) for name in names}
    return list(short_names(sets).values())


def part(name: str, status: str) -> Dataset:
    construction, _, of = name.partition(".")
    return Dataset(f"{name} ({status})", (), {"construction": f"{construction}.v1", "part": of})


def test_one_base_is_named_once() -> None:
    names = ("base.dev_matched", "spelling_error_content_word.dev_matched", "numerical_reasoning.aqua_dev")
    assert short(*names) == ["base (dev matched)", "spelling error content word", "numerical reasoning"]


def test_of_several_bases_each_is_named() -> None:
    names = ("base.dev_matched", "base.own", "negation.own")
    assert short(*names) == ["base (dev matched)", "base (own)", "negation (own)"]
    assert short("negation.dev", "negation.own") == ["negation (dev)", "negation (own)"]


def test_a_status_stays() -> None:
    sets = [Dataset("base.x", ()), part("i_th.x", "proposed"), part("i_th.x", "verified")]
    found = short_names({each.name: each for each in sets})
    assert list(found.values()) == ["base (x)", "i_th (proposed)", "i_th (verified)"]
    sets.append(Dataset("base.y", ()))
    found = short_names({each.name: each for each in sets})
    assert found["i_th.x (proposed)"] == "i_th (x, proposed)"


def test_no_two_names_are_the_same() -> None:
    assert short("base.a", "word_overlap.a", "word overlap.a") == [
        "base (a)", "word_overlap.a", "word overlap.a"
    ]  # fmt: skip
    assert short("base.a", "negation.b", "negation.c") == ["base (a)", "negation (b)", "negation (c)"]


def test_names_of_another_form_stay() -> None:
    assert short("my set", "negation.x") == ["my set", "negation (x)"]


def test_short_names_say_the_rules() -> None:
    names = ("antonymy.dev", "antonymy_released.dev", "antonymy_paper.dev")
    assert short(*names) == ["antonymy", "antonymy (released)", "antonymy (paper)"]
