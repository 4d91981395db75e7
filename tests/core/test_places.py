"""The paths of places elsewhere: each URL has its own, and the path tells the URL."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from crossexam.core.places import copy_path, here_path, is_copy, relative_url, url_of, with_urls, work_path
from made.cases import refused

SEGMENT = st.text("abcXYZ 019%:?#&=+@~_.-é猫'\"", min_size=1, max_size=8).filter(
    lambda s: s not in {".", ".."}
)


@given(st.sampled_from(["s3", "gs", "hf", "memory"]), st.lists(SEGMENT, min_size=1, max_size=4))
def test_the_paths_of_a_url_tell_the_url(protocol: str, segments: list[str]) -> None:
    url = f"{protocol}://{'/'.join(segments)}"
    work, copy = work_path(url), copy_path(url)
    assert url_of(work) == url_of(copy) == url  # so that two URLs have two paths
    assert (is_copy(work), is_copy(copy)) == (False, True)
    assert work_path(f"{url}/") == work
    assert with_urls(f"{copy / 'a.parquet'}: no such file") == f"{url}/a.parquet: no such file"


def test_a_path_relative_to_another_means_the_same_at_the_place() -> None:
    run, items = copy_path("s3://b/runs/mine"), "../../suite/base.dev.parquet"
    assert url_of(run / items) == "s3://b/suite/base.dev.parquet"
    assert relative_url("s3://b/suite/base.dev.parquet", "s3://b/runs/mine") == items
    assert relative_url("gs://b/suite/base.dev.parquet", "s3://b/runs/mine") is None


def test_paths_that_cannot_be_meant_are_refused() -> None:
    for url in ("s3://", "s3:///", "s3://a//b", "s3://a/../b", "s3://./b"):
        assert "this URL does not name a folder or file" in refused(work_path, url)
    assert "a URL was given as a path of this machine" in refused(work_path, Path("s3://bucket/suite"))
    assert "wanted: a path on this machine" in refused(here_path, "s3://bucket/model")
