"""The table of architectures: an entry is listed, trained and tested."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Final

from crossexam.core.errors import UnknownNameError
from crossexam.zoo.architecture import Architecture
from crossexam.zoo.hypothesis_only import PREFIX, hypothesis_only

# One line per architecture, in the order of the studies.
_ALL: Final = (
    "crossexam.zoo.infersent:ARCHITECTURE",
    "crossexam.zoo.bilstm:ARCHITECTURE",
    "crossexam.zoo.cbow:ARCHITECTURE",
    "crossexam.zoo.lstm:ARCHITECTURE",
    "crossexam.zoo.bilstm_max:ARCHITECTURE",
    "crossexam.zoo.hypothesis_only:ARCHITECTURE",
    "crossexam.zoo.conditional_encoder:ARCHITECTURE",
    "crossexam.zoo.shortcut_stacked:ARCHITECTURE",
    "crossexam.zoo.residual_stacked:ARCHITECTURE",
    "crossexam.zoo.gated_attention:ARCHITECTURE",
    "crossexam.zoo.rivercorners:ARCHITECTURE",
    "crossexam.zoo.hbmp:ARCHITECTURE",
    "crossexam.zoo.disan:ARCHITECTURE",
    "crossexam.zoo.gumbel_tree_lstm:ARCHITECTURE",
    "crossexam.zoo.decomposable_attention:ARCHITECTURE",
    "crossexam.zoo.esim:ARCHITECTURE",
    "crossexam.zoo.syntactic_tree_lstm:ARCHITECTURE",
    "crossexam.zoo.diin:ARCHITECTURE",
    "crossexam.zoo.dr_bilstm:ARCHITECTURE",
    "crossexam.zoo.bimpm:ARCHITECTURE",
)

ARCHITECTURES: Final[dict[str, Architecture]] = {
    architecture.name: architecture for architecture in map(resolve_name, _ALL)
}

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


#: What architectures are called, in lower case, with their names in the table.
_CALLED: Final = {
    **{abbreviation.casefold(): name for abbreviation, name in ABBREVIATIONS.items()},
    **{name: name for name in ARCHITECTURES},
}


def table_name(name: str) -> str:
    """Return the name in the table of the architecture that studies call *name*; other names are kept.

    Case does not matter, and a hypothesis-only form may be of any of them.

    >>> table_name("DIIN"), table_name("s-tlstm"), table_name("hypothesis_only:IS"), table_name("hf/x")
    ('diin', 'syntactic_tree_lstm', 'hypothesis_only:infersent', 'hf/x')
    """
    if name.startswith(PREFIX):
        return PREFIX + table_name(name.removeprefix(PREFIX))
    return _CALLED.get(name.casefold(), name)


def architecture_named(name: str) -> Architecture:
    """Return the architecture called *name*, in the table or by a study (:func:`table_name`).

    ``hypothesis_only:NAME`` is the hypothesis-only form of NAME.  Raises UnknownNameError with the nearest
    name, and CrossexamError if NAME is not a sentence encoder.

    >>> architecture_named("hypothesis_only:infersent").config.hidden
    2048
    >>> architecture_named("RC").name
    'rivercorners'
    """
    name = table_name(name)
    if name.startswith(PREFIX):
        return hypothesis_only(architecture_named(name.removeprefix(PREFIX)))
    if name not in ARCHITECTURES:
        raise UnknownNameError("architecture", name, ARCHITECTURES)
    return ARCHITECTURES[name]
