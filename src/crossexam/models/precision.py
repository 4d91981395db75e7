"""What rounding to a dtype of half the bits changes in the predictions of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.core.labels import most_probable

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Under this name the details of a model have its :class:`Rounding`.
ROUNDING: Final = "rounding"
#: So many of the pairs that are asked first are predicted in float32 too.
SAMPLE: Final = 128


@dataclass(frozen=True)
class Rounding:
    """What predicting in *dtype* changed against float32, measured on *pairs* of those that were asked.

    *same_label* of them have the same label; no probability differs by more than *largest_difference*.
    *native* says whether the device has instructions for the dtype; *ways* are what the rounding depends on
    besides the dtype, such as ``"cpu, packed layers, torch 2.13.0"``.
    """

    dtype: str
    native: bool
    pairs: int
    same_label: int
    largest_difference: float
    ways: tuple[str, ...] = ()

    @classmethod
    def between(
        cls,
        exact: NDArray[np.float64],
        rounded: NDArray[np.float64],
        dtype: str,
        *,
        native: bool = True,
        way: str = "cpu",
    ) -> Rounding:
        """Return how *rounded* probabilities [n, 3] in *dtype* differ from *exact* ones.

        >>> import numpy as np
        >>> Rounding.between(np.array([[0.5, 0.3, 0.2]]), np.array([[0.25, 0.5, 0.25]]), "bfloat16")
        Rounding(dtype='bfloat16', native=True, pairs=1, same_label=0, largest_difference=0.25, ways=('cpu',))
        """
        same = int((most_probable(exact) == most_probable(rounded)).sum())
        return cls(dtype, native, len(exact), same, float(abs(exact - rounded).max(initial=0.0)), (way,))

    def as_details(self) -> dict[str, Any]:
        """Return it for the manifest of a run."""
        rounded = {"largest_difference": round(self.largest_difference, 6), "ways": list(self.ways)}
        return asdict(self) | rounded


def combined_rounding(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the details of predictions some of which were rounded as *before*, others as *after*.

    >>> first = Rounding("bfloat16", True, 128, 127, 0.01, ("cpu",)).as_details()
    >>> other = Rounding("bfloat16", True, 100, 100, 0.02, ("cuda",)).as_details()
    >>> found = combined_rounding(first, other)
    >>> found["pairs"], found["same_label"], found["largest_difference"], found["ways"]
    (228, 227, 0.02, ['cpu', 'cuda'])
    >>> combined_rounding(first, first) == first
    True
    """
    if before is None:
        return after
    new = [way for way in after["ways"] if way not in before["ways"]]
    if not new:
        return before
    return {
        "dtype": after["dtype"],
        "native": before["native"] and after["native"],
        "pairs": before["pairs"] + after["pairs"],
        "same_label": before["same_label"] + after["same_label"],
        "largest_difference": max(before["largest_difference"], after["largest_difference"]),
        "ways": [*before["ways"], *new],
    }


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
        yield _sentence(found)
    for value in details.values():
        yield from rounding_sentences(value)


def _sentence(found: Mapping[str, Any]) -> str:
    dtype, ways = found["dtype"], found.get("ways", ())
    parts = [
        f"{dtype} gave {found['same_label']} of {found['pairs']} sampled pairs the label of float32",
        f"probabilities differ by at most {found['largest_difference']:.3g}",
    ]
    if not found["native"]:
        parts.append(f"this processor has no instructions for {dtype}, so that float32 would be faster")
    if len(ways) > 1:
        parts.append(
            f"the predictions come from {len(ways)} computations that round differently: {' / '.join(ways)}"
        )
    return "; ".join(parts)


def sample(pairs: Sequence[Any], size: int = SAMPLE) -> list[Any]:
    """Return at most *size* of *pairs*, at equal distances.

    >>> sample("abcdefgh", 3), sample("ab", 3)
    (['a', 'c', 'f'], ['a', 'b'])
    """
    count = min(size, len(pairs))
    return [pairs[number * len(pairs) // count] for number in range(count)]
