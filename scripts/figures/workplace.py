"""A folder in which commands are run, in this process and without anything of the user's.

``builtin/minilm`` computes in float32, and may round otherwise on another processor.  Its answers are
therefore recorded (``answers.npz``: a hash of each pair and three probabilities, no text), and the commands
are given the recorded ones: a figure changes with the code and not with the machine.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from crossexam.models.model import Model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ANSWERS: Final = Path(__file__).parent / "answers.npz"
SHARED: Final = Path(__file__).resolve().parents[3] / "shared" / "data"


def data_folder() -> Path | None:
    """Return the folder of published corpora: CROSSEXAM_DATA, or the one beside the checkout; else None."""
    named = os.environ.get("CROSSEXAM_DATA")
    folder = Path(named) if named else SHARED
    return folder if (folder / "snli").is_dir() else None


class RecordedAnswers(Model):
    """``builtin/minilm``, which looks its answers up, and is asked only about unknown pairs."""

    name = "builtin/minilm"

    def __init__(self, opened: Callable[[], Any], *, anew: bool = False) -> None:
        """Read the recorded answers; with *anew*, or if they are of another model, forget them."""
        self._opened = opened
        self._model: Any = None
        self.key: str = opened().key
        self.asked = 0
        self.used: dict[str, NDArray[np.float64]] = {}
        self._known = {} if anew else self._recorded()

    def _recorded(self) -> dict[str, NDArray[np.float64]]:
        """Return the answers in the file, by the hash of the pair."""
        import numpy as np

        if not ANSWERS.exists():
            return {}
        with np.load(ANSWERS) as file:
            if str(file["key"]) != self.key:
                return {}
            rows = file["probabilities"].astype(np.float64)
            return dict(zip((each.tobytes().hex() for each in file["pairs"]), rows, strict=True))

    @property
    def details(self) -> Mapping[str, Any]:
        """Nothing is said of the model that is not the same on every machine."""
        return {}

    def predict(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Return the probabilities of *pairs* [n, 3], in the precision in which they are recorded."""
        import numpy as np

        digests = [_digest(pair) for pair in pairs]
        unknown = [n for n, digest in enumerate(digests) if digest not in self._known]
        if unknown:
            self._model = self._model or self._opened()
            self.asked += len(unknown)
            answers = self._model.predict([pairs[n] for n in unknown])
            for n, row in zip(unknown, np.asarray(answers, np.float32).astype(np.float64), strict=True):
                self._known[digests[n]] = row
        self.used |= {digest: self._known[digest] for digest in digests}
        return np.stack([self._known[digest] for digest in digests]) if pairs else np.zeros((0, 3))

    def write(self, *, with_known: bool) -> None:
        """Write the answers that were used; with *with_known*, those that had been recorded, too."""
        import numpy as np

        kept = dict(sorted(({**self._recorded(), **self.used} if with_known else self.used).items()))
        pairs = np.frombuffer(b"".join(map(bytes.fromhex, kept)), np.uint8).reshape(len(kept), 8)
        rows = np.array(list(kept.values()), np.float32)
        np.savez_compressed(ANSWERS, key=self.key, pairs=pairs, probabilities=rows)


def _digest(pair: tuple[str, str]) -> str:
    import hashlib

    return hashlib.blake2b("\x1f".join(pair).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True)
class Workplace:
    """A *folder* of its own for a measurement; *data* has the published corpora, if they are there."""

    folder: Path
    data: Path | None
    minilm: RecordedAnswers

    def run(self, command: str) -> str:
        """Run a command of Crossexam in the folder, and return what it prints on standard output."""
        return self._invoke(command).stdout

    def said(self, command: str) -> str:
        """Run a command, and return all that it prints."""
        return self._invoke(command).output

    def _invoke(self, command: str) -> Any:
        from typer.testing import CliRunner

        from crossexam.cli.main import app

        words = shlex.split(command)
        assert words[0] == "crossexam", command
        with self.inside():
            done = CliRunner().invoke(app, words[1:])
        if done.exit_code not in (0, 5):  # 5: a gate is undecided
            raise RuntimeError(f"{command}: {done.output}\n{done.exception!r}")
        return done

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Work in the folder, with its data, its cache and the recorded answers."""
        from crossexam.models import builtin

        openers = {**builtin._OPENERS, builtin.MINILM_NAME: lambda: self.minilm}
        variables = {
            "CROSSEXAM_DATA": str(self.data or self.folder / "no-data"),
            "CROSSEXAM_CACHE": str(self.folder / "cache"),
            "HF_HUB_OFFLINE": "1",
            "COLUMNS": "160",
        }
        with (
            chdir(self.folder),
            patch.dict(os.environ, variables),
            patch.object(builtin, "_OPENERS", openers),
        ):
            yield


@contextmanager
def workplace(minilm: RecordedAnswers, *, data: bool) -> Iterator[Workplace]:
    """Open a workplace in a temporary folder, with the published corpora if *data*."""
    with TemporaryDirectory() as folder:
        yield Workplace(Path(folder), data_folder() if data else None, minilm)


def minilm_of_the_package() -> Callable[[], Any]:
    """Return the function that opens ``builtin/minilm``."""
    from crossexam.models.builtin import open_minilm

    return open_minilm
