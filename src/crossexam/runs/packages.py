"""The versions of the packages that predictions may depend on."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Final

from crossexam.core.manifest import installed_version

#: What is learnt of a model by asking it: the packages that it then had loaded.
PACKAGES: Final = "packages"
_KNOWN: Final[tuple[str, ...]] = (
    "crossexam",
    "numpy",
    "torch",
    "transformers",
    "tokenizers",
    "safetensors",
    "onnxruntime",
    "rapidfuzz",
)


def loaded_packages(before: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the versions of the packages that are loaded; those *before*, which gave answers, are kept."""
    loaded = {name: known for name in _KNOWN if name in sys.modules and (known := installed_version(name))}
    found: dict[str, str] = {**loaded, **(before or {})}
    return {name: found[name] for name in _KNOWN if name in found}
