"""Options that several commands have: those of models belong to kinds of models."""

from crossexam.models.table import MODELS
from crossexam.options.build import Examine
from crossexam.options.groups import ModelOption
from crossexam.options.option import options_of
from crossexam.options.run import Run


def test_an_option_of_models_belongs_to_some_kind_and_examine_has_all_of_run() -> None:
    known = {name for kind in MODELS.values() for name in kind.option_names}
    run, examine = (
        {each.name: each for each in options_of(verb).values() if isinstance(each, ModelOption)}
        for verb in (Run, Examine)
    )
    assert run.keys() <= known
    assert run.keys() - examine.keys() == {"labels", "columns", "seed"}  # which are of building there
    assert all(run[name] == examine[name] for name in examine)
