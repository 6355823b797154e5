"""Make an embedder from its name, as the settings and the shell give it."""

from __future__ import annotations

from typing import Final

from recall_rank.semantic.embedder import Embedder

FORMS: Final = (
    "fastembed:MODEL, sentence-transformers:MODEL, ollama:MODEL, ollama:MODEL@ADDRESS or openai:MODEL@ADDRESS, "
    "where ADDRESS is like http://127.0.0.1:8080/v1"
)


def open_embedder(name: str, *, remote: bool = False) -> Embedder:
    """Return the embedder of a name: one of FORMS. Nothing is loaded and nothing is sent until it is used.

    Raises ValueError for another name, and, unless `remote` is true, for an address of another machine.
    """
    adapter, colon, model = name.partition(":")
    if adapter in ("fastembed", "sentence-transformers") and model:
        from recall_rank.semantic.adapters.local import FastEmbedEmbedder, SentenceTransformersEmbedder

        return FastEmbedEmbedder(model) if adapter == "fastembed" else SentenceTransformersEmbedder(model)
    model, at, address = model.partition("@")
    if colon and model and (address or not at):
        from recall_rank.semantic.adapters.served import OLLAMA, OllamaEmbedder, OpenAIEmbedder

        if adapter == "ollama":
            return OllamaEmbedder(model, address or OLLAMA, remote=remote)
        if adapter == "openai" and address:
            return OpenAIEmbedder(model, address, remote=remote)
    raise ValueError(f"an embedder is {FORMS}, not {name!r}")
