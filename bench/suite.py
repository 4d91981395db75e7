"""The whole suite from a real corpus, read to written: time and peak memory; and a million examples.

    CROSSEXAM_DATA=... python bench/suite.py [--million]

Each measurement runs in a fresh process, so that peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_BASES = (("snli:dev", "aqua:dev"), ("multinli:dev_matched", "aqua:dev"))


def build(base: str, problems: str | None) -> None:
    """Build the stress tests of *base* into a temporary folder; print seconds and peak memory."""
    from crossexam.suites.bases import base_from_spec
    from crossexam.suites.build import build_to_folder
    from crossexam.suites.table import suite_request

    with tempfile.TemporaryDirectory() as folder:
        wall, cpu = time.perf_counter(), time.process_time()
        extra = [base_from_spec(problems)] if problems else []
        request = suite_request("stress-tests", [base_from_spec(base)], extra)
        build_to_folder(request, Path(folder) / "suite")
        manifest = json.loads((Path(folder) / "suite" / "manifest.json").read_text())
        rows = sum(entry["rows"] for entry in manifest["test_sets"].values())
        examples = next(iter(manifest["test_sets"].values()))["rows"]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{examples} examples, {rows} rows: {time.perf_counter() - wall:.1f} s wall, "
            f"{time.process_time() - cpu:.1f} s CPU, peak {peak:.0f} MiB",
            flush=True,
        )


def _million(path: Path) -> None:
    """Write 1,000,000 records of the official form: SNLI dev again and again with new ids."""
    from crossexam.corpora.spec import CorpusSpec

    lines = [json.loads(line) for line in CorpusSpec.parse("snli:dev").path().open(encoding="utf-8")]
    lines = [line for line in lines if line["gold_label"] != "-"]
    with path.open("w", encoding="utf-8") as stream:
        for number in range(1_000_000):
            record = dict(lines[number % len(lines)])
            record["pairID"] = f"{number}-{record['pairID']}"
            stream.write(json.dumps(record) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--million", action="store_true", help="stream 1,000,000 examples instead")
    parser.add_argument("--inner", nargs=2, metavar=("BASE", "PROBLEMS"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inner:
        base, problems = arguments.inner
        build(base, problems if problems != "-" else None)
        return
    for base, problems in () if arguments.million else _BASES:
        print(base, end=": ", flush=True)
        subprocess.run([sys.executable, __file__, "--inner", base, problems], check=True)
    if arguments.million:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "million.jsonl"
            _million(path)
            print("a million", end=": ", flush=True)
            subprocess.run([sys.executable, __file__, "--inner", str(path), "-"], check=True)


if __name__ == "__main__":
    main()
