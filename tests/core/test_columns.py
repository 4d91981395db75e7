"""Columns of examples are the same wherever the examples are, and so are the examples."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.columns import cluster_hashes, columns_of, info_values, labels_of, text_hashes
from crossexam.core.dataset import content_hash
from crossexam.core.example import Change, Edit, Example, cluster_of
from crossexam.core.labels import GOLD_INDEX, GOLDS
from crossexam.core.stored.examples import StoredExamples
from crossexam.core.stored.rows import COLUMNS
from crossexam.core.test_sets import write_test_set

KEYS = ("cluster", "genre", "an odd key", "clüster")
# Values that look like others, as text: true and "true", 1 and "1" and 1.0, lists and lists in quotes.
VALUES = st.one_of(
    st.sampled_from([None, True, False, 10**19, "true", "null", "-0", "1e5", "[1]", '{"cluster": "x"}', '"']),
    st.integers(-3, 3),
    st.floats(allow_infinity=False),
    st.text(max_size=4),
    st.lists(st.text(max_size=2), max_size=2),
    st.fixed_dictionaries({"cluster": st.sampled_from(["x", "y"])}),
)
TEXTS = st.text(max_size=6) | st.sampled_from(["It rains.", "naïve “Ω” 😀", "a\x1fb", "'\"\\"])
CHANGE = Change("antonymy.v1", "premise", "premise", (Edit("hypothesis", 0, 0, "", "“x"),))
EXAMPLES = st.builds(
    Example,
    id=TEXTS,
    premise=TEXTS,
    hypothesis=TEXTS,
    label=st.none() | st.sampled_from(GOLDS),
    base=st.none() | TEXTS,
    change=st.sampled_from([None, CHANGE]),
    info=st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=4),
)


@given(st.lists(EXAMPLES, max_size=8), st.integers(1, 4))
def test_columns_are_what_examples_have_in_files_and_memory(examples: list[Example], at_once: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "set.parquet"
        write_test_set(path, examples)
        file = StoredExamples.of(path)
        assert file.own_format
        pairs = zip(columns_of(file, COLUMNS, at_once), columns_of(examples, COLUMNS, at_once), strict=True)
        for one, other in pairs:
            assert one.equals(other)
            assert one.schema == other.schema
        for name in ("id", "base"):
            assert text_hashes(file, name).tolist() == text_hashes(examples, name).tolist()  # type: ignore[arg-type]
        assert content_hash(file) == content_hash(examples)
        golds = [-1 if each.label is None else GOLD_INDEX[each.label] for each in examples]
        assert labels_of(file).tolist() == labels_of(examples).tolist() == golds
        hashes, names = cluster_hashes(file).tolist(), [cluster_of(each) for each in file]
        assert hashes == cluster_hashes(examples).tolist()
        assert len(set(zip(hashes, names, strict=True))) == len(set(hashes)) == len(set(names))
        for key in KEYS:
            here, there = (info_values(each, [key])[key] for each in (file, examples))
            assert here.codes.tolist() == there.codes.tolist()
            assert repr(here.values) == repr(there.values)  # nan is not nan
            values = here.mapped(lambda value: (type(value), repr(value))).tolist()
            expected = [each.info.get(key) for each in file]
            assert values == [(type(value), repr(value)) for value in expected]
