"""The table of shallow models, which ``train``, ``run``, ``ls`` and ``features`` read."""

from __future__ import annotations

from typing import Final

from crossexam.shallow.bag_of_words import BAG_OF_WORDS
from crossexam.shallow.fitting import ShallowModel
from crossexam.shallow.hypothesis_fasttext import HYPOTHESIS_FASTTEXT
from crossexam.shallow.random_forest import RANDOM_FOREST

SHALLOW: Final[dict[str, ShallowModel]] = {
    model.name: model for model in (BAG_OF_WORDS, HYPOTHESIS_FASTTEXT, RANDOM_FOREST)
}


def shallow_named(name: str) -> ShallowModel | None:
    """Return the shallow model with the name or alias *name*, in any case, None if there is none.

    >>> [model.prefix for name in ("HOM", "hypothesis-fasttext") if (model := shallow_named(name))]
    ['hom', 'hom']
    """
    return next((model for model in SHALLOW.values() if name.casefold() in (model.name, model.alias)), None)
