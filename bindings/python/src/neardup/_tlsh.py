"""TLSH digests of texts, their distance, and exact search among them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import _core
from ._errors import ArgumentError
from ._options import given
from ._progress import Progress, receiver
from ._results import numbers, texts
from ._sources import open_source


@overload
def tlsh(data: str | bytes, *, buckets: Literal[128, 256] = 128,
         checksum: Literal[1, 3] = 1) -> str | None: ...


@overload
def tlsh(data: Any, *, buckets: Literal[128, 256] = 128, checksum: Literal[1, 3] = 1,
         text: str = "text", nulls: Literal["error", "skip"] = "error",
         invalid: Literal["fail", "replace", "skip"] = "fail", memory: int = 1 << 30,
         threads: int = 0, progress: Progress = None) -> pa.Array: ...


def tlsh(data: Any, *, buckets: Literal[128, 256] = 128, checksum: Literal[1, 3] = 1,
         text: str = "text", nulls: Literal["error", "skip"] = "error",
         invalid: Literal["fail", "replace", "skip"] = "fail", memory: int = 1 << 30,
         threads: int = 0, progress: Progress = None) -> Any:
    """The TLSH digest (Oliver, Cheng, Chen 2013) of a text: "T1" and hexadecimal digits. It is the
    digest of the text's bytes in UTF-8 that other TLSH programs make. None: fewer than 50 bytes, or
    too little variety. Of many texts, an Arrow array of digests, where null stands for None.

    >>> import neardup as nd
    >>> nd.tlsh("It rains in Ulm, and the bridge over the river is closed until Friday.")
    'T18AA02202E38C0B3280A2802E03AFC08C030008FAC80C0A00CCCAF20A8B8202C82B20A0'
    >>> nd.tlsh(["It rains."]).to_pylist()
    [None]

    data      a str or bytes; or documents as of :func:`dedup` (a file is a ``pathlib.Path`` here)
    buckets   128 or 256: of each a digest has 2 bits
    checksum  bytes of the checksum, 1 or 3
    """
    options = given(buckets=buckets, checksum=checksum)
    if isinstance(data, (str, bytes)):
        return _core.tlsh(data, options)
    source = open_source(data, text, None)
    options.update(nulls=nulls, invalid=invalid, memory=memory, threads=threads)
    with receiver(progress) as options["progress"]:
        found = source.call(_core.tlsh_texts, options)
    digests = texts(found["digests"])
    rows = pa.array([""] * (found["row_count"] - len(digests)), digests.type)
    digests = pa.concat_arrays([digests, rows])
    return pc.if_else(pc.equal(digests, ""), None, digests)


def tlsh_distance(a: str, b: str, *, length: bool = True) -> int:
    """The distance of two digests of one variant, with "T1" or without: 0 for equal digests, with
    128 buckets at most 2473. length: whether the lengths of the texts count.

    >>> import neardup as nd
    >>> nd.tlsh_distance(*map(nd.tlsh, (
    ...     "It rains in Ulm, and the bridge over the river is closed until Friday.",
    ...     "It rains in Ulm, and the bridge over the river is closed until Sunday.")))
    42
    """
    return _core.tlsh_distance(a, b, length)


class TlshMatch(NamedTuple):
    """A digest of an index that is near another one."""

    id: Any  # as given, or the position
    distance: int
    digest: str


class TlshIndex:
    """TLSH digests with their ids, in memory. A search finds all digests within a distance of a
    query, exactly. It never changes; any number of threads may search.

    >>> import neardup as nd
    >>> texts = [f"It rains in Ulm, and the {what} over the river is closed until Friday."
    ...          for what in ("bridge", "Bridge", "new bridge")]
    >>> index = nd.TlshIndex(nd.tlsh(texts))
    >>> [(near.id, near.distance) for near in index.query(nd.tlsh(texts[0]), 30)]
    [(0, 0), (1, 10)]
    >>> index.join(30).to_pylist()
    [{'id_a': 0, 'id_b': 1, 'distance': 10}]

    digests  str, all of one variant: a list, an array of NumPy or Arrow, or a column. Rows that are
             None are in no result.
    ids      for each digest, all str or all int; None: the positions
    """

    def __init__(self, digests: Any, ids: Iterable[Any] | None = None) -> None:
        column = _column(digests, "digests")
        self._digests, rows = _present(column)
        self._ids = pa.array(rows) if ids is None else _ids(ids, len(column)).take(pa.array(rows))
        self._handle = _core.tlsh_index(*_buffers(self._digests))

    @overload
    def query(self, q: str, k: int, *, length: bool = True) -> list[TlshMatch]: ...

    @overload
    def query(self, q: Any, k: int, *, length: bool = True, threads: int = 0,
              progress: Progress = None) -> pa.Table: ...

    def query(self, q: Any, k: int, *, length: bool = True, threads: int = 0,
              progress: Progress = None) -> Any:
        """The digests within the distance k of a query, a str, as a list, the nearest first; or of
        each of many queries as a table with a row for each match: query (its position), id,
        distance. Queries of another variant find nothing. length: whether lengths count. threads 0:
        all cores."""
        if not isinstance(q, str):
            queries, rows = _present(_column(q, "digests"))
            found = self._search(queries, k, length, threads, progress)
            return pa.table({"query": rows[numbers(found["a"], np.int64)],
                             "id": self._taken(found["b"]),
                             "distance": numbers(found["distance"], np.uint32)})
        found = self._search(pa.array([q], pa.large_string()), k, length, 1, False)
        digests = self._digests.take(pa.array(numbers(found["b"], np.int64)))
        return [TlshMatch(*each) for each in zip(
            self._taken(found["b"]).to_pylist(), numbers(found["distance"], np.uint32).tolist(),
            digests.to_pylist())]

    def join(self, k: int, *, other: Any = None, length: bool = True, threads: int = 0,
             progress: Progress = None) -> pa.Table:
        """All pairs within the distance k, each once: id_a, id_b, distance. other: pairs of a digest
        of the index and one of this array; id_b is the position in it."""
        if other is not None:
            found = self.query(other, k, length=length, threads=threads, progress=progress)
            return pa.table({"id_a": found["id"], "id_b": found["query"],
                             "distance": found["distance"]})
        found = self._search(self._digests, k, length, threads, progress, join=True)
        return pa.table({"id_a": self._taken(found["a"]), "id_b": self._taken(found["b"]),
                         "distance": numbers(found["distance"], np.uint32)})

    def _search(self, queries: pa.Array, k: int, length: bool, threads: int, progress: Progress,
                join: bool = False) -> dict[str, Any]:
        offsets, data = _buffers(queries)
        options = given(offsets=offsets, bytes=data, k=k, with_length=length, join=join,
                        threads=threads or len(os.sched_getaffinity(0)))
        with receiver(progress) as options["progress"]:
            return self._handle.query(options)

    def _taken(self, positions: _core.Buffer) -> pa.Array:
        return self._ids.take(pa.array(numbers(positions, np.int64)))

    def __len__(self) -> int:
        return len(self._digests)

    def __reduce__(self) -> tuple[Any, ...]:
        return TlshIndex, (self._digests, self._ids)

    def __repr__(self) -> str:
        return f"TlshIndex({len(self):,} digests)"


def _present(column: pa.Array) -> tuple[pa.Array, np.ndarray]:
    """The digests that are not null, as large_string, and their rows."""
    try:
        column = column.cast(pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ArgumentError(f"digests must be str, not {column.type}") from None
    rows = np.flatnonzero(np.asarray(column.is_valid()))
    return column.drop_null(), rows


def _column(values: Any, name: str) -> pa.Array:
    if not hasattr(values, "__len__"):
        values = list(values)
    try:
        column = pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError) as problem:
        raise ArgumentError(f"{name} must all be of one type: {problem}") from None
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _ids(ids: Iterable[Any], count: int) -> pa.Array:
    column = _column(ids, "ids")
    if len(column) != count:
        raise ArgumentError(f"there are {count:,} digests and {len(column):,} ids")
    return column


def _buffers(digests: pa.Array) -> tuple[Any, Any]:
    """Offsets of 64 bits, and bytes."""
    if len(digests) == 0:
        return np.zeros(1, np.int64), b""
    _, offsets, data = digests.buffers()
    begin = digests.offset  # of a slice
    return np.frombuffer(offsets, np.int64)[begin:begin + len(digests) + 1], data or b""
