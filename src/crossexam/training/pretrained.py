"""Checkpoints of transformers: finding them, and the files of theirs that are read.

Weights are read from safetensors only, and code that comes with a checkpoint is never run.  An index of
weights may name only safetensors files inside the folder: transformers would read any other file as a pickle,
which can run code.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any, Final

from crossexam.core.errors import CrossexamError, FormatError, MissingExtraError
from crossexam.core.files import read_json, sha256_of
from crossexam.core.places import home_expanded

#: The packages that run a checkpoint.
RUN_BY: Final = ("torch", "transformers")
_SAFETENSORS: Final = ".safetensors"
_WEIGHTS: Final = "model.safetensors"
_INDEX: Final = "model.safetensors.index.json"
#: The files that predictions depend on: weights (safetensors only), configuration, tokenizer.
_PATTERNS: Final = (
    "*.safetensors",
    "*.json",
    "*.txt",
    "*.model",
    "*.tiktoken",
    "*.spm",
    "*.bpe",
    "*.codes",
    "*.vocab",
)
#: How a conversation becomes a prompt: read by language models only.
_CHAT_TEMPLATES: Final = "*.jinja"
_OTHER_WEIGHTS: Final = frozenset({".onnx", ".h5", ".msgpack", ".gguf", ".ot"})
_COPY_WHOLE: Final = "copy or download the whole checkpoint"
_NO_WEIGHTS: Final = "no safetensors file, so no weights"
_SAFETENSORS_HINT: Final = (
    "if you trust it, load it and save it again: model.save_pretrained(folder) writes safetensors"
)


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint: its *folder*, its *name*, the *revision* downloaded from the hub, its configuration.

    *kind* is the kind of model that runs it.
    """

    folder: Path
    name: str
    revision: str | None
    config: Mapping[str, Any]
    kind: str = "hf"

    @property
    def where(self) -> str:
        """Return the name of the model, for messages."""
        return f"{self.kind}/{self.name}"

    def content_hash(self) -> str:
        """Return 32 hexadecimal digits that change when weights, configuration or tokenizer do."""
        running = hashlib.blake2b(digest_size=16)
        for path in _files(self.folder):
            name = path.relative_to(self.folder).as_posix()
            running.update(f"{name}\x1f{sha256_of(path)}\x1e".encode())
        return running.hexdigest()


def find_checkpoint(spec: str, revision: str | None, kind: str = "hf") -> Checkpoint:
    """Return the checkpoint in the folder *spec*, or the hub's checkpoint of this name, for models of *kind*.

    Raises CrossexamError if there is none, if it has no safetensors, or if it is not a checkpoint of
    transformers.
    """
    folder, where = home_expanded(spec), f"{kind}/{spec}"
    if folder.is_dir():
        if revision is not None:
            raise CrossexamError("a local folder has no revisions", where=where, hint="leave out --revision")
        commit = None
    elif folder.exists():
        raise CrossexamError("this is a file", where=where, wanted="the folder of a checkpoint")
    elif spec.startswith((".", "/", "~")) or spec.count("/") > 1:
        raise CrossexamError("no such folder", where=where, wanted="the folder of a checkpoint")
    else:
        folder, commit = _download(spec, revision, where)
    _check_files(folder, where=where)
    return Checkpoint(folder, spec, commit, read_json(folder / "config.json", hint=_COPY_WHOLE), kind)


def find_without_weights(spec: str, kind: str) -> Checkpoint:
    """Return the checkpoint *spec*, of which only the configuration and the tokenizer are needed.

    Weights in it are neither downloaded nor checked.  Raises CrossexamError.
    """
    folder, where = home_expanded(spec), f"{kind}/{spec}"
    if not folder.is_dir():
        folder, _ = _download(spec, None, where, [each for each in _PATTERNS if each != f"*{_SAFETENSORS}"])
    return Checkpoint(folder, spec, None, read_json(folder / "config.json", hint=_COPY_WHOLE), kind)


def _check_files(folder: Path, *, where: str) -> None:
    """Raise CrossexamError if *folder* is not a checkpoint whose weights can be read safely."""
    if graphs_in(folder) and not any(folder.glob(f"*{_SAFETENSORS}")):
        raise CrossexamError(
            "no safetensors file, but an exported model (.onnx)", where=where, hint=f"onnx/{folder}"
        )
    has_adapter = (folder / "adapter_config.json").exists()
    if not (folder / "config.json").exists():
        raise FormatError(
            "config.json is missing",
            where=where,
            wanted="a checkpoint that save_pretrained wrote",
            hint="an adapter must be merged into its model first" if has_adapter else None,
        )
    if has_adapter:
        raise CrossexamError(
            "adapter_config.json is beside config.json, so that the installed packages decide "
            "whether the adapter is loaded",
            where=where,
            hint="merge the adapter into its model, or remove adapter_config.json if it is merged",
        )
    if "transformers_weights" in read_json(folder / "config.json", hint=_COPY_WHOLE):
        raise CrossexamError(
            "config.json names a weights file of its own (transformers_weights), which is not read",
            where=where,
            hint=f"call the file {_WEIGHTS} and remove the field",
        )
    if not any(path.suffix == _SAFETENSORS for path in _files(folder)):
        what = _no_safetensors(folder)
        hint = _SAFETENSORS_HINT if what != _NO_WEIGHTS else _COPY_WHOLE
        raise CrossexamError(what, where=where, wanted="a .safetensors file", hint=hint)


def graphs_in(folder: Path) -> list[Path]:
    """Return the ONNX files in *folder* and in its subfolder ``onnx``."""
    return sorted([*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")])


def _no_safetensors(folder: Path) -> str:
    if any(folder.glob("*.bin")) or any(folder.glob("*.pt")) or any(folder.glob("*.pth")):
        return "no safetensors file; pickled weights are never read, since they can run code"
    others = sorted({path.suffix for path in folder.glob("**/*") if path.suffix in _OTHER_WEIGHTS})
    if others:
        return f"no safetensors file; weights in the form of {' and '.join(others)} are not read"
    return _NO_WEIGHTS


def _files(folder: Path) -> list[Path]:
    """Return the files that predictions depend on; raises FormatError if one of the weights is elsewhere."""
    plain = {path for pattern in _PATTERNS for path in folder.glob(pattern) if path.is_file()}
    files = sorted(plain | set(_shards(folder)))
    for path in files:
        if path.suffix == _SAFETENSORS and not path.resolve().is_relative_to(_root(folder)):
            raise FormatError(
                f"{path.name} is a link to a file outside the checkpoint",
                where=str(folder),
                wanted="weights inside the folder",
                hint="copy the file into the folder",
            )
    return files


def _shards(folder: Path) -> list[Path]:
    """Return the files that the index of weights names; raises FormatError for anything but safetensors."""
    index = folder / _INDEX
    if not index.exists():
        return []
    named = read_json(index).get("weight_map")
    if not isinstance(named, dict) or not all(isinstance(file, str) for file in named.values()):
        raise FormatError(
            "field 'weight_map' is missing", where=str(index), wanted="a mapping from weights to files"
        )
    files = sorted(set(named.values()))
    for file in files:
        path = PurePosixPath(file.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in file or path.suffix != _SAFETENSORS:
            raise FormatError(
                f"the index of weights names '{file}'",
                where=str(index),
                wanted="safetensors files inside the folder; anything else can run code and is never read",
                hint=_SAFETENSORS_HINT,
            )
        if not (folder / file).is_file():
            raise FormatError(
                f"the index of weights names '{file}', which does not exist",
                where=str(index),
                hint=_COPY_WHOLE,
            )
    return [folder / file for file in files]


def _root(folder: Path) -> Path:
    """Return the folder that contains the files of the checkpoint in *folder*, links resolved.

    In the hub's cache, a checkpoint is a folder of links to ``blobs`` two levels above.
    """
    in_cache = folder.parent.name == "snapshots" and (folder.parent.parent / "blobs").is_dir()
    return (folder.parent.parent if in_cache else folder).resolve()


def _download(
    spec: str, revision: str | None, where: str, patterns: Sequence[str] = (*_PATTERNS, _CHAT_TEMPLATES)
) -> tuple[Path, str]:
    """Return the folder of the hub's checkpoint *spec* in the local cache, and its commit.

    Only the files are downloaded that have one of the *patterns*.  Without the packages that run it,
    the hub is not asked: one in the cache may have answered everything already, any other is of no use.
    """
    missing = next((package for package in RUN_BY if find_spec(package) is None), None)
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
    except ImportError:
        raise MissingExtraError("transformers", "torch", where) from None
    try:
        got = snapshot_download(
            spec,
            revision=revision,
            allow_patterns=list(patterns),
            ignore_patterns=["*/*"],
            local_files_only=missing is not None,
        )
    except HFValidationError:
        raise CrossexamError(
            "no such folder, and this cannot be the name of a checkpoint", where=where
        ) from None
    except LocalEntryNotFoundError:
        if missing is not None:
            raise MissingExtraError(missing, "torch", where) from None
        raise CrossexamError(
            "no such folder, and no checkpoint of this name in the cache; the hub could not be reached",
            where=where,
            hint="check the path, or the connection (and HF_HUB_OFFLINE)",
        ) from None
    except HfHubHTTPError as error:
        raise CrossexamError(f"the hub refused the download: {error}", where=where) from None
    folder = Path(got)
    return folder, folder.name
