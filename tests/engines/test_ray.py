"""A Ray cluster of two nodes: the same results as on this machine, also if a node or a worker is lost."""

import functools
import os
import select
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from crossexam.core.errors import CrossexamError, MissingExtraError, UnknownNameError
from crossexam.engines import ray as engines_ray
from crossexam.engines.ray import RayEngine
from made import engines as made_engines
from made.cases import refused
from made.engines import ERROR, failing, killed_at, raising

_NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = pytest.importorskip("ray", reason="ray is not installed")
    from ray.cluster_utils import Cluster

    for each in (sys.modules[__name__], made_engines):
        ray.cloudpickle.register_pickle_by_value(each)
    found = Cluster(initialize_head=True, head_node_args={**_NODE, "include_dashboard": False})
    found.add_node(**_NODE)
    yield found
    ray.shutdown()
    found.shutdown()


@pytest.fixture
def engine(cluster: Any) -> RayEngine:
    return RayEngine(cluster.address)


def starting() -> Callable[[int], tuple[int, int, str]]:
    """Start a worker that squares numbers, and tells which process of which node it is."""
    import ray

    node = ray.get_runtime_context().get_node_id()
    return lambda number: (number * number, os.getpid(), node)


pytestmark = pytest.mark.slow


class Tasks:
    """Numbers, as many as are wanted."""

    def __init__(self) -> None:
        self.read, self.last = 0, 10**9

    def __iter__(self) -> Iterator[int]:
        while self.read < self.last:
            self.read += 1
            yield self.read - 1


def test_two_nodes_yield_the_results_in_the_order_of_the_tasks(engine: RayEngine) -> None:
    assert engine.workers == 2
    tasks, found, nodes = Tasks(), [], set()
    for square, process, node in engine.results(starting, tasks):
        found.append(square)
        nodes.add((process, node))
        if len(nodes) == 2:
            tasks.last = tasks.read
    assert found == [number * number for number in range(tasks.last)]
    assert len({node for _, node in nodes}) == 2
    assert os.getpid() not in {process for process, _ in nodes}


def test_an_error_arrives_as_it_was_raised(engine: RayEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    for begin in (raising, failing):  # at a task, and at the start of a worker
        with pytest.raises(UnknownNameError) as caught:
            list(engine.results(begin, range(9)))
        assert vars(caught.value) == vars(ERROR)
    monkeypatch.setattr(engines_ray, "package_version", lambda: "0.0.1")
    with pytest.raises(CrossexamError, match="the node has Crossexam"):
        list(engine.results(starting, range(2)))


def test_what_the_cluster_has_not_is_named(cluster: Any, engine: RayEngine) -> None:
    with pytest.raises(CrossexamError, match="no node has more than 1 CPUs and 0 GPUs"):
        RayEngine(cluster.address, num_gpus=1).workers  # noqa: B018
    with pytest.raises(CrossexamError, match="this process is connected to the Ray cluster at"):
        RayEngine("127.0.0.1:1").workers  # noqa: B018


def test_the_task_of_a_killed_worker_is_carried_out_again_so_many_times(
    engine: RayEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = functools.partial(killed_at, 5, tmp_path / "killed")
    assert list(engine.results(begin, range(12))) == list(range(12))
    assert (tmp_path / "killed").exists()
    monkeypatch.setattr(engines_ray, "MOST_ATTEMPTS", 2)
    begin = functools.partial(killed_at, 0, tmp_path / "absent" / "mark")
    with pytest.raises(CrossexamError, match="a task was begun 2 times, and each time its worker was lost"):
        list(engine.results(begin, range(1)))


def test_a_lost_node_costs_its_tasks_only(cluster: Any) -> None:
    lost = cluster.add_node(**_NODE)
    tasks, found = Tasks(), []
    results = RayEngine(cluster.address).results(starting, tasks)
    while not found or found[-1][2] != lost.node_id:
        found.append(next(results))
    worker = os.pidfd_open(found[-1][1])
    cluster.remove_node(lost, allow_graceful=False)
    assert select.select([worker], [], [], 60)[0]
    os.close(worker)
    tasks.last = tasks.read + 40
    found += list(results)
    assert [square for square, _, _ in found] == [number * number for number in range(tasks.last)]
    assert lost.node_id not in {node for _, _, node in found[-20:]}


def test_the_cluster_that_is_named_is_joined_and_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray", reason="ray is not installed")
    joined, notes = list[str](), list[str]()
    context = SimpleNamespace(gcs_address="10.0.0.1:6379")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", lambda address, **_: joined.append(address))
    monkeypatch.setattr(ray, "get_runtime_context", lambda: context)
    monkeypatch.setattr(engines_ray, "check_reachable", lambda address: None)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    for stated in (None, "auto"):
        RayEngine(stated, stated_workers=1, note=notes.append).workers  # noqa: B018
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:6379")
    RayEngine(None, stated_workers=1, note=notes.append).workers  # noqa: B018
    assert joined == ["local", "auto", "10.0.0.1:6379"]  # without a name, no cluster of this machine
    assert notes[0].startswith("started Ray on this machine, for this command alone")
    assert notes[1:] == ["joined the Ray cluster at 10.0.0.1:6379"] * 2


def test_addresses_and_workers_are_checked() -> None:
    for address in ("head", "ray://head:10001", "head:66000"):
        assert "is not the address of a Ray cluster" in refused(engines_ray.check_reachable, address)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        assert f"no Ray cluster answers at {address}" in refused(engines_ray.check_reachable, address)
    for wrong in ({"num_cpus": -1.0}, {"num_gpus": 1.5}):
        assert "a whole number, or a share of one" in refused(RayEngine, **wrong)
    assert "neither CPUs nor GPUs" in refused(RayEngine, num_cpus=0)


def test_without_ray_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match="ray"):
        list(RayEngine().results(starting, range(2)))
