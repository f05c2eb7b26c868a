"""An index of fingerprints that grows: exact Hamming search and joins."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, overload

import numpy as np
import pyarrow as pa

from . import _core
from ._core import Near
from ._errors import ArgumentError
from ._options import given
from ._progress import Progress, receiver
from ._results import numbers, texts
from ._stored_index import StoredIndex


class HammingIndex(StoredIndex):
    """Fingerprints with their ids. A search finds all fingerprints within ``k`` bits of a query,
    exactly (Manku, Jain, Das Sarma 2007). Ids are str, or positions from 0 (``ids=None``).

    >>> import neardup as nd, numpy as np
    >>> index = nd.HammingIndex.build(np.array([0b0000, 0b0011, 0b1111], np.uint64), k=3)
    >>> [(near.id, near.distance) for near in index.query(0b0001, k=1)]
    [(0, 1), (1, 1)]
    >>> index.join(k=2).to_pylist()
    [{'id_a': 0, 'id_b': 1, 'distance': 2}, {'id_a': 1, 'id_b': 2, 'distance': 2}]
    """

    _handle: _core.HammingIndex
    bits: int
    k: int

    def __init__(self, *, bits: int = 64, k: int = 3, numbered: bool = False,
                 table_memory: int | None = None) -> None:
        """An empty index in memory. numbered: ids are positions."""
        self._start(_core.hamming_in_memory(given(bits=bits, k=k, numbered=numbered,
                                                  table_memory=table_memory)))

    def _start(self, handle: _core.HammingIndex, path: Any = None, read_only: bool = False) -> None:
        super()._start(handle, path, read_only)
        info = handle.describe()
        self.bits, self.k, self._numbered = info["bits"], info["k"], info["numbered"]

    @classmethod
    def build(cls, fingerprints: Any, ids: Iterable[str] | None = None, *, k: int = 3,
              bits: int | None = None, path: str | os.PathLike[str] | None = None,
              table_memory: int | None = None, progress: Progress = None) -> HammingIndex:
        """Makes an index of fingerprints, in memory or in a directory of its own.

        fingerprints  of shape (n,), unsigned; for 128 bits of shape (n, 2), the low half first
        ids           a str for each; None: the positions
        k             largest distance of the tables, 0 to bits / 4
        bits          16, 32, 64 or 128; by default as the array says
        path          a directory that is missing or empty; None: in memory
        """
        data = _numbers(fingerprints)
        bits = _bits_of(data) if bits is None else bits
        options = given(bits=bits, k=k, numbered=ids is None, table_memory=table_memory)
        words = _words(data, bits)
        if path is None:
            index = cls._make(_core.hamming_in_memory(options))
        else:
            _core.hamming_create(path, options)
            index = cls._make(_core.hamming_open(path, True), path)
        index._load(words, ids, False, progress)
        return index

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, read_only: bool = False) -> HammingIndex:
        """Opens an index for reading and writing. read_only: the state at the opening."""
        return cls._make(_core.hamming_open(path, not read_only), path, read_only)

    def add(self, fingerprints: Any, ids: Iterable[str] | None = None, *, replace: bool = False,
            progress: Progress = None) -> None:
        """Adds fingerprints: all of them, or, after a failure, none. Positions as ids continue
        behind the last one. replace: a fingerprint replaces the one with the same id."""
        self._load(_words(_numbers(fingerprints), self.bits), ids, replace, progress)

    def _load(self, words: np.ndarray, ids: Iterable[str] | None, replace: bool,
              progress: Progress) -> None:
        if self._numbered and ids is not None:
            raise ArgumentError("the ids of this index are positions: ids must be None")
        if not self._numbered and ids is None:
            raise ArgumentError("the ids of this index are str: ids must be given")
        options: dict[str, Any] = {"words": words, "ids": _id_buffers(ids), "replace": replace}
        with receiver(progress) as options["progress"]:
            self._handle.load(options)

    @overload
    def query(self, q: int, k: int | None = None) -> list[Near]: ...

    @overload
    def query(self, q: Any, k: int | None = None, *, threads: int = 0,
              progress: Progress = None) -> pa.Table: ...

    def query(self, q: Any, k: int | None = None, *, threads: int = 0,
              progress: Progress = None) -> Any:
        """The fingerprints within k bits (default: those of the index) of a query, an int, as a
        list, the nearest first; or of each of many queries, an array, as a table with a row for
        each match: query (its position), id, distance. A k above that of the index scans it."""
        return self._search(q, {"kind": "all", "k": self.k if k is None else k}, threads, progress)

    @overload
    def nearest(self, q: int, k: int | None = None, *, limit: int = 1) -> list[Near]: ...

    @overload
    def nearest(self, q: Any, k: int | None = None, *, limit: int = 1, threads: int = 0,
                progress: Progress = None) -> pa.Table: ...

    def nearest(self, q: Any, k: int | None = None, *, limit: int = 1, threads: int = 0,
                progress: Progress = None) -> Any:
        """The first ``limit`` of :meth:`query`; k may be up to bits / 4."""
        k = self.bits // 4 if k is None else k
        return self._search(q, {"kind": "nearest", "limit": limit, "k": k}, threads, progress)

    @overload
    def count(self, q: int, k: int | None = None) -> int: ...

    @overload
    def count(self, q: Any, k: int | None = None, *, threads: int = 0,
              progress: Progress = None) -> np.ndarray: ...

    def count(self, q: Any, k: int | None = None, *, threads: int = 0,
              progress: Progress = None) -> Any:
        """How many fingerprints :meth:`query` finds; for many queries an array."""
        return self._search(q, {"kind": "count", "k": self.k if k is None else k}, threads, progress)

    def _search(self, q: Any, options: dict[str, Any], threads: int, progress: Progress) -> Any:
        if np.ndim(q) == 0:
            return self._handle.search(int(q), options)
        with receiver(progress) as on_progress:
            found = self._handle.query({**options, "words": _words(_numbers(q), self.bits),
                                        "threads": threads, "progress": on_progress})
        if options["kind"] == "count":
            return numbers(found["a"], np.int64)
        return pa.table({"query": numbers(found["a"], np.int64), "id": self._ids(found, "b"),
                         "distance": numbers(found["distance"], np.uint32)})

    def join(self, k: int | None = None, *, other: Any = None, memory: int = 1 << 30,
             work: Any = None, threads: int = 0, progress: Progress = None) -> pa.Table:
        """All pairs within k bits (0 to bits / 4), each once: id_a, id_b, distance. other: pairs of a
        fingerprint of the index and one of this array; id_b is the position in it. For many
        fingerprints a join takes less time than :meth:`query`."""
        words = {} if other is None else {"words": _words(_numbers(other), self.bits)}
        found = self._join("pairs", k, memory, work, threads, progress, **words)
        ids_b = self._ids(found, "b")
        return pa.table({"id_a": self._ids(found, "a"),
                         "id_b": ids_b if other is None else ids_b.cast(pa.int64()),
                         "distance": numbers(found["distance"], np.uint32)})

    def groups(self, k: int | None = None, *, memory: int = 1 << 30, work: Any = None,
               threads: int = 0, progress: Progress = None) -> pa.Table:
        """The connected components of the graph of all pairs within k bits: id and group, the id of
        the component's first fingerprint. Fingerprints that are near no other one are left out."""
        found = self._join("groups", k, memory, work, threads, progress)
        group, id = self._ids(found, "a"), self._ids(found, "b")
        first = group.unique()
        return pa.table({"id": pa.concat_arrays([first, id]),
                         "group": pa.concat_arrays([first, group])})

    def _join(self, kind: str, k: int | None, memory: int, work: Any, threads: int,
              progress: Progress, **words: np.ndarray) -> dict[str, Any]:
        options = given(join=kind, k=self.k if k is None else k, memory=memory, work=work,
                        threads=threads, **words)
        with receiver(progress) as options["progress"]:
            return self._handle.join(options)

    def _ids(self, found: dict[str, Any], side: str) -> pa.Array:
        return pa.array(numbers(found[side], np.int64)) if self._numbered else texts(
            found[f"ids_{side}"])

    def remove(self, ids: Any) -> int:
        """Removes fingerprints by id. Returns how many of the ids the index had."""
        many = [ids] if isinstance(ids, (str, int)) else ids
        return self._remove(str(id) for id in many)

    def __len__(self) -> int:
        return int(self.info["fingerprints"])

    def __repr__(self) -> str:
        try:
            count = len(self)
        except ValueError:
            return "HammingIndex(closed)"
        return (f"HammingIndex({self._path or 'in memory'}: {count:,} fingerprints of {self.bits} "
                f"bits, k {self.k})")


def _numbers(data: Any) -> np.ndarray:
    """NumPy makes floats of a list that mixes numbers below and above 2^63."""
    if hasattr(data, "dtype") or hasattr(data, "__arrow_array__"):
        return np.asarray(data)
    items = list(data)
    try:
        return np.array(items, np.uint64) if items else np.zeros(0, np.uint64)
    except (OverflowError, TypeError, ValueError):
        return np.asarray(items)


def _bits_of(data: np.ndarray) -> int:
    if data.ndim == 2:
        return 128
    return {2: 16, 4: 32}.get(data.dtype.itemsize, 64)


def _words(data: np.ndarray, bits: int) -> np.ndarray:
    """One word of 64 bits for each fingerprint, two for 128 bits."""
    if data.size and data.dtype.kind not in "iu":
        raise ArgumentError(f"fingerprints must be whole numbers, not {data.dtype}")
    if data.size and data.dtype.kind == "i" and data.min() < 0:
        raise ArgumentError("a fingerprint is below 0: fingerprints are unsigned")
    shape = (-1, 2) if bits == 128 else (-1,)
    if data.size and data.shape != (len(data), *shape[1:]):
        raise ArgumentError(f"fingerprints of {bits} bits have the shape (n{', 2' if bits == 128 else ','}), "
                            f"not {data.shape}")
    return np.ascontiguousarray(data.reshape(shape), dtype=np.uint64)


def _id_buffers(ids: Iterable[str] | None) -> tuple[Any, Any] | None:
    """Offsets of 64 bits and bytes of UTF-8."""
    if ids is None:
        return None
    try:
        column = pa.array(ids if hasattr(ids, "__arrow_array__") else list(ids), pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError) as problem:
        raise ArgumentError(f"ids must be str: {problem}") from None
    if column.null_count:
        raise ArgumentError("an id is null")
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if len(column) == 0:
        return np.zeros(1, np.int64), b""
    _, offsets, data = column.buffers()
    begin = column.offset  # of a slice
    return np.frombuffer(offsets, np.int64)[begin:begin + len(column) + 1], data or b""
