"""The guard: foreign hosts, foreign origins and browsers without the cookie get 403, and nothing of a history."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from recall_rank.frontends.web.guard import POLICY, TOKEN
from tests.support.frontends.web_pages import HOST, TOKEN_VALUE, client_of, demo_recall

PAGES = (
    *("/", "/?q=rate+limit", "/session?id=demo-10", "/message?id=demo-10&number=1", "/activity", "/coverage"),
    *("/lineage?id=demo-10", "/forget?id=demo-10", "/static/style.css", "/static/htmx.min.js", "/nowhere"),
)


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client_of(demo_recall(tmp_path_factory.mktemp("guard"))) as client:
        yield client


@pytest.fixture
def outside(tmp_path: Path) -> TestClient:
    return client_of(demo_recall(tmp_path), let_in=False)


@pytest.mark.parametrize("page", PAGES)
def test_without_the_cookie_there_is_no_page(outside: TestClient, page: str) -> None:
    answer = outside.get(page)
    assert answer.status_code == 403
    assert "booking" not in answer.text
    assert "set-cookie" not in answer.headers


def test_the_token_is_checked(outside: TestClient) -> None:
    for wrong in ("", "x", TOKEN_VALUE[:-1], TOKEN_VALUE + "x", "\u00e9"):
        assert outside.get("/", params={TOKEN: wrong}).status_code == 403
    assert outside.get(f"/?{TOKEN}=x&{TOKEN}={TOKEN_VALUE}").status_code == 403
    assert outside.get(f"/session?id=demo-10&{TOKEN}={TOKEN_VALUE}").status_code == 403  # only the first page takes it
    assert not outside.cookies


def test_the_first_address_sets_a_strict_cookie_and_shows_no_token(outside: TestClient) -> None:
    first = outside.get(f"/?{TOKEN}={TOKEN_VALUE}", follow_redirects=False)
    assert (first.status_code, first.headers["location"]) == (303, "/")
    cookie = first.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/" in cookie
    assert TOKEN_VALUE not in cookie  # what a page's address tells is not what lets one in
    assert outside.get("/").status_code == 200


@pytest.mark.parametrize("value", ["", "x", '""'])
def test_another_cookie_is_none(outside: TestClient, value: str) -> None:
    outside.get(f"/?{TOKEN}={TOKEN_VALUE}")
    (name,) = outside.cookies
    outside.cookies.clear()
    outside.cookies.set(name, value)
    assert outside.get("/").status_code == 403


@pytest.mark.parametrize(
    "host",
    [
        *(
            "evil.example",
            "evil.example:7391",
            "127.0.0.1.evil.example",
            "localhost.evil.example:7391",
            "evil@127.0.0.1",
        ),
        *("127.0.0.2", "0.0.0.0", "[::1]:7391", "127.0.0.1:7391:1", "127.0.0.1:x", "", "127.1", "2130706433"),
    ],
)
def test_a_foreign_host_is_refused(inside: TestClient, host: str) -> None:
    for page in ("/?q=rate+limit", f"/?{TOKEN}={TOKEN_VALUE}", "/static/style.css"):
        answer = inside.get(page, headers={"host": host})
        assert answer.status_code == 403
        assert "booking" not in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:9000", "localhost:7391", "LOCALHOST"])
def test_this_machine_is_served(inside: TestClient, host: str) -> None:
    assert inside.get("/", headers={"host": host}).status_code in (200, 403)  # cookies of another name are not sent
    cookie = "; ".join(f"{name}={value}" for name, value in inside.cookies.items())
    assert inside.get("/", headers={"host": host, "cookie": cookie}).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        *("http://evil.example", "null", "https://127.0.0.1:7391", "http://127.0.0.1:7392", "http://localhost:7391"),
        *("http://127.0.0.1", "file://", "http://127.0.0.1:7391.evil.example", ""),
    ],
)
def test_a_foreign_origin_is_refused(inside: TestClient, origin: str) -> None:
    answer = inside.get("/?q=rate+limit", headers={"origin": origin})
    assert answer.status_code == 403
    assert "booking" not in answer.text
    assert inside.post("/forget", headers={"origin": origin}).status_code == 403


def test_its_own_origin_is_served(inside: TestClient) -> None:
    assert inside.get("/", headers={"origin": HOST}).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site", "x"])
def test_another_site_is_refused(inside: TestClient, site: str) -> None:
    """A page of another port of this machine is of the same site, and its requests carry the cookie."""
    assert inside.get("/?q=rate+limit", headers={"sec-fetch-site": site}).status_code == 403


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_an_own_site_is_served(inside: TestClient, site: str) -> None:
    assert inside.get("/", headers={"sec-fetch-site": site}).status_code == 200


def test_a_form_must_say_where_it_comes_from(inside: TestClient) -> None:
    assert inside.post("/forget", data={"id": "demo-10"}).status_code == 403


@pytest.mark.parametrize("page", [*PAGES, "/session?id=unknown", "/?role=nobody"])
def test_every_answer_restricts_its_page(inside: TestClient, page: str) -> None:
    headers = inside.get(page).headers
    assert headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    assert "default-src 'none'" in POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == ("private, max-age=600" if "/static/" in page else "no-store")
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_a_refusal_restricts_its_page(outside: TestClient) -> None:
    assert outside.get("/").headers["content-security-policy"] == POLICY


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_no_page_takes_what_changes_something(inside: TestClient, method: str) -> None:
    for page in ("/", "/session", "/message", "/activity", "/coverage", "/lineage", "/static/style.css"):
        assert inside.request(method, page, headers={"origin": HOST}).status_code == 405


def test_files_outside_the_package_are_not_served(inside: TestClient) -> None:
    for path in ("/static/../pages.py", "/static/%2e%2e/pages.py", "/static//etc/passwd", "/static/..%2fguard.py"):
        assert inside.get(path).status_code == 404


def test_a_socket_is_not_served(inside: TestClient) -> None:
    with pytest.raises(RuntimeError, match="websocket"), inside.websocket_connect("/"):
        pass
