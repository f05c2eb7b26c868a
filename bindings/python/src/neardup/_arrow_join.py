"""The join of two Arrow tables in memory by a column of whole numbers; other columns may be lists,
which the join of pyarrow does not take."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

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

    @property
    def is_empty(self) -> bool:
        return len(self._keys) == 0

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
