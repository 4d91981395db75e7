"""Who a request comes from: a token in a link, then a signed cookie, and a signed token in every form.

The token of a judge's link is random (192 bits) and leaves the address bar at once.  The cookie and the form
token are HMACs under the study's secret, which only the study file holds: a server that was killed knows the
judges again when it is started again.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

from crossexam.validation.study import Study

#: Names that mean this machine; a page elsewhere that resolves to it (DNS rebinding) has another.
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})


def host_is_ours(host: str | None) -> bool:
    """Tell whether the Host header names this machine; a tunnel may have changed the port.

    >>> host_is_ours("localhost:8765"), host_is_ours("[::1]:80"), host_is_ours("evil.example:8765")
    (True, True, False)
    """
    if not host:
        return False
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        name, port = host, "0"
    return name.lower() in LOOPBACK and port.isdecimal()


def judge_of_token(study: Study, token: str) -> str | None:
    """Return the judge whose link has *token*; None where nobody's has."""
    found = None
    for judge, known in study.judges.items():
        if hmac.compare_digest(known.encode(), token.encode("utf-8", "replace")):
            found = judge
    return found


def cookie_name(study: Study) -> str:
    """Return the cookie's name: cookies do not tell ports apart, and two studies may be open."""
    return f"crossexam-{study.identity}"


def cookie_of(study: Study, judge: str) -> str:
    """Return what the cookie of *judge* holds."""
    return f"{judge}.{_signed(study, 'session', judge)}"


def judge_of_cookie(study: Study, cookie: str | None) -> str | None:
    """Return the judge to whom *cookie* was given; None where it was not given by this study."""
    judge = (cookie or "").rpartition(".")[0]
    if judge not in study.judges:
        return None
    right = cookie_of(study, judge)
    return judge if hmac.compare_digest(right.encode(), (cookie or "").encode("utf-8", "replace")) else None


def form_token(study: Study, judge: str) -> str:
    """Return what the forms of *judge* hold; another site cannot know it, nor another judge."""
    return _signed(study, "form", judge)


def form_token_is_right(study: Study, judge: str, given: str) -> bool:
    """Tell whether *given* is the form token of *judge*."""
    return hmac.compare_digest(form_token(study, judge).encode(), given.encode("utf-8", "replace"))


def _signed(study: Study, purpose: str, judge: str) -> str:
    """Return the HMAC of *purpose* and judge; the link's token is in it, so that a new link ends the old."""
    message = f"{purpose}\x1f{judge}\x1f{study.judges[judge]}".encode()
    return hmac.new(study.secret, message, hashlib.sha256).hexdigest()
