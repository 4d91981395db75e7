"""Short names of models, by which tables and drawings tell them apart."""

from crossexam.reports.names import short_model_names


def test_short_names_of_models_are_unique() -> None:
    names = ["hf/a/model", "hf/b/model", "hf/model", "model", "x" * 30 + "1", "y/" + "x" * 30 + "2"]
    assert short_model_names(names)[:4] == ("a/model", "b/model", "hf/model", "model")
    assert len(set(short_model_names(names))) == len(names)
    long = [f"{'a' * 20}{k}{'b' * 20}" for k in range(2)]
    assert short_model_names(long) == tuple(long), "what would be the same is not cut"
