"""A gate in a test suite: pytest runs this file as it is, without a plug-in.

Replace ``my_model`` by your model (``"hf/my-checkpoint"`` or a function), and the corpus by yours.
"""

import crossexam as cx

RULES = [
    {"set": "base.*", "measure": "accuracy", "min": 0.25},
    {"set": "negation.*", "measure": "drop", "max": 0.25},
    {"set": "*", "measure": "unanswered", "max": 0.0},
]


def my_model(pairs):
    """Return a label for each pair of premise and hypothesis: entailment if all words are repeated."""
    return ["entailment" if {*h.split()} <= {*p.split()} else "neutral" for p, h in pairs]


def test_my_model():
    suite = cx.build("negation", "builtin:demo")
    cx.gate(cx.run(my_model, suite), rules=RULES).check()  # raises AssertionError with the table


def test_it_is_no_worse_than_the_last_release(tmp_path):
    suite = cx.build("negation", "builtin:demo")
    baseline = cx.baseline(cx.run(my_model, suite), tmp_path / "baseline.parquet")  # commit yours
    rules = [{"set": "*", "measure": "accuracy", "against": "baseline", "margin": 0.02}]
    cx.gate(cx.run(my_model, suite), baseline=baseline, rules=rules).check()
