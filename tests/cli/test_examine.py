"""crossexam demo and examine: what models are asked, how answers are read, and what the folder is for."""

import json
import shutil
import webbrowser
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem

import crossexam as cx
from crossexam.runs.saved import read_run
from made.cases import for_each
from made.commands import Crossexam

LABELS = "supported=entailment,unsupported=not_entailment"
COLUMNS = "premise=document,hypothesis=claim,label=verdict"
#: What each function says of a claim that the document has.
FUNCTIONS = """\
def words(pairs):
    return ["supported" if h in p else "unsupported" for p, h in pairs]
def usual(pairs):
    return ["entailment" if h in p else "not_entailment" for p, h in pairs]
def truth(pairs):
    return [h in p for p, h in pairs]
def exchanged(pairs):
    return [h not in p for p, h in pairs]
def numbers(pairs):
    return [int(h in p) for p, h in pairs]
def odd(pairs):
    return ["dunno"] * len(pairs)
"""
EXAMINE = "examine builtin/overlap --suite negation --base builtin:demo --limit 30 -o memory://b/out"
RULES = '[[gate]]\nset = "*"\nmeasure = "unanswered"\nmax = 0.0\n'
#: Commands that take a run: here the folder that examine wrote for one model.
TAKE_A_RUN = ("report {}", "baseline {} -o new.parquet", "gate {}", "validate sample --errors {} -o study")
OF_A_RUN = ("one --relative-to {}", "--temperature-from {}", "--threshold dev:{}")


@pytest.fixture(autouse=True)
def claims(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten claims in the working folder, of which five are supported, and functions."""
    rows = ["document,claim,verdict"]
    for n in range(0, 10, 2):
        rows.append(f"Ann walked {n}.,Bob was hungry on day {n}.,unsupported")
        rows.append(f"Ann walked {n + 1}. The bus was late.,The bus was late.,supported")
    (folder / "claims.csv").write_text("\n".join(rows), encoding="utf-8")
    (folder / "own_answers.py").write_text(FUNCTIONS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))


def test_a_demo_of_one_model_and_what_follows_it(
    crossexam: Crossexam, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLTK_DATA", str(folder))
    monkeypatch.setattr("crossexam.cli.examine._DEMO_MODELS", ("builtin/overlap",))
    page, opened = Path("out/report.html"), list[str]()
    assert "antonymy" in crossexam("demo -o out").out
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url))  # None: there is no browser
    said = crossexam("demo -o out --open").err
    assert "already contains this suite" in said
    assert f"no browser was found; open {page} in one" in said
    assert opened == [page.absolute().as_uri()]
    base = next(Path("out/suite").glob("base.*"))  # numerical reasoning comes from no pair of it
    assert "0 errors" in crossexam(f"check out/suite --base {base}").err
    crossexam(f"report out {' '.join(f'-o x.{suffix}' for suffix in ('md', 'tex', 'csv', 'json'))}")


def test_examine_resumes_on_another_machine(
    memory: MemoryFileSystem, tmp_path: Path, crossexam: Crossexam
) -> None:
    crossexam(EXAMINE)
    first = {name: memory.cat_file(name) for name in memory.find("/b/out") if name.endswith(".parquet")}
    assert len(first) == 4
    shutil.rmtree(tmp_path / "cache")
    assert "memory://b/out/suite already contains this suite" in crossexam(EXAMINE).err
    assert {name: memory.cat_file(name) for name in first} == first
    for line in ("report memory://b/out/runs/builtin-overlap", "check memory://b/out"):
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        crossexam(line)


@pytest.fixture
def examined(crossexam: Crossexam) -> None:
    Path("crossexam.toml").write_text(RULES, encoding="utf-8")
    for models, out in (("builtin/majority", "one"), ("builtin/overlap builtin/majority", "two")):
        crossexam(f"examine {models} --base builtin:demo[:6] --suite negation -o {out}")
    crossexam("run builtin/overlap one/suite -o run")


def test_the_folder_of_an_examination_is_its_run_if_there_is_one(
    examined: None, crossexam: Crossexam
) -> None:
    """Otherwise its runs are named; a report takes all of them, in the order in which they were made."""
    for_each(lambda line: crossexam(line.format("one")), ["compare {} run", "compare run {}", *TAKE_A_RUN])
    others = [f"report run {option}" for option in OF_A_RUN]
    for_each(lambda line: named(crossexam(line.format("two"), 2).err), [*TAKE_A_RUN[1:], *others])
    crossexam("report two -o report.json")
    written = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert [each["name"] for each in written["models"]] == ["builtin/overlap", "builtin/majority"]
    assert cx.load_run("one").model == "builtin/majority"


def named(message: str) -> None:
    assert message.startswith("crossexam: two: ")
    assert all(f"two/runs/builtin-{name}" in message for name in ("overlap", "majority"))


@pytest.mark.usefixtures("examined")
def test_an_examination_that_was_stopped_has_a_run_that_is_not_finished(crossexam: Crossexam) -> None:
    stopped = Path("one/runs/builtin-majority")
    (stopped / "manifest.json").rename(stopped / "store.sqlite")
    assert "one/runs/builtin-majority: the run is not finished" in crossexam("gate one", 4).err
    stopped = Path("two/runs/builtin-overlap")
    (stopped / "manifest.json").rename(stopped / "store.sqlite")
    named(crossexam("gate two", 2).err)  # not the one that is finished


def examine(models: str, labels: str = LABELS) -> str:
    base = f"--base claims.csv --columns {COLUMNS} --labels {labels}"
    return f"examine {models} {base} --suite negation -o out"


def right(name: str) -> int:
    run = read_run(Path("out/runs") / name)
    gold = [each.label for each in run.datasets["base.claims"]]
    return sum(a == b for a, b in zip(run.predictions("base.claims").tolist(), gold, strict=True))


def test_labels_hold_for_the_base_and_for_the_answers(crossexam: Crossexam) -> None:
    names = ["words", "usual", "truth"]
    crossexam(examine(" ".join(f"py/own_answers:{name}" for name in names) + " builtin/overlap"))
    assert [right(f"py-own_answers-{name}") for name in names] == [10, 10, 10]


def test_an_answer_that_cannot_be_read_is_refused_before_anything_is_built(crossexam: Crossexam) -> None:
    for name, culprit, declared in (
        ("odd", "'dunno'", "dunno=LABEL"),
        ("numbers", "class indices", "1=entailment,0=not_entailment"),
    ):
        said = crossexam(examine(f"builtin/overlap py/own_answers:{name}"), 2)
        assert culprit in said.err
        assert f"--labels {LABELS},{declared}" in said.err
        assert not Path("out").exists()
        assert "yield" not in said.text


def test_answers_may_have_other_words_than_the_base(crossexam: Crossexam) -> None:
    text = Path("claims.csv").read_text().replace("unsupported", "true").replace("supported", "false")
    Path("claims.csv").write_text(text)  # true: it is hallucinated
    labels = "true=not_entailment,false=entailment"
    for function, option, warned in (("exchanged", "", True), ("truth", " --set py.labels=none", False)):
        said = crossexam(f"{examine(f'py/own_answers:{function}', labels)}{option}").text
        assert right(f"py-own_answers-{function}") == 10
        assert ("its answer True means not_entailment" in said) == warned
