"""The waits after failures, of which the user is told: how long they are, and when they end."""

from itertools import chain, repeat
from typing import Any

import pytest

from crossexam.models.api.pacing import Pace, StoppedError, TransientError


def test_a_server_that_was_never_there_is_given_up_soon(fake_time: Any) -> None:
    """One that is late, or answered once, is waited for, and long waits are told."""
    patient, late = [1, 2, 4, 8, 16, 32, 60], TransientError("no answer within 120 seconds")
    absent = TransientError("connection refused", refused=True)
    for failures, waits in (([absent], [1, 2]), ([late], patient), ([late, absent], patient)):
        told, following = list[str](), chain(failures, repeat(failures[-1]))

        def request(following: Any = following) -> None:
            raise next(following)

        fake_time.waits.clear()
        times = {"clock": fake_time.now, "sleep": fake_time.sleep, "jitter": 0.0}
        pace = Pace(1, 8, **times, host="example.com", tell=told.append)
        with pytest.raises(TransientError, match=str(failures[-1])):
            pace.carry_out(request)
        assert fake_time.waits == waits
        said = f"example.com: {failures[-1]}; the request waits for "
        assert told == [f"{said}{seconds} seconds" for seconds in waits[3:]]
    pace.stop()
    with pytest.raises(StoppedError):
        pace.carry_out(lambda: pytest.fail("asked"))
