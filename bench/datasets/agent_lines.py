"""Renders generated sessions in the file formats of the agents: JSON lines, JSON documents and Markdown pages."""

from __future__ import annotations

import json
from collections.abc import Iterator

from bench.datasets.agent_stores import HOME, KEY, NUMBER, START, Record, StoreFormat, packed, result, when
from recall_rank.model import Message, Part, Session

USAGE = {"input_tokens": 1200, "output_tokens": 40, "cache_read_input_tokens": 800, "cache_creation_input_tokens": 0}


def claude(session: Session) -> bytes:
    return packed(_claude(session))


def _claude(session: Session) -> Iterator[Record]:
    count = 0
    for message in session.messages:
        about = {"sessionId": KEY, "cwd": HOME, "version": "2.1.330", "gitBranch": "main", "userType": "external"}
        for at, part in enumerate(message.parts):
            count += 1
            record = {"parentUuid": f"{KEY}-{count - 1}", "isSidechain": False, "uuid": f"{KEY}-{count}", **about}
            record["timestamp"] = when(message)
            if message.role == "user":
                said: Record = {"role": "user", "content": part.text}
                yield {**record, "type": "user", "message": said}
                continue
            call = f"toolu_{message.id}_{at}"
            block: Record = {"type": "text", "text": part.text}
            if part.type == "reasoning":
                block = {"type": "thinking", "thinking": part.text, "signature": "x" * 200}
            elif part.type == "tool":
                block = {"type": "tool_use", "id": call, "name": part.tool, "input": part.input}
            body = {"id": message.id, "role": "assistant", "model": "quill-1", "content": [block], "usage": USAGE}
            yield {**record, "type": "assistant", "message": body}
            if part.type == "tool":
                count += 1
                answer = {
                    "type": "tool_result",
                    "tool_use_id": call,
                    "content": result(part),
                    "is_error": bool(part.error),
                }
                said = {"role": "user", "content": [answer]}
                yield {**record, "uuid": f"{KEY}-{count}", "type": "user", "message": said}


def codex(session: Session) -> bytes:
    return packed(_codex(session))


def _codex(session: Session) -> Iterator[Record]:
    def line(kind: str, payload: Record) -> Record:
        return {"timestamp": at, "type": kind, "payload": payload}

    at = when(session.messages[0])
    yield line("session_meta", {"id": KEY, "timestamp": at, "cwd": HOME, "cli_version": "0.169.0", "source": "cli"})
    yield line("turn_context", {"cwd": HOME, "model": "quill-1"})
    for message in session.messages:
        at = when(message)
        for number, part in enumerate(message.parts):
            name = f"{message.id}_{number}"
            if part.type == "tool":
                given = json.dumps(part.input)
                call = {
                    "type": "function_call",
                    "id": f"fc_{name}",
                    "name": part.tool,
                    "arguments": given,
                    "call_id": name,
                }
                yield line("response_item", call)
                yield line("response_item", {"type": "function_call_output", "call_id": name, "output": result(part)})
            elif part.type == "reasoning":
                summary = [{"type": "summary_text", "text": part.text}]
                yield line("response_item", {"type": "reasoning", "id": f"rs_{name}", "summary": summary})
            else:
                kind = "input_text" if message.role == "user" else "output_text"
                content = [{"type": kind, "text": part.text}]
                item = {"type": "message", "id": f"msg_{name}", "role": message.role, "content": content}
                yield line("response_item", item)
                yield line("event_msg", {"type": "agent_message", "message": part.text})


def gemini(session: Session) -> bytes:
    head = {"sessionId": KEY, "projectHash": "beef", "startTime": when(session.messages[0]), "kind": "main"}
    return packed(iter([head, *map(_gemini, session.messages)]))


def gemini_older(session: Session) -> bytes:
    head = {"sessionId": KEY, "projectHash": "beef", "startTime": when(session.messages[0])}
    return json.dumps({**head, "messages": list(map(_gemini, session.messages))}, indent=2, ensure_ascii=False).encode()


def _gemini(message: Message) -> Record:
    record: Record = {"id": message.id, "timestamp": when(message)}
    texts = [{"text": part.text} for part in message.parts if part.type == "text"]
    if message.role == "user":
        return {**record, "type": "user", "content": texts}
    calls = [_gemini_call(message, at, part) for at, part in enumerate(message.parts) if part.type == "tool"]
    thoughts = [{"subject": "", "description": part.text} for part in message.parts if part.type == "reasoning"]
    tokens = {"input": 40, "output": 3, "cached": 10, "thoughts": 5, "tool": 2, "total": 50}
    said = {"type": "gemini", "content": texts, "thoughts": thoughts, "toolCalls": calls, "tokens": tokens}
    return {**record, **said, "model": "gull-1"}


def _gemini_call(message: Message, at: int, part: Part) -> Record:
    answer = {"id": f"{message.id}_{at}", "name": part.tool, "response": {"output": result(part)}}
    call = {"id": f"{message.id}_{at}", "name": part.tool, "args": part.input, "status": "success"}
    return {**call, "timestamp": when(message), "result": [{"functionResponse": answer}]}


def copilot(session: Session) -> bytes:
    return packed(_copilot(session))


def _copilot(session: Session) -> Iterator[Record]:
    count = 0

    def event(kind: str, data: Record) -> Record:
        nonlocal count
        count += 1
        return {"type": kind, "data": data, "id": f"{KEY}-{count}", "timestamp": at, "parentId": f"{KEY}-{count - 1}"}

    at = when(session.messages[0])
    yield event("session.start", {"sessionId": KEY, "version": 1, "startTime": at, "context": {"cwd": HOME}})
    for message in session.messages:
        at = when(message)
        if message.role == "user":
            yield event("user.message", {"content": message.parts[0].text, "messageId": f"{KEY}{message.id}"})
            continue
        for number, part in enumerate(message.parts):
            name = f"{message.id}_{number}"
            data: Record = {"messageId": f"{KEY}{name}", "content": "", "toolRequests": [], "model": "quill-1"}
            if part.type == "text":
                data["content"] = part.text
            elif part.type == "reasoning":
                data["reasoningText"] = part.text
            else:
                data["toolRequests"] = [{"toolCallId": name, "name": part.tool, "arguments": part.input}]
            yield event("assistant.message", data)
            if part.type == "tool":
                done = {"toolCallId": name, "success": not part.error, "result": {"content": result(part)}}
                yield event("tool.execution_complete", done)


def pi(session: Session) -> bytes:
    return packed(_pi(session))


def _pi(session: Session) -> Iterator[Record]:
    yield {"type": "session", "version": 3, "id": KEY, "timestamp": when(session.messages[0]), "cwd": HOME}
    last: str | None = None
    for message in session.messages:
        content = []
        for at, part in enumerate(message.parts):
            block: Record = {"type": "text", "text": part.text}
            if part.type == "reasoning":
                block = {"type": "thinking", "thinking": part.text}
            elif part.type == "tool":
                block = {"type": "toolCall", "id": f"{message.id}{at}", "name": part.tool, "arguments": part.input}
            content.append(block)
        key = f"{NUMBER}{message.id}"
        said = {"role": message.role, "content": content, "model": "quill-1"}
        yield {"type": "message", "id": key, "parentId": last, "timestamp": when(message), "message": said}
        last = key
        for at, part in enumerate(message.parts):
            if part.type == "tool":
                text = [{"type": "text", "text": result(part)}]
                answer: Record = {
                    "role": "toolResult",
                    "toolCallId": f"{message.id}{at}",
                    "toolName": part.tool,
                    "content": text,
                }
                answer["isError"] = bool(part.error)
                key = f"{NUMBER}{message.id}{at}"
                yield {"type": "message", "id": key, "parentId": last, "timestamp": when(message), "message": answer}
                last = key


def history(session: Session) -> bytes:
    return packed(_history(session))


def _history(session: Session) -> Iterator[Record]:
    yield {"t": "session", "id": KEY, "title": session.title, "directory": HOME, "created": START}
    for message in session.messages:
        parts = [_plain(f"{message.id}:{at}", part) for at, part in enumerate(message.parts)]
        said = {"t": "message", "id": message.id, "session": KEY, "role": message.role, "time": message.time}
        yield {**said, "parts": parts}


def _plain(key: str, part: Part) -> Record:
    names = ("type", "text", "tool", "input", "output", "error")
    return {"id": key, **{name: value for name in names if (value := getattr(part, name)) is not None}}


def openai(session: Session) -> list[Record]:
    """Return chat messages in the form of OpenAI's API."""
    found: list[Record] = []
    for message in session.messages:
        for at, part in enumerate(message.parts):
            if part.type == "tool":
                function = {"name": part.tool, "arguments": json.dumps(part.input)}
                call = {"id": f"{message.id}{at}", "type": "function", "function": function}
                found.append({"role": "assistant", "content": None, "tool_calls": [call]})
                found.append({"role": "tool", "content": result(part), "tool_call_id": f"{message.id}{at}"})
            else:
                found.append({"role": message.role, "content": part.text})
    return found


def praison(session: Session) -> bytes:
    messages = [{**message, "timestamp": START / 1000, "metadata": {}} for message in openai(session)]
    value = {"session_id": KEY, "messages": messages, "metadata": {}, "archived_messages": []}
    return json.dumps(value, indent=2, ensure_ascii=False).encode()


def export(session: Session) -> bytes:
    messages = []
    for message in session.messages:
        info: Record = {"id": f"msg_{message.id}", "sessionID": f"ses_{KEY}", "role": message.role}
        info["time"] = {"created": message.time}
        parts = [{"id": f"prt_{message.id}{at:02}", **opencode_part(part)} for at, part in enumerate(message.parts)]
        messages.append({"info": info, "parts": parts})
    head: Record = {
        "id": f"ses_{KEY}",
        "title": session.title,
        "directory": HOME,
        "time": {"created": START, "updated": START},
    }
    return json.dumps({"info": head, "messages": messages}, indent=2, ensure_ascii=False).encode()


def opencode_part(part: Part) -> Record:
    if part.type != "tool":
        return {"type": part.type, "text": part.text}
    state: Record = {"status": "error" if part.error else "completed", "input": part.input}
    state["error" if part.error else "output"] = result(part)
    return {
        "type": "tool",
        "tool": part.tool,
        "callID": "c",
        "state": {**state, "time": {"start": START, "end": START}},
    }


def aider(session: Session) -> bytes:
    lines = [f"# aider chat started at 2026-05-28 20:26:40\n\n#### number {NUMBER}  \n"]
    for message in session.messages:
        for part in message.parts:
            if part.type == "tool":
                lines.append("\n".join(f"> {line}  " for line in result(part).split("\n")))
            else:
                lines.append(f"#### {part.text}  " if message.role == "user" else str(part.text))
            lines.append("")
    return "\n".join(lines).encode()


def specstory(session: Session) -> bytes:
    pieces = [
        f"<!-- Generated by SpecStory -->\n\n<!-- Claude Code Session {KEY} (2026-05-28 20:26:40Z) -->\n\n# Talk\n"
    ]
    for message in session.messages:
        who = "User" if message.role == "user" else "Assistant"
        pieces.append(f"\n_**{who}**_\n")
        for part in message.parts:
            if part.type == "tool":
                pieces.append(f'<tool-use data-tool-type="shell" data-tool-name="{part.tool}">\n')
                pieces.append(f"```\n{result(part)}\n```\n</tool-use>\n")
            else:
                pieces.append(f"{part.text}\n")
        pieces.append("\n---\n")
    return "\n".join(pieces).encode()


FORMATS = {
    "claude-code": StoreFormat("lines", f"projects/-home-dev-project/{KEY}.jsonl", claude),
    "codex": StoreFormat("lines", f"sessions/2026/05/28/rollout-2026-05-28T20-26-40-{KEY}.jsonl", codex),
    "gemini-cli": StoreFormat("lines", f"tmp/project/chats/session-2026-05-28T20-26-{NUMBER}.jsonl", gemini),
    "copilot-cli": StoreFormat("lines", f"session-state/{KEY}/events.jsonl", copilot),
    "pi": StoreFormat("lines", f"agent/sessions/--home-dev--/2026-05-28T20-26-40-000Z_{KEY}.jsonl", pi),
    "history": StoreFormat("lines", f"{NUMBER}.jsonl", history),
    "gemini-cli (older)": StoreFormat(
        "document", f"tmp/project/chats/session-2026-05-28T20-26-{NUMBER}.json", gemini_older
    ),
    "praisonai": StoreFormat("document", f"sessions/{NUMBER}.json", praison),
    "opencode-export": StoreFormat("document", f"{NUMBER}.json", export),
    "aider": StoreFormat("markdown", f"{NUMBER}/.aider.chat.history.md", aider),
    "specstory": StoreFormat("markdown", f".specstory/history/2026-05-28_20-26-40Z-{NUMBER}.md", specstory),
}
