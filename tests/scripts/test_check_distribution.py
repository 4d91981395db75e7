"""The check of wheel and sdist finds what is stray, missing or stated otherwise."""

import check_distribution as check

from made.scripts import ROOT


def test_there_is_one_version() -> None:
    """pyproject.toml has the version; the citation and the newest entry of the changelog agree."""
    version = check.project()["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"  version = {{{version}}}," in (ROOT / "CITATION.bib").read_text("utf-8")
    entries = (line for line in (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines() if line[:3] == "## ")
    assert next(entries).startswith(f"## {version}")
