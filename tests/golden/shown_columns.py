"""Which figure is in which column of which table, and which tables each format shows."""

import re
from typing import NamedTuple

from golden_runs import MODELS


class Column(NamedTuple):
    """A header and the figure under it: kind and key, of which the model and the test set are left out."""

    header: str
    kind: str = ""
    figure: str = ""


def columns(text: str) -> list[Column]:
    """Return the columns of a table, each a line: a header, ":" and what it shows."""
    found = []
    for line in text.strip().splitlines():
        header, _, what = line.strip().partition(" : ")
        kind, _, figure = what.partition(" ")
        found.append(Column(header.strip(), kind, figure))
    return found


# A header with ? may be missing.  Kinds: `estimate`, a percentage with its interval, or bounds; `starred`,
# the same with an asterisk if the drop is significant; `known`, the same without bounds; `share`, the
# percentage alone; `score`, as it is with its interval; `value`, as it is; `count`; `n`, the number of items
# of an estimate; `paired`, the share of what is compared in pairs;
# `rank`; `p`, marked if it is significant; `told`, p or none; `text`.
_OF_RANKS = """
    Model
    Rank : rank rank|
    Accuracy : estimate ranked_accuracy|
    Groups : text groups
    Items : n ranked_accuracy|
"""
_OF_ALONE = """
    Only right : count only_right|
    Share, % : {kind} only_right_share|
    Only wrong : count only_wrong|
    Share, % : {kind} only_wrong_share|
"""
_SLICE = "{word}\n Items : count items|{slice}\n {models} : estimate accuracy|{slice}"
_KINDS = ("E-C", "N-C", "E-N", "C-N", "N-E", "C-E")
_BOTH_TYPES = "".join(f"Both {kind} : count both_{kind}|\n" for kind in _KINDS)
_TYPES = "".join(f"{kind} : count errors|{kind}\n" for kind in _KINDS)
#: A pattern for titles, in which a group may name a test set, and the columns.
TABLES: dict[str, list[Column]] = {
    "Accuracy": columns("Test set\n Items : count items|\n {models} : estimate accuracy|"),
    "What breaks": columns(
        """Test set
        ?Model
        Items : count items|
        Accuracy : estimate accuracy|
        Drop : estimate lost|
        p (Holm) : p p_holm|"""
    ),
    "Accuracy by model": columns("Test set\n Items : count items|\n {models} : starred accuracy|"),
    f"Accuracy of (?:{'|'.join(MODELS)})": columns(
        """Test set
        Items : count items|
        Accuracy : estimate accuracy|
        Drop : estimate lost|
        ?Pairs : n drop|
        p (Holm) : p p_holm|"""
    ),
    "Unanswered items": columns(
        """Test set
        Model
        Items : count items|
        Unanswered : count missing
        Share, % : share unanswered_share|
        Reasons : text reasons
        Accuracy : known accuracy|
        Bounds : bounds accuracy
        Pairs : count pairs|
        of these without answer : count pairs_unanswered|
        Drop : known lost|
        Bounds of drop : bounds drop"""
    ),
    "Drop from the base": columns(
        """Test set
        Model
        Base : estimate base_accuracy|
        Accuracy : estimate accuracy|
        Drop : estimate lost|
        Pairs : n drop|
        p (Holm) : p p_holm|
        Smallest detectable drop : share minimum_detectable_drop|
        Flipped : estimate flip_rate|"""
    ),
    f"Ranks: (?P<set>{re.escape('mean of 4 test sets')})": columns(_OF_RANKS),
    "Ranks by test set": columns(f"Test set\n{_OF_RANKS.strip()}"),
    "Paired differences: (?P<set>.*)": columns("Model\n{numbers} : difference model_difference|"),
    "Agreement beyond chance: (?P<set>.*)": columns("Model\n{numbers} : matrix agreement_kappa|"),
    "Same predictions: (?P<set>.*)": columns("Model\n{numbers} : matrix_share agreement_same|"),
    "Same errors: (?P<set>.*)": columns("Model\n{numbers} : matrix_share agreement_same_errors|"),
    "What only one model gets right in (?P<all>5) test sets": columns(
        f"Model\n Items : count items|\n{_OF_ALONE.format(kind='share').strip()}"
    ),
    "What only one model gets right, by test set": columns(
        f"Test set\n Model\n Items : n only_right_share|\n{_OF_ALONE.format(kind='estimate').strip()}"
    ),
    "Calibration": columns(
        """Test set
        Model
        Items : n ece|
        Unanswered : count calibration_unanswered|
        ?Low label mass : count calibration_low_mass|
        Accuracy : estimate calibrated_accuracy|
        Confidence : share confidence|
        ECE : estimate ece|
        if calibrated : share ece_if_calibrated|
        ECE, equal mass : estimate ece_equal_mass|
        Class-wise : estimate classwise_ece|
        Brier : score brier|
        Log loss : score log_loss|"""
    ),
    "Selective prediction": columns(
        """Test set
        Model
        Items : count items|
        Unanswered : count calibration_unanswered|
        Risk : estimate selective_risk|
        AURC : estimate selective_aurc|
        Accuracy at 80 % coverage : estimate selective_accuracy|coverage=0.8
        Coverage at 5 % risk : estimate selective_coverage|risk=0.05"""
    ),
    "Errors": columns(
        f"""Test set
        Model
        Wrong : count wrong|
        False entailment : share false_entailment_share|
        False neutral : share false_neutral_share|
        {_TYPES.strip()}"""
    ),
    "Predictions by label": columns(
        """Test set
        Expected : text gold
        Model
        Items : count answered|
        Entailment : share predicted_share|entailment
        Neutral : share predicted_share|neutral
        Contradiction : share predicted_share|contradiction"""
    ),
    "Accuracy over keys": columns(
        """Test set
        Model
        Items : n accuracy_over_items|
        Keys : count keys|
        Largest key : text largest
        Its share, % : share largest_key_share|*
        Over items : estimate accuracy_over_items|
        Over keys : estimate accuracy_over_keys|"""
    ),
    **{
        f"Accuracy by {slicing}": columns(
            _SLICE.format(word=slicing.capitalize(), slice=slicing, models="{models}")
        )
        for slicing in ("gold", "genre", "pair", "rule")
    },
    "A: (?P<a>.*), B: (?P<b>.*)": columns(
        """Test set
        Items : count compared
        A : estimate accuracy_a|
        B : estimate accuracy_b|
        A minus B : estimate difference|
        p (Holm) : p p_holm|
        Only A : count only_a_right|
        Only B : count only_b_right|"""
    ),
    "First run against second": columns(
        """test set
        items : count compared
        first : estimate accuracy_a|
        second : estimate accuracy_b|
        first minus second : estimate difference|
        p (Holm) : told p_holm|"""
    ),
    "Unanswered items of A and B": columns(
        """Test set
        Items : count labelled|
        Not by A : count unanswered_a|
        Not by B : count unanswered_b|
        Left out : count unanswered|
        A minus B : known difference|
        Bounds : bounds difference"""
    ),
    "A minus B over keys": columns(
        """Test set
        Items : count n|
        Keys : count keys|
        A minus B over items : estimate difference_over_items|
        A minus B over keys : estimate difference_over_keys|"""
    ),
    "Right and wrong together": columns(
        f"""Test set
        Models : text A and B
        Items : count n|
        Both right : count both_right|
        Both wrong : count both_wrong|
        Keys, both right : count easy_keys|
        Keys, both wrong : count hard_keys|
        {_BOTH_TYPES.strip()}"""
    ),
    "Brier score and log loss: A against B": columns(
        """Test set
        Items : count probabilities_n|
        Unanswered : count probabilities_unanswered|
        ?Low label mass : count probabilities_low_mass|
        Measure : measure
        A : value {measure}_a|
        B : value {measure}_b|
        A minus B : score {measure}_difference|
        p (Holm) : p {measure}_p_holm|"""
    ),
    "Calibration and selective prediction: A against B": columns(
        """Test set
        Items : count probabilities_n|
        Unanswered : count probabilities_unanswered|
        ?Low label mass : count probabilities_low_mass|
        Measure : measure
        A : share {measure}_a|
        B : share {measure}_b|
        A minus B : estimate {measure}_difference|"""
    ),
}
#: Tables that have no figures, and why they are not compared.
OUTSIDE = {
    "Yield": "counts of what was built, of the manifest: tests/suites",
    "Test sets": "hashes and signatures: tests/reports/test_report.py",
    "Runs": "properties of runs: tests/reports/test_report.py",
    "Items that only one model gets right": "items, no figures: tests/reports/analyses/test_comparison.py",
}


def _named(*starts: str) -> set[str]:
    return {title for title in TABLES if title.startswith(starts)}


_COMPARED = _named("A: ", "A minus", "Unanswered items of", "Right and", "Brier", "Calibration and")
OF_TWO = {*_COMPARED, "First run against second"}
_OF_TERMINAL = {"Accuracy by model", "Unanswered items", "Calibration", "Selective prediction"}
_ALONE = _named("Accuracy of ")
_OF_SEVERAL = _named("Ranks", "Paired", "Agreement", "Same", "What only")
_PAGE = set(TABLES) - OF_TWO - _ALONE - {"Accuracy by model"}
_TEXT = _PAGE - {"What breaks"} - _named("Accuracy by ")
#: Which of the tables each format shows.
HAS: dict[str, set[str]] = {
    "page": _PAGE,
    "page of two models": _PAGE - _OF_SEVERAL | _COMPARED,
    "Markdown": _TEXT,
    "LaTeX": _TEXT,
    "LaTeX of two models": _TEXT - _OF_SEVERAL | _COMPARED,
    "terminal": _OF_TERMINAL,
    "terminal in detail": _TEXT,
    "terminal of one model": _ALONE,
    "notebook": _OF_TERMINAL,
    "comparison on the terminal": _COMPARED,
    "comparison with the last model": _COMPARED,
    "comparison in Markdown": _COMPARED,
    "comparison in LaTeX": _COMPARED,
    "comparison in a notebook": {"First run against second"},
}
