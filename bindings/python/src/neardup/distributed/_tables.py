"""From documents to the edges of small buckets: the tables that every way of deciding begins with.

Names of columns: doc, the number of a document; a, b, the documents of a pair; rank, the place of a
document in the order, counted among the documents that have a candidate; id, order_0, order_1, ...,
the caller's columns.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from .._errors import InputError
from ._arrays import array
from ._buckets import BUCKETS, ENTRIES, buckets, entries
from ._copies import COPIES, copies
from ._decisions import DECIDED
from ._engine import Engine, Run
from ._pairs import EDGES, PAIRS, near, verify
from ._settings import Batches, Settings
from ._sketching import sketch, sketch_schema


class Tables:
    """sketches, of all documents of the run; copies, the exact ones; edges, of small buckets: a, b,
    intersection, union; members, of large buckets: bucket, doc."""

    def __init__(self, engine: Engine, s: Settings, documents: Any, schema: pa.Schema,
                 earlier: Sequence[Run] = ()) -> None:
        self.engine, self.earlier = engine, earlier
        self.sketches = engine.save_sketches(lambda: engine.map(
            documents, functools.partial(sketch, s), sketch_schema(s, schema)), s.first_part)
        self.s = dataclasses.replace(s, partitions=engine.partitions)
        self.copies = engine.save("copies", self._copies)
        self.has_copies = engine.first(self.copies) is not None
        self._buckets = engine.save("buckets", self._make_buckets)
        self.edges = engine.save("edges", self._edges)
        self.members = engine.map(self._buckets, _members, _MEMBERS)

    def all(self, **columns: str) -> Any:
        """Columns of the documents of this run, and of those that stayed in earlier ones."""
        return self._with_earlier(self.engine.select(self.sketches, **columns), **columns)

    def _with_earlier(self, own: Any, **columns: str) -> Any:
        engine = self.engine
        tables = [own]
        for run in self.earlier:
            stayed = engine.join(run.sketches, engine.select(run.removed, doc="doc"), ["doc"],
                                 "left anti")
            tables.append(engine.select(stayed, **columns))
        return _union(engine, tables)

    def look_up(self, table: Any, doc: str, **columns: str) -> Any:
        """Adds columns (new=old) of the documents that a column names. A document is in one of the
        tables of sketches, which stay where they are."""
        engine = self.engine
        return _union(engine, [
            engine.join(table, engine.select(sketches, **{doc: "doc", **columns}), [doc])
            for sketches in (self.sketches, *(run.sketches for run in self.earlier))])

    def look_up_both(self, pairs: Any, *columns: str) -> Any:
        for side in "ab":
            pairs = self.look_up(pairs, side, **{f"{name}_{side}": name for name in columns})
        return pairs

    def _copies(self) -> Any:
        engine, s = self.engine, self.s
        repeated = engine.repeated(self.all(id="id"), "id")
        if repeated is not None:
            raise InputError(f"id {repeated!r} is in several rows; ids must differ")
        hashes = ["hash_high", "hash_low"]
        order = [*hashes, "run", *s.order_names, "doc"]
        light = self.all(**{name: name for name in order})
        return engine.map(engine.exchange(light, hashes, order), copies, COPIES)

    def _make_buckets(self) -> Any:
        engine, s = self.engine, self.s
        firsts = engine.select(self.sketches, doc="doc", bands="bands")
        if self.has_copies:
            firsts = engine.join(firsts, engine.select(self.copies, doc="doc"), ["doc"],
                                 "left anti")
        firsts = self._with_earlier(firsts, doc="doc", bands="bands")
        packed = engine.map(firsts, functools.partial(entries, s), ENTRIES)
        return engine.map(engine.exchange(packed, ["part"], ["part"]),
                          functools.partial(buckets, s), BUCKETS)

    def _edges(self) -> Any:
        engine, s = self.engine, self.s
        candidates = engine.distinct(engine.map(self._buckets, _pairs, PAIRS))
        likely = engine.map(self.look_up_both(candidates, "sketch"), functools.partial(near, s),
                            PAIRS)
        return engine.map(self.look_up_both(likely, "sketch", "set"), functools.partial(verify, s),
                          EDGES)

    def rank(self, *more: Any) -> tuple[Any, int]:
        """The ranks (doc, rank) of documents with candidates, and of those of the tables `more`
        (doc), and how many they are. Those of earlier runs come first."""
        engine, s = self.engine, self.s
        tables = [engine.select(self.edges, doc="a"), engine.select(self.edges, doc="b"),
                  engine.select(self.members, doc="doc"), *more]
        named = self.look_up(engine.distinct(engine.union(tables)), "doc", run="run",
                             **{name: name for name in s.order_names})
        ranks, count = engine.rank(named, ["run", *s.order_names, "doc"])
        return engine.select(ranks, doc="doc", rank="rank"), count

    def ranked_edges(self, ranks: Any) -> Any:
        """The edges as later, earlier, intersection, union."""
        return self.engine.map(by_rank(self.engine, self.edges, ranks, "a", "b"), _ordered, DECIDED)

    def by_doc(self, edges: Any, ranks: Any) -> Any:
        """Edges between ranks as doc, kept, intersection, union."""
        engine = self.engine
        for new, old in (("doc", "later"), ("kept", "earlier")):
            edges = engine.join(edges, engine.select(ranks, **{old: "rank", new: "doc"}), [old])
        return engine.select(edges, doc="doc", kept="kept", intersection="intersection",
                             union="union")


def _union(engine: Engine, tables: list[Any]) -> Any:
    return engine.union(tables) if len(tables) > 1 else tables[0]


def by_rank(engine: Engine, table: Any, ranks: Any, *docs: str) -> Any:
    """Adds rank_X for each column X of documents."""
    for doc in docs:
        table = engine.join(table, engine.select(ranks, **{doc: "doc", f"rank_{doc}": "rank"}),
                            [doc])
    return table


_MEMBERS = pa.schema([("bucket", pa.int64()), ("doc", pa.int64())])


def _members(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        large = pa.array(array(batch, "bucket") != -1)
        yield pa.record_batch(batch.select(["bucket", "a"]).filter(large).columns, schema=_MEMBERS)


def _pairs(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        small = pa.array(array(batch, "bucket") == -1)
        yield batch.select(["a", "b"]).filter(small)


def _ordered(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        a, b = array(batch, "rank_a"), array(batch, "rank_b")
        yield pa.record_batch([np.maximum(a, b), np.minimum(a, b), batch.column("intersection"),
                               batch.column("union")], schema=DECIDED)
