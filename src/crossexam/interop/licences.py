"""What the licences of the catalogue are called at the hub, and what they say of handing text on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

#: The identifiers of the hub for what is not in its list, and for what is not known.
OTHER: Final = "other"
UNKNOWN: Final = "unknown"


class Licence(NamedTuple):
    """A licence: its *identifier* at the hub, and what one *must know* before handing its text on.

    *forbids_changes* says that text that was changed may not be handed on.
    """

    identifier: str
    must_know: str = ""
    forbids_changes: bool = False


_SHARE_ALIKE: Final = "whatever is made from its text must be under the same licence"
_NOT_COMMERCIAL: Final = "its text may not be used commercially"
_NOT_CHANGED: Final = "text that was changed, as in these test sets, may not be redistributed"
_NOT_STATED: Final = (
    "nothing is known to permit the redistribution of its text: ask its authors before you upload this"
)
#: By the words of the catalogue, or their beginning.
LICENCES: Final[Mapping[str, Licence]] = {
    "Apache-2.0": Licence("apache-2.0"),
    "MIT": Licence("mit"),
    "CC BY 4.0": Licence("cc-by-4.0"),
    "CC BY-SA 4.0": Licence("cc-by-sa-4.0", _SHARE_ALIKE),
    "CC BY-NC 4.0": Licence("cc-by-nc-4.0", _NOT_COMMERCIAL),
    "CC BY-NC-SA 3.0": Licence("cc-by-nc-sa-3.0", f"{_NOT_COMMERCIAL}, and {_SHARE_ALIKE}"),
    "CC BY-ND 4.0": Licence("cc-by-nd-4.0", _NOT_CHANGED, forbids_changes=True),
    "CC BY-NC-ND 4.0": Licence(
        "cc-by-nc-nd-4.0", f"{_NOT_COMMERCIAL}, and {_NOT_CHANGED}", forbids_changes=True
    ),
    "mostly the licence of the Open American National Corpus": Licence(OTHER),
    "as MultiNLI": Licence(OTHER),
    "none stated": Licence(UNKNOWN, _NOT_STATED),
    "see GLUE": Licence(UNKNOWN, _NOT_STATED),
    "see SuperGLUE": Licence(UNKNOWN, _NOT_STATED),
}


def licence_of(words: str) -> Licence:
    """Return what is known of the licence that the catalogue describes in these *words*.

    >>> licence_of("CC BY 4.0").identifier, licence_of("none stated; over MultiNLI").identifier
    ('cc-by-4.0', 'unknown')
    >>> licence_of("a licence of its own").identifier
    'other'
    """
    if words in LICENCES:
        return LICENCES[words]
    begins = (licence for start, licence in LICENCES.items() if words.startswith((f"{start};", f"{start} (")))
    return next(begins, Licence(OTHER, "read its licence before you upload this"))
