"""Baselines: what a later run is compared with, in one small Parquet file.

A baseline has, for each test set of a run, its name, content hash and number of rows, and for each item, in
the order of the test set, the predicted label and what became of the question.  Ids and texts are not stored:
the content hash guarantees that the items are the same, and those of the later run are used.  Probabilities
are stored on request, as 32-bit numbers; labels never follow from these, so that nothing depends on how they
are rounded.

The metadata of the file, JSON under the key ``crossexam_baseline``, name the model and the test sets and have
a checksum of themselves and of the columns.  The same run gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from crossexam.core.arguments import path_of
from crossexam.core.dataset import Run
from crossexam.core.errors import CrossexamError, FormatError
from crossexam.core.files import finished_or_absent
from crossexam.core.labels import ENTAILMENT_OR_NOT, GOLDS, LABELS, label_indices
from crossexam.core.manifest import RunManifest, library_versions
from crossexam.core.outcome import STATUSES, Outcomes
from crossexam.core.places import copy_path
from crossexam.core.sealed import ChangedError, sealed, unsealed
from crossexam.core.transfers import fetch_file, put_file
from crossexam.evaluation.comparison import contents_of, way_to_same_sets
from crossexam.evaluation.shares import gives_labels_only, probabilities_needed

_FORMAT: Final = 1
_KEY: Final = b"crossexam_baseline"
_SHARES: Final = tuple(f"p_{label}" for label in LABELS)
_MASS: Final = "label_mass"
_WANTED: Final = "a file that `crossexam baseline` wrote"
_HINT: Final = "crossexam baseline RUN -o FILE writes it anew"
_SAME_SUITE: Final = (
    "run the model over the suite of the baseline (one that is built anew can have other ids or names, such "
    "as those of a corpus file under another name)"
)
_ANEW: Final = (
    "run the model of the baseline over the suite of this run, and write the baseline anew: "
    "crossexam baseline RUN -o FILE"
)
_ENTAILMENT: Final = LABELS.index("entailment")
#: The row of a label without probabilities, by its index in GOLDS; not_entailment is shown as neutral.
_ROWS: Final = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0], [np.nan] * 3])
#: The row of entailment that is the most probable of three labels, but not more probable than the others.
_NOT_HALF: Final = (0.4, 0.3, 0.3)


@dataclass(frozen=True)
class BaselineSet:
    """What a baseline has of a test set of *rows* items with this *content_hash*, read by *projection*.

    Per item [n]: the index of the *predicted* label in GOLDS, -1 without an answer; whether entailment
    is predicted on two labels (*entailed*), where its probability is above 1/2; the *codes* of the outcomes.
    *probabilities* [n, 3] and *label_mass* [n] are None if they were not stored, or the model gave none.
    """

    content_hash: str
    rows: int
    projection: str
    made_by: str
    predicted: NDArray[np.int8]
    entailed: NDArray[np.bool_]
    codes: NDArray[np.int8]
    probabilities: NDArray[np.float32] | None = None
    label_mass: NDArray[np.float32] | None = None

    @property
    def label_rows(self) -> NDArray[np.float64]:
        """Rows of probabilities that give the predicted labels [n, 3], NaN without an answer."""
        rows: NDArray[np.float64] = _ROWS[self.predicted]
        rows[(self.predicted == _ENTAILMENT) & ~self.entailed] = _NOT_HALF
        return rows


@dataclass(frozen=True)
class Baseline:
    """The answers of *model* by test set, for comparison with later runs over the same items.

    *two_labels* is whether the model only tells entailment from non-entailment, and *versions* are those of
    the software.
    """

    model: str
    sets: Mapping[str, BaselineSet]
    model_key: str | None
    two_labels: bool
    versions: Mapping[str, str]

    @classmethod
    def of(cls, run: Run, *, probabilities: bool = True) -> Baseline:
        """Return the baseline that *run* is; raises CrossexamError if predictions are missing."""
        return cls(
            run.model,
            {name: _set_of(run, name, probabilities) for name in run.datasets},
            model_key=run.manifest.model_key,
            two_labels=run.two_labels,
            versions=library_versions("numpy", "pyarrow"),
        )

    def over(self, run: Run, *, probabilities: bool = False) -> Run:
        """Return the baseline as a run over the test sets of *run* that it has.

        Its rows only tell the labels, unless the stored *probabilities* are asked for; the run then has those
        test sets for which there are any.  Raises CrossexamError if a test set is missing or has other items.
        """
        self.check(run)
        names = [
            name for name, each in self.sets.items() if not probabilities or each.probabilities is not None
        ]
        rows = {name: self._rows(name, probabilities) for name in names}
        outcomes = {name: self._outcomes(name) for name in names}
        manifest = RunManifest(model_key=self.model_key, details={"two_label": self.two_labels})
        return Run(self.model, {name: run.datasets[name] for name in names}, rows, manifest, {}, outcomes)

    def _rows(self, name: str, probabilities: bool) -> NDArray[np.float64]:
        stored = self.sets[name].probabilities
        if probabilities and stored is not None:
            return stored.astype(np.float64)
        return self.sets[name].label_rows

    def _outcomes(self, name: str) -> Outcomes:
        each = self.sets[name]
        mass = np.full(each.rows, np.nan) if each.label_mass is None else each.label_mass.astype(np.float64)
        return Outcomes(each.codes, mass)

    def without(self, names: Collection[str]) -> Baseline:
        """Return the baseline without the test sets called *names*."""
        return replace(self, sets={name: each for name, each in self.sets.items() if name not in names})

    def check(self, run: Run) -> None:
        """Raise CrossexamError unless *run* has every test set of the baseline, with the same items."""
        missing = [name for name in self.sets if name not in run.datasets]
        if missing:
            contents = {name: each.content_hash for name, each in self.sets.items() if each.rows}
            way = way_to_same_sets(contents, contents_of(run), "run the model over the same suite")
            raise CrossexamError(
                f"the run of '{run.model}' lacks {', '.join(missing)}, which the baseline has",
                wanted="a run over every test set of the baseline",
                hint=f"{way}; or write the baseline anew",
            )
        for name, each in self.sets.items():
            _check_items(name, each, run)


def _check_items(name: str, each: BaselineSet, run: Run) -> None:
    dataset = run.datasets[name]
    found = dataset.stated_hash
    if (len(dataset), found) != (each.rows, each.content_hash):
        raise CrossexamError(
            f"the run and the baseline are over different items ({len(dataset):,} with content {found}, "
            f"{each.rows:,} with {each.content_hash})",
            where=f"test set {name}",
            wanted="the items of the baseline, in the same order, with the same ids and labels",
            hint=f"{_SAME_SUITE}; or {_ANEW}",
        )
    if dataset.projection.name != each.projection:
        raise CrossexamError(
            f"the run has the labels '{dataset.projection.name}', the baseline '{each.projection}'",
            where=f"test set {name}",
            wanted="the labels of the baseline",
            hint=_ANEW,
        )


def _set_of(run: Run, name: str, probabilities: bool) -> BaselineSet:
    dataset, answers, outcomes = run.datasets[name], run.answers(name), run.outcomes_of(name)
    stores = probabilities and not gives_labels_only(answers)
    knows_mass = stores and not np.isnan(outcomes.label_mass).all()
    return BaselineSet(
        content_hash=dataset.stated_hash,
        rows=len(dataset),
        projection=dataset.projection.name,
        made_by=dataset.entry.versioned,
        predicted=run.scored(name).predicted.astype(np.int8),
        entailed=label_indices(answers, ENTAILMENT_OR_NOT) == _ENTAILMENT,
        codes=outcomes.codes.astype(np.int8),
        probabilities=answers.astype(np.float32) if stores else None,
        label_mass=outcomes.label_mass.astype(np.float32) if knows_mass else None,
    )


def chosen_baseline(run: Run, *, probabilities: bool) -> Baseline:
    """Return the baseline that *run* is; raises CrossexamError without *probabilities* that are wanted."""
    if probabilities and all(gives_labels_only(run.probabilities[name]) for name in run.datasets):
        raise probabilities_needed(run, "a calibration error")
    return Baseline.of(run, probabilities=probabilities)


def given_baseline(value: str | Path | Run | None) -> Baseline | None:
    """Return the baseline that *value* is, a file or a run; raises CrossexamError."""
    if value is None or isinstance(value, Run):
        return None if value is None else Baseline.of(value)
    wanted = "a file that cx.baseline wrote, or a run"
    return read_baseline(path_of(value, "baseline", wanted=wanted, of=copy_path))


def write_baseline(baseline: Baseline, path: Path) -> None:
    """Write *baseline* to *path*, completely or not at all; raises CrossexamError if that is a folder."""
    if path.is_dir():
        raise CrossexamError("this is a folder", where=str(path), wanted="a file for the baseline")
    table = _table(baseline)
    content = _Manifest(
        format=_FORMAT,
        model=baseline.model,
        model_key=baseline.model_key,
        two_label=baseline.two_labels,
        versions=baseline.versions,
        test_sets={name: _entry(each) for name, each in baseline.sets.items()},
        columns=_hash_of_columns(baseline),
    )
    text = json.dumps(sealed(msgspec.to_builtins(content)), ensure_ascii=True)
    floats = [name for name in table.column_names if name in (*_SHARES, _MASS)]
    with finished_or_absent(path) as temporary:
        pq.write_table(
            table.replace_schema_metadata({_KEY: text.encode()}),
            temporary,
            compression="zstd",
            use_dictionary=[name for name in table.column_names if name not in floats],
            use_byte_stream_split=floats,
        )
    put_file(path)


class _Entry(msgspec.Struct, frozen=True):
    """What the manifest of a baseline says of a test set, whose rows follow those of the one before."""

    rows: int
    content_hash: str
    projection: str
    construction: str
    probabilities: bool  # whether they are stored
    label_mass: bool


class _Manifest(msgspec.Struct, frozen=True):
    """What the metadata of the file of a baseline say; *columns* is a hash of its rows."""

    format: int
    model: str
    model_key: str | None
    two_label: bool
    versions: Mapping[str, str]
    test_sets: Mapping[str, _Entry]
    columns: str


def _entry(each: BaselineSet) -> _Entry:
    return _Entry(
        rows=each.rows,
        content_hash=each.content_hash,
        projection=each.projection,
        construction=each.made_by,
        probabilities=each.probabilities is not None,
        label_mass=each.label_mass is not None,
    )


def _table(baseline: Baseline) -> pa.Table:
    """Return the items of all test sets, one below the other."""
    sets = list(baseline.sets.values())
    predicted, entailed, codes = (
        np.concatenate([np.zeros(0, kind), *(getattr(each, name) for each in sets)])
        for name, kind in (("predicted", np.int8), ("entailed", np.bool_), ("codes", np.int8))
    )
    columns: dict[str, pa.Array] = {
        "predicted": pa.array(GOLDS).take(pa.array(predicted, mask=predicted < 0)),
        "entailed": pa.array(entailed),
        "outcome": pa.array(list(STATUSES)).take(pa.array(codes)),
    }
    if any(each.probabilities is not None for each in sets):
        shares = np.concatenate([_or_nan(each.probabilities, each.rows, 3) for each in sets])
        columns |= {name: pa.array(shares[:, number]) for number, name in enumerate(_SHARES)}
    if any(each.label_mass is not None for each in sets):
        columns[_MASS] = pa.array(np.concatenate([_or_nan(each.label_mass, each.rows) for each in sets]))
    return pa.table(columns)


def _or_nan(values: NDArray[np.float32] | None, *shape: int) -> NDArray[np.float32]:
    return np.full(shape, np.nan, dtype=np.float32) if values is None else values


def _hash_of_columns(baseline: Baseline) -> str:
    """Return the hash of everything that a baseline has of its items."""
    running = hashlib.blake2b(digest_size=16)
    for each in baseline.sets.values():
        for column in (each.predicted, each.entailed, each.codes, each.probabilities, each.label_mass):
            running.update(b"" if column is None else np.ascontiguousarray(column).tobytes())
    return running.hexdigest()


def read_baseline(path: Path) -> Baseline:
    """Return the baseline in *path*, which :func:`write_baseline` wrote; what belongs elsewhere is fetched.

    Raises FormatError if it is anything else, ChangedError if it was changed.
    """
    path = fetch_file(path)
    if not path.is_file():
        is_folder = path.is_dir()
        raise FormatError(
            "this is a folder" if is_folder else "no such file", where=str(path), wanted=_WANTED, hint=_HINT
        )
    try:
        text = (pq.read_schema(path).metadata or {}).get(_KEY)
        content = None if text is None else unsealed(_object(text), path, hint=_HINT)
        table = pq.read_table(path) if content is not None else None
    except (pa.ArrowException, OSError, ValueError, RecursionError) as error:
        said = str(error).partition("\n")[0]
        raise FormatError(
            f"the file is damaged: {said}", where=str(path), wanted=_WANTED, hint=_HINT
        ) from None
    if content is None or table is None:
        raise FormatError("this is not a baseline", where=str(path), wanted=_WANTED, hint=_HINT)
    if content.get("format") != _FORMAT:
        raise FormatError(
            f"the baseline has the format {content.get('format')}",
            where=str(path),
            wanted=f"the format {_FORMAT}, which this version of Crossexam writes",
            hint=_HINT,
        )
    try:
        manifest = msgspec.convert(content, _Manifest)
        found = _from_table(manifest, table)
        is_whole = _hash_of_columns(found) == manifest.columns
    except (msgspec.ValidationError, KeyError, ValueError, pa.ArrowException):
        is_whole = False
    if not is_whole:
        raise ChangedError(
            "the baseline was changed by hand, or damaged, after it was written",
            where=str(path),
            wanted="the columns as Crossexam wrote them",
            hint=_HINT,
        )
    return found


def _object(text: bytes) -> dict[str, Any]:
    content = json.loads(text)
    if not isinstance(content, dict):
        raise ValueError("its metadata is not a JSON object")
    return content


def _from_table(manifest: _Manifest, table: pa.Table) -> Baseline:
    """Return the baseline with this *manifest*; raises KeyError or ValueError if *table* differs."""
    whole = {
        "predicted": _codes(table["predicted"], GOLDS),
        "entailed": table["entailed"].to_numpy(),
        "codes": _codes(table["outcome"], STATUSES),
    }
    names = set(table.column_names)
    shares = np.stack([table[name].to_numpy() for name in _SHARES], axis=1) if names >= {*_SHARES} else None
    mass = table[_MASS].to_numpy() if _MASS in names else None
    sets: dict[str, BaselineSet] = {}
    start = 0
    for name, entry in manifest.test_sets.items():
        here = slice(start, start + entry.rows)
        start = here.stop
        sets[name] = BaselineSet(
            content_hash=entry.content_hash,
            rows=entry.rows,
            projection=entry.projection,
            made_by=entry.construction,
            **{column: values[here] for column, values in whole.items()},
            probabilities=shares[here] if entry.probabilities and shares is not None else None,
            label_mass=mass[here] if entry.label_mass and mass is not None else None,
        )
    if start != table.num_rows:
        raise ValueError("another number of rows")
    return Baseline(
        manifest.model,
        sets,
        model_key=manifest.model_key,
        two_labels=manifest.two_label,
        versions=manifest.versions,
    )


def _codes(column: pa.ChunkedArray, names: Iterable[str]) -> NDArray[np.int8]:
    """Return the place of each text of *column* among *names* [n], -1 where there is none."""
    found: NDArray[np.int8] = pc.fill_null(pc.index_in(column, pa.array(list(names))), -1).to_numpy()
    return found.astype(np.int8)
