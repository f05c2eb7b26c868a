"""Columns of Arrow as the arrays that the library reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa


def array(batch: pa.RecordBatch, name: str) -> np.ndarray:
    return np.asarray(batch.column(name))


def begins_of(*columns: np.ndarray) -> np.ndarray:
    """Whether a row differs from the row before it. The first one does."""
    begins = np.ones(len(columns[0]), bool)
    begins[1:] = False
    for column in columns:
        begins[1:] |= column[1:] != column[:-1]
    return begins


def matrix(column: pa.Array, kind: Any) -> np.ndarray:
    """Values of equal length as the rows of an array."""
    offsets, data = _buffers(column)
    width = (int(offsets[-1]) - int(offsets[0])) // max(len(column), 1)
    return data[offsets[0]:offsets[-1]].view(kind).reshape(len(column), -1) if width else np.zeros(
        (len(column), 0), kind)


def _buffers(column: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Offsets of 64 bits, and bytes."""
    column = column.cast(pa.large_binary())
    _, offsets, data = column.buffers()
    places = np.frombuffer(offsets, np.int64)[column.offset:column.offset + len(column) + 1]
    return places, np.frombuffer(data or b"", np.uint8)


def documents(batch: pa.RecordBatch, suffix: str = "") -> tuple[np.ndarray, ...]:
    """Sketches, offsets of the sets, sets."""
    return (np.ascontiguousarray(matrix(batch.column("sketch" + suffix), np.uint8)),
            *map(np.ascontiguousarray, _buffers(batch.column("set" + suffix))))


def set_sizes(sets: pa.Array) -> np.ndarray:
    """How many shingles sets have: they are 8 bytes each."""
    offsets, _ = _buffers(sets)
    return np.diff(offsets) // 8
