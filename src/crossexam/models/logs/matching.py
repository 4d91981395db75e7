"""Which items the replies of a log are to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from crossexam.core.dataset import Dataset
from crossexam.core.errors import FormatError
from crossexam.core.example import Example
from crossexam.core.output.escapes import quoted
from crossexam.models.logs.replies import Reply
from crossexam.models.model import Pair, pair_digest
from crossexam.models.prompts.template import Template

#: An item: the name of its test set and its id.
ItemName = tuple[str, str]
_LISTED: Final = 5  # items that an error names


class ItemIndex:
    """The items of *datasets* by what a log can say of them; *template* has the words in which it asked."""

    def __init__(self, datasets: Iterable[Dataset], template: Template | None) -> None:
        self._template = template
        self._items = {(data.name, item.id): item for data in datasets for item in data.examples}
        self._sets = {name for name, _ in self._items}

    def replies_by_item(self, replies: Iterable[Reply]) -> tuple[dict[ItemName, Reply], Counter[str]]:
        """Return *replies* by item, and how many there are to test sets that are not in the index, by name.

        Raises FormatError for a reply that belongs to no item, or has other texts than its item.
        """
        found: dict[ItemName, Reply] = {}
        elsewhere: Counter[str] = Counter()
        for reply in replies:
            if reply.test_set is not None and reply.test_set not in self._sets:
                elsewhere[reply.test_set] += 1
                continue
            for name in self._names(reply):
                _same_text(reply, self._items[name])
                other = found.get(name)
                found[name] = reply if other is None else _with_texts(other, reply)
        return found, elsewhere

    def _names(self, reply: Reply) -> Sequence[ItemName]:
        """Return the items that *reply* is to; raises FormatError if there is none, or it is not clear."""
        if reply.id is not None and reply.test_set is not None:
            names = [(reply.test_set, reply.id)] if (reply.test_set, reply.id) in self._items else []
        elif reply.id is not None:
            names = self._one_text(self._by_id.get(reply.id, []), reply)
        elif reply.pair_digest is not None:
            names = self._by_hash.get(reply.pair_digest, [])
        elif reply.premise is not None and reply.hypothesis is not None:
            names = self._by_text.get((reply.premise, reply.hypothesis), [])
        else:
            names = self._by_prompt.get((reply.prompt or "").strip(), [])
        if not names:
            raise FormatError(
                f"the reply is to {_shown(reply)}, which is in none of the test sets",
                where=reply.where,
                wanted="replies to items of these test sets only",
                hint="run it over the suite that was exported"
                + (", with the --template in whose words it asked" if _has_prompt_only(reply) else ""),
            )
        return names

    def _one_text(self, names: list[ItemName], reply: Reply) -> list[ItemName]:
        """Return *names*, which have one id; raises FormatError if they are different pairs."""
        if len({_pair(self._items[name]) for name in names}) > 1:
            raise FormatError(
                f"the item {quoted(reply.id)} is in several test sets: "
                f"{', '.join(name for name, _ in names)}",
                where=reply.where,
                wanted="a log that names the test set",
            )
        return names

    @cached_property
    def _by_id(self) -> dict[str, list[ItemName]]:
        found: dict[str, list[ItemName]] = {}
        for name in self._items:
            found.setdefault(name[1], []).append(name)
        return found

    @cached_property
    def _by_text(self) -> dict[Pair, list[ItemName]]:
        found: dict[Pair, list[ItemName]] = {}
        for name, item in self._items.items():
            found.setdefault(_pair(item), []).append(name)
        return found

    @cached_property
    def _by_hash(self) -> dict[str, list[ItemName]]:
        return {pair_digest(pair): names for pair, names in self._by_text.items()}

    @cached_property
    def _by_prompt(self) -> dict[str, list[ItemName]]:
        """The items by what the template makes of them, empty without one."""
        found: dict[str, list[ItemName]] = {}
        for pair, names in self._by_text.items() if self._template else ():
            assert self._template is not None
            found.setdefault(self._template.prompt(*pair).strip(), []).extend(names)
        return found


def replies_to(dataset: Dataset, index: Mapping[ItemName, Reply]) -> list[Reply | None]:
    """Return the replies to the items of *dataset*, None for items that have neither reply nor gold label.

    Raises FormatError if the log lacks others.
    """
    items = dataset.examples
    missing = [item.id for item in items if item.label is not None and (dataset.name, item.id) not in index]
    if missing:
        listed = ", ".join(map(quoted, missing[:_LISTED])) + (" ..." if len(missing) > _LISTED else "")
        raise FormatError(
            f"{len(missing):,} of {len(dataset):,} items have no reply: {listed}",
            where=f"test set {dataset.name}",
            wanted="a reply to every item",
            hint="give the folder with the logs of all test sets; if the harness was asked about the first N "
            "items only, --limit N",
        )
    return [index.get((dataset.name, item.id)) for item in items]


def refuse_sets_without_replies(datasets: Iterable[Dataset], index: Mapping[ItemName, Reply]) -> None:
    """Raise FormatError, with the options that choose the others, if a log has nothing of some *datasets*."""
    there = {name for name, _ in index}
    labelled = [data.name for data in datasets if (data.labels() >= 0).any()]
    missing = [name for name in labelled if name not in there]
    if missing:
        kept = " ".join(f"--only '{name}'" for name in labelled if name in there)
        raise FormatError(
            f"the log has no reply to any item of {len(missing)} of the {len(labelled)} test sets with gold "
            f"labels: {', '.join(missing)}",
            wanted="replies to all test sets of the suite with gold labels",
            hint="give the folder with the logs of all test sets"
            + (f"; if the model was not asked about these: {kept}" if kept else ""),
        )


def _pair(item: Example) -> Pair:
    return item.premise, item.hypothesis


def _has_prompt_only(reply: Reply) -> bool:
    return reply.prompt is not None and reply.id is None and reply.premise is None


def _shown(reply: Reply) -> str:
    if reply.id is not None:
        return f"item {quoted(reply.id)}" + (f" of {reply.test_set}" if reply.test_set else "")
    if reply.premise is not None or reply.hypothesis is not None:
        return f"the pair {quoted(reply.premise)}, {quoted(reply.hypothesis)}"
    if reply.prompt is not None:
        return f"the prompt {quoted(reply.prompt)}"
    return f"the pair with the hash {reply.pair_digest}"


def _same_text(reply: Reply, item: Example) -> None:
    for side, own in (("premise", item.premise), ("hypothesis", item.hypothesis)):
        logged = reply.premise if side == "premise" else reply.hypothesis
        if logged is not None and logged != own:
            raise FormatError(
                f"the {side} of item {quoted(item.id)} is {quoted(logged)} there, "
                f"and {quoted(own)} in the test set",
                where=reply.where,
                wanted="a log of this version of the suite",
            )


def _with_texts(first: Reply, second: Reply) -> Reply:
    """Return one reply with the texts of two to the same item; raises FormatError if they have none."""
    if not first.texts or not second.texts:
        raise FormatError(
            f"there are two replies to {_shown(second)}", where=second.where, wanted="one reply per item"
        )
    return first._replace(
        texts=[*first.texts, *second.texts],
        finish=[*first.finish, *second.finish],
        refusals=[*first.refusals, *second.refusals],
        tokens=[*first.tokens, *second.tokens],
    )
