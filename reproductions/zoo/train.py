"""Train the rows of the table of architectures and run each over the stress tests: one JSON file per row.

    python reproductions/zoo/train.py --work DIR [--data snli] [ROW...]

Checkpoints, test sets and runs (gigabytes) are written to DIR, the figures of the table to results/.  A row
that has results is skipped, and an interrupted training is resumed.  Corpora and vectors are read from
CROSSEXAM_DATA.  Every command is printed before it runs.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from commands import MULTINLI, ROWS, SNLI, carry_out, settings, shown, train_command

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
    return {"accuracy": _accuracies(json.loads((run / "report.json").read_text(encoding="utf-8")))}


def _accuracies(report: dict[str, Any]) -> dict[str, float]:
    sets = report["models"][0]["test_sets"]
    return {each["name"]: each["accuracy"]["value"] for each in sets}


def result(name: str, data: str, folder: Path, words: list[str], work: Path) -> dict[str, Any]:
    """Return the results of a trained row."""
    manifests = [json.loads((m / "manifest.json").read_text(encoding="utf-8")) for m in members(folder)]
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
        "seeds": [
            {
                "dev": m["scores"]["dev_accuracy"],
                "best_epoch": m["scores"]["best_epoch"],
                "epochs": len(m["curve"]),
                "seconds": m["curve"][-1]["seconds"],
                "tests": {Path(spec).name: test["accuracy"] for spec, test in m["tests"].items()},
            }
            for m in manifests
        ],
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


def main() -> None:
    """Train the named rows that have no results yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", help="rows of rows.toml; default: all")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--data", choices=TRAIN, default="snli")
    given = parser.parse_args()
    work = given.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    for name in given.rows or ROWS:
        target = HERE / "results" / f"{name}.{given.data}.json"
        if target.exists():
            continue
        folder = work / given.data / name
        words = row_command(name, given.data, f"{given.data}/{name}")
        carry_out(words, work)
        found = result(name, given.data, folder, words, work)
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        if warning := below_floor(found):
            print(f"warning: {warning}", file=sys.stderr)


if __name__ == "__main__":
    main()
