"""What other harnesses asked, as a model: ``log/PATH``.

PATH is a file or a folder of lm-eval or Inspect.  Replies are matched to items by test set and id, or by the
text of the pair where a log has no ids, and the texts are compared, so that a log of another version of a
suite is an error.  What a text answers is read by the rules of ``api/``; a reply in which no label is found
is an item without an answer.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.dataset import Dataset
from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.core.files import sha256_of
from crossexam.core.outcome import ANSWERED, Outcome, Outcomes
from crossexam.models.api.logprobs import LabelShares, shares_at
from crossexam.models.api.reading import LabelForms, read_answer
from crossexam.models.label_order import ClassName, is_two_label, to_label_columns
from crossexam.models.logs.replies import Log, Reply
from crossexam.models.logs.table import HARNESSES
from crossexam.models.model import Pair, SetAnswers
from crossexam.models.prompts.table import template

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LISTED: Final = 5  # items that an error names
#: Part of every key: increased if the same log is read in another way.
_READING: Final = 1


@dataclass(frozen=True)
class Options:
    """How the replies are read.

    ``template`` is the prompt template whose labels the answers name, for logs of tasks that ``crossexam
    export`` did not write.
    """

    template: str | None = None


@dataclass(frozen=True)
class LogModel:
    """The replies of a log, by item."""

    name: str
    key: str
    log: Log
    forms: Mapping[ClassName, str]
    details: dict[str, Any] = field(default_factory=dict)

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs*, matched by their texts: [n, 3]; raises FormatError.

        A pair that was asked several times has the first reply.
        """
        import numpy as np

        known: dict[Pair, Reply] = {}
        for reply in self.log.replies:
            known.setdefault((reply.premise or "", reply.hypothesis or ""), reply)
        missing = [pair for pair in pairs if pair not in known]
        if missing:
            raise FormatError(
                f"{len(missing):,} of {len(pairs):,} pairs have no reply: {missing[0]!r} ...",
                where=self.name,
                wanted="pairs that the log has",
                hint="crossexam run log/PATH SUITE, with the suite that was exported",
            )
        rows = [self._answer(known[pair])[0] for pair in pairs]
        return np.array(rows, dtype=np.float64).reshape(-1, 3)

    def predict_sets(self, asked: Sequence[Dataset], whole: Sequence[Dataset]) -> dict[str, SetAnswers]:
        """Return the answers for each test set of *asked*, by name; raises FormatError.

        Replies may be to any items of *whole*, the test sets without ``--limit``; others are errors.  Items
        without a gold label are not exported, and need none.
        """
        import numpy as np

        index = self._by_item(whole)
        found = {}
        for dataset in asked:
            replies = _all_there(dataset, index)
            read = [self._answer(each) for each in replies]
            shares = [row for row, _ in read]
            table = np.array(shares, dtype=np.float64).reshape(-1, 3)
            outcomes = Outcomes.of([outcome for _, outcome in read], len(read))
            found[dataset.name] = SetAnswers(table, outcomes)
        self.details["rules"] = dict(sorted(self._rules.items()))
        return found

    @property
    def _rules(self) -> Counter[str]:
        rules: Counter[str] = self.details.setdefault("rules", Counter())
        return rules

    def _by_item(self, whole: Sequence[Dataset]) -> dict[tuple[str, str], Reply]:
        """Return the replies by test set and id; raises FormatError for one that belongs to no item."""
        items = {(dataset.name, item.id): item for dataset in whole for item in dataset.examples}
        by_id: dict[str, list[str]] = {}
        by_text: dict[Pair, list[tuple[str, str]]] = {}
        for name, item in items.items():
            by_id.setdefault(name[1], []).append(name[0])
            by_text.setdefault((item.premise, item.hypothesis), []).append(name)
        found: dict[tuple[str, str], Reply] = {}
        for reply in self.log.replies:
            for name in _names(reply, items, by_id, by_text):
                _same_text(reply, items[name])
                other = found.get(name)
                found[name] = reply if other is None else _with_texts(other, reply)
        return found

    def _answer(self, reply: Reply | None) -> tuple[Sequence[float], Outcome]:
        """Return the probabilities of a reply, with what became of the question."""
        if reply is None:
            return [float("nan")] * 3, Outcome("unasked")
        forms = self.forms or reply.forms
        if not forms:
            raise FormatError(
                "it is not known which answer stands for which label",
                where=reply.where,
                wanted="a log of tasks that crossexam export wrote, or the template of the answers",
                hint="--template NAME (crossexam ls templates)",
            )
        if reply.likelihoods is not None:
            return _by_likelihood(reply, forms)
        read = [_by_text(reply, place, LabelForms(forms)) for place in range(len(reply.texts))]
        for _, _, rule in read:
            if rule:
                self._rules[rule] += 1
        answered = [(row, outcome) for row, outcome, _ in read if outcome.status == ANSWERED]
        if not answered:
            outcome = read[0][1] if read else Outcome("empty")
            return [float("nan")] * 3, outcome
        rows = [row for row, _ in answered]
        mean = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        return mean, answered[0][1] if len(rows) == 1 else Outcome()


def _names(
    reply: Reply,
    items: Mapping[tuple[str, str], Example],
    by_id: Mapping[str, Sequence[str]],
    by_text: Mapping[Pair, Sequence[tuple[str, str]]],
) -> Sequence[tuple[str, str]]:
    """Return the items that *reply* is to; raises FormatError if there is none or its id is in two sets."""
    if reply.id is None:
        names = by_text.get((reply.premise or "", reply.hypothesis or ""), ())
    elif reply.test_set is not None:
        names = [(reply.test_set, reply.id)] if (reply.test_set, reply.id) in items else []
    else:
        sets = by_id.get(reply.id, ())
        if len(sets) > 1:
            raise FormatError(
                f"the item {reply.id!r} is in several test sets: {', '.join(sets)}",
                where=reply.where,
                wanted="a log that names the test set",
            )
        names = [(name, reply.id) for name in sets]
    if not names:
        raise FormatError(
            f"the reply is to {_shown(reply)}, which is in none of the test sets",
            where=reply.where,
            wanted="replies to items of these test sets only",
            hint="run it over the suite that was exported",
        )
    return names


def _shown(reply: Reply) -> str:
    if reply.id is None:
        return f"the pair {reply.premise!r}, {reply.hypothesis!r}"[:120]
    return f"item {reply.id!r}" + (f" of {reply.test_set}" if reply.test_set else "")


def _same_text(reply: Reply, item: Example) -> None:
    for side, own in (("premise", item.premise), ("hypothesis", item.hypothesis)):
        logged = reply.premise if side == "premise" else reply.hypothesis
        if logged is not None and logged != own:
            raise FormatError(
                f"the {side} of item {item.id!r} is {logged!r} there and {own!r} in the test set",
                where=reply.where,
                wanted="a log of this version of the suite",
            )


def _with_texts(first: Reply, second: Reply) -> Reply:
    """Return one reply with the texts of two to the same item; raises FormatError if they are likelihoods."""
    if first.likelihoods is not None or second.likelihoods is not None:
        raise FormatError(
            f"there are two replies to {_shown(second)}", where=second.where, wanted="one reply per item"
        )
    return first._replace(
        texts=[*first.texts, *second.texts],
        finish=[*first.finish, *second.finish],
        tokens=[*first.tokens, *second.tokens],
    )


def _all_there(dataset: Dataset, index: Mapping[tuple[str, str], Reply]) -> list[Reply | None]:
    """Return the replies to the items of *dataset*, None for items that have neither reply nor gold label."""
    items = dataset.examples
    missing = [item.id for item in items if item.label is not None and (dataset.name, item.id) not in index]
    if missing:
        listed = ", ".join(map(repr, missing[:_LISTED])) + (" ..." if len(missing) > _LISTED else "")
        raise FormatError(
            f"{len(missing):,} of {len(dataset):,} items have no reply: {listed}",
            where=f"test set {dataset.name}",
            wanted="a reply to every item",
            hint="give the folder with the logs of all test sets, or leave out those that were not asked",
        )
    return [index.get((dataset.name, item.id)) for item in items]


def _by_likelihood(reply: Reply, forms: Mapping[ClassName, str]) -> tuple[Sequence[float], Outcome]:
    import numpy as np

    assert reply.likelihoods is not None
    if len(reply.likelihoods) != len(forms):
        raise FormatError(
            f"there are {len(reply.likelihoods)} likelihoods for {len(forms)} labels", where=reply.where
        )
    scores = np.array(reply.likelihoods, dtype=np.float64)
    shares = np.exp(scores - scores.max())
    row = to_label_columns((shares / shares.sum())[None], tuple(forms))[0]
    mass = float(min(1.0, np.exp(scores).sum()))
    return row.tolist(), Outcome(label_mass=mass)


def _by_text(reply: Reply, place: int, forms: LabelForms) -> tuple[Sequence[float], Outcome, str]:
    import numpy as np

    text, finish = reply.texts[place], reply.finish[place]
    read = read_answer(text, forms, finish=finish)
    if read.label is None:
        return [float("nan")] * 3, Outcome(read.status, detail={"text": (text or "")[:4000]}), ""
    order = tuple(forms.forms)
    tokens = reply.tokens[place] if reply.tokens else None
    located = shares_at(tokens, text or "", read, forms)
    if isinstance(located, LabelShares):
        row = np.array([[located.shares.get(label, 0.0) for label in order]])
        winner = order[int(row.argmax())]
        if winner == read.label:  # otherwise the text decides
            return to_label_columns(row, order)[0].tolist(), Outcome(label_mass=located.mass), read.rule
    row = np.array([[float(label == read.label) for label in order]])
    return to_label_columns(row, order)[0].tolist(), Outcome(), read.rule


def open_log(name: str, options: Options) -> LogModel:
    """Return the model ``log/PATH``; raises FormatError if there is no log that can be read."""
    path = Path(name.partition("/")[2])
    if not path.exists():
        raise FormatError("no such file or folder", where=str(path), wanted="a log of lm-eval or Inspect")
    found = next(
        ((name, files) for name, (files_in, _) in HARNESSES.items() if (files := files_in(path))), None
    )
    if found is None:
        raise FormatError(
            "there is no log of a known harness",
            where=str(path),
            wanted="samples_TASK_DATE.jsonl of lm-eval (--log_samples), or .eval or .json of Inspect",
            hint="for predictions in another file: file/PATH",
        )
    harness, files = found
    log = HARNESSES[harness][1](files)
    if not log.replies:
        raise FormatError("the log has no samples", where=str(path), wanted="at least one")
    forms = template(options.template).labels if options.template else {}
    hashes = "\x1f".join(sha256_of(file) for file in files)
    stated = template(options.template).sha256 if options.template else ""
    key = hashlib.blake2b(f"log.v{_READING}\x1f{hashes}\x1f{stated}".encode(), digest_size=16).hexdigest()
    order = tuple(forms or log.replies[0].forms)
    details = {
        "harness": harness,
        **log.facts,
        "replies": len(log.replies),
        "files": [file.name for file in files],
        "two_label": bool(order) and is_two_label(order),
    }
    return LogModel(name, key, log, forms, details)
