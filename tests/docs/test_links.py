"""The links of all pages lead to files and headings that exist.

mkdocs checks those of docs/ when it builds the site, but not those of the README and other pages.  Of links
to other sites only the form is checked, since tests do not use the network.
"""

import re
import subprocess
import unicodedata
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
#: Pages that are made when the site is built (scripts/site_demo.py).
GENERATED = frozenset(("docs/demo/report.html",))
_FENCE = re.compile(r"^([ \t]*)```.*?^\1```[ \t]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
_BARE = re.compile(r"(?<![(<\"'\w])https?://[^\s)>\]`\"']+")


def _pages() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", "*.md"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    # scripts/minilm_card.md is a template of a page in docs/models.
    tracked = [ROOT / name for name in listed.stdout.split("\0") if name and not name.startswith("scripts/")]
    return tracked or [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]  # a source distribution


PAGES = {path.relative_to(ROOT).as_posix(): path for path in sorted(_pages())}


def _prose(path: Path) -> str:
    return re.sub(r"`[^`\n]*`", "", _FENCE.sub("", path.read_text("utf-8")))


def anchors(path: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub and mkdocs name them."""
    found = set[str]()
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", _FENCE.sub("", path.read_text("utf-8")), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
        github = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        ascii_only = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
        mkdocs = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_only).strip().lower())
        found |= {github, mkdocs}
    return found


def broken(page: Path, target: str) -> str | None:
    """Return what is wrong with the link to *target* on *page*, None if nothing is."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        good = parts.scheme == "mailto" or (parts.scheme in ("http", "https") and "." in parts.netloc)
        return None if good else f"{target} is not an address"
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not path.is_relative_to(ROOT):
        return f"{target} is outside of the repository"
    if path.relative_to(ROOT).as_posix() in GENERATED:
        return None
    if not path.exists():
        return f"{target} does not exist"
    if parts.fragment and path.suffix == ".md" and parts.fragment not in anchors(path):
        return f"{target} has no heading of that name"
    return None


def test_links_lead_somewhere() -> None:
    problems = []
    for name, path in PAGES.items():
        prose = _prose(path)
        links = {first or second for first, second in _LINK.findall(prose)}
        found = (broken(path, target) for target in {*links, *_BARE.findall(prose)})
        problems += [f"{name}: {problem}" for problem in found if problem]
    assert problems == []
