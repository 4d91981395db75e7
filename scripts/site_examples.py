"""An extension of griffe, which reads the docstrings for mkdocs: examples (``>>>``) are blocks of code.

As docstrings are Markdown on the site, the prompts would be quotations, and ``[a][b]`` a link.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

#: A session: a line with a prompt and all that follow without an empty line, at one indentation.
_SESSION = re.compile(r"^(?P<indent>[ ]*)>>> .*(?:\n(?P=indent).*\S.*)*", re.MULTILINE)


def with_fences(text: str) -> str:
    """Return the docstring *text* with a fence around each session."""
    return _SESSION.sub(lambda found: f"{found['indent']}```pycon\n{found[0]}\n{found['indent']}```", text)


class FencedExamples(griffe.Extension):
    """Puts the examples in docstrings into fences."""

    def on_object(self, *, obj: griffe.Object, **others: Any) -> None:
        """Change the docstring of *obj*, if it has one."""
        if obj.docstring is not None:
            obj.docstring.value = with_fences(obj.docstring.value)
