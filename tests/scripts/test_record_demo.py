"""The pictures of the documentation show what the demo prints and writes."""

import re
from pathlib import Path

import pytest
import record_demo

ROOT = Path(__file__).resolve().parents[2]

SVG = record_demo.PICTURE.read_text("utf-8")
PNG = record_demo.PHOTOGRAPH.read_bytes()
NUMBER = re.compile(r"\d+\.\d")


@pytest.mark.slow
def test_the_pictures_are_what_the_demo_shows(tmp_path: Path) -> None:
    """If not, the output has changed: run scripts/record_demo.py, and look at the pictures.

    Another processor may round otherwise in ``builtin/minilm``, and then gives one or two of 324 items
    another label.
    """
    made = record_demo.picture(record_demo.shown(record_demo.demo_output(tmp_path)))
    said, shown = "\n".join(record_demo.text_of(made)), "\n".join(record_demo.text_of(SVG))
    page = (tmp_path / record_demo.REPORT).read_text("utf-8")
    headlines = record_demo.headline_of(page), record_demo.headline_in(PNG)
    for new, old in ((said, shown), headlines):
        assert NUMBER.sub("0.0", new) == NUMBER.sub("0.0", old)
        numbers = [[float(each) for each in NUMBER.findall(text)] for text in (new, old)]
        assert numbers[0] == pytest.approx(numbers[1], abs=0.8)
