"""The figures for papers: valid Vega-Lite of the golden figures, drawn if vl-convert is there."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from golden_runs import FIGURES, MODELS, SETS, SHORT, report
from jsonschema_rs import Validator, validator_for

from crossexam.core.errors import CrossexamError
from crossexam.reports.report import check_formats


def vega_lite() -> Validator:
    """Return the schema of Vega-Lite, a file of Altair, whose import takes longer than all else here."""
    spec = find_spec("altair")
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).parent / "vegalite" / "v6" / "schema" / "vega-lite-schema.json"

    def quoted(part: dict[str, Any]) -> dict[str, Any]:
        """Quote what no URI has in it, as the names of types that have parameters."""
        return part | {"$ref": quote(part["$ref"], safe="#/")} if isinstance(part.get("$ref"), str) else part

    return validator_for(json.loads(path.read_text(encoding="utf-8"), object_hook=quoted))


def test_the_specification_is_valid_and_has_the_figures() -> None:
    found = json.loads(report().text(".vl.json"))
    vega_lite().validate(found)
    shown = [
        {
            (row["model"], row["test set"]): (row["value"], row["low"], row["high"])
            for row in chart["data"]["values"]
        }
        for chart in found["vconcat"]
    ]
    for statistics, rows in zip((("accuracy|",), ("drop|", "difference|")), shown, strict=True):
        held = {
            (model, SHORT[name]): FIGURES[key]
            for model in MODELS
            for name in SETS
            for statistic in statistics
            if (key := f"{model}|{name}|{statistic}") in FIGURES
        }
        assert rows.keys() == held.keys()
        for place, figure in held.items():
            numbers = (figure["value"], figure["low"], figure["high"])
            right = [None if number is None else pytest.approx(100 * number, abs=1e-3) for number in numbers]
            assert list(rows[place]) == right, place


def test_it_is_drawn_as_svg_and_pdf(tmp_path: Path) -> None:
    assert report().save(tmp_path / "figures.svg").read_text(encoding="utf-8").startswith("<svg")
    assert report().save(tmp_path / "figures.pdf").read_bytes().startswith(b"%PDF")


def test_without_vl_convert_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(CrossexamError, match=r"'vl-convert-python', which is not installed\n  .*pip install"):
        report().save(tmp_path / "figures.svg")
    with pytest.raises(CrossexamError, match=r"drawing \.svg and \.pdf needs"):  # before anything is written
        check_formats([tmp_path / "table.tex", tmp_path / "figures.pdf"])
    assert not list(tmp_path.iterdir())
