"""The ways to an answer: leaders, components, pairs. An engine (Spark, Ray, or lists in this process)
has the tables; nothing here knows which one it is."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ._arrays import array, set_sizes
from ._components import STARS, both_ways, large_star, small_star
from ._decisions import DECIDED
from ._engine import Engine, Found, Run
from ._pairs import EDGES, measure
from ._rounds import LargeBuckets, decide_edges
from ._settings import Batches, Settings
from ._tables import Tables, by_rank


def dedup(engine: Engine, documents: Any, schema: pa.Schema, s: Settings,
          earlier: Sequence[Run] = ()) -> Found:
    """`documents`: a table with the columns of the settings; `schema` is its Arrow schema. `earlier`: the
    runs whose documents stay, and precede these."""
    tables = Tables(engine, s, documents, schema, earlier)
    found = Found(tables.sketches)
    ranks, count = tables.rank()
    decide = _components if s.group == "component" else _leaders
    decided = decide(tables, found, ranks, count)
    found.removed = engine.save("removed", lambda: _removed(tables, tables.by_doc(decided, ranks)))
    return found


def _leaders(tables: Tables, found: Found, ranks: Any, count: int) -> Any:
    """A document is removed if an earlier one that stays is its duplicate."""
    engine = tables.engine
    edges = tables.ranked_edges(ranks)
    decided = engine.save("decided", lambda: decide_edges(engine, count, edges))
    if engine.first(tables.members) is not None:
        decided = LargeBuckets(tables, ranks).decide(found, count, edges, decided)
    return decided


def _all_edges(tables: Tables, found: Found, ranks: Any) -> Any:
    """Between firsts of copies, by rank."""
    engine = tables.engine
    edges = tables.ranked_edges(ranks)
    if engine.first(tables.members) is not None:
        large = LargeBuckets(tables, ranks).pairs(found)
        edges = engine.distinct(engine.union([edges, large]))
    return edges


# ---- components


def _components(tables: Tables, found: Found, ranks: Any, count: int) -> Any:
    """Of all documents that chains of duplicates connect, the first stays."""
    engine = tables.engine
    stars = engine.map(_all_edges(tables, found, ranks), _begin_stars, STARS)
    while True:
        stars = engine.save(f"stars-{found.rounds}", functools.partial(_turn, engine, stars))
        found.rounds += 1
        if engine.sum(stars, "changed") == 0:
            break
    return engine.save("decided", lambda: _measured(tables, ranks, stars))


def _begin_stars(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.record_batch([*batch.select(["later", "earlier"]).columns,
                               np.zeros(len(batch), np.int64)], schema=STARS)


def _turn(engine: Engine, stars: Any) -> Any:
    both = engine.map(stars, both_ways, STARS)
    large = engine.map(engine.exchange(both, ["node"], ["node", "other"]), large_star, STARS)
    return engine.distinct(engine.map(engine.exchange(engine.distinct(large), ["node"], [
        "node", "other"]), small_star, STARS))


def _measured(tables: Tables, ranks: Any, stars: Any) -> Any:
    """Documents with the first of their component, and the counts of the two."""
    engine = tables.engine
    pairs = engine.select(stars, later="node", earlier="other")
    for new, old in (("a", "later"), ("b", "earlier")):
        pairs = engine.join(pairs, engine.select(ranks, **{old: "rank", new: "doc"}), [old])
    measured = engine.map(tables.look_up_both(engine.select(pairs, a="a", b="b"), "sketch", "set"),
                          functools.partial(measure, tables.s), EDGES)
    ranked = by_rank(engine, measured, ranks, "a", "b")
    return engine.select(ranked, later="rank_a", earlier="rank_b", intersection="intersection",
                         union="union")


# ---- removed documents


def _removed(tables: Tables, by_doc: Any) -> Any:
    """Removed documents, and the copies of documents, by their ids."""
    engine = tables.engine
    rows = [by_doc]
    if tables.has_copies:
        fates = engine.join(_with_sets_of_firsts(tables), engine.select(
            by_doc, first="doc", kept="kept", intersection="intersection", union="union"),
            ["first"], "left outer")
        rows.append(engine.map(fates, _fates_of_copies, _REMOVED_DOCS))
    removed = engine.union(rows)
    for new, old in (("id", "doc"), ("kept_id", "kept")):
        removed = tables.look_up(removed, old, **{new: "id"})
    return engine.select(removed, doc="doc", id="id", kept_id="kept_id",
                         intersection="intersection", union="union")


def _with_sets_of_firsts(tables: Tables) -> Any:
    """Copies: doc, first, and the set that both have."""
    engine = tables.engine
    firsts = engine.distinct(engine.select(tables.copies, first="first"))
    sets = engine.select(tables.look_up(firsts, "first", set="set"), first="first", set="set")
    return engine.join(tables.copies, sets, ["first"])


_REMOVED_DOCS = pa.schema([("doc", pa.int64()), ("kept", pa.int64()), ("intersection", pa.int64()),
                           ("union", pa.int64())])


def _fates_of_copies(batches: Batches) -> Iterator[pa.RecordBatch]:
    """A copy has the fate of the first document with its hash, or duplicates it."""
    for batch in batches:
        alone = np.asarray(batch.column("kept").is_null())
        size = set_sizes(batch.column("set"))
        columns = [np.where(alone, otherwise, batch.column(name).fill_null(0)) for name, otherwise in
                   (("kept", array(batch, "first")), ("intersection", size), ("union", size))]
        yield pa.record_batch([batch.column("doc"), *columns], schema=_REMOVED_DOCS)


# ---- pairs


def pairs(engine: Engine, documents: Any, schema: pa.Schema, s: Settings) -> Found:
    """All pairs of duplicates, those of exact copies included."""
    tables = Tables(engine, s, documents, schema)
    found = Found(tables.sketches)
    copied = [engine.select(tables.copies, doc=name) for name in ("doc", "first")]
    ranks, _ = tables.rank(*(copied if tables.has_copies else []))
    edges = _all_edges(tables, found, ranks)
    if tables.has_copies:
        edges = _with_copies(tables, edges, ranks)
    found.pairs = engine.save("pairs", lambda: _by_ids(tables, edges, ranks))
    if tables.has_copies:
        found.left_out += _count_left_out(tables)
    return found


def _with_copies(tables: Tables, edges: Any, ranks: Any) -> Any:
    """The edges of all copies of both documents, and those between copies."""
    engine = tables.engine
    copies = by_rank(engine, tables.copies, ranks, "doc", "first")
    for side in ("later", "earlier"):
        other = "earlier" if side == "later" else "later"
        copied = engine.join(edges, engine.select(copies, copy="rank_doc", **{side: "rank_first"}),
                             [side])
        edges = engine.union([edges, engine.select(copied, **{
            side: "copy", other: other, "intersection": "intersection", "union": "union"})])
    edges = engine.map(edges, _turned, DECIDED)
    groups = by_rank(engine, _with_sets_of_firsts(tables), ranks, "doc", "first")
    grouped = engine.exchange(engine.select(groups, rank_first="rank_first", rank_doc="rank_doc",
                                            set="set"), ["rank_first"], ["rank_first", "rank_doc"])
    return engine.union([edges, engine.map(grouped, functools.partial(_pairs_of_copies, tables.s),
                                           DECIDED)])


def _turned(batches: Batches) -> Iterator[pa.RecordBatch]:
    """A copy of the earlier document may be behind the later one."""
    for batch in batches:
        later, earlier = array(batch, "later"), array(batch, "earlier")
        yield pa.record_batch([np.maximum(later, earlier), np.minimum(later, earlier),
                               batch.column("intersection"), batch.column("union")],
                              schema=DECIDED)


# Pairs of copies that are handed on together.
_PAIRS_TOGETHER = 1 << 16


def _pairs_of_copies(s: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Copies by first, then rank: each with at most max_compare of the copies before it."""
    group: list[int] = []  # the last max_compare ranks with the first document `first`
    first = size = -1
    rows: list[tuple[int, int, int, int]] = []
    for batch in batches:
        sizes = set_sizes(batch.column("set"))
        for row, (start, rank) in enumerate(zip(array(batch, "rank_first").tolist(),
                                                array(batch, "rank_doc").tolist())):
            if start != first:
                first, group, size = start, [start], int(sizes[row])
            rows += [(rank, other, size, size) for other in group]
            group = [*group, rank][-s.max_compare:]
            if len(rows) >= _PAIRS_TOGETHER:
                yield _batch_of_pairs(rows)
                rows = []
    if rows:
        yield _batch_of_pairs(rows)


def _batch_of_pairs(rows: list[tuple[int, int, int, int]]) -> pa.RecordBatch:
    return pa.record_batch([list(column) for column in zip(*rows)], schema=DECIDED)


_LEFT_OUT = pa.schema([("left_out", pa.int64())])


def _count_left_out(tables: Tables) -> int:
    """Pairs of copies that max_compare left out."""
    engine = tables.engine
    by_first = engine.exchange(tables.copies, ["first"], ["first"])
    return engine.sum(engine.map(by_first, functools.partial(_left_out, tables.s), _LEFT_OUT),
                      "left_out")


def _left_out(s: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    first = copies = -1
    for batch in batches:
        total = 0
        for start in array(batch, "first").tolist():
            copies = copies + 1 if start == first else 1
            first = start
            total += max(0, copies - s.max_compare)
        yield pa.record_batch([[total]], schema=_LEFT_OUT)


def _by_ids(tables: Tables, edges: Any, ranks: Any) -> Any:
    engine = tables.engine
    rows = engine.select(tables.by_doc(edges, ranks), a="kept", b="doc", intersection="intersection",
                         union="union")
    named = tables.look_up_both(rows, "id")
    return engine.select(named, id_a="id_a", id_b="id_b", intersection="intersection",
                         union="union")
