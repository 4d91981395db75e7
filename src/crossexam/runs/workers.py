"""Windows answered by the workers of an engine: each opens the model once, by its name and options.

The answers go to the process that asks, which alone has the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

from crossexam.core.errors import CrossexamError
from crossexam.engines.engine import Engine, InThisProcess
from crossexam.models.model import Batch, Model, Pair, one_batch
from crossexam.models.table import open_model
from crossexam.runs.windows import Asking, Window, ask_in_this_process, batch_size_of, batches_of

#: About as many pairs does a worker answer at a time, if the model does not plan batches over a window.
PAIRS_PER_TASK: Final = 4_096


class Share(NamedTuple):
    """The pairs of a window, from the place *offset* on, that a worker answers unless they are *known*.

    *window* is the start of the window; *parses* are those of the sentences, for models that read them.
    """

    window: int
    offset: int
    pairs: Sequence[Pair]
    known: bytes
    parses: Mapping[str, str]


class _AnsweredShare(NamedTuple):
    """The answers to a share, the details of the model then, and the labels that it has named so far."""

    window: int
    batch: Batch
    details: Mapping[str, Any]
    named: frozenset[str]


def asking_of(engine: Engine) -> Asking:
    """Return what has windows answered by the workers of *engine*."""
    return ask_in_this_process if isinstance(engine, InThisProcess) else partial(_ask_workers, engine)


def _ask_workers(
    engine: Engine, model: Model, windows: Iterable[Window], options: Mapping[str, Any]
) -> Iterator[tuple[int, Batch, Mapping[str, Any]]]:
    """Yield the answers of *model* to the unknown pairs of *windows*, a share at a time, as they come.

    Raises CrossexamError if a worker cannot open the same model.
    """
    if model.host is not None:
        raise CrossexamError(
            "workers cannot ask a model at an endpoint, which is asked many questions at once anyway",
            where=model.name,
            hint="leave out --workers and --engine; --concurrency says how many questions",
        )
    begin = _SameModel(model.name, model.key, dict(options))
    with closing(engine.results(begin, _shares(model, windows, options), ordered=False)) as results:
        for found in results:
            if model.named is not None:
                model.named.add(found.named, where=model.name)
            yield found.window, found.batch, found.details


def _shares(model: Model, windows: Iterable[Window], options: Mapping[str, Any]) -> Iterator[Share]:
    """Yield the shares of *windows* with unknown pairs; they end where batches do.

    A model that plans its batches is asked about whole windows, since the batches depend on all pairs.
    """
    batch = batch_size_of(options)
    parses = model.parses or {}
    for window in windows:
        whole = max(1, len(window.pairs))
        size = whole if model.batches is not None else batch * max(1, PAIRS_PER_TASK // batch)
        for start in range(0, len(window.pairs), size):
            pairs, known = window.pairs[start : start + size], bytes(window.known[start : start + size])
            if not all(known):
                of_pairs = {text: parses[text] for pair in pairs for text in pair if text in parses}
                yield Share(window.start, start, pairs, known, of_pairs)


@dataclass(frozen=True)
class _SameModel:
    """Opens the model *name* with *options* in a worker; its *key* must be that of the model that is run."""

    name: str
    key: str
    options: Mapping[str, Any]

    def __call__(self) -> Callable[[Share], _AnsweredShare]:
        """Return the function that answers a share; raises CrossexamError if the model is another one."""
        model = open_model(self.name, self.options)
        if model.key != self.key:
            model = model.worded_for(two_labels=True)
        if model.key != self.key:
            raise CrossexamError(
                "a worker opens another model under this name than the process that runs it",
                where=self.name,
                wanted="the same files on all nodes; a Python function is named as py/module:function",
                hint="copy the model to the same path on every node, or use a path that all nodes share",
            )
        return partial(_answers, model, self.options)


def _answers(model: Model, options: Mapping[str, Any], share: Share) -> _AnsweredShare:
    """Return the answers of *model* to a share."""
    model = model.with_parses(share.parses)
    batches = list(batches_of(model, share.pairs, [bool(known) for known in share.known], options))
    named = frozenset[str]() if model.named is None else model.named.seen
    batch = one_batch(batches)
    batch = batch._replace(indices=[share.offset + index for index in batch.indices])
    return _AnsweredShare(share.window, batch, dict(model.details), named)
