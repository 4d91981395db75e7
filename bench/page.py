"""The HTML report of a large run: its files, how fast it opens in Chromium, and what `report` costs.

    python bench/page.py [--examples 17500] [--items 400] [--items errors] [--items all]

The stress tests are built from generated examples (words of the built-in corpus in random order), and two
functions answer at random.  For one model and for both, `crossexam report` writes the page in a process of
its own, on one thread.  Chromium then opens it from the disk: seconds to the first contentful paint, to the
first items of the list, and from choosing the wrong answers to the largest test set until all its items are
loaded and filtered; and CPU seconds of the page's process for each.  Needs playwright and Chromium.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import crossexam as cx

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession

_CHROMIUM = os.environ.get("CROSSEXAM_CHROMIUM", "/usr/bin/chromium")
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
          "--disable-background-networking", "--disable-component-update")  # fmt: skip
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
_LABELS = ("entailment", "neutral", "contradiction")
_SHOWN = """() => {
  window.listed = 0;
  const look = () => {
    if (!window.listed && document.querySelector(".item")) window.listed = performance.now();
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
}"""
_FILTER = """async (number) => {
  const list = document.getElementById("list");
  const choose = (id, value) => {
    const select = document.getElementById(id);
    select.value = value;
    select.dispatchEvent(new Event("change"));
  };
  const start = performance.now();
  choose("set", String(number));
  choose("outcome", "wrong");
  while (list.getAttribute("aria-busy") === "true") await new Promise((then) => setTimeout(then, 5));
  return (performance.now() - start) / 1000;
}"""


def examples(count: int) -> list[dict[str, str]]:
    """Return *count* pairs of random sentences of 6 to 20 words."""
    words = sorted({word for each in cx.load("builtin:demo") for word in each.premise.strip(".").split()})
    rng = random.Random(0)

    def sentence() -> str:
        chosen = rng.choices(words, k=rng.randint(6, 20))
        return f"{' '.join(chosen).capitalize()}."

    return [{"premise": sentence(), "hypothesis": sentence(), "label": _LABELS[k % 3]} for k in range(count)]


def first(pairs: Sequence[tuple[str, str]]) -> Any:
    """Answer at random."""
    return np.random.default_rng(1).dirichlet([1, 1, 1], len(pairs))


def second(pairs: Sequence[tuple[str, str]]) -> Any:
    """Answer at random, otherwise."""
    return np.random.default_rng(2).dirichlet([1, 1, 1], len(pairs))


def build(folder: Path, count: int) -> None:
    """Build the stress tests of *count* examples and run both functions over them."""
    cx.build("stress-tests", examples(count), folder=folder / "suite", tagger="builtin")
    suite = cx.load_suite(folder / "suite")
    for function in (first, second):
        print(cx.run(function, suite, store=folder / function.__name__), flush=True)


def report(runs: list[Path], page: Path, items: str) -> None:
    """Write the page in a process of its own; print files, CPU seconds and peak memory."""
    command = [
        sys.executable,
        "-m",
        "crossexam",
        "report",
        *map(str, runs),
        "-o",
        str(page),
        "--items",
        items,
    ]
    process = subprocess.Popen(command, env={**os.environ, **_ONE_THREAD}, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit {process.returncode}")
    files = sorted(page.with_name(f"{page.stem}_items").glob("*.js"))
    beside = sum(path.stat().st_size for path in files)
    print(
        f"{len(runs)} model(s), --items {items}: page {page.stat().st_size / 1e6:.2f} MB, "
        f"{len(files)} parts {beside / 1e6:.2f} MB, "
        f"{used.ru_utime + used.ru_stime:.1f} s CPU, peak {used.ru_maxrss / 1024:.0f} MiB",
        flush=True,
    )


def cpu_seconds(session: CDPSession) -> float:
    """Return the CPU seconds that the process of the page has used."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(float(each["value"]) for each in metrics if each["name"] == "ProcessTime")


def opened(browser: Browser, page_file: Path) -> None:
    """Open the page and filter its largest test set; print seconds."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.add_init_script(f"({_SHOWN})()")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    page.goto(page_file.as_uri())
    page.locator(".item").first.wait_for(state="attached")  # in a section that opens on a click
    used = cpu_seconds(session)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime / 1000")
    listed = page.evaluate("window.listed / 1000")
    number, shown = page.evaluate(
        """() => JSON.parse(document.getElementById("data").textContent).sets
          .map((each, number) => [number, each.shown]).sort((a, b) => b[1] - a[1])[0]"""
    )
    filtered = page.evaluate(_FILTER, number)
    print(
        f"  first paint {paint:.2f} s, first items {listed:.2f} s ({used:.2f} s CPU); {shown:,} items of a "
        f"test set loaded and filtered {filtered:.2f} s ({cpu_seconds(session) - used:.2f} s CPU)",
        flush=True,
    )
    page.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=17_500)
    parser.add_argument("--items", action="append")
    parser.add_argument("--folder", type=Path, help="keep the runs and pages here, and use the runs again")
    parser.add_argument("--build", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.build:
        build(arguments.build, arguments.examples)
        return
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        runs = [folder / "first", folder / "second"]
        if not all((run / "manifest.json").exists() for run in runs):
            # In a process of its own: peak memory counts from that of the process that starts another.
            again = [sys.executable, __file__, "--examples", str(arguments.examples), "--build", str(folder)]
            subprocess.run(again, check=True)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=list(_FLAGS))
            for chosen in (runs[:1], runs):
                for items in arguments.items or ("400", "errors", "all"):
                    page = folder / f"{items}-{len(chosen)}.html"
                    report(chosen, page, items)
                    opened(browser, page)
            browser.close()
    print("load averages:", *(f"{each:.1f}" for each in os.getloadavg()))


if __name__ == "__main__":
    main()
