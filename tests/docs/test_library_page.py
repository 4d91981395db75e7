"""The page of the library: its code runs, and shows what the page says."""

import ast
import re
import types
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "library.md"
BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n\n```text\n(?P<shown>.*?)```", re.DOTALL)


def _cell(code: str, names: dict[str, object]) -> str:
    """Return what a notebook shows below the cell *code*: what it prints, and the value of its last line."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            if value is not None:
                print(repr(value))
    return printed.getvalue()


@pytest.mark.slow
def test_the_page_shows_what_its_code_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """``pytest --accept`` writes the outputs anew; then read the diff."""
    monkeypatch.chdir(tmp_path)
    names = vars(types.ModuleType("cell"))
    text = PAGE.read_text(encoding="utf-8")
    assert text.count("```python") == len(BLOCK.findall(text)) > 10

    def shown(block: re.Match[str]) -> str:
        output = _cell(block["code"], names)
        return f"```python\n{block['code']}```\n\n```text\n{output}```"

    done = BLOCK.sub(shown, text)
    if request.config.getoption("--accept"):
        PAGE.write_text(done, encoding="utf-8")
    assert done == PAGE.read_text(encoding="utf-8")
    assert (tmp_path / "report.html").exists()
