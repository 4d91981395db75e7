"""The prompt templates that are shipped, and those in files of users."""

from pathlib import Path
from typing import Any

from crossexam.core.errors import FormatError
from crossexam.models.prompts.table import template, templates
from made.cases import refused


def test_a_shipped_template_says_where_it_is_from_and_asks_about_both_sentences() -> None:
    pair = ("The $5 \\1 {hypothesis} fell {0} %s.", "It {premise} broke.")
    for shipped in templates().values():
        assert shipped.source
        whole = shipped.prompt(*pair) + "".join(shipped.forms(*pair).values())
        for sentence in ("$5 \\1 {hypothesis} fell {0} %s", "t {premise} broke"):
            assert sentence in whole
        assert shipped.shared_prefix() is None


def test_the_shipped_templates_are_those_whose_hashes_were_accepted(golden: Any) -> None:
    """Answers are stored under the hash: if a template has to change, its version must too."""
    lines = [f"{each.name} v{each.version} {each.sha256[:16]}\n" for each in templates().values()]
    golden("templates.txt", "".join(lines))


def test_a_file_is_a_template_that_may_take_entries_of_another(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("like = 'true'\nlabels = {entailment = 'wahr', not_entailment = 'falsch'}")
    made = template(str(path))
    assert (made.name, made.source) == ("mine", "mine.toml")
    assert made.user == template("true").user


def test_a_file_that_is_no_template_is_refused(each_case: Any, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"

    def check(text: str, *named: str) -> None:
        path.write_text(text, encoding="utf-8")
        assert refused(FormatError, template, path).has(str(path), *named)

    each_case(check)
    assert "cannot be read" in refused(template, str(tmp_path / "none.toml"))
