"""What rounding to a dtype of half the bits changes in the predictions of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Under this name the details of a model have its :class:`Rounding`.
ROUNDING: Final = "rounding"
#: So many of the pairs that are asked first are predicted in float32 too.
SAMPLE: Final = 128


@dataclass(frozen=True)
class Rounding:
    """What predicting in *dtype* changed against float32, measured on *pairs* of those that were asked.

    *same_label* of them have the same label; no probability differs by more than *largest_difference*.
    *native* says whether the device has instructions for the dtype.
    """

    dtype: str
    native: bool
    pairs: int
    same_label: int
    largest_difference: float

    @classmethod
    def between(
        cls, exact: NDArray[np.float64], rounded: NDArray[np.float64], dtype: str, *, native: bool = True
    ) -> Rounding:
        """Return how *rounded* probabilities [n, 3] in *dtype* differ from *exact* ones.

        >>> import numpy as np
        >>> Rounding.between(np.array([[0.5, 0.3, 0.2]]), np.array([[0.25, 0.5, 0.25]]), "bfloat16")
        Rounding(dtype='bfloat16', native=True, pairs=1, same_label=0, largest_difference=0.25)
        """
        same = int((exact.argmax(axis=1) == rounded.argmax(axis=1)).sum())
        return cls(dtype, native, len(exact), same, float(abs(exact - rounded).max(initial=0.0)))

    def as_details(self) -> dict[str, Any]:
        """Return it for the manifest of a run."""
        return asdict(self) | {"largest_difference": round(self.largest_difference, 6)}


def rounding_sentences(details: Any) -> Iterator[str]:
    """Yield a sentence for each model in the *details* of a run that did not predict in float32.

    >>> found = Rounding("bfloat16", True, 128, 127, 0.01234)
    >>> list(rounding_sentences({"rounding": found.as_details()}))
    ['bfloat16 gave 127 of 128 sampled pairs the label of float32; probabilities differ by at most 0.0123']
    """
    if not isinstance(details, Mapping):
        return
    found = details.get(ROUNDING)
    if isinstance(found, Mapping):
        dtype = found["dtype"]
        yield (
            f"{dtype} gave {found['same_label']} of {found['pairs']} sampled pairs the label of float32; "
            f"probabilities differ by at most {found['largest_difference']:.3g}"
        ) + (
            ""
            if found["native"]
            else f"; this processor has no instructions for {dtype}, so that float32 would be faster"
        )
    for value in details.values():
        yield from rounding_sentences(value)


def sample(pairs: Sequence[Any], size: int = SAMPLE) -> list[Any]:
    """Return at most *size* of *pairs*, at equal distances.

    >>> sample("abcdefgh", 3), sample("ab", 3)
    (['a', 'c', 'f'], ['a', 'b'])
    """
    count = min(size, len(pairs))
    return [pairs[number * len(pairs) // count] for number in range(count)]
