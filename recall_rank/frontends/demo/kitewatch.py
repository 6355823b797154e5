"""The invented project kitewatch: sessions about readings of weather kites, in Rust."""

from __future__ import annotations

from typing import Final

from recall_rank.frontends.demo.story import Story, edit, run, say, think, user

STORIES: Final = (
    Story(
        "kitewatch",
        "codex",
        "Borrow checker in the reading buffer",
        3.1,
        (
            user("cargo build is unhappy with ReadingBuffer::drain_older_than."),
            run(
                "cargo build",
                "error[E0502]: cannot borrow `self.readings` as mutable because it is also borrowed as immutable\n"
                "  --> src/buffer.rs:57:13",
                error=True,
            ),
            think("The iterator borrows readings while drain needs it mutably. partition_point gives the cut first."),
            edit(
                "src/buffer.rs",
                "for r in self.readings.iter().filter(|r| r.at < limit) { self.readings.drain(..1); }",
                "let cut = self.readings.partition_point(|r| r.at < limit);\n        self.readings.drain(..cut);",
            ),
            run("cargo test buffer", "test buffer::drains_only_older ... ok\ntest result: ok. 6 passed; 0 failed"),
            say("E0502 is gone: the cut is computed first with partition_point, then drained once. O(log n) as well."),
        ),
    ),
    Story(
        "kitewatch",
        "opencode",
        "Upload retries and back-off",
        6.7,
        (
            user("When the ground station answers 429 the kites retry at once and make it worse."),
            think("All kites retry in step. Exponential back-off alone keeps them in step; jitter breaks it."),
            edit(
                "src/upload.rs",
                "thread::sleep(Duration::from_secs(1));",
                "thread::sleep(backoff.with_full_jitter(attempt, MAX_RETRY_DELAY));",
            ),
            say(
                "Uploads now honour Retry-After when the station rate-limits us, and otherwise wait with exponential "
                "back-off and full jitter, at most MAX_RETRY_DELAY = 90 s. After eight attempts the reading goes "
                "to disk."
            ),
            user("Where does it go on disk?"),
            say("Into spool/ as one file a reading; spool_replay sends them once an upload works again."),
        ),
    ),
    Story(
        "kitewatch",
        "codex",
        "Clock drift between kites",
        18.2,
        (
            user("Two kites at the same spot report gusts four minutes apart. Timezone bug?"),
            run("kitewatch inspect --kite 7 --last 5", "kite 7  boot_clock 1970-01-01T00:04:02Z  gps_fix none"),
            say(
                "Not the timezone: kite 7 had no GPS fix and stamped readings with its boot clock. Readings without a "
                "fix are now marked unsynced and are corrected with the offset of the first fix afterwards."
            ),
        ),
    ),
)
