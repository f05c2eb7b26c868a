"""The order of the steps of dedup on many machines. An engine (Spark, Ray, or lists in this process)
has the tables; this file says which table becomes which, and knows no engine.

Names of columns: doc, the number of a document; a, b, the documents of a pair; rank, the place of a
document in the order, counted among the documents that have a candidate.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from . import distributed
from .distributed import Batches, Settings

Step = Callable[[Batches], Iterator[pa.RecordBatch]]


class Engine(Protocol):
    """What a flow needs of the machines. Tables are the engine's own."""

    def map(self, table: Any, step: Step, schema: pa.Schema) -> Any:
        """A step, once for each partition."""

    def number(self, table: Any, step: Callable[[int, Batches], Iterator[pa.RecordBatch]],
               schema: pa.Schema) -> Any:
        """The same; the step gets the number of the partition, too."""

    def exchange(self, table: Any, keys: list[str], sort: list[str]) -> Any:
        """Rows with equal keys in one partition, each partition sorted."""

    def join(self, left: Any, right: Any, on: list[str], how: str = "inner") -> Any:
        """how: "inner", "left outer", "left semi" or "left anti"."""

    def select(self, table: Any, **columns: str) -> Any:
        """new=old"""

    def union(self, tables: list[Any]) -> Any:
        """Of tables with the same columns."""

    def distinct(self, table: Any) -> Any: ...

    def rank(self, table: Any, order: list[str]) -> tuple[Any, int]:
        """Adds the column rank: 0, 1, ... in the order; and the number of rows."""

    def save(self, name: str, make: Callable[[], Any]) -> Any:
        """Writes a table down, once: a later run of the flow reads it."""

    def save_sketches(self, make: Callable[[], Any]) -> Any:
        """The same for the table of sketches, which is joined by doc again and again, and should not
        be moved for that."""

    def is_empty(self, table: Any) -> bool: ...

    def sum(self, table: Any, column: str) -> int: ...


@dataclasses.dataclass
class Found:
    """removed: doc, id, kept_id, intersection, union; a row per removed document."""

    removed: Any
    sketches: Any
    rounds: int
    left_out: int


def dedup(engine: Engine, documents: Any, schema: pa.Schema, s: Settings) -> Found:
    """`documents`: a table with the columns of the settings; `schema` is its Arrow schema."""
    sketches = engine.save_sketches(lambda: engine.number(
        documents, functools.partial(distributed.sketch, s), distributed.sketch_schema(s, schema)))
    copies = engine.save("copies", lambda: _copies(engine, s, sketches))
    buckets = engine.save("buckets", lambda: _buckets(engine, s, sketches, copies))
    pairs = engine.save("pairs", lambda: _edges(engine, s, sketches, buckets))
    members = engine.map(buckets, _members, _MEMBERS)
    ranks, count = engine.rank(_with_candidates(engine, sketches, s, pairs, members), s.order + [
        "doc"])
    ranks = engine.save("ranks", lambda: ranks)
    edges = _ranked(engine, pairs, ranks)
    decided = engine.save("decided", lambda: _decide(engine, count, edges))
    found = _Large(0, 0, decided)
    if not engine.is_empty(members):
        found = _search_large(engine, s, sketches, members, ranks, edges, decided, count)
    removed = engine.save("removed", lambda: _removed(engine, s, sketches, copies, ranks,
                                                      found.decided))
    return Found(removed, sketches, found.rounds, found.left_out)


# ---- copies and buckets


def _copies(engine: Engine, s: Settings, sketches: Any) -> Any:
    hashes = ["hash_high", "hash_low"]
    light = engine.select(sketches, **{name: name for name in [*hashes, *s.order, "doc"]})
    return engine.map(engine.exchange(light, hashes, [*hashes, *s.order, "doc"]),
                      distributed.copies, distributed.COPIES)


def _buckets(engine: Engine, s: Settings, sketches: Any, copies: Any) -> Any:
    firsts = engine.select(sketches, doc="doc", bands="bands")
    if not engine.is_empty(copies):
        firsts = engine.join(firsts, engine.select(copies, doc="doc"), ["doc"], "left anti")
    entries = engine.map(firsts, functools.partial(distributed.entries, s), distributed.ENTRIES)
    return engine.map(engine.exchange(entries, ["part"], ["part"]), distributed.buckets,
                      distributed.BUCKETS)


_MEMBERS = pa.schema([("bucket", pa.int64()), ("doc", pa.int64())])


def _members(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        large = pa.array(np.asarray(batch.column("bucket")) != -1)
        yield pa.record_batch(batch.select(["bucket", "a"]).filter(large).columns, schema=_MEMBERS)


def _pairs(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        small = pa.array(np.asarray(batch.column("bucket")) == -1)
        yield batch.select(["a", "b"]).filter(small)


# ---- pairs


def _edges(engine: Engine, s: Settings, sketches: Any, buckets: Any) -> Any:
    pairs = engine.distinct(engine.map(buckets, _pairs, distributed.PAIRS))
    for side in "ab":
        pairs = engine.join(pairs, engine.select(sketches, **{side: "doc", f"sketch_{side}":
                                                              "sketch"}), [side])
    pairs = engine.map(pairs, functools.partial(distributed.near, s), distributed.PAIRS)
    for side in "ab":
        pairs = engine.join(pairs, engine.select(sketches, **{
            side: "doc", f"sketch_{side}": "sketch", f"set_{side}": "set"}), [side])
    return engine.map(pairs, functools.partial(distributed.verify, s), distributed.EDGES)


def _with_candidates(engine: Engine, sketches: Any, s: Settings, pairs: Any, members: Any) -> Any:
    docs = engine.distinct(engine.union([engine.select(pairs, doc="a"), engine.select(
        pairs, doc="b"), engine.select(members, doc="doc")]))
    return engine.join(docs, engine.select(sketches, doc="doc", **{name: name for name in
                                                                  s.columns}), ["doc"])


def _ranked(engine: Engine, pairs: Any, ranks: Any) -> Any:
    """Edges by the ranks of their documents: later, earlier."""
    for side in "ab":
        pairs = engine.join(pairs, engine.select(ranks, **{side: "doc", f"rank_{side}": "rank"}),
                            [side])
    return engine.map(pairs, _by_rank, distributed.DECIDED)


def _by_rank(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        a, b = (np.asarray(batch.column(name)) for name in ("rank_a", "rank_b"))
        yield pa.record_batch([np.maximum(a, b), np.minimum(a, b), batch.column("intersection"),
                               batch.column("union")], schema=distributed.DECIDED)


def _decide(engine: Engine, count: int, edges: Any) -> Any:
    """On one machine: a bit per document, and the edges of 32 bytes stream through."""
    return engine.map(engine.exchange(edges, [], ["later", "earlier"]),
                      functools.partial(distributed.decide, count), distributed.DECIDED)


# ---- large buckets

_GROUPED = pa.schema([("hub", pa.int64()), ("rank", pa.int64()),
                      ("buckets", pa.list_(pa.int64()))])
_ASSUMED = pa.schema([*_GROUPED, ("assumed", pa.int8())])


def _group(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Members by rank, then hub: a row for each rank and hub, with its buckets. Rows of a rank are not
    parted, but may be in two batches: the last ones wait."""
    waiting: pa.Table | None = None
    for batch in batches:
        table = pa.Table.from_batches([batch])
        waiting = table if waiting is None else pa.concat_tables([waiting, table])
        ranks = waiting["rank"].to_numpy()
        ready = int(np.searchsorted(ranks, ranks[-1])) if len(ranks) else 0
        if ready:
            yield _grouped(waiting.slice(0, ready))
            waiting = waiting.slice(ready)
    if waiting is not None and len(waiting):
        yield _grouped(waiting)


def _grouped(table: pa.Table) -> pa.RecordBatch:
    rank, hub = (table[name].to_numpy() for name in ("rank", "hub"))
    begins = np.flatnonzero(np.concatenate([[True], (rank[1:] != rank[:-1])
                                            | (hub[1:] != hub[:-1])]))
    lists = pa.ListArray.from_arrays(pa.array(np.append(begins, len(rank)), pa.int32()),
                                     table["bucket"].combine_chunks())
    return pa.record_batch([hub[begins], rank[begins], lists], schema=_GROUPED)


@dataclasses.dataclass
class _Large:
    rounds: int
    left_out: int
    decided: Any


def _search_large(engine: Engine, s: Settings, sketches: Any, members: Any, ranks: Any, edges: Any,
                  decided: Any, count: int) -> _Large:
    """Rounds, until what was assumed is what was decided (doc/internals/distributed.md)."""
    ranked = engine.select(engine.join(members, engine.select(ranks, doc="doc", rank="rank"),
                                       ["doc"]), bucket="bucket", rank="rank")
    by_hub = engine.map(engine.exchange(ranked, ["bucket"], ["bucket", "rank"]), distributed.hubs,
                        distributed.MEMBERS)
    grouped = engine.save("members", lambda: engine.map(
        engine.exchange(by_hub, ["rank"], ["rank", "hub", "bucket"]), _group, _GROUPED))
    sets = engine.select(engine.join(engine.select(ranks, doc="doc", rank="rank"), engine.select(
        sketches, doc="doc", sketch="sketch", set="set"), ["doc"]), rank="rank", sketch="sketch",
        set="set")
    rounds, todo, answers = 0, grouped, None
    while True:
        found = engine.save(f"answers-{rounds}", functools.partial(
            _round, engine, s, todo, sets, decided, rounds))
        if answers is not None:  # those of hubs that had no new round stay
            found = engine.union([found, engine.join(answers, engine.distinct(engine.select(
                todo, hub="hub")), ["hub"], "left anti")])
        answers = found
        edges = engine.union([edges, engine.map(found, _found_edges, distributed.DECIDED)])
        rounds += 1
        decided = engine.save(f"decided-{rounds}", functools.partial(
            _decide, engine, count, engine.distinct(edges)))
        wrong = engine.save(f"wrong-{rounds}", functools.partial(
            _wrong_hubs, engine, answers, decided))
        if engine.is_empty(wrong):
            return _Large(rounds, _sum_left_out(engine, answers), decided)
        todo = engine.join(grouped, wrong, ["hub"], "left semi")


def _round(engine: Engine, s: Settings, todo: Any, sets: Any, decided: Any, number: int) -> Any:
    removed = engine.map(decided, _removed_ranks, _REMOVED_RANKS)
    assumed = engine.map(engine.join(todo, removed, ["rank"], "left outer"),
                         functools.partial(_assume, number), _ASSUMED)
    return engine.map(engine.exchange(engine.join(assumed, sets, ["rank"]), ["hub"],
                                      ["hub", "rank"]),
                      functools.partial(distributed.search_large, s), distributed.ANSWERS)


_REMOVED_RANKS = pa.schema([("rank", pa.int64()), ("removed", pa.bool_())])


def _removed_ranks(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.record_batch([batch.column("later"), np.ones(len(batch), bool)],
                              schema=_REMOVED_RANKS)


def _assume(number: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """In the first round only removals are assumed."""
    otherwise = distributed.KEPT if number else distributed.UNKNOWN
    for batch in batches:
        removed = np.asarray(batch.column("removed").is_valid())
        assumed = np.where(removed, distributed.REMOVED, otherwise).astype(np.int8)
        yield pa.record_batch([*batch.select(_GROUPED.names).columns, assumed], schema=_ASSUMED)


def _found_edges(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        found = pa.array(np.asarray(batch.column("earlier")) >= 0)
        yield pa.record_batch(batch.select(["rank", "earlier", "intersection", "union"])
                              .filter(found).columns, schema=distributed.DECIDED)


_HUBS = pa.schema([("hub", pa.int64())])


def _wrong_hubs(engine: Engine, answers: Any, decided: Any) -> Any:
    removed = engine.map(decided, _removed_ranks, _REMOVED_RANKS)
    return engine.distinct(engine.map(engine.join(answers, removed, ["rank"], "left outer"),
                                      _wrong, _HUBS))


def _wrong(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        wrong = np.asarray(batch.column("listed")) == np.asarray(batch.column("removed").is_valid())
        yield batch.select(["hub"]).filter(pa.array(wrong))


_LEFT_OUT = pa.schema([("left_out", pa.int64())])


def _sum_left_out(engine: Engine, answers: Any) -> int:
    return engine.sum(engine.map(answers, _left_out, _LEFT_OUT), "left_out")


def _left_out(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch.select(["left_out"])


# ---- the answer


def _removed(engine: Engine, s: Settings, sketches: Any, copies: Any, ranks: Any,
             decided: Any) -> Any:
    """Removed documents, and the copies of documents, by their ids."""
    by_doc = decided
    for new, old in (("doc", "later"), ("kept", "earlier")):
        by_doc = engine.join(by_doc, engine.select(ranks, **{old: "rank", new: "doc"}), [old])
    by_doc = engine.select(by_doc, doc="doc", kept="kept", intersection="intersection",
                           union="union")
    rows = [by_doc]
    if not engine.is_empty(copies):
        sets = engine.select(engine.join(engine.distinct(engine.select(copies, first="first")),
                                         engine.select(sketches, first="doc", set="set"),
                                         ["first"]), first="first", set="set")
        fates = engine.join(engine.join(copies, sets, ["first"]), engine.select(
            by_doc, first="doc", kept="kept", intersection="intersection", union="union"),
            ["first"], "left outer")
        rows.append(engine.map(fates, _fates_of_copies, _REMOVED_DOCS))
    removed = engine.union(rows)
    for new, old in (("id", "doc"), ("kept_id", "kept")):
        removed = engine.join(removed, engine.select(sketches, **{old: "doc", new: s.id}), [old])
    return engine.select(removed, doc="doc", id="id", kept_id="kept_id",
                         intersection="intersection", union="union")


_REMOVED_DOCS = pa.schema([("doc", pa.int64()), ("kept", pa.int64()), ("intersection", pa.int64()),
                           ("union", pa.int64())])


def _fates_of_copies(batches: Batches) -> Iterator[pa.RecordBatch]:
    """A copy has the fate of the first document with its hash, or duplicates it."""
    for batch in batches:
        alone = np.asarray(batch.column("kept").is_null())
        size = distributed.set_size(batch.column("set"))
        columns = [np.where(alone, otherwise, batch.column(name).fill_null(0)) for name, otherwise in
                   (("kept", np.asarray(batch.column("first"))), ("intersection", size),
                    ("union", size))]
        yield pa.record_batch([batch.column("doc"), *columns], schema=_REMOVED_DOCS)
