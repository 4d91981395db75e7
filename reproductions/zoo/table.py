"""Write RESULTS.md from results/*.json: the results of all architectures and the published figures.

python reproductions/zoo/table.py
"""

from __future__ import annotations

import json
from statistics import mean, stdev
from typing import Any

from train import HERE, ROWS, TRAIN, below_floor, settings

from crossexam.published.figures import published

STRESS = {
    "SNLI": "base.snli_dev",
    "antonymy": "antonymy.snli_dev",
    "overlap": "word_overlap.snli_dev",
    "negation": "negation.snli_dev",
    "length": "length_mismatch.snli_dev",
    "spelling": "spelling_error_content_word.snli_dev",
    "MultiNLI m": "base.multinli_dev_matched",
    "antonymy m": "antonymy.multinli_dev_matched",
    "overlap m": "word_overlap.multinli_dev_matched",
    "negation m": "negation.multinli_dev_matched",
    "length m": "length_mismatch.multinli_dev_matched",
    "spelling m": "spelling_error_content_word.multinli_dev_matched",
    "MultiNLI mm": "base.multinli_dev_mismatched",
}
_BASES = "SNLI dev, MultiNLI dev matched (m) and mismatched (mm),"
_NUMERICAL = "numerical: mean of AQuA dev and test; antonymy and numerical in version 1 of their items"
_DEBIASED = {"SNLI test": "snli:test", "SNLI-hard": "snli_1.0_test_hard.jsonl"}
INTRODUCTION = """\
# The architectures trained on subsets of SNLI and MultiNLI

Accuracy in percent. The rows are those of `rows.toml`; the command of every row is given below the tables.
Models are trained on the SNLI subset (27,872 pairs, 5 % of SNLI), or on it and the MultiNLI subset (47,872
pairs), with early stopping on `snli:dev[::2]`, and tested on `snli:dev[1::2]` and `snli:test`. Widths and
epochs are reduced so that each finishes on one CPU core ("size"); with both subsets there are 0.6 times the
epochs, for about as many updates. Published: the paper's accuracy on SNLI test after training on all 549,367
pairs, with full width and full vectors. Floor: a lower accuracy on SNLI dev[1::2] or SNLI test is a sign of a
bug, and is named below the table; `train.py` warns of it, too.
Figures of several seeds are mean and standard deviation. `syntactic_tree_lstm` read the parses of the 6,514
pairs of the SNLI subset that have any, in training and on dev and test, and right-branching trees everywhere
else, the stress tests included: test sets did not have parses when these rows were measured.

**What comes back.** Each row was trained by the code of its results and by today's on one machine (one
seed, one or two epochs, 300 to 3,000 pairs). Byte for byte the same are the weights of four of the five
debiased rows, of 9 of the 21 rows on both subsets, and of all models of the four studies. The others are
older than two changes of 21 November 2026: dropout draws fewer random numbers, and Adagrad is fused
(9bbb22c4); LSTMs read sentences of like length together (d6cce664 to 6a4798c8). On SNLI, `bimpm` also
divides its norms out later (7a50f0d5). `minilm` changed on the 22nd (04445e4a, faster layers), `diin` on
both subsets with the tagger, which was NLTK's; since then, all are the same. With the code of then, `cbow`
(seed 1) gives 67.67 on dev and `conditional_encoder` (seed 1) 62.30, as in the results; with today's, 66.98
and 62.16. Another machine or number of threads changes figures, too; which made these is not known: with
the code of their results and with today's, the CBOW of Naik et al. (seed 0) gives 52.15 on dev instead of
51.45. `bilstm_max_learned_mixin_h` (seed 0), whose weights are the same by both codes, too, gives 46.19
instead of 46.68. Trained in full by today's code (`--check`, seed 0, one thread), `cbow`, `lstm`, `hbmp`,
`bilstm_max`, `hypothesis_only`, `conditional_encoder` and `syntactic_tree_lstm` are between 0.4 points below
and 1.0 above the committed accuracy on SNLI test.

These tables are written by `python reproductions/zoo/table.py` from `results/`, which
`python reproductions/zoo/train.py --work DIR` writes; with `--check ROW...` it trains the first seed of rows
again and prints what differs. Rows trained from 30 November 2026 on have the machine and the hash of the
weights in their results.
"""


def load() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the results by training data and row, in the order of rows.toml."""
    results: dict[str, dict[str, dict[str, Any]]] = {}
    for data in TRAIN:
        for name in ROWS:
            path = HERE / "results" / f"{name}.{data}.json"
            if path.exists():
                results.setdefault(data, {})[name] = json.loads(path.read_text(encoding="utf-8"))
    return results


def spread(values: list[float]) -> str:
    """Return the mean, with the standard deviation if there are several values."""
    return f"{mean(values):.1f}" + (f" ± {stdev(values):.1f} (n = {len(values)})" if len(values) > 1 else "")


def size(name: str, data: str) -> str:
    """Return the settings that differ from the paper's."""
    row = settings(name, data)
    return ", ".join([*(f"{k} {v}" for k, v in row.get("set", {}).items()), f"epochs {row['epochs']}"])


def line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def accuracy_lines(results: dict[str, dict[str, Any]], *, floors: bool) -> list[str]:
    """Return the lines of the table of test accuracies."""
    header = [
        "model",
        "size",
        "parameters without words",
        "SNLI dev[::2]",
        "dev[1::2]",
        "SNLI test",
        *(["floor"] if floors else []),
        "published",
        "training, min",
    ]
    lines = [line(header), line(["---"] * len(header))]
    for name, result in results.items():
        row, seeds = ROWS[name], result["seeds"]
        tests = [spread([s["tests"][spec] for s in seeds]) for spec in ("snli:dev[1::2]", "snli:test")]
        parameters = result["parameters_without_words"]
        published = f"{row['published']} ({row['source']})" if "published" in row else row.get("source", "")
        lines.append(
            line(
                [
                    name,
                    size(name, result["data"]),
                    f"{parameters:,}" if parameters else "",
                    spread([s["dev"] for s in seeds]),
                    *tests,
                    *([f"{row['floor']:.0f}"] if floors else []),
                    published,
                    f"{mean(s['seconds'] for s in seeds) / 60:.1f}",
                ]
            )
        )
    return lines


def floor_note(results: dict[str, dict[str, Any]]) -> str:
    """Return which rows are below their floors, or that none is."""
    warnings = [warning for found in results.values() if (warning := below_floor(found))]
    return "\n".join(f"**Warning: {each}.**" for each in warnings) or "No row is below its floor."


def stress_lines(results: dict[str, dict[str, Any]]) -> list[str]:
    """Return the lines of the table of stress tests."""
    header = ["model", *STRESS, "numerical"]
    lines = [line(header), line(["---"] * len(header))]
    for name, result in results.items():
        found = result["stress"]["accuracy"]
        numerical = [v for k, v in found.items() if k.startswith("numerical_reasoning")]
        cells = [f"{100 * found[key]:.1f}" if key in found else "–" for key in STRESS.values()]
        lines.append(line([name, *cells, f"{100 * mean(numerical):.1f}" if numerical else "–"]))
    return lines


def _table(lines: list[str]) -> list[str]:
    return ["\n".join(lines)]


def _debiasing(results: dict[str, dict[str, Any]]) -> list[str]:
    """Return the table of debiasing methods and the model without debiasing, if there are results."""
    rows = {k: found for k, found in results.items() if ROWS[k].get("debias") or k == "bilstm_max"}
    if len(rows) < 2:
        return []
    published_rows = published("zhang2020").table("debiasing").cells
    header = ["debiasing", *_DEBIASED, "MultiNLI m", "MultiNLI mm", "published SNLI", "published mean of 14"]
    lines = [line(header), line(["---"] * len(header))]
    for result in rows.values():
        method = ROWS[result["row"]].get("debias")
        tests = [spread([s["tests"][spec] for s in result["seeds"]]) for spec in _DEBIASED.values()]
        stress = result["stress"]["accuracy"]
        other = [f"{100 * stress[STRESS[name]]:.1f}" for name in ("MultiNLI m", "MultiNLI mm")]
        lines.append(
            line(
                [
                    method or "none",
                    *tests,
                    *other,
                    *(str(published_rows[method or "BiLSTM"][column]) for column in ("snli_test", "mean")),
                ]
            )
        )
    reading = (HERE / "debiasing.md").read_text(encoding="utf-8").rstrip()
    return ["### Debiasing (bilstm_max; published: Zhang et al. 2020, Table 3)", *_table(lines), reading]


def main() -> None:
    """Write RESULTS.md."""
    parts = [INTRODUCTION]
    for data, results in load().items():
        plain = {name: found for name, found in results.items() if not ROWS[name].get("debias")}
        title = "the SNLI subset" if data == "snli" else "the SNLI and MultiNLI subsets"
        items = next(iter(results.values()))["stress_items_a_base"]
        stress = f"Stress tests over the first {items:,} pairs of {_BASES} first seed; {_NUMERICAL}:"
        has_floors = data == "snli"
        parts += [f"## Trained on {title}", *_table(accuracy_lines(plain, floors=has_floors))]
        parts += [floor_note(plain)] if has_floors else []
        parts += [stress, *_table(stress_lines(plain)), *_debiasing(results)]
        parts += ["```\n" + "\n".join(r["command"] for r in results.values()) + "\n```\n"]
    (HERE / "RESULTS.md").write_text("\n\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
