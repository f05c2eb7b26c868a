"""What the flow of the steps needs of the machines."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import pyarrow as pa

from ._settings import Batches

Step = Callable[[Batches], Iterator[pa.RecordBatch]]


class Engine(Protocol):
    """What a flow needs of the machines. Tables are the engine's own."""

    partitions: int
    """Of exchanges. Known once the sketches are saved."""

    def map(self, table: Any, step: Step, schema: pa.Schema) -> Any:
        """A step, once for each partition."""

    def exchange(self, table: Any, keys: list[str], sort: list[str]) -> Any:
        """Rows with equal keys in one partition, each partition sorted. No keys: one partition."""

    def join(self, left: Any, right: Any, on: list[str], how: str = "inner") -> Any:
        """how: "inner", "left outer", "left semi" or "left anti"."""

    def select(self, table: Any, **columns: str) -> Any:
        """new=old"""

    def union(self, tables: list[Any]) -> Any:
        """Of tables with the same columns."""

    def distinct(self, table: Any) -> Any: ...

    def rank(self, table: Any, order: list[str]) -> tuple[Any, int]:
        """Adds the column rank: 0, 1, ... in the order; and the number of rows. The ranks are written
        down, as by `save`."""

    def save(self, name: str, make: Callable[[], Any]) -> Any:
        """Writes a table down, once: a later run of the flow reads it."""

    def save_sketches(self, make: Callable[[], Any], first_part: int) -> Any:
        """The same for the table of sketches, and adds the column doc: the number of a part of the
        table, from first_part on, above the row in it (ROW_BITS). The table is joined by doc again
        and again, and should not be moved for that."""

    def first(self, table: Any) -> dict[str, Any] | None:
        """Any row; None: the table is empty."""

    def repeated(self, table: Any, column: str) -> Any:
        """A value that several rows have; None: there is none."""

    def sum(self, table: Any, column: str) -> int: ...


@dataclasses.dataclass
class Run:
    """An earlier run: its tables `sketches` and `removed`."""

    sketches: Any
    removed: Any


@dataclasses.dataclass
class Found:
    """removed   doc, id, kept_id, intersection, union; a row per removed document
    pairs     id_a, id_b, intersection, union; a row per pair, a before b
    """

    sketches: Any
    removed: Any = None
    pairs: Any = None
    rounds: int = 0
    left_out: int = 0
