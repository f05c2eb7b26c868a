"""The first step: texts become sketches, keys and sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from .. import _core
from .._errors import ArgumentError, InputError
from .._options import given
from .._results import numbers
from .._sketches import plan
from ._settings import SKETCHES, Batches, Settings


def sketch_schema(s: Settings, documents: pa.Schema) -> pa.Schema:
    return pa.schema([("run", pa.int32()), *((name, documents.field(column).type)
                                          for name, column in s.names.items()),
                      ("hash_high", pa.int64()), ("hash_low", pa.int64()), ("bands", pa.binary()),
                      ("sketch", pa.binary()), ("set", pa.binary())])


def sketch(s: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    """All that later steps need of a document. The column run has the first part of the run."""
    _check_version(s)
    bands = plan(s.threshold, s.recall, s.perms)
    for batch in batches:
        missing = [name for name in (s.text, *s.columns) if name not in batch.schema.names]
        if missing:
            raise ArgumentError(f"there is no column {missing[0]!r}; the columns are "
                                + ", ".join(map(repr, batch.schema.names)))
        _check_rows(s, batch)
        texts = pa.record_batch({s.text: batch.column(s.text)})
        stream = pa.RecordBatchReader.from_batches(texts.schema, [texts])
        found = _core.sketch(given(
            stream=stream.__arrow_c_stream__(), text=s.text, nulls=s.nulls, perms=s.perms,
            bands=bands.bands, rows=bands.rows, analyzer=s.analyzer, ngram=s.ngram, seed=s.seed,
            threads=1))
        rows = pa.array(numbers(found["rows"], np.int64))
        hashes = numbers(found["hashes"], np.int64).reshape(-1, 2)
        yield pa.record_batch({
            "run": pa.array(np.full(len(rows), s.first_part, np.int32)),
            **{name: batch.column(column).take(rows) for name, column in s.names.items()},
            "hash_high": pa.array(hashes[:, 0]), "hash_low": pa.array(hashes[:, 1]),
            "bands": _rows_of_bytes(found["bands"], 8 * bands.bands),
            "sketch": _rows_of_bytes(found["sketches"], s.perms),
            "set": _binary(*map(pa.py_buffer, found["sets"]))})


def _check_version(s: Settings) -> None:
    """Sketches of two versions have no values in common, so duplicates among them would be lost."""
    if s.sketches != SKETCHES:
        raise ArgumentError(
            f"this run has sketches of version {s.sketches}, and neardup on one of its machines makes "
            f"version {SKETCHES}: all machines need the same neardup")


def _check_rows(s: Settings, batch: pa.RecordBatch) -> None:
    """Every row must have an id and a place in the order; its text may be null if that is wanted."""
    ids = batch.column(s.id)
    for name in s.columns:
        column = batch.column(name)
        if column.null_count:
            row = int(np.flatnonzero(np.asarray(column.is_null()))[0])
            where = "" if name == s.id else f" (id {ids[row].as_py()!r})"
            raise InputError(f"a row{where} has no {name!r}")
    texts = batch.column(s.text)
    if s.nulls == "error" and texts.null_count:
        row = int(np.flatnonzero(np.asarray(texts.is_null()))[0])
        raise InputError(f"id {ids[row].as_py()!r}: the text is null; nulls=\"skip\" leaves such "
                         "rows out")


def _rows_of_bytes(data: Any, width: int) -> pa.Array:
    buffer = pa.py_buffer(data)
    return pa.Array.from_buffers(pa.binary(width), buffer.size // width,
                                 [None, buffer]).cast(pa.binary())


def _binary(offsets: pa.Buffer, data: pa.Buffer) -> pa.Array:
    count = max(offsets.size // 8 - 1, 0)
    if count == 0:
        return pa.array([], pa.binary())
    return pa.Array.from_buffers(pa.large_binary(), count, [None, offsets, data]).cast(pa.binary())
