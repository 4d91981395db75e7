"""Files for other programs, from the templates in ``layouts/``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crossexam.core.output.escapes import escape_markdown, json_text, markdown_code, visible

if TYPE_CHECKING:
    from jinja2 import Environment

#: How templates write a value: as JSON, which is YAML too; in Python; as text or code in a line of Markdown.
_FILTERS: Final = {
    "json": json_text,
    "python": ascii,
    "md": escape_markdown,
    "code": markdown_code,
    "visible": visible,
}


def filled(name: str, **values: object) -> str:
    """Return the text of the template *name* with *values* in it.

    >>> filled("lm_eval_data.py.j2").splitlines()[0]
    '\"\"\"The questions beside this file, as the harness loads them.\"\"\"'
    """
    return _layouts().get_template(name).render(**values)


@cache
def _layouts() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    layouts = Environment(  # noqa: S701  (none is HTML)
        loader=FileSystemLoader(Path(__file__).parent / "layouts"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    layouts.filters |= _FILTERS
    return layouts
