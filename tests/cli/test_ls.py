"""crossexam ls lists every kind of what there is."""

from made.commands import Crossexam


def test_ls(crossexam: Crossexam) -> None:
    for kind, expected in {
        "corpora": "snli",
        "corpora sick": "SICK_train.txt",
        "constructions": "antonymy.v4",
        "suites": "stress-tests",
        "models": "zoo/FOLDER of esim",
        "templates": "p3-can-we-infer",
        "recipes": "adagrad",
        "rules": "The nun may feed the cat.",
    }.items():
        assert expected in crossexam(f"ls {kind}").out
