"""What other harnesses asked, as a model: ``log/PATH``.

PATH is a file or a folder of one of the HARNESSES.  Replies are matched to items by test set and id, or by
the pair or the prompt where a log has no ids, and the texts are compared, so that a log of another version of
a suite is an error.  What a text answers is read by the rules of ``api/``; a reply in which no label is found
is an item without an answer.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from crossexam.core.dataset import Dataset
from crossexam.core.errors import FormatError
from crossexam.core.files import sha256_of
from crossexam.core.outcome import ANSWERED, Outcome, Outcomes
from crossexam.core.output.escapes import quoted
from crossexam.models.api.logprobs import LabelShares, shares_at
from crossexam.models.api.reading import LabelForms, read_answer
from crossexam.models.api.replies import NOTHING
from crossexam.models.label_order import ClassName, is_two_label, to_label_columns
from crossexam.models.logs.matching import ItemIndex, refuse_sets_without_replies, replies_to
from crossexam.models.logs.replies import Log, Reply
from crossexam.models.logs.table import HARNESSES
from crossexam.models.model import Model, Pair, SetAnswers, pair_digest
from crossexam.models.prompts.table import template
from crossexam.models.prompts.template import Template

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Part of every key: increased if the same log is read in another way.
_READING: Final = 2


@dataclass(frozen=True)
class Options:
    """How the replies are read.

    ``template`` is the prompt template whose labels the answers name, for logs of tasks that ``crossexam
    export`` did not write.
    """

    template: str | None = None


@dataclass(frozen=True)
class LogModel(Model):
    """The replies of a log, by item."""

    name: str
    key: str
    log: Log
    template: Template | None
    details: dict[str, Any] = field(default_factory=dict)

    def predict(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs*, matched by their texts: [n, 3]; raises FormatError.

        A pair that was asked several times has the first reply.
        """
        known: dict[Pair | str | None, Reply] = {}
        for reply in self.log.replies:
            if reply.premise is not None and reply.hypothesis is not None:
                known.setdefault((reply.premise, reply.hypothesis), reply)
            else:
                known.setdefault(reply.pair_digest, reply)
        names = [pair if pair in known else pair_digest(pair) for pair in pairs]
        missing = [pair for pair, name in zip(pairs, names, strict=True) if name not in known]
        if missing:
            raise FormatError(
                f"{len(missing):,} of {len(pairs):,} pairs have no reply: {quoted(missing[0])} ...",
                where=self.name,
                wanted="pairs that the log has",
                hint="crossexam run log/PATH SUITE, with the suite that was exported",
            )
        rows = [self._answer(known[name])[0] for name in names]
        return np.array(rows, dtype=np.float64).reshape(-1, 3)

    def predict_sets(self, asked: Sequence[Dataset], whole: Sequence[Dataset]) -> dict[str, SetAnswers]:
        """Return the answers for each test set of *asked*, by name; raises FormatError.

        Replies may be to any items of *whole*, the test sets without ``--limit``; others are errors, but for
        those to test sets that are not among them, which are counted.  Items without a gold label are not
        exported, and need no reply.
        """
        index, elsewhere = ItemIndex(whole, self.template).replies_by_item(self.log.replies)
        refuse_sets_without_replies(asked, index)
        found = {}
        for dataset in asked:
            read = [self._answer(each) for each in replies_to(dataset, index)]
            shares = [row for row, _ in read]
            table = np.array(shares, dtype=np.float64).reshape(-1, 3)
            outcomes = Outcomes.of([outcome for _, outcome in read], len(read))
            found[dataset.name] = SetAnswers(table, outcomes)
        self.details["rules"] = dict(sorted(self._rules.items()))
        if elsewhere:
            self.details["warning"] = (
                f"the log has {elsewhere.total():,} replies to test sets that were left out: "
                f"{', '.join(sorted(elsewhere))}"
            )
        return found

    @property
    def _rules(self) -> Counter[str]:
        rules: Counter[str] = self.details.setdefault("rules", Counter())
        return rules

    def _answer(self, reply: Reply | None) -> tuple[Sequence[float], Outcome]:
        """Return the probabilities of a reply, with what became of the question."""
        if reply is None:
            return NOTHING, Outcome("unasked")
        if reply.status:
            return NOTHING, Outcome(reply.status)
        forms = self._forms_for(reply)
        if reply.likelihoods is not None:
            return _by_likelihood(reply, forms)
        read = [_by_text(reply, place, LabelForms(forms)) for place in range(len(reply.texts))]
        for _, _, rule in read:
            if rule:
                self._rules[rule] += 1
        answered = [(row, outcome) for row, outcome, _ in read if outcome.status == ANSWERED]
        if not answered:
            return NOTHING, read[0][1] if read else Outcome("empty")
        if len(answered) == 1:
            return answered[0]
        columns = zip(*(row for row, _ in answered), strict=True)
        return [sum(column) / len(answered) for column in columns], Outcome()

    def _forms_for(self, reply: Reply) -> Mapping[ClassName, str]:
        if self.template is not None:
            return self.template.forms(reply.premise or "", reply.hypothesis or "")
        if not reply.forms:
            raise FormatError(
                "it is not known which answer stands for which label",
                where=reply.where,
                wanted="a log of tasks that crossexam export wrote, or the template of the answers",
                hint="--template NAME (crossexam ls templates)",
            )
        return reply.forms


def _by_likelihood(reply: Reply, forms: Mapping[ClassName, str]) -> tuple[Sequence[float], Outcome]:
    assert reply.likelihoods is not None
    order = _labels_of_choices(reply, forms)
    scores = np.array(reply.likelihoods, dtype=np.float64)
    if not np.isfinite(scores.max()):
        raise FormatError("all likelihoods are zero", where=reply.where, wanted="at least one that is not")
    shares = np.exp(scores - scores.max())
    row = to_label_columns((shares / shares.sum())[None], order)[0]
    mass = float(min(1.0, np.exp(scores).sum()))
    return row.tolist(), Outcome(label_mass=mass)


def _labels_of_choices(reply: Reply, forms: Mapping[ClassName, str]) -> tuple[ClassName, ...]:
    """Return the label of each choice, by how labels are written; raises FormatError if they do not fit."""
    assert reply.likelihoods is not None
    if len(reply.likelihoods) != len(reply.choices):
        raise FormatError(
            f"there are {len(reply.likelihoods)} likelihoods for {len(reply.choices)} labels",
            where=reply.where,
        )
    labels = {form.strip(): label for label, form in forms.items()}
    choices = [choice.strip() for choice in reply.choices]
    if sorted(labels) != sorted(choices):
        raise FormatError(
            f"the choices are {', '.join(map(repr, choices))}, and the labels are written "
            f"{', '.join(map(repr, labels))}",
            where=reply.where,
            wanted="the template in whose words the harness asked",
            hint="--template NAME (crossexam ls templates)",
        )
    return tuple(labels[choice] for choice in choices)


def _by_text(reply: Reply, place: int, forms: LabelForms) -> tuple[Sequence[float], Outcome, str]:
    text = reply.texts[place]
    finish = reply.finish[place] if reply.finish else ""
    refusal = reply.refusals[place] if reply.refusals else ""
    read = read_answer(text, forms, finish=finish, refusal=refusal)
    if read.label is None:
        return NOTHING, Outcome(read.status, detail={"text": (text or "")[:4000]}), ""
    order = tuple(forms.forms)
    tokens = reply.tokens[place] if reply.tokens else None
    located = shares_at(tokens, text or "", read, forms)
    if isinstance(located, LabelShares) and located.shares[read.label] >= max(located.shares.values()):
        row = np.array([[located.shares.get(label, 0.0) for label in order]])
        return to_label_columns(row, order)[0].tolist(), Outcome(label_mass=located.mass), read.rule
    # Without probabilities, or where they contradict the text, the text decides.
    row = np.array([[float(label == read.label) for label in order]])
    return to_label_columns(row, order)[0].tolist(), Outcome(), read.rule


def open_log(name: str, options: Options) -> LogModel:
    """Return the model ``log/PATH``; raises FormatError if there is no log that can be read."""
    path = Path(name.partition("/")[2])
    known = "; ".join(harness.files for harness in HARNESSES.values())
    if not path.exists():
        raise FormatError("no such file or folder", where=str(path), wanted=f"a log: {known}")
    found = next(((name, files) for name, each in HARNESSES.items() if (files := each.found(path))), None)
    if found is None:
        raise FormatError(
            "there is no log of a known harness",
            where=str(path),
            wanted=f"one of: {known}",
            hint="for predictions in another file: file/PATH",
        )
    harness, files = found
    log = HARNESSES[harness].read(files)
    if not log.replies:
        raise FormatError("the log has no samples", where=str(path), wanted="at least one")
    stated = template(options.template) if options.template else None
    hashes = "\x1f".join(sha256_of(file) for file in files)
    parts = f"log.v{_READING}\x1f{hashes}\x1f{stated.sha256 if stated else ''}"
    key = hashlib.blake2b(parts.encode(), digest_size=16).hexdigest()
    order = tuple(stated.labels if stated else log.replies[0].forms)
    details = {
        "harness": harness,
        **log.facts,
        "replies": len(log.replies),
        "files": [file.name for file in files],
        "two_label": bool(order) and is_two_label(order),
    }
    return LogModel(name, key, log, stated, details)
