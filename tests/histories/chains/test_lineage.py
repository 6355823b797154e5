"""The tree of linked sessions: how it is built, named and bounded."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.histories.chains.lineage import Chain, chain_of, link_of
from recall_rank.model import Flag, Session, Tokens

OLD = Session("oak-root", title="Plant the oak", created=1000, updated=1500, agent="quill", source="quill")


def after(origin: str | None, key: str, created: int, **more: object) -> Session:
    known = {"parent": origin, "title": f"About {key}", "created": created, "updated": created + 9}
    return Session(key, **{**known, "agent": "quill", "source": "quill", **more})  # type: ignore[arg-type]


GROVE = (
    OLD,
    after("oak-root", "oak-fork", 3000, forked_from="oak-root"),
    after("oak-root", "oak-helper", 2000, flags=Flag.SUBAGENT),
    after("oak-root", "oak-next", 4000, continues="oak-root"),
    after("oak-next", "oak-child", 5000),
    after(None, "elm-alone", 100),
)


def tree(chain: Chain) -> list[tuple[str, str, int, str | None]]:
    """Return (id, relation, depth, id of the session above) of every node."""
    return [
        (node.session.id, node.relation, node.depth, None if node.above is None else chain.nodes[node.above].session.id)
        for node in chain.nodes
    ]


@pytest.mark.parametrize("wanted", ["oak-root", "oak-child", "oak-helper"])
def test_every_session_of_a_tree_shows_the_whole_tree(wanted: str) -> None:
    chain = chain_of(GROVE, wanted)
    assert tree(chain) == [
        ("oak-root", "root", 0, None),
        ("oak-helper", "subagent", 1, "oak-root"),
        ("oak-fork", "fork", 1, "oak-root"),
        ("oak-next", "compression", 1, "oak-root"),
        ("oak-child", "child", 2, "oak-next"),
    ]
    assert chain.nodes[chain.wanted].session.id == wanted
    assert (chain.total, chain.notes) == (5, ())


def test_a_session_without_links_is_a_chain_of_its_own() -> None:
    assert tree(chain_of(GROVE, "elm-alone")) == [("elm-alone", "root", 0, None)]


@pytest.mark.parametrize(
    ("session", "link"),
    [
        (after("a", "x", 1, flags=Flag.SUBAGENT, forked_from="b"), ("subagent", "a")),
        (after("a", "x", 1, continues="b", forked_from="c"), ("compression", "b")),
        (after("a", "x", 1, forked_from="c"), ("fork", "c")),
        (after("a", "x", 1), ("child", "a")),
        (after(None, "x", 1, flags=Flag.SUBAGENT), ("root", None)),
        (after("", "x", 1), ("root", None)),
    ],
)
def test_the_link_of_a_session(session: Session, link: tuple[str, str | None]) -> None:
    assert link_of(session) == link


# --- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("oak-ch", "oak-child"),
        ("plant the OAK", "oak-root"),
        ("About oak-fork", "oak-fork"),
        ("about elm", "elm-alone"),
        ("  Plant the oak ", "oak-root"),
    ],
)
def test_a_session_is_found_by_prefix_or_title(wanted: str, found: str) -> None:
    chain = chain_of(GROVE, wanted)
    assert chain.nodes[chain.wanted].session.id == found


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("birch", "no session has an id or title like 'birch'"),
        ("oak-", "several sessions have ids that begin with 'oak-': oak-root, oak-fork, oak-helper, "),
        ("", "is needed"),
        ("  ", "is needed"),
        ("e", "6 sessions have a title like 'e': "),
    ],
)
def test_a_name_of_none_or_several_is_refused(wanted: str, said: str) -> None:
    sessions = [replace(each, title=f"tree {each.id}") for each in GROVE]
    with pytest.raises(LookupError) as caught:
        chain_of(sessions, wanted)
    assert said in str(caught.value.args[0])


def test_a_refusal_names_few_of_many() -> None:
    sessions = [after(None, f"reed-{number:05}", number) for number in range(3000)]
    for wanted in ("reed", "about"):
        with pytest.raises(LookupError) as caught:
            chain_of(sessions, wanted)
        assert "and 2,995 more" in str(caught.value)


def test_a_title_that_only_one_chain_has_names_its_newest_session() -> None:
    sessions = [OLD, after("oak-root", "oak-next", 2000, title="Plant the oak", continues="oak-root")]
    chain = chain_of(sessions, "Plant the oak")
    assert chain.nodes[chain.wanted].session.id == "oak-next"
    assert chain.notes == ("2 sessions of this chain have such a title; the newest one is marked",)


# --- what stores should not hold ------------------------------------------------------------------------------------


def test_a_missing_origin_is_told() -> None:
    chain = chain_of([after("gone", "ash", 1, forked_from="gone")], "ash")
    assert (tree(chain), chain.nodes[0].missing) == ([("ash", "fork", 0, None)], "gone")
    assert chain.notes == ("session gone, from which the first one came, is not in these histories",)


@pytest.mark.parametrize("wanted", ["c1", "c2", "c3", "leaf"])
def test_a_circle_is_cut_at_its_oldest_session(wanted: str) -> None:
    sessions = [after("c3", "c1", 30), after("c1", "c2", 10), after("c2", "c3", 20), after("c3", "leaf", 5)]
    chain = chain_of(sessions, wanted)
    assert tree(chain) == [
        ("c2", "root", 0, None),
        ("c3", "child", 1, "c2"),
        ("leaf", "child", 2, "c3"),
        ("c1", "child", 2, "c3"),
    ]
    assert chain.notes[0].startswith("the links of 3 sessions run in a circle (")


def test_a_session_that_names_itself_is_a_root() -> None:
    chain = chain_of([after("me", "me", 1), after("me", "other", 2)], "other")
    assert tree(chain) == [("me", "root", 0, None), ("other", "child", 1, "me")]
    assert "circle (me)" in chain.notes[0]


def test_two_agents_with_one_id_keep_their_own_children() -> None:
    sessions = [
        replace(OLD, id="same", updated=9),
        replace(OLD, id="same", agent="reed", source="reed", updated=5),
        after("same", "of-quill", 2000),
        after("same", "of-reed", 2000, agent="reed", source="reed"),
        after("same", "of-nobody", 2000, agent="moss", source="moss"),
    ]
    chain = chain_of(sessions, "same")
    assert [node.session.id for node in chain.nodes] == ["same", "of-quill"]
    assert chain.notes == ("other sessions have this id (reed); this is the one of quill",)
    assert [node.session.id for node in chain_of(sessions, "of-reed").nodes] == ["same", "of-reed"]
    assert chain_of(sessions, "of-nobody").nodes[0].missing == "same"


def test_a_session_given_twice_counts_once() -> None:
    chain = chain_of([*GROVE, replace(OLD, title="A copy")], "oak-root")
    assert (chain.nodes[0].session.title, chain.total) == ("Plant the oak", 5)
    assert chain.notes == ("sessions that were given more than once count once: oak-root",)


# --- bounds -----------------------------------------------------------------------------------------------------------


def test_ten_thousand_children_are_bounded() -> None:
    sessions = [OLD, *(after("oak-root", f"acorn-{number:05}", 2000 + number) for number in range(10_000))]
    chain = chain_of(sessions, "acorn-09999", limit=50)
    shown = [node.session.id for node in chain.nodes]
    assert shown == ["oak-root", *(f"acorn-{number:05}" for number in range(48)), "acorn-09999"]
    assert (chain.total, chain.nodes[0].left_out, chain.wanted) == (10_001, 9_951, 49)


def test_ten_thousand_levels_are_bounded() -> None:
    sessions = [after(f"l{number - 1}" if number else None, f"l{number}", number + 1) for number in range(10_000)]
    chain = chain_of(sessions, "l9000", limit=10)
    assert [node.session.id for node in chain.nodes] == [f"l{number}" for number in range(8991, 9001)]
    assert chain.notes == ("8,991 sessions further up are left out",)
    assert (chain.total, chain.nodes[-1].left_out, chain.nodes[0].relation) == (10_000, 1, "child")
    assert len(chain_of(sessions, "l9000", limit=10_000).nodes) == 10_000


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match="limit must be 1 or more"):
        chain_of(GROVE, "oak-root", limit=limit)


@given(st.lists(st.integers(-1, 11), min_size=12, max_size=12), st.integers(0, 11), st.integers(1, 14))
def test_any_links_give_a_tree(origins: list[int], wanted: int, limit: int) -> None:
    sessions = [
        after(None if origin < 0 else f"node-{origin:02}", f"node-{at:02}", at) for at, origin in enumerate(origins)
    ]
    chain = chain_of(sessions, f"node-{wanted:02}", limit=limit)
    ids = [node.session.id for node in chain.nodes]
    assert ids[chain.wanted] == f"node-{wanted:02}"
    assert len(ids) == len(set(ids)) <= min(limit, chain.total)
    linked = {wanted}  # all that links lead to, in either direction
    for _ in origins:
        linked |= {origin for at, origin in enumerate(origins) if at in linked and origin >= 0}
        linked |= {at for at, origin in enumerate(origins) if origin in linked}
    assert chain.total == len(linked)
    assert {int(key[5:]) for key in ids} <= linked
    for at, node in enumerate(chain.nodes):
        if node.above is None:
            assert (at, node.depth) == (0, 0)
        else:
            assert node.above < at
            assert node.depth == chain.nodes[node.above].depth + 1
            assert node.session.parent == ids[node.above]
    for upper, lower in pairwise(chain.nodes):
        assert lower.depth <= upper.depth + 1
    if limit >= chain.total:
        assert len(ids) == chain.total
        assert not any(node.left_out for node in chain.nodes)


def test_figures_of_a_session_without_messages_are_those_of_its_store() -> None:
    session = replace(OLD, tokens=Tokens(7, 3), cost=0.25)
    figures = chain_of([session], "oak-root").nodes[0].figures
    assert (figures.tokens, figures.cost, figures.rounds, figures.messages) == (Tokens(7, 3), 0.25, None, None)
