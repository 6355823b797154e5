"""A fictional history of the agents of a ferry company's three programmers, in one spring.

`python -m tests.support.search.small_corpus` prints it. Ids are short and stable: session "limiter", message
"limiter.2", part "limiter.2.1". Nobody and nothing in it exists.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recall_rank.model import Flag, Message, Part, Session

NOW = 1_780_000_000_000
DAY_MS = 86_400_000

Line = tuple[str, Any]  # who, and what they said or did


def user(text: str) -> Line:
    return "user", Part("", "text", text=text)


def agent(text: str) -> Line:
    return "assistant", Part("", "text", text=text)


def think(text: str) -> Line:
    return "assistant", Part("", "reasoning", text=text)


def bash(command: str, output: str) -> Line:
    return "assistant", Part("", "tool", tool="bash", input={"command": command, "cwd": "/srv/ferry"}, output=output)


def fails(command: str, error: str) -> Line:
    given = {"command": command, "cwd": "/srv/ferry"}
    return "assistant", Part("", "tool", tool="bash", input=given, error=error, status="error", flags=Flag.ERROR)


def edits(path: str, old: str, new: str) -> Line:
    given = {"filePath": f"/srv/ferry/{path}", "oldString": old, "newString": new}
    return "assistant", Part("", "tool", tool="edit", input=given, output="Edited.", title=path)


def reads(path: str, content: str) -> Line:
    return "assistant", Part(
        "", "tool", tool="read", input={"filePath": f"/srv/ferry/{path}"}, output=content, title=path
    )


def long_log() -> str:
    """Return a build log with one line that matters in its middle."""
    lines = [f"[{n:04}] compiling module quay_{n % 97} ok" for n in range(900)]
    lines[512] = "[0512] warning: unused lifetime 'buoy in module quay_27"
    return "\n".join(lines)


def table(rows: int) -> str:
    return "\n".join(f"{n};2026-03-{n % 28 + 1:02};Cabin {n % 40};{n * 3 % 101} seats" for n in range(rows))


SCRIPT: dict[str, tuple[str | None, int, str, list[Line]]] = {
    # id: (title, days ago, directory, what was said and done)
    "limiter": ("Rate limiter for the booking API", 3, "/srv/ferry", [
        user("Bots hammer POST /bookings. We need a rate limiter."),
        think("A token bucket per client would smooth bursts; a sliding window needs more memory."),
        agent("I suggest a token bucket: 60 requests a minute, burst of 20, answered with 429 and Retry-After."),
        edits("api/limiter.py", "pass", "class TokenBucketLimiter:\n    def allow(self, clientId): ..."),
        bash("pytest tests/test_limiter.py", "12 passed in 0.41s"),
        agent("Done. TokenBucketLimiter lives in api/limiter.py and reads RATE_LIMIT_PER_MINUTE."),
    ]),
    "limits-docs": ("Document the quotas", 20, "/srv/ferry-docs", [
        user("Write a page about our API quotas for partners."),
        agent("The page explains quotas, what happens beyond them, and whom to ask for more."),
    ]),
    "flaky": ("Flaky sailing test", 6, "/srv/ferry", [
        user("test_departure_board fails about every tenth run on CI. Find out why."),
        fails("pytest -k departure_board --count 50",
              "AssertionError: assert '06:00' == '07:00'\nE  1 failed, 49 passed"),
        think("One hour off: the summer time change. The test freezes the clock but not the zone."),
        agent("The flaky test compared local times; CI machines run in UTC. I froze the timezone with a fixture."),
        user("Great, please also rerun it two hundred times."),
        bash("pytest -k departure_board --count 200", "200 passed in 9.02s"),
    ]),
    "migration": ("Split passenger names", 9, "/srv/ferry", [
        user("Migrate passengers.name into given_name and family_name without downtime."),
        agent("Plan: add nullable columns, backfill in batches of 1000, switch reads, then drop the old column."),
        bash("alembic revision -m 'split passenger name'", "Generating versions/8f3a_split_passenger_name.py ... done"),
        fails("alembic upgrade head",
              "sqlalchemy.exc.OperationalError: (psycopg.errors.LockNotAvailable) canceling statement "
              "due to lock timeout"),
        agent("The backfill held a lock too long. I set lock_timeout to 2s and made each batch its own transaction."),
        bash("alembic upgrade head", "INFO Running upgrade 51bc -> 8f3a, split passenger name"),
    ]),
    "cookies": ("Login loop on Safari", 12, "/srv/ferry/web", [
        user("Users on Safari are logged out after the payment page."),
        think("The payment provider redirects back cross-site. SameSite=Strict drops the session cookie."),
        agent("The auth cookie was SameSite=Strict, so it is lost when the payment provider redirects. Lax fixes it."),
        edits("web/auth.ts", 'sameSite: "strict"', 'sameSite: "lax", secure: true'),
        user("Does the refresh token rotate as well?"),
        agent("Yes: refreshToken is rotated on every use and the old one is revoked after ten seconds."),
    ]),
    "parser": ("Timetable parser chokes on midnight", 15, "/srv/ferry", [
        user("parse_timetable crashes on 24:00 in the island operator's file."),
        fails("python -m ferry.import islands.csv",
              'ValueError: hour must be in 0..23\n  File "ferry/timetable_parser.py", '
              "line 88, in parse_clock"),
        agent("24:00 means midnight of the next day. TimetableParser.parseClock now carries the day over."),
        bash("python -m ferry.import islands.csv", table(60)),
    ]),
    "borrow": ("Port the tide model to Rust", 30, "/srv/tides", [
        user("Port tide_model.py to Rust."),
        fails("cargo build",
              "error[E0502]: cannot borrow `harmonics` as mutable because it is also borrowed as immutable"),
        agent("E0502: I collect the indices first, so that the immutable borrow ends before harmonics is changed."),
        bash("cargo build --release", long_log()),
    ]),
    "german": ("Übersetzung der Buchungsseite", 18, "/srv/ferry/web", [
        user("Bitte übersetze die Buchungsseite ins Deutsche, mit Größenangaben für Fahrzeuge."),
        agent("Die Buchungsseite ist übersetzt. Fahrzeuggröße und Überfahrt stehen jetzt in locales/de.json."),
        user("Der Knopf heißt noch 'Submit'."),
        agent("Der Knopf heißt jetzt 'Verbindlich buchen'."),
    ]),
    "japanese": ("予約画面の日本語化", 22, "/srv/ferry/web", [
        user("予約画面を日本語にしてください。時刻表も必要です。"),
        agent("予約画面と時刻表を翻訳しました。文字化けはUTF-8で保存して直しました。"),
    ]),
    "emoji": ("Status icons", 25, "/srv/ferry/web", [
        user("Show 🚢 for sailings on time and ⛔ for cancelled ones."),
        agent("The board shows 🚢 and ⛔ now; screen readers get an aria-label."),
    ]),
    "webhook": ("Payment webhooks arrive twice", 8, "/srv/ferry", [
        user("Some customers are charged twice. The provider says it retries webhooks."),
        think("We answer after 11 seconds; the provider gives up after 10 and retries."),
        agent("We decided to make the webhook handler idempotent: the event id is stored with a unique index."),
        edits("pay/webhook.py", "charge(event)", "if not seen(event.id):\n    charge(event)"),
    ]),
    "memory": ("Worker runs out of memory", 11, "/srv/ferry", [
        user("The report worker is killed every night."),
        bash("journalctl -u report-worker", "Out of memory: Killed process 4711 (report-worker) total-vm:8123456kB"),
        agent("generate_report loaded all bookings at once. It streams pages of 500 now; peak memory is 180 MB."),
    ]),
    "docker": ("Smaller image", 28, "/srv/ferry", [
        user("The Docker image has 1.9 GB. Make it smaller."),
        agent("A multi-stage build and python:3.12-slim bring it to 240 MB."),
        bash("docker images", "ferry/api  latest  240MB"),
    ]),
    "crew": ("Crew rota by constraint solver", 35, "/srv/rota", [
        user("Plan crew shifts so that nobody works two nights in a row."),
        agent("I modelled the rota with OR-tools: hard constraint on consecutive nights, soft ones on wishes."),
    ]),
    "prices": ("Round prices per currency", 14, "/srv/ferry", [
        user("Prices in yen show decimals."),
        agent("roundPrice takes the number of decimals from ISO 4217: JPY has none, EUR two."),
        edits("pay/money.py", "round(value, 2)", "round(value, DECIMALS[currency])"),
    ]),
    "search": ("Search box suggests nothing", 17, "/srv/ferry/web", [
        user("Typing 'Sunhaven' gives no suggestion."),
        agent("The suggest endpoint compared case-sensitively; harbour names are folded now."),
    ]),
    "cors": ("CORS error in staging", 19, "/srv/ferry", [
        user("Access to fetch at 'https://api.staging.example/bookings' has been blocked by CORS policy"),
        agent("The staging origin was missing in ALLOWED_ORIGINS."),
    ]),
    "ci": ("Pipeline takes forty minutes", 7, "/srv/ferry", [
        user("CI takes 40 minutes. Get it under 10."),
        agent("Caching the wheels and splitting the tests over four runners brings it to 8 minutes."),
        bash("cat .ci/config.yml", "jobs:\n  test:\n    parallel: 4\n    cache: wheels"),
    ]),
    "logs": ("Structured logging", 26, "/srv/ferry", [
        user("Our logs are unreadable. Use JSON lines."),
        agent("structlog writes one JSON object a line with request_id, user_id and duration_ms."),
    ]),
    "retry": ("Retries with backoff for the weather feed", 10, "/srv/tides", [
        user("The weather feed answers 503 now and then."),
        agent("fetchWeatherFeed retries five times with exponential backoff and jitter."),
        fails("python -m tides.weather", "httpx.ConnectTimeout: timed out after 5.0s"),
    ]),
    "seats": ("Double booked seats", 5, "/srv/ferry", [
        user("Two passengers got seat 14B."),
        think("SELECT then INSERT without a lock: a race condition."),
        agent("The race is gone: reserve_seat uses SELECT ... FOR UPDATE SKIP LOCKED."),
    ]),
    "backup": ("Nightly backups", 33, "/srv/ops", [
        user("Is the database backed up?"),
        agent("pg_dump runs at 02:30, copies go to two places and are deleted after 35 days."),
        bash("crontab -l", "30 2 * * * /opt/backup/run.sh  # keep 35 days"),
    ]),
    "recalled": ("What did we say about limits", 1, "/srv/ferry", [
        user("Did we ever discuss throttling?"),
        ("assistant", Part("", "tool", tool="mcp__history__recall", input={"query": "token bucket burst"},
                           output="limiter: I suggest a token bucket: 60 requests a minute")),
        agent("Yes, three days ago, see the session about bookings."),
    ]),
    "survey": ("Survey every caller of parseClock", 4, "/srv/ferry", [
        ("user", Part("", "subtask", text="Survey callers",
                      prompt="List every caller of parseClock and what it expects")),
        agent("Four callers of parseClock; only the import expects 24:00."),
    ]),
    "merge": ("Merge conflict in uv.lock", 13, "/srv/ferry", [
        user("git merge main ends with a conflict in uv.lock"),
        fails("git merge main", "CONFLICT (content): Merge conflict in uv.lock\nAutomatic merge failed; fix conflicts"),
        agent("Lock files are not merged by hand: I took main's and ran uv lock again."),
    ]),
}  # fmt: skip


def sessions() -> Iterator[Session]:
    """Return the history, in the order of the script."""
    for key, (title, days, directory, lines) in SCRIPT.items():
        begun = NOW - days * DAY_MS
        messages = []
        for number, (role, part) in enumerate(lines):
            named = Part(f"{key}.{number}.1", **{name: getattr(part, name) for name in Part.__slots__ if name != "id"})
            messages.append(Message(f"{key}.{number}", role, begun + number * 60_000, (named,)))
        yield Session(
            key, tuple(messages), title=title, directory=directory, project=directory.split("/")[2], created=begun,
            updated=begun + len(lines) * 60_000, source="opencode", agent="opencode",
        )  # fmt: skip


if __name__ == "__main__":
    for one in sessions():
        print(f"\n# {one.id}: {one.title} ({one.directory})")
        for each in one.messages:
            for shown in each.parts:
                print(
                    f"{each.role:9} {shown.type:9}",
                    shown.text or shown.input,
                    (shown.output or shown.error or "")[:80],
                )
