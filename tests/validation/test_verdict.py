"""What judges agree on, by hand, and the verdicts that follow."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.core.example import Example
from crossexam.validation.sampling import SampleRequest, sample_outcomes
from crossexam.validation.study import Study, open_study
from crossexam.validation.verdict import (
    Decisions,
    QuestionResult,
    Verdict,
    VerdictRule,
    as_json,
    decisions,
    judged_label_shares,
    labels_given,
    question_results,
    verdicts,
)
from made.runs import run_of


def finding(study: Study, question: str) -> QuestionResult:
    return next(each for each in question_results(study) if each.question == question)


def agreed(study: Study, question: str) -> tuple[float, int]:
    """The share of items on which most judges agree, and its denominator."""
    share = finding(study, question).agreed
    assert share is not None
    return share.value, share.n


def test_agreement_by_hand(items: Any, study_of: Any) -> None:
    """The last of five items is open: two judges may still come to agree."""
    said = {f"antonymy:{n}": said for n, said in enumerate(("CCC", "CCN", "CNE", "NNN", "C.N"))}
    answers = {"label": said, "grammatical": dict.fromkeys(said, "yyn") | {"antonymy:3": "nn?"}}
    judged = study_of(items("antonymy", "CCCCC", status="proposed"), answers=answers)
    label, grammatical = finding(judged, "label"), finding(judged, "grammatical")
    assert agreed(judged, "label") == (2 / 4, 4)  # 0 and 1 of 0, 1, 2, 3
    assert (label.undecided, label.drawn, label.needed) == (1, 5, 2)
    assert agreed(judged, "grammatical") == (4 / 5, 5)
    assert grammatical.unsure == 1
    published = [each.published[:2] for each in (label, grammatical) if each.published]
    assert published == [(86, "naik2018"), (87, "naik2018")]
    # Fleiss over CCC, CCN, CNE, NNN: P = (1 + 1/3 + 0 + 1) / 4 = 7/12; shares C 6/12, N 5/12, E 1/12,
    # P_e = (36 + 25 + 1) / 144 = 62/144.
    assert label.kappa.value == pytest.approx((7 / 12 - 62 / 144) / (1 - 62 / 144))
    # Krippendorff over all five, 14 votes: C 7, N 6, E 1.  D_o = [0 + 4/2 + 6/2 + 0 + 2/1] / 14,
    # D_e = (7*7 + 6*8 + 1*13) / (14 * 13).
    assert label.alpha.value == pytest.approx(1 - (7 / 14) / (110 / (14 * 13)))
    assert (label.kappa.n, label.alpha.n) == (4, 5)


def test_the_majority_label(each_case: Callable[..., None], items: Any, study_of: Any) -> None:
    def check(
        votes: str, status: str, label: str | None, count: str, confirmed: str, share: str | None
    ) -> None:
        said = {"label": {"antonymy:0": votes}}
        study = study_of(items("antonymy", "C"), folder=votes, judges=len(votes), answers=said)
        found = verdicts(study, VerdictRule("relabel"))["antonymy.dev"]["antonymy:0"]
        assert (found.status, found.label) == (status, label)
        of_gold = verdicts(study)["antonymy.dev"]["antonymy:0"]
        assert (found if status == "verified" else of_gold).agreed == int(count)
        assert (of_gold.status, of_gold.label == "contradiction") == (confirmed, confirmed == "verified")
        assert of_gold.label in {"contradiction", None}
        assert share is None or agreed(study, "label")[0] == float(share)

    each_case(check)


def test_the_label_decides_unless_other_questions_are_required(items: Any, study_of: Any) -> None:
    answers = {
        "label": {**{f"so_swap:{n}": "CCC" for n in range(4)}, "antonymy:0": "CCC"},
        "sensible": {"so_swap:0": "yyn", "so_swap:1": "yyn", "so_swap:3": "y.."},
        "grammatical": {"so_swap:0": "yy.", "so_swap:1": "nn.", "so_swap:3": "yyy", "antonymy:0": "yyy"},
    }
    study = study_of(items("so_swap", "CCCC"), items("antonymy", "C"), answers=answers)
    for require, expected in (
        ((), ["verified"] * 4),
        (("sensible", "grammatical"), ["verified", "rejected", "open", "open"]),
    ):
        found = verdicts(study, VerdictRule(require=require))
        assert [found["so_swap.dev"][f"so_swap:{n}"].status for n in range(4)] == expected
        assert found["antonymy.dev"]["antonymy:0"].status == "verified"  # was never asked whether sensible
    published = finding(study, "label").published
    assert published is not None
    assert published[:3] == (84, "nie2019", "Table 2, of SNLI dev")
    with pytest.raises(CrossexamError, match=r"'trivial', so .*\n  wanted: grammatical, sensible"):
        verdicts(study, VerdictRule(require=("trivial",)))


def test_categories_by_two_judges(tmp_path: Path, say: Any) -> None:
    examples = tuple(Example(f"b{n}", "Ann sang.", "Ann danced.", "neutral") for n in range(4))
    run = run_of({"base.dev": "EEEE"}, Dataset("base.dev", examples))
    sample_outcomes(tmp_path / "s", SampleRequest(), wrong=[run], origin="")
    study = open_study(tmp_path / "s")
    said = ("negation negation unknown", "unknown ambiguity negation", "negation " * 3, "ambiguity .")
    say(study, "category", {f"b{n}": each for n, each in enumerate(said)})
    (found,) = question_results(study)
    assert found.answers == {"negation": 2, "no agreement": 1}
    assert (found.undecided, found.agreed) == (1, None)


def test_what_the_majority_says_is_counted(items: Any, study_of: Any) -> None:
    said = {"antonymy:0": "CCC", "antonymy:1": "NNC", "antonymy:2": "ENC", "antonymy:3": "N.."}
    study = study_of(items("antonymy", "CCCCC"), answers={"label": said})
    assert decisions(study) == {"antonymy.dev": Decisions(confirmed=1, another=1, none=1, open=2)}
    shares = {label: share.value for label, share in judged_label_shares(study)["antonymy.dev"].items()}
    assert shares == {"entailment": 1 / 10, "neutral": 4 / 10, "contradiction": 5 / 10}
    document = as_json(study, VerdictRule("relabel", ("grammatical",)))
    written = json.loads(json.dumps(document, allow_nan=False))
    assert written["verdicts"]["antonymy.dev"]["antonymy:0"]["agreed"] == 3
    assert written["label_shares"]["antonymy.dev"]["neutral"]["value"] == 4 / 10


def test_two_labels_have_a_majority_of_their_own(items: Any, study_of: Any) -> None:
    said = {"antonymy:0": "ENC", "antonymy:1": "CN?"}
    study = study_of(items("antonymy", "nE"), answers={"label": said})
    verified = Verdict("verified", 2, 3, "not_entailment")
    assert verdicts(study)["antonymy.dev"]["antonymy:0"] == verified
    assert verdicts(study, VerdictRule("relabel"))["antonymy.dev"] == dict.fromkeys(said, verified)
    assert labels_given(study)["antonymy.dev"]["antonymy:0"] == ["entailment"] + ["not_entailment"] * 2
    shares = judged_label_shares(study)["antonymy.dev"]
    found = {label: (share.value, share.n) for label, share in shares.items()}
    assert found == {"entailment": (1 / 5, 5), "not_entailment": (4 / 5, 5)}
    # N, C, N and C, N, N all mean not_entailment: judges agree; with three labels they would not
    said = {"negation:0": "NCN", "negation:1": "CNN"}
    study = study_of(items("negation", "nn"), answers={"label": said}, folder="negation")
    assert agreed(study, "label") == (1.0, 2)


def test_without_contradiction_that_counts_as_neutral(items: Any, study_of: Any) -> None:
    dataset = items("antonymy", "NE")
    declared = Dataset(dataset.name, dataset.examples, {**dataset.manifest, "projection": "no contradiction"})
    study = study_of(declared, answers={"label": {"antonymy:0": "CCN", "antonymy:1": "CCN"}})
    assert verdicts(study)["antonymy.dev"]["antonymy:0"] == Verdict("verified", 3, 3, "neutral")
    assert verdicts(study)["antonymy.dev"]["antonymy:1"].status == "rejected"
