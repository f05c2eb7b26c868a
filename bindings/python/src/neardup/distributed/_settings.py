"""What all steps of a run agree on."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Literal

import pyarrow as pa

from .._errors import ArgumentError
from .._options import Analyzer
from .._sketches import plan

Batches = Iterable[pa.RecordBatch]

# A document is known by the number of its partition, above these bits, and its row in it.
ROW_BITS = 32
# A bucket is known by its band, above these bits, and its key.
KEY_BITS = 38
# A bucket of more members is large.
SMALL_BUCKET = 8
# Documents whose bucket entries are packed together.
PACKED_TOGETHER = 1 << 16
# The version of sketches, band keys and sets. It goes up when a text gets others. 3: MinHash values
# of family 3 (neardup/sketch.h).
SKETCHES = 3
# What is assumed of a member of large buckets (nd_assumed).
UNKNOWN, KEPT, REMOVED, KNOWN = 0, 1, 2, 3


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a run is made with. All steps of a run have the same.

    text, id, order  columns; the order of the documents is that of the columns `order`
    partitions       of exchanges
    first_part       the number of the first partition; documents of partitions below are of earlier
                     runs
    sketches         the version of sketches, the same on all machines and in the runs before
    """

    text: str = "text"
    id: str = "id"
    order: list[str] = dataclasses.field(default_factory=lambda: ["id"])
    threshold: float = 0.8
    recall: float = 0.999
    perms: int = 128
    analyzer: Analyzer = "words"
    ngram: int = 5
    seed: int = 1
    nulls: Literal["error", "skip"] = "error"
    max_compare: int = 1000
    partitions: int = 200
    group: Literal["greedy", "component"] = "greedy"
    first_part: int = 0
    sketches: int = SKETCHES

    def __post_init__(self) -> None:
        plan(self.threshold, self.recall, self.perms)
        for name in ("max_compare", "partitions"):
            if getattr(self, name) < 1:
                raise ArgumentError(f"{name} must be at least 1, not {getattr(self, name)}")

    @property
    def first_doc(self) -> int:
        """Documents below are of earlier runs: they stay, and precede all others."""
        return self.first_part << ROW_BITS

    @property
    def columns(self) -> list[str]:
        """The id and the order, each column once."""
        return list(dict.fromkeys([self.id, *self.order]))

    @property
    def order_names(self) -> list[str]:
        """The columns of the order in the tables of a run: order_0, order_1, ..., and id for the id.
        The caller's names are not used there, because the tables have others: doc, run, rank."""
        return ["id" if name == self.id else f"order_{number}"
                for number, name in enumerate(self.order)]

    @property
    def names(self) -> dict[str, str]:
        """The columns of the id and the order in the tables of a run, and the caller's."""
        return {"id": self.id, **dict(zip(self.order_names, self.order))}
