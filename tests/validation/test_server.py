"""The server of the judges' page: who may see and send what."""

import re
from collections.abc import Callable
from itertools import product
from urllib.parse import urlencode

import pytest
from lxml import html
from starlette.testclient import TestClient

from crossexam.validation.answer_log import Judgement
from crossexam.validation.questions import QUESTIONS
from crossexam.validation.server import application, cookie_name, cookie_of, form_token, host_is_ours
from crossexam.validation.study import Study

SECURITY = (
    *("content-security-policy", "referrer-policy", "x-content-type-options", "x-frame-options"),
    *("cross-origin-opener-policy", "cross-origin-resource-policy", "cache-control"),
)


@pytest.fixture
def study(of_doors: Callable[..., Study]) -> Study:
    return of_doors()


def client_of(study: Study, judge: str | None = None, *, host: str = "127.0.0.1:8765") -> TestClient:
    client = TestClient(application(study), base_url=f"http://{host}", follow_redirects=False)
    if judge is not None:
        entered = client.get(f"/j/{study.judges[judge]}")
        assert (entered.status_code, entered.headers["location"]) == (303, "/")
    return client


def hidden(page: str) -> dict[str, str]:
    """The hidden fields of the form on a page."""
    return {each.get("name"): each.get("value") for each in html.fromstring(page).iter("input")}


def post(client: TestClient, path: str, fields: dict[str, str], **headers: str) -> int:
    kind = {"content-type": "application/x-www-form-urlencoded"}
    return client.post(path, content=urlencode(fields), headers=kind | headers).status_code


def test_a_judge_answers_all_without_a_script(study: Study) -> None:
    client = client_of(study, "judge-1")
    seen = []
    while "All items are judged" not in (page := client.get("/").text):
        fields = hidden(page)
        seen.append((fields["item"], fields["question"]))
        answer = fields | {"value": QUESTIONS[fields["question"]].choices[0].value}
        assert post(client, "/answer", answer) == 303
    order = [str(number) for number in study.order("judge-1")]
    assert seen == [(item, question) for item in order for question in ("label", "grammatical")]
    assert len(study.judgements("judge-1")) == 8
    assert "4 of 4 items" in page
    assert post(client, "/undo", hidden(page)) == 303
    assert len(study.judgements()) == 7


def test_nobody_enters_without_a_link_whose_token_leaves_the_address(study: Study) -> None:
    for path, status in (("/", 401), ("/j/wrong", 404), ("/j/" + "é" * 9, 404)):
        answer = client_of(study).get(path)
        assert (answer.status_code, "Please use your link" in answer.text) == (status, True)
        assert "Door" not in answer.text
        assert "set-cookie" not in answer.headers
    signature = cookie_of(study, "judge-1").rpartition(".")[2]
    for forged in ("judge-1", "judge-1.", "judge-1.0000", f"judge-2.{signature}", "\xe9.\xe9"):
        headers = {"cookie": f"{cookie_name(study)}={forged}".encode("latin-1")}
        assert client_of(study).get("/", headers=headers).status_code == 401
    client, token = client_of(study), study.judges["judge-1"]
    entered = client.get(f"/j/{token}")
    cookie = entered.headers["set-cookie"]
    assert token not in cookie + entered.headers["location"] + client.get("/").text
    assert all(word in cookie.lower() for word in ("httponly", "samesite=strict", "path=/"))


def test_no_item_label_or_token_leaks_to_another_judge(study: Study) -> None:
    one, other = client_of(study, "judge-1"), client_of(study, "judge-2")
    for number in study.order("judge-1"):
        study.record(Judgement("judge-1", number, "label", "cannot_say"))
    page = other.get("/").text
    assert "Item 1 of 4" in page
    assert "given" not in page  # none of judge-1's answers
    signed = (form_token(study, "judge-1"), cookie_of(study, "judge-1"))
    for secret in ("secret", "antonymy", "judge-1", *study.judges.values(), *signed):
        assert secret not in page
    body = page[page.index("<article") : page.index("</article>")]
    assert "contradiction" not in body
    assert sum(f"Door {i} is closed" in page for i in range(4)) == 1  # one item a page
    assert post(one, "/answer", hidden(page) | {"value": "neutral"}) == 403  # another judge's form
    assert study.judgements("judge-2") == []


def test_other_hosts_are_refused_but_a_tunnel_may_change_the_port(study: Study) -> None:
    client, paths = client_of(study, "judge-1"), ("/", f"/j/{study.judges['judge-1']}", "/static/judge.js")
    hosts = ("evil.example:8765", "127.0.0.1.evil.example", "localhost:8765@evil", "192.168.0.9:8765")
    for host, path in product(hosts, paths):
        answer = client.get(path, headers={"host": host})
        assert (answer.status_code, "Door" in answer.text) == (421, False), host
    assert client_of(study, "judge-1", host="localhost:9000").get("/").status_code == 200
    assert [host_is_ours(host) for host in ("[::1]:1", "", None)] == [True, False, False]


def test_what_has_no_page_has_the_headers_and_the_check_of_the_host(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_of(study, "judge-1")
    shown = client.get("/").headers
    assert all(name in shown for name in SECURITY)
    for method, path, status in (("GET", "/j/no/such/page", 404), ("GET", "/undo", 405), ("POST", "/", 405)):
        answer = client.request(method, path)
        assert answer.status_code == status
        elsewhere = client.request(method, path, headers={"host": "evil.example"})
        assert elsewhere.status_code == 421
        assert all(each.headers[name] == shown[name] for name in SECURITY for each in (answer, elsewhere))
    monkeypatch.setattr(Study, "progress", lambda *_: 1 / 0)
    failing = TestClient(application(study), base_url="http://127.0.0.1:8765", raise_server_exceptions=False)
    failing.cookies.set(cookie_name(study), cookie_of(study, "judge-1"))
    answer = failing.get("/")
    assert answer.status_code == 500
    assert all(name in answer.headers for name in SECURITY)


@pytest.fixture
def good(study: Study) -> dict[str, str]:
    """The fields of a form of judge-1."""
    return {"token": form_token(study, "judge-1"), "item": "1", "question": "label", "value": "neutral"}


def test_forms_of_other_sites_are_refused(study: Study, good: dict[str, str]) -> None:
    client = client_of(study, "judge-1")
    for token in ("x", "é", form_token(study, "judge-2")):
        assert post(client, "/answer", good | {"token": token}) == 403
    assert post(client, "/answer", {k: v for k, v in good.items() if k != "token"}) == 403
    assert post(client, "/undo", {"token": "x"}) == 403
    assert post(client_of(study), "/answer", good) == 403  # no cookie
    assert post(client, "/answer", good, origin="http://evil.example") == 403
    for site in ("cross-site", "same-site"):
        assert post(client, "/answer", good, **{"sec-fetch-site": site}) == 403
    assert client.post("/answer", json=good).status_code == 400  # what a simple request cannot be
    assert study.judgements() == []
    assert post(client, "/answer", good, origin="http://127.0.0.1:8765") == 303
    assert post(client, "/answer", good | {"value": "entailment"}, origin="null") == 303
    assert [answer.value for answer in study.judgements()] == ["entailment"]


def test_what_is_no_answer(study: Study, good: dict[str, str]) -> None:
    client = client_of(study, "judge-1")
    for field, value in (("item", "99"), ("item", "²"), ("question", "trivial"), ("value", "yes")):
        assert post(client, "/answer", good | {field: value}) == 400
    kind = {"content-type": "application/x-www-form-urlencoded"}
    for body in (b"a=" + b"x" * 5000, b"\xff=1", b"&".join(b"a%d=1" % n for n in range(50)), b"token=%ff"):
        assert client.post("/answer", content=body, headers=kind).status_code == 400
    assert study.judgements() == []


def test_nothing_but_our_own_script_runs(study: Study) -> None:
    client = client_of(study, "judge-1")
    page = client.get("/")
    policy = dict(part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
    found = html.fromstring(page.text)
    assert found.xpath("//script/@src") == ["/static/judge.js"]
    assert not found.xpath("//script[not(@src)] | //img | //@style | //@*[starts-with(name(), 'on')]")
    assert "&lt;script&gt;" in page.text
    assert not re.search(r"https?://", page.text)
    for name in ("judge.html.j2", "..%2f..%2fstudy.py", "%2e%2e/access.py"):
        assert client.get(f"/static/{name}").status_code == 404


def test_what_another_study_or_link_signed_is_worthless(of_doors: Callable[..., Study]) -> None:
    one, other = (of_doors(folder=name) for name in "ab")
    client = client_of(other)
    client.cookies.set(cookie_name(other), cookie_of(one, "judge-1"))
    assert client.get("/").status_code == 401
    signed = cookie_of(one, "judge-1"), form_token(one, "judge-1")
    one.judges["judge-1"] = "another link"
    assert not set(signed) & {cookie_of(one, "judge-1"), form_token(one, "judge-1")}
