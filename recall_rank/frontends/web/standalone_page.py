"""A session as one file of HTML: it loads nothing, runs nothing and needs no network."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from typing import Final

from markupsafe import Markup

from recall_rank.frontends.redaction.redacted_answers import session_without_secrets
from recall_rank.frontends.transcripts.labels import title_of, where_of
from recall_rank.frontends.web.conversation import Excerpts, figures_in_words
from recall_rank.frontends.web.templating import style, templates
from recall_rank.frontends.web.text_pieces import TextLook
from recall_rank.histories.chains.figures import figures_of
from recall_rank.model import Session

_CODE_CHARS: Final = 10_000  # of code that is highlighted: markup takes twice the room of what it stands around
_BATCH: Final = 200  # pieces of the template that are written at once


def standalone_page(session: Session, *, redact: bool = False) -> Iterator[str]:
    """Yield the texts of an HTML document with a whole session; nothing is cut. With `redact`, keys and passwords are
    replaced where they are found.

    Its Content-Security-Policy allows no script and no style but its own, by the digest of that.
    """
    figures = figures_of(session)
    shown = session_without_secrets(session) if redact else session
    text = style()
    known = {
        "title": title_of(shown),
        "where": " · ".join(where_of(shown)),
        "figures": list(figures_in_words(figures.tokens, figures.cost)),
        "redacts": redact,
        "style": Markup(text),  # noqa: S704 - a file of this package
        "digest": base64.b64encode(hashlib.sha256(text.encode()).digest()).decode(),
        "messages": Excerpts(TextLook(code_chars=_CODE_CHARS)).messages(enumerate(shown.messages, 1)),
    }
    stream = templates().get_template("standalone.html").stream(known)
    stream.enable_buffering(_BATCH)
    yield from stream
