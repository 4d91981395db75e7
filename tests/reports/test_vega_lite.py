"""The figures for papers: valid Vega-Lite of the golden figures, drawn if vl-convert is there."""

import json
import sys
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from golden_runs import MODELS, SETS, SHORT, measured, report
from jsonschema_rs import Validator, validator_for

from crossexam.reports.report import check_formats
from made.cases import refused


def vega_lite() -> Validator:
    """Return the schema of Vega-Lite, a file of Altair, whose import takes longer than all else here."""
    spec: Any = find_spec("altair")
    path = Path(spec.origin).parent / "vegalite" / "v6" / "schema" / "vega-lite-schema.json"

    def quoted(part: dict[str, Any]) -> dict[str, Any]:
        """Quote what no URI has in it, as the names of types that have parameters."""
        return part | {"$ref": quote(part["$ref"], safe="#/")} if isinstance(part.get("$ref"), str) else part

    return validator_for(json.loads(path.read_text(encoding="utf-8"), object_hook=quoted))


def test_the_specification_is_valid_and_has_the_figures() -> None:
    found = json.loads(report().text(".vl.json"))
    vega_lite().validate(found)
    held: dict[str, dict[tuple[str, str], Any]] = {"accuracy": {}, "drop": {}}
    for model, name in product(MODELS, SETS):
        for what, figure, _ in measured(model, name):
            numbers = (figure["value"], figure["low"], figure["high"])
            held[what][model, SHORT[name]] = [number and 100 * number for number in numbers]
    for chart, right in zip(found["vconcat"], held.values(), strict=True):
        rows = {(row["model"], row["test set"]): row for row in chart["data"]["values"]}
        assert rows.keys() == right.keys()
        for place, numbers in right.items():
            shown = [rows[place][part] for part in ("value", "low", "high")]
            assert shown == [number and pytest.approx(number, abs=1e-3) for number in numbers], place


def test_it_is_drawn_as_svg_and_pdf(tmp_path: Path) -> None:
    assert report().save(tmp_path / "figures.svg").read_text(encoding="utf-8").startswith("<svg")
    assert report().save(tmp_path / "figures.pdf").read_bytes().startswith(b"%PDF")


def test_without_vl_convert_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    files = [tmp_path / "table.tex", tmp_path / "figures.pdf"]
    assert "drawing .svg and .pdf needs" in refused(check_formats, files)  # before anything is written
    assert not list(tmp_path.iterdir())
