"""People beside models in reports: what is not compared because answers are missing."""

from crossexam.reports.probabilities.people import people
from crossexam.reports.results import results_of
from made.runs import dataset, run_of

GOLD = "ENC" * 20


def test_people_are_not_compared_with_what_was_answered_of_a_set_with_only_bounds() -> None:
    shares = [0.6, 0.3, 0.1], [1.0, 0.0, 0.0]  # of those with odd numbers, and of the others
    base = dataset("base.dev", GOLD, info=lambda k: {"label_distribution": shares[(k + 1) % 2]})

    def compared(said: str) -> list[tuple[bool, int]]:
        (model,) = results_of([run_of({"base.dev": said}, base, sure=0.8)]).models
        return [(each.whole, each.unanswered) for each in people(model)]

    assert compared(GOLD)[0] == (True, 0)
    a_fifth = "".join("?" if k % 5 == 0 or k == 1 else letter for k, letter in enumerate(GOLD))
    assert compared(a_fifth) == []
    # Three of the thirty items on which people disagree are missing: 5 % of all, 10 % of these.
    few = "".join("?" if k in (1, 3, 5) else letter for k, letter in enumerate(GOLD))
    assert compared(few) == [(True, 3), (False, 0)]
