"""The promises that a user can hold this package to, what is tried for each, and the tests that prove it.

A proof is a test, a file or a folder (ending with a slash) below tests/. Tests of tests/reliability name their promises
themselves, with the mark `promise`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Promise:
    """One promise: its sentence, what its proofs try in a few words, and their places."""

    sentence: str
    tried: str
    proofs: tuple[str, ...] = ()


def _in(file: str, *tests: str) -> tuple[str, ...]:
    return tuple(f"tests/{file}::{test}" for test in tests)


SOURCES: Final = {
    "S1": Promise(
        "No file of a history folder is changed, created or deleted.",
        "commands over every store under strace, folders compared",
        ("tests/loaders/test_traced_run.py",),
    ),
    "S2": Promise(
        "A database that a program writes to is read in whole transactions; none committed before is missing.",
        "looks beside a writer that is killed again and again",
        _in("loaders/agents/test_live_opencode.py", "test_beside_an_opencode_that_is_killed_again_and_again")
        + _in("loaders/formats/test_sqlite.py", "test_beside_a_writer_that_is_killed_again_and_again"),
    ),
    "S3": Promise(
        "This holds in read-only folders, without shared memory, after a crash and beside a lock.",
        "states of a database: live, crashed, read-only, locked",
        _in(
            "loaders/formats/test_sqlite.py",
            "test_a_write_ahead_log_is_read_and_left_alone",
            "test_a_folder_that_may_not_be_written",
            "test_a_quiet_database_is_read_without_a_child",
            "test_a_hot_rollback_journal_is_rolled_back_in_the_copy",
        ),
    ),
    "S4": Promise(
        "Inside an agent's own process no lock of that process on its database is lost.",
        "locks of this process counted, every opening call listed",
        _in(
            "loaders/formats/test_sqlite.py",
            "test_locks_of_this_process_survive",
            "test_no_loader_opens_a_database_as_a_file",
        ),
    ),
    "S5": Promise(
        "No read transaction lasts longer than 250 ms of CPU time.",
        "transactions of a loader, the longest is measured",
        _in("loaders/formats/test_sqlite.py", "test_transactions_are_short_and_lose_nothing"),
    ),
    "S6": Promise(
        "A file that grew, was cut, replaced or rewritten is seen as it is now.",
        "steps of a writer, each view compared with a whole reading",
        _in("loaders/formats/test_growing.py", "test_every_view_equals_a_whole_reading"),
    ),
    "S7": Promise(
        "Every malformed record is counted and told with its place; none hides another.",
        "broken records among good ones, in every format",
        (
            "tests/loaders/formats/test_json_lines.py",
            "tests/loaders/formats/test_bad_lines.py",
            "tests/loaders/formats/test_bad_rows.py",
            "tests/loaders/formats/test_bad_documents.py",
        ),
    ),
    "S8": Promise(
        "An idle history costs no reading.", "refreshes beside a quiet program", ("tests/histories/test_idle.py",)
    ),
}

CACHE: Final = {
    "C1": Promise(
        "A killed process leaves the old index or the new one, however many write.",
        "kills at every call and at any moment, beside readers",
        _in(
            "histories/test_safety.py",
            "test_killed_at_any_call_a_refresh_leaves_the_old_index_or_the_new",
            "test_killed_at_any_moment_two_refreshers_leave_an_index",
        )
        + _in(
            "index/storage/test_publishing.py",
            "test_killed_at_any_call_a_saver_leaves_the_old_index_or_the_new",
            "test_killed_at_any_moment_two_savers_leave_an_index",
        ),
    ),
    "C2": Promise(
        "After a power failure the index is the old one or the new one.",
        "images of the disk after a power failure at any call",
        _in("index/storage/test_crash_images.py", "test_a_power_cut_at_any_call_leaves_the_old_index_or_the_new"),
    ),
    "C3": Promise(
        "Damage is found before what is damaged is used.",
        "damaged caches, each refused or answering as before",
        _in("index/storage/test_damage.py", "test_damage_is_refused_or_harmless")
        + _in("histories/test_safety.py", "test_damage_is_noticed_and_the_index_built_again"),
    ),
    "C4": Promise(
        "A hostile cache crashes nothing.",
        "forged caches whose checksums fit; columns of any numbers",
        (
            *_in("index/storage/test_damage.py", "test_forged_checksums_crash_nothing"),
            "tests/core/index/test_column_damage.py",
            "tests/index/storage/test_changed_while_open.py",
        ),
    ),
    "C5": Promise(
        "Without room, rights or a home, queries are answered and the old cache survives.",
        "calls that fail, one after another, once and for ever",
        _in(
            "histories/test_safety.py",
            "test_a_full_disk_leaves_the_old_index_and_an_answer",
            "test_a_cache_that_cannot_be_written_is_replaced_by_memory",
            "test_without_a_home_answers_come_from_memory",
            "test_a_read_only_cache_still_answers",
        )
        + _in("index/storage/test_publishing.py", "test_a_full_disk_leaves_the_old_index"),
    ),
    "C6": Promise(
        "Deleting the cache changes the speed only.",
        "answers cold, warm, and without the cache",
        _in(
            "histories/test_recall_on_disk.py",
            "test_answers_are_those_of_memory_cold_warm_and_without_the_cache",
        )
        + _in("histories/test_safety.py", "test_purge_while_others_refresh_and_search"),
    ),
    "C7": Promise(
        "No code is loaded from the cache.",
        "modules that could load code, and pickles in a cache",
        _in("histories/test_safety.py", "test_no_code_is_loaded_from_the_cache")
        + _in("repository/test_layers.py", "test_a_module_imports_only_what_lies_below_it"),
    ),
    "C8": Promise(
        "Other users can neither read nor plant the cache.",
        "links, pipes, second names and modes planted",
        _in(
            "histories/test_safety.py",
            "test_a_planted_table_is_refused",
            "test_only_this_user_may_read_the_cache",
            "test_a_folder_that_could_be_anybodys_is_not_used",
        )
        + _in(
            "index/storage/test_publishing.py",
            "test_others_may_neither_read_nor_write",
            "test_a_place_that_is_not_ours_is_refused",
            "test_a_folder_of_another_user_is_refused",
            "test_planted_files_are_refused",
            "test_planted_names_are_not_written_through",
        ),
    ),
    "C9": Promise(
        "What a history deletes, or its user forgets or purges, leaves no word in the cache.",
        "stores of every loader forgotten, deleted and purged",
        (
            "tests/histories/test_nothing_left.py",
            *_in("histories/test_refresh.py", "test_what_is_deleted_is_gone_from_the_disk"),
            *_in("histories/test_safety.py", "test_purge_removes_what_is_ours_and_nothing_else"),
        ),
    ),
    "C10": Promise(
        "Two versions or machines share a cache folder without harm.",
        "formats before and behind this one, another byte order",
        _in(
            "index/storage/test_damage.py",
            "test_the_formats_beside_this_one_are_refused",
            "test_two_versions_share_a_folder",
            "test_another_machine_is_refused",
        )
        + _in("histories/test_safety.py", "test_an_index_of_another_version_is_left_beside_ours"),
    ),
}

ANSWERS: Final = {
    "Q1": Promise(
        "Every kernel gives what its slow version in tests/reference gives.",
        "properties of every kernel against its slow version",
        ("tests/core/",),
    ),
    "Q2": Promise(
        "What would score is never lost before it is scored.",
        "hits compared with those of a plain search",
        (
            *_in(
                "search/test_properties.py",
                "test_literal_is_in_smart_is_in_fuzzy",
                "test_literal_hits_are_those_of_a_plain_substring_search",
                "test_a_filter_finds_what_an_index_of_what_it_keeps_finds",
            ),
            "tests/search/retrieval/test_prefilter.py",
            "tests/index/reader/test_literal_candidates.py",
        ),
    ),
    "Q3": Promise(
        "No text or query makes a kernel read or write outside of memory.",
        "inputs of kernels under the sanitizers",
    ),
    "Q4": Promise(
        "Behind its deadline a search works for a few milliseconds at most.",
        "budgeted queries, the CPU time behind the deadline",
        _in("search/test_deadline.py", "test_a_long_scan_ends_soon_after_its_deadline"),
    ),
    "Q5": Promise(
        "A degraded answer says so, and what it counts is exact.",
        "a clock that jumps at every stage of a search",
        ("tests/search/test_deadline.py",),
    ),
    "Q6": Promise(
        "No regular expression hangs a search.",
        "hostile patterns over hostile texts",
        _in("search/retrieval/test_literal.py", "test_hostile_patterns_finish"),
    ),
    "Q7": Promise(
        "Equal questions to equal histories get equal answers in any process.",
        "processes of other hash seeds, locales, zones, file orders",
        _in(
            "search/test_properties.py",
            "test_the_order_of_sessions_does_not_matter",
            "test_an_answer_is_the_same_again",
        ),
    ),
    "Q8": Promise(
        "Threads and processes search while one refreshes.",
        "searches beside refreshes and purges",
        _in("histories/test_recall_on_disk.py", "test_threads_search_while_others_refresh")
        + _in("histories/test_safety.py", "test_purge_while_others_refresh_and_search"),
    ),
    "Q9": Promise(
        "The host's other threads go on while a search or a refresh runs.",
        "searches and refreshes, the longest gap of another thread",
        _in("histories/test_recall_on_disk.py", "test_a_search_does_not_wait_for_a_slow_refresh"),
    ),
    "Q10": Promise(
        "Memory is bounded whatever a history holds, and none leaks.",
        "files that are too much in 1 GiB; memory after many queries",
        ("tests/loaders/test_bounds.py", "tests/loaders/test_limits.py"),
    ),
}

TOOLS: Final = {
    "T1": Promise(
        "With `global` off nothing of another project can be seen.",
        "random calls, answers compared with those without the others",
        (
            "tests/frontends/tools/test_recall_random_calls.py",
            "tests/frontends/tools/test_recall_global_off.py",
            *_in("search/test_properties.py", "test_nothing_outside_of_what_is_eligible_shows_through"),
        ),
    ),
    "T2": Promise("Ids are keys, never paths.", "paths as every argument of every tool, openings watched"),
    "T3": Promise(
        "Only regular files inside the folder of a store are read.",
        "links, pipes and devices; folders swapped during a walk",
        _in(
            "loaders/test_reading.py",
            "test_only_regular_files_are_opened",
            "test_a_walk_reports_files_that_it_leaves_out",
        ),
    ),
    "T4": Promise(
        "Recalled text is marked as data, and nothing in it can imitate the mark.",
        "texts that imitate marks, in tools, pages and exports",
        (
            "tests/frontends/mcp/test_marked_answers.py",
            "tests/frontends/tools/test_untrusted_text.py",
            *_in(
                "frontends/cli/test_export.py",
                "test_a_name_or_a_text_ends_no_fence",
                "test_no_text_forges_a_block_of_the_export",
                "test_no_text_forges_an_element_of_the_page",
            ),
            *_in("frontends/transcripts/test_render.py", "test_no_text_forges_a_block_of_a_transcript"),
        ),
    ),
    "T5": Promise(
        "No control sequence of recalled text reaches a terminal or a model.",
        "every character in every form of an answer",
        ("tests/frontends/test_unseen_characters.py", "tests/frontends/cli/test_terminal.py"),
    ),
    "T6": Promise(
        "With redaction on, a listed secret is returned nowhere.",
        "secrets of every family in every field, cut and escaped",
        ("tests/frontends/redaction/",),
    ),
    "T7": Promise(
        "No frame breaks the MCP server, and it ends with its parent.",
        "frames of any kind, each followed by a ping",
        (
            "tests/frontends/mcp/test_frame_fuzzing.py",
            "tests/frontends/mcp/test_frames.py",
            "tests/frontends/mcp/test_handshake.py",
            *_in("frontends/mcp/test_server.py", "test_a_cancelled_call_ends_and_others_are_answered"),
        ),
    ),
    "T8": Promise(
        "It uses no network, starts no shell and loads no code.",
        "the command and the server under strace without a network",
    ),
    "T9": Promise(
        "Every answer is bounded, and no argument raises a bound.",
        "numbers beside every bound, of any type; pages of answers",
        (
            "tests/frontends/mcp/test_answer_pages.py",
            "tests/frontends/tools/test_recall_forgiving.py",
            *_in("frontends/tools/test_recall_tool.py", "test_a_host_sets_limits_and_defaults"),
        ),
    ),
    "T10": Promise(
        "What is installed can be checked.",
        "requirements, archive and wheel",
        ("tests/repository/test_packaging.py",),
    ),
}

PROMISES: Final[dict[str, Promise]] = {**SOURCES, **CACHE, **ANSWERS, **TOOLS}
