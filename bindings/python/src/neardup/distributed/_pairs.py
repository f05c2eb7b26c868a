"""Pairs: sketches first, then sets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from .. import _core
from ._arrays import documents, matrix
from ._settings import Batches, Settings

PAIRS = pa.schema([("a", pa.int64()), ("b", pa.int64())])
EDGES = pa.schema([("a", pa.int64()), ("b", pa.int64()), ("intersection", pa.int64()),
                   ("union", pa.int64())])


def near(s: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    """The pairs (a, b) whose sketches, sketch_a and sketch_b, allow a similarity of the
    threshold."""
    for batch in batches:
        mask = _core.near(s.threshold, s.perms, *(matrix(batch.column(name), np.uint8)
                                                  for name in ("sketch_a", "sketch_b")))
        yield batch.select(["a", "b"]).filter(pa.array(np.frombuffer(mask, bool)))


def verify(s: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    """The pairs whose sets, set_a and set_b, are similar enough: the edges."""
    return _compare(s.threshold, s.perms, batches)


def measure(s: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    """All pairs, however small their similarity is."""
    return _compare(0.0, s.perms, batches)


def _compare(threshold: float, perms: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if len(batch) == 0:
            continue
        counts = np.frombuffer(_core.verify(threshold, perms, *documents(batch, "_a"),
                                            *documents(batch, "_b")), np.int64).reshape(-1, 2)
        found = counts[:, 1] != -1
        pairs = batch.select(["a", "b"]).filter(pa.array(found))
        yield pa.record_batch([*pairs.columns, counts[found, 0], counts[found, 1]], schema=EDGES)
