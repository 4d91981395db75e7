"""The commands that ``crash_points.py`` kills: what each begins with, and its arguments.

A step is a command line of crossexam, or a function, which is called in the folder of work.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import tiny_checkpoint

Step = str | Callable[[], object]

DEMO: Final = "builtin:demo[:24]"


@dataclass(frozen=True)
class Verb:
    """A *command*, and the steps that make what it begins with.

    *volatile* are further keys of JSON files that may differ; *modules* are what is imported beforehand.
    """

    name: str
    command: Step
    setup: Sequence[Step] = ()
    volatile: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


def environment(work: Path) -> dict[str, str]:
    """Return the variables that keep what a command writes in *work*."""
    return {
        "HOME": str(work / "home"),
        "XDG_CACHE_HOME": str(work / "home" / "cache"),
        "XDG_DATA_HOME": str(work / "home" / "data"),
        "CROSSEXAM_DATA": str(work / "data"),
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def carry_out(step: Step) -> int:
    """Carry out *step* in this process, which is to end then; return its exit code."""
    if not isinstance(step, str):
        step()
        return 0
    from crossexam.cli.main import run

    sys.argv = ["crossexam", *step.split()]
    try:
        run()
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


def import_everything(verbs: Sequence[Verb]) -> None:
    """Import what *verbs* need, without starting a thread."""
    os.environ |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    for name in (*_COMMON, *(name for verb in verbs for name in verb.modules)):
        importlib.import_module(name)


_COMMON: Final = (
    "pyarrow.parquet",
    "pyarrow.compute",
    "pyarrow.ipc",
    "numpy",
    "scipy.stats",
    "crossexam.cli.main",
    "crossexam.cli.build",
    "crossexam.api",
    "crossexam.suites.table",
    "crossexam.models.builtin",
    "crossexam.reports.report",
    "crossexam.validation.apply",
    "crossexam.interop.export",
)
_TORCH: Final = (
    "torch",
    "safetensors.torch",
    "safetensors.numpy",
    "crossexam.training.train",
    "crossexam.zoo.table",
)


def _corpora() -> None:
    """Write a data folder with two corpora of other sizes than the published ones."""
    data = Path("data")
    data.mkdir()
    golds = ("NEUTRAL", "NEUTRAL", "ENTAILMENT", "CONTRADICTION")
    head = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    for name, first, rows in (("train", 0, 20), ("trial", 100, 5), ("test_annotated", 200, 16)):
        lines = (
            f"{n}\tDog {n} runs.\tAn animal {n} moves.\t3.5\t{golds[n % 4]}\n"
            for n in range(first, first + rows)
        )
        (data / f"SICK_{name}.txt").write_text(head + "".join(lines))
    labels = ("entails", "neutral")
    lines = (f"Water {n} is wet.\tWater {n} boils.\t{labels[n % 2]}\n" for n in range(30))
    (data / "scitail_1.0_test.tsv").write_text("".join(lines))


def _rounds() -> None:
    """Write a data folder with two rounds of ANLI."""
    for number in (1, 2):
        folder = Path("data", f"R{number}")
        folder.mkdir(parents=True)
        records = (
            {
                "uid": f"{number}-{n}",
                "context": f"Tower {n} is old.",
                "hypothesis": "It is.",
                "label": "enc"[n % 3],
            }
            for n in range(12)
        )
        (folder / "test.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records))


def _claims() -> None:
    """Write a data folder with two data sets of TRUE."""
    Path("data").mkdir()
    rows = "".join(f"Document {n // 2}.,Claim {n}.,{n % 2}\n" for n in range(12))
    for name in ("frank_valid", "paws"):
        Path("data", f"{name}_download.csv").write_text(f"grounding,generated_text,label\n{rows}")


def _tagged_corpus() -> None:
    """Write a corpus with parses, from which word pairs are taken, and the lists of these pairs."""
    rows = (
        ("An/DT old/JJ man/NN sits/VBZ", "A/DT young/JJ man/NN sits/VBZ", "contradiction"),
        ("An/DT old/JJ dog/NN runs/VBZ", "The/DT young/JJ animal/NN runs/VBZ", "contradiction"),
        ("A/DT dog/NN runs/VBZ", "An/DT animal/NN runs/VBZ", "entailment"),
        ("An/DT animal/NN eats/VBZ", "A/DT dog/NN eats/VBZ", "neutral"),
        ("No/DT animal/NN eats/VBZ", "No/DT dog/NN eats/VBZ", "entailment"),
        ("A/DT cat/NN sleeps/VBZ", "It/PRP rains/VBZ", "neutral"),
    )
    with Path("tagged.jsonl").open("w") as stream:
        for number, (premise, hypothesis, label) in enumerate(rows):
            record: dict[str, Any] = {"pairID": f"t{number}", "gold_label": label}
            for side, words in (("sentence1", premise), ("sentence2", hypothesis)):
                pairs = [word.rpartition("/") for word in words.split()]
                record[side] = " ".join(word for word, _, _ in pairs)
                record[f"{side}_parse"] = (
                    f"(ROOT (S {' '.join(f'({tag} {word})' for word, _, tag in pairs)}))"
                )
            stream.write(json.dumps(record) + "\n")
    Path("antonyms.tsv").write_text("old\tyoung\n")
    Path("hypernyms.tsv").write_text("dog\tanimal\n")


def write_function() -> None:
    Path("judge.py").write_text(
        "def judge(pairs):\n    return [{'entailment': 0.5, 'neutral': len(h) % 5 / 10,"
        " 'contradiction': 0.5 - len(h) % 5 / 10} for _, h in pairs]\n"
    )


def write_checkpoint() -> None:
    """Write an untrained BERT of one small layer to ``bert``."""
    tiny_checkpoint.write_checkpoint(Path("bert"), "a the man woman is in on . not two".split())


def _write_rules() -> None:
    Path("rules.toml").write_text('[[gate]]\nset = "*"\nmeasure = "accuracy"\nmin = 0.0\n')


def _judge_all() -> None:
    """Let every judge of the study answer every question, one after the other."""
    from crossexam.validation.answer_log import Judgement
    from crossexam.validation.questions import QUESTIONS
    from crossexam.validation.study import open_study

    study = open_study(Path("study"))
    for judge in study.judges:
        for item in study.items.values():
            for question in item.asked:
                values = [choice.value for choice in QUESTIONS[question].choices]
                value = "neutral" if "neutral" in values else values[0]
                study.record(Judgement(judge, item.number, question, value))


def _answered_elsewhere() -> None:
    """Write answers to all questions to a spreadsheet, and let nobody have answered in the study."""
    shutil.copytree("study", "copy")
    _judge_all()
    if carry_out("validate export study -o answers.csv --answers"):
        raise SystemExit(2)
    shutil.rmtree("study")
    Path("copy").rename("study")


def _archive() -> None:
    """Write an archive as it would be downloaded."""
    import zipfile

    with zipfile.ZipFile("toy.zip", "w") as archive:
        for name in ("dev", "test"):
            archive.writestr(f"toy/{name}.jsonl", '{"premise": "a"}\n' * 50)


def _fetch() -> None:
    """Install the corpus in the archive."""
    from crossexam.corpora.catalog import CatalogEntry, Download
    from crossexam.corpora.fetch import install_corpus

    download = Download("http://localhost/toy.zip", "", None, None, ("dev.jsonl", "test.jsonl"))
    toy = CatalogEntry("toy", "Toy", "http://localhost", "CC0", "Nobody 2020", (download,), {}, 10_000)
    install_corpus("toy", catalog={"toy": toy}, source="toy.zip")


def _report_with_parts() -> None:
    """Write a page with its items in files beside it."""
    from crossexam.reports import parts

    parts.MOST_INSIDE, parts.PART_ITEMS = 10, 7  # type: ignore[misc]
    if carry_out("report run --items all -o out.html"):
        raise SystemExit(2)


_SUITE: Final = f"build negation --base {DEMO} -o suite"
_RUN: Final = "run builtin/overlap suite -o run"
_STUDY: Final = "validate sample suite -o study --judges 2 --per-set 5"
_TRAIN: Final = f"train cbow --train {DEMO} --dev {DEMO} --device cpu"
_OTHER_RUN: Final = "run builtin/alignment suite -o other"
# fmt: off
VERBS: Final[dict[str, Verb]] = {
    verb.name: verb
    for verb in (
        Verb("build", f"build negation --base {DEMO} -o out"),
        Verb("build-stress-tests", f"build stress-tests --base {DEMO} -o out"),
        Verb("build-jsonl", f"build word_overlap --base {DEMO} -o out --format jsonl"),
        Verb("build-compositionality", f"build compositionality --base {DEMO} -o out"),
        Verb("build-cross-dataset", "build cross-dataset --base sick --base scitail -o out",
             (_corpora,)),
        Verb("build-behaviour", "build behaviour --base tagged.jsonl --index tagged.jsonl -o out"
             " --pairs antonym=antonyms.tsv --pairs hypernym=hypernyms.tsv", (_tagged_corpus,)),
        Verb("build-consistency", f"build consistency --base {DEMO} -o out"),
        Verb("build-challenge", "build challenge --only anli -o out", (_rounds,)),
        Verb("build-fact-checking", "build fact-checking --only true -o out", (_claims,)),
        Verb("build-documents", "build documents --base builtin:demo[:8] -o out"),
        Verb("subset-cs", f"subset cs --base {DEMO} -o out"),
        Verb("run-builtin", "run builtin/overlap suite -o out", (_SUITE,)),
        Verb("run-py", "run py/judge:judge suite -o out --batch-size 7", (_SUITE, write_function)),
        Verb("run-again", "run builtin/overlap more -o run",
             (_SUITE, _RUN, f"build word_overlap --base {DEMO} -o more")),
        Verb("run-zoo", "run zoo/model suite -o out --batch-size 9",
             (_SUITE, f"{_TRAIN} -o model --epochs 1"), modules=_TORCH),
        Verb("run-mean", "run mean/builtin/overlap,builtin/alignment suite -o out --batch-size 9", (_SUITE,)),
        Verb("examine", f"examine builtin/overlap --suite negation --base {DEMO} -o out"),
        Verb("convert", "convert hf/bert -o out --on suite --accept", (_SUITE, write_checkpoint),
             modules=(*_TORCH, "transformers", "onnx", "onnxruntime", "onnxscript", "torch.onnx")),
        Verb("train-zoo", f"{_TRAIN} -o out --epochs 2", modules=_TORCH),
        Verb("train-seeds", f"{_TRAIN} -o out --epochs 1 --seeds 2",
             modules=_TORCH),
        Verb("train-bow", f"train bag-of-words --train {DEMO} --dev {DEMO} --test {DEMO} -o out"),
        Verb("validate-sample", "validate sample suite -o out --judges 2 --per-set 5", (_SUITE,),
             volatile=("study", "secret", "token")),
        Verb("judge", _judge_all, (_SUITE, _STUDY), modules=("crossexam.validation.study",)),
        Verb("validate-import", "validate import study answers.csv", (_SUITE, _STUDY, _answered_elsewhere),
             modules=("crossexam.validation.spreadsheet",)),
        Verb("verdict", "validate verdict study --apply relabel --suite suite -o verdict.json",
             (_SUITE, _STUDY, _judge_all)),
        Verb("export-lm-eval", "export lm-eval suite -o out", (_SUITE,)),
        Verb("export-inspect", "export inspect suite -o out", (_SUITE,)),
        Verb("export-jsonl", "export jsonl suite -o out", (_SUITE,)),
        Verb("compare", "compare run other -o out.json", (_SUITE, _RUN, _OTHER_RUN)),
        Verb("baseline", "baseline run -o out.parquet", (_SUITE, _RUN),
             modules=("crossexam.gates.judge",)),
        Verb("gate", "gate other --rules rules.toml --baseline b.parquet --junit out.xml --json out.json",
             (_SUITE, _RUN, _OTHER_RUN, "baseline run -o b.parquet", _write_rules),
             modules=("crossexam.gates.judge",)),
        Verb("report-csv", "report run other -o out.csv", (_SUITE, _RUN, _OTHER_RUN)),
        Verb("report-parts", _report_with_parts, (_SUITE, _RUN)),
        Verb("fetch", _fetch, (_archive,), modules=("crossexam.corpora.fetch",)),
        Verb("report-html", "report run -o out.html", (_SUITE, _RUN)),
    )
}
# fmt: on

if __name__ == "__main__":  # one verb in a process of its own, for crash_points.py --engine strace
    sys.exit(carry_out(VERBS[sys.argv[1]].command))
