"""The table of architectures: being in it is being listed, trained and tested."""

from __future__ import annotations

from typing import Final

from crossexam.core.errors import UnknownNameError
from crossexam.zoo.architecture import Architecture
from crossexam.zoo.bilstm import ARCHITECTURE as BILSTM
from crossexam.zoo.bilstm_max import ARCHITECTURE as BILSTM_MAX
from crossexam.zoo.cbow import ARCHITECTURE as CBOW
from crossexam.zoo.conditional_encoder import ARCHITECTURE as CONDITIONAL_ENCODER
from crossexam.zoo.hypothesis_only import ARCHITECTURE as HYPOTHESIS_ONLY
from crossexam.zoo.hypothesis_only import PREFIX, hypothesis_only
from crossexam.zoo.infersent import ARCHITECTURE as INFERSENT
from crossexam.zoo.lstm import ARCHITECTURE as LSTM

# One import and one line an architecture, in the order of the studies.
_ALL: Final[tuple[Architecture, ...]] = (
    INFERSENT,
    BILSTM,
    CBOW,
    LSTM,
    BILSTM_MAX,
    HYPOTHESIS_ONLY,
    CONDITIONAL_ENCODER,
)

ARCHITECTURES: Final[dict[str, Architecture]] = {each.name: each for each in _ALL}


def architecture_named(name: str) -> Architecture:
    """Return the architecture called *name*; ``hypothesis_only:NAME`` is NAME without the premise.

    Raises UnknownNameError with the nearest name, CrossexamError where NAME is no sentence encoder.

    >>> architecture_named("hypothesis_only:infersent").config.hidden
    2048
    """
    if name.startswith(PREFIX):
        return hypothesis_only(architecture_named(name.removeprefix(PREFIX)))
    if name not in ARCHITECTURES:
        raise UnknownNameError("architecture", name, ARCHITECTURES)
    return ARCHITECTURES[name]
