"""The table of architectures: an entry is listed, trained and tested."""

from __future__ import annotations

from typing import Final

from crossexam.core.errors import UnknownNameError
from crossexam.zoo.architecture import Architecture
from crossexam.zoo.bilstm import ARCHITECTURE as BILSTM
from crossexam.zoo.bilstm_max import ARCHITECTURE as BILSTM_MAX
from crossexam.zoo.bimpm import ARCHITECTURE as BIMPM
from crossexam.zoo.cbow import ARCHITECTURE as CBOW
from crossexam.zoo.conditional_encoder import ARCHITECTURE as CONDITIONAL_ENCODER
from crossexam.zoo.decomposable_attention import ARCHITECTURE as DECOMPOSABLE_ATTENTION
from crossexam.zoo.diin import ARCHITECTURE as DIIN
from crossexam.zoo.disan import ARCHITECTURE as DISAN
from crossexam.zoo.dr_bilstm import ARCHITECTURE as DR_BILSTM
from crossexam.zoo.esim import ARCHITECTURE as ESIM
from crossexam.zoo.gated_attention import ARCHITECTURE as GATED_ATTENTION
from crossexam.zoo.gumbel_tree_lstm import ARCHITECTURE as GUMBEL_TREE_LSTM
from crossexam.zoo.hbmp import ARCHITECTURE as HBMP
from crossexam.zoo.hypothesis_only import ARCHITECTURE as HYPOTHESIS_ONLY
from crossexam.zoo.hypothesis_only import PREFIX, hypothesis_only
from crossexam.zoo.infersent import ARCHITECTURE as INFERSENT
from crossexam.zoo.lstm import ARCHITECTURE as LSTM
from crossexam.zoo.residual_stacked import ARCHITECTURE as RESIDUAL_STACKED
from crossexam.zoo.rivercorners import ARCHITECTURE as RIVERCORNERS
from crossexam.zoo.shortcut_stacked import ARCHITECTURE as SHORTCUT_STACKED
from crossexam.zoo.syntactic_tree_lstm import ARCHITECTURE as SYNTACTIC_TREE_LSTM

# One import and one line per architecture, in the order of the studies.
_ALL: Final[tuple[Architecture, ...]] = (
    INFERSENT,
    BILSTM,
    CBOW,
    LSTM,
    BILSTM_MAX,
    HYPOTHESIS_ONLY,
    CONDITIONAL_ENCODER,
    SHORTCUT_STACKED,
    RESIDUAL_STACKED,
    GATED_ATTENTION,
    RIVERCORNERS,
    HBMP,
    DISAN,
    GUMBEL_TREE_LSTM,
    DECOMPOSABLE_ATTENTION,
    ESIM,
    SYNTACTIC_TREE_LSTM,
    DIIN,
    DR_BILSTM,
    BIMPM,
)

ARCHITECTURES: Final[dict[str, Architecture]] = {each.name: each for each in _ALL}

#: The abbreviations of the studies (Naik et al., 2018; Sanchez Carmona et al., 2018; Nie et al., 2019).
# fmt: off
ABBREVIATIONS: Final[dict[str, str]] = {
    "NB":        "shortcut_stacked",
    "CH":        "gated_attention",
    "RC":        "rivercorners",
    "IS":        "infersent",
    "CE":        "conditional_encoder",
    "DAM":       "decomposable_attention",
    "RSE":       "residual_stacked",
    "G-TLSTM":   "gumbel_tree_lstm",
    "S-TLSTM":   "syntactic_tree_lstm",
    "DR-BiLSTM": "dr_bilstm",
    "HBMP":      "hbmp",
}
# fmt: on


def architecture_named(name: str) -> Architecture:
    """Return the architecture called *name* or abbreviated by it.

    ``hypothesis_only:NAME`` is the hypothesis-only form of NAME.  Raises UnknownNameError with the nearest
    name, and CrossexamError if NAME is not a sentence encoder.

    >>> architecture_named("hypothesis_only:infersent").config.hidden
    2048
    >>> architecture_named("RC").name
    'rivercorners'
    """
    if name.startswith(PREFIX):
        return hypothesis_only(architecture_named(name.removeprefix(PREFIX)))
    name = ABBREVIATIONS.get(name, name)
    if name not in ARCHITECTURES:
        raise UnknownNameError("architecture", name, ARCHITECTURES)
    return ARCHITECTURES[name]
