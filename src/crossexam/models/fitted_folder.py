"""What the options of a model say to one that Crossexam fitted into a folder."""

from __future__ import annotations

from pathlib import Path

from crossexam.core.errors import CrossexamError
from crossexam.models.model import ModelOptions


def folder_of(name: str, spec: str, options: ModelOptions) -> Path:
    """Return the folder *spec* of the model *name*; raises CrossexamError for options of other models.

    >>> folder_of("rf/models/rf", "models/rf", ModelOptions()).name
    'rf'
    """
    if options.label_order:
        raise CrossexamError("the classes of these models are known", hint="leave out --label-order")
    if options.revision:
        raise CrossexamError("a folder has no revision", where=name, hint="leave out --revision")
    return Path(spec).expanduser()
