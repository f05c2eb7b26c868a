"""What repeats inside texts: lines, and stretches; and the texts without it."""

from __future__ import annotations

import functools
import json
import os
import tempfile
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from . import _core
from ._errors import ArgumentError
from ._options import given
from ._progress import Progress, receiver
from ._results import Summary, binaries, html_table, numbers, texts
from ._rewriting import rereadable, with_texts
from ._sources import Source, open_source

# The rows that are changed, and their texts in UTF-8.
CutTexts = tuple[np.ndarray, pa.Array]

# Instead of the row of a source, as the extension tells: the whole document goes. Another one that
# is negative: the source is in an index.
_NO_SOURCE = -1

# Bytes of a text have so many bits: 64 bits hold a row and a place in its text.
_PLACE_BITS = 30


class Repeats:
    """The result of :func:`lines` and :func:`substrings`. Arrays are aligned with the rows of the
    input.

    summary  counts and times
    kept     whether the row stays: a boolean array
    changed  whether the row stays, and something is cut out of its text: a boolean array
    cuts     a table with a row for each cut, in the order of input, of :func:`substrings` pass by
             pass: row, begin, end (of the text); source_row, source_begin (where the first equal
             one is, of the first one itself another one); with ids of the documents also id and
             source_id. Where source_row and source_begin are null, the source is in the index,
             which knows only its id. The end is behind the last character. Offsets are in
             characters of the str; of documents in files, in bytes of UTF-8.
    """

    summary: Summary
    kept: np.ndarray
    changed: np.ndarray
    cuts: pa.Table

    def __init__(self, documents: Documents, sources: Documents, found: dict[str, Any],
                 kept: np.ndarray, spans: _Spans, cut_texts: CutTexts | None) -> None:
        self.summary = Summary(found["summary"])
        self.kept = kept
        self.changed = np.zeros(len(kept), bool)
        self.changed[spans.rows] = True
        self.changed &= kept
        self._source, self._texts = documents.source, cut_texts
        ids = documents.names(spans.rows, found["ids"], spans.items)
        source_ids = sources.source_names(spans.source_rows, found["source_ids"], spans.items)
        columns = {"row": spans.rows, "id": ids, "begin": spans.begins, "end": spans.ends,
                   "source_row": pa.array(spans.source_rows, mask=spans.indexed),
                   "source_id": source_ids,
                   "source_begin": pa.array(spans.source_begins, mask=spans.indexed)}
        self.cuts = pa.table({name: column for name, column in columns.items()
                              if column is not None})

    def __len__(self) -> int:
        return len(self.kept)

    @functools.cached_property
    def table(self) -> Any:
        """The rows that stay, without what is cut, as the kind of object that came in: a list, a
        table, a column. Of a generator it is a list, of a reader a table."""
        if self._source.select is None or self._texts is None:
            raise ArgumentError(f"there is no table of the texts: {self._source.why_no_table}")
        rows, cut_texts = self._texts
        places = np.cumsum(self.kept) - 1  # of the rows that stay
        return with_texts(self._source.select(self.kept), self._source.text, places[rows],
                          cut_texts)

    def __repr__(self) -> str:
        s = self.summary
        return (f"Repeats({s.documents:,} documents: {len(self.cuts):,} cuts, "
                f"{int(self.changed.sum()):,} changed, {len(self) - int(self.kept.sum()):,} removed"
                + (f", {s.skipped:,} skipped" if s.skipped else "") + ")")

    def _repr_html_(self) -> str:
        more = len(self.cuts) > 10
        caption = repr(self) + (f"; the first 10 of {len(self.cuts):,} cuts" if more else "")
        return html_table(self.cuts.slice(0, 10).to_pylist(), caption)


class Documents:
    """Documents that are read twice: to find what repeats, and to count its characters."""

    def __init__(self, data: Any, text: str, id: str | None, index: Any = None) -> None:
        self._data, self._text, self._id = rereadable(data), text, id
        self._index = index
        self.source = self._open()

    def _open(self) -> Source:
        return open_source(self._data, self._text, self._id)

    @property
    def in_files(self) -> bool:
        return self.source.paths is not None

    @property
    def with_ids(self) -> bool:
        """Whether the extension finds the ids: those of files."""
        return self.source.ids is None and self.source.id is not None

    @property
    def with_source_ids(self) -> bool:
        """Whether the extension finds the ids of sources: with an index it alone knows them."""
        return self.with_ids or self._index is not None

    def numbered(self) -> Source:
        """The documents; in memory, their ids are their numbers."""
        source = self._open()
        source.id = source.id if self.in_files else None
        return source

    def names(self, rows: np.ndarray, of_files: Any, items: np.ndarray) -> Any:
        """The ids of the documents of rows; None: they have none."""
        if self.source.ids is not None:
            return self.source.ids().take(pa.array(rows))
        return texts(of_files).take(pa.array(items)) if self.with_ids else None

    def source_names(self, rows: np.ndarray, found: Any, items: np.ndarray) -> Any:
        """The same of sources. With an index all are str, as the index has them."""
        if self._index is not None:
            return texts(found).take(pa.array(items))
        return self.names(rows, found, items)

    def read_again(self, spans: list[np.ndarray], points: _Points,
                   reading: dict[str, Any]) -> dict[str, Any]:
        again: dict[str, Any] = self._open().call(_core.cut, {
            **reading, "spans": tuple(spans), "points": (points.rows, points.places)})
        return again


class _Spans:
    """Spans of texts, and where their sources are; `items` are their numbers in the results of the
    extension."""

    def __init__(self, found: dict[str, Any], is_cut: np.ndarray) -> None:
        names = ("rows", "begins", "ends", "source_rows", "source_begins")
        columns = [numbers(found[name], np.int64) for name in names]
        self.items = np.flatnonzero(is_cut)
        self.rows, self.begins, self.ends, self.source_rows, self.source_begins = (
            column[self.items] for column in columns)
        self.indexed = self.source_rows < 0

    def turn_into_characters(self, documents: Documents, sources: Documents, wanted: np.ndarray,
                             reading: dict[str, Any]) -> dict[str, Any]:
        """Turns places into characters, where the texts are in memory. Returns what the extension
        has found in the documents: the texts of the wanted rows without the spans, which must not
        overlap in these rows."""
        own = [(self.rows, self.begins), (self.rows, self.ends)]
        known = ~self.indexed
        its = (self.source_rows[known], self.source_begins[known])
        found: dict[str, Any] = {}
        if not documents.in_files:
            mask = wanted[self.rows]
            points = _Points(*own, *([its] if documents is sources else []))
            found = documents.read_again([np.ascontiguousarray(values[mask]) for values in (
                self.rows, self.begins, self.ends)], points, reading)
            characters = numbers(found["characters"], np.int64)
            self.begins, self.ends = (points.of_part(part, characters) for part in (0, 1))
            if documents is sources:
                self.source_begins[known] = points.of_part(2, characters)
        if documents is not sources and not sources.in_files:
            points = _Points(its)
            there = sources.read_again([np.zeros(0, np.int64)] * 3, points, reading)
            self.source_begins = points.of_part(0, numbers(there["characters"], np.int64))
        return found


class _Points:
    """Places in texts: each once, in the order of the texts."""

    def __init__(self, *parts: tuple[np.ndarray, np.ndarray]) -> None:
        keys = np.concatenate([rows << _PLACE_BITS | places for rows, places in parts])
        unique, self._number = np.unique(keys, return_inverse=True)
        self.rows, self.places = unique >> _PLACE_BITS, unique & (1 << _PLACE_BITS) - 1
        self._ends = np.cumsum([len(rows) for rows, _ in parts])

    def of_part(self, part: int, values: np.ndarray) -> np.ndarray:
        """The values of a part's places, of those of all."""
        begin = self._ends[part - 1] if part > 0 else 0
        found: np.ndarray = values[self._number[begin:self._ends[part]]]
        return found


def lines(data: Any, *, unit: Literal["line", "paragraph", "sentence"] = "line",
          same: Literal["bytes", "words"] = "bytes", keep: Literal["first", "none"] = "first",
          more_than: int = 1, by_host: bool = False, across: bool = False, min_words: int = 3,
          drop_below: int = 1, index: str | os.PathLike[str] | None = None, text: str = "text",
          id: str | None = "id", nulls: Literal["error", "skip"] = "error",
          invalid: Literal["fail", "replace", "skip"] = "fail",
          on_error: Literal["fail", "skip"] = "fail", follow: bool = False,
          max_record: int = 64 << 20, output: Any = None, memory: int = 1 << 30, work: Any = None,
          threads: int = 0, progress: Progress = None) -> Repeats:
    """Cuts repeated lines, paragraphs or sentences out of texts, such as menus and notices, each
    with its line break or the white space behind it.

    >>> import neardup as nd
    >>> r = nd.lines(["Skip to the content\\nCats sleep.", "Skip to the content\\nDogs bark."])
    >>> r.table
    ['Skip to the content\\nCats sleep.', 'Dogs bark.']
    >>> r.cuts.to_pylist()
    [{'row': 1, 'begin': 0, 'end': 20, 'source_row': 0, 'source_begin': 0}]

    data        documents as of :func:`dedup`. Texts in memory are read twice, so a generator becomes
                a list, and a reader of Arrow a table.
    unit        what is compared: "line"; "paragraph": lines up to an empty one; "sentence"
    same        which units are equal: "bytes": those with the same bytes; "words": those with the
                same words, whatever their case, spaces and punctuation are
    keep        which of equal units stay: "first"; "none": none of those that are in more than
                ``more_than`` documents
    by_host     with ``keep="none"``, only documents of the same host count: that of the URL of a
                record of WARC, or of the id
    across      with ``keep="first"``, units stay that repeat one of the same document
    min_words   units with fewer words stay, at least 1; in scripts without spaces a word is a
                character
    drop_below  rows that were cut, and have fewer words left, do not stay; 0: all stay
    index       a directory with the units of earlier calls: they are cut, and all others are added.
                It is made if it does not exist. Only with ``keep="first"``; each call has the same
                ``unit``, ``same`` and ``min_words``. The documents need ids.
    output      of documents in files: a file for the records without what is cut; of a directory of
                texts a str that ends with "/", a new directory

    All other arguments are those of :func:`dedup`, and so are the exceptions. Units are compared by
    hashes of 88 bits.

    The index grows when the outputs of files have their names, and before texts in memory are cut.
    If a call fails in between, the same call again cuts all units of these texts, since the index
    has them: go back to a copy of the directory.
    """
    documents = Documents(data, text, id, index)
    if not documents.in_files and output is not None:
        raise ArgumentError("output is for documents of files: the table of the result has the texts")
    if not documents.in_files and documents.source.id is None and by_host:
        raise ArgumentError("by_host needs ids that are URLs: a column, or (id, text)")
    if index is not None and documents.source.id is None:
        raise ArgumentError("documents that are added to an index need ids: a column, or (id, text)")
    reading = given(nulls=nulls, invalid=invalid, on_error=on_error, follow=follow,
                    max_record=max_record)
    options = {**reading, **given(
        unit=unit, same=same, keep=keep, more_than=more_than, by_host=by_host, across=across,
        min_words=min_words, drop_below=drop_below, index=index, output=output, memory=memory,
        work=work, threads=threads)}
    options["with_ids"] = documents.with_ids
    options["with_source_ids"] = documents.with_source_ids
    with receiver(progress) as options["progress"]:
        found = documents.source.call(_core.lines, options)
        reading.update(memory=memory, threads=threads, progress=options["progress"])
        kept, spans = _kept_and_cut(found)
        cut = spans.turn_into_characters(documents, documents, kept, reading)
    cut_texts = (numbers(cut["rows"], np.int64), binaries(cut["texts"])) if cut else None
    return Repeats(documents, documents, found, kept, spans, cut_texts)


def substrings(data: Any, *, source: Any = None, min_bytes: int = 100,
               min_tokens: int | None = None, keep: Literal["first", "none"] = "first",
               cut_at: Literal["character", "word", "line", "sentence"] = "character",
               drop_below: int = 1, passes: int = 1, text: str = "text", id: str | None = "id",
               nulls: Literal["error", "skip"] = "error",
               invalid: Literal["fail", "replace", "skip"] = "fail",
               on_error: Literal["fail", "skip"] = "fail", follow: bool = False,
               max_record: int = 64 << 20, output: Any = None, memory: int = 1 << 30,
               work: Any = None, threads: int = 0, progress: Progress = None) -> Repeats:
    """Finds every stretch of a text that is also elsewhere in the texts, exactly, and cuts it out.

    >>> import neardup as nd
    >>> r = nd.substrings(["I think, therefore I am.", "He wrote: I think, therefore I am. Did he?"],
    ...                   min_bytes=16)
    >>> r.cuts.to_pylist()
    [{'row': 1, 'begin': 10, 'end': 34, 'source_row': 0, 'source_begin': 0}]
    >>> r.table
    ['I think, therefore I am.', 'He wrote:  Did he?']

    data        documents as of :func:`dedup`. Texts in memory are read twice, so a generator becomes
                a list, and a reader of Arrow a table.
    source      other documents: only stretches that are in one of these, too, such as a benchmark
                whose items must not be in a training set. ``source_row`` is a row of them.
    min_bytes   least length of a stretch in bytes of UTF-8, 16 to 4000
    min_tokens  compare words, whatever their case, spaces and punctuation are: so many are the
                shortest stretch, 4 to 4000; in scripts without spaces a word is a character
    keep        which of equal stretches stay: "first"; "none", not with ``source``
    cut_at      what is cut of a stretch: its whole characters ("character"), words, lines or
                sentences
    drop_below  rows that were cut, and have fewer words left, do not stay; 0: all stay
    passes      search again what is left, so many times in all, since a cut may join two pieces to
                one that repeats; 0: until nothing is cut
    output      of documents in files: a file for the records without what is cut; of a directory of
                texts a str that ends with "/", a new directory

    Stretches of a text may overlap. All other arguments are those of :func:`dedup`, and so are the
    exceptions. Texts in memory need temporary files (``work``) of their size.
    """
    if source is not None and keep == "none":
        raise ArgumentError('keep="none" is not for a source: all that is in it is cut')
    if not 16 <= min_bytes <= 4000:
        raise ArgumentError(f"min_bytes must be 16 to 4000, not {min_bytes!r}")
    if min_tokens is not None and not 4 <= min_tokens <= 4000:
        raise ArgumentError(f"min_tokens must be 4 to 4000, not {min_tokens!r}")
    documents = Documents(data, text, id)
    if not documents.in_files and output is not None:
        raise ArgumentError("output is for documents of files: the table of the result has the texts")
    sources = documents if source is None else Documents(source, text, id)
    reading = given(nulls=nulls, invalid=invalid, on_error=on_error, follow=follow,
                    max_record=max_record)
    options = {**reading, **given(
        min_bytes=min_bytes, min_tokens=min_tokens, keep=keep, cut_at=cut_at, drop_below=drop_below,
        passes=passes, output=output, memory=memory, work=work, threads=threads)}
    options["with_ids"], options["with_source_ids"] = documents.with_ids, sources.with_source_ids
    if source is not None:
        options["source"] = {**reading, **sources.source.options()}
    with receiver(progress) as options["progress"], _temporary_folder(work) as folder:
        if not documents.in_files:
            options["output"] = os.path.join(folder, "texts.jsonl")
        try:
            found = documents.numbered().call(_core.substrings, options)
        except Exception:
            sources.source.raise_failure()
            raise
        kept, spans = _kept_and_cut(found)
        changed = np.unique(spans.rows[kept[spans.rows]])
        cut_texts = None if documents.in_files else (changed, _texts_of(options["output"], changed,
                                                                        found))
        reading.update(memory=memory, threads=threads, progress=options["progress"])
        spans.turn_into_characters(documents, sources, np.zeros(len(kept), bool), reading)
    return Repeats(documents, sources, found, kept, spans, cut_texts)


def _temporary_folder(work: Any) -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(dir=work)
    except OSError as problem:
        raise ArgumentError(f"work: {problem}") from None


def _kept_and_cut(found: dict[str, Any]) -> tuple[np.ndarray, _Spans]:
    """Of what is reported: which rows stay, and the cuts. A row that does not stay is reported
    without a source."""
    is_cut = numbers(found["source_rows"], np.int64) != _NO_SOURCE
    kept = np.ones(found["row_count"], bool)
    kept[numbers(found["rows"], np.int64)[~is_cut]] = False
    return kept, _Spans(found, is_cut)


def _texts_of(path: str, rows: np.ndarray, found: dict[str, Any]) -> pa.Array:
    """The texts of some rows, in a file of {"id": number of the record, "text": ...}."""
    read = np.delete(np.arange(found["row_count"]), numbers(found["skipped"], np.int64))
    wanted = set(rows.tolist())
    found_texts = []
    with open(path, "rb") as file:
        for line in file:
            begin = line.index(b'"', 5) + 1
            if int(read[int(line[begin:line.index(b'"', begin)]) - 1]) in wanted:
                found_texts.append(json.loads(line)["text"].encode())
    return pa.array(found_texts, pa.large_binary())
