"""What it costs to move the arguments and results of tasks between the nodes of a Ray cluster.

    python bench/ray_transport.py [--tasks 600] [--rounds 2]

A cluster as that of ray_cluster.py, whose actors return so many bytes to the driver on another node.  CPU
milliseconds are those of all processes; sizes take turns in each round.
"""

from __future__ import annotations

import argparse
import logging
import os
import time
from typing import Any

from ray_cluster import NODES, CpuMeter, Nodes

#: Bytes of the argument and of the result of a task.
SIZES = ((90_000, 600_000), (90_000, 110_000), (90_000, 90_000), (1_000, 1_000))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray

    nodes = Nodes()
    ray.init(address=nodes.engine.removeprefix("ray:"), log_to_driver=False, logging_level=logging.ERROR)
    try:
        actors = [ray.remote(num_cpus=1)(Answering).remote() for _ in range(NODES)]
        ray.get([actor.answer.remote(b"", 1) for actor in actors])
        for _ in range(arguments.rounds):
            for given, returned in SIZES:
                seconds = cpu_of(actors, arguments.tasks, given, returned)
                print(
                    f"{given:,} bytes given, {returned:,} returned: "
                    f"{1000 * seconds / arguments.tasks:.2f} ms CPU per task, load {os.getloadavg()[0]:.1f}",
                    flush=True,
                )
    finally:
        ray.shutdown()
        nodes.shutdown()


class Answering:
    """An actor that returns so many bytes."""

    def answer(self, given: bytes, returned: int) -> bytes:
        return bytes(returned)


def cpu_of(actors: list[Any], tasks: int, given: int, returned: int) -> float:
    """Return the CPU seconds of so many tasks, one per actor at a time."""
    import ray

    own = time.process_time()
    with CpuMeter() as meter:
        under_way = {actor.answer.remote(bytes(given), returned): actor for actor in actors}
        begun = len(under_way)
        while under_way:
            for reference in ray.wait(list(under_way))[0]:
                actor = under_way.pop(reference)
                ray.get(reference)
                if begun < tasks:
                    under_way[actor.answer.remote(bytes(given), returned)] = actor
                    begun += 1
    return meter.seconds + time.process_time() - own


if __name__ == "__main__":
    main()
