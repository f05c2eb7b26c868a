"""A review: pairs that a job compared, removed and rejected ones, with their differences."""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, overload

import numpy as np

from . import _core
from ._differences import Difference, Differences
from ._results import numbers
from ._sources import Source

_ESCAPED = re.compile(rb"\\([\\tnr])")
_MEANT = {b"\\": b"\\", b"t": b"\t", b"n": b"\n", b"r": b"\r"}


class Named(NamedTuple):
    """A document: its id or its row number, and its text if that is at hand."""

    name: Any
    text: str | None


class Verdict(NamedTuple):
    """What the comparison of a pair said, and for how many pairs it stands."""

    verdict: str
    measure: str
    value: float
    pairs: int


class ReviewPair:
    """A pair that :func:`dedup` compared.

    verdict         "duplicate": ``b`` was removed for ``a``, or would have been; "rejected": they
                    are less similar than the threshold; "copy": they have the same words
    measure, value  what decided: "jaccard", "containment", "cosine" or "distance", and its value
    a, b            the ids of the documents; without ids their row numbers
    pairs           so many pairs of this verdict, and of a similarity that differs by less than .05,
                    the pair stands for, itself included
    text_a, text_b  None where they are not at hand
    """

    def __init__(self, verdict: Verdict, words: _core.Analyzer, a: Named, b: Named) -> None:
        self.verdict, self.measure, self.value, self.pairs = verdict
        self.a, self.text_a = a
        self.b, self.text_b = b
        self._words = words

    @functools.cached_property
    def _found(self) -> Differences | None:
        if self.text_a is None or self.text_b is None:
            return None
        return Differences(self.text_a, self.text_b, self._words)

    @property
    def differences(self) -> list[Difference] | None:
        """The parts in which the texts differ, token by token; None: a text is not at hand."""
        return self._found.parts() if self._found else None

    @property
    def same(self) -> float | None:
        """The share of the tokens that are the same; None: a text is not at hand."""
        return self._found.same if self._found else None

    def __repr__(self) -> str:
        value = f"{self.value:.0f}" if self.measure == "distance" else f"{self.value:.3f}"
        return (f"ReviewPair({self.verdict}, {self.measure}={value}, a={self.a!r}, b={self.b!r}"
                f"{self._told()})")

    def _told(self) -> str:
        """The first differences."""
        if self.differences is None:
            return ", without texts"
        shown = ", ".join(f"{_short(d.a)!r} -> {_short(d.b)!r}" for d in self.differences[:3])
        more = len(self.differences) - 3
        return (f", {len(self.differences)} differences" + (f": {shown}" if shown else "")
                + (f" and {more:,} more" if more > 0 else ""))

    def _repr_html_(self) -> str:
        title = f"<p>{html.escape(repr(self))}</p>"
        return title + (self._found.html() if self._found else "")


class Review(Sequence[ReviewPair]):
    """Pairs to look at: duplicates, those nearest to the threshold first; then rejected pairs, the
    same way; then exact copies."""

    def __init__(self, pairs: list[ReviewPair]) -> None:
        self._pairs = pairs

    def __len__(self) -> int:
        return len(self._pairs)

    @overload
    def __getitem__(self, index: int) -> ReviewPair: ...

    @overload
    def __getitem__(self, index: slice) -> Review: ...

    def __getitem__(self, index: int | slice) -> ReviewPair | Review:
        if isinstance(index, slice):
            return Review(self._pairs[index])
        return self._pairs[index]

    def __repr__(self) -> str:
        return "\n".join([f"Review({len(self)} pairs)", *map(repr, self)])

    def _repr_html_(self) -> str:
        return "".join(pair._repr_html_() for pair in self)


def review_of(verdicts: list[Verdict], found: list[Named], words: _core.Analyzer) -> Review:
    """Of pairs whose documents follow one another."""
    return Review([ReviewPair(verdict, words, *found[2 * i:2 * i + 2])
                   for i, verdict in enumerate(verdicts)])


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:19] + "…" + text[-20:]


def read_rows(table: bytes) -> tuple[str, list[dict[str, bytes]]]:
    """The measure, and the rows of a table of nd_output_options.review."""
    lines = table.split(b"\n")
    names = lines[0].decode().split("\t")
    return names[2], [dict(zip(names, map(_unescaped, line.split(b"\t")))) for line in lines[1:-1]]


def _unescaped(field: bytes) -> bytes:
    return _ESCAPED.sub(lambda found: _MEANT[found[1]], field) if b"\\" in field else field


def verdict_of(row: dict[str, bytes], measure: str) -> Verdict:
    return Verdict(row["verdict"].decode(), measure, float(row[measure]), int(row["pairs"]))


def nearest(rows: list[dict[str, bytes]], count: int) -> list[dict[str, bytes]]:
    """Of rows in the order of the table: half of them duplicates and half rejected pairs, as far as
    there are so many; then copies."""
    duplicates, rejected, copies = ([row for row in rows if row["verdict"] == verdict]
                                    for verdict in (b"duplicate", b"rejected", b"copy"))
    of_rejected = min(len(rejected), max(count // 2, count - len(duplicates)))
    shown = duplicates[:count - of_rejected] + rejected[:of_rejected]
    return shown + copies[:count - len(shown)]


# ---- documents


class Place(NamedTuple):
    """Where a document is: a line of a source, or its number in memory. Line 0: in an index."""

    id: bytes
    source: bytes
    line: int

    @property
    def name(self) -> str:
        """Its id, which need not be UTF-8."""
        return self.id.decode(errors="backslashreplace")


def places_of(row: dict[str, bytes]) -> list[Place]:
    return [Place(row[f"id_{side}"], row[f"source_{side}"], int(row[f"line_{side}"] or 0))
            for side in "ab"]


def find_documents(source: Source, found: dict[str, Any], reading: dict[str, Any],
                   places: list[Place]) -> list[Named]:
    """Names and texts of documents of a job that found something. reading: the options by which it
    read them."""
    if source.paths is None:
        return _in_memory(source, found, places)
    return _in_files(places, lambda options: source.call(_core.texts, {**reading, **options}))


def _in_memory(source: Source, found: dict[str, Any], places: list[Place]) -> list[Named]:
    rows = _rows_of(np.array([place.line for place in places], np.int64),
                    numbers(found["skipped"], np.int64))
    mine = np.unique(rows[rows >= 0])
    texts = (source.texts_of(mine, found["row_count"]) if source.select is not None and len(mine)
             else {})
    ids = source.ids() if source.ids is not None else None
    names = [place.name if row < 0 or (ids is None and source.id is not None) else
             row if ids is None else ids[row].as_py()
             for place, row in zip(places, rows.tolist())]
    return [Named(name, texts.get(row)) for name, row in zip(names, rows.tolist())]


def _rows_of(lines: np.ndarray, skipped: np.ndarray) -> np.ndarray:
    """The rows of documents by their numbers, from 1; -1 for number 0. Rows that were left out have
    no numbers."""
    documents = lines - 1
    before = np.searchsorted(skipped - np.arange(len(skipped)), documents, side="right")
    rows: np.ndarray = np.where(documents < 0, -1, documents + before)
    return rows


def _in_files(places: list[Place], call: Callable[[dict[str, Any]], Any]) -> list[Named]:
    wanted = sorted({(place.line, place.source) for place in places if place.line})
    texts: dict[tuple[int, bytes], str] = {}
    if wanted:
        found = call({"places": wanted})
        offsets, data = (bytes(memoryview(part)) for part in found["texts"])
        ends = np.frombuffer(offsets, np.int64)
        for i, index in enumerate(np.frombuffer(memoryview(found["found"]), np.int64)):
            texts[wanted[index]] = data[ends[i]:ends[i + 1]].decode(errors="replace")
    return [Named(place.name, texts.get((place.line, place.source))) for place in places]
