"""Linear layers as operations of oneDNN whose weights are packed once, and the encoder layers built of them.

torch multiplies matrices in float32 with MKL, which on some processors (those of AMD) uses half of their
vector width; oneDNN uses all of it.  Packed weights are in the order in which oneDNN reads them, so that it
need not reorder them for each batch.  ``bench/hf_throughput.py`` measures the gain.

The operations are internal ones of torch, which its compiler uses.  Whoever packs a model therefore compares
its logits with those of the original, and calls :meth:`Packing.undo` if they differ.

Packed layers round differently.  Which models are packed therefore depends on their size, and not on the time
that is measured, which could differ from one process to the next: a run that is resumed, or shared between
workers, has the bits of one that is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

import torch
from torch import Tensor, nn

from crossexam.training.first_token import LIKE_BERT

#: What another version of torch or transformers may raise where this module expects something else.
DOES_NOT_FIT: Final = (RuntimeError, AttributeError, IndexError, TypeError, ValueError)
#: Bytes of linear layers that are packed: smaller ones gain nothing, and all are in memory twice meanwhile.
PACKED_BYTES: Final = range(4 * 2**20, 4 * 2**30)
#: Tokens for which the order of the weights is chosen.
_TOKENS: Final = 768
#: A block that glibc gives back to the system when it is freed, the largest from whose size it learns.
_LARGE_BLOCK: Final = 32 * 2**20 - 2**16


class PackedLinear(nn.Module):
    """A linear layer with packed weights, followed by an *activation*: *weight* [out, in], *bias* [out]."""

    def __init__(
        self, weight: Tensor, bias: Tensor | None, activation: Literal["none", "gelu"] = "none"
    ) -> None:
        super().__init__()
        packed: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight.detach().contiguous(), _TOKENS)
        self.weight, self.bias, self.activation = packed, bias, activation

    def forward(self, states: Tensor) -> Tensor:
        """Return the activations [..., out] of *states* [..., in]."""
        operation = torch.ops.mkldnn._linear_pointwise
        result: Tensor = operation(states, self.weight, self.bias, self.activation, [], "none")
        return result

    def plus(self, states: Tensor, others: Tensor) -> Tensor:
        """Return the results for *states* plus *others* [..., out]."""
        operation = torch.ops.mkldnn._linear_pointwise.binary
        result: Tensor = operation(states, others, self.weight, self.bias, "add")
        return result


class PackedLayer(nn.Module):
    """A layer of BERT's encoder, made of packed linear layers.

    With *first_token_only* it returns the state of the first token alone: [B, 1, d].
    """

    def __init__(self, layer: Any, *, first_token_only: bool) -> None:
        super().__init__()
        attention, inner = layer.attention, layer.attention.self
        self.heads, self.first_token_only = int(inner.num_attention_heads), first_token_only
        self.query = PackedLinear(inner.query.weight, inner.query.bias)
        both = (inner.key, inner.value)
        self.key_value = PackedLinear(torch.cat([x.weight for x in both]), torch.cat([x.bias for x in both]))
        self.attended = PackedLinear(attention.output.dense.weight, attention.output.dense.bias)
        self.wide = PackedLinear(layer.intermediate.dense.weight, layer.intermediate.dense.bias, "gelu")
        self.narrow = PackedLinear(layer.output.dense.weight, layer.output.dense.bias)
        self.attention_norm, self.norm = attention.output.LayerNorm, layer.output.LayerNorm

    def forward(self, states: Tensor, mask: Tensor | None = None, *_: Any, **__: Any) -> Tensor:
        """Return the new states of *states* [B, T, d]; *mask* is that of torch's attention."""
        own = states[:, :1].contiguous() if self.first_token_only else states  # [B, Q, d]
        pairs, tokens, width = own.shape
        if mask is not None:
            mask = mask[:, :, :tokens]
        query = self.query(own).view(pairs, tokens, self.heads, -1).transpose(1, 2)  # [B, h, Q, d / h]
        both = self.key_value(states).view(pairs, states.shape[1], 2, self.heads, -1)
        key, value = both.permute(2, 0, 3, 1, 4).unbind(0)  # [B, h, T, d / h]
        heads = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        attended = heads.transpose(1, 2).reshape(pairs, tokens, width)
        middle = self.attention_norm(self.attended.plus(attended, own))
        result: Tensor = self.norm(self.narrow.plus(self.wide(middle), middle))
        return result


class Packing:
    """The layers of *model* that were replaced by packed ones; all of them can be put back.

    With *first_token_only* the last layer computes the first token alone.  Not *linear*: activations that are
    written in Python are replaced by torch's, and nothing else is.  Raises one of ``DOES_NOT_FIT``,
    and changes nothing, if this torch or the model is built otherwise.
    """

    def __init__(self, model: nn.Module, *, first_token_only: bool, linear: bool = True) -> None:
        self._replaced: list[tuple[nn.Module, str, nn.Module]] = []
        try:
            if linear:
                self._pack(model, first_token_only)
            for parent, name, _ in list(_activations(model)):
                self._replace(parent, name, nn.GELU(approximate="tanh"))
        except DOES_NOT_FIT:
            self.undo()
            raise

    def _pack(self, model: nn.Module, first_token_only: bool) -> None:
        if _is_like_bert(model):
            layers = model.base_model.encoder.layer  # type: ignore[union-attr]
            for number, layer in enumerate(layers):  # type: ignore[arg-type]
                last = number + 1 == len(layers)  # type: ignore[arg-type]
                packed = PackedLayer(layer, first_token_only=last and first_token_only)
                self._replace(layers, str(number), packed)  # type: ignore[arg-type]
        for parent, name, layer in list(_linear_layers(model)):
            weight = layer.weight if isinstance(layer, nn.Linear) else layer.weight.t()
            self._replace(parent, name, PackedLinear(weight, layer.bias))

    def undo(self) -> None:
        """Put the original layers back."""
        while self._replaced:
            parent, name, original = self._replaced.pop()
            setattr(parent, name, original)

    def keep(self) -> None:
        """Forget the original layers, whose memory is then free."""
        self._replaced.clear()

    def _replace(self, parent: nn.Module, name: str, packed: nn.Module) -> None:
        self._replaced.append((parent, name, getattr(parent, name)))
        setattr(parent, name, packed.eval())


def keep_freed_memory() -> None:
    """Let the process keep the memory of large tensors for the next ones.

    glibc returns large blocks to the system when they are freed, so that each operation on a batch would have
    to get its pages anew: a twentieth of the time.  It keeps blocks smaller than the largest of at most
    32 MiB that was ever freed.
    """
    torch.empty(_LARGE_BLOCK, dtype=torch.uint8)


def _is_like_bert(model: nn.Module) -> bool:
    config: Any = model.config
    return (
        config.model_type in LIKE_BERT
        and config.hidden_act == "gelu"
        and config._attn_implementation == "sdpa"
        and not config.is_decoder
        and not config.add_cross_attention
    )


def is_worth_packing(model: nn.Module) -> bool:
    """Return whether the linear layers of *model* are large enough to gain, and small enough to be copied."""
    return sum(layer.weight.nbytes for _, _, layer in _linear_layers(model)) in PACKED_BYTES


def _linear_layers(model: nn.Module) -> Iterator[tuple[nn.Module, str, Any]]:
    """Yield the linear layers of *model*, each with its parent and its name there.

    Those of GPT-2 are called convolutions, and have weights [in, out].
    """
    from transformers.pytorch_utils import Conv1D

    return _children(model, nn.Linear, Conv1D)


def _activations(model: nn.Module) -> Iterator[tuple[nn.Module, str, Any]]:
    """Yield the activations of *model* that are in Python, and six times as slow as torch's."""
    from transformers.activations import NewGELUActivation

    return _children(model, NewGELUActivation)


def _children(model: nn.Module, *kinds: type[nn.Module]) -> Iterator[tuple[nn.Module, str, Any]]:
    """Yield the modules in *model* of just these *kinds*, each with its parent and its name there.

    A subclass may compute something else.
    """
    for parent in model.modules():
        for name, child in parent.named_children():
            if type(child) in kinds:
                yield parent, name, child
