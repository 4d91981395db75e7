"""The rows of faults.toml apply to the source as it is, and are measured by tests that exist."""

import ast
from pathlib import Path

import faults

ROOT = Path(__file__).parents[2]

ROWS = faults.faults()


def test_every_row_applies() -> None:
    """The old text occurs once, the new one is another program, and every folder of the source has faults."""
    wrong = []
    for fault in ROWS:
        text = (ROOT / fault.file).read_text(encoding="utf-8")
        if text.count(fault.old) != 1:
            wrong.append(f"{fault.name}: {fault.path} has the old text {text.count(fault.old)} times")
        elif ast.dump(ast.parse(text)) == ast.dump(ast.parse(text.replace(fault.old, fault.new))):
            wrong.append(f"{fault.name}: the new text says the same")
        wrong += [f"{fault.name}: no {each}" for each in fault.nearest() if not (ROOT / each).exists()]
    assert not wrong, "\n".join(wrong)
    folders = {path.name for path in (ROOT / faults.SOURCE).iterdir() if (path / "__init__.py").is_file()}
    assert {Path(fault.path).parts[0] for fault in ROWS} >= folders
    assert len(ROWS) >= 60
