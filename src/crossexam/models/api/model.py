"""Models behind an endpoint: ``api/NAME``, any server that answers ``/chat/completions`` as OpenAI's does.

Each pair is a request of its own.  Several threads ask; answers are handed on as they arrive.  What a server
takes and sends is found out before the first pair (:mod:`crossexam.models.api.probe`), and kept in the store
of a run, so that a resumed run asks as before.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crossexam.core.errors import CrossexamError
from crossexam.core.labels import LABELS
from crossexam.core.outcome import Outcome
from crossexam.models.api.asking import WorkerPool, rejection
from crossexam.models.api.batch_files import BatchReplies
from crossexam.models.api.endpoint import (
    OPENAI,
    Address,
    Endpoint,
    RejectedError,
    UnpaidError,
    address_of,
    key_from_environment,
)
from crossexam.models.api.pacing import ComeBackError, Pace, TransientError, check_pace
from crossexam.models.api.probe import ProbeReplies, refuse_exchanged_labels
from crossexam.models.api.questions import (
    Questions,
    Sampling,
    Way,
    accepted_by,
    extra_fields,
    questions_for,
    way_named,
)
from crossexam.models.api.reading import LabelForms
from crossexam.models.api.replies import Reader, Row, Tally, usage_of
from crossexam.models.api.servers import Reasoning, Server, SERVERS, server_by_host, server_by_models, server_named
from crossexam.models.api.spending import Spending, SpendingLimits, estimated
from crossexam.models.label_order import PAIRS as PROBE_PAIRS
from crossexam.models.model import Batch, Pair
from crossexam.models.prompts.table import template as template_named
from crossexam.models.prompts.template import Template

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
