"""The labels of people, compared with the probabilities of a model and with each other."""

from dataclasses import replace
from math import inf

import pytest
from scipy.spatial.distance import jensenshannon

from crossexam.core.errors import FormatError
from crossexam.evaluation.distributions import people_results
from made.runs import stating

VOTES = {"label_distribution": [0.2, 0.8, 0.0], "votes": [20, 80, 0], "old_label": "entailment"}


def test_people_are_compared_with_the_model_and_with_each_other() -> None:
    (found,) = people_results(stating("NNN", [[0.3, 0.6, 0.1]] * 3, info=VOTES))
    assert found.distances.js_distance.value == pytest.approx(jensenshannon([0.2, 0.8, 0], [0.3, 0.6, 0.1]))
    assert found.distances.total_variation.value == pytest.approx(0.2)
    assert found.accuracy.value == 1.0
    assert found.old_accuracy.value == 0.0
    assert found.references["majority"].total_variation.value == pytest.approx(0.2)
    assert found.references["majority"].kl.value == inf
    assert 0 < found.references["people"].total_variation.value < 0.1
    of_two = stating("NN", [[0.2, 0.8, 0.0]] * 2, info=VOTES, details={"two_label": True})
    assert people_results(of_two)[0].distances.js_distance.value == pytest.approx(0.0, abs=1e-8)
    (data,) = of_two.datasets.values()  # items that were made from an example do not inherit its people
    made = replace(data, manifest={"construction": "negation.v1", "base_set": "base.other"})
    assert people_results(replace(of_two, datasets={data.name: made})) == ()
    for stated in ([0.5, 0.4, 0.0], "uniform"):
        with pytest.raises(FormatError, match="label_distribution"):
            people_results(stating("NN", [[0.2, 0.7, 0.1]] * 2, info={"label_distribution": stated}))
