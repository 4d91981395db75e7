"""What ten million to a billion pairs cost: arithmetic with measured figures, for the table in docs/scale.md.

    python bench/scale.py [--workers 100]

Nothing is measured at the larger sizes: the figures are those of bench/RESULTS.md, by the commands
named here.
"""

from __future__ import annotations

import argparse
from typing import Final

#: ``bench/stream.py FOLDER --rows 10000000`` at a load of 2: CPU seconds, and bytes of the store.
DRIVER_SECONDS: Final = 42.8 / 10e6
STORED_BYTES: Final = 408e6 / 10e6
#: The same with 1,000,000 rows: what peak memory grows by per pair.
HELD_BYTES: Final = (925e6 - 371e6) / (10e6 - 1e6)
# fmt: off
#: CPU seconds per pair that the workers share.
WORKER_SECONDS: Final = {
    # bench/ray_cluster.py --items 200000 and --items 2000000 at a load of 4: the difference between the two
    "build negation": (41.5 - 6.9) / 1_800_000,
    # bench/hf_throughput.py SNLI_DEV.jsonl --checkpoint CHECKPOINT --items 4000 --rounds 1 at a load of 29
    "MiniLM, float32": 1 / 162.6,
    "MiniLM, bfloat16": 1 / 428.6,
}
# fmt: on
PAIRS: Final = (10_000_000, 100_000_000, 1_000_000_000)


def duration(seconds: float) -> str:
    """Return *seconds* in the largest unit of which there is at least one.

    >>> duration(40), duration(90), duration(36_000)
    ('40 s', '1.5 min', '10.0 h')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=100)
    workers = parser.parse_args().workers
    columns = ["pairs", "store", "memory of the driver", "CPU of the driver"]
    print(f"| {' | '.join([*columns, *(f'{name}, {workers} CPUs' for name in WORKER_SECONDS)])} |")
    print("|---" * (len(columns) + len(WORKER_SECONDS)) + "|")
    for pairs in PAIRS:
        cells = [f"{pairs:,}", f"{pairs * STORED_BYTES / 1e9:.1f} GB", f"{pairs * HELD_BYTES / 1e9:.1f} GB"]
        cells += [duration(pairs * DRIVER_SECONDS)]
        cells += [duration(pairs * seconds / workers) for seconds in WORKER_SECONDS.values()]
        print(f"| {' | '.join(cells)} |")
    for name, seconds in WORKER_SECONDS.items():
        if not name.startswith("build"):  # of which the driver's share was not measured
            print(f"{name}: {seconds / DRIVER_SECONDS:.0f} CPUs keep the driver busy all the time")


if __name__ == "__main__":
    main()
