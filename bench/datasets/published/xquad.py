"""XQuAD: paragraphs and questions that translators wrote in several languages. A paragraph answers its questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from bench.datasets.published import records

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bench.datasets.published.records import Row
    from bench.datasets.published.repositories import Tree

LANGUAGES = ("es", "ru", "th", "tr", "zh")  # the languages that figures are published of
PUBLISHED = 2  # every second article


def builder(language: str) -> Callable[[Mapping[str, Tree]], records.BuiltSet]:
    """Return the builder of the set of one language."""

    def build(trees: Mapping[str, Tree]) -> records.BuiltSet:
        name = f"xquad-{language}"
        articles = orjson.loads(trees["google-deepmind/xquad"].read(f"xquad.{language}.json"))["data"]
        history: list[Row] = []
        queries: list[Row] = []
        for number in range(0, len(articles), PUBLISHED):
            key = f"x{language}{number}"
            paragraphs = articles[number]["paragraphs"]
            messages = [
                records.message(f"{key}.{at}", key, "assistant", 0, [records.text(one["context"])])
                for at, one in enumerate(paragraphs)
            ]
            history += records.session(key, messages, project=name, source=name)
            sessions = records.sessions_of(messages)
            queries += [
                records.query(f"{language}-{asked['id']}", language, asked["question"], name, [f"{key}.{at}"], sessions)
                for at, one in enumerate(paragraphs)
                for asked in one["qas"]
            ]
        return records.BuiltSet(history, queries)

    return build
