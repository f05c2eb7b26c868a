"""Large buckets, whose members are compared in order."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from .. import _core
from .._results import numbers
from ._arrays import array, begins_of, documents
from ._settings import Batches, Settings

MEMBERS = pa.schema([("hub", pa.int64()), ("rank", pa.int64()), ("doc", pa.int64()),
                     ("bucket", pa.int64())])
ANSWERS = pa.schema([("hub", pa.int64()), ("rank", pa.int64()), ("listed", pa.bool_()),
                     ("earlier", pa.int64()), ("intersection", pa.int64()), ("union", pa.int64()),
                     ("left_out", pa.int64())])
PAIRED = pa.schema([("later", pa.int64()), ("earlier", pa.int64()), ("intersection", pa.int64()),
                    ("union", pa.int64()), ("left_out", pa.int64())])


def hubs(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Of members (bucket, doc, rank) by bucket, then rank: with the first rank of the bucket, its hub.
    Large buckets of one template mostly have one hub, so their members are brought together once."""
    last, hub = None, 0
    for batch in batches:
        if len(batch) == 0:
            continue
        bucket, rank = array(batch, "bucket"), array(batch, "rank")
        begins = begins_of(bucket)
        begins[0] = bucket[0] != last
        found = np.concatenate([[hub], rank[begins]])[np.cumsum(begins)]
        last, hub = bucket[-1], int(found[-1])
        yield pa.record_batch([found, rank, batch.column("doc"), bucket], schema=MEMBERS)


def search_large(s: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Compares the members of the large buckets of each hub. Rows come by hub, then rank: hub, rank,
    buckets, assumed, sketch, set; those of a hub are not parted. A row for each: the edge to the
    first listed one that it duplicates (earlier -1: none), and whether it is listed itself."""
    for finder, members in _by_hub(s, batches):
        found = finder.add(*members.arguments)
        is_found = numbers(found["found"], bool)
        yield pa.record_batch(
            [members.batch.column("hub"), members.batch.column("rank"),
             pa.array(numbers(found["listed"], bool)),
             np.where(is_found, numbers(found["earlier"], np.int64), -1), *_counts(found)],
            schema=ANSWERS)


def pair_large(s: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    """All pairs of duplicates among the members of the large buckets of each hub. Rows come as those of
    search_large, whatever is assumed. A row with earlier -1 has comparisons that were left out."""
    for finder, members in _by_hub(s, batches):
        found = finder.add_all(*members.arguments)
        rank = array(members.batch, "rank")[numbers(found["member"], np.int64)]
        is_found = numbers(found["found"], bool)
        yield pa.record_batch([rank, np.where(is_found, numbers(found["earlier"], np.int64), -1),
                               *_counts(found)], schema=PAIRED)


@dataclasses.dataclass
class _Members:
    batch: pa.RecordBatch
    arguments: tuple[np.ndarray, ...]


def _by_hub(s: Settings, batches: Batches) -> Iterator[tuple[Any, _Members]]:
    """Members of one hub after the other, each with the large buckets of the hub."""
    hub, finder = None, None
    known: dict[int, int] = {}  # numbers of the buckets of the hub
    for batch in batches:
        hubs_of = array(batch, "hub")
        begins: list[int] = np.flatnonzero(begins_of(hubs_of)).tolist() if len(batch) else []
        for begin, end in zip(begins, [*begins[1:], len(hubs_of)]):
            if finder is None or hubs_of[begin] != hub:
                hub, known = hubs_of[begin], {}
                finder = _core.large_buckets(s.threshold, s.perms, s.max_compare)
            yield finder, _members(known, batch.slice(begin, end - begin))


def _members(known: dict[int, int], batch: pa.RecordBatch) -> _Members:
    lists = batch.column("buckets")
    offsets = lists.offsets.to_numpy().astype(np.int64)
    local = np.array([known.setdefault(bucket, len(known)) for bucket in
                      lists.values[offsets[0]:offsets[-1]].to_pylist()], np.uint32)
    return _Members(batch, (array(batch, "rank").astype(np.uint64),
                            array(batch, "assumed").astype(np.uint8), offsets - offsets[0], local,
                            *documents(batch)))


def _counts(found: dict[str, Any]) -> list[np.ndarray]:
    return [numbers(found[name], np.int64) for name in ("intersection", "union", "left_out")]
