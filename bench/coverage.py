"""How often the intervals hold the truth, the tests reject it, and what is detectable is detected.

Samples are drawn from populations whose truth is known, and given to the functions that reports, comparisons
and gates call.  A row is a number, a design, and the share of samples in which the interval holds the truth
(*coverage*, at least 93 %), a true null hypothesis is rejected at 5 % (*level*, at most 6 %), a gate says
that a rule is broken which is not, in one direction (*gate*, at most 2.5 %), or a value that is said to be
detectable is found (*power*, 75 to 90 %).  What is outside of these by more than two standard errors of the
simulation is simulated again, with 25 times as many samples, and marked if it is so again.  The
populations, and the cells by topic, are in the folder ``nominal``.

    python bench/coverage.py --samples 1000
    python bench/coverage.py --samples 400 --only "log loss"
    python bench/coverage.py --samples 400 --ranges            # the table in bench/COVERAGE.md
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
from nominal.designs import Cell, Kind
from nominal.differences import differences, headlines, tests
from nominal.gates import gates, judged
from nominal.people import annotators, templates
from nominal.probabilities import distances, probabilities, two_models
from nominal.several import agreement, ranked
from nominal.shares import accuracies, again, means, parts
from nominal.word_pairs import factors, keyed, seen

#: The least and the greatest share of each kind that is nominal.
NOMINAL: Final[dict[Kind, tuple[float, float]]] = {
    "coverage": (0.93, 1.0),
    "level": (0.0, 0.06),
    "gate": (0.0, 0.025),
    "power": (0.75, 0.9),
}
#: How many times the samples are drawn again, of a cell that is outside of these.
_AGAIN: Final = 25
#: The cells by topic.  Another design is a row there.
TOPICS: Final = (
    accuracies,
    parts,
    means,
    again,
    differences,
    tests,
    headlines,
    keyed,
    factors,
    seen,
    ranked,
    agreement,
    annotators,
    templates,
    probabilities,
    two_models,
    distances,
    gates,
    judged,
)


def share_of(cell: Cell, samples: int, seed: int = 0) -> float:
    """Return the share of *samples* of *cell* that are hits, drawn with *seed* and the names of the cell."""
    rng = np.random.default_rng([seed, *f"{cell.number}|{cell.design}".encode()])
    return float(np.mean([cell.hit(rng) for _ in range(samples)]))


def is_nominal(cell: Cell, share: float, samples: int) -> bool:
    """Return whether *share* is within the bounds of its kind, or outside by what is chance."""
    low, high = NOMINAL[cell.kind]
    return all(
        share * sign >= bound * sign - 2 * sqrt(bound * (1 - bound) / samples)
        for bound, sign in ((low, 1), (high, -1))
    )


class Found(NamedTuple):
    """The *share* of samples of a *cell* that are hits, and whether it *is_nominal*."""

    cell: Cell
    share: float
    is_nominal: bool


def simulated(cell: Cell, samples: int) -> Found:
    """Return what *samples* of *cell* show; if it is outside of its bounds, what 25 times as many do."""
    share = share_of(cell, samples)
    if is_nominal(cell, share, samples):
        return Found(cell, share, True)
    more = _AGAIN * samples
    share = share_of(cell, more, seed=1)
    return Found(cell, share, is_nominal(cell, share, more))


def ranges(found: Sequence[Found]) -> Iterator[tuple[str, ...]]:
    """Yield a row per number: its kind, the number of designs, the range of shares, what is not nominal."""
    for number in dict.fromkeys(each.cell.number for each in found):
        rows = [each for each in found if each.cell.number == number]
        shares = [100 * each.share for each in rows]
        span = f"{min(shares):.1f} to {max(shares):.1f}"
        marked = [f"{each.cell.design}: {100 * each.share:.1f}" for each in rows if not each.is_nominal]
        yield number, rows[0].cell.kind, str(len(rows)), span, "; ".join(marked)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--only", default="", help="a part of the names of numbers")
    parser.add_argument("--ranges", action="store_true", help="a row per number, over its designs")
    given = parser.parse_args(arguments)
    head = (
        ("number", "kind", "designs", "lowest to highest, %", "not nominal, %")
        if given.ranges
        else ("number", "design", "kind", "%", "")
    )
    rule = "|---|---|---:|---|---|" if given.ranges else _row("---" for _ in head)
    print(_row(head), rule, sep="\n", flush=True)
    for topic in TOPICS:
        found = []
        for cell in topic():
            if given.only in cell.number:
                found.append(simulated(cell, given.samples))
                if not given.ranges:
                    print(_row(_cells(found[-1])), flush=True)
        if given.ranges and found:
            print(*map(_row, ranges(found)), sep="\n", flush=True)


def _cells(found: Found) -> tuple[str, ...]:
    mark = "" if found.is_nominal else "not nominal"
    return found.cell.number, found.cell.design, found.cell.kind, f"{100 * found.share:.1f}", mark


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
