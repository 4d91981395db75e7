"""Language models and classifiers of one text: which kind a checkpoint is, and loading it.

HHEM-2.1-open comes with its own code, which is never run.  It needs none: it is the encoder of flan-t5-base
with a head for the classes of tokens, whose weights have names that begin with ``t5.``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from crossexam.core.errors import CrossexamError, FormatError
from crossexam.models.checkpoint import cannot_load, import_torch, load_tokenizer
from crossexam.models.lm.known import HHEM, HHEM_FOUNDATION
from crossexam.training.pretrained import Checkpoint, find_without_weights
from crossexam.training.transformers_logging import quiet_transformers

Kind = Literal["causal", "encoder-decoder", "classifier"]

_CLASSIFIERS: Final = ("ForSequenceClassification", "ForTokenClassification")
#: Models whose positions are relative, so that they read inputs longer than those of their training.
_RELATIVE: Final = frozenset({"t5", "mt5", "umt5", "longt5", "deberta-v2"})
_LENGTHS: Final = ("n_positions", "max_position_embeddings", "n_ctx")
_NO_LENGTH: Final = 10**29  # tokenizers without a maximum say 10 ** 30
_SHORTEST: Final = 8
_FLOATS: Final = ("float32", "bfloat16", "float16")


def kind_of(checkpoint: Checkpoint) -> Kind:
    """Return what kind of model *checkpoint* is, by its configuration."""
    architecture = _architecture(checkpoint)
    if architecture == HHEM or architecture.endswith(_CLASSIFIERS):
        return "classifier"
    return "encoder-decoder" if checkpoint.config.get("is_encoder_decoder") else "causal"


def foundation_of(checkpoint: Checkpoint, stated: str | None) -> Checkpoint | None:
    """Return the checkpoint whose configuration and tokenizer *checkpoint* needs: only HHEM needs one.

    *stated* is its folder or its name at the hub.  Raises CrossexamError.
    """
    if _architecture(checkpoint) == HHEM:
        return find_without_weights(stated or HHEM_FOUNDATION, checkpoint.kind)
    if stated is not None:
        raise CrossexamError(
            f"the foundation {stated} is stated, but the checkpoint has a configuration of its own",
            where=checkpoint.where,
            wanted="a foundation for HHEM-2.1-open only",
            hint="leave out --set lm.foundation",
        )
    return None


def foundation_hash(foundation: Checkpoint | None) -> str:
    """Return a hash of the files of *foundation* that predictions depend on, of none if it is None."""
    running = hashlib.blake2b(digest_size=16)
    for path in sorted(foundation.folder.glob("*")) if foundation else ():
        if path.is_file() and path.suffix in (".json", ".model", ".txt"):
            running.update(f"{path.name}\x1f".encode() + path.read_bytes() + b"\x1e")
    return running.hexdigest()


def chat_hash(checkpoint: Checkpoint) -> str:
    """Return a hash of the files in which *checkpoint* has its chat templates, if it has files for them."""
    own = checkpoint.folder / "chat_template.jinja"
    others = sorted((checkpoint.folder / "additional_chat_templates").glob("*.jinja"))
    running = hashlib.blake2b(own.read_bytes() if own.is_file() else b"", digest_size=16)
    for path in others:
        running.update(f"\x1e{path.name}\x1f".encode() + path.read_bytes())
    return running.hexdigest() if own.is_file() or others else ""


def longest_input(config: Mapping[str, Any], tokenizer_limit: int, stated: int | None, *, where: str) -> int:
    """Return how many tokens an input may have: *stated* ones, else as many as *config* or tokenizer say.

    Raises CrossexamError if the positions of the model do not reach that far.

    >>> longest_input({"model_type": "gpt2", "n_positions": 1024}, 10**30, None, where="lm/x")
    1024
    """
    config = config.get("text_config") or config
    limits = [int(config[name]) for name in _LENGTHS if config.get(name)]
    if config.get("model_type") in ("roberta", "xlm-roberta") and limits:
        limits[0] -= int(config.get("pad_token_id") or 0) + 1  # their positions start after the padding's
    known = limits[0] if limits else tokenizer_limit if tokenizer_limit < _NO_LENGTH else None
    if stated is None:
        if known is None:
            raise CrossexamError(
                "neither config.json nor the tokenizer says how long an input may be",
                where=where,
                wanted="a declared length",
                hint="--max-length 2048 (or what its card says)",
            )
        return known
    relative = config.get("model_type") in _RELATIVE
    if stated < _SHORTEST or (known is not None and stated > known and not relative):
        most = "" if relative or known is None else f" to {known}"
        raise CrossexamError(
            f"--max-length is {stated}",
            where=where,
            wanted=f"{_SHORTEST}{most or ' or more'} tokens for this checkpoint",
        )
    return stated


def dtype_of(config: Mapping[str, Any], stated: str) -> str:
    """Return the dtype in which to compute: the *stated* one, ``auto`` being that of the weights.

    >>> dtype_of({"torch_dtype": "bfloat16"}, "auto"), dtype_of({}, "auto")
    ('bfloat16', 'float32')
    """
    if stated != "auto":
        return stated
    own = str(config.get("dtype") or config.get("torch_dtype"))
    return own if own in _FLOATS else "float32"


def load_language_model(checkpoint: Checkpoint, kind: Kind, foundation: Checkpoint | None) -> tuple[Any, Any]:
    """Return the tokenizer and the model of *checkpoint*; raises CrossexamError."""
    import_torch(checkpoint)
    if foundation is not None:
        return load_tokenizer(foundation), _load_hhem(checkpoint, foundation)
    tokenizer = load_tokenizer(checkpoint)
    try:
        with quiet_transformers():
            model, report = _loader(checkpoint, kind).from_pretrained(
                checkpoint.folder, use_safetensors=True, trust_remote_code=False, output_loading_info=True
            )
    except Exception as error:  # transformers raises nearly anything for a checkpoint it cannot read
        raise cannot_load(checkpoint, error) from error
    _refuse_missing(checkpoint, sorted(report["missing_keys"]))
    return tokenizer, model


def _architecture(checkpoint: Checkpoint) -> str:
    return str((checkpoint.config.get("architectures") or [""])[0])


def _loader(checkpoint: Checkpoint, kind: Kind) -> Any:
    import transformers

    if kind == "causal":
        return transformers.AutoModelForCausalLM
    if kind == "encoder-decoder":
        return transformers.AutoModelForSeq2SeqLM
    if _architecture(checkpoint).endswith("ForTokenClassification"):
        return transformers.AutoModelForTokenClassification
    return transformers.AutoModelForSequenceClassification


def _refuse_missing(checkpoint: Checkpoint, missing: Sequence[str]) -> None:
    if missing:
        raise CrossexamError(
            f"the checkpoint lacks {len(missing)} weights of the model ({', '.join(missing[:3])}), which "
            "would be random",
            where=checkpoint.where,
            wanted="a checkpoint with all weights, the head included",
        )


def _load_hhem(checkpoint: Checkpoint, foundation: Checkpoint) -> Any:
    """Return HHEM-2.1-open as a classifier of tokens on the configuration of *foundation*."""
    from safetensors.torch import load_file
    from transformers import AutoConfig, T5ForTokenClassification

    weights = {
        name.removeprefix("t5."): table
        for path in sorted(checkpoint.folder.glob("*.safetensors"))
        for name, table in load_file(path).items()
    }
    shared = "transformer.shared.weight"
    if shared in weights:  # the encoder's own name for the same table
        weights.setdefault("transformer.encoder.embed_tokens.weight", weights[shared])
    try:
        with quiet_transformers():
            config = AutoConfig.from_pretrained(foundation.folder, trust_remote_code=False, num_labels=2)
            model = T5ForTokenClassification(config)
        result = model.load_state_dict(weights, strict=False)
    except Exception as error:
        raise cannot_load(checkpoint, error) from error
    if result.unexpected_keys:
        raise FormatError(
            f"the weights {', '.join(result.unexpected_keys[:3])} are not those of HHEM-2.1-open",
            where=checkpoint.where,
            wanted="the weights of an encoder of T5 and of two classes, with names that begin with t5.",
        )
    _refuse_missing(checkpoint, result.missing_keys)
    return model
