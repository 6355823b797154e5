"""Fictional repositories in the formats of the published sets become histories and labelled queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest

from bench.datasets.published import beam, locomo, nl2bash, realtalk, smart_collections, xquad
from tests.support.file_tree import FileTree

if TYPE_CHECKING:
    from bench.datasets.published.records import BuiltSet


def as_json(value: Any) -> str:
    return orjson.dumps(value).decode()


def answers(built: BuiltSet) -> dict[str, list[str]]:
    return {query["id"]: [one["message"] for one in query["relevant"]] for query in built.queries}


def texts(built: BuiltSet) -> dict[str, str]:
    return {row["id"]: row["parts"][0]["text"] for row in built.history if row["t"] == "message"}


def times(built: BuiltSet) -> dict[str, int]:
    return {row["id"]: row["time"] for row in built.history if row["t"] == "message"}


def locomo_conversation(sample: str) -> dict[str, Any]:
    turns = [
        {"speaker": "Ada", "dia_id": "D1:1", "text": "The kettle whistles."},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a red kettle"},
    ]
    return {
        "sample_id": sample,
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": turns,
        },
        "qa": [
            {"question": "Who has a kettle?", "evidence": ["D1:1"], "category": 4},
            {"question": "When did it whistle?", "evidence": ["D:1:01; D1:2"], "category": 2},
            {"question": "Where is the spoon?", "evidence": ["D9:9"], "category": 1},
        ],
    }


def test_locomo() -> None:
    conversations = [locomo_conversation("conv-26"), locomo_conversation("conv-1")]
    corrected = [{"question_id": "locomo_0_qa0", "correct_evidence": ["D1:2"]}]
    built = locomo.build(
        {
            "snap-research/LoCoMo": FileTree({locomo.PATH: as_json(conversations)}),
            "dial481/locomo-audit": FileTree({locomo.AUDIT: as_json(corrected)}),
        }
    )
    assert texts(built) == {
        "conv-26/D1:1": "The kettle whistles.",
        "conv-26/D1:2": "Look! [shares image: a red kettle]",
    }
    assert times(built) == {"conv-26/D1:1": 1_683_554_160_000, "conv-26/D1:2": 1_683_554_161_000}
    assert answers(built) == {"conv-26-q0": ["conv-26/D1:2"], "conv-26-q1": ["conv-26/D1:1", "conv-26/D1:2"]}
    assert [query["kind"] for query in built.queries] == ["single_hop", "temporal"]


def test_realtalk() -> None:
    turns = [
        {
            "speaker": "Ada",
            "dia_id": f"D1:{number}",
            "clean_text": f"turn {number}",
            "date_time": "29.12.2023, 00:51:12",
        }
        for number in (1, 2, 3)
    ]
    chat = {
        "name": {"speaker_1": "Ada", "speaker_2": "Ben"},
        "session_1": turns,
        "qa": [{"question": "Which turns?", "evidence": ["D1:2-3"], "category": 1}],
    }
    tree = FileTree(dict.fromkeys(realtalk.PATHS, as_json(chat)))
    built = realtalk.build({"danny911kr/REALTALK": tree})
    assert answers(built)["rt1-q0"] == ["rt1/D1:2", "rt1/D1:3"]
    assert [times(built)[f"rt1/D1:{number}"] for number in (1, 2, 3)] == [
        1_703_811_072_000,
        1_703_811_073_000,
        1_703_811_074_000,
    ]


def test_beam() -> None:
    first = [
        {"id": 0, "role": "user", "content": "Which kettle? ->-> 1,1", "time_anchor": "March-15-2024"},
        {"id": 1, "role": "assistant", "content": "The red one."},
    ]
    second = [{"id": 2, "role": "user", "content": "And the spoon?"}]
    asked = {
        "abstention": [{"question": "What of the fork?", "source_chat_ids": [0]}],
        "knowledge_update": [{"question": "The kettle?", "source_chat_ids": {"old": [0], "new": [1, 99]}}],
    }
    files = {"topic.json": {"title": "Kitchen"}, "chat.json": [{"batch_number": 1, "turns": [first, second]}]}
    files |= {"probing_questions/probing_questions.json": asked}  # type: ignore[dict-item]
    tree = FileTree({path: as_json(files[path.split("/", 3)[3]]) for path in beam.paths("500K")})
    built = beam.builder("500K")({"mohammadtavakoli78/BEAM": tree})
    assert texts(built)["beam500K-1/0"] == "Which kettle?"
    assert answers(built)["beam500K-1-knowledge_update0"] == ["beam500K-1/0", "beam500K-1/1"]
    assert not any("abstention" in query["id"] for query in built.queries)
    sessions = [row["id"] for row in built.history if row["t"] == "session"]
    assert sessions[:2] == ["beam500K-1/B1.0", "beam500K-1/B1.1"]
    assert times(built)["beam500K-1/2"] == times(built)["beam500K-1/0"]  # of the day before it


DOCUMENTS = (
    ".I 1\n.T\na kettle\nof copper\n.A\nAda\n.A\nBen\n.W\nit  whistles\n.X\n1\t5\n.I 2\n.T\na spoon\n.W\nsilver\n"
)


def test_cranfield_numbers_its_questions_by_their_order() -> None:
    asked = "".join(f".I {7 * number:03}\n.W\nquestion {number}\n" for number in range(1, 226))
    judged = "3 1 2\n3 2 -1\n223 2 4\n"
    files = {"cran.all.1400": DOCUMENTS, "cran.qry": asked, "cranqrel": judged}
    built = smart_collections.cranfield({"DrDesignX/Simple_IR": FileTree(files)})
    assert texts(built) == {"cranfield/1": "a kettle of copper it whistles", "cranfield/2": "a spoon silver"}
    assert [row["author"] for row in built.history if row["t"] == "message"] == ["Ada\nBen", ""]
    assert len(built.queries) == len(smart_collections.CRANFIELD) == 112
    by_id = {query["id"]: query for query in built.queries}
    assert by_id["cranfield-q3"]["query"] == "question 3"
    assert answers(built)["cranfield-q3"] == ["cranfield/1"]
    assert answers(built)["cranfield-q223"] == ["cranfield/2"]


def test_cisi_numbers_its_questions_itself() -> None:
    asked = "".join(f".I {number}\r\n.W\r\nquestion {number}\r\n" for number in range(1, 113))
    files = {"CISI.ALL": DOCUMENTS, "CISI.QRY": asked, "CISI.REL": "     4      2\t0\t0.000000\r\n"}
    built = smart_collections.cisi({"Bilail/NLP-Search-Engine": FileTree(files)})
    assert len(built.queries) == len(smart_collections.CISI) == 38
    assert answers(built)["cisi-q4"] == ["cisi/2"]


def test_xquad_takes_every_second_article() -> None:
    articles = [
        {"paragraphs": [{"context": f"text {number}", "qas": [{"id": f"i{number}", "question": "¿Qué?"}]}]}
        for number in range(3)
    ]
    tree = FileTree({"xquad.es.json": as_json({"data": articles})})
    built = xquad.builder("es")({"google-deepmind/xquad": tree})
    assert answers(built) == {"es-i0": ["xes0.0"], "es-i2": ["xes2.0"]}


def test_nl2bash_asks_descriptions_whose_first_command_is_a_document() -> None:
    commands = ["ls", "ls -a", "ls", "df", "du"]
    descriptions = ["list", "list all", "show", "list", "sizes"]
    files = {nl2bash.COMMANDS: "\n".join(commands) + "\n", nl2bash.DESCRIPTIONS: "\n".join(descriptions) + "\n"}
    built = nl2bash.build({"TellinaTool/nl2bash": FileTree(files)})
    documents = {row["id"]: row["parts"][0]["input"]["command"] for row in built.history if row["t"] == "message"}
    assert documents == {"nb0": "ls", "nb3": "df"}
    asked = {query["query"]: [one["message"] for one in query["relevant"]] for query in built.queries}
    assert asked == {"list": ["nb0", "nb3"], "show": ["nb0"]}


@pytest.mark.parametrize("published", [locomo.CONVERSATIONS, realtalk.PATHS, smart_collections.CISI])
def test_no_conversation_or_question_is_named_twice(published: tuple[object, ...]) -> None:
    assert len(set(published)) == len(published)
