"""UserVocabulary: synonyms and acronyms that a user has defined, by which a search finds other texts as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

from recall_rank._core.text.tokens import query_tokens
from recall_rank.analysis.normalize import encode
from recall_rank.model.record_classes import field, frozen

MAX_WORDS: Final = 8  # of one text
MAX_TEXTS: Final = 32  # that stand for each other
_NO_STOP_WORDS: Final[frozenset[bytes]] = frozenset()


class Synonym(NamedTuple):
    """A text to search besides the words [at, at + span) of a query."""

    at: int
    span: int
    text: str


@frozen(eq=False)
class UserVocabulary:
    """Words of a user, and the texts by which each is searched, too.

    The texts of one entry of `both_ways` stand for each other. A key of `one_way` is also searched by its texts, and
    none of them by the key. A text has one to MAX_WORDS words; letters are compared without case and accents, and
    `rate-limit` is two words. Raises TypeError for values of another shape, and ValueError for a text without a word or
    with too many, and for too many texts in one entry.
    """

    both_ways: Sequence[Sequence[str]] = ()
    one_way: Mapping[str, Sequence[str]] = field(default_factory=dict)
    _entries: dict[bytes, list[tuple[tuple[bytes, ...], tuple[str, ...]]]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        found: dict[tuple[bytes, ...], dict[str, None]] = {}
        for number, texts in enumerate(self.both_ways):
            name = f"both_ways[{number}]"
            for text in _texts(name, texts, least=2):
                found.setdefault(_forms(name, text), {}).update(dict.fromkeys(each for each in texts if each != text))
        for key, texts in self.one_way.items():
            name = f"one_way.{key}"
            for text in _texts(name, texts, least=1):
                _forms(name, text)
                found.setdefault(_forms(name, key), {})[text] = None
        entries: dict[bytes, list[tuple[tuple[bytes, ...], tuple[str, ...]]]] = {}
        for forms, others in found.items():
            entries.setdefault(forms[0], []).append((forms, tuple(others)))
        object.__setattr__(self, "_entries", entries)

    @classmethod
    def parse(cls, given: Mapping[str, Any]) -> Self:
        """Return the vocabulary that the tables of a TOML file describe: both_ways, a list of lists, and one_way.

        Raises ValueError for any other content.
        """
        for name in given:
            if name not in ("both_ways", "one_way"):
                raise ValueError(f"there is no {name!r}: there are both_ways and one_way")
        both, one = given.get("both_ways", []), given.get("one_way", {})
        if not isinstance(both, list) or not isinstance(one, dict):
            raise ValueError("both_ways must be a list of lists of texts, one_way a table of texts or lists of texts")
        single = {key: [texts] if isinstance(texts, str) else texts for key, texts in one.items()}
        try:
            return cls(both, single)
        except TypeError as error:
            raise ValueError(str(error)) from None

    def __bool__(self) -> bool:
        return bool(self._entries)

    def synonyms(self, forms: tuple[bytes, ...]) -> Iterator[Synonym]:
        """Yield the synonyms of the words of a query, which are given by forms_of(); in the order of the words.

        A text whose words stand in the query already, next to each other, is left out.
        """
        for at, first in enumerate(forms):
            for entry, texts in self._entries.get(first, ()):
                if forms[at : at + len(entry)] == entry:
                    for text in texts:
                        if not stand_in(forms_of(text), forms):
                            yield Synonym(at, len(entry), text)


def forms_of(text: str) -> tuple[bytes, ...]:
    """Return the forms of the words of a text, in their order; of C++ and the like, the form with its punctuation."""
    words, compounds = query_tokens(encode(text), _NO_STOP_WORDS)
    forms = [form for form, _, _, _ in words]
    for form, _, at, span, cjk in compounds:
        if span == 1 and not cjk:
            forms[at] = form
    return tuple(forms)


def stand_in(forms: tuple[bytes, ...], others: tuple[bytes, ...]) -> bool:
    """Return whether `forms` stand in `others`, next to each other and in their order."""
    size = len(forms)
    return any(others[at : at + size] == forms for at in range(len(others) - size + 1))


def _texts(name: str, texts: object, least: int) -> Sequence[str]:
    """Return the texts of the entry `name`, checked."""
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{name} must be a list of texts, not {texts!r}")
    if not least <= len(texts) <= MAX_TEXTS:
        raise ValueError(f"{name} must have {least} to {MAX_TEXTS} texts, not {len(texts)}")
    return texts


def _forms(name: str, text: str) -> tuple[bytes, ...]:
    """Return the forms of the words of a text of the entry `name`, checked."""
    forms = forms_of(text)
    if not 1 <= len(forms) <= MAX_WORDS:
        raise ValueError(f"{name} holds {text!r}, which has {len(forms)} words; 1 to {MAX_WORDS} are accepted")
    return forms
