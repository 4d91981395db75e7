"""What the tests of corpora share."""

import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from crossexam.corpora.catalog import CatalogEntry, Download
from crossexam.corpora.fetch import FetchResult, install_corpus
from made.cases import refused
from made.downloads import DEV, GOOD_ZIP, Fetch, Handler, Refuses, Server


@pytest.fixture(autouse=True)
def _own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test find the user's corpora: the data folder of each is its own."""
    monkeypatch.setenv("CROSSEXAM_DATA", str(tmp_path))


@pytest.fixture
def published(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of real corpora, as the data folder."""
    monkeypatch.setenv("CROSSEXAM_DATA", str(shared_data))
    return shared_data


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    state = Server({"/toy.zip": GOOD_ZIP, "/a.json": DEV})
    served = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"state": state}))
    thread = threading.Thread(target=served.serve_forever, args=(0.01,))
    thread.start()
    state.url = f"http://127.0.0.1:{served.server_address[1]}"
    yield state
    served.shutdown()
    thread.join()
    served.server_close()


@pytest.fixture
def fetch(server: Server, tmp_path: Path) -> Fetch:
    """Fetch a corpus of these downloads, or the archive of the server, into ``data`` or another folder."""

    def run(*downloads: Download, into: str = "data", **more: Any) -> FetchResult:
        made = downloads or (server.archive(),)
        toy = CatalogEntry("toy", "Toy", "https://x.invalid", "CC0", "Nobody 2020", made, {}, 10_000_000)
        options = {"attempts": 1, "pause": lambda seconds: None, **more}
        return install_corpus("toy", data_dir=tmp_path / into, catalog={"toy": toy}, **options)

    return run


@pytest.fixture
def refuses(fetch: Fetch, tmp_path: Path) -> Refuses:
    """Return why nothing is fetched, and check that nothing was installed or left."""

    def run(*downloads: Download, **more: Any) -> str:
        folder = tmp_path / more.get("into", "data")
        before = sorted(folder.glob("toy/*"))
        said = refused(fetch, *downloads, **more)
        assert sorted(folder.glob("toy/*")) == before
        assert not list(folder.glob(".crossexam/staging-*"))
        return said

    return run


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    return tmp_path / "data" / "toy"
