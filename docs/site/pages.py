"""Hook of the documentation site: which files of the repository it shows, and the page of the public interface."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel

import recall_rank

ROOT: Final = Path(__file__).resolve().parents[2]
SHOWN: Final = ("*.md", "LICENSE", "docs/*.*", "examples/**/*", "bench/*.md", "bench/results/*")
IN_NAVIGATION: Final = re.compile(r"[A-Z]+\.md|docs/[^/]+\.md|(examples|bench)/(results/)?README\.md")
_REQUEST: Final = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\W?(?:https?:)?//|<link\b[^>]*\bhref=\W?(?:https?:)?//"
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Replace the files of docs/ by those to show, at their paths in the repository, and add docs/api.md."""
    for file in [file for file in files if file.src_dir == config.docs_dir]:
        files.remove(file)
    for path in sorted({path for pattern in SHOWN for path in ROOT.glob(pattern) if path.is_file()}):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix != ".pyc":
            file = File.generated(config, name, abs_src_path=str(path))
            if not IN_NAVIGATION.fullmatch(name):
                file.inclusion = InclusionLevel.NOT_IN_NAV
            files.append(file)
    files.append(File.generated(config, "docs/api.md", content=reference()))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Return the text with the file names of blocks in quotes, without which their fences are not seen."""
    return re.sub(r"^(```\w+ title=)([^\s\"]+)$", r'\1"\2"', markdown, flags=re.MULTILINE)


def reference() -> str:
    """Return the page of the public interface: functions, then classes, each from its docstring."""
    public = recall_rank.__all__
    functions = [name for name in public if name[0].islower()]
    classes = [name for name in public if name[0].isupper()]
    lines = ["# Reference", "", "What `import recall_rank` offers, from its docstrings."]
    for title, names in (("Functions", functions), ("Classes", classes)):
        lines += ["", f"## {title}", *(f"\n::: recall_rank.{name}" for name in names)]
    return "\n".join(lines) + "\n"


def on_post_page(output: str, page: object, **_: object) -> str:
    """Return the page as it is. Raises PluginError when reading it would request a script, style, font or image from
    another server.
    """
    found = _REQUEST.search(output)
    if found is not None:
        raise PluginError(f"{page} requests from elsewhere: {output[found.start() : found.end() + 60]!r}")
    return output
