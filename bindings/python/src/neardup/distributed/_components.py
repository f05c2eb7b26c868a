"""Connected components by large and small stars (Kiveris, Lattanzi, Mirrokni, Rastogi, Vassilvitskii
2014): each step is linear in the edges, and both together end, after about log n turns, with an edge
from each node to the first of its component."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ._arrays import array, begins_of
from ._settings import Batches

# An edge between two nodes, and whether a step made it: after a turn without such edges all is done.
STARS = pa.schema([("node", pa.int64()), ("other", pa.int64()), ("changed", pa.int64())])


def both_ways(batches: Batches) -> Iterator[pa.RecordBatch]:
    """The edges as a turn begins with them, each from both of its ends."""
    for batch in batches:
        node, other = array(batch, "node"), array(batch, "other")
        yield pa.record_batch([np.concatenate([node, other]), np.concatenate([other, node]),
                               np.zeros(2 * len(batch), np.int64)], schema=STARS)


def large_star(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Of edges from both ends, by node, then other: connects the later neighbours of each node with the
    first of its neighbours and itself."""
    for node, other, _, first in _with_first(batches):
        first = np.minimum(node, first)
        later = other > node
        yield pa.record_batch([other[later], first[later],
                               (first != node)[later].astype(np.int64)], schema=STARS)


def small_star(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Of edges from the later end, by node, then other: connects each node and its earlier neighbours
    with the first of them."""
    for node, other, changed, first in _with_first(batches):
        is_first = other == first
        yield pa.record_batch([np.where(is_first, node, other), first,
                               np.where(is_first, changed, 1)], schema=STARS)


def _with_first(batches: Batches) -> Iterator[tuple[np.ndarray, ...]]:
    """Rows, with the first neighbour of each node. Rows of a node may be in several batches."""
    last: tuple[int, int] | None = None  # a node and its first neighbour
    for batch in batches:
        if len(batch) == 0:
            continue
        node, other, changed = (array(batch, name) for name in STARS.names)
        begins = begins_of(node)
        firsts = other[begins]
        if last is not None and last[0] == node[0]:
            firsts[0] = last[1]
        first = firsts[np.cumsum(begins) - 1]
        last = int(node[-1]), int(first[-1])
        yield node, other, changed, first
