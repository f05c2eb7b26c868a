"""Exact copies: documents with equal hashes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ._arrays import array, begins_of
from ._settings import Batches

COPIES = pa.schema([("doc", pa.int64()), ("first", pa.int64())])


def copies(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Documents with the hash of an earlier one. Rows come by hash, then in order, and those of a
    hash are not parted."""
    last: tuple[int, int] | None = None
    first = 0
    for batch in batches:
        if len(batch) == 0:
            continue
        high, low, docs = (array(batch, name) for name in ("hash_high", "hash_low", "doc"))
        begins = begins_of(high, low)
        if last == (high[0], low[0]):
            begins[0] = False
        firsts = np.concatenate([[first], docs[begins]])[np.cumsum(begins)]
        first, last = int(firsts[-1]), (high[-1], low[-1])
        yield pa.record_batch([docs[~begins], firsts[~begins]], schema=COPIES)
