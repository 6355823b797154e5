"""The option --index, and what answers a search with it: shards or an index, on disk or in a store, in place of
histories.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from recall_rank.frontends.cli.options.cache_options import not_empty
from recall_rank.frontends.cli.output.console import NO_HISTORY, USAGE, fail
from recall_rank.model.option_errors import error_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recall_rank.corpus import Index
    from recall_rank.model import Context, SearchResponse, SourceReport
    from recall_rank.shards.shards import Shards

index_option: Callable[..., Any] = click.option(
    "--index",
    metavar="FOLDER|URL",
    callback=not_empty,
    help="Search shards of recall-rank build, or an index that was saved or pushed, in place of histories.",
)


class SearchedFolder:
    """The shards of a folder, or an index, in place of a Recall: it is searched, and knows no sources and no beginnings
    of ids.
    """

    def __init__(self, searched: Shards | Index, context: Context | None) -> None:
        self._searched = searched
        self._context = context

    def search(self, query: str, **options: Any) -> SearchResponse:
        """Return the response of search() of the shards or the index to a caller with this context."""
        return self._searched.search(query, **{"context": self._context, **options})

    def sources(self) -> list[SourceReport]:
        return []

    def sessions(self) -> list[Any]:
        return []

    def indexed(self, ids: Iterable[str]) -> list[Any]:
        return []


@contextmanager
def open_index_folder(
    folder: str, histories: Sequence[str], *, as_json: bool, context: Context | None
) -> Iterator[SearchedFolder]:
    """Open the shards that a folder names, the index in it, or that at a URL. Ends the command where there is none, and
    with --history.
    """
    from recall_rank.corpus import Index
    from recall_rank.index.errors import MissingIndexError
    from recall_rank.index.remote.store_url import is_store_url
    from recall_rank.loaders.projects.repositories import name_context_repository
    from recall_rank.shards.shards import Shards

    if histories:
        fail("--index and --history exclude each other", USAGE, as_json=as_json)
    searched: Shards | Index
    try:
        if is_store_url(folder):
            searched = Index.open(folder)
        else:
            try:
                searched = Shards.open(folder)
            except MissingIndexError:
                searched = Shards.open([folder])
    except RuntimeError as error:  # a package is missing
        fail(f"--index {folder}: {error}", USAGE, as_json=as_json)
    except (OSError, ValueError) as error:
        fail(f"--index {folder}: {error_text(error)}", NO_HISTORY, as_json=as_json)
    with searched:
        yield SearchedFolder(searched, name_context_repository(context))
