"""The declared splits of the cross-dataset benchmark, drawn from what is installed (section 2.2).

A pair's place in the draw is a hash of the seed and its two sentences, so that the same corpus gives the
same split on any machine, in whatever order or under whatever ids its files have the pairs.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from crossexam.core.dataset import content_hash
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.corpora.reading import iter_corpus, resolve
from crossexam.suites.fourteen_corpora import Member

#: A share of a label further from Table 4's than this, in points, is told.
_POINTS: Final = 1.0


@dataclass(frozen=True)
class Split:
    """A corpus of the benchmark as it was split: its *validation* and *test* examples.

    *absent* names the splits that are not installed; *differs* lists what is not as in Table 4.
    """

    member: Member
    validation: Sequence[Example]
    test: Sequence[Example]
    absent: tuple[str, ...]
    files: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether all that the test set is drawn from is installed, and has labels: as many as Table 4.

        Fewer are whole where the corpus itself has fewer than the paper counts (*known*).
        """
        if len(self.test) < self.member.sizes[1] and not self.member.known:
            return False
        rows = len(self.validation) + len(self.test)
        return not self.absent or self.member.given is not None or rows >= sum(self.member.sizes)

    def commonest(self) -> str | None:
        """Return the most frequent label of the validation set, None where that has none."""
        counts = Counter(example.label for example in self.validation)
        return min(counts, key=lambda label: (-counts[label], str(label))) if counts else None

    def differences(self) -> list[str]:
        """Return what is not as in Table 4: files that are missing, sizes, label shares."""
        found = [f"not installed: {', '.join(self.absent)}"] if self.absent else []
        ours = (len(self.validation), len(self.test))
        for name, here, published in zip(("validation", "test"), ours, self.member.sizes, strict=True):
            if here != published:
                found.append(f"{name} has {here:,} examples, published {published:,}")
        shares = label_shares([*self.validation, *self.test] if self.member.given is None else self.test)
        for label in sorted({*shares, *self.member.shares}):
            here_, there = shares.get(label, 0.0), self.member.shares.get(label, 0.0)  # type: ignore[call-overload]
            if abs(here_ - there) > _POINTS:
                found.append(f"{here_:.1f} % {label}, published {there:.1f} %")
        return found

    def manifest(self, seed: int) -> dict[str, Any]:
        """Return what is written of the split: rule, seed, and ids and content hash of both parts."""
        return {
            "corpus": self.member.key,
            "rule": self.member.rule,
            "seed": seed,
            "files": list(self.files),
            "complete": self.complete,
            "differences": self.differences(),
            "known": self.member.known,
            **{
                name: {"rows": len(part), "content_hash": content_hash(part), "ids": [e.id for e in part]}
                for name, part in (("validation", self.validation), ("test", self.test))
            },
        }


def label_shares(examples: Sequence[Example]) -> dict[str, float]:
    """Return the percentage of each gold label.

    >>> label_shares([Example("a", "P.", "H.", "neutral")])
    {'neutral': 100.0}
    """
    counts = Counter(str(example.label) for example in examples)
    return {label: 100 * count / len(examples) for label, count in sorted(counts.items())}


def split_member(member: Member, seed: int) -> Split | None:
    """Return *member* split with *seed*, None where none of what its test set needs is installed.

    Where only some of its splits are, these are divided in the published proportion.
    """
    pool, absent, files = _pool(member)
    if member.given is not None:
        return _beside_given(member, pool, absent, files, seed)
    if not pool:
        return None
    wanted = len(pool) // 2
    if member.sampled is not None:
        whole = sum(member.sizes)
        wanted = member.sampled if not absent else len(pool) * member.sampled // whole
    first = set(_drawn(pool, seed)[:wanted])
    validation = [example for place, example in enumerate(pool) if place in first]
    test = [example for place, example in enumerate(pool) if place not in first]
    return Split(member, validation, test, absent, files)


def _beside_given(
    member: Member, pool: list[Example], absent: tuple[str, ...], files: tuple[str, ...], seed: int
) -> Split | None:
    test, missing, test_files = _pool(replace(member, splits=(member.given or "",), given=None))
    if missing:
        return None
    first = set(_drawn(pool, seed)[: len(test)])
    validation = [example for place, example in enumerate(pool) if place in first]
    return Split(member, validation, test, absent, (*files, *test_files))


def _pool(member: Member) -> tuple[list[Example], tuple[str, ...], tuple[str, ...]]:
    """Return the labelled examples of all splits of *member*, which are not installed, and the files."""
    examples: list[Example] = []
    absent, files = [], []
    for part in member.splits:
        spec = f"{member.corpus}:{part}"
        try:
            paths = resolve(spec)
        except CrossexamError:
            absent.append(spec)
            continue
        files += [path.name for path in paths]
        found = iter_corpus(spec)
        single = len(member.splits) == 1
        examples += (example if single else replace(example, id=f"{part}:{example.id}") for example in found)
    return examples, tuple(absent), tuple(files)


def _drawn(pool: Sequence[Example], seed: int) -> list[int]:
    """Return the places of *pool* in the order of the draw."""
    times: Counter[str] = Counter()
    keys = []
    for example in pool:
        text = f"{example.premise}\x1f{example.hypothesis}"
        times[text] += 1
        digest = hashlib.blake2b(f"{seed}\x1f{text}\x1f{times[text]}".encode("utf-8", "surrogatepass"))
        keys.append(digest.digest())
    return sorted(range(len(pool)), key=keys.__getitem__)
