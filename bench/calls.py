"""How many functions a run and its report enter, and how few they could be.

    python bench/calls.py

A function asks as the model, over the base and the test set of one construction.  Imports, the bodies of
classes, lambdas and comprehensions are not counted.  The second figure is a bound: as if every function that
only one other calls here were merged into it, smallest first, as long as no body gets longer than 34 lines
(40 with the signature and a docstring).
"""

from __future__ import annotations

import ast
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import crossexam

_SOURCE = Path(crossexam.__file__).parent
_LONGEST_BODY = 34
_LABELS = ("entailment", "neutral", "contradiction")


def model(pairs: list[tuple[str, str]]) -> list[str]:
    """Return a label for each pair that depends on the lengths of its texts."""
    return [_LABELS[(len(premise) + len(hypothesis)) % 3] for premise, hypothesis in pairs]


def calls_of(folder: Path) -> dict[CodeType, set[CodeType | None]]:
    """Return the functions that a run and its report enter, each with those that call it."""
    suite = crossexam.build("negation", "builtin:demo", folder=folder / "suite")
    callers: dict[CodeType, set[CodeType | None]] = defaultdict(set)

    def enter(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and is_function(frame.f_code) and not is_importing(frame):
            caller = frame.f_back
            while caller is not None and not is_function(caller.f_code):
                caller = caller.f_back
            callers[frame.f_code].add(None if caller is None else caller.f_code)

    sys.setprofile(enter)
    crossexam.report(crossexam.run(model, suite)).save(folder / "report.html")
    sys.setprofile(None)
    return callers


def is_function(code: CodeType) -> bool:
    """Return whether *code* is that of a named function of the package."""
    is_ours = code.co_filename.startswith(str(_SOURCE)) and code.co_filename.endswith(".py")
    return is_ours and code.co_name[0] != "<" and bool(code.co_flags & 1)  # CO_OPTIMIZED: not a class


def is_importing(frame: FrameType | None) -> bool:
    """Return whether an import is under way."""
    while frame is not None:
        if "importlib" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def bodies_in(path: str) -> Iterator[tuple[int, int]]:
    """Yield the first line of each function of a file, and the lines of its body without the docstring."""
    for node in ast.walk(ast.parse(Path(path).read_text())):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            first = min(each.lineno for each in (node, *node.decorator_list))
            yield first, body[-1].end_lineno - body[0].lineno + 1 if body else 0


def lines_of(callers: dict[CodeType, set[CodeType | None]]) -> dict[CodeType, int]:
    """Return the lines of the body of each function."""
    by_file = {path: dict(bodies_in(path)) for path in {code.co_filename for code in callers}}
    return {code: by_file[code.co_filename][code.co_firstlineno] for code in callers}


def merged(callers: dict[CodeType, set[CodeType | None]]) -> dict[CodeType, int]:
    """Return the lines of the functions that remain if those with one caller are merged into it."""
    lines = lines_of(callers)

    def pair() -> tuple[CodeType, CodeType] | None:
        for code in sorted(lines, key=lambda each: lines[each]):
            (caller, *others) = callers[code]
            is_free = caller in lines and caller is not code and not others
            if is_free and lines[code] + lines[caller] <= _LONGEST_BODY:
                return code, caller
        return None

    while found := pair():
        code, caller = found
        lines[caller] += lines.pop(code)
        for each in lines:
            if code in callers[each]:
                callers[each] = callers[each] - {code} | {caller}
    return lines


def counted(codes: dict[CodeType, Any]) -> str:
    return f"{len(codes)} functions in {len({code.co_filename for code in codes})} files"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        callers = calls_of(Path(folder))
    print(f"a run and its report enter {counted(callers)}")
    print(f"of at most three lines: {sum(lines <= 3 for lines in lines_of(callers).values())} functions")
    print(f"with functions that one other calls merged into it: {counted(merged(callers))}")


if __name__ == "__main__":
    main()
