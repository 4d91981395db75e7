"""Train the rows of the table of architectures and run each over the stress tests: one JSON file per row.

    python reproductions/zoo/train.py --work DIR [--data snli] [--check] [ROW...]

Checkpoints, test sets and runs (gigabytes) are written to DIR, the figures of the table to results/.  A row
that has results is skipped, and an interrupted training is resumed.  Corpora and vectors are read from
CROSSEXAM_DATA.  Every command is printed before it runs.

With --check, the first seed of each row that has results is trained again by their command, and its figures
are printed beside them: nothing is written to results/.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from commands import MULTINLI, ROWS, SNLI, carry_out, seed_facts, settings, shown, train_command

from crossexam.core.files import read_json

HERE = Path(__file__).parent
TRAIN = {"snli": SNLI, "snli+multinli": f"{SNLI}+{MULTINLI}"}
HARD = "$CROSSEXAM_DATA/snli/snli_1.0_test_hard.jsonl"
TESTS = ("snli:dev[1::2]", "snli:test")
ITEMS_PER_BASE = 1_000
BASES = ("snli:dev", "multinli:dev_matched", "multinli:dev_mismatched")


def row_command(name: str, data: str, folder: str) -> list[str]:
    """Return the words of the command that trains the row *name*."""
    row = settings(name, data)
    more = [word for test in (*TESTS, *([HARD] if row.get("hard") else [])) for word in ("--test", test)]
    if row.get("debias"):
        more += ["--debias", row["debias"]]
    if row["seeds"] > 1:
        more += ["--seeds", str(row["seeds"])]
    return train_command(name, row, TRAIN[data], "snli:dev[::2]", folder, more)


def members(folder: Path) -> list[Path]:
    """Return the folders of a row's seeds, or the row's folder if it has one seed."""
    return sorted(folder.glob("seed-*")) or [folder]


def stress(folder: Path, work: Path) -> dict[str, Any]:
    """Return the accuracies of the model in *folder* on the stress tests, by test set."""
    suite = work / "suite"
    if not (suite / "manifest.json").exists():
        bases = [word for base in BASES for word in ("--base", base)]
        build = ["crossexam", "build", "stress-tests", *bases, "--limit", str(ITEMS_PER_BASE), "-o", "suite"]
        carry_out(build, work)
    run = work / "runs" / folder.relative_to(work)
    kind = "zoo" if (folder / "vocabulary.json").exists() else "hf"
    carry_out(["crossexam", "run", f"{kind}/{folder.relative_to(work)}", "suite", "-o", str(run)], work)
    carry_out(["crossexam", "report", str(run), "-o", str(run / "report.json")], work)
    return {"accuracy": _accuracies(read_json(run / "report.json"))}


def _accuracies(report: dict[str, Any]) -> dict[str, float]:
    sets = report["models"][0]["test_sets"]
    return {each["name"]: each["accuracy"]["value"] for each in sets}


def seed_result(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the results of one seed of a row, from the *manifest* of its model."""
    tests = {Path(spec).name: test["accuracy"] for spec, test in manifest["tests"].items()}
    return {**seed_facts(manifest), "tests": tests}


def result(name: str, data: str, folder: Path, words: list[str], work: Path) -> dict[str, Any]:
    """Return the results of a trained row."""
    manifests = [read_json(member / "manifest.json") for member in members(folder)]
    first = manifests[0]
    fingerprint = first["fingerprint"]
    return {
        "row": name,
        "data": data,
        "command": shown(words),
        "config": fingerprint.get("config"),
        "recipe": fingerprint["recipe"],
        "train_rows": sum(each["rows"] for each in fingerprint["data"]["train"]),
        "parameters_without_words": first.get("parameters_without_words"),
        "versions": first["versions"],
        "seeds": [seed_result(each) for each in manifests],
        "stress_items_a_base": ITEMS_PER_BASE,
        "stress": stress(members(folder)[0], work),
    }


def below_floor(found: dict[str, Any]) -> str | None:
    """Return what is suspicious about the results *found*, None if they reach the floor of their row.

    The floors are for training on the SNLI subset alone, and for every seed on each part of SNLI on which
    nothing was selected.
    """
    floor = ROWS[found["row"]].get("floor")
    if floor is None or found["data"] != "snli":
        return None
    low = {spec: min(seed["tests"][spec] for seed in found["seeds"]) for spec in TESTS}
    told = ", ".join(f"{accuracy:.1f} on {spec}" for spec, accuracy in low.items() if accuracy < floor)
    return f"{found['row']} is below its floor of {floor:g}: {told}; look for a bug" if told else None


def results_of(name: str, data: str) -> Path:
    """Return the file of the results of a row."""
    return HERE / "results" / f"{name}.{data}.json"


def train(name: str, data: str, work: Path) -> None:
    """Train a row in *work* and write its results, unless it has some."""
    target = results_of(name, data)
    if target.exists():
        return
    words = row_command(name, data, f"{data}/{name}")
    carry_out(words, work)
    found = result(name, data, work / data / name, words, work)
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if warning := below_floor(found):
        print(f"warning: {warning}", file=sys.stderr)


def check(name: str, data: str, work: Path) -> None:
    """Train the first seed of a row in *work* by the command of its results, and print what came back."""
    if not results_of(name, data).exists():
        print(f"{name}.{data}: no results to compare with")
        return
    committed = read_json(results_of(name, data))
    folder = f"check/{data}/{name}"
    if (work / folder / "manifest.json").exists():  # of an earlier check, perhaps by other code
        shutil.rmtree(work / folder)
    carry_out(first_seed(committed["command"], folder), work)
    now = seed_result(read_json(work / folder / "manifest.json"))
    print(f"{name}.{data}", *compared(committed["seeds"][0], now), sep="\n", flush=True)


def first_seed(command: str, folder: str) -> list[str]:
    """Return the words of the *command* of a row, for its first seed and another *folder*."""
    words = shlex.split(command)
    for option, value in (("--seeds", "1"), ("-o", folder)):
        if option in words:
            words[words.index(option) + 1] = value
    return words


def compared(committed: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line per figure of a seed, *committed* and *now*, and what may explain that they differ."""
    yield f"{'':26}{'committed':>10}{'now':>10}{'difference':>12}"
    before, after = ({"dev": seed["dev"], **seed["tests"]} for seed in (committed, now))
    for figure, value in before.items():
        yield f"{figure:26}{value:10.4f}{after[figure]:10.4f}{after[figure] - value:+12.4f}"
    if known := committed.get("weights_sha256"):
        yield f"same weights: {'yes' if known == now['weights_sha256'] else 'no'}"
    for when, seed in (("committed", committed), ("now", now)):
        machines = seed.get("machines")
        yield f"machines, {when}: {json.dumps(machines) if machines else 'not recorded'}"


def main() -> None:
    """Train the named rows that have no results yet, or check those that have."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", help="rows of rows.toml; default: all")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--data", choices=TRAIN, default="snli")
    parser.add_argument("--check", action="store_true", help="train first seeds again, and compare")
    given = parser.parse_args()
    work = given.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    for name in given.rows or ROWS:
        (check if given.check else train)(name, given.data, work)


if __name__ == "__main__":
    main()
