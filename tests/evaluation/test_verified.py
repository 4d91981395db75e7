"""Items with a status or judges: which answers count, and that their parts keep what is known of each."""

from dataclasses import replace

import numpy as np

from crossexam.core.dataset import ReadItems
from crossexam.evaluation.verified import by_status, predicted_shares
from made.runs import dataset, run_of


def test_labels_predicted_for_judged_items_are_those_that_are_scored() -> None:
    data = dataset("negation.dev", "NNNN", info={"judge_labels": ["neutral", "neutral"]})
    shares = predicted_shares(run_of({data.name: "N?EN"}, data, two_label=True), data.name)
    found = {label: (share.value, share.n) for label, share in shares.items()}
    assert found == {"entailment": (1 / 3, 3), "not_entailment": (2 / 3, 3)}


def test_parts_by_status_keep_the_outcomes_and_what_was_read() -> None:
    info = [{"status": "proposed", **({"verdict": "verified"} if k < 4 else {})} for k in range(8)]
    run = run_of({"antonymy.dev": "C?CCCC!?"}, dataset("antonymy.dev", "CCCCCCCC", info=info))
    read = ReadItems(np.arange(8) % 3 == 0, np.arange(8) == 6)
    parts = by_status(replace(run, reading={"antonymy.dev": read}))
    verified, proposed = "antonymy.dev (verified)", "antonymy.dev (proposed)"
    assert parts.outcomes_of(verified).unanswered() == {"refused": 1}
    assert parts.outcomes_of(proposed).unanswered() == {"refused": 1, "cut": 1}
    assert parts.reading[verified].truncated.tolist() == [True, False, False, True]
    assert parts.reading[proposed].edit_unseen.tolist() == [False, False, True, False]
