"""The sets of the published figures by name: where they come from, under which licence, and what builds them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.datasets.published import beam, locomo, nl2bash, perturbations, realtalk, records, smart_collections, xquad
from bench.datasets.published.histories import build as histories
from bench.datasets.published.honest import questions
from bench.datasets.published.repositories import Repository, open_tree

if TYPE_CHECKING:
    from bench.datasets.published.repositories import GitTree, Tree

NO_LICENCE = "none stated"
SUMMARY = "SOURCE.md"

LOCOMO = Repository(
    "https://github.com/snap-research/LoCoMo",
    "3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376",
    "CC BY-NC 4.0",
    (locomo.PATH,),
)
LOCOMO_AUDIT = Repository(
    "https://github.com/dial481/locomo-audit",
    "9493fb4b4af4256ed17a18e8fd0b3cfdeec29539",
    "CC BY-NC 4.0",
    (locomo.AUDIT,),
)
REALTALK = Repository(
    "https://github.com/danny911kr/REALTALK", "b903e06a9770bf4e5fe9018c3e132889666d3b4a", NO_LICENCE, realtalk.PATHS
)
BEAM_COMMIT = "b2a3ee8ba12d68f83143dda191097dc3e028ddd3"
CRANFIELD = Repository(
    "https://github.com/DrDesignX/Simple_IR",
    "e18aea0dd1761074e1721675f51f251f368cd808",
    NO_LICENCE,
    smart_collections.CRANFIELD_PATHS,
)
CISI = Repository(
    "https://github.com/Bilail/NLP-Search-Engine",
    "8a13f87368e331def32a0aad2fb13737d34064e0",
    NO_LICENCE,
    smart_collections.CISI_PATHS,
)
NL2BASH = Repository(
    "https://github.com/TellinaTool/nl2bash",
    "466c5fe873ab08c7cc0112ea1521cc6ad9c20992",
    "MIT (data/bash/LICENSE)",
    (nl2bash.COMMANDS, nl2bash.DESCRIPTIONS),
)
SPECSTORY = Repository(
    "https://github.com/specstoryai/getspecstory",
    "210d6095c58e26c49ca8093789c491ebe8f28203",
    "Apache 2.0",
    (histories.PAGES, f"specstory-cli/{histories.PAGES}"),
)
MINSKY = Repository(
    "https://github.com/edobry/minsky",
    "3e54e1f18bbc413643d84619716da64629822a07",
    "MIT",
    (histories.PAGES,),
)
BSC = Repository(
    "https://github.com/hpm27/agente-bsc-rag",
    "e1ac36698c40e34932aa7681e393462d57a28ac1",
    "MIT",
    (histories.PAGES,),
)
PI = Repository(
    "https://github.com/badlogic/pi-mono", "83378aad7e74a0e2bb8f37c007a9685fb4609d8a", "MIT", histories.PI_PATHS
)
SWE = Repository(
    "https://github.com/SWE-agent/SWE-agent",
    "3ea751c087f32b16e039a2233dd6eefecef325d5",
    "MIT",
    histories.SWE_PATHS,
)


@dataclass(frozen=True, slots=True)
class PublishedSet:
    """One set: what it holds, the repositories that its builder reads, and whether queries are also misspelt."""

    name: str
    holds: str
    repositories: Sequence[Repository]
    build: Callable[[Mapping[str, Tree]], records.BuiltSet]
    misspelt: bool = False

    @property
    def licence(self) -> str:
        """The licences of the data, each once."""
        return ", ".join(dict.fromkeys(one.licence for one in self.repositories))


def _beam(size: str, holds: str) -> PublishedSet:
    repository = Repository("https://github.com/mohammadtavakoli78/BEAM", BEAM_COMMIT, NO_LICENCE, beam.paths(size))
    return PublishedSet(f"beam{size.lower()}", holds, (repository,), beam.builder(size), misspelt=True)


def _xquad(language: str) -> PublishedSet:
    repository = Repository(
        "https://github.com/google-deepmind/xquad",
        "7d30520c717524000f0d9d2f9c10a069acd9d285",
        "CC BY-SA 4.0",
        (f"xquad.{language}.json",),
    )
    return PublishedSet(f"xquad-{language}", "120 paragraphs, 612 questions", (repository,), xquad.builder(language))


SETS: Mapping[str, PublishedSet] = {
    one.name: one
    for one in (
        PublishedSet(
            "histories",
            "283 sessions of coding agents, 28,000 messages, 80 MB, 548 known-item queries",
            (SPECSTORY, MINSKY, BSC, PI, SWE),
            histories.build,
        ),
        PublishedSet(
            "honest",
            "the same histories, 329 questions with graded answers and 55 without an answer (these are MIT)",
            (SPECSTORY, MINSKY, BSC, PI, SWE),
            questions.build,
        ),
        PublishedSet(
            "locomo",
            "5 conversations, 2,694 messages, 855 questions",
            (LOCOMO, LOCOMO_AUDIT),
            locomo.build,
            misspelt=True,
        ),
        PublishedSet("realtalk", "5 chats, 4,395 messages, 361 questions", (REALTALK,), realtalk.build, misspelt=True),
        _beam("100K", "10 chats with an assistant, 2,950 messages, 175 questions"),
        _beam("500K", "5 chats with an assistant, 5,188 messages, 89 questions"),
        PublishedSet(
            "cranfield", "1,400 abstracts, 112 questions", (CRANFIELD,), smart_collections.cranfield, misspelt=True
        ),
        PublishedSet("cisi", "1,460 abstracts, 38 questions", (CISI,), smart_collections.cisi, misspelt=True),
        PublishedSet("nl2bash", "5,312 shell commands, 470 descriptions", (NL2BASH,), nl2bash.build),
        *map(_xquad, xquad.LANGUAGES),
    )
}


def build(name: str, folder: Path, checkouts: Sequence[Path] = ()) -> Iterator[str]:
    """Build one of SETS into `folder`/NAME, and yield lines that say what was read and written.

    Files are read from the `checkouts` where these hold a repository of the set; others are fetched. Raises
    RepositoryError when one of them cannot be read.
    """
    chosen = SETS[name]
    target = folder / name
    trees: dict[str, GitTree] = {}
    lines = []
    with tempfile.TemporaryDirectory() as work:
        for repository in chosen.repositories:
            tree = trees[repository.name] = open_tree(repository, checkouts, Path(work))
            line = f"{repository.url} at {tree.commit}, licence: {repository.licence}"
            if tree.commit != repository.commit:
                line += f" (published figures: {repository.commit})"
            lines.append(line)
            yield f"{name}: read {line}"
        built = chosen.build(trees)
    if chosen.misspelt:
        built = records.BuiltSet(built.history, built.queries, perturbations.perturbed(built.queries))
    built.write(target)
    (target / SUMMARY).write_text(_summary(chosen, lines), encoding="utf-8")
    sessions = sum(row["t"] == "session" for row in built.history)
    yield f"{name}: {sessions:,} sessions, {len(built.history) - sessions:,} messages, {len(built.queries):,} queries"
    held, count = records.answers_held(built.history, built.queries)
    if held < count:
        yield f"{name}: {count - held:,} of {count:,} answers are not in these histories"


def _summary(chosen: PublishedSet, lines: Sequence[str]) -> str:
    listed = "\n".join(f"- {line}" for line in lines)
    return (
        f"# {chosen.name}\n\nMade by `python -m bench data {chosen.name} FOLDER` from:\n\n{listed}\n\n"
        "The licences are those of the sources. The data is for measuring; it is no part of recall_rank.\n"
    )
