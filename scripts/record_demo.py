"""Record the pictures of the documentation: what ``crossexam demo`` prints, and the top of its report.

    python scripts/record_demo.py             # run the demo; write docs/images/demo.svg and report.png
    python scripts/record_demo.py --check     # run it and compare the text of the pictures

The demo runs in a terminal of COLUMNS columns.  demo.svg shows its output from the sentence about the
worst drop to the end.  report.png is the top of the page in
Chromium (CROSSEXAM_CHROMIUM says where it is); it holds the headline of the page, by which it is compared.
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
import zlib
from html import unescape
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "demo.svg"
PHOTOGRAPH = ROOT / "docs" / "images" / "report.png"
CHROMIUM = Path(os.environ.get("CROSSEXAM_CHROMIUM", "/usr/bin/chromium"))
COMMAND = "crossexam demo"
REPORT = "crossexam-demo/report.html"
COLUMNS = 108
_BEGIN = "The accuracy of builtin/minilm falls"
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--hide-scrollbars"),
)
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADLINE = b"Title\0"


def demo_output(folder: Path) -> str:
    """Return what the demo prints on a terminal, with its colours, when it is run in *folder*.

    Raises CalledProcessError.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    environment |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "PYTHONPATH": str(ROOT / "src")}
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
    """Return the lines of the picture; raises ValueError if *output* lacks the line at which it begins."""
    lines = [line.rstrip() for line in output.splitlines()]
    plain = [_ANSI.sub("", line).rstrip() for line in lines]
    begin = next((n for n, line in enumerate(plain) if line.startswith(_BEGIN)), None)
    if begin is None:
        raise ValueError(f"the demo does not print '{_BEGIN}': adapt {Path(__file__).name}")
    return [f"$ {COMMAND}", *lines[begin:]]


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


def photograph(page: Path) -> bytes:
    """Return the top of *page* in Chromium as a PNG with its headline; raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "report.png"
        subprocess.run(
            [
                *(str(CHROMIUM), *_FLAGS, f"--user-data-dir={folder}/profile", "--window-size=1280,960"),
                *(f"--screenshot={image}", page.resolve().as_uri()),
            ],
            check=True,
            capture_output=True,
        )
        return with_headline(image.read_bytes(), headline_of(page.read_text(encoding="utf-8")))


def headline_of(page: str) -> str:
    """Return the headline of a report."""
    found = re.search(r"<h1>(.*?)</h1>", page)
    if found is None:
        raise ValueError("the page has no headline")
    return unescape(found[1]).replace("\xa0", " ")


def with_headline(png: bytes, headline: str) -> bytes:
    """Return *png* with *headline* as its title, in a chunk of type tEXt after its head."""
    body = b"tEXt" + _HEADLINE + headline.encode("latin-1", "replace")
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    end = len(_SIGNATURE) + 25  # of the chunk IHDR
    return png[:end] + chunk + png[end:]


def headline_in(png: bytes) -> str:
    """Return the headline in a picture of :func:`with_headline`; empty if it has none."""
    at = len(_SIGNATURE) + 25
    (size,) = struct.unpack(">I", png[at : at + 4])
    body = png[at + 4 : at + 8 + size]
    start = b"tEXt" + _HEADLINE
    return body.removeprefix(start).decode("latin-1") if body.startswith(start) else ""


def _differing(folder: Path, printed: str) -> list[Path]:
    """Return the pictures that do not show what the demo in *folder* printed and wrote."""
    same = {
        PICTURE: text_of(picture(shown(printed))) == text_of(PICTURE.read_text(encoding="utf-8")),
        PHOTOGRAPH: headline_of(_page_in(folder)) == headline_in(PHOTOGRAPH.read_bytes()),
    }
    return [path for path, is_same in same.items() if not is_same]


def _page_in(folder: Path) -> str:
    return (folder / REPORT).read_text(encoding="utf-8")


def main() -> int:
    """Write or check the pictures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        printed = demo_output(folder)
        if check:
            stale = _differing(folder, printed)
            for path in stale:
                print(f"{path} is not what '{COMMAND}' shows: run {Path(__file__).name}", file=sys.stderr)
            return int(bool(stale))
        PICTURE.write_text(picture(shown(printed)), encoding="utf-8")
        PHOTOGRAPH.write_bytes(photograph(folder / REPORT))
    print(f"written: {PICTURE} and {PHOTOGRAPH}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
