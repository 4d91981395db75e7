"""Record the terminal picture of the documentation: what ``crossexam demo`` prints, as docs/images/demo.svg.

    python scripts/record_demo.py             # run the demo and write the picture
    python scripts/record_demo.py --check     # run it and compare the text of the picture

The demo runs in a terminal of COLUMNS columns.  The picture shows its output from the sentence about the
worst drop to the end of the first table; ``[...]`` stands for the rest.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from html import unescape
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "demo.svg"
COMMAND = "crossexam demo"
COLUMNS = 108
_BEGIN = "The accuracy of builtin/minilm falls"
_END = "builtin/minilm"  # the title of the next table
_LEFT_OUT = "\x1b[2m[...]\x1b[0m"
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def demo_output() -> str:
    """Return what the demo prints on a terminal, with its colours; raises CalledProcessError."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    environment |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "PYTHONPATH": str(ROOT / "src")}
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", *COMMAND.split()]
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=theirs, stderr=subprocess.PIPE, stdin=theirs
        )
        os.close(theirs)
        printed = b"".join(iter(lambda: _read(ours), b""))
        _, errors = process.communicate()
    os.close(ours)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, printed, errors)
    return printed.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # how a terminal of Linux says that nobody writes to it any more
        return b""


def shown(output: str) -> list[str]:
    """Return the lines of the picture; raises ValueError if *output* lacks the lines at which it is cut."""
    lines = [line.rstrip() for line in output.splitlines()]
    plain = [_ANSI.sub("", line).rstrip() for line in lines]
    begin = next((n for n, line in enumerate(plain) if line.startswith(_BEGIN)), None)
    end = next((n for n, line in enumerate(plain) if line == _END), None)
    if begin is None or end is None or end < begin:
        raise ValueError(f"the demo does not print '{_BEGIN}' and then '{_END}': adapt {Path(__file__).name}")
    return [f"$ {COMMAND}", _LEFT_OUT, *lines[begin:end], _LEFT_OUT]


def picture(lines: list[str]) -> str:
    """Return *lines*, which may have colours, as an SVG that loads nothing from elsewhere."""
    from rich._export_format import CONSOLE_SVG_FORMAT
    from rich.console import Console
    from rich.text import Text

    console = Console(
        record=True, width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor"
    )
    for line in lines:
        console.print(Text.from_ansi(line), soft_wrap=True, highlight=False)
    without_fonts = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    svg = console.export_svg(title=COMMAND, code_format=without_fonts, unique_id="demo")
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def text_of(svg: str) -> list[str]:
    """Return the lines of text in a picture, without their spaces and colours."""
    rows: dict[float, list[str]] = {}
    for place, text in re.findall(r'<text [^>]*y="([\d.]+)"[^>]*clip-path[^>]*>([^<]*)</text>', svg):
        rows.setdefault(float(place), []).append(unescape(text).replace("\xa0", " "))
    return ["".join("".join(rows[place]).split()) for place in sorted(rows)]


def main() -> int:
    """Write or check the picture."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    made = picture(shown(demo_output()))
    if not check:
        PICTURE.write_text(made, encoding="utf-8")
        print(f"written: {PICTURE}")
    elif text_of(made) != text_of(PICTURE.read_text(encoding="utf-8")):
        print(f"{PICTURE} is not what '{COMMAND}' prints: run {Path(__file__).name}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
