"""The table of accuracies says how labels were predicted."""

from crossexam.reports.report import make_report
from made.runs import dataset, run_of


def test_the_declared_threshold_of_a_model_is_stated() -> None:
    said = run_of({"base.x": "En"}, dataset("base.x", "En"), model="mine", two_label=True, threshold=0.7)
    assert "Entailment is predicted by mine above 0.7; their probabilities" in make_report(said).text(".md")
