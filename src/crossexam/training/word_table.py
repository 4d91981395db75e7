"""The vocabulary of a training and the word vectors that a model begins with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.errors import CrossexamError
from crossexam.core.example import SIDES, Example
from crossexam.core.progress import Progress, silent
from crossexam.training.reading import words_of
from crossexam.training.vectors import Vectors, read_vectors
from crossexam.training.vocabulary import Vocabulary

if TYPE_CHECKING:
    import torch
    from torch import nn

    from crossexam.zoo.recipe import Recipe

#: A word without a pretrained vector has to stand so often in the training data to have a vector of its
#: own; rarer ones are where the vector of unknown words is learned.  The papers give every training word
#: one of its own, so that an unknown word of a test meets a vector that was never trained.
LEAST_COUNT: Final = 2
#: Standard deviation of the first word vectors where none are given, if the recipe's is smaller.
NO_VECTORS_DEVIATION: Final = 0.1


def make_vocabulary(
    examples: Sequence[Example],
    *,
    lower_case: bool,
    characters: bool,
    vectors: Path | None = None,
    progress: Progress = silent,
) -> tuple[Vocabulary, Vectors | None]:
    """Return the vocabulary of the training *examples* and the vectors that the file has of its words."""
    counts: Counter[str] = Counter()
    for example in examples:
        for side in SIDES:
            counts.update(token.text for token in words_of(example, side))
    spelt = Counter(character for word in counts for character in word) if characters else Counter()
    whole = Vocabulary.of_words(counts.elements(), lower_case=lower_case, characters=spelt.elements())
    found = read_vectors(vectors, list(whole.words)[2:], progress=progress) if vectors is not None else None
    folded: Counter[str] = Counter()
    for word, count in counts.items():
        folded[word.lower() if lower_case else word] += count
    kept = {word for word, count in folded.items() if count >= LEAST_COUNT}
    return whole.only(kept | set(found.rows if found else ())), found


def fill_words(
    table: nn.Embedding,
    vocabulary: Vocabulary,
    vectors: Vectors | None,
    recipe: Recipe,
    generator: torch.Generator,
) -> None:
    """Put *vectors* into *table*; words without one are drawn from N(0, the recipe's deviation squared).

    With ``normalised_vectors`` each row has length 1.  Without *vectors* all are drawn, and trained whatever
    the recipe says of pretrained ones.
    """
    import torch

    deviation = recipe.unknown_deviation
    if vectors is None:
        deviation = max(deviation, NO_VECTORS_DEVIATION)
    weight = torch.randn(table.weight.shape, generator=generator) * deviation
    if vectors is not None:
        for word, row in vectors.rows.items():
            weight[vocabulary.words[word]] = torch.from_numpy(row)
    if recipe.normalised_vectors:
        weight = torch.nn.functional.normalize(weight, dim=-1)
    weight[0] = 0.0
    with torch.no_grad():
        table.weight.copy_(weight)
    table.weight.requires_grad_(vectors is None or recipe.vectors == "tuned")


def check_width(vectors: Vectors, width: int, name: str, config: Any) -> None:
    """Raise CrossexamError where *vectors* are not as wide as the model reads them."""
    if vectors.width == width:
        return
    fields = [field for field, value in vars(config).items() if value == width and isinstance(value, int)]
    likely = [f for f in fields if "word" in f or "embedding" in f or f == "width"] or fields
    raise CrossexamError(
        f"the vectors have {vectors.width} numbers a word, {name} reads {width}",
        where=str(vectors.path),
        wanted=f"vectors of width {width}",
        hint=f"--set {likely[0]}={vectors.width}" if likely else None,
    )
