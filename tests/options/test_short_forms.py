"""Short forms: what each stands for, on the command line and as a keyword."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import crossexam as cx
from crossexam.options.short_forms import SHORT_FORMS, ShortForm, ShortForms, expand, given_short_forms
from crossexam.suites.table import SUITES, suite_named, with_own_options
from made.cases import for_each, refused
from made.commands import invoke
from made.suites import contents

BASE = ["--base", "builtin:demo", "--limit", "30"]


def test_as_published_covers_all_that_has_rules_with_the_script_before_the_text() -> None:
    known = {name: get_type_hints(type(options)).get("rules") for name, options in with_own_options().items()}
    rules = {name: get_args(kind) for name, kind in known.items() if kind is not None}
    wanted = {(name, "released" if "released" in of else "paper") for name, of in rules.items()}
    settings = SHORT_FORMS["--as-published"].settings
    assert {(name, value) for name, option, value in settings if option == "rules"} == wanted


def test_nought_and_an_empty_text_are_values() -> None:
    given = given_short_forms(ShortForms(controls=0, tautology=""))
    assert given == {"--controls": 0, "--tautology": ""}


def test_it_sets_what_the_suite_has_or_is_refused() -> None:
    def check(form: ShortForm, suite: str) -> None:
        kind = suite_named(suite)
        used = {kind.name, *kind.constructions, *(() if form.adds_nothing else kind.optional)}
        wanted = [f"{name}.{option}" for name, option, _ in form.settings if name in used]
        if wanted:
            assert [target for target, *_ in expand(suite, {form.flag: "x"})] == wanted
            return
        message = f"'{suite}' has no option {form.flag}\n  hint: {form.flag} is an option"
        assert message in refused(lambda: list(expand(suite, {form.flag: "x"})))

    suites = [*SUITES, "negation", "antonymy", "add_amod", "tautology"]
    for_each(check, product(SHORT_FORMS.values(), suites))


def test_it_is_the_same_as_what_it_stands_for(
    each_case: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.tsv").write_text("#adjectives 1 mine\ndog\told 9\nman\told 9\n")
    others = {"cs-subsets": ["--lambda", "0.7"], "hard-subsets": ["--model", "builtin/alignment"]}

    def check(suite: str, short: list[str], long: list[str]) -> None:
        folder = f"{suite} {' '.join(short)}".replace("/", "-")
        built = ["build", suite, *BASE, "-o"]
        settings = [piece for each in long for piece in ("--set", each)]
        invoke(*built, f"{folder}/short", *short)
        assert "already contains this suite" in invoke(*built, f"{folder}/short", *settings).output
        invoke(*built, f"{folder}/long", *settings)
        invoke(*built, f"{folder}/plain", *others.get(suite, []))
        short_files, long_files, plain = (contents(Path(folder, name)) for name in ("short", "long", "plain"))
        assert short_files == long_files != plain

    each_case(check)


def test_keywords_of_the_library() -> None:
    base = cx.load("builtin:demo").examples[:60]
    published = cx.build("antonymy", base, as_published=True)
    stated = cx.build("antonymy", base, options={"antonymy": {"rules": "released"}})
    assert list(published["antonymy_released.examples"]) == list(stated["antonymy_released.examples"]) != []
    assert published.manifest == stated.manifest
    assert "did you mean 'as_published'" in refused(cx.build, "antonymy", base, as_publshed=True)
