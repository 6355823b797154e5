"""The invented project harborline: sessions about a booking API for ferries, in TypeScript."""

from __future__ import annotations

from typing import Final

from recall_rank.frontends.demo.story import Story, edit, read, run, say, think, user

STORIES: Final = (
    Story(
        "harborline",
        "opencode",
        "Rate limiting for the booking API",
        2.2,
        (
            user("Partners hammer /v1/sailings every few seconds. Add a rate limit per API key, 60 requests a minute."),
            think(
                "A fixed window lets a client send 120 requests around the boundary. A token bucket smooths that out "
                "and needs only two numbers a key: tokens and the time of the last refill."
            ),
            read(
                "src/middleware/index.ts",
                "export { requireApiKey } from './requireApiKey'\nexport { requestLog } from './requestLog'\n",
            ),
            edit(
                "src/middleware/rateLimit.ts",
                "",
                "export function rateLimit({ perMinute = 60, burst = 10 }: RateLimitOptions) {\n"
                "  const buckets = new Map<string, TokenBucket>()\n"
                "  return (req, res, next) => {\n"
                "    const bucket = bucketFor(buckets, req.apiKey, perMinute, burst)\n"
                "    if (bucket.take()) return next()\n"
                "    res.setHeader('Retry-After', bucket.secondsUntilNextToken())\n"
                "    res.status(429).json({ error: 'rate_limited' })\n"
                "  }\n}\n",
            ),
            say(
                "Decision: token bucket instead of a fixed window, 60 per minute with a burst of 10. Over the limit "
                "the API answers 429 with Retry-After. Buckets live in memory for now; with a second instance they "
                "have to move to Redis, otherwise every instance grants its own 60."
            ),
            user("Good. What did we set the burst to?"),
            say("The burst is 10: a client that was silent may send ten requests at once, then one a second."),
        ),
    ),
    Story(
        "harborline",
        "opencode",
        "Flaky test: sailing capacity under load",
        4.6,
        (
            user("test/capacity.spec.ts fails about once in twenty runs in CI. Locally it never does."),
            run(
                "npx vitest run test/capacity.spec.ts --repeat 50",
                "FAIL test/capacity.spec.ts > overbooking > never sells seat 151\n"
                "AssertionError: expected 151 to be less than or equal to 150\n"
                "    at test/capacity.spec.ts:88:31\n2 failed, 48 passed",
                error=True,
            ),
            think(
                "Two reservations read the free seats before either writes. The check and the insert are two "
                "statements without a lock, so this is a race in the product, not in the test."
            ),
            edit(
                "src/booking/reserveSeat.ts",
                "const free = await freeSeats(sailingId)",
                "const free = await freeSeats(sailingId, { lock: 'FOR UPDATE' })",
            ),
            say(
                "Root cause: reserveSeat checked the capacity outside the transaction, so two requests could both "
                "take the last seat. The row of the sailing is now locked with SELECT ... FOR UPDATE. 500 repeats pass."
            ),
        ),
    ),
    Story(
        "harborline",
        "claude-code",
        "Session cookie lost after login on Safari",
        9.3,
        (
            user("Staff say they are logged out right after logging in, but only in Safari. Auth cookie problem?"),
            read(
                "src/auth/sessionCookie.ts",
                "res.cookie('hl_session', token, {\n"
                "  httpOnly: true,\n  sameSite: 'none',\n  secure: config.isProd,\n})\n",
            ),
            think("SameSite=None without Secure is dropped by Safari. isProd is false on the staging host."),
            edit("src/auth/sessionCookie.ts", "sameSite: 'none'", "sameSite: 'lax'"),
            say(
                "The auth cookie was set with SameSite=None but without Secure on staging, and Safari throws such "
                "cookies away. We only ever need it on our own site, so it is SameSite=Lax now and always Secure."
            ),
            user("And why did the refresh token survive?"),
            say("It travels in the Authorization header, not in a cookie: see refreshAccessToken() in auth/tokens.ts."),
        ),
    ),
)
