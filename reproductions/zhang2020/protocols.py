"""Train BiLSTM-max and its debiased forms by two protocols, and compare them on the installed corpora.

    python reproductions/zhang2020/protocols.py --work DIR [ROW...]

Zhang et al. (2020, sections 2.2 and 3.3) stop training by the mean accuracy over the validation sets of the
fourteen corpora, and take the vocabulary from SNLI and these corpora together.  Every row is trained twice,
stopped by SNLI's dev set and by that mean; the bias model of a debiasing method is the same for both, because
it is stopped by held-out training pairs.  The row ``vocabulary`` also knows the words of the other corpora.
Settings are those of ``reproductions/zoo/rows.toml``.  Corpora and vectors are read from CROSSEXAM_DATA.

Nothing is trained or run twice: the same command goes on where an interrupted one stopped.  What is shown of
a row is kept in results/, and PROTOCOLS.md is written anew of all rows that are there, after each that is
trained.  Every command is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1]))
from commands import ROWS, origin

from crossexam.core.dataset import Run
from crossexam.core.estimate import Estimate
from crossexam.core.example import SIDES
from crossexam.core.files import write_json
from crossexam.core.test_sets import read_suite
from crossexam.evaluation.comparison import compare_runs
from crossexam.evaluation.cross_dataset import BenchmarkScore, benchmark_score
from crossexam.evaluation.measures import measure
from crossexam.runs.saved import read_run
from crossexam.training.tokenization import words_of
from crossexam.training.vocabulary import Vocabulary

HERE: Final = Path(__file__).parent
RESULTS: Final = HERE / "results"
TRAIN: Final = "$CROSSEXAM_DATA/snli/snli_1.0_train_subset.jsonl"
VECTORS: Final = "$CROSSEXAM_DATA/vectors/googlenews_word2vec_8000x300.txt.gz"
HARD: Final = "$CROSSEXAM_DATA/snli/snli_1.0_test_hard.jsonl"
SUITES: Final = {
    "fourteen": "crossexam build cross-dataset -o fourteen",
    "fourteen-validation": "crossexam build cross-dataset --split validation -o fourteen-validation",
}
#: The options that make a row of the table, by the name of the row.
OPTIONS: Final = {
    "bilstm_max": "",
    "vocabulary": "--vocabulary-from fourteen --vocabulary-from fourteen-validation",
    "bilstm_max_drift": "--debias drift",
    "bilstm_max_adv": "--debias adv",
    "bilstm_max_learned_mixin": "--debias learned-mixin",
    "bilstm_max_learned_mixin_h": "--debias learned-mixin-h",
    "bilstm_max_weighting": "--debias weighting",
}
AGAINST: Final = "mean, against stopping by SNLI"
COLUMNS: Final = ("row", "stopped by", "bias model", "best epoch", "SNLI test", "hard", "mean", AGAINST)
#: Development data by the name of a protocol.
PROTOCOLS: Final = {"snli": "snli:dev[::2]", "cross-dataset": "fourteen-validation"}


@dataclass(frozen=True)
class Trained:
    """A row trained by one protocol: its manifest, and its run over the test sets of the corpora."""

    manifest: dict[str, Any]
    run: Run
    score: BenchmarkScore

    @property
    def snli(self) -> tuple[float, float]:
        """The accuracies on SNLI's test set and on its hard subset, in percent."""
        plain, hard = (test["accuracy"] for test in self.manifest["tests"].values())
        return plain, hard

    @property
    def bias_model(self) -> str:
        """The accuracy of the bias model beside the majority's, in percent."""
        bias = self.manifest.get("bias")
        return f"{bias['accuracy']:.1f} / {bias['majority']:.1f}" if bias else "–"


def train_command(row: str, protocol: str) -> str:
    """Return the command that trains *row* by *protocol*."""
    settings = ROWS["bilstm_max"]
    values = " ".join(f"--set {name}={value}" for name, value in settings["set"].items())
    on = f"--train {TRAIN} --dev {PROTOCOLS[protocol]} --test snli:test --test {HARD} --vectors {VECTORS}"
    words = f"crossexam train bilstm_max {on} --epochs {settings['epochs']} {values} {OPTIONS[row]}"
    return f"{words.rstrip()} -o {protocol}/{row}"


def carry_out(command: str, work: Path) -> None:
    """Print a command and run it; raises CalledProcessError."""
    print("$", command, flush=True)
    words = [os.path.expandvars(word) for word in command.split()[1:]]
    subprocess.run(
        [sys.executable, "-m", "crossexam", *words], cwd=work, check=True, stdout=subprocess.DEVNULL
    )


def trained(row: str, protocol: str, work: Path, *, only_if_finished: bool = False) -> Trained | None:
    """Return *row* trained by *protocol* and run over the corpora, None if that is still to be done."""
    folder = work / "runs" / protocol / row
    if only_if_finished and not (folder / "manifest.json").exists():
        return None
    if not only_if_finished:
        carry_out(train_command(row, protocol), work)
        carry_out(f"crossexam run zoo/{protocol}/{row} fourteen -o runs/{protocol}/{row}", work)
    run = read_run(folder)
    score = benchmark_score(run, measure(run))
    assert score is not None
    manifest = json.loads((work / protocol / row / "manifest.json").read_text(encoding="utf-8"))
    return Trained(manifest, run, score)


def points(figure: Estimate | None) -> str:
    """Return a difference in percentage points with its interval."""
    if figure is None:
        return "–"
    return f"{100 * figure.value:+.1f} [{100 * figure.low:+.1f}, {100 * figure.high:+.1f}]"


def mean_difference(first: Run, second: Run) -> Estimate | None:
    """Return the difference of two runs in the mean over the corpora of the benchmark."""
    return compare_runs(first, second, common=True).mean_of_benchmark


def keep(row: str, work: Path) -> None:
    """Write what the table shows of *row*, trained by both protocols, to results/."""
    found = {name: trained(row, name, work, only_if_finished=True) for name in PROTOCOLS}
    base = found["snli"]
    lines = {
        protocol: {
            "bias model": each.bias_model,
            "best epoch": f"{each.manifest['scores']['best_epoch']} of {len(each.manifest['curve'])}",
            "SNLI test": f"{each.snli[0]:.1f}",
            "hard": f"{each.snli[1]:.1f}",
            "mean": f"{100 * each.score.mean.value:.1f}",
            AGAINST: points(mean_difference(each.run, base.run) if base and each is not base else None),
            **origin(each.manifest),
        }
        for protocol, each in found.items()
        if each is not None
    }
    write_json(RESULTS / f"{row}.json", lines)


def lines() -> Iterator[str]:
    """Yield the lines of the table: a row per model and protocol."""
    yield f"| {' | '.join(COLUMNS)} |"
    yield "| --- |" + " --- |" * (len(COLUMNS) - 1)
    for row in OPTIONS:
        if (path := RESULTS / f"{row}.json").exists():
            for protocol, cells in json.loads(path.read_text(encoding="utf-8")).items():
                shown = (row, protocol, *(cells[column] for column in COLUMNS[2:]))
                yield f"| {' | '.join(shown)} |"


def vocabulary(work: Path) -> Iterator[str]:
    """Yield what the words of the cross datasets change, for each protocol that has both rows."""
    for protocol in PROTOCOLS:
        with_, without = (
            trained(row, protocol, work, only_if_finished=True) for row in ("vocabulary", "bilstm_max")
        )
        if with_ and without:
            sizes = " against ".join(f"{each.manifest['vocabulary']['words']:,}" for each in (with_, without))
            change = points(mean_difference(with_.run, without.run))
            yield f"- stopped by {protocol}: {sizes} words; the mean changes by {change} points."


def unknown(work: Path) -> Iterator[str]:
    """Yield the lines of a table of the tokens of each test set that the two vocabularies do not know."""
    folders = [work / "snli" / row for row in ("bilstm_max", "vocabulary")]
    if not all((folder / "manifest.json").exists() for folder in folders):
        return
    yield "| test set | tokens unknown, in percent | with the words of the other corpora |"
    yield "| --- | --- | --- |"
    known = [Vocabulary.load(folder).words for folder in folders]
    for dataset in read_suite(work / "fourteen"):
        tokens = [token.text for example in dataset for side in SIDES for token in words_of(example, side)]
        shares = (100 * sum(token not in words for token in tokens) / len(tokens) for words in known)
        yield f"| {dataset.entry.part} | {' | '.join(f'{share:.1f}' for share in shares)} |"


def keep_vocabulary(work: Path) -> None:
    """Write what the words of the other corpora change to results/, if both rows are in *work*."""
    if changes := list(vocabulary(work)):
        text = ["## Vocabulary", "\n".join(changes), "\n".join(unknown(work))]
        (RESULTS / "vocabulary.md").write_text("\n\n".join(text) + "\n", encoding="utf-8")


def write() -> None:
    """Write PROTOCOLS.md from results/."""
    preface = (HERE / "protocols_preface.md").read_text(encoding="utf-8").rstrip()
    commands = "\n".join([*SUITES.values(), *(train_command("bilstm_max", name) for name in PROTOCOLS)])
    others = "\n".join(f"- {row}: `{options}`" for row, options in OPTIONS.items() if options)
    added = f"The other rows add to both trainings:\n\n{others}"
    parts = [preface, f"```\n{commands}\n```", added, "\n".join(lines())]
    if (words := RESULTS / "vocabulary.md").exists():
        parts.append(words.read_text(encoding="utf-8").rstrip())
    (HERE / "PROTOCOLS.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def main(given: Sequence[str] | None = None) -> None:
    """Train the named rows by both protocols and write PROTOCOLS.md after each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", help=f"rows to train; default: all of {', '.join(OPTIONS)}")
    parser.add_argument("--work", type=Path, required=True)
    options = parser.parse_args(given)
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    for command in SUITES.values():
        carry_out(command, work)
    for row in options.rows or OPTIONS:
        for protocol in PROTOCOLS:
            trained(row, protocol, work)
        keep(row, work)
        keep_vocabulary(work)
        write()


if __name__ == "__main__":
    main()
