"""The terminal picture of the documentation shows what the demo prints."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import record_demo  # noqa: E402

SVG = record_demo.PICTURE.read_text("utf-8")


@pytest.mark.slow
def test_the_picture_is_what_the_demo_prints() -> None:
    """If not, the output has changed: run scripts/record_demo.py, and look at the picture."""
    made = record_demo.picture(record_demo.shown(record_demo.demo_output()))
    assert record_demo.text_of(made) == record_demo.text_of(SVG)


def test_the_picture_loads_nothing() -> None:
    addresses = set(re.findall(r"https?://[^\s\"<]+", SVG)) - {"http://www.w3.org/2000/svg"}
    assert addresses == {"https://www.textualize.io"}  # a comment
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", SVG)


def test_a_changed_number_is_seen() -> None:
    changed = SVG.replace("60.2", "60.3")
    assert changed != SVG
    assert record_demo.text_of(changed) != record_demo.text_of(SVG)


def test_other_output_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"adapt record_demo\.py"):
        record_demo.shown("nothing of interest\n")
