"""Functions that remember what they returned, because words and sentences come again."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any, Final, ParamSpec, TypeVar, cast

#: How many results are kept, the last ones: of words of some kind, nouns or those with antonyms ...
WORDS: Final = 1 << 14
#: ... of any word, as WordNet and corpora have not many more ...
ALL_WORDS: Final = 1 << 16
#: ... of sentences, as constructions go through a chunk one by one and neighbouring rows share their premise
#: (about 12 MB if they are tokens) ...
SENTENCES: Final = 1 << 12
#: ... of one sentence of each example, of which half as many are needed ...
HYPOTHESES: Final = SENTENCES // 2
#: ... and of sentences of which all is asked at once: those of a few examples.
NEARBY: Final = 1 << 8

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def remembered(most: int) -> Callable[[Callable[_Given, _Result]], Callable[_Given, _Result]]:
    """Keep the last *most* results of a function, which must depend on its arguments alone.

    >>> @remembered(WORDS)
    ... def length(word: str) -> int:
    ...     print("counting")
    ...     return len(word)
    >>> length("dog") + length("dog")
    counting
    6
    """

    def decorated(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
        # unlike what lru_cache returns, it takes what the function takes
        return cast("Callable[_Given, _Result]", lru_cache(most)(function))

    return decorated


class once(cached_property[_Result]):  # noqa: N801
    """A property that is computed once per object, at a third of the cost of ``functools.cached_property``.

    That takes a lock before Python 3.12; here, threads may compute the same value twice.
    """

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> _Result:  # type: ignore[override]
        value: _Result
        value = instance.__dict__[self.attrname] = self.func(instance)
        return value
