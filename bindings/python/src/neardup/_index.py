"""An index of documents that grows, on disk or in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import pyarrow as pa

from . import _core
from ._core import Match
from ._options import Analyzer, given
from ._progress import Progress, receiver
from . import _results
from ._results import numbers
from ._sources import open_source
from ._stored_index import StoredIndex

if TYPE_CHECKING:
    from ._dedup import Dedup

Kind = Literal["all", "best", "first"]
_KINDS = {"all": 0, "best": 1, "first": 2}


class Index(StoredIndex):
    """Documents that are pairwise no near-duplicates. ``Index()`` lives in memory alone;
    :meth:`create` and :meth:`open` are for a directory. One process writes at a time, any number
    read. Several threads may use one object.

    >>> import neardup as nd
    >>> with nd.Index(threshold=0.7) as index:
    ...     index.add_unless_duplicate("a", "the cat sat on the mat and looked at the dog")
    ...     index.add_unless_duplicate("b", "The cat sat on the mat, and looked at the dog.")
    ...     index.query("the cat sat on the mat and looked at the dog")
    neardup.Match(id='a', similarity=1.0, intersection=7, union=7, estimated=False)
    [neardup.Match(id='a', similarity=1.0, intersection=7, union=7, estimated=False)]
    """

    _handle: _core.Index

    def __init__(self, *, threshold: float = 0.8, recall: float = 0.999, perms: int = 128,
                 analyzer: Analyzer = "words", ngram: int = 5, seed: int = 1,
                 sketch_only: bool = False) -> None:
        self._start(_core.index_in_memory(
            given(threshold=threshold, recall=recall, perms=perms, analyzer=analyzer, ngram=ngram,
                  seed=seed, sketch_only=sketch_only)))

    @classmethod
    def create(cls, path: str | os.PathLike[str], *, threshold: float = 0.8, recall: float = 0.999,
               perms: int = 128, analyzer: Analyzer = "words", ngram: int = 5, seed: int = 1,
               sketch_only: bool = False) -> Index:
        """Makes an empty index in a directory of its own, and opens it for writing.

        threshold    least Jaccard similarity of a duplicate
        recall       probability of finding a pair at the threshold
        perms        MinHash functions, 1 to 1024
        analyzer     tokens: "words" or "chars"; ``ngram`` of them are a shingle
        seed         key of all hashes
        sketch_only  store no shingle sets: half the bytes, but similarities are estimates
        """
        _core.index_create(path, given(threshold=threshold, recall=recall, perms=perms,
                                       analyzer=analyzer, ngram=ngram, seed=seed,
                                       sketch_only=sketch_only))
        return cls.open(path)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, read_only: bool = False) -> Index:
        """Opens an index for reading and writing. read_only: the state at the opening."""
        return cls._make(_core.index_open(path, not read_only), path, read_only)

    def add(self, data: Any, **options: Any) -> Dedup:
        """Adds many documents: those that duplicate neither the index nor an earlier one of them.
        The result tells which rows were added (``kept``). ``options`` as of :func:`dedup`; the
        threshold and the analyzer are those of the index.

        >>> import neardup as nd
        >>> index = nd.Index()
        >>> index.add([("a", "first text"), ("b", "second text"), ("c", "First text!")]).kept.tolist()
        [True, True, False]
        """
        from ._dedup import dedup

        info = self.info
        own = {name: info[name] for name in ("threshold", "recall", "perms", "analyzer", "ngram",
                                             "seed")}
        return dedup(data, index=self, **{**own, **options})

    def add_unless_duplicate(self, id: str, text: str, *, replace: bool = False) -> Match | None:
        """Adds one document. Returns None, or the document of the index that it duplicates; then it
        is not added. replace: it replaces the document with the same id."""
        return self._handle.add(id, text, replace)

    @overload
    def query(self, texts: str, *, kind: Kind = "all") -> list[Match]: ...

    @overload
    def query(self, texts: Any, *, kind: Kind = "all", text: str = "text",
              id: str | None = "id", max_compare: int = 1000,
              nulls: Literal["error", "skip"] = "error", memory: int = 1 << 30, threads: int = 0,
              progress: Progress = None) -> pa.Table: ...

    def query(self, texts: Any, *, kind: Kind = "all", **options: Any) -> Any:
        """The near-duplicates of a text, as a list; or of each of many texts, as a table with a row
        for each match: query (the id, or the row number), id, jaccard, intersection and union.

        kind    "all": the most similar first; "best": the first of these; "first": the one that
                was added first
        texts   a str, or documents as of :func:`dedup` (a file is a ``pathlib.Path`` here)
        """
        if isinstance(texts, str):
            return self._handle.search(texts, _KINDS[kind])
        return self._query_many(texts, kind=kind, **options)

    def _query_many(self, data: Any, *, kind: Kind, text: str = "text", id: str | None = "id",
                    max_compare: int = 1000, nulls: str = "error", memory: int = 1 << 30,
                    threads: int = 0, progress: Progress = None) -> pa.Table:
        source = open_source(data, text, id)
        options = given(kind=kind, max_compare=max_compare, nulls=nulls, memory=memory,
                        threads=threads)
        options["with_ids"] = source.ids is None and source.id is not None
        with receiver(progress) as options["progress"]:
            found = source.call(self._handle.query, options)
        rows = numbers(found["rows"], np.int64)
        query: Any = rows
        if options["with_ids"]:
            query = _results.texts(found["query_ids"])
        elif source.ids is not None:
            query = source.ids().take(pa.array(rows))
        return pa.table({"query": query, "id": _results.texts(found["ids"]),
                         "jaccard": numbers(found["jaccard"], np.float64),
                         "intersection": numbers(found["intersection"], np.uint64),
                         "union": numbers(found["union"], np.uint64)})

    def remove(self, ids: str | Iterable[str]) -> int:
        """Removes documents. Returns how many of the ids the index had."""
        return self._remove([ids] if isinstance(ids, str) else ids)

    def __len__(self) -> int:
        return int(self.info["documents"])

    def __repr__(self) -> str:
        try:
            info = self.info
        except ValueError:
            return "Index(closed)"
        return (f"Index({self._path or 'in memory'}: {info['documents']:,} documents, "
                f"threshold {info['threshold']:g}, {info['analyzer']}, ngram {info['ngram']})")
