"""Edges remove documents, in order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from .. import _core
from ._arrays import array
from ._settings import Batches

DECIDED = pa.schema([("later", pa.int64()), ("earlier", pa.int64()), ("intersection", pa.int64()),
                     ("union", pa.int64())])


def decide(count: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """The edges that remove a document, of all edges by later, then earlier: ranks below count."""
    decider = _core.edge_decider(count)
    for batch in batches:
        pairs = np.stack([array(batch, name) for name in ("later", "earlier")],
                         axis=1).astype(np.uint64)
        decides = decider.take(np.ascontiguousarray(pairs))
        yield batch.select(DECIDED.names).filter(pa.array(np.frombuffer(decides, bool)))
