"""A stream of documents, clustered at their arrival."""

from __future__ import annotations

import math
import os
from datetime import datetime
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from . import _core
from ._core import Answer
from ._options import Analyzer, given
from ._progress import Progress, receiver
from ._results import html_table, numbers, texts
from ._sources import open_source


class Stream:
    """Leader clustering (Hartigan 1975) of documents as they arrive: each joins the nearest cluster
    within reach, or founds one, which is named by the document's id. The state is a directory; what
    is synced survives a crash. One process writes, any number read; one thread at a time uses an
    object.

    >>> import neardup as nd, tempfile
    >>> with tempfile.TemporaryDirectory() as state, nd.Stream(state, threshold=0.5) as stream:
    ...     a = stream.add("a", "storm hits the coast of the island, ferries stop until tomorrow")
    ...     b = stream.add("b", "Storm hits the coast of the island; ferries stop until tomorrow!")
    ...     (a.cluster, a.is_new), (b.cluster, b.is_new)
    (('a', True), ('a', False))
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False, topics: int = 0,
                 sketch: Literal["minhash", "simhash"] | None = None,
                 mode: Literal["leader", "follow"] | None = None, threshold: float | None = None,
                 recall: float | None = None, perms: int | None = None, k: int | None = None,
                 bits: int | None = None, weights: str | None = None, stop: Any = None,
                 analyzer: Analyzer | None = None, ngram: int | None = None,
                 seed: int | None = None, stem: str | None = None, dictionary: Any = None,
                 expire: float | None = None) -> None:
        """Opens the stream of a directory; for writing, a missing one is made.

        read_only  the state at the opening; nothing can be added
        topics     how many topics each answer tells, at most 10

        Options of a new stream; those of an existing one must be equal, and without any the stream
        has its own:

        sketch     "minhash" (default) or "simhash"
        mode       simhash: "leader" (default), the centre of a cluster is its first document;
                   "follow", each bit is that of most of its documents
        threshold, recall, perms   minhash: as of :class:`Index`
        k, bits, weights, stop     simhash: as of :class:`SimHash`; k is the largest distance
        analyzer, ngram, seed, stem, dictionary   as of :func:`dedup`; ngram is 1 with simhash
        expire     seconds after which a cluster that does not grow is forgotten; 0: never
        """
        options = given(sketch=sketch, mode=mode, threshold=threshold, recall=recall, perms=perms,
                        k=k, bits=bits, weights=weights, stop=stop, analyzer=analyzer, ngram=ngram,
                        seed=seed, stem=stem, dictionary=dictionary, expire=expire)
        if options.get("sketch") == "simhash":
            options.setdefault("ngram", 1)
        self._path = os.fspath(path)
        self._handle = _core.stream_open(path, not read_only, options or None, topics)

    def add(self, id: str, text: str, time: float | datetime | None = None) -> Answer:
        """Adds a document and returns its cluster. The change is durable after :meth:`sync`.

        time    seconds, or a datetime, for ``expire``
        """
        seconds = time.timestamp() if isinstance(time, datetime) else time
        return self._handle.add(id, text, math.nan if seconds is None else float(seconds))

    def add_all(self, data: Any, *, text: str = "text", id: str | None = "id",
                time: str | None = None, nulls: Literal["error", "skip"] = "error",
                memory: int = 1 << 30, threads: int = 0, progress: Progress = None) -> pa.Table:
        """Adds many documents, analyzed on several threads: a table with a row for each, in order:
        id, cluster, is_new, and similarity or distance. The documents must have ids, str or int.
        They are durable when the call returns."""
        source = open_source(data, text, id, [time] if time is not None else [])
        options = given(nulls=nulls, memory=memory, threads=threads)
        if time is not None:
            options["time" if source.paths is not None else "value"] = time
        with receiver(progress) as options["progress"]:
            found = source.call(self._handle.run, options)
        columns = {"id": texts(found["ids"]), "cluster": texts(found["clusters"]),
                   "is_new": numbers(found["is_new"], np.bool_)}
        if self.info["sketch"] == "minhash":
            columns["similarity"] = numbers(found["similarity"], np.float64)
        else:
            columns["distance"] = numbers(found["distance"], np.uint32)
        return pa.table(columns)

    def clusters(self, least: int = 1, *, topics: int = 5, members: bool = False) -> pa.Table:
        """The clusters of at least ``least`` documents, the largest first: cluster, central (id of
        the document nearest to the centre), size, founded, grown (numbers of the first and the last
        document), founded_time, grown_time, topics (terms and weights), and with ``members`` the
        ids of all documents."""
        found = self._handle.clusters(least, topics, members)
        schema = [("cluster", pa.string()), ("central", pa.string()), ("size", pa.uint64()),
                  ("founded", pa.uint64()), ("grown", pa.uint64()),
                  ("founded_time", pa.float64()), ("grown_time", pa.float64()),
                  ("topics", pa.list_(pa.struct([("term", pa.string()), ("weight", pa.float64())])))]
        if members:
            schema.append(("members", pa.list_(pa.string())))
        for cluster in found:
            cluster["topics"] = [{"term": term, "weight": weight}
                                 for term, weight in cluster["topics"]]
        return pa.Table.from_pylist(found, schema=pa.schema(schema))

    def sync(self) -> None:
        """Makes all added documents durable."""
        self._handle.sync()

    def close(self) -> None:
        """Makes all added documents durable and frees the stream. Closing again does nothing."""
        self._handle.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def info(self) -> dict[str, Any]:
        """The options of the stream, and its numbers of documents, clusters and bytes."""
        return self._handle.describe()

    def __len__(self) -> int:
        return int(self.info["documents"])

    def __repr__(self) -> str:
        try:
            info = self.info
        except ValueError:
            return "Stream(closed)"
        return (f"Stream({self._path}: {info['documents']:,} documents in {info['clusters']:,} "
                f"clusters, {info['sketch']})")

    def _repr_html_(self) -> str:
        return html_table(self.clusters(topics=5).slice(0, 10).select(
            ["cluster", "size", "topics"]).to_pylist(), repr(self))
