"""The recall tools over the Model Context Protocol."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from recall_rank.frontends.mcp.answer_pages import PAGE_BYTES, paged
from recall_rank.frontends.mcp.context import context_with_roots
from recall_rank.frontends.mcp.descriptions import INSTRUCTIONS
from recall_rank.frontends.mcp.histories import Histories
from recall_rank.frontends.mcp.resources import RESOURCE_TEMPLATES, listed_resources, resource_call, rest_of
from recall_rank.frontends.mcp.schema import CURSOR, LONGEST_TEXT, MOST_BUDGET_MS, MOST_TEXTS, tool_definitions
from recall_rank.frontends.tools.dispatch import TOOLS, RecallTools
from recall_rank.frontends.tools.host_options import HostOptions
from recall_rank.frontends.tools.untrusted_text import NOTICE, TRUST, fenced, visible
from recall_rank.frontends.tools.warnings import ToolError
from recall_rank.histories.cache.first_part import STILL_READING
from recall_rank.model import Context

MOST_RUNNING: Final = 4  # calls at once, whatever the host allows
PATIENCE: Final = 20.0  # seconds a call waits for the first reading before it says that it is not done
CALL_SECONDS: Final = 60.0
_ROOTS_SECONDS: Final = 2.0
_TICK: Final = 0.2


class RecallServer:
    """Serves one client."""

    def __init__(self, histories: Histories, options: HostOptions, context: Context) -> None:
        self._histories = histories
        self._options = options
        self._command = context
        self._context = context
        self._roots_known = False
        self._tools = RecallTools(histories.recall, options=options)
        self._running = anyio.CapacityLimiter(min(options.concurrency, MOST_RUNNING))
        self._definitions = [types.Tool.model_validate(each) for each in tool_definitions(options)]
        self.server: Server[Any] = Server(
            "recall-rank",
            version=version("recall-rank"),
            title="recall-rank",
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
        )
        self.server.add_notification_handler(
            "notifications/roots/list_changed", types.NotificationParams, self._roots_changed
        )

    async def _list_tools(self, ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._definitions)

    async def _call_tool(self, ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in TOOLS:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: there are {', '.join(TOOLS)}")
        answer, text = await self._answer(ctx, params.name, dict(params.arguments or {}))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content=answer,
            is_error=not answer["ok"],
        )

    async def _list_resources(self, ctx: Any, params: Any) -> types.ListResourcesResult:
        context = await self._current(ctx)
        scope = "project" if context.project or context.directory else "global"
        answer, _ = await self._answer(ctx, "recall_sessions", {"scope": scope, "limit": 100})
        if not answer.get("sessions") and self._options.global_:
            answer, _ = await self._answer(ctx, "recall_sessions", {"scope": "global", "limit": 100})
        return types.ListResourcesResult(resources=listed_resources(answer))

    async def _list_templates(self, ctx: Any, params: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=list(RESOURCE_TEMPLATES))

    async def _read_resource(self, ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        call = resource_call(uri, self._options.max_messages)
        if call is None:
            raise MCPError(code=types.INVALID_PARAMS, message="Unknown resource: ask for recall://session/ID")
        answer, text = await self._answer(ctx, *call)
        if not answer["ok"]:
            raise MCPError(code=types.INVALID_PARAMS, message=answer["error"])
        text = "\n".join([text, *rest_of(uri, answer)])
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)]
        )

    async def _answer(self, ctx: Any, name: str, args: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """The answer and the same as text. Cancelling ends the work at its next look at the clock."""
        if not await self._loaded(ctx):
            stage, done = self._histories.progress
            words = f"The histories are still being read ({stage}, {done:.0f} %), nothing was searched: ask again soon"
            return self._shown({"ok": False, "error": words, "error_category": "not_ready"}, None)
        context = await self._current(ctx)
        cancel = threading.Event()
        try:
            with anyio.fail_after(CALL_SECONDS):
                return await anyio.to_thread.run_sync(
                    self._work, name, args, context, cancel, limiter=self._running, abandon_on_cancel=True
                )
        except TimeoutError:
            return self._shown({"ok": False, "error": "the call took too long", "error_category": "aborted"}, None)
        finally:
            cancel.set()
            self._histories.keep_fresh()

    def _work(
        self, name: str, args: dict[str, Any], context: Context, cancel: threading.Event
    ) -> tuple[dict[str, Any], str]:
        cursor = args.pop(CURSOR, None)
        try:
            limited(args)
            complete = self._histories.complete
            answer = self._tools.call(name, args, context=context, cancel=cancel)
            if not complete:
                self._tell_part(answer)
            if problem := self._histories.problem:
                _warn(answer, f"the histories could not be read again, what was read before answers: {problem}")
            return self._shown(answer, cursor if isinstance(cursor, str) and cursor else None)
        except ToolError as error:
            return self._shown({"ok": False, "error": str(error), "error_category": error.category}, None)

    def _tell_part(self, answer: dict[str, Any]) -> None:
        """Says of any answer, and of an id that is not known yet, that not everything has been read."""
        told = answer.get("warnings", [])
        if not any(text.startswith(STILL_READING) for text in told):
            stage, done = self._histories.progress
            _warn(answer, f"{STILL_READING} ({stage}, {done:.0f} %); ask again soon")
        if not answer["ok"]:
            answer["error"] = f"{answer['error']}. {STILL_READING}; ask again soon"

    def _shown(self, answer: dict[str, Any], cursor: str | None) -> tuple[dict[str, Any], str]:
        page = paged(visible(answer), cursor, PAGE_BYTES)
        page = {"ok": page["ok"], "trust": TRUST, "notice": NOTICE, **page}
        return page, fenced(page)

    async def _loaded(self, ctx: Any) -> bool:
        """Whether they can be asked, all or the newest part; waits a while for that and reports how far they are."""
        if self._histories.ready:
            return True
        told = -1.0
        with anyio.move_on_after(PATIENCE):
            while not self._histories.ready:
                stage, done = self._histories.progress
                if done > told:
                    await ctx.session.report_progress(done, 100.0, f"{stage} the histories")
                    told = done
                await anyio.sleep(_TICK)
        return self._histories.ready

    async def _current(self, ctx: Any) -> Context:
        """Where the client is; it is asked once, and again when it says that this has changed."""
        if not self._roots_known:
            self._context = context_with_roots(self._command, await self._roots(ctx))
            self._roots_known = True
        return self._context

    async def _roots(self, ctx: Any) -> list[str]:
        capabilities = ctx.session.client_capabilities
        if self._command.directory or capabilities is None or capabilities.roots is None:
            return []
        try:
            found = await ctx.session.send_request(
                types.ListRootsRequest(), types.ListRootsResult, request_read_timeout_seconds=_ROOTS_SECONDS
            )
        except Exception:  # noqa: BLE001 - a client that cannot say where it is may ask all the same
            return []
        return [str(root.uri) for root in found.roots]

    async def _roots_changed(self, ctx: Any, params: Any) -> None:
        self._roots_known = False


def _warn(answer: dict[str, Any], text: str) -> None:
    answer["warnings"] = [*answer.get("warnings", []), text]
    answer["warning_categories"] = [*answer.get("warning_categories", []), "source"]


def limited(args: Mapping[str, Any]) -> None:
    """Refuses arguments that are too much, rather than searching for less or more than they say. ToolError."""
    for name, value in args.items():
        texts = value if isinstance(value, list) else [value]
        if len(texts) > MOST_TEXTS:
            raise ToolError("too_much", f"{name[:60]} may have {MOST_TEXTS} entries, not {len(texts)}")
        if any(isinstance(text, str) and len(text) > LONGEST_TEXT for text in texts):
            raise ToolError("too_much", f"{name[:60]} may have {LONGEST_TEXT} characters")
    budget = args.get("budget_ms")
    if isinstance(budget, int | float) and not isinstance(budget, bool) and budget > MOST_BUDGET_MS:
        raise ToolError("too_much", f"budget_ms may be {MOST_BUDGET_MS} at most")
