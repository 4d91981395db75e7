"""What the commands of everyday.py read: corpora, files, models, a notebook; and the server that they ask."""

from __future__ import annotations

import csv
import json
import random
import shutil
import threading
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from tiny_checkpoint import write_checkpoint

import crossexam as cx
from crossexam.core.labels import LABELS
from crossexam.models.label_order import PAIRS, PROBE
from made.corpora import tagged_pair, write_lines, write_records

DATA: Final = Path(__file__).resolve().parents[1] / "tests" / "data"
Pairs = Sequence[tuple[str, str, str]]

_FILES: Final = {
    # All processes are measured, and downloads come from the server of this machine.
    "sitecustomize.py": """
import os, coverage, httpx2
coverage.process_startup()
real = httpx2.stream
here = lambda url: f"{os.environ['URL']}/{url.rpartition('/')[2]}"
httpx2.stream = lambda method, url, **how: real(method, here(url), **how)
""",
    "judge.py": """
def fits(pairs):
    return [len(hypothesis) < len(premise) for premise, hypothesis in pairs]

def scores(pairs):
    return [[0.5, 0.3, 0.2] if len(hypothesis) % 2 else [0.1, 0.2, 0.7] for _, hypothesis in pairs]
""",
    "notebook.py": """
import crossexam as cx, datasets, os, pandas as pd, polars as pl
from judge import fits
columns = {"premise": "document", "hypothesis": "claim", "label": "verdict", "genre": "topic"}
columns["cluster"] = "page"
labels = {"yes": "entailment", "no": "contradiction", "maybe": "neutral"}
claims = cx.load(pd.read_csv("claims.csv")[:50], columns=columns, labels=labels)
hub = datasets.Dataset.from_parquet("hub.parquet")
pairs = [{"premise": "It rains.", "hypothesis": "It is wet.", "label": "neutral", "votes": [2, 3]}]
mine = pl.read_csv("mine.tsv", separator="\\t")
for table in ("mine.tsv", mine, hub, hub.data.table, pairs, claims.examples):
    print(cx.load(table)._repr_html_())
suite = cx.build("stress-tests", claims, word_problems="builtin:word_problems")
print(claims, suite, suite._repr_html_(), suite["negation.examples"], cx.check(suite))
one, two = cx.run(fits, suite), cx.run("builtin/overlap", suite, store="runs/notebook")
again = cx.run("builtin/overlap", suite, store="runs/notebook")
print(one, one._repr_html_(), again.to_pandas(info=["genre"]).head(), one.to_polars().head())
print(cx.accuracy(one), cx.accuracy_by(two, "genre"), cx.compare(one, two))
try:
    cx.accuracy_by(two, "gnre")
except cx.CrossexamError as error:
    print(error)
loaded = cx.load_run("runs/notebook")
print(loaded.datasets["negation.examples"].examples[:2], "antonymy.examples" in suite)
cx.report(one, loaded).save("notebook.html")
asked = "llm/runs/api-mine/words"
print(cx.accuracy(cx.load_run(asked)))
how = {"endpoint": os.environ["URL"] + "/v1", "template": "words", "again": ["unparsed"]}
print(cx.accuracy(cx.run("api/mine", "llm/suite", store=asked, **how)))
""",
    "crossexam.toml": """
[[gate]]
set = "*"
measure = "accuracy"
min = 0.9

[[gate]]
set = "*"
measure = "accuracy"
against = "baseline"
margin = 0.02
""",
}
#: What cannot be read, each line for another reason.
_DIRTY: Final = {
    "dirty.jsonl": b"""[1, 2]
{"sentence1": 5, "sentence2": "b", "gold_label": "neutral"}
{"sentence1": "\xff", "sentence2": "b", "gold_label": "neutral"}
{"sentence1": "a", "gold_label": "neutral"}
{"sentence1": "", "sentence2": "b", "gold_label": "neutral"}
{"sentence1": "a", "sentence2": "b", "gold_label": "hidden"}
{"sentence1": "a", "sent""",
    "soiled.csv": b"""one,two\r\na "b" c,"d,"e,neutral\r\n\xe9,b,neutral\r\n""",
}


def write_inputs(folder: Path) -> None:
    """Write everything into *folder*."""
    for name in ("readers", "suites/corpora", "suites/challenge"):
        shutil.copytree(DATA / name, folder / "data" / Path(name).name)
    for name, text in _FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    pairs = [(each.premise, each.hypothesis, str(each.label)) for each in cx.load("builtin:demo").examples]
    _write_own(folder, pairs)
    _write_published(folder / "data", pairs[:12])
    _write_models(folder, pairs)
    cx.build("negation", "builtin:demo", limit=20, folder=folder / "built")
    shutil.copy(folder / "built" / "negation.builtin_demo.parquet", folder / "sent.parquet")
    mirror = folder / "mirror"
    mirror.mkdir()
    names = {name: name for name in ("fracas.xml", "conj_dev.tsv", "conj_test.tsv")}
    for name, source in {**names, "adversarial_train_15k.tsv": "conj_dev.tsv"}.items():
        shutil.copy(DATA / "readers" / source, mirror / name)
    with zipfile.ZipFile(mirror / "breaking_nli_dataset.zip", "w") as archive:
        archive.write(DATA / "suites/challenge/breaking_nli/dataset.jsonl", "data/dataset.jsonl")


def _table(path: Path, header: str, rows: Iterable[Sequence[Any]]) -> None:
    """Write a table with the columns *header*, separated by commas if *path* is CSV and else by tabs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter="," if path.suffix == ".csv" else "\t").writerows(
            [header.split(), *rows]
        )


def _write_own(folder: Path, pairs: Pairs) -> None:
    """Write files with columns and labels of one's own, some with malformed records, and a judge's sheet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    words = dict(zip(LABELS, ("yes", "maybe", "no"), strict=True))
    claims = [
        (h, p, words[label], ("news", "fiction")[n % 2], n / 2) for n, (p, h, label) in enumerate(pairs[:60])
    ]
    _table(folder / "claims.csv", "claim document verdict topic page", [*claims, ("cut", "off")])
    _table(folder / "mine.tsv", "sentence1 sentence2 gold_label", pairs[60:120])
    _table(folder / "numbers.csv", "quelle satz urteil", [(p, h, LABELS.index(x)) for p, h, x in pairs[:48]])
    write_records(
        folder / "mine.jsonl", ({"premise": p, "hypothesis": h, "label": x} for p, h, x in pairs[120:200])
    )
    _table(folder / "soiled.csv", "premise hypothesis label", pairs[40:80])
    write_records(
        folder / "dirty.jsonl", ({"sentence1": p, "sentence2": h, "gold_label": x} for p, h, x in pairs[:40])
    )
    for name, dirt in _DIRTY.items():
        with (folder / name).open("ab") as stream:
            stream.write(dirt)
    columns = zip(*((p, h, LABELS.index(label)) for p, h, label in pairs[200:260]), strict=True)
    table = pa.table(dict(zip(("premise", "hypothesis", "label"), map(list, columns), strict=True)))
    features = {"features": {"label": {"names": LABELS, "_type": "ClassLabel"}}}
    pq.write_table(
        table.replace_schema_metadata({"huggingface": json.dumps({"info": features})}), folder / "hub.parquet"
    )
    header = ",".join(f"judge-{k}: {question}" for question in ("label", "antonym_kind") for k in (1, 2, 3))
    answers = ("contradiction,neutral,contradiction", "neutral,neutral,contradiction")
    rows = (f"i{n:05},{answers[n == 8]},gradable,gradable,gradable" for n in range(1, 9))
    write_lines(folder / "sheet.csv", rows, f"item,{header}\n")


def _write_published(data: Path, pairs: Pairs) -> None:
    """Write corpora of which ``tests/data`` has no file, in their formats."""
    two = [
        (n, p, h, "entailment" if x == LABELS[0] else "not_entailment") for n, (p, h, x) in enumerate(pairs)
    ]
    _table(data / "rte" / "dev.tsv", "index sentence1 sentence2 label", two)
    coded = [(n, p, h, int(x == "entailment")) for n, p, h, x in two]
    _table(data / "wnli" / "dev.tsv", "index sentence1 sentence2 label", coded)
    write_records(
        data / "cb" / "val.jsonl",
        ({"premise": p, "hypothesis": h, "label": x, "idx": n} for n, (p, h, x) in enumerate(pairs)),
    )
    header = " ".join(["ID", *(f"premise{k}" for k in (1, 2, 3, 4)), "hypothesis"])
    judged = " ".join(f"{name}_judgments" for name in LABELS)
    rows = [
        (n, *(f"{n}.jpg#{k}/{p}" for k in range(4)), h, *(3 * (x == label) for x in LABELS), label)
        for n, (p, h, label) in enumerate(pairs)
    ]
    _table(data / "mpe_dev.txt", f"{header} {judged} gold_label", rows)
    ordinal = [(p, h, (5, 3, 1)[LABELS.index(x)], "x", "y", "z") for p, h, x in pairs]
    _table(data / "B.dev.csv", "CONTEXT HYPOTHESIS LABEL CONTEXT_FROM HYPOTHESIS_FROM SUBSET", ordinal)
    parsed = (DATA / "suites" / "pairs.txt").read_text(encoding="utf-8").splitlines()[1:]
    write_records(
        data / "snli_1.0_train.jsonl", (tagged_pair(n, *line.split("\t")) for n, line in enumerate(parsed))
    )


def _write_models(folder: Path, pairs: Pairs) -> None:
    """Write word vectors, a checkpoint, and one with a single output."""
    from transformers import AutoConfig, AutoModelForSequenceClassification

    texts = [*(text for p, h, _ in pairs for text in (p, h)), *(text for pair in PAIRS for text in pair)]
    words = sorted({word.strip(".,").lower() for text in texts for word in text.split()})
    drawn = random.Random(1)
    vectors = (" ".join([word, *(f"{drawn.gauss(0, 1):.3f}" for _ in range(20))]) for word in words)
    write_lines(folder / "vectors.txt", vectors)
    write_checkpoint(folder / "checkpoint", [*words, "."])
    shutil.copytree(folder / "checkpoint", folder / "one")
    settings = AutoConfig.from_pretrained(folder / "one")
    settings.num_labels = 1
    AutoModelForSequenceClassification.from_config(settings).save_pretrained(folder / "one")


class _Handler(BaseHTTPRequestHandler):
    """A chat model that knows the easy pairs of the probe, and a mirror whose first answer breaks off."""

    protocol_version = "HTTP/1.1"
    files: Path
    cut: list[int]
    asked: list[str]

    def log_message(self, *args: object) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        """Send the list of models, or the file of this name from the byte that is asked for."""
        path = self.files / self.path.rpartition("/")[2]
        if path.is_file():
            start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
            self._send(path.read_bytes(), start, self.cut.pop() if self.cut else None)
        else:
            self._send(json.dumps({"data": [{"id": "mine", "owned_by": "me"}]}).encode())

    def do_POST(self) -> None:
        """Answer the probe rightly, other pairs with some label, and a few with none."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = body["messages"][-1]["content"]
        self.asked.append(text)
        other = "I cannot say." if len(self.asked) % 29 == 0 else LABELS[sum(map(ord, text)) % 3]
        answer = next((label for p, h, label in PROBE if p in text and h in text), other)
        choice = {"message": {"content": answer}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 30, "completion_tokens": 2}
        self._send(json.dumps({"choices": [choice], "usage": usage, "model": body["model"]}).encode())

    def _send(self, body: bytes, start: int = 0, most: int | None = None) -> None:
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.send_header("ETag", '"v1"')
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        self.wfile.write(body[start:][:most])
        self.close_connection = most is not None


@contextmanager
def serving(files: Path) -> Iterator[str]:
    """Serve the model and the *files*, and yield the URL."""
    handler = type("Bound", (_Handler,), {"files": files, "cut": [200], "asked": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
