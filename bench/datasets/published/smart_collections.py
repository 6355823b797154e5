"""Cranfield and CISI: abstracts with questions of researchers, in the format of the SMART system."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from bench.datasets.published import records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from bench.datasets.published.records import Row
    from bench.datasets.published.repositories import Tree

FIELD = re.compile(r"^\.([A-Z])\s*$", re.MULTILINE)
ITEM = re.compile(r"^\.I +(\d+)\s*$", re.MULTILINE)

CRANFIELD_PATHS = ("cran.all.1400", "cran.qry", "cranqrel")
CISI_PATHS = ("CISI.ALL", "CISI.QRY", "CISI.REL")

# numbers of the questions that figures are published of: half of each collection
CRANFIELD = (
    3, 5, 10, 11, 12, 14, 15, 16, 17, 18, 23, 26, 27, 28, 29, 36, 37, 38, 40, 41, 46, 48, 52, 53, 55, 58, 59, 61, 62,
    64, 65, 66, 67, 69, 70, 71, 73, 74, 76, 78, 82, 83, 85, 86, 91, 92, 97, 100, 103, 104, 107, 108, 109, 110, 113,
    114, 115, 116, 117, 125, 127, 129, 130, 136, 137, 138, 140, 141, 142, 143, 145, 146, 147, 148, 149, 152, 160, 161,
    162, 163, 167, 169, 171, 172, 173, 176, 177, 180, 182, 183, 184, 185, 189, 190, 192, 193, 194, 195, 198, 201, 204,
    205, 208, 209, 210, 211, 214, 217, 218, 219, 220, 223,
)  # fmt: skip
CISI = (
    3, 4, 7, 9, 12, 13, 17, 18, 19, 20, 25, 29, 30, 32, 33, 35, 39, 41, 43, 44, 45, 46, 52, 55, 56, 57, 61, 62, 65,
    66, 67, 69, 79, 84, 90, 92, 95, 104,
)  # fmt: skip


def cranfield(trees: Mapping[str, Tree]) -> records.BuiltSet:
    """Build Cranfield. Its judgements number the questions by their order; the grade -1 is no relevance."""
    documents, questions, judgements = _files(trees["DrDesignX/Simple_IR"], CRANFIELD_PATHS)
    judged: dict[int, list[int]] = defaultdict(list)
    for line in filter(str.strip, judgements.splitlines()):
        question, document, grade = line.split()
        if int(grade) > 0:
            judged[int(question)].append(int(document))
    asked = dict(enumerate((said for _, said in _questions(questions)), 1))
    return _build("cranfield", documents, asked, judged, CRANFIELD)


def cisi(trees: Mapping[str, Tree]) -> records.BuiltSet:
    """Build CISI."""
    documents, questions, judgements = _files(trees["Bilail/NLP-Search-Engine"], CISI_PATHS)
    judged: dict[int, list[int]] = defaultdict(list)
    for line in filter(str.strip, judgements.splitlines()):
        question, document, *_ = line.split()
        judged[int(question)].append(int(document))
    return _build("cisi", documents, dict(_questions(questions)), judged, CISI)


def _files(tree: Tree, paths: Iterable[str]) -> list[str]:
    return [tree.read(path).decode("utf-8", "replace").replace("\r\n", "\n") for path in paths]


def _items(content: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each item's number and its fields by letter; those of one letter are joined by a line break."""
    cut = ITEM.split(content)
    for number, body in zip(cut[1::2], cut[2::2], strict=True):
        fields = FIELD.split(body)
        named: dict[str, str] = {}
        for letter, said in zip(fields[1::2], fields[2::2], strict=True):
            named[letter] = f"{named[letter]}\n{said.strip()}" if letter in named else said.strip()
        yield int(number), named


def _joined(lines: str) -> str:
    """Return the words of a field with single spaces between them."""
    return " ".join(lines.split())


def _questions(content: str) -> Iterator[tuple[int, str]]:
    return ((number, _joined(fields["W"])) for number, fields in _items(content))


def _build(
    name: str, content: str, asked: Mapping[int, str], judged: Mapping[int, list[int]], chosen: tuple[int, ...]
) -> records.BuiltSet:
    history: list[Row] = []
    for number, fields in _items(content):
        key = f"{name}/{number}"
        title = _joined(fields.get("T", ""))
        said = f"{title} {_joined(fields.get('W', ''))}".strip()
        parts = [records.text(said)]
        written = [records.message(key, key, "user", 0, parts, author=fields.get("A", ""))]
        history += records.session(key, written, project=name, title=title, source=name)
    sessions = records.sessions_of(history)
    queries = [
        records.query(
            f"{name}-q{number}", "adhoc", asked[number], name, [f"{name}/{one}" for one in judged[number]], sessions
        )
        for number in chosen
    ]
    return records.BuiltSet(history, queries)
