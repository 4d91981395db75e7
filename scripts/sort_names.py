"""Sort the lists of names in the package: ``python scripts/sort_names.py``.

Run it after adding names to ``src/crossexam/language/lexicons/names.txt``: in each section it sorts the
names, drops repetitions and wraps the lines.
"""

from __future__ import annotations

import textwrap

from crossexam.language.lexicons.proper_names import NAMES_FILE, name_sections


def formatted(text: str) -> str:
    """Return *text* with sorted sections; its comments stay at the top."""
    comments = [line for line in text.splitlines() if line.startswith("#")]
    sections = ["\n".join(comments)]
    for title, names in name_sections(text).items():
        words = " ".join(sorted(name.replace(" ", "_") for name in names))
        lines = textwrap.wrap(words, 110, break_long_words=False, break_on_hyphens=False)
        sections.append("\n".join([f"[{title}]", *lines]))
    return "\n\n".join(sections) + "\n"


if __name__ == "__main__":
    NAMES_FILE.write_text(formatted(NAMES_FILE.read_text("utf-8")), "utf-8")
