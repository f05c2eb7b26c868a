"""The steps of dedup for many machines, as functions of Arrow batches.

Each step takes an iterator of batches and returns one, and knows nothing of the machines: Spark,
Ray or a loop runs it. doc/internals/distributed.md tells how they fit together, and that their
answer is the one of :func:`neardup.dedup`.

>>> import pyarrow as pa
>>> from neardup import distributed
>>> s = distributed.Settings(order=["id"])
>>> batch = pa.record_batch({"id": ["a", "b"], "text": ["one two three", "One, two, three!"]})
>>> sketches, = distributed.sketch(s, [batch])
>>> sketches.column("bands")[0] == sketches.column("bands")[1]
True

The order of the steps is here, too: :func:`dedup` and :func:`pairs` run them on an :class:`Engine`,
which has the tables.
"""

from __future__ import annotations

from ._buckets import BUCKETS, ENTRIES, buckets, entries
from ._components import STARS, large_star, small_star
from ._copies import COPIES, copies
from ._decisions import DECIDED, decide
from ._engine import Engine, Found, Run
from ._flow import dedup, pairs
from ._large_buckets import ANSWERS, MEMBERS, PAIRED, hubs, pair_large, search_large
from ._pairs import EDGES, PAIRS, measure, near, verify
from ._settings import Batches, Settings
from ._sketching import sketch, sketch_schema

__all__ = [
    "ANSWERS", "BUCKETS", "Batches", "COPIES", "DECIDED", "EDGES", "ENTRIES", "Engine", "Found",
    "MEMBERS", "PAIRED", "PAIRS", "Run", "STARS", "Settings", "buckets", "copies", "decide",
    "dedup", "entries", "hubs", "large_star", "measure", "near", "pair_large", "pairs",
    "search_large", "sketch", "sketch_schema", "small_star", "verify",
]
