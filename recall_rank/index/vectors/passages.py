"""The passages of a segment that get a vector: prose that a person or an agent said."""

from __future__ import annotations

from array import array
from typing import Final

import numpy as np
import numpy.typing as npt
import xxhash

from recall_rank.index.segment.segment import Segment
from recall_rank.model import SUBAGENT_KIND, Kind
from recall_rank.model.record_classes import frozen

SAID: Final = (Kind.USER, Kind.ORDER, Kind.PASTED, Kind.ASSISTANT, Kind.TALK, Kind.QUESTION)
READ_AT_ONCE: Final = 4096  # passages: a text that is packed is unpacked as far as it was asked for
FEWEST_WORDS: Final = 3  # "yes, do it" and the like mean nothing by themselves
MOST_SIGNS: Final = 0.2  # share of ASCII digits and punctuation; prose has .03 to .1, code and logs .2 and more
_SPACE: Final = b" \t\r\n\v\f"
_SIGNS: Final = bytes(code for code in range(33, 127) if not chr(code).isalpha())


@frozen
class ProsePassages:
    """The documents of a segment that were said, deleted sessions included: those that are prose, and the others."""

    docs: npt.NDArray[np.uint32]  # of prose, ascending
    digests: npt.NDArray[np.uint64]  # the xxh3-64 of author and text of each of `docs`
    skipped: npt.NDArray[np.uint32]  # said, but too short, or code, a table or a log; ascending


def said_marks(segment: Segment) -> npt.NDArray[np.bool_]:
    """Return marks, bool[docs]: whether the document was said by a person or an agent, or is a plain text of a corpus.

    The class of the document decides, without a look at its text.
    """
    table = np.zeros(256, np.bool_)
    for kind in SAID:
        table[[kind, kind + SUBAGENT_KIND]] = True
    if not segment.docs:
        return np.zeros(0, np.bool_)
    classes = np.frombuffer(segment.doc_class, np.uint8)
    marks = table[classes]
    others = np.flatnonzero(classes == Kind.OTHER)
    if len(others):
        types = np.frombuffer(segment.part_type, np.uint32)
        parts = np.frombuffer(segment.doc_part, np.uint32)[others]
        marks[others] = types[parts] == segment.names.find("text")
    return marks


def prose_passages(segment: Segment) -> ProsePassages:
    """Return the passages of a segment that get a vector. Reads the text of all that was said; O(its bytes).

    Raises DamagedIndexError when the segment is mapped from a damaged file.
    """
    said = np.flatnonzero(said_marks(segment)).tolist()
    docs, digests, skipped = array("I"), array("Q"), array("I")
    for at in range(0, len(said), READ_AT_ONCE):
        some = said[at : at + READ_AT_ONCE]
        starts = array("Q", (segment.doc_start[doc] for doc in some))
        ends = array("Q", (segment.doc_start[doc + 1] for doc in some))
        text = segment.text_between(starts, ends)
        for doc, start, end in zip(some, starts, ends, strict=True):
            passage = bytes(text[start:end])
            if segment.doc_words[doc] >= FEWEST_WORDS and is_prose(passage):
                docs.append(doc)
                digests.append(xxhash.xxh3_64_intdigest((author_of(segment, doc) or "").encode() + b"\0" + passage))
            else:
                skipped.append(doc)
    return ProsePassages(np.array(docs, np.uint32), np.array(digests, np.uint64), np.array(skipped, np.uint32))


def is_prose(passage: bytes) -> bool:
    """Return whether a passage, UTF-8, is prose in any language, rather than code, a table or a log.

    At most the share MOST_SIGNS of its bytes other than spaces are ASCII digits and punctuation.
    """
    letters = passage.translate(None, _SPACE)
    return len(letters) - len(letters.translate(None, _SIGNS)) <= MOST_SIGNS * len(letters)


def passage_text(segment: Segment, doc: int) -> str:
    """Return the text of a document as an embedder gets it: "AUTHOR: TEXT" where its message names an author.

    People say the names of others and ask for what somebody said: without its author, the nearest passage to a question
    about a person is one that addresses this person.
    """
    start, end = segment.doc_start[doc], segment.doc_start[doc + 1]
    text = bytes(segment.text_for(((start, end),))[start:end]).decode("utf-8", "ignore").strip()
    author = author_of(segment, doc)
    return f"{author}: {text}" if author else text


def author_of(segment: Segment, doc: int) -> str | None:
    """Return the author that the message of a document names."""
    message = segment.part_message[segment.doc_part[doc]]
    return segment.names.values[segment.message_author[message]]
