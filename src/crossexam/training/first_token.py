"""The last layer of models whose classification head reads its first token alone.

After the attention of that layer, the other tokens of BERT and its relatives are computed in vain: an eighth
of all work with 6 layers, a sixteenth with 12.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import torch
from torch import Tensor

#: Architectures whose layers are those of BERT, with its names.
LIKE_BERT: Final = frozenset({"bert", "roberta", "xlm-roberta", "camembert", "electra"})
#: Logits that differ by no more are the same.
LOGIT_TOLERANCE: Final = 1e-5


def skip_other_tokens(model: Any, logits: Callable[[], Tensor]) -> bool:
    """Let the last layer of *model* compute its first token alone, if *logits* of the model stay the same.

    Returns whether it does.
    """
    if getattr(model.config, "model_type", "") not in LIKE_BERT:
        return False
    with torch.no_grad():
        before = logits()
        last = model.base_model.encoder.layer[-1].attention.output
        hook = last.register_forward_pre_hook(lambda _, states: tuple(state[:, :1] for state in states))
        try:
            same = bool((logits() - before).abs().max() <= LOGIT_TOLERANCE)
        except (RuntimeError, IndexError, TypeError):  # a version of transformers with another structure
            same = False
    if not same:
        hook.remove()
    return same
