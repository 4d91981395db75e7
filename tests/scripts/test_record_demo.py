"""The pictures of the documentation show what the demo prints and writes."""

import re
from pathlib import Path

import pytest
import record_demo


@pytest.mark.slow
def test_the_pictures_are_what_the_demo_shows(tmp_path: Path) -> None:
    """If not, run scripts/record_demo.py; another processor may give one or two items another label."""
    made = record_demo.picture(record_demo.shown(record_demo.demo_output(tmp_path)))
    page = (tmp_path / record_demo.REPORT).read_text("utf-8")
    old = record_demo.PICTURE.read_text("utf-8"), record_demo.headline_in(record_demo.PHOTOGRAPH.read_bytes())
    texts = [
        "\n".join([*record_demo.text_of(picture), headline])
        for picture, headline in ((made, record_demo.headline_of(page)), old)
    ]
    words = [re.sub(r"\d+\.\d", "0.0", text) for text in texts]
    numbers = [[float(each) for each in re.findall(r"\d+\.\d", text)] for text in texts]
    assert words[0] == words[1]
    assert numbers[0] == pytest.approx(numbers[1], abs=0.8)
