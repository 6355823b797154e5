"""Format a chain, the tree of sessions linked with one, as JSON values and as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from recall_rank.frontends.cli.output.console import Line, note_line
from recall_rank.frontends.cli.output.display import Display
from recall_rank.frontends.display_text import age, counted, one_line
from recall_rank.frontends.transcripts.reopen import put_reopen
from recall_rank.histories.chains.lineage import Chain, ChainNode
from recall_rank.model import Flag
from recall_rank.model.serialize import repaired
from recall_rank.model.serialize_transcript import session_to_dict

Entry = Mapping[str, Any]
_INDENT: Final = "    "
_DEEPEST: Final = 12  # levels that are indented; what lies deeper says how deep


def chain_to_dict(chain: Chain) -> dict[str, Any]:
    """Return a chain as JSON values: `sessions` has its nodes in the order of the tree, each with the index `above` of
    the session it came from. What is not recorded is absent.
    """
    return {
        "ok": True,
        "session_id": repaired(chain.nodes[chain.wanted].session.id),
        "wanted": chain.wanted,
        "total": chain.total,
        "returned": len(chain.nodes),
        "sessions": [_node_to_dict(node) for node in chain.nodes],
        "notes": [repaired(note) for note in chain.notes],
    }


def _node_to_dict(node: ChainNode) -> dict[str, Any]:
    session, figures = node.session, node.figures
    entry = session_to_dict(session, with_project=True)
    entry |= {"source": repaired(session.source or ""), "relation": node.relation, "depth": node.depth}
    known = {
        "above": node.above,
        "missing": node.missing and repaired(node.missing),
        "rounds": figures.rounds,
        "messages": figures.messages,
        "summaries": list(figures.summaries) or None,
        "subagent_messages": figures.subagent_messages or None,
        "tokens": _counts(figures.tokens),
        "tokens_summed": figures.tokens_summed or None,
        "cost": figures.cost,
        "cost_summed": figures.cost_summed or None,
        "left_out": node.left_out or None,
        "subagent": bool(session.flags & Flag.SUBAGENT) or None,
        "source_missing": bool(session.flags & Flag.SOURCE_MISSING) or None,
    }
    entry |= {name: value for name, value in known.items() if value is not None}
    put_reopen(entry, session.source, session.id, session.directory, session.flags, session.places)
    return entry


def _counts(tokens: Any) -> dict[str, int] | None:
    if tokens is None:
        return None
    counts = {name: getattr(tokens, name) for name in ("input", "output", "cached", "reasoning")}
    return {name: count for name, count in counts.items() if count is not None}


def chain_lines(answer: Entry, now: int, display: Display) -> Iterator[Line]:
    """Yield the lines of a chain, given as JSON values: for each session its place in the tree, its title, times and
    figures; its id; and, in a pipe, how it is reopened. The wanted session is marked. `now` is in epoch milliseconds.
    """
    for at, entry in enumerate(answer["sessions"]):
        indent = _INDENT * min(entry["depth"], _DEEPEST)
        deep = f"(level {entry['depth']:,}) " if entry["depth"] > _DEEPEST else ""
        relation = "" if entry["relation"] == "root" else f"{entry['relation']}: "
        yield [
            (indent + deep, "dim"),
            ("> " if at == answer["wanted"] else "", "bold yellow"),
            (relation, "cyan"),
            (one_line(entry["title"]) or "untitled", "bold"),
            (" · ", "dim"),
            (_times(entry["time"], now, display), "green"),
            ("".join(f" · {figure}" for figure in _figures(entry)), ""),
            (" · archived" if entry["archived"] else "", "dim"),
            (" · gone at its source" if "source_missing" in entry else "", "dim"),
        ]
        indent += _INDENT
        folder = display.folder(entry["directory"])
        place = " · ".join(filter(None, (entry.get("agent") or entry["source"], folder, entry["id"])))
        yield [(indent + one_line(place), "dim")]
        if "missing" in entry:
            yield [(indent + one_line(f"came from {entry['missing']}, which is not in these histories"), "dim")]
        if "reopen" in entry and not display.is_terminal:
            yield [(indent + "reopen: ", "dim"), (entry["reopen"], "")]
        if "left_out" in entry:
            yield [(f"{indent}... {entry['left_out']:,} more that came from it", "dim")]
    shown, total = answer["returned"], answer["total"]
    of = "" if shown == total else f"{shown:,} of "
    yield [(f"{of}{total:,} session{'' if total == 1 else 's'} in this chain", "bold")]
    yield from map(note_line, answer["notes"])


def _times(time: Entry, now: int, display: Display) -> str:
    """Return begin and end of a session as times of the day, and how long ago it ended."""
    began, ended = display.minute(time["created"]), display.minute(time["updated"])
    if not began or not ended or began == ended:
        return began or ended or "time unknown"
    if began[:10] == ended[:10]:
        ended = ended[11:]
    return f"{began.removesuffix(' UTC')} to {ended}, {age(time['updated'], now)}"


def _figures(entry: Entry) -> Iterator[str]:
    """Yield what is known of a session in words: rounds, tokens, cost, summaries and messages of subagents in it."""
    for name, one, many in (("rounds", "round", "rounds"), ("messages", "message", "messages")):
        if name in entry:
            yield f"{entry[name]:,} {one if entry[name] == 1 else many}"
    tokens = entry.get("tokens", {})
    counts = [f"{tokens[name]:,} {word}" for name, word in (("input", "in"), ("output", "out")) if name in tokens]
    if counts:
        yield f"{', '.join(counts)} tokens"
    if "cost" in entry:
        yield f"${entry['cost']:,.2f}" if entry["cost"] >= 0.1 else f"${entry['cost']:.4f}"
    if "summaries" in entry:
        count = len(entry["summaries"])
        yield f"{count:,} {'summary' if count == 1 else 'summaries'} in it"
    if "subagent_messages" in entry:
        yield f"{counted(entry['subagent_messages'], 'message', 'messages')} of subagents in it"
