"""Test sets of any names get files of their own, wherever these are."""

import json
import re
import unicodedata
from pathlib import Path

from crossexam.core.output.file_names import file_stem

HOSTILE: dict[str, str] = json.loads((Path(__file__).parents[2] / "data/hostile.json").read_text("utf-8"))


def test_no_two_names_are_one_file() -> None:
    names = [*HOSTILE.values(), "", ".", "..", "Dev", "nul", "NUL", "con", "a", "A", "x" * 301, "X" * 300]
    names += [file_stem(name) for name in names] + [file_stem(name).lower() for name in names]
    stems = {name: file_stem(name) for name in names}
    # what a file system takes a name for that ignores case, composition and dots at the end
    folded = {unicodedata.normalize("NFD", f"{stem}.parquet").casefold() for stem in stems.values()}
    assert len(folded) == len(stems)
    device = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)")
    for stem in stems.values():
        assert re.fullmatch(r"[\w~%-][\w.~% -]*", stem, re.ASCII), stem
        assert not device.match(stem), stem
        assert len(f".{stem}.parquet.12345678.part") <= 255
    assert file_stem("base.snli_dev_1_2") == "base.snli_dev_1_2"
