r"""Text from elsewhere, escaped for what will show it, so that nothing in it is interpreted.

Names of models, test sets and corpora, ids, sentences and lines of files are whatever somebody wrote.  Each
output has one function here (:data:`ESCAPERS`).  Characters that control how others are shown (escape
sequences of terminals, changes of the direction of writing, line separators of Unicode) have no meaning in
what people read, and appear as ``\x1b`` or ``\u202e``.  JSON keeps the exact text, with escapes of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

#: Characters that are not shown but change what is: a set for regular expressions, of Python and JavaScript.
#: Tabs and line feeds are not among them, nor the marks (U+200E, U+200F) that right-to-left texts need.
CONTROLS: Final = (
    "["
    "\x00-\x08\x0b-\x1f"  # C0
    "\x7f-\x9f"  # C1: some terminals take U+009B for ESC [
    "\u2028\u2029"  # ends of lines in JavaScript, and in what splits lines by Unicode
    "\u202a-\u202e\u2066-\u2069"  # embeddings, overrides and isolates of the direction of writing
    "\ud800-\udfff"  # lone surrogates, which UTF-8 does not have
    "\ufffe\uffff"  # noncharacters, which XML does not have
    "]"
)
_CONTROL: Final = re.compile(CONTROLS)


def visible(text: str) -> str:
    r"""Return *text* with an escape in place of each character that controls how others are shown.

    It may have several lines; a carriage return is part of a line's end only before a line feed.

    >>> print(visible("\x1b[31mred\u202e"))
    \x1b[31mred\u202e
    """
    return _CONTROL.sub(_escape, text.replace("\r\n", "\n"))


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def one_line(text: str) -> str:
    r"""Return *text* as a visible line: what is between words becomes one space.

    >>> one_line("It rains.\n It pours.")
    'It rains. It pours.'
    """
    return " ".join(visible(text).split())


#: So many characters of a user's text are in a message at most.
_MOST_QUOTED: Final = 80


def clipped(text: str) -> str:
    """Return *text* as far as a message shows it.

    >>> len(clipped("word " * 1_000)), clipped("word")
    (80, 'word')
    """
    return text if len(text) <= _MOST_QUOTED else f"{text[: _MOST_QUOTED - 3]}..."


def quoted(value: object) -> str:
    """Return how a message quotes *value*, a user's answer, label, cell or id, cut if it is long.

    >>> quoted("supported"), quoted({"status": "tired"})
    ("'supported'", "{'status': 'tired'}")
    """
    return clipped(repr(value[: _MOST_QUOTED + 1] if isinstance(value, str) else value))


def finalized(value: object) -> object:
    """Return *value* as a template shows it, before it is escaped as HTML; for ``finalize`` of Jinja."""
    return visible(value) if type(value) is str else value  # not Markup, which is ours


def escape_html(text: str) -> str:
    r"""Return *text* escaped for an HTML element or a quoted attribute.

    >>> escape_html("<b>\0")
    '&lt;b&gt;\\x00'
    """
    from markupsafe import escape

    return str(escape(visible(text)))


def escape_xml(text: str) -> str:
    r"""Return *text* escaped for an element or a quoted attribute of XML, which keeps its ends of lines.

    >>> print(escape_xml('<a "b">\n\0'))
    &lt;a &#34;b&#34;&gt;&#10;\x00
    """
    return escape_html(text).replace("\n", "&#10;").replace("\t", "&#9;")


def visible_texts(value: Any) -> Any:
    """Return *value*, of lists and mappings, with all of its texts visible; for charts, which become XML."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {key: visible_texts(each) for key, each in value.items()}
    return [visible_texts(each) for each in value] if isinstance(value, list | tuple) else value


# fmt: off
_LATEX_SPECIAL: Final = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}", "–": "--",
    "·": r"\textperiodcentered{}", "†": r"$^\dagger$",
    "‡": r"$^\ddagger$", "∞": r"$\infty$",
}
# fmt: on
_LATEX_LIGATURE: Final = re.compile(r"(?<=-)-|(?<=,),|(?<=')'")


def escape_latex(text: str) -> str:
    r"""Return *text* escaped for LaTeX, as one line.

    >>> print(escape_latex(r"50% of base_set \input{x}"))
    50\% of base\_set \textbackslash{}input\{x\}

    Two hyphens stay two hyphens, and no text is taken for the argument of the end of the row before it.

    >>> print(escape_latex("[a--b]"))
    {}[a-{}-b]
    """
    apart = _LATEX_LIGATURE.sub("\0\\g<0>", one_line(text))
    escaped = "".join(_LATEX_SPECIAL.get(character, character) for character in apart).replace("\0", "{}")
    return f"{{}}{escaped}" if escaped.startswith(("[", "*")) else escaped


_MARKDOWN_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|~#&$@])")
#: What begins a list, a line or a heading; a number such as -0.5 or 55.7 does not.
_MARKDOWN_BLOCK: Final = re.compile(r"^(\d*)([-+=]|(?<=\d)[.)])(?=[-+=\s]|$)")


def escape_markdown(text: str) -> str:
    r"""Return *text* escaped for GitHub-flavoured Markdown, as one line.

    >>> escape_markdown("base.dev_matched | <b>")
    'base.dev\\_matched \\| \\<b\\>'

    No list begins with it, and nobody is mentioned; an address, as of a paper, may become a link to itself.

    >>> print(escape_markdown("1. see @somebody at http://x.example"), escape_markdown("-0.5"))
    1\. see \@somebody at http://x.example -0.5
    """
    return _MARKDOWN_BLOCK.sub(r"\1\\\2", _MARKDOWN_SPECIAL.sub(r"\\\1", one_line(text)))


def markdown_code(text: str) -> str:
    """Return *text* as code within a line of Markdown, which its own ticks do not end.

    >>> print(markdown_code("base.dev_matched"), markdown_code("a`b"))
    `base.dev_matched` ``a`b``
    """
    shown = one_line(text)
    fence = "`" * (max(map(len, re.findall("`+", shown)), default=0) + 1)
    apart = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{apart}{shown}{apart}{fence}"


#: What spreadsheets take for the start of a formula (OWASP, CSV injection).
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
#: A number with a sign, which they take for the number that it is: also a regular expression of JavaScript.
SIGNED_NUMBER: Final = r"[+-][0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?"
_SIGNED_NUMBER: Final = re.compile(SIGNED_NUMBER)


def escape_cell(text: str) -> str:
    r"""Return *text* for a cell of a CSV file: an apostrophe precedes what would be run as a formula.

    >>> [escape_cell(text) for text in ("=1+1", "-", "-0.5", "It rains.", "\x1b[2J")]
    ["'=1+1", "'-", '-0.5', 'It rains.', '\\x1b[2J']
    """
    shown = visible(text)
    return f"'{shown}" if shown.startswith(FORMULA) and not _SIGNED_NUMBER.fullmatch(shown) else shown


def json_text(value: Any, *, indent: int | None = None, allow_nan: bool = False) -> str:
    r"""Return *value* as JSON that keeps every text exactly, and has no character that controls others.

    Raises ValueError for numbers that JSON does not have, unless *allow_nan*.

    >>> print(json_text({"id": "\x9b31m\ud800"}))
    {"id": "\u009b31m\ud800"}
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=allow_nan)
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def script_json(value: Any) -> str:
    r"""Return *value* as JSON that cannot close the script element that contains it.

    Everything outside ASCII is escaped, including U+2028 and lone surrogates.

    >>> script_json("</script>&")
    '"\\u003c/script\\u003e\\u0026"'
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


#: What escapes a text for each output.
ESCAPERS: Final[Mapping[str, Callable[[str], str]]] = {
    "terminal": visible,
    "html": escape_html,
    "xml": escape_xml,
    "svg": visible_texts,
    "md": escape_markdown,
    "tex": escape_latex,
    "csv": escape_cell,
    "json": json_text,
    "script": script_json,
}
