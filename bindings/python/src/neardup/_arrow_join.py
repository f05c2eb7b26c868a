"""The join of two Arrow tables by a column of whole numbers; other columns may be lists, which the join
of pyarrow does not take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

HOWS = ("inner", "left outer", "left semi", "left anti")


def join_schema(left: pa.Schema, right: pa.Schema, on: str, how: str) -> pa.Schema:
    assert how in HOWS, how
    assert pa.types.is_int64(left.field(on).type) and pa.types.is_int64(right.field(on).type)
    added = right if how in ("inner", "left outer") else []
    return pa.schema([*left, *(field for field in added if field.name != on)])


class Joiner:
    """Joins tables with one and the same right table."""

    def __init__(self, right: pa.Table, on: str, how: str) -> None:
        self._right, self._on, self._how = right, on, how
        keys = right[on].to_numpy()
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]

    def join(self, left: pa.Table) -> pa.Table:
        keys = left[self._on].to_numpy()
        begins = np.searchsorted(self._keys, keys, "left")
        counts = np.searchsorted(self._keys, keys, "right") - begins
        if self._how in ("left semi", "left anti"):
            return left.filter(pa.array((counts > 0) == (self._how == "left semi")))
        repeats = np.maximum(counts, 1) if self._how == "left outer" else counts
        rows = np.repeat(np.arange(len(keys)), repeats)
        # The row of the right table: the first of its key, and how far this one is from the first.
        sorted_rows = np.repeat(begins, repeats) + _counted(repeats)
        found = np.repeat(counts > 0, repeats)
        others = np.zeros(len(rows), np.int64)
        others[found] = self._order[sorted_rows[found]]
        places = pa.array(others, mask=~found)
        out = left.take(pa.array(rows))
        for field in self._right.schema:
            if field.name != self._on:
                out = out.append_column(field, self._right[field.name].take(places))
        return out


def _counted(counts: np.ndarray) -> np.ndarray:
    """0, 1, ..., n - 1 for each count n."""
    places: np.ndarray = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return places


# ---- both tables as one: rows of the left, and of the right


def side_by_side(left: pa.Schema, right: pa.Schema, key: str) -> pa.Schema:
    """Rows have nulls in the columns of the other side."""
    columns = [field.with_name(f"{side} {field.name}") for side, schema in
               (("left", left), ("right", right)) for field in schema if field.name != key]
    return pa.schema([(key, pa.int64()), ("is right", pa.bool_()), *columns])


def with_side(left: pa.Schema, right: pa.Schema, key: str, is_right: bool,
              batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    schema = side_by_side(left, right, key)
    side = "right " if is_right else "left "
    for batch in batches:
        own = {side + name: batch.column(name) for name in batch.schema.names if name != key}
        yield pa.record_batch([batch.column(key), np.full(len(batch), is_right), *(
            own[field.name] if field.name in own else pa.nulls(len(batch), field.type)
            for field in list(schema)[2:])], schema=schema)


def merge_join(left: pa.Schema, right: pa.Schema, key: str, how: str,
               batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Of rows of both sides in the order of the key."""
    def side(rows: pa.Table, schema: pa.Schema, name: str) -> pa.Table:
        mask = rows["is right"] if name == "right" else pc.invert(rows["is right"])
        return rows.filter(mask).select([each if each == key else f"{name} {each}"
                                         for each in schema.names]).rename_columns(schema.names)

    for rows in _whole_keys(key, batches):
        joiner = Joiner(side(rows, right, "right"), key, how)
        yield from joiner.join(side(rows, left, "left")).to_batches()


def _whole_keys(key: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Pieces of rows in the order of a key, none of which ends inside a key."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        if len(batch) == 0:
            continue
        keys = np.asarray(batch.column(key))
        cut = int(np.searchsorted(keys, keys[-1]))
        if cut or (waiting and waiting[-1].column(key)[-1].as_py() != keys[0]):
            yield pa.Table.from_batches([*waiting, batch.slice(0, cut)])
            waiting = []
        waiting.append(batch.slice(cut))
    if waiting:
        yield pa.Table.from_batches(waiting)
