"""A trained model of the zoo as a folder: configuration, weights, vocabulary, and the manifest last.

``config.json`` says what is to be built, ``model.safetensors`` holds the weights, ``vocabulary.json``,
``characters.json`` and ``tags.json`` what numbers stand for; ``manifest.json`` says how all was had.  A
folder without a manifest is a training that was never finished.

Where a training stands, as one safetensors file: tensors, and all else as JSON in its header.

One file, renamed when it is whole, so that a run killed at any moment finds one state or the one before,
never half of each.  Nothing is pickled.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import torch
from torch import Tensor

from crossexam.core.errors import CrossexamError, FormatError, UnknownNameError
from crossexam.core.files import finished_or_absent, read_json, sha256_of, write_json
from crossexam.training.vocabulary import CHARACTERS_FILE, TAGS_FILE, WORDS_FILE, Vocabulary

if TYPE_CHECKING:
    from torch import nn

    from crossexam.zoo.architecture import Architecture
    from crossexam.zoo.layers import Sizes

CONFIG: Final = "config.json"
WEIGHTS: Final = "model.safetensors"
MANIFEST: Final = "manifest.json"
METRICS: Final = "metrics.jsonl"
UNFINISHED: Final = "unfinished"  # folder of what is only there while training

KIND: Final = "crossexam-zoo"
FORMAT: Final = 1
_FIELDS: Final = {"kind", "format", "architecture", "config", "sizes"}
_ANSWERING: Final = (CONFIG, WEIGHTS, WORDS_FILE, CHARACTERS_FILE, TAGS_FILE)  # what answers depend on


@dataclass(frozen=True)
class Description:
    """What ``config.json`` says: the architecture, its configuration, the sizes of the vocabularies."""

    architecture: Architecture
    config: Any
    sizes: Sizes

    def build(self) -> nn.Module:
        """Return the model, with the weights it is initialised with."""
        return self.architecture.build(self.config, self.sizes)


def save_model(folder: Path, described: Description, model: nn.Module, vocabulary: Vocabulary) -> None:
    """Write everything but the manifest into *folder*."""

    vocabulary.save(folder)
    save_tensors(folder / WEIGHTS, model.state_dict())
    write_json(
        folder / CONFIG,
        {
            "kind": KIND,
            "format": FORMAT,
            "architecture": described.architecture.name,
            "config": asdict(described.config),
            "sizes": asdict(described.sizes),
        },
    )


def read_description(folder: Path) -> Description:
    """Return what the model in *folder* is; raises CrossexamError where it cannot be told."""
    if not (folder / MANIFEST).is_file() or not (folder / CONFIG).is_file():
        raise _no_model(folder)
    path = folder / CONFIG
    found = read_json(path)
    if found.get("kind") != KIND:
        raise FormatError(
            "this is no model of the zoo",
            where=str(path),
            wanted=f"field 'kind' to be '{KIND}'",
            hint=f"a checkpoint of transformers is hf/{folder}" if "model_type" in found else None,
        )
    if found.get("format") != FORMAT or set(found) != _FIELDS:
        unknown = sorted(set(found) ^ _FIELDS)
        what = f"fields {', '.join(unknown)}" if unknown else f"format {found.get('format')}"
        raise FormatError(
            f"{what}: this version of Crossexam does not read it",
            where=str(path),
            wanted=f"format {FORMAT} with the fields {', '.join(sorted(_FIELDS))}",
            hint="use the version that wrote it (manifest.json, versions), or train again",
        )
    from crossexam.zoo.layers import Sizes
    from crossexam.zoo.table import architecture_named

    try:
        architecture = architecture_named(str(found["architecture"]))
    except UnknownNameError as error:
        raise FormatError(error.what, where=f"{path}, field 'architecture'", hint=error.hint) from None
    config = _with_fields(architecture.config, found["config"], f"{path}, field 'config'")
    return Description(architecture, config, _with_fields(Sizes(0), found["sizes"], f"{path}, field 'sizes'"))


def load_model(folder: Path) -> tuple[nn.Module, Description, Vocabulary]:
    """Return the model in *folder*, what it is, and its vocabulary; raises CrossexamError."""

    described = read_description(folder)
    for name in _ANSWERING:
        if not (folder / name).is_file():
            raise FormatError("there is no such file", where=str(folder / name), hint="train again")
    vocabulary = Vocabulary.load(folder)
    model = described.build()
    tensors, _ = load_tensors(folder / WEIGHTS)
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        lines = [line.strip() for line in str(error).splitlines()]
        raise FormatError(
            f"the weights are not those of {described.architecture.name}: {lines[-1]}",
            where=str(folder / WEIGHTS),
        ) from None
    return model.eval(), described, vocabulary


def checkpoint_hash(folder: Path) -> str:
    """Return 32 hexadecimal digits that change when configuration, weights or vocabulary do."""
    running = hashlib.blake2b(digest_size=16)
    for name in _ANSWERING:
        if (folder / name).is_file():
            running.update(f"{name}\x1f{sha256_of(folder / name)}\x1e".encode())
    return running.hexdigest()


def _with_fields(default: Any, values: object, where: str) -> Any:
    """Return *default* with *values* for all its fields; raises FormatError where they are others."""
    names = {field.name for field in fields(default)}
    if not isinstance(values, Mapping) or set(values) != names:
        unknown = ", ".join(sorted(set(values) ^ names)) if isinstance(values, Mapping) else "no object"
        raise FormatError(
            f"fields that are unknown or missing: {unknown}",
            where=where,
            wanted=", ".join(sorted(names)),
            hint="use the version that wrote it (manifest.json, versions), or train again",
        )
    return replace(default, **{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})


def _no_model(folder: Path) -> CrossexamError:
    members = sorted(path.parent.name for path in folder.glob(f"*/{MANIFEST}")) if folder.is_dir() else []
    if not folder.is_dir():
        return CrossexamError(
            "there is no such folder", where=f"zoo/{folder}", wanted="a folder that training wrote"
        )
    if members:
        return CrossexamError(
            f"it holds {len(members)} models: {', '.join(members[:5])}",
            where=f"zoo/{folder}",
            hint=f"zoo/{folder}/{members[0]}",
        )
    return CrossexamError(
        "the training was not finished" if (folder / UNFINISHED).is_dir() else "no trained model is here",
        where=f"zoo/{folder}",
        wanted=f"{CONFIG} and {MANIFEST}",
        hint="the same `crossexam train` command goes on where it was"
        if (folder / UNFINISHED).is_dir()
        else None,
    )


_FORMAT: Final = "crossexam-training-1"


def save_tensors(path: Path, tensors: Mapping[str, Tensor], state: Mapping[str, Any] | None = None) -> None:
    """Write *tensors* and, in the file's header, *state* to *path*, whole or not at all."""
    from safetensors.torch import save_file

    held = {name: tensor.detach().cpu().clone().contiguous() for name, tensor in tensors.items()}
    header = {"format": _FORMAT, "state": json.dumps(state)} if state is not None else {"format": "pt"}
    with finished_or_absent(path) as temporary:
        save_file(held, temporary, metadata=header)


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the tensors in *path*, on the CPU, and its state; raises FormatError where it is damaged."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as stored:
            header = stored.metadata() or {}
            tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise FormatError(f"not a safetensors file: {error}", where=str(path)) from None
    return tensors, json.loads(header.get("state", "{}"))


def under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return *tensors* with *prefix* and a slash before each name."""
    return {f"{prefix}/{name}": tensor for name, tensor in tensors.items()}


def those_under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors that :func:`under` named with *prefix*, by their own names."""
    start = f"{prefix}/"
    return {name.removeprefix(start): tensor for name, tensor in tensors.items() if name.startswith(start)}


def random_states() -> dict[str, Tensor]:
    """Return the states of torch's random generators, of the CPU and of each CUDA device."""
    states = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        states |= {f"cuda{number}": state for number, state in enumerate(torch.cuda.get_rng_state_all())}
    return states


def set_random_states(states: Mapping[str, Tensor]) -> None:
    """Put back what :func:`random_states` returned; a device that is not here is passed over."""
    torch.set_rng_state(states["cpu"])
    for number in range(torch.cuda.device_count()):
        if f"cuda{number}" in states:
            torch.cuda.set_rng_state(states[f"cuda{number}"], number)


def refuse_other(found: Mapping[str, Any], ours: Mapping[str, Any], folder: Path) -> None:
    """Raise CrossexamError where *folder* holds a training that depends on something else than *ours*."""
    differing = [name for name in sorted({*found, *ours}) if found.get(name) != ours.get(name)]
    if differing:
        name = differing[0]
        raise CrossexamError(
            f"it holds a training with another {name}: {_short(found.get(name))}, "
            f"not {_short(ours.get(name))}",
            where=str(folder),
            hint="choose another folder, or remove this one",
        )


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
