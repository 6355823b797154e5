"""The pages without a browser: search, filters, sessions, activity, lineage, sources, forgetting, escaping."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from recall_rank.frontends.demo.generate import history
from recall_rank.frontends.web.session_view import PAGE
from recall_rank.loaders import open_source
from recall_rank.model import Flag, Message, Part, Session, Tokens
from recall_rank.recall import Recall
from tests.support.frontends.web_pages import HOST, NOW, Elements, client_of, demo_recall, long_session, recall_of

HOSTILE = (
    "</pre></title><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m\u202egnp.exe\u200b "
    "[x](javascript:alert(3)) javascript:alert(4) \"'><svg onload=alert(5)>{{ 7*7 }}"
)
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client_of(demo_recall(tmp_path_factory.mktemp("pages"))) as client:
        yield client


@pytest.fixture(scope="module")
def long() -> Iterator[TestClient]:
    with client_of(recall_of(long_session(450))) as client:
        yield client


def page(client: TestClient, address: str, status: int = 200) -> Elements:
    answer = client.get(address)
    assert answer.status_code == status, answer.text
    return Elements(answer.text)


def test_a_search_shows_hits_with_their_matches(demo: TestClient) -> None:
    found = page(demo, "/?q=rate+limit")
    assert "10 hits" in found.words
    assert len(found.all("li")) >= 10
    assert found.all("mark")
    assert any("id=demo-10" in (link["href"] or "") for link in found.all("a"))
    assert found.all("input")[0]["value"] == "rate limit"


def test_a_hit_that_others_are_like_tells_how_many() -> None:
    said = "the governor of the clockwork is dry, and a drop of oil keeps it turning evenly"
    talk = tuple(Message(f"m{at}", "assistant", at, (Part(f"p{at}", "text", said),)) for at in range(4))
    with client_of(recall_of(Session("s", talk, "Oil", updated=4))) as client:
        found = page(client, "/?q=clockwork")
    assert "+3 like this" in found.words
    assert "1 hit," in found.words


def test_the_search_is_that_of_the_library(demo: TestClient, tmp_path: Path) -> None:
    """Operators of the one-string syntax narrow it, and hits stand in the order of Recall.search."""
    recall = demo_recall(tmp_path)
    for query in ("rate limit role:user", 'limit -"token bucket"', "reserve_saet", "agent:codex test OR flaky"):
        wanted = [hit.message_id for hit in recall.search(query, syntax=True, results=20).results]
        links = [link["href"] or "" for link in page(demo, f"/?{query_of(query)}").all("a")]
        assert [found[1] for link in links if (found := re.search(r"message=([\w-]+)", link))] == wanted
        assert wanted


def query_of(query: str) -> str:
    from starlette.datastructures import QueryParams

    return str(QueryParams({"q": query}))


@pytest.mark.parametrize(
    ("filters", "named"),
    [
        ("role=user", ""),
        ("agent=codex", "codex"),
        ("type=tool", ""),
        ("since=2026-11-01&until=2026-11-19", "2026-11"),
        ("project=harborline", "harborline"),
    ],
)
def test_filters_narrow_a_search(demo: TestClient, filters: str, named: str) -> None:
    def hits(address: str) -> list[str]:
        answer = demo.get(address)
        assert answer.status_code == 200
        return re.findall(r'<p class="where">(.*?)</p>', answer.text, re.DOTALL)

    every, some = hits("/?q=the+limit+test"), hits(f"/?q=the+limit+test&{filters}")
    assert len(some) < len(every)
    assert all(named in each for each in some)
    assert all(len(re.findall(r" · (?:high|medium|low) confidence · ", each)) == 1 for each in every)
    if filters == "role=user":
        assert not any(each.startswith("assistant") for each in some)


def test_a_filter_that_is_none_is_said(demo: TestClient) -> None:
    assert "role must be all or user or assistant" in page(demo, "/?q=a&role=nobody", 400).words
    assert "since" in page(demo, "/?q=rate&since=someday", 400).words
    assert "2,000 characters" in page(demo, f"/?q={'a' * 2001}", 400).words
    assert page(demo, "/?q=rate&match=regex", 200).all("mark")
    assert demo.get("/?q=%5B&match=regex").status_code == 400


def test_further_pages_of_hits(long: TestClient) -> None:
    first, second = page(long, "/?q=ferry"), page(long, "/?q=ferry&page=2")
    assert "1 to 20" in first.words
    assert "21 to 40" in second.words
    ids = [{link["href"] for link in each.all("a") if "message=" in (link["href"] or "")} for each in (first, second)]
    assert len(ids[0]) == len(ids[1]) == 20
    assert not ids[0] & ids[1]
    assert page(long, "/?q=ferry&page=0").words.count("1 to 20") == 1
    page(long, "/?q=ferry&page=99999999999999")


def test_without_a_query_the_newest_sessions_are_listed(demo: TestClient) -> None:
    assert "Rate limiting for the booking API" in page(demo, "/").words
    assert "Rate limiting for the booking API" not in page(demo, "/?project=mossgarden").words
    assert "No session passes" in page(demo, "/?project=nowhere").words


def test_what_was_searched_is_drawn_and_told(demo: TestClient) -> None:
    found = page(demo, "/?q=rate&agent=codex")
    assert "left out: agent" in found.words
    assert re.search(r"sessions searched 3 of 12", found.words)
    widths = [float(bar["width"] or 0) for bar in found.all("rect")][:2]
    assert widths == pytest.approx([150, 450])


def test_a_session_is_a_conversation(demo: TestClient) -> None:
    found = page(demo, "/session?id=demo-10&q=rate+limit")
    assert {each["id"] for each in found.all("article")} >= {"m1", "m2"}
    assert found.all("details")
    assert any("open" in each for each in found.all("details"))  # the tool call with a match
    assert found.all("mark")
    assert "match 1 of 3" in found.words
    assert next(link["href"] for link in found.all("a") if link.get("data-step") == "next") == (
        "/session?id=demo-10&q=rate+limit&page=1#m2"
    )


def test_a_prefix_of_an_id_is_enough_and_an_unknown_one_is_said(demo: TestClient) -> None:
    assert "no session 'nope'" in page(demo, "/session?id=nope", 404).words
    assert page(demo, "/session", 404).all("h1")
    assert page(demo, "/session?id=demo-10&match=x", 400).all("h1")
    assert page(demo, "/lineage?id=nope-nope", 404).all("h1")
    assert page(demo, "/message?id=demo-10&number=99", 404).all("h1")


def test_an_address_with_a_message_leads_to_its_page(long: TestClient) -> None:
    answer = long.get("/session?id=long&q=lighthouse&message=m250", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/session?id=long&q=lighthouse&page=3#m250"


def test_matches_of_all_pages_are_linked_in_order(long: TestClient) -> None:
    at, seen = "/session?id=long&q=lighthouse&page=1#m50", []
    while at:
        found = long.get(at.partition("#")[0]).text
        number = int(at.partition("#m")[2])
        seen.append(number)
        article = re.search(rf'<article id="m{number}".*?</article>', found, re.DOTALL)
        assert article is not None
        link = re.search(r'data-step="next" href="([^"]+)"', article[0])
        at = link[1].replace("&amp;", "&") if link else ""
    assert seen == list(range(50, 451, 50))


def test_the_pages_of_a_session_have_every_message_once(long: TestClient) -> None:
    ids = [each["id"] for at in range(1, 6) for each in page(long, f"/session?id=long&page={at}").all("article")]
    assert ids == [f"m{number}" for number in range(1, 451)]
    last = page(long, "/session?id=long&page=77")  # there is none: the last one is shown
    assert "page 5 of 5" in last.words
    assert len(last.all("article")) == 450 - 4 * PAGE


def test_code_is_highlighted_by_classes(long: TestClient) -> None:
    found = page(long, "/session?id=long")
    assert {"k", "f", "n"} <= {each.get("class") for each in found.all("span")}
    assert not [attributes for _, attributes in found.found if "style" in attributes]


def test_tokens_and_cost_are_told() -> None:
    said = Message("m1", "assistant", NOW, (Part("p", "text", "hello"),), tokens=Tokens(1200, 34), cost=0.25)
    child = Session("kid-1", (said,), "Kid", parent="top-1", flags=Flag.SUBAGENT, updated=NOW)
    client = client_of(recall_of(Session("top-1", (said,), "Top", updated=NOW), child))
    assert "1,200 tokens in · 34 tokens out · $0.25" in page(client, "/session?id=top-1").words
    tree = page(client, "/lineage?id=kid-1")
    assert "2 sessions in this chain" in tree.words
    assert "subagent of level 1" in tree.words
    assert tree.words.count("$0.25") == 2
    assert [each.get("class") for each in tree.all("li")] == ["depth0", "depth1"]
    assert [each.get("aria-current") for each in tree.all("li")] == [None, "true"]


def test_activity_is_drawn_and_in_tables(demo: TestClient) -> None:
    found = page(demo, "/activity?by=month")
    assert "36 messages in 12 sessions" in found.words
    assert len(found.all("svg")) == 3
    assert len(found.all("table")) == 3
    assert re.search(r"2026-10 \d+ \d+ 2026-11 \d+ \d+", found.words)
    assert {"harborline", "codex"} <= set(re.findall(r"[\w-]+", found.words))
    assert page(demo, "/activity?by=hour", 400).all("h1")


def test_sources_and_what_could_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text(history() + '{"t": "message", "broken\n', encoding="utf-8")
    recall = Recall([open_source(path)])
    recall.prepare()
    found = page(client_of(recall), "/coverage")
    assert "12" in found.words
    assert "1 record of history could not be read" in found.words


# --- forgetting ---------------------------------------------------------------------------------------


def test_without_hits_a_source_that_could_not_be_read_is_told(tmp_path: Path, demo: TestClient) -> None:
    (tmp_path / "history.jsonl").write_text(history(), encoding="utf-8")
    sources = [open_source(tmp_path / "history.jsonl"), open_source(tmp_path / "history.jsonl")]

    def unreadable(*_: object) -> None:
        raise OSError("the disk is gone")

    sources[1].read = unreadable  # type: ignore[method-assign, assignment]
    with Recall(sources) as recall:
        assert "No hits in what could be read, in" in page(client_of(recall), "/?q=zzgrebe").words
    assert "No hits, in" in page(demo, "/?q=zzgrebe").words


def test_forgetting_needs_the_form_of_that_session(tmp_path: Path) -> None:
    forgotten: list[str] = []
    client = client_of(demo_recall(tmp_path), forget=lambda session: forgotten.append(session.id))
    form = {each["name"]: each["value"] for each in page(client, "/forget?id=demo-10").all("input")}
    assert form["id"] == "demo-10"
    own = {"origin": HOST}
    for wrong in ({}, {**form, "form_token": ""}, {**form, "id": "demo-11"}, {**form, "form_token": "\u00e9"}):
        assert client.post("/forget", data=wrong, headers=own).status_code == 403
    assert client.post("/forget", data={**form, "more": "x" * 5000}, headers=own).status_code == 413
    assert client.get("/forget", params=form).status_code == 200  # a link changes nothing
    assert forgotten == []
    assert client.post("/forget", data=form, headers=own).status_code == 200
    assert forgotten == ["demo-10"]


def test_a_session_that_cannot_be_forgotten_is_said(tmp_path: Path) -> None:
    def failing(_: Session) -> None:
        raise OSError("the disk is full")

    client = client_of(demo_recall(tmp_path), forget=failing)
    form = {each["name"]: each["value"] for each in page(client, "/forget?id=demo-10").all("input")}
    answer = client.post("/forget", data=form, headers={"origin": HOST})
    assert answer.status_code == 500
    assert "the disk is full" in answer.text


def test_without_a_cache_nothing_is_forgotten(demo: TestClient) -> None:
    found = page(demo, "/forget?id=demo-10")
    assert not found.all("form")
    assert "Forget this session" not in page(demo, "/session?id=demo-10").words


# --- what a history may hold ----------------------------------------------------------------------------


def hostile() -> Session:
    call = Part("t", "tool", tool=HOSTILE, input={HOSTILE: HOSTILE, "command": HOSTILE}, output=HOSTILE, title=HOSTILE)
    fenced = Part("c", "text", f"```python\n{HOSTILE}\n```\n{HOSTILE}")
    parts = (Part("p", "text", HOSTILE), fenced, call, Part("r", "reasoning", HOSTILE), Part("e", HOSTILE, HOSTILE))
    message = Message("m<1>", "user", NOW, parts, author=HOSTILE, model=HOSTILE)
    return Session(
        "s<1>&\"'",
        (message,),
        HOSTILE,
        f"/srv/{HOSTILE}",
        HOSTILE,
        updated=NOW,
        created=NOW,
        agent=HOSTILE,
        source="held",
    )


def test_no_text_is_markup_on_any_page() -> None:
    client = client_of(recall_of(hostile()), forget=lambda _: None)
    about = query_of("x").replace("q=x", "") + str_of({"id": "s<1>&\"'", "q": "alert"})
    pages = ("/", "/?q=alert", "/?q=alert&group=session", f"/session?{about}", f"/message?{about}&number=1")
    for address in (
        *pages,
        f"/lineage?{about}",
        f"/forget?{about}",
        "/activity",
        "/coverage",
        f"/?{str_of({'q': HOSTILE})}",
    ):
        answer = client.get(address)
        assert answer.status_code == 200, address
        found = Elements(answer.text)
        sources = [each.get("src") for each in found.all("script")]
        assert sources == ["/static/htmx.min.js", "/static/keys.js"], address
        assert not found.all("img")
        assert not [
            name for _, attributes in found.found for name in attributes if name.startswith("on") or name == "style"
        ]
        assert all((link["href"] or "").startswith(("/", "#")) for link in found.all("a"))
        for unseen in ("\x1b", "\u202e", "\u200b"):
            assert unseen not in answer.text, address
        assert "49" not in re.findall(r"\b49\b", found.text)


def str_of(values: dict[str, str]) -> str:
    from starlette.datastructures import QueryParams

    return str(QueryParams(values))


def test_what_is_redacted(tmp_path: Path) -> None:
    said = (
        Part("p", "text", f"my key is {SECRET} and the harbor is closed"),
        Part("t", "tool", tool="bash", output=SECRET),
    )
    session = Session(
        "s-secret", (Message("m1", "user", NOW, said),), f"harbor {SECRET}", f"/srv/{SECRET}", updated=NOW
    )
    pages = (
        "/",
        "/?q=harbor+key",
        "/session?id=s-secret&q=harbor",
        "/message?id=s-secret&number=1",
        "/lineage?id=s-secret",
    )
    plain, redacted = client_of(recall_of(session)), client_of(recall_of(session), redact=True)
    for address in (*pages, "/activity"):
        assert SECRET not in redacted.get(address).text, address
        assert redacted.get(address).status_code == 200
    for address in pages:
        assert SECRET in plain.get(address).text, address


def test_a_secret_is_replaced_before_a_text_is_cut() -> None:
    """A cut through a key would leave a beginning of it that no rule finds."""
    text = "x " * 9_990 + SECRET + " and so on"
    session = Session("s-cut", (Message("m1", "user", NOW, (Part("p", "text", text),)),), updated=NOW)
    shown = client_of(recall_of(session), redact=True).get("/session?id=s-cut").text
    assert SECRET[:8] not in shown


# --- much of it ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_message_of_ten_megabytes_is_cut_and_says_so() -> None:
    text = "harbor " * 1_500_000
    session = Session("s-big", (Message("m1", "user", NOW, (Part("p", "text", text),)),), updated=NOW)
    client = client_of(recall_of(session))
    answer = client.get("/session?id=s-big")
    assert len(answer.text) < 100_000
    assert (
        "Characters 1 to 20,000 of 10,500,000 are shown; 10,480,000 are left out here." in Elements(answer.text).words
    )
    whole = client.get("/message?id=s-big&number=1")
    assert len(whole.text) < 300_000
    assert "Characters 1 to 200,000 of 10,500,000" in Elements(whole.text).words
    assert "Characters 200,001 to 400,000" in page(client, "/message?id=s-big&number=1&from=200000").words
    assert len(client.get("/?q=harbor").text) < 100_000


@pytest.mark.slow
def test_a_session_of_a_hundred_thousand_messages() -> None:
    said = tuple(Message(f"m{n}", "user", NOW + n, (Part(f"p{n}", "text", f"harbor {n}"),)) for n in range(1, 100_001))
    client = client_of(recall_of(Session("s-many", said, updated=NOW + 100_000)))
    found = page(client, "/session?id=s-many&q=harbor&page=1000")
    assert [each["id"] for each in found.all("article")] == [f"m{n}" for n in range(99_901, 100_001)]
    assert "500 messages match, and more that are not marked" in found.words
    assert len(client.get("/session?id=s-many").text) < 200_000
