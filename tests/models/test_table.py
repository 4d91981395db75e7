"""The table of kinds of models: being in it is being opened, run and tested."""

import json
import re
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import lm_golden
import numpy as np
import pytest

from crossexam.core.dataset import Dataset, Suite
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.core.labels import LABELS
from crossexam.corpora.spec import iter_corpus
from crossexam.models.table import MODELS, open_model
from crossexam.runs.folder import run_into_folder
from crossexam.shallow.fitting import FitRequest, ShallowModel, fit_once
from crossexam.shallow.table import SHALLOW
from made.commands import invoke
from made.runs import GOLD_OF

PAIRS = lm_golden.PAIRS[:4]
EMPTY = [("It rains.", ""), ("", "It rains."), ("", "")]
SPEC = "builtin:demo[:45]"


#: A tiny model: its name, and what changes it and returns its new name, unless it is a folder.
Instance = tuple[str, Callable[[], str] | None]
#: What workers share: an untrained BERT, a GPT-2 and an exported graph, by kind.
Made = dict[str, Path]


def _file(folder: Path, made: Made) -> Instance:
    path = folder / "predictions.jsonl"

    def write(label: str) -> str:
        rows = [{"premise": p, "hypothesis": h, "prediction": label} for p, h in [*PAIRS, *EMPTY]]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return f"file/{path}"

    return write("neutral"), lambda: write("entailment")


def _log(folder: Path, made: Made) -> Instance:
    path = folder / "samples_crossexam_demo_2026-11-22T13-10-07.840940.jsonl"

    def write(numbers: list[str]) -> str:
        samples = [
            {
                "doc": {"premise": p, "hypothesis": h, "labels": LABELS, "choices": ["Yes", "Maybe", "No"]},
                "arguments": {f"gen_args_{k}": {"arg_0": p, "arg_1": " Yes"} for k in range(3)},
                "resps": [[[number, "False"]] for number in numbers],
            }
            for p, h in [*PAIRS, *EMPTY]
        ]
        path.write_text("".join(json.dumps(each) + "\n" for each in samples), encoding="utf-8")
        return f"log/{path}"

    return write(["-1.5", "-2", "-0.5"]), lambda: write(["-1.5", "-2", "-0.25"])


def _function(folder: Path, made: Made) -> Instance:
    def write(label: str) -> str:
        text = f"def judge(pairs):\n    return ['{label}' for _ in pairs]\n"
        (folder / "judge_of_the_table.py").write_text(text, encoding="utf-8")
        return "py/judge_of_the_table:judge"

    return write("neutral"), lambda: write("entailment")


def _names(first: str, second: str, *_: object) -> Instance:
    return first, lambda: second


def _checkpoint(kind: str, folder: Path, made: Made) -> Instance:
    return f"{kind}/{shutil.copytree(made[kind], folder / kind)}", None


def _zoo(folder: Path, made: Made) -> Instance:
    invoke(f"train cbow --train {SPEC} --dev {SPEC} --epochs 1 --device cpu -o {folder / 'zoo'}")
    return f"zoo/{folder / 'zoo'}", None


def _fitted(shallow: ShallowModel, folder: Path, made: Made) -> Instance:
    words = {word for e in iter_corpus("builtin:demo") for word in re.findall(r"\w+", e.premise)}
    rows = np.random.default_rng(0).normal(size=(len(words), 3)).tolist()
    vectors = folder / "vectors.txt"
    lines = [f"{word} {' '.join(map(str, row))}\n" for word, row in zip(sorted(words), rows, strict=True)]
    vectors.write_text("".join(lines), encoding="utf-8")
    fit_once(shallow, FitRequest(SPEC, SPEC, folder / "fitted", vectors=vectors))
    return f"{shallow.prefix}/{folder / 'fitted'}", None


#: One line per kind; a shallow model needs none.
MAKERS: dict[str, Callable[[Path, Made], Instance]] = {
    "builtin": partial(_names, "builtin/overlap", "builtin/alignment"),
    "file": _file,
    "log": _log,
    "py": _function,
    "hf": partial(_checkpoint, "hf"),
    "lm": partial(_checkpoint, "lm"),
    "onnx": partial(_checkpoint, "onnx"),
    "api": partial(_names, "api/mine", "api/other"),  # at the endpoint in OPENAI_BASE_URL
    "mean": partial(_names, "mean/builtin/overlap,builtin/alignment", "mean/builtin/overlap,builtin/neutral"),
    "zoo": _zoo,
    **{shallow.prefix: partial(_fitted, shallow) for shallow in SHALLOW.values()},
}
REFUSES_EMPTY = {"zoo"}


@pytest.fixture
def made(tiny_checkpoint: Path, lm_folders: Any, exported: Path) -> Made:
    return {"hf": tiny_checkpoint, "lm": lm_folders["gpt2"], "onnx": exported}


def _predicts_probabilities(kind: str, name: str) -> None:
    model = open_model(name)
    assert model.name == name
    predicted = model.predict(PAIRS)
    assert predicted.shape == (len(PAIRS), 3)
    assert np.allclose(predicted.sum(axis=1), 1, atol=1e-6)
    assert (predicted >= 0).all()
    assert model.predict([]).shape == (0, 3)
    json.dumps(dict(model.details))
    for pair in EMPTY:
        if kind in REFUSES_EMPTY:
            with pytest.raises(CrossexamError, match="is empty"):
                model.predict([pair])
        else:
            assert model.predict([pair]).sum() == pytest.approx(1)


def _does_not_depend_on_the_batch(kind: str, name: str) -> None:
    model = open_model(name, {"batch_size": 3})
    assert model.key == open_model(name).key
    whole = model.predict(PAIRS)
    one_by_one = np.concatenate([model.predict([pair]) for pair in PAIRS])
    assert np.allclose(one_by_one, whole, rtol=0, atol=1e-5)


#: Files in folders of models that no prediction depends on.
NOT_READ = {"README.md", "manifest.json", "metrics.jsonl", "generation_config.json"}
#: Files that are read only to tell what kind of model is in the folder, by kind.
TELLS_KIND = {"bow": {"config.json"}, "rf": {"config.json"}}


def _has_a_key_that_covers_its_files(kind: str, model: str) -> None:
    folder = Path(model.partition("/")[2])
    if kind == "lm":
        (folder / "additional_chat_templates").mkdir(exist_ok=True)
        for name in ("chat_template.jinja", "additional_chat_templates/tools.jinja", "source.spm"):
            (folder / name).write_text("{{ messages }}", encoding="utf-8")
    copy = Path(shutil.copytree(folder, folder.with_name("changed-file-by-file")))
    (copy / "README.md").write_text("a card is of no account, nor is where the folder is")
    key = open_model(f"{kind}/{copy}").key
    assert key == open_model(model).key
    spare = NOT_READ | TELLS_KIND.get(kind, set())
    for path in sorted(path for path in copy.rglob("*") if path.is_file()):
        content = path.read_bytes()
        is_text = path.suffix in {".json", ".jsonl", ".txt", ".jinja", ".spm"}  # which minds no blank line
        path.write_bytes(content + b"\n" if is_text else content[:-1] + bytes([content[-1] ^ 1]))
        try:
            is_covered = open_model(f"{kind}/{copy}").key != key
        except CrossexamError:  # damaged, and noticed before anything is predicted
            is_covered = True
        path.write_bytes(content)
        assert is_covered or path.name in spare, path.name
    assert open_model(f"{kind}/{copy}").key == key


#: Another value of every option on which predictions can depend.
OPTION_VALUES: dict[str, Any] = {
    "dtype": "bfloat16",
    "max_length": 7,
    "label_order": ("contradiction", "entailment", "neutral"),
    "labels": "follows=entailment",
    "columns": "prediction=prediction",
    "endpoint": "http://127.0.0.1:9/v1",
    "template": "gpt3",
    "answer": "text",
    "reasoning": "low",
    "max_output": 7,
    "temperature": 0.5,
    "seed": 1,
    "extra": '{"top_p": 0.5}',
    "server": "vllm",
    "score": "mean",
    "chat": "no",
}
#: Options on which no prediction depends.
OF_ASKING = {"device", "batch_size", "concurrency", "timeout", "tries", "budget", "yes", "key_env", "price"}
OF_ASKING |= {"max_cost", "keep_text", "insecure_http", "batch_in"}
#: Options of the hub, and those with tests of their own.
ELSEWHERE = {"revision", "threshold", "file", "foundation", "shots", "shots_from", "shots_seed"}


def _has_the_options_of_its_kind(kind: str, name: str) -> None:
    """Another value is another key if predictions depend on it."""
    options = set(MODELS[kind].option_names) - OF_ASKING - ELSEWHERE
    keys = {open_model(name, {f"{kind}.{each}": OPTION_VALUES[each]}).key for each in options}
    assert len(keys | {open_model(name).key}) == len(options) + 1, options
    with pytest.raises(CrossexamError, match=f"{kind}/ models have no option 'no_such'"):
        open_model(name, {f"{kind}.no_such": "1"})


GOLDS = {"three labels": "ENC-ENC", "two labels": "Enn-Enn", "no contradiction": "ENN-ENN"}


@pytest.mark.parametrize("kind", sorted(MODELS))
def test_every_kind(
    kind: str,
    made: Made,
    server: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    written_as_scored: Any,
) -> None:
    """All contracts hold, and a run writes the predictions that it scored."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    assert MODELS[kind].prefix == f"{kind}/"
    name, change = MAKERS[kind](tmp_path, made)
    sets = {}
    pairs = PAIRS if kind in REFUSES_EMPTY else [*PAIRS, *EMPTY]  # all that a file has an answer to
    for projection, golds in GOLDS.items():
        part = f"base.{projection.replace(' ', '_')}"
        items = (Example(f"i{k}", *pair, GOLD_OF[golds[k]]) for k, pair in enumerate(pairs))
        sets[part] = Dataset(part, tuple(items), {"projection": projection})
    run_into_folder(name, Suite("mine", sets), tmp_path / "run")
    written_as_scored(tmp_path / "run")
    _predicts_probabilities(kind, name)
    _does_not_depend_on_the_batch(kind, name)
    _has_the_options_of_its_kind(kind, name)
    if change is None:
        _has_a_key_that_covers_its_files(kind, name)
        return
    key, changed = open_model(name).key, change()
    sys.modules.pop("judge_of_the_table", None)  # as in a new process
    assert open_model(changed).key != key
