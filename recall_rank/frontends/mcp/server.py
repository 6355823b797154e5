"""RecallServer: the recall tools over the Model Context Protocol for one client, on stdin and stdout."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from recall_rank.frontends.curators.curator import Curator
from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.mcp.answer_pages import ANSWER_BYTES, RESOURCE_BYTES, paged
from recall_rank.frontends.mcp.asking_session import (
    AskingSession,
    asking_session,
    folder_of_environment,
    guessed_session,
    read_by_the_model,
)
from recall_rank.frontends.mcp.background_reading import REFRESH_SECONDS, BackgroundHistories
from recall_rank.frontends.mcp.client_context import context_with_roots, with_named_project
from recall_rank.frontends.mcp.clients import takes_prompts, takes_structured
from recall_rank.frontends.mcp.compact_answers import compact, compact_sessions
from recall_rank.frontends.mcp.frames import frames
from recall_rank.frontends.mcp.handshake import Handshake
from recall_rank.frontends.mcp.offer import NAME, ServerOffer
from recall_rank.frontends.mcp.prompts import PROMPTS, prompt_messages
from recall_rank.frontends.mcp.resources import MARKED, RESOURCE_TEMPLATES, listed_resources, resource_call, rest_of
from recall_rank.frontends.mcp.sampling_requests import Outcome, SamplingCalls
from recall_rank.frontends.mcp.schema import (
    CURSOR,
    MAX_BUDGET_MS,
    MAX_TEXT_CHARS,
    MAX_TEXTS,
    OWN_SCOPE,
)
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.frontends.tools.families import CURATED_TOOLS, DEFAULT_FAMILIES, tools_of
from recall_rank.frontends.tools.transcript_tools import centre_first
from recall_rank.frontends.tools.untrusted_text import (
    for_readers,
    marked,
    new_mark,
    untrusted_text,
    with_controls_escaped,
)
from recall_rank.frontends.tools.warnings import ToolError
from recall_rank.histories.cache.first_part import STILL_READING
from recall_rank.model import Context
from recall_rank.model.response import NOT_READ_YET

MAX_RUNNING: Final = 4  # calls at once; the option `concurrency` may lower it
FIRST_READING_SECONDS: Final = 20.0  # a call waits so long for the first reading, then answers "not_ready"
CALL_SECONDS: Final = 60.0
MAX_KEPT: Final = 4  # answers of curators
_ROOTS_SECONDS: Final = 2.0
_POLL_SECONDS: Final = 0.2


class RecallServer:
    """The handlers of the requests that one MCP client sends. `families` names the families of tools it is offered,
    `curator` that of session_recall; by default it is the setting's, else the client's own model. `environment` holds
    the variables that a host may have set, by default those of this process.
    """

    def __init__(
        self,
        histories: BackgroundHistories,
        options: HostOptions,
        context: Context,
        families: Sequence[str] = DEFAULT_FAMILIES,
        curator: Curator | str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._environment = os.environ if environment is None else environment
        self._read: dict[tuple[str, int], tuple[str, ...]] = {}
        self._names = tools_of(families)
        self._histories = histories
        self._options = options
        self._command = context
        self._context = context
        self._roots_known = False
        self._tools = RecallTools(histories.recall, options=options, curator=curator)
        self._sampling = SamplingCalls()
        self._kept: dict[str, dict[str, Any]] = {}
        self._running = anyio.CapacityLimiter(min(options.concurrency, MAX_RUNNING))
        # A curator may take most of a minute; other tools do not wait for it.
        self._curating = anyio.CapacityLimiter(min(options.concurrency, MAX_RUNNING))
        self._offer = ServerOffer(options, families)
        self.server: Server[Any] = Server(
            NAME,
            version=self._offer.version,
            title=NAME,
            instructions=self._offer.instructions,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )
        self.server.add_notification_handler(
            "notifications/roots/list_changed", types.NotificationParams, self._roots_changed
        )

    async def _list_tools(self, ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate(self._offer.tools_result(_name_of(ctx)))

    async def _call_tool(self, ctx: Any, params: types.CallToolRequestParams) -> Outcome:
        if params.name not in self._names:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: there are {', '.join(self._names)}")

        async def work(sampling: Curator | None) -> types.CallToolResult:
            answer, text = await self._answer(ctx, params.name, dict(params.arguments or {}), sampling)
            return types.CallToolResult(
                content=[types.TextContent(type="text", text=text)],
                structured_content=answer if takes_structured(_name_of(ctx)) else None,
                is_error=not answer["ok"],
            )

        if params.name not in CURATED_TOOLS:
            return await work(None)
        return await self._sampling.answer(ctx.session, params, work)

    async def _list_resources(self, ctx: Any, params: Any) -> types.ListResourcesResult:
        context = await self._current(ctx)
        scope = "project" if context.project or context.directory else "global"
        answer, _ = await self._answer(ctx, "recall_sessions", {"scope": scope, "limit": 100}, of_resource=True)
        if not answer.get("sessions") and self._options.global_:
            answer, _ = await self._answer(ctx, "recall_sessions", {"scope": "global", "limit": 100}, of_resource=True)
        return types.ListResourcesResult(resources=listed_resources(answer), _meta=dict(MARKED))

    async def _list_templates(self, ctx: Any, params: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=list(RESOURCE_TEMPLATES))

    async def _read_resource(self, ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        call = resource_call(uri, self._options.max_messages)
        if call is None:
            raise MCPError(code=types.INVALID_PARAMS, message="Unknown resource: ask for recall://session/ID")
        answer, text = await self._answer(ctx, *call, of_resource=True)
        if not answer["ok"]:
            raise MCPError(code=types.INVALID_PARAMS, message=answer["error"])
        text = "\n".join([text, *rest_of(uri, answer)])
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)], _meta=dict(MARKED)
        )

    async def _list_prompts(self, ctx: Any, params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=list(PROMPTS) if takes_prompts(_name_of(ctx)) else [])

    async def _get_prompt(self, ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        try:
            return types.GetPromptResult(messages=prompt_messages(params.name, params.arguments or {}))
        except ValueError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error)) from None

    async def _answer(
        self,
        ctx: Any,
        name: str,
        args: dict[str, Any],
        sampling: Curator | None = None,
        *,
        of_resource: bool = False,
    ) -> tuple[dict[str, Any], str]:
        """Return the answer of a call, as JSON values and as text. `sampling` asks the client's model. The answer to a
        read of a resource has all its fields and longer pages.

        When the call is cancelled, its search ends at the next check of its deadline.
        """
        if not await self._loaded(ctx):
            stage, done = self._histories.progress
            text = f"The histories are still being read ({stage}, {done:.0f} %), nothing was searched: ask again soon"
            return self._shown({"ok": False, "error": text, "error_category": "not_ready"}, None)
        client = _name_of(ctx)
        try:
            asking = asking_session(await self._current(ctx), ctx.meta, client, self._environment)
        except ToolError as error:
            return self._shown({"ok": False, "error": str(error), "error_category": error.category}, None)
        cancel = threading.Event()
        limiter = self._curating if name in CURATED_TOOLS else self._running
        try:
            with anyio.fail_after(CALL_SECONDS):
                return await anyio.to_thread.run_sync(
                    self._work,
                    name,
                    args,
                    asking,
                    client,
                    cancel,
                    sampling,
                    of_resource,
                    limiter=limiter,
                    abandon_on_cancel=True,
                )
        except TimeoutError:
            return self._shown({"ok": False, "error": "the call took too long", "error_category": "aborted"}, None)
        finally:
            cancel.set()
            self._histories.keep_fresh()

    def _work(
        self,
        name: str,
        args: dict[str, Any],
        asking: AskingSession,
        client: str | None,
        cancel: threading.Event,
        sampling: Curator | None,
        of_resource: bool,
    ) -> tuple[dict[str, Any], str]:
        """Return the answer of a call as JSON values and as text. Runs in a worker thread; setting `cancel` ends
        its search. `client` is the name of the client, `sampling` asks its model.
        """
        cursor = args.pop(CURSOR, None)
        try:
            check_limits(args)
            complete = self._histories.complete
            asking = self._with_session(name, args, asking, client)
            context = asking.context
            if context.project is not None:
                context = with_named_project(context, self._histories.recall.sessions())
            if name == "recall" and not self._options.global_:
                args.setdefault("scope", OWN_SCOPE)  # the tool's default is "global", as in the original
            answer = dict(self._kept.get(_key(name, args), ())) if cursor else {}
            if not answer:
                answer = self._tools.call(name, args, context=context, cancel=cancel, sampling=sampling)
                self._keep(name, args, answer)
            if asking.source and _needs_session(name, args):
                answer.update(asking.fields())
                if asking.guessed:
                    text = f"the current session was guessed: {context.session_id}, from {asking.source}"
                    _warn(answer, text, "session_guessed")
            if not complete:
                self._warn_of_first_reading(answer)
            if problem := self._histories.problem:
                _warn(answer, f"the histories could not be read again, what was read before answers: {problem}")
            at = cursor if isinstance(cursor, str) and cursor else None
            if of_resource:
                return self._shown(answer, at, RESOURCE_BYTES)
            if name == "recall" and args.get("explain") is not True:
                answer = compact(answer)
            elif name == "recall_sessions":
                answer = compact_sessions(answer, self._histories.recall.session)
            elif name == "recall_context":
                answer = centre_first(answer)
            if "expanded" in answer:
                answer["expanded"] = [centre_first(each) for each in answer["expanded"]]
            return self._shown(for_readers(answer), at)
        except ToolError as error:
            return self._shown({"ok": False, "error": str(error), "error_category": error.category}, None)

    def _with_session(
        self, name: str, args: Mapping[str, Any], asking: AskingSession, client: str | None
    ) -> AskingSession:
        """Return the context of a call with all about its session that the call needs.

        A call for the current session guesses it where nothing names it. A search of more than that session leaves out
        what the session's model still reads, unless the session is guessed: a wrong guess would hide hits.
        """
        recall, session_id = self._histories.recall, asking.context.session_id
        if _needs_session(name, args):
            if self._histories.complete:
                self._histories.refresh_within(REFRESH_SECONDS)  # it may have begun, and grew, since the last reading
            if session_id is None:
                return guessed_session(recall, asking, client)
        elif asking.guessed:
            return replace(asking, context=replace(asking.context, session_id=None, in_context=()))
        elif name == "recall" and session_id and not args.get("session_id", args.get("sessionId")):
            here = asking.context
            if not (here.in_context or here.in_context_since):
                return replace(asking, context=replace(here, in_context=self._read_by_model(session_id)))
        return asking

    def _read_by_model(self, session_id: str) -> tuple[str, ...]:
        """Return the ids of the messages that the model of a session still reads; they are read once a change."""
        try:
            key = session_id, self._histories.recall.session(session_id).updated
        except LookupError:
            return ()
        found = self._read.get(key)
        if found is None:
            found = read_by_the_model(self._histories.recall, session_id)
            self._read = {key: found}  # another thread may replace it at once
        return found

    def _keep(self, name: str, args: dict[str, Any], answer: dict[str, Any]) -> None:
        """Keep the answer of a curator for the calls that ask for its rest: a second one would be another answer."""
        if name in CURATED_TOOLS:
            self._kept[_key(name, args)] = dict(answer)
            for key in list(self._kept)[:-MAX_KEPT]:
                self._kept.pop(key, None)

    def _warn_of_first_reading(self, answer: dict[str, Any]) -> None:
        """Warn in an answer that the first reading of the histories is not over, unless its coverage says so."""
        if NOT_READ_YET not in answer.get("coverage", answer).get("limited_by", ()):
            stage, done = self._histories.progress
            _warn(answer, f"{STILL_READING} ({stage}, {done:.0f} %); ask again soon")
        if not answer["ok"]:
            answer["error"] = f"{answer['error']}. {STILL_READING}; ask again soon"

    def _shown(
        self, answer: dict[str, Any], cursor: str | None, limit: int = ANSWER_BYTES
    ) -> tuple[dict[str, Any], str]:
        """Return the page of an answer that begins at `cursor`, of about `limit` bytes, marked as untrusted, as JSON
        values and as text.
        """
        page = paged(with_controls_escaped(answer), cursor, limit)
        mark = new_mark()
        page = marked(page, mark)
        return page, untrusted_text(page, mark)

    async def _loaded(self, ctx: Any) -> bool:
        """Return whether the histories can be searched, after a wait of at most FIRST_READING_SECONDS.

        The progress of the reading is reported to the client meanwhile.
        """
        if self._histories.ready:
            return True
        reported = -1.0
        with anyio.move_on_after(FIRST_READING_SECONDS):
            while not self._histories.ready:
                stage, done = self._histories.progress
                if done > reported:
                    await ctx.session.report_progress(done, 100.0, f"{stage} the histories")
                    reported = done
                await anyio.sleep(_POLL_SECONDS)
        return self._histories.ready

    async def _current(self, ctx: Any) -> Context:
        """Return the context of the client. Its roots, that is, its folders, are requested once and after every
        change.
        """
        if not self._roots_known:
            folder = folder_of_environment(_name_of(ctx), self._environment)
            self._context = context_with_roots(self._command, await self._roots(ctx), folder)
            self._roots_known = True
        return self._context

    async def _roots(self, ctx: Any) -> list[str]:
        """Return the URIs of the client's roots, that is, its folders; empty when it has none or does not answer in
        time.
        """
        capabilities = ctx.session.client_capabilities
        if self._command.directory or capabilities is None or capabilities.roots is None:
            return []
        try:
            found = await ctx.session.send_request(
                types.ListRootsRequest(), types.ListRootsResult, request_read_timeout_seconds=_ROOTS_SECONDS
            )
        except Exception:  # noqa: BLE001 - a client whose roots are unknown can be served
            return []
        return [str(root.uri) for root in found.roots]

    async def _roots_changed(self, ctx: Any, params: Any) -> None:
        self._roots_known = False


def _name_of(ctx: Any) -> str | None:
    """Return the name of the client that sent a request; None when it gave none."""
    client = ctx.session.client_params
    return None if client is None else str(client.client_info.name)


def _key(name: str, args: Mapping[str, Any]) -> str:
    """Return the name and arguments of a call as one text."""
    return json.dumps([name, args], sort_keys=True)


def _needs_session(name: str, args: Mapping[str, Any]) -> bool:
    """Return whether a call is for the current session and names none."""
    if args.get("session_id", args.get("sessionId")):
        return False
    return name == "recall_messages" or (name == "recall" and args.get("scope") == "session")


def _warn(answer: dict[str, Any], text: str, category: str = "source") -> None:
    """Add a warning to the answer of a tool."""
    answer["warnings"] = [*answer.get("warnings", []), text]
    answer["warning_categories"] = [*answer.get("warning_categories", []), category]


def check_limits(args: Mapping[str, Any]) -> None:
    """Raise ToolError for arguments that are longer or larger than the server accepts."""
    for name, value in args.items():
        texts = value if isinstance(value, list) else [value]
        if len(texts) > MAX_TEXTS:
            raise ToolError("too_much", f"{name[:60]} may have {MAX_TEXTS} entries, not {len(texts)}")
        long = any(isinstance(text, str) and len(text) > MAX_TEXT_CHARS for text in texts)
        if long and name != "query":  # a pasted trace is searched by its most telling words
            raise ToolError("too_much", f"{name[:60]} may have {MAX_TEXT_CHARS} characters")
        if name in ("budget_ms", "budgetMs") and isinstance(value, int | float) and value > MAX_BUDGET_MS:
            raise ToolError("too_much", f"{name} may be {MAX_BUDGET_MS} at most")


def serve_pipes(
    pipes: tuple[int, int],
    histories: BackgroundHistories,
    options: HostOptions,
    context: Context,
    families: Sequence[str] = DEFAULT_FAMILIES,
    curator: str | None = None,
    handshake: Handshake | None = None,
) -> None:
    """Serve the tools of `families` to the client on two pipes until it closes its side; `handshake` has answered its
    first frames.
    """
    logging.disable(logging.CRITICAL)  # log records may quote frames, and stderr is no place for recalled text
    there = RecallServer(histories, options, context, families, curator)
    anyio.run(_serve_pipes, there.server, *pipes, handshake)


async def _serve_pipes(server: Server[Any], inward: int, outward: int, handshake: Handshake | None = None) -> None:
    async with frames(inward, outward, handshake) as (read, write):
        await server.run(read, write, server.create_initialization_options())
