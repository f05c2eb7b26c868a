"""Files as documents, with all that the command's flags of input say."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

Path = str | os.PathLike[str]


class Files:
    """Documents in files: give it wherever documents are expected.

    >>> import neardup as nd, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.html").write_text("<!DOCTYPE html><nav>menu</nav><p>It rains in Ulm.")
    >>> _ = (folder / "b.html").write_text("<!DOCTYPE html><h1>It rains in Ulm!</h1>")
    >>> _ = (folder / "notes.md").write_text("It rains in Ulm.")
    >>> nd.dedup(nd.Files(folder, glob="*.html")).kept.tolist()
    [True, False]

    paths      a path, or several: files, directories, globs
    format     of all files; "auto": as the content of each says, else its name
    text       fields of the text, joined by line breaks; None: the one that the call names
    html       what is taken of pages: "auto": the visible text of files and archives; "source": all;
               "text": also of fields with HTML; "main": the main content
    encoding   of texts, columns of CSV and pages, such as "windows-1251"; "auto": a text that is
               not UTF-8 is guessed at; None: UTF-8. A byte order mark counts more.
    glob       which files of directories are read, such as "*.md" or ["docs/**/*.txt", "!old/"]
    hidden     in directories, read hidden files, too
    digests    compare the digests of WARC records with their blocks
    duckdb     DuckDB's library, for Parquet; None: it is searched for
    """

    def __init__(self, paths: Path | Sequence[Path], *,
                 format: Literal["auto", "json-lines", "json", "csv", "tsv", "text", "warc",
                                 "parquet"] = "auto",
                 text: str | Sequence[str] | None = None,
                 html: Literal["auto", "source", "text", "main"] = "auto",
                 encoding: str | None = None, glob: str | Sequence[str] = (),
                 hidden: bool = False, digests: bool = True,
                 duckdb: Path | None = None) -> None:
        several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
        self.paths = [os.fsencode(path) for path in several]
        self.text = [text] if isinstance(text, str) else list(text) if text is not None else None
        self.options: dict[str, Any] = {
            "format": format, "html": html, "hidden": hidden, "ignore_digests": not digests,
            "globs": [glob] if isinstance(glob, str) else list(glob)}
        if encoding is not None:
            self.options["encoding"] = encoding
        if duckdb is not None:
            self.options["duckdb"] = os.fspath(duckdb)

    def __repr__(self) -> str:
        return f"Files({[os.fsdecode(path) for path in self.paths]})"
