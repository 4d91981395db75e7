"""Short forms: what each stands for, on the command line and as a keyword."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from typer.testing import CliRunner

import crossexam as cx
from crossexam.cli.main import app
from crossexam.core.errors import CrossexamError, UnknownNameError
from crossexam.core.settings import parse_option_settings, with_options
from crossexam.core.test_sets import read_suite
from crossexam.suites.short_forms import SHORT_FORMS, ShortForm, expand, merged
from crossexam.suites.table import SUITES, suite_named, suite_request, with_own_options

ALL = pytest.mark.parametrize("form", SHORT_FORMS.values(), ids=lambda form: form.flag)
BASE = ["--base", "builtin:demo", "--limit", "30"]


def _crossexam(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False, env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    return done.output


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@ALL
def test_its_targets_exist(form: ShortForm) -> None:
    options = with_own_options()
    for name, option, value in form.settings:
        assert option in {each.name for each in fields(options[name])}
        if value is not None:
            changed = with_options(options[name], {option: value}, name)
            assert getattr(changed, option) != getattr(options[name], option)
            continue
        kinds = {type(getattr(options[name], option))}
        assert (kinds == {bool}) == (not form.takes)  # a switch sets what is true or false
        assert (kinds == {tuple}) == form.repeatable
    assert form.keyword.isidentifier()


def test_as_published_covers_all_that_has_rules_with_the_script_before_the_text() -> None:
    known = {name: get_type_hints(type(options)).get("rules") for name, options in with_own_options().items()}
    rules = {name: get_args(kind) for name, kind in known.items() if kind is not None}
    wanted = {(name, "released" if "released" in of else "paper") for name, of in rules.items()}
    settings = SHORT_FORMS["--as-published"].settings
    assert {(name, value) for name, option, value in settings if option == "rules"} == wanted
    assert all(of[0] == "ours" and set(of) <= {"ours", "paper", "released"} for of in rules.values())


def test_it_sets_what_the_suite_has_or_is_refused(for_each: Callable[..., None]) -> None:
    def check(form: ShortForm, suite: str) -> None:
        kind = suite_named(suite)
        used = {kind.name, *kind.constructions, *(() if form.adds_nothing else kind.optional)}
        wanted = [f"{name}.{option}" for name, option, _ in form.settings if name in used]
        if wanted:
            options = expand(suite, {form.flag: "x"})
            assert [f"{name}.{option}" for name, values in options.items() for option in values] == wanted
            return
        with pytest.raises(
            CrossexamError, match=f"'{suite}' has no option {form.flag}\n  hint: {form.flag} is an option"
        ):
            expand(suite, {form.flag: "x"})

    suites = [*SUITES, "negation", "antonymy", "add_amod", "tautology"]
    for_each(check, product(SHORT_FORMS.values(), suites))


def test_an_empty_value_is_refused_and_not_read_as_true(
    tmp_path: Path, for_each: Callable[..., None]
) -> None:
    (tmp_path / "pairs.tsv").write_text("man\tperson\n")  # the pairs of WordNet take seconds
    pairs = [f"--pairs={name}={tmp_path / 'pairs.tsv'}" for name in ("antonym", "hypernym")]

    def check(form: ShortForm) -> None:
        suite = form.settings[0][0]
        base = [] if suite_named(suite).base_option else BASE
        base = [*base, *pairs] if suite == "behaviour" and form.flag != "--pairs" else base
        for empty in ([form.flag, ""], [f"{form.flag}="]):
            refused = CliRunner().invoke(app, ["build", suite, *base, "-o", str(tmp_path / "out"), *empty])
            assert isinstance(refused.exception, CrossexamError)
            assert "true'" not in refused.exception.what
            assert not (tmp_path / "out").exists()

    for_each(check, [(form,) for form in SHORT_FORMS.values() if form.takes])


def test_an_empty_tautology_is_called_empty(tmp_path: Path) -> None:
    given = ["build", "negation", *BASE, "-o", str(tmp_path / "out"), "--tautology", ""]
    with pytest.raises(CrossexamError, match="the tautology is empty"):
        CliRunner().invoke(app, given, catch_exceptions=False)
    with pytest.raises(CrossexamError, match="the tautology is empty"):
        cx.build("negation", "builtin:demo", limit=3, tautology="")


@pytest.mark.parametrize("verb", ["build", "examine", "subset"])
def test_help_lists_them_all(verb: str) -> None:
    text = _crossexam(verb, "--help")
    for form in SHORT_FORMS.values():
        assert form.flag in text
        assert form.help in text
        first = form.settings[0]
        assert f"--set {'NAME' if form.adds_nothing else first[0]}.{first[1]}=" in text
    assert "--short-form" not in text


@pytest.mark.parametrize(
    ("suite", "short", "long"),
    [
        ("antonymy", ["--as-published"], ["antonymy.rules=released"]),
        (
            "antonymy",
            ["--as-published", "--tautology", "up is not down"],
            ["tautology.clause=up is not down", "tautology.rules=released", "antonymy.rules=released"],
        ),
        ("compositionality", ["--as-published"], ["so_swap.rules=paper", "add_amod.rules=paper"]),
        ("so_swap", ["--min-plausibility", "0.5"], ["so_swap.min_plausibility=0.5"]),
        ("add_amod", ["--both-directions"], ["add_amod.both_directions=true"]),
        ("add_amod", ["--adjectives", "mine.tsv"], ["add_amod.adjectives=mine.tsv"]),
        ("negation", ["--tautology", "up is not down"], ["tautology.clause=up is not down"]),
        ("tautology", ["--tautology=a = b"], ["tautology.clause=a = b"]),
        ("cs-subsets", ["--lambda", "0.4", "--lambda=0.6"], ["cs-subsets.lambdas=0.4,0.6"]),
        ("hard-subsets", ["--model", "builtin/overlap"], ["hard-subsets.model=builtin/overlap"]),
    ],
)
def test_it_is_the_same_as_what_it_stands_for(
    suite: str, short: list[str], long: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.tsv").write_text("#adjectives 1 mine\ndog\told 9\nman\told 9\n")
    _crossexam("build", suite, *BASE, "-o", "short", *short)
    settings = [piece for each in long for piece in ("--set", each)]
    assert "already contains this suite" in _crossexam("build", suite, *BASE, "-o", "short", *settings)
    _crossexam("build", suite, *BASE, "-o", "long", *settings)
    _crossexam(
        "build",
        suite,
        *BASE,
        "-o",
        "plain",
        *(["--lambda", "0.7"] if suite == "cs-subsets" else []),
        *(["--model", "builtin/alignment"] if suite == "hard-subsets" else []),
    )
    assert _bytes(tmp_path / "short") == _bytes(tmp_path / "long")
    assert _bytes(tmp_path / "short") != _bytes(tmp_path / "plain")


def test_verbs_share_them(tmp_path: Path) -> None:
    _crossexam("build", "cs-subsets", *BASE, "--lambda", "0.4", "-o", str(tmp_path / "a"))
    _crossexam("subset", "cs", *BASE, "--set", "cs-subsets.lambdas=0.4", "-o", str(tmp_path / "b"))
    assert _bytes(tmp_path / "a") == _bytes(tmp_path / "b")
    _crossexam(
        "examine", "builtin/overlap", "--suite", "antonymy", *BASE, "--indirect", "-o", str(tmp_path / "c")
    )
    (signature,) = (d.entry.signature for d in read_suite(tmp_path / "c" / "suite") if not d.entry.is_base)
    assert "|indirect:True|" in str(signature)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["negation", "--indirect"],
            "'negation' has no option --indirect\n  hint: --indirect is an option of antonymy",
        ),
        (["antonymy", "--indirect=yes"], "--indirect=yes: --indirect does not take a value"),
        (["negation", "--tautology"], "--tautology needs a value\n  wanted: --tautology TEXT"),
        (["negation", "--tautology", "a", "--tautology", "b"], "--tautology is given twice"),
        (
            ["antonymy", "--indirect", "--set", "antonymy.indirect=false"],
            "--set and its short form: 'antonymy.indirect' is set twice",
        ),
        (
            ["antonymy", "--set", "antonymy.indirect"],
            "'antonymy.indirect' is not a valid value for --set\n  wanted: NAME.OPTION=VALUE",
        ),
        (["antonymy", "--set", "indirect=true"], "'indirect=true' is not a valid value for --set"),
        (["antonymy", "--set", "antonymy.indirect=maybe"], "'antonymy.indirect' cannot be 'maybe'"),
        (["antonymy", "--set", "antonymy.indrect=true"], "did you mean 'indirect'"),
        (["antonymy", "--set", "so_swap.rules=paper"], "'antonymy' does not use 'so_swap'"),
        (["negation", "--set", "negation.clause=x"], "no option of negation is called 'clause'"),
        (["behaviour", "--controls", "many"], "'behaviour.controls' cannot be 'many'"),
    ],
)
def test_mistakes_say_what_was_wanted(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["build", *BASE, "-o", str(tmp_path / "x"), *arguments])
    assert isinstance(done.exception, CrossexamError)
    assert message in str(done.exception)
    assert not (tmp_path / "x").exists()


def test_the_same_value_twice_is_one_value(tmp_path: Path) -> None:
    _crossexam("build", "antonymy", *BASE, "--indirect", "--indirect", "-o", str(tmp_path / "x"))
    assert read_suite(tmp_path / "x").manifest["request"]["options"] == {"antonymy": {"indirect": True}}


def test_what_follows_two_dashes_is_no_short_form() -> None:
    done = CliRunner().invoke(app, ["build", "-o", "x", "--", "--indirect"])
    assert isinstance(done.exception, UnknownNameError)
    assert "no suite or construction is called '--indirect'" in str(done.exception)


def test_keywords_of_the_library() -> None:
    base = cx.load("builtin:demo").examples[:60]
    plain, published = cx.build("antonymy", base), cx.build("antonymy", base, as_published=True)
    stated = cx.build("antonymy", base, options={"antonymy": {"rules": "released"}})
    assert list(published["antonymy_released.examples"]) == list(stated["antonymy_released.examples"]) != []
    assert published.manifest == stated.manifest
    assert cx.build("antonymy", base, as_published=False, indirect=None).manifest == plain.manifest
    both = cx.build("antonymy", base, tautology="up is not down")
    assert both["tautology.examples"].examples[0].hypothesis.endswith("and up is not down.")
    with pytest.raises(UnknownNameError, match="did you mean 'as_published'"):
        cx.build("antonymy", base, as_publshed=True)
    with pytest.raises(CrossexamError, match="'negation' has no option --indirect"):
        cx.build("negation", base, indirect=True)
    with pytest.raises(CrossexamError, match=r"'antonymy\.indirect' is set twice"):
        cx.build("antonymy", base, indirect=True, options={"antonymy": {"indirect": True}})


def test_texts_and_values_are_the_same_options() -> None:
    given: list[Any] = [{"indirect": True}, {"indirect": "true"}, {"indirect": "True"}]
    requests = [suite_request("antonymy", options={"antonymy": values}) for values in given]
    assert requests[0] == requests[1] == requests[2]


def test_settings_are_split_at_the_first_sign_and_the_point_before_it() -> None:
    assert parse_option_settings(["cs-subsets.model=bow/a.b=c"]) == [("cs-subsets", "model", "bow/a.b=c")]
    assert merged({"a": {"x": 1}}, {}, {"a": {"y": 2}, "b": {}}) == {"a": {"x": 1, "y": 2}}
