"""Devices: float32 on a CPU in one process; accelerate for GPUs, for bfloat16 and for several processes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any, Final

import torch
from torch import Tensor, nn

from crossexam.core.errors import CrossexamError, MissingExtraError, UnknownNameError

PRECISIONS = ("auto", "float32", "medium", "bfloat16", "float16")
_MIXED = {"float32": "no", "medium": "no", "bfloat16": "bf16", "float16": "fp16"}


class Device:
    """The device and precision of a training, and the rank of this process among those that train together.

    In a single process on a CPU and in float32 it adds nothing; otherwise an Accelerator rounds what the
    matrix products read, scales losses and synchronises.
    """

    def __init__(self, name: str = "auto", precision: str = "auto") -> None:
        self.precision = precision = chosen_precision(name, precision)
        self.device = torch_device(name)
        self._accelerator: Any = None
        mixed = _MIXED[precision] != "no"
        rounds = precision != "float32"
        if rounds and self.device.type != "cuda" and not _mixes_on_cpu(precision, self.device):
            raise CrossexamError(
                f"this {self.device.type} has no instructions for training in {precision}",
                wanted="a GPU, or a CPU with bfloat16 (AVX-512 BF16, AMX)",
                hint="leave out --precision",
            )
        if mixed or self.device.type == "cuda" or int(os.environ.get("WORLD_SIZE", "1")) > 1:
            self._accelerator = _accelerator(self.device, _MIXED[precision])
            self.device = self._accelerator.device
        self.processes: int = self._accelerator.num_processes if self._accelerator else 1
        self.rank: int = self._accelerator.process_index if self._accelerator else 0

    @property
    def is_main(self) -> bool:
        """Whether this process writes the files."""
        return self.rank == 0

    def prepare(
        self, objective: nn.Module, optimizer: torch.optim.Optimizer
    ) -> tuple[nn.Module, torch.optim.Optimizer]:
        """Return the module to call in training and the optimizer whose steps to take."""
        if self._accelerator is None:
            return objective, optimizer
        prepared: tuple[nn.Module, torch.optim.Optimizer] = self._accelerator.prepare(objective, optimizer)
        return prepared

    def backward(self, loss: Tensor) -> None:
        """Compute the gradients of *loss*."""
        if self._accelerator is None:
            loss.backward()  # type: ignore[no-untyped-call]
        else:
            self._accelerator.backward(loss)

    def clip(self, module: nn.Module, norm: float) -> None:
        """Scale the gradients of *module* down to *norm* if theirs is larger."""
        if self._accelerator is None:
            torch.nn.utils.clip_grad_norm_(module.parameters(), norm)
        else:
            self._accelerator.clip_grad_norm_(module.parameters(), norm)

    def total(self, value: Tensor) -> Tensor:
        """Return the sum of *value* over all processes."""
        if self.processes == 1:
            return value
        summed: Tensor = self._accelerator.reduce(value, reduction="sum")
        return summed

    def wait(self) -> None:
        """Wait for all processes."""
        if self._accelerator is not None:
            self._accelerator.wait_for_everyone()

    @contextmanager
    def products(self) -> Iterator[None]:
        """With the precision ``medium``, let torch round what products of matrices read, process-wide."""
        before = torch.get_float32_matmul_precision()
        if self.precision == "medium":
            torch.set_float32_matmul_precision("medium")
        try:
            yield
        finally:
            torch.set_float32_matmul_precision(before)

    @contextmanager
    def precise(self) -> Iterator[None]:
        """Compute in this precision when scoring, which does not call the prepared module."""
        mixed = self._accelerator.autocast() if self._accelerator else nullcontext()
        with mixed:
            yield


def chosen_precision(device: str, precision: str) -> str:
    """Return *precision*, if it is ``auto`` that in which the device of this name trains by itself.

    Raises UnknownNameError if there is no such precision.

    >>> chosen_precision("cpu", "auto"), chosen_precision("cpu", "bfloat16")
    ('float32', 'bfloat16')
    """
    if precision not in PRECISIONS:
        raise UnknownNameError("precision", precision, PRECISIONS)
    if precision != "auto":
        return precision
    on_gpu = device.partition(":")[0] in {"auto", "cuda"} and torch.cuda.is_available()
    return "bfloat16" if on_gpu and torch.cuda.is_bf16_supported() else "float32"


def _mixes_on_cpu(precision: str, device: torch.device) -> bool:
    reads_bfloat16 = precision in {"bfloat16", "medium"}
    return reads_bfloat16 and device.type == "cpu" and has_instructions("bfloat16", device)


#: Names in ``torch.cpu.get_capabilities`` of instructions that multiply numbers of a dtype: x86, ARM.
_INSTRUCTIONS: Final = {
    "bfloat16": ("avx512_bf16", "amx_bf16", "bf16"),
    "float16": ("avx512_fp16", "amx_fp16", "fp16_arith"),
}


def has_instructions(dtype: str, device: torch.device) -> bool:
    """Return whether *device* computes in *dtype* itself; a CPU may have to emulate it, which takes longer.

    It is assumed of a CPU about which this version of torch says nothing.
    """
    if device.type != "cpu" or not hasattr(torch.cpu, "get_capabilities"):
        return True
    found: Mapping[str, Any] = torch.cpu.get_capabilities()
    return any(found.get(name) for name in _INSTRUCTIONS[dtype])


def torch_device(name: str) -> torch.device:
    """Return the device called *name*; raises CrossexamError if it is not available."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return available_device(name)


def available_device(name: str, where: str | None = None) -> torch.device:
    """Return the device called *name* (not ``auto``); raises CrossexamError if it is not available."""
    try:
        device = torch.device(name)
    except RuntimeError:
        raise CrossexamError(
            f"no device is called '{name}'", where=where, wanted="auto, cpu, cuda, cuda:1 or mps"
        ) from None
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise CrossexamError(
            f"the device '{name}' is not available: {first}", where=where, hint="--device auto"
        ) from None
    return device


def _accelerator(device: torch.device, mixed: str) -> Any:
    try:
        from accelerate import Accelerator  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtraError("accelerate", "torch", f"training on {device}") from None
    if device.type == "cuda" and device.index is not None and int(os.environ.get("WORLD_SIZE", "1")) == 1:
        torch.cuda.set_device(device)
    return Accelerator(cpu=device.type == "cpu", mixed_precision=mixed)
