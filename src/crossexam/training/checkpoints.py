"""Files of a training: the folder of a trained model of the zoo, and snapshots.

In the folder, ``config.json`` has the architecture and its configuration, ``model.safetensors`` the weights,
``vocabulary.json``, ``characters.json`` and ``tags.json`` the meaning of indices, and ``manifest.json``,
written last, scores and provenance.  A folder without a manifest is an unfinished training.

A snapshot is one safetensors file: tensors, and everything else as JSON in its header.  It is renamed when it
is complete, so that a process killed at any moment leaves either the new state or the previous one.  Nothing
is pickled.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import torch
from torch import Tensor

from crossexam.core.errors import CrossexamError, FormatError, UnknownNameError
from crossexam.core.files import finished_or_absent, read_json, sha256_of, write_json
from crossexam.core.labels import THREE_LABELS, Projection, projection_named
from crossexam.core.locks import sweep
from crossexam.core.sealed import MANIFEST, check_files
from crossexam.corpora.trained import RESTORE, TrainedFolder
from crossexam.training.vocabulary import CHARACTERS_FILE, TAGS_FILE, WORDS_FILE, Vocabulary

if TYPE_CHECKING:
    from torch import nn

    from crossexam.zoo.architecture import Architecture
    from crossexam.zoo.layers import Sizes

CONFIG: Final = "config.json"
WEIGHTS: Final = "model.safetensors"
METRICS: Final = "metrics.jsonl"
UNFINISHED: Final = "unfinished"  # folder of snapshots, removed at the end

KIND: Final = "crossexam-zoo"
FORMAT: Final = 1
_FIELDS: Final = {"kind", "format", "architecture", "config", "sizes"}
_MODEL_FILES: Final = (CONFIG, WEIGHTS, WORDS_FILE, CHARACTERS_FILE, TAGS_FILE)  # predictions depend on them


@dataclass(frozen=True)
class Description:
    """The content of ``config.json``: architecture, configuration, sizes of the vocabularies, labels."""

    architecture: Architecture
    config: Any
    sizes: Sizes
    classes: Projection = THREE_LABELS

    def build(self) -> nn.Module:
        """Return the model with its initial weights, and as many outputs as labels."""
        model = self.architecture.build(self.config, self.sizes)
        if self.classes is not THREE_LABELS:
            model.output = narrowed(cast("nn.Linear", model.output), len(self.classes.labels))
        return model


def narrowed(layer: nn.Linear, outputs: int) -> nn.Linear:
    """Return *layer* with only its first *outputs*, as they were initialised."""
    from torch import nn

    kept = nn.Linear(layer.in_features, outputs, bias=layer.bias is not None)
    kept.weight.data = layer.weight.data[:outputs].clone()
    if layer.bias is not None:
        kept.bias.data = layer.bias.data[:outputs].clone()
    return kept


def save_model(folder: Path, description: Description, model: nn.Module, vocabulary: Vocabulary) -> None:
    """Write everything but the manifest into *folder*."""
    vocabulary.save(folder)
    save_tensors(folder / WEIGHTS, model.state_dict())
    write_json(
        folder / CONFIG,
        {
            "kind": KIND,
            "format": FORMAT,
            "architecture": description.architecture.name,
            "config": asdict(description.config),
            "sizes": asdict(description.sizes),
            **({} if description.classes is THREE_LABELS else {"labels": description.classes.name}),
        },
    )


def read_description(folder: Path) -> Description:
    """Return the description of the model in *folder*; raises CrossexamError if there is none to be read."""
    if not (folder / MANIFEST).is_file() or not (folder / CONFIG).is_file():
        raise _no_model(folder)
    check_files(folder, TrainedFolder.read(folder).manifest.files, hint=RESTORE)
    path = folder / CONFIG
    content = read_json(path)
    if content.get("kind") != KIND:
        raise FormatError(
            "not a zoo model",
            where=str(path),
            wanted=f"field 'kind' to be '{KIND}'",
            hint=f"for a transformers checkpoint, use hf/{folder}" if "model_type" in content else None,
        )
    if content.get("format") != FORMAT or set(content) - {"labels"} != _FIELDS:
        unknown = sorted((set(content) - {"labels"}) ^ _FIELDS)
        what = f"fields {', '.join(unknown)}" if unknown else f"format {content.get('format')}"
        raise FormatError(
            f"{what}: this version of Crossexam cannot read it",
            where=str(path),
            wanted=f"format {FORMAT} with the fields {', '.join(sorted(_FIELDS))}",
            hint="use the version that wrote it (see 'versions' in manifest.json), or train again",
        )
    from crossexam.zoo.layers import Sizes
    from crossexam.zoo.table import architecture_named

    try:
        architecture = architecture_named(str(content["architecture"]))
    except UnknownNameError as error:
        raise FormatError(error.what, where=f"{path}, field 'architecture'", hint=error.hint) from None
    config = _with_fields(architecture.config, content["config"], f"{path}, field 'config'")
    sizes = _with_fields(Sizes(0), content["sizes"], f"{path}, field 'sizes'")
    classes = projection_named(str(content.get("labels", THREE_LABELS.name)))
    return Description(architecture, config, sizes, classes)


def load_model(folder: Path) -> tuple[nn.Module, Description, Vocabulary]:
    """Return the model in *folder*, its description and its vocabulary; raises CrossexamError."""
    description = read_description(folder)
    for name in _MODEL_FILES:
        if not (folder / name).is_file():
            raise FormatError("the file does not exist", where=str(folder / name), hint="train again")
    vocabulary = Vocabulary.load(folder)
    model = description.build()
    tensors, _ = load_tensors(folder / WEIGHTS)
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        lines = [line.strip() for line in str(error).splitlines()]
        raise FormatError(
            f"the weights do not fit {description.architecture.name}: {lines[-1]}",
            where=str(folder / WEIGHTS),
        ) from None
    return model.eval(), description, vocabulary


def checkpoint_hash(folder: Path) -> str:
    """Return 32 hexadecimal digits that change when configuration, weights or vocabulary do."""
    running = hashlib.blake2b(digest_size=16)
    for name in _MODEL_FILES:
        if (folder / name).is_file():
            running.update(f"{name}\x1f{sha256_of(folder / name)}\x1e".encode())
    return running.hexdigest()


def _with_fields(default: Any, values: object, where: str) -> Any:
    """Return *default* with *values* for all its fields; raises FormatError if the fields differ."""
    names = {field.name for field in fields(default)}
    if not isinstance(values, Mapping) or set(values) != names:
        unknown = ", ".join(sorted(set(values) ^ names)) if isinstance(values, Mapping) else "not an object"
        raise FormatError(
            f"unknown or missing fields: {unknown}",
            where=where,
            wanted=", ".join(sorted(names)),
            hint="use the version that wrote it (see 'versions' in manifest.json), or train again",
        )
    return replace(default, **{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})


def _no_model(folder: Path) -> CrossexamError:
    members = sorted(path.parent.name for path in folder.glob(f"*/{MANIFEST}")) if folder.is_dir() else []
    if not folder.is_dir():
        return CrossexamError(
            "the folder does not exist", where=f"zoo/{folder}", wanted="the folder of a trained model"
        )
    if members:
        return CrossexamError(
            f"it holds {len(members)} models: {', '.join(members[:5])}",
            where=f"zoo/{folder}",
            hint=f"zoo/{folder}/{members[0]}",
        )
    return CrossexamError(
        "training did not finish" if (folder / UNFINISHED).is_dir() else "no trained model here",
        where=f"zoo/{folder}",
        wanted=f"{CONFIG} and {MANIFEST}",
        hint="the same `crossexam train` command resumes it" if (folder / UNFINISHED).is_dir() else None,
    )


_FORMAT: Final = "crossexam-training-1"


def save_tensors(path: Path, tensors: Mapping[str, Tensor], state: Mapping[str, Any] | None = None) -> None:
    """Write *tensors* and, in the header, *state* to *path*, completely or not at all."""
    from safetensors.torch import save_file

    on_cpu = {name: tensor.detach().cpu().clone().contiguous() for name, tensor in tensors.items()}
    header = {"format": _FORMAT, "state": json.dumps(state)} if state is not None else {"format": "pt"}
    with finished_or_absent(path) as temporary:
        save_file(on_cpu, temporary, metadata=header)


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the tensors in *path*, on the CPU, and its state; raises FormatError if the file is damaged."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as stored:
            header = stored.metadata() or {}
            tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise FormatError(f"not a safetensors file: {error}", where=str(path)) from None
    return tensors, json.loads(header.get("state", "{}"))


def with_prefix(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return *tensors* with *prefix* and a slash in front of each name."""
    return {f"{prefix}/{name}": tensor for name, tensor in tensors.items()}


def without_prefix(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors that :func:`with_prefix` gave this *prefix*, by their original names."""
    start = f"{prefix}/"
    return {name.removeprefix(start): tensor for name, tensor in tensors.items() if name.startswith(start)}


def random_states() -> dict[str, Tensor]:
    """Return the states of torch's random generators, of the CPU and of each CUDA device."""
    states = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        states |= {f"cuda{number}": state for number, state in enumerate(torch.cuda.get_rng_state_all())}
    return states


def set_random_states(states: Mapping[str, Tensor]) -> None:
    """Restore what :func:`random_states` returned, except for devices that are not available."""
    torch.set_rng_state(states["cpu"])
    for number in range(torch.cuda.device_count()):
        if f"cuda{number}" in states:
            torch.cuda.set_rng_state(states[f"cuda{number}"], number)


def remove_snapshots(folder: Path) -> None:
    """Remove from *folder* what only an unfinished training needs."""
    shutil.rmtree(folder / UNFINISHED, ignore_errors=True)
    sweep(folder)
