"""Large buckets: their members by rank and hub, all of their pairs, and the rounds that decide them
(doc/internals/distributed.md)."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from ._arrays import array, begins_of
from ._decisions import DECIDED, decide
from ._engine import Engine, Found
from ._large_buckets import ANSWERS, MEMBERS, PAIRED, hubs, pair_large, search_large
from ._settings import KEPT, KNOWN, REMOVED, UNKNOWN, Batches, Settings
from ._tables import Tables

_GROUPED = pa.schema([("hub", pa.int64()), ("rank", pa.int64()), ("doc", pa.int64()),
                      ("buckets", pa.list_(pa.int64()))])
_ASSUMED = pa.schema([*_GROUPED, ("assumed", pa.int8())])


class LargeBuckets:
    def __init__(self, tables: Tables, ranks: Any) -> None:
        """`ranks`: doc, rank, of all members."""
        self.engine, self.s = tables.engine, tables.s
        self._tables, self._ranks = tables, ranks
        self._members = self.engine.save("members", self._group)

    def _group(self) -> Any:
        """A row for each member and hub, with the member's buckets."""
        engine = self.engine
        ranked = engine.select(engine.join(self._tables.members, self._ranks, ["doc"]),
                               bucket="bucket", doc="doc", rank="rank")
        by_hub = engine.map(engine.exchange(ranked, ["bucket"], ["bucket", "rank"]), hubs, MEMBERS)
        return engine.map(engine.exchange(by_hub, ["rank"], ["rank", "hub", "bucket"]),
                          _group, _GROUPED)

    def _with_sets(self, members: Any) -> Any:
        """Members by hub and rank, with sketches and sets."""
        with_sets = self._tables.look_up(members, "doc", sketch="sketch", set="set")
        return self.engine.exchange(with_sets, ["hub"], ["hub", "rank"])

    # ---- all pairs

    def pairs(self, found: Found) -> Any:
        """Edges: later, earlier, intersection, union."""
        engine = self.engine
        assumed = engine.map(self._members, _assume_all, _ASSUMED)
        paired = engine.save("large-pairs", lambda: engine.map(
            self._with_sets(assumed), functools.partial(pair_large, self.s), PAIRED))
        found.left_out = engine.sum(paired, "left_out")
        return engine.map(paired, _edges_of("later"), DECIDED)

    # ---- rounds

    def decide(self, found: Found, count: int, edges: Any, decided: Any) -> Any:
        """Rounds, until what was assumed is what was decided. `edges` of small buckets decided `decided`;
        returns what all edges decide."""
        engine = self.engine
        todo, answers = self._members, None
        while True:
            number = found.rounds
            new = engine.save(f"answers-{number}", functools.partial(
                self._round, todo, decided, number))
            if answers is not None:  # those of hubs that had no new round stay
                answers = engine.union([new, engine.join(answers, engine.distinct(engine.select(
                    todo, hub="hub")), ["hub"], "left anti")])
            else:
                answers = new
            edges = engine.union([edges, engine.map(new, _edges_of("rank"), DECIDED)])
            found.rounds += 1
            decided = engine.save(f"decided-{found.rounds}", functools.partial(
                decide_edges, engine, count, engine.distinct(edges)))
            wrong = engine.save(f"wrong-{found.rounds}", functools.partial(
                self._wrong_hubs, answers, decided))
            if engine.first(wrong) is None:
                found.left_out = engine.sum(answers, "left_out")
                return decided
            todo = engine.join(self._members, wrong, ["hub"], "left semi")

    def _round(self, todo: Any, decided: Any, number: int) -> Any:
        engine = self.engine
        removed = engine.map(decided, _removed_ranks, _REMOVED_RANKS)
        assumed = engine.map(engine.join(todo, removed, ["rank"], "left outer"),
                             functools.partial(_assume, self.s, number), _ASSUMED)
        return engine.map(self._with_sets(assumed), functools.partial(search_large, self.s),
                          ANSWERS)

    def _wrong_hubs(self, answers: Any, decided: Any) -> Any:
        engine = self.engine
        removed = engine.map(decided, _removed_ranks, _REMOVED_RANKS)
        return engine.distinct(engine.map(engine.join(answers, removed, ["rank"], "left outer"),
                                          _wrong, _HUBS))


def decide_edges(engine: Engine, count: int, edges: Any) -> Any:
    """On one machine: a bit per document, and the edges of 32 bytes stream through."""
    return engine.map(engine.exchange(edges, [], ["later", "earlier"]),
                      functools.partial(decide, count), DECIDED)


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
    rank, hub, doc = (table[name].to_numpy() for name in ("rank", "hub", "doc"))
    begins = np.flatnonzero(begins_of(rank, hub))
    lists = pa.ListArray.from_arrays(pa.array(np.append(begins, len(rank)), pa.int32()),
                                     table["bucket"].combine_chunks())
    return pa.record_batch([hub[begins], rank[begins], doc[begins], lists],
                           schema=_GROUPED)


_REMOVED_RANKS = pa.schema([("rank", pa.int64()), ("removed", pa.bool_())])


def _removed_ranks(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.record_batch([batch.column("later"), np.ones(len(batch), bool)],
                              schema=_REMOVED_RANKS)


def _assume(s: Settings, number: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """In the first round only removals are assumed."""
    otherwise = KEPT if number else UNKNOWN
    for batch in batches:
        removed = np.asarray(batch.column("removed").is_valid())
        assumed = np.where(removed, REMOVED, otherwise)
        assumed[array(batch, "doc") < s.first_doc] = KNOWN
        yield _with_assumed(batch, assumed)


def _assume_all(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield _with_assumed(batch, np.full(len(batch), KEPT))


def _with_assumed(batch: pa.RecordBatch, assumed: np.ndarray) -> pa.RecordBatch:
    return pa.record_batch([*batch.select(_GROUPED.names).columns, assumed.astype(np.int8)],
                           schema=_ASSUMED)


def _edges_of(later: str) -> Any:
    return functools.partial(_found_edges, later)


def _found_edges(later: str, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        found = pa.array(array(batch, "earlier") >= 0)
        yield pa.record_batch(batch.select([later, "earlier", "intersection", "union"])
                              .filter(found).columns, schema=DECIDED)


_HUBS = pa.schema([("hub", pa.int64())])


def _wrong(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        wrong = array(batch, "listed") == np.asarray(batch.column("removed").is_valid())
        yield batch.select(["hub"]).filter(pa.array(wrong))
