"""Two runs are compared on the same items of the test sets of both, and what only one has is named."""

from dataclasses import replace

import pytest

import crossexam as cx
from crossexam.core.dataset import Dataset
from crossexam.core.errors import CrossexamError
from crossexam.evaluation.comparison import compare_runs, one_sided_sets
from evaluation.test_measures import BASE, NEGATION, run
from made.runs import dataset


def test_sets_that_one_run_lacks_are_named() -> None:
    extra = dataset("extra.dev", "E")
    a, b = run(BASE, extra, extra="E", model="A"), run(BASE, NEGATION, model="B")
    only = ("only the first run (A) has: extra.dev", "only the second run (B) has: negation.dev")
    assert one_sided_sets(a, b) == only
    with pytest.raises(CrossexamError, match="different test sets") as caught:
        cx.compare(a, b)
    assert all(each in str(caught.value) for each in (*only, "common=True"))
    assert len(cx.compare(a, b, common=True)) == 1
    renamed = replace(BASE, name="renamed.dev")
    says = r"hint: 'base\.dev' has the items of 'renamed\.dev', the same rows under another file name"
    with pytest.raises(CrossexamError, match=says):
        compare_runs(run(BASE), run(renamed, renamed="EEECCN"), common=True)


def test_the_manifests_hash_is_trusted_for_whole_sets_only() -> None:
    stated = {"content_hash": "feed", "rows": 6}
    whole = [Dataset("base.dev", BASE.examples, stated) for _ in range(2)]
    assert compare_runs(*(run(each) for each in whole))[0].n == 6
    cut = (Dataset("base.dev", BASE.examples[at], stated) for at in (slice(0, 3), slice(3, 6)))
    with pytest.raises(CrossexamError, match="were run on different items"):
        compare_runs(*(run(each, base="ENC") for each in cut))
