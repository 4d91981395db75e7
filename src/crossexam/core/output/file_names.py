"""Names of test sets as names of files, on any file system.

Names that differ only in case, or in how Unicode composes them, are one file where the file system ignores
that.  ``CON`` and ``NUL`` are devices of Windows, and no file system takes a name of 300 bytes.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final
from urllib.parse import quote

_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:[. ].*)?", re.DOTALL)
#: Most bytes of a stem: names may have 255, and temporary names add to it.
_LONGEST: Final = 180
_DIGITS: Final = 12  # of the hash that tells apart what would be one file


def file_stem(name: str) -> str:
    """Return *name* as the name of a file without its suffix; different names have different ones.

    What is not a letter, a digit, a space or one of ``_.-~`` is quoted.  A hash is added to names with
    capital letters, names of devices, and long names, of which only the beginning is kept.

    >>> file_stem("negation.dev_matched"), file_stem("50 %/..")
    ('negation.dev_matched', '50 %25%2F..')
    >>> file_stem("nul"), file_stem("NUL")
    ('_nul%-99e624275901', '_NUL%-ae6de1827cfc')
    """
    quoted = quote(name.encode("utf-8", "surrogatepass"), safe=" ")
    is_plain = not re.search("[A-Z]", name) and not _RESERVED.fullmatch(name) and len(quoted) <= _LONGEST
    if is_plain and name and name == name.strip(" ") and not name.startswith("."):
        return quoted
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    start = quoted[:_LONGEST].strip(" ").lstrip(".")
    if _RESERVED.fullmatch(start.lower()):
        start = f"_{start}"
    return f"{start}%-{digest}"  # no quoted name has %-
