"""The dataset card of a suite: what the hub reads of it, and what it says of licences."""

from dataclasses import replace
from pathlib import Path

import pytest

from crossexam.core.dataset import Suite
from crossexam.core.test_sets import read_suite
from crossexam.corpora.catalog import catalog
from crossexam.interop.card import dataset_card, front_matter, refuse_forbidden_changes, sources_of
from crossexam.interop.licences import OTHER, licence_of
from made.cases import refused
from made.commands import invoke


def built(folder: Path, base: str = "builtin:demo[:12]", *options: str) -> Path:
    invoke("build", "negation", "--base", base, "-o", folder, *options)
    return folder


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite from the corpus in the package, with its card."""
    folder = built(tmp_path_factory.mktemp("card") / "suite")
    invoke("card", folder)
    return folder


def test_datasets_loads_each_test_set_by_its_name(demo: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    suite = read_suite(demo)
    assert datasets.get_dataset_config_names(str(demo)) == list(suite.datasets)
    for dataset in suite:
        loaded = datasets.load_dataset(str(demo), dataset.name, split="test", cache_dir=str(tmp_path))
        assert loaded["id"] == [item.id for item in dataset.examples]
        assert loaded.features["label"].names[:3] == ["entailment", "neutral", "contradiction"]


def test_what_is_unknown_of_a_corpus_is_said_to_be_unknown(tmp_path: Path) -> None:
    """A file of one's own has no licence that Crossexam knows, and perhaps another language."""
    rows = [f"Ann has {k} cats.,Ann has cats.,entailment\n" for k in range(12)]
    (tmp_path / "mine.csv").write_text("premise,hypothesis,label\n" + "".join(rows))
    suite = read_suite(built(tmp_path / "suite", str(tmp_path / "mine.csv")))
    sources = sources_of(suite)
    assert (sources.others, sources.licences) == (["mine.csv"], ["unknown"])
    assert front_matter(suite, sources).language is None
    text = dataset_card(suite)
    assert "> **Before you share this:** mine.csv: its licence is unknown to Crossexam" in text
    assert str(tmp_path) not in text


def test_changed_text_is_not_shared_against_a_licence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, entries = built(tmp_path / "suite"), dict(catalog())
    monkeypatch.setattr("crossexam.interop.card.catalog", lambda: entries)
    for licence in ("CC BY-ND 4.0", "CC BY-NC-ND 4.0 (see its page)"):
        entries["builtin"] = replace(entries["builtin"], licence=licence)
        said = f"forbids redistributing changed text ({licence})"
        assert said in refused(invoke, "card", folder)
        assert not (folder / "README.md").exists()
    invoke("card", folder, "--with-permission")
    suite = read_suite(folder)
    bases = Suite(suite.name, {name: each for name, each in suite.datasets.items() if each.entry.is_base})
    refuse_forbidden_changes(bases, sources_of(bases))  # nothing was changed


def test_every_licence_of_the_catalogue_has_a_name_at_the_hub() -> None:
    unknown = licence_of("a licence of its own")
    assert unknown.identifier == OTHER
    assert unknown not in {licence_of(each.licence) for each in catalog().values()}


def test_a_readme_is_not_replaced_unless_that_is_asked_for(demo: Path) -> None:
    assert "there is a README.md already" in refused(invoke, "card", demo)
    invoke("card", demo, "--force")
    assert built(demo) == demo  # the suite is there already, and its card is no reason to refuse it
