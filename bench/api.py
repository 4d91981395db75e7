"""Ask a server that answers after 50 ms: rate, CPU per pair, and memory; or kill a run many times.

    python bench/api.py [--pairs 10000] [--concurrency 64]
    python bench/api.py --kills 50

The server is in another process and has its answers ready.  CPU is that of the process that asks, without
what it needs to start and to hash the pairs, which is measured by a second command that finds everything in
the store.  The ideal rate is concurrency / 50 ms.  The rate is that from the first question to the last
answer, the probe included; that of the whole command, which also makes the results, and what the server gives
to threads that do nothing but ask stand beside it.  Killed runs are compared with one that was not: the same
predictions, and no pair asked again but those under way and those that came just before.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import multiprocessing
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from array import array
from pathlib import Path
from typing import Any

DELAY = 0.05
LABELS = ("entailment", "neutral", "contradiction")


class Asked(asyncio.Protocol):
    """A connection whose requests are answered after DELAY; the question of each goes to *log*.

    Questions and labels are looked up as bytes, and answers are ready, so that the server takes little of the
    machine from the process that is measured.
    """

    def __init__(self, labels: dict[bytes, str], log: Any, moments: Any) -> None:
        self._labels, self._log, self._moments = labels, log, moments
        self._received = b""

    def connection_made(self, transport: Any) -> None:
        """Remember where answers go."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer, once a request is there as a whole."""
        self._received += data
        end = self._received.find(b"\r\n\r\n")
        length = _LENGTH.search(self._received, 0, max(end, 0) + 4)
        size = end + 4 + (int(length[1]) if length else 0)
        if end < 0 or len(self._received) < size:
            return
        body, self._received = self._received[end + 4 : size], self._received[size:]
        if not body:
            self._send(_ready("neutral"))  # the list of models, which nobody reads
            return
        question = body[body.rindex(_CONTENT) + len(_CONTENT) : body.rindex(b'"}]') + 1]
        self._log.write(question + b"\n")
        self._moments.write(array("d", [time.monotonic()]).tobytes())
        label = self._labels.get(question) or LABELS[sum(question) % 3]
        asyncio.get_running_loop().call_later(DELAY, self._send, _READY[label])

    def _send(self, answer: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(answer)


_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_CONTENT = b'"content": '
_MOMENTS = ".moments"


def _ready(label: str) -> bytes:
    """Return the answer with this *label*."""
    message = {"role": "assistant", "content": label}
    usage = {"prompt_tokens": 50, "completion_tokens": 2}
    answer = {"model": "mine", "choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    content = json.dumps(answer).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content) + content


_READY = {label: _ready(label) for label in LABELS}


def serve(port: Any, asked: str) -> None:
    """Answer requests after DELAY; the question of each, as JSON, is a line of the file *asked*.

    The moments at which they came, in seconds, are doubles in another file.
    """
    log, moments = (Path(asked).with_suffix(end).open("ab", buffering=0) for end in (".jsonl", _MOMENTS))
    labels = _gold()

    async def run() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Asked(labels, log, moments), "127.0.0.1", 0, backlog=1024)
        port.send(server.sockets[0].getsockname()[1])
        async with server:
            await server.serve_forever()

    asyncio.run(run())


def _gold() -> dict[bytes, str]:
    """Return the labels of the questions of the probe, which are JSON in bytes."""
    from crossexam.models.label_order import PROBE
    from crossexam.models.prompts.table import template

    words = template("words")
    asked = ((words.messages(p, h)[-1]["content"], label) for p, h, label in PROBE)
    return {json.dumps(question, ensure_ascii=False).encode(): label for question, label in asked}


def suite_of(pairs: int, path: Path) -> Path:
    """Write a test set of so many *pairs*."""
    from crossexam.core.example import Example
    from crossexam.core.test_sets import write_test_set

    examples = [
        Example(
            f"e{n}", f"A man with {n} bags stands at the station.", f"Somebody has {n} bags.", LABELS[n % 3]
        )
        for n in range(pairs)
    ]
    write_test_set(path, examples)
    return path


def ask(test_set: Path, folder: Path, url: str, concurrency: int) -> None:
    """Run the model over *test_set*; print what it cost, as JSON."""
    from crossexam.core.test_sets import read_suites
    from crossexam.runs.folder import run_into_folder

    start, cpu = time.perf_counter(), time.process_time()
    run = run_into_folder(
        "api/mine", read_suites([test_set]), folder, options={"endpoint": url, "concurrency": concurrency}
    )
    figures = {
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - start,
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
        "asked": run.manifest.asked_pairs,
    }
    print(json.dumps(figures))


def _again(*arguments: object) -> list[str]:
    return [sys.executable, __file__, *map(str, arguments)]


def bare_rate(requests: int, concurrency: int, url: str) -> float:
    """Return how many requests per second are answered to threads that read nothing in the answers."""
    address = url.split("/")[2]
    question = b'{"messages": [{"role": "user", "content": "A man with 5 bags"}]}'
    left, lock = iter(range(requests)), threading.Lock()

    def work() -> None:
        connection = http.client.HTTPConnection(address)
        while True:
            with lock:
                if next(left, None) is None:
                    return
            connection.request("POST", "/v1/chat/completions", question)
            connection.getresponse().read()

    threads = [threading.Thread(target=work) for _ in range(concurrency)]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return requests / (time.monotonic() - start)


def rate(pairs: int, concurrency: int, url: str, folder: Path, asked: Path) -> None:
    """Print the rate, the CPU per pair, and the memory of a run."""
    test_set = suite_of(pairs, folder / "tests.parquet")
    line = _again("--ask", test_set, folder / "run", url, "--concurrency", concurrency)
    first, second = (json.loads(subprocess.check_output(line)) for _ in range(2))
    assert (first["asked"], second["asked"]) == (pairs, 0)
    moments = array("d", asked.with_suffix(_MOMENTS).read_bytes())
    ideal, bare = concurrency / DELAY, bare_rate(len(moments), concurrency, url)
    got = len(moments) / (moments[-1] + DELAY - moments[0])
    whole = len(moments) / (first["wall"] - second["wall"])
    print(f"load {os.getloadavg()[0]:.1f}; {pairs:,} pairs, concurrency {concurrency}")
    print(f"rate {got:,.0f} per s, {100 * got / ideal:.1f} % of the ideal {ideal:,.0f}")
    print(
        f"  threads that only ask: {100 * bare / ideal:.1f} %; the whole command: {100 * whole / ideal:.1f} %"
    )
    cpu = 1000 * (first["cpu"] - second["cpu"]) / pairs
    print(f"CPU {cpu:.3f} ms per pair, peak {first['peak MB']:.0f} MB")


def kill(times: int, url: str, folder: Path, asked: Path) -> None:
    """Kill a run at random moments until it was killed so many *times*, then let it end, and compare."""
    import pyarrow.parquet as pq

    test_set, chance = suite_of(2_000, folder / "tests.parquet"), random.Random(0)
    line = ("--ask", test_set, folder / "killed", url, "--concurrency", 8)
    kills = 0
    while kills < times:
        process = subprocess.Popen(_again(*line), stdout=subprocess.DEVNULL)
        before = len(asked.read_text().splitlines())
        goal = before + chance.randrange(1, 60)
        while process.poll() is None and len(asked.read_text().splitlines()) < goal:
            time.sleep(0.005)
        if process.poll() is not None:
            break
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        kills += 1
    subprocess.run(_again(*line), check=True, stdout=subprocess.DEVNULL)
    gold = _gold()
    questions = [question for question in asked.read_bytes().splitlines() if question not in gold]
    twice = len(questions) - len(set(questions))
    whole = _again("--ask", test_set, folder / "whole", url, "--concurrency", 8)
    subprocess.run(whole, check=True, stdout=subprocess.DEVNULL)
    tables = [pq.read_table(folder / name / "predictions" / "tests.parquet") for name in ("killed", "whole")]
    print(f"{kills} kills: {len(set(questions)):,} pairs asked, {twice} of them twice")
    print(f"the same table as that of a run that was not killed: {tables[0].equals(tables[1])}")


def main() -> None:
    """Start the server and measure, or ask it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--ask", nargs=3)
    given = parser.parse_args()
    if given.ask:
        test_set, folder, url = given.ask
        ask(Path(test_set), Path(folder), url, given.concurrency)
        return
    with tempfile.TemporaryDirectory() as name:
        folder, asked = Path(name), Path(name) / "asked.jsonl"
        asked.touch()
        here, there = multiprocessing.Pipe()
        server = multiprocessing.get_context("spawn").Process(
            target=serve, args=(there, str(asked)), daemon=True
        )
        server.start()
        url = f"http://127.0.0.1:{here.recv()}/v1"
        if given.kills:
            kill(given.kills, url, folder, asked)
        else:
            rate(given.pairs, given.concurrency, url, folder, asked)
        server.kill()


if __name__ == "__main__":
    main()
