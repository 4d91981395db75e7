"""What ``scripts/fuzz.py`` damages: small files of every kind, and how each is read."""

from __future__ import annotations

import gzip
import json
import shutil
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from tiny_checkpoint import write_checkpoint

DATA: Final = Path(__file__).resolve().parents[1] / "tests" / "data"
DEMO: Final = "builtin:demo[:24]"
PAIRS: Final = [("It rains in Ann's garden.", "It is wet."), ("Tom has 3 boats.", "Tom has no boats.")]
#: Corpora with readers of their own, and small files in their formats.
CORPORA: Final = {
    "snli": "../corpora/snli.jsonl", "snli text": "../corpora/snli.txt",
    "multinli": "../corpora/multinli.jsonl", "aqua": "../corpora/aqua.json", "med": "MED.tsv",
    "conjnli": "conj_dev.tsv", "diagnostic": "diagnostic-full.tsv", "fn_plus": "fnplus_data.txt",
    "spr": "sprl_data.txt", "dpr": "dpr_data.txt", "recast": "dnc/recast_new_data.json",
    "fracas": "fracas.xml", "hans": "heuristics_evaluation_set.txt", "monli": "nmonli.jsonl",
    "scitail": "scitail_1.0_dev.tsv",
    "add_one": "add_one/data.test", "anli": "R1/dev.jsonl", "wanli": "wanli/test.jsonl",
    "naik_stress": "multinli_0.9_taut2_matched.jsonl", "cad_nli": "NLI/original/dev.tsv",
}  # fmt: skip


@dataclass(frozen=True)
class Reader:
    """A kind of file: *make* writes a sample into an empty folder, *read* reads it as commands do.

    *files* is a pattern of those that are damaged.  With *checked*, they have checksums: damage must be
    noticed, unless it changes nothing.  A *slow* one is read more seldom.
    """

    make: Callable[[Path], object]
    read: Callable[[Path], object]
    files: str = "*"
    checked: bool = False
    slow: bool = False


def _corpus(spec: str, folder: Path) -> object:
    from crossexam.corpora.reading import ReadingReport
    from crossexam.corpora.spec import iter_corpus

    (file,) = folder.iterdir()
    report = ReadingReport()
    return list(iter_corpus(f"{spec}{file}", report=report, drop_no_gold=False)), report


def _copied(name: str, folder: Path) -> None:
    shutil.copy(DATA / "readers" / name, folder)


def _rows() -> list[dict[str, Any]]:
    from crossexam.corpora.spec import iter_corpus

    return [
        {"id": each.id, "premise": each.premise, "hypothesis": each.hypothesis, "label": each.label}
        for each in iter_corpus(DEMO)
    ]


def _table(name: str, folder: Path) -> None:
    """Write the demo corpus as a table in the format of *name*."""
    import polars as pl

    frame, path = pl.DataFrame(_rows()), folder / name
    write: Mapping[str, Callable[[Any], Any]] = {
        ".jsonl": frame.write_ndjson,
        ".csv": frame.write_csv,
        ".tsv": partial(frame.write_csv, separator="\t"),
        ".parquet": frame.write_parquet,
        ".txt": lambda target: target.write_text("\n".join(each["premise"] for each in _rows())),
    }
    write[path.suffix](path)


def _build(form: str, folder: Path) -> Path:
    _command("build", "negation", "--base", DEMO, "-o", str(folder / "suite"), "--format", form)
    return folder / "suite"


def _command(*arguments: str) -> None:
    """Run a command of Crossexam in this process; raises RuntimeError if it fails."""
    from typer.testing import CliRunner

    from crossexam.cli.main import app

    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    if done.exit_code:
        raise RuntimeError(done.output)


def _suite(folder: Path) -> object:
    from crossexam.core.test_sets import read_suite

    suite = read_suite(folder / "suite")
    return suite.manifest, [({**each.manifest, "path": None}, list(each)) for each in suite]


def _run(folder: Path) -> None:
    import crossexam as cx

    cx.run("builtin/bag-of-words", _build("parquet", folder), store=folder / "run")


def _read_run(folder: Path) -> object:
    from crossexam.runs.saved import read_run

    run = read_run(folder / "run")
    answers = {
        name: (run.answers(name).tolist(), run.outcomes_of(name).statuses().tolist()) for name in run.datasets
    }
    sets = [({**each.manifest, "path": None}, list(each)) for each in run.datasets.values()]
    return run.manifest, answers, sets, {name: each.truncated.tolist() for name, each in run.reading.items()}


def _store(folder: Path) -> None:
    """Write a store with batches: plain ones, one of truncated pairs, and one of outcomes with details."""
    import numpy as np

    from crossexam.core.outcome import Outcome
    from crossexam.models.model import Batch, CharactersRead
    from crossexam.runs.answer_store import AnswerStore
    from crossexam.runs.answers import entered

    def add(start: int, stop: int, shares: Any, read: Any, outcomes: Sequence[Outcome] = ()) -> None:
        batch = Batch(range(stop - start), shares, [read] * (stop - start), outcomes)
        store.add(_hashes(start, stop), entered(batch, "sample"))

    shares = np.random.default_rng(0).dirichlet(np.ones(3), 1000)
    with AnswerStore(folder / "store.sqlite", "0" * 32, "sample") as store:
        add(0, 150, shares[:150], None)
        add(150, 300, shares[150:300], None)
        add(300, 600, shares[300:600], CharactersRead(3, 5))
        noted = [
            Outcome("answered", 0.9, {"text": "yes"}),
            Outcome("refused", None, {"text": "n" * 900}),
        ] * 10
        rows = shares[600:620].copy()
        rows[1::2] = np.nan
        add(600, 620, rows, None, noted)
        store.note({"two_label": False, "label_order": ["entailment", "neutral", "contradiction"]})


def _hashes(start: int, stop: int) -> Any:
    import numpy as np

    return np.random.default_rng(1).integers(0, 2**63, (620, 2), dtype=np.uint64)[start:stop]


def _read_store(folder: Path) -> object:
    """Return what the store says; pairs that it lost are asked again, which is no wrong number."""
    from crossexam.runs.answer_store import AnswerStore

    with AnswerStore(folder / "store.sqlite", "0" * 32, "sample") as store:
        known, found = store.look_up(_hashes(0, 620))
        wrong = [
            place
            for place in known.nonzero()[0].tolist()
            if place not in _TRUE or _TRUE[place] != _row(found, place)
        ]
        facts = store.facts
        for place, detail in found.details.items():
            if detail.get("text") != ("yes", "n" * 900)[place % 2]:
                wrong.append(place)
        return wrong, facts if known.any() and facts else _FACTS


_FACTS: Final = {"two_label": False, "label_order": ["entailment", "neutral", "contradiction"]}
_TRUE: dict[int, str] = {}


def _row(found: Any, place: int) -> str:
    return repr(
        (found.probabilities[place].tolist(), found.read[place].tolist(), int(found.outcomes.codes[place]))
    )


def _store_with_truth(folder: Path) -> object:
    if not _TRUE:
        import tempfile

        from crossexam.runs.answer_store import AnswerStore

        with tempfile.TemporaryDirectory() as fresh:
            _store(Path(fresh))
            with AnswerStore(Path(fresh) / "store.sqlite", "0" * 32, "sample") as store:
                known, found = store.look_up(_hashes(0, 620))
                _TRUE.update({place: _row(found, place) for place in known.nonzero()[0].tolist()})
    return _read_store(folder)


def _resumed(folder: Path) -> object:
    """Return the numbers of a run of the same command in a folder that was damaged."""
    import crossexam as cx

    run = cx.run("builtin/bag-of-words", folder / "suite", store=folder / "run")
    return {name: run.answers(name).tolist() for name in run.datasets}


def _baseline(folder: Path) -> None:
    import crossexam as cx

    cx.baseline(cx.run("builtin/bag-of-words", DEMO), folder / "baseline.parquet", probabilities=True)


def _read_baseline(folder: Path) -> object:
    from crossexam.gates.baseline import read_baseline

    found = read_baseline(folder / "baseline.parquet")
    sets = {
        name: (each.content_hash, each.codes.tolist(), str(each.label_rows), str(each.probabilities))
        for name, each in found.sets.items()
    }
    return found.model, (found.model_key, found.two_labels, dict(found.versions)), sets


def _rules(folder: Path) -> None:
    (folder / "crossexam.toml").write_text(
        '[[gate]]\nset = "negation.*"\nmeasure = "accuracy"\nmin = 0.6\n\n'
        '[[gate]]\nset = "*"\nmeasure = "drop"\nagainst = "baseline"\nmargin = 0.02\nrequire = "shown"\n'
    )


def _read_rules(folder: Path) -> object:
    from crossexam.gates.rules import rules_from

    rules = rules_from(folder / "crossexam.toml")
    return [(each.set, each.measure.name, each.limits, each.must_be_shown) for each in rules]


def _predictions(name: str, folder: Path) -> None:
    import polars as pl

    rows = [
        {"id": each["id"], "probabilities": [0.5, 0.25, 0.25]}
        if name.startswith("lists")
        else {"id": each["id"], "predicted": each["label"], "status": "answered"}
        if name.startswith("labels")
        else {"id": each["id"], "p_entailment": 0.5, "p_neutral": 0.25, "p_contradiction": 0.25}
        for each in _rows()
    ]
    path = folder / name
    if path.suffix == ".json":
        path.write_text(json.dumps(rows))
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".parquet":
        pl.DataFrame(rows).write_parquet(path)
    else:
        rows = [{key: str(value) for key, value in row.items()} for row in rows]
        pl.DataFrame(rows).write_csv(path, separator="\t" if path.suffix == ".tsv" else ",")


def _ask_file(folder: Path) -> object:
    import crossexam as cx

    (file,) = folder.iterdir()
    run = cx.run(f"file/{file}", cx.load(DEMO), label_order=("entailment", "neutral", "contradiction"))
    return {name: run.answers(name).tolist() for name in run.datasets}


def _study(folder: Path) -> None:
    import crossexam as cx
    from crossexam.validation.answer_log import Judgement
    from crossexam.validation.exchange import sheet_of
    from crossexam.validation.label_studio import write_tasks
    from crossexam.validation.sampling import SampleRequest, sample_suite
    from crossexam.validation.spreadsheet import write_csv
    from crossexam.validation.study import open_study

    suite = cx.build("negation", DEMO)
    sample_suite(suite, folder / "study", SampleRequest(10, 0, 2), origin="sample")
    study = open_study(folder / "study")
    for number in list(study.items)[:8]:
        study.record(Judgement("judge-1", number, "label", "entailment"))
    sheet = sheet_of(study, with_answers=True)
    write_csv(sheet, folder / "sheet.csv")
    write_tasks(sheet, folder / "tasks.json")


def _read_sheet(folder: Path) -> object:
    from crossexam.validation.label_studio import read_tasks
    from crossexam.validation.spreadsheet import read_csv
    from crossexam.validation.study import open_study

    study = open_study(folder / "study")
    return read_csv(study, folder / "sheet.csv"), read_tasks(study, folder / "tasks.json")


def _read_study(folder: Path) -> object:
    from crossexam.validation.study import open_study
    from crossexam.validation.verdict import VerdictRule, verdicts

    study = open_study(folder / "study")
    return (
        study.manifest,
        study.items,
        study.judgements(),
        verdicts(study, VerdictRule()),
        study.order("judge-1"),
    )


def _template(folder: Path) -> None:
    (folder / "mine.toml").write_text(
        'system = "You judge."\nuser = "{premise} Does it follow that {hypothesis}?"\nsource = "own"\n'
        '[labels]\nentailment = "Yes"\nneutral = "Maybe"\ncontradiction = "No"\n'
    )


def _read_template(folder: Path) -> object:
    from crossexam.models.prompts.table import template

    found = template(folder / "mine.toml")
    return found, found.prompt("It rains.", "It is wet.")


def _study_toml(folder: Path) -> None:
    from importlib.resources import files

    (folder / "naik2018.toml").write_text(
        files("crossexam.published").joinpath("naik2018.toml").read_text("utf-8")
    )


def _read_study_toml(folder: Path) -> object:
    from crossexam.core.errors import FormatError
    from crossexam.published.figures import study_from_toml

    try:
        text = (folder / "naik2018.toml").read_text("utf-8")
    except UnicodeDecodeError:
        raise FormatError("not UTF-8") from None  # the files of the package are
    return study_from_toml(text, where="naik2018.toml")


def _vectors(suffix: str, folder: Path) -> None:
    words = ["rain", "wet", "Tom", "boats", "garden", "dog"]
    text = "".join(
        f"{word} {' '.join(str(k / 7) for k in range(n, n + 5))}\n" for n, word in enumerate(words)
    )
    data = f"{len(words)} 5\n{text}".encode()
    (folder / f"vectors.{suffix}").write_bytes(gzip.compress(data) if suffix == "txt.gz" else data)


def _read_vectors(folder: Path) -> object:
    from crossexam.language.word_vectors import first_vectors, read_vectors

    (file,) = folder.iterdir()
    found = read_vectors(file, ["rain", "boats", "no"])
    first = first_vectors(file, 4)
    return {word: row.tolist() for word, row in found.rows.items()}, first.words, first.rows.tolist()


def _logs(folder: Path) -> None:
    """Write what lm-eval logs for a task of two pairs."""
    labels = ["entailment", "neutral", "contradiction"]
    samples = [
        {
            "doc": {"premise": p, "hypothesis": h, "labels": labels, "choices": ["Yes", "Maybe", "No"]},
            "arguments": {f"gen_args_{k}": {"arg_0": p, "arg_1": " Yes"} for k in range(3)},
            "resps": [[[number, "False"]] for number in ("-1.5", "-2", "-0.5")],
        }
        for p, h in PAIRS
    ]
    path = folder / "samples_crossexam_demo_2026-11-22T13-10-07.840940.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in samples), encoding="utf-8")
    (folder / "results_2026-11-22T13-10-07.840940.json").write_text(
        json.dumps({"model_name": "m", "config": {}})
    )


def _inspect(folder: Path) -> None:
    """Write what Inspect logs for two pairs."""
    about = {"task": "demo", "model": "openai/m", "packages": {"inspect_ai": "0.3.285"}}
    samples = [
        {
            "id": str(n), "epoch": 1,
            "metadata": {"premise": p, "hypothesis": h, "gold": "neutral", "test_set": "demo",
                         "labels": ["entailment", "neutral", "contradiction"],
                         "choices": ["Yes", "Maybe", "No"]},
            "output": {"model": "m", "choices": [{"message": {"role": "assistant", "content": "Maybe"},
                                                  "stop_reason": "stop"}]},
        }
        for n, (p, h) in enumerate(PAIRS)
    ]  # fmt: skip
    (folder / "log.json").write_text(json.dumps({"version": 2, "eval": about, "samples": samples}))


def _ask(prefix: str, name: str, folder: Path) -> object:
    """Return the answers of the model *prefix*/*name* in *folder* to two pairs, with its key and details."""
    from crossexam.models.table import open_model

    model = open_model(f"{prefix}/{folder / name}")
    answers = model.predict(PAIRS).tolist()
    return answers, dict(model.details)


def _batch(folder: Path) -> None:
    body = {"choices": [{"index": 0, "message": {"content": "Yes"}, "finish_reason": "stop"}]}
    lines = [{"custom_id": f"abc-{n}", "response": {"status_code": 200, "body": body}} for n in range(3)]
    lines.append({"custom_id": "abc-3", "error": {"message": "busy"}})
    (folder / "batch.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def _read_batch(folder: Path) -> object:
    from crossexam.models.api.batch_files import BatchReplies

    replies = BatchReplies([folder / "batch.jsonl"])
    return [repr(replies.reply(f"abc-{n}")) for n in range(4)]


def _word_pairs(name: str, folder: Path) -> None:
    lines = "hot\tcold\tantonym\nwet\tdry\tantonym\ndog\tanimal\thypernym\n"
    path = folder / name
    path.write_bytes(gzip.compress(lines.encode()) if path.suffix == ".gz" else lines.encode())


def _read_word_pairs(folder: Path) -> object:
    from crossexam.language.lexicons.word_pairs import read_pairs

    (file,) = folder.iterdir()
    return read_pairs(file, "antonym")


def _archive(folder: Path) -> None:
    with zipfile.ZipFile(folder / "corpus.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("snli/dev.jsonl", (DATA / "corpora" / "snli.jsonl").read_bytes())


def _unpack(folder: Path) -> object:
    from crossexam.corpora.received import unpack_zip

    (folder / "out").mkdir()
    (file,) = unpack_zip(folder / "corpus.zip", folder / "out", ["dev.jsonl"], limit=10**6)
    return file.read_bytes()


def _index(folder: Path) -> None:
    from crossexam.corpora.spec import iter_corpus
    from crossexam.language.word_pair_index import WordPairIndex

    WordPairIndex.build(iter_corpus(DEMO)).save(folder / "index")


def _read_index(folder: Path) -> object:
    from crossexam.language.word_pair_index import WordPairIndex

    index = WordPairIndex.load(folder / "index")
    pairs = [("dog", "animal"), ("man", "person"), ("a", "the")]
    return (
        list(index.words),
        index.counts(pairs).tolist(),
        index.polarity(pairs),
        index.occurrences("a"),
        index.manifest,
    )


def _counts(folder: Path) -> None:
    from crossexam.language.lexicons.counts import CountTable

    counts = {("dog", "big"): 3, ("dog", "old"): 1, ("door", "open"): 2}
    CountTable(counts, "sample").write(folder / "counts.tsv")


def _read_counts(folder: Path) -> object:
    from crossexam.language.lexicons.counts import read_counts

    return vars(read_counts(folder / "counts.tsv"))


def _hashes_file(folder: Path) -> None:
    (folder / "hashes.json").write_text(
        json.dumps({"downloads": {"u": "0" * 64}, "installed": {"snli": {"f": "1"}}})
    )


def _read_hashes(folder: Path) -> object:
    from crossexam.corpora.fetch import Hashes

    found = Hashes(folder / "hashes.json")
    return found.downloads, found.installed


def _shallow(folder: Path) -> None:
    from crossexam.shallow.fitting import FitRequest, fit_once
    from crossexam.shallow.table import SHALLOW

    fit_once(SHALLOW["bag-of-words"], FitRequest("builtin:demo", "builtin:demo", folder / "model"))


def _zoo(folder: Path) -> None:
    line = ["train", "cbow", "--train", "builtin:demo", "--dev", "builtin:demo", "-o", str(folder / "model")]
    _command(*line, "--epochs", "1", "--device", "cpu")


def _checkpoint(folder: Path) -> None:
    words = sorted({word for pair in PAIRS for text in pair for word in text.split()})
    write_checkpoint(folder / "model", words)


def _corpora() -> dict[str, Reader]:
    """Return the readers of published formats, each over a small file."""
    found = {}
    for name, file in CORPORA.items():
        if file:
            corpus = {"snli text": "snli", "recast": "dpr"}.get(name, name)
            found[f"corpus {name}"] = Reader(partial(_copied, file), partial(_corpus, f"{corpus}@"))
    return found


#: Every kind of file that is read, by the name of ``--reader``.
READERS: Final[dict[str, Reader]] = {
    **_corpora(),
    **{
        f"table {suffix}": Reader(partial(_table, f"mine.{suffix}"), partial(_corpus, ""))
        for suffix in ("jsonl", "csv", "tsv", "parquet", "txt")
    },
    "suite": Reader(partial(_build, "parquet"), _suite, "suite/*", checked=True),
    "suite jsonl": Reader(partial(_build, "jsonl"), _suite, "suite/*", checked=True),
    "run": Reader(_run, _read_run, "*", checked=True),
    "baseline": Reader(_baseline, _read_baseline, "*.parquet", checked=True),
    "rules of a gate": Reader(_rules, _read_rules),
    "run resumed": Reader(_run, _resumed, "run/*", checked=True),
    "store": Reader(_store, _store_with_truth, checked=True),
    **{
        f"predictions {name}": Reader(partial(_predictions, name), _ask_file)
        for name in ("shares.jsonl", "lists.json", "shares.csv", "labels.tsv", "lists.parquet", "lists.csv")
    },
    "sheets of judges": Reader(_study, _read_sheet, "*.[cj]s*"),
    "study": Reader(_study, _read_study, "study/*.json", checked=True),
    "answers of judges": Reader(_study, _read_study, "study/*.jsonl"),
    "template": Reader(_template, _read_template),
    "published figures": Reader(_study_toml, _read_study_toml),
    "vectors": Reader(partial(_vectors, "txt"), _read_vectors),
    "vectors gzipped": Reader(partial(_vectors, "txt.gz"), _read_vectors),
    "log of lm-eval": Reader(_logs, lambda folder: _ask("log", "", folder)),
    "log of Inspect": Reader(_inspect, lambda folder: _ask("log", "log.json", folder)),
    "batch file": Reader(_batch, _read_batch),
    "word pairs": Reader(partial(_word_pairs, "pairs.tsv"), _read_word_pairs),
    "word pairs gzipped": Reader(partial(_word_pairs, "pairs.tsv.gz"), _read_word_pairs),
    "archive of a corpus": Reader(_archive, _unpack),
    "index of word pairs": Reader(_index, _read_index, "index/*"),
    "counts": Reader(_counts, _read_counts),
    "hashes of downloads": Reader(_hashes_file, _read_hashes),
    "bag of words": Reader(_shallow, lambda folder: _ask("bow", "model", folder), checked=True),
    "zoo model": Reader(
        _zoo, lambda folder: _ask("zoo", "model", folder), "model/*", checked=True, slow=True
    ),
    "checkpoint": Reader(_checkpoint, lambda folder: _ask("hf", "model", folder), slow=True),
}
