"""Names that users give, as names of files and of what other programs keep: each alphabet is said here.

Of two file systems, one ignores case and how Unicode composes letters, so that names which differ only in
these are one file.  ``CON`` and ``NUL`` are devices of Windows, and no file system takes a name of 300 bytes.

:func:`file_stem` makes different names of different names.  The other functions may make one name of two:
whoever calls them for several refuses that with :func:`alike`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from typing import Final, TypeVar
from urllib.parse import quote

T = TypeVar("T")

_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:[. ].*)?", re.DOTALL)
#: Most bytes of a stem: names may have 255, and hashes, suffixes and temporary names add to it.
_LONGEST: Final = 180
_DIGITS: Final = 12  # of the hash that tells apart what would be one file
_LONGEST_ARTIFACT: Final = 128  # characters, of Weights & Biases


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def shortened(name: str, *, mark: str = "~", longest: int = _LONGEST) -> str:
    """Return *name*, or if it is long its beginning with *mark* and a hash of it; suffixes can be added.

    Different names remain different, and a name always becomes the same one.  A beginning has at most
    *longest* bytes.

    >>> shortened("base.dev"), shortened("base." + 300 * "x")[-16:], len(shortened("base." + 300 * "x"))
    ('base.dev', 'xxx~28a81c800cb4', 193)
    """
    encoded = name.encode("utf-8", "surrogatepass")
    if len(encoded) <= longest:
        return name
    return f"{encoded[:longest].decode('utf-8', 'ignore')}{mark}{_digest(name)}"


def file_stem(name: str) -> str:
    """Return the *name* of a test set as that of a file without its suffix; different names stay different.

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
    start = quoted[:_LONGEST].strip(" ").lstrip(".")
    if _RESERVED.fullmatch(start.lower()):
        start = f"_{start}"
    return f"{start}%-{_digest(name)}"  # no quoted name has %-


def name_part(name: str) -> str:
    """Return the *name* of a base as a part of the names of test sets: small letters, digits, underscores.

    >>> name_part("AggreFact-CNN"), name_part("...")
    ('aggrefact_cnn', 'base')
    """
    return re.sub(r"\W+", "_", name).strip("_").lower() or "base"


def model_folder(name: str) -> str:
    """Return the *name* of a model as that of a folder: letters, digits, underscores, points and hyphens.

    >>> model_folder("hf/my model"), model_folder("../")
    ('hf-my-model', 'model')
    """
    return shortened(re.sub(r"[^\w.]", "-", name).strip("-.") or "model")


def task_name(name: str) -> str:
    """Return the *name* of a test set as that of a task of a harness: letters, digits and underscores.

    >>> task_name("negation.multinli_dev-matched")
    'crossexam_negation_multinli_dev_matched'
    """
    return shortened(f"crossexam_{re.sub('[^A-Za-z0-9]', '_', name)}", mark="_")


def artifact_name(name: str) -> str:
    """Return the *name* of a model as that of the artifact with its report in Weights & Biases.

    >>> artifact_name("hf/my model")
    'report-hf_my_model'
    """
    spelt = re.sub(r"[^\w.-]", "_", f"report-{name}", flags=re.ASCII)
    return shortened(spelt, mark="_", longest=_LONGEST_ARTIFACT - _DIGITS - 1)


def alike(things: Iterable[T], name_of: Callable[[T], str]) -> tuple[T, T] | None:
    """Return the first two of *things* whose names are one, case ignored; None if there are none.

    >>> alike(["a-b", "a b", "c"], name_part)
    ('a-b', 'a b')
    """
    seen: dict[str, T] = {}
    for each in things:
        name = name_of(each).casefold()
        if name in seen:
            return seen[name], each
        seen[name] = each
    return None
