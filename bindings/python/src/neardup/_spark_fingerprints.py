"""SimHash fingerprints as a column of a DataFrame, and the pairs of near ones."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema

from ._errors import ArgumentError
from ._hamming import HammingIndex
from ._options import Analyzer
from ._sketches import SimHash
from ._spark_engine import check_columns, column_of, map_batches
from ._spark_files import Files, rows_of, source_of
from .distributed import Batches

# Bits of a fingerprint, and the type of a column of them: numbers with a sign that have those bits.
_FINGERPRINTS = {16: "short", 32: "int", 64: "long", 128: "binary"}


def simhash(df: DataFrame, *, text: str = "text", column: str = "fingerprint", bits: int = 64,
            weights: str = "tf", analyzer: Analyzer = "words", ngram: int = 1, seed: int = 1,
            nulls: Literal["error", "skip"] = "error") -> DataFrame:
    """Adds the SimHash fingerprint of the text (Charikar 2002).

    column  of the fingerprint: short, int or long for 16, 32 or 64 bits; binary, the low half first,
            for 128. Rows that nulls="skip" leaves out have null.
    The other options are those of :class:`neardup.SimHash`.

    Spark does the work when the table is read, and wraps the errors then. It gives each worker 10,000
    rows at once: lower spark.sql.execution.arrow.maxRecordsPerBatch if texts are long.
    """
    check_columns(df, text)
    if bits not in _FINGERPRINTS:
        raise ArgumentError(f"bits must be 16, 32, 64 or 128, not {bits}")
    hasher = {"bits": bits, "weights": weights, "analyzer": analyzer, "ngram": ngram, "seed": seed}
    SimHash(**hasher)  # type: ignore[arg-type]
    schema = df.withColumn(column, F.lit(None).cast(_FINGERPRINTS[bits])).schema
    return map_batches(df, functools.partial(_add_fingerprints, hasher, text, column, nulls),
                       to_arrow_schema(schema))


def _add_fingerprints(hasher: dict[str, Any], text: str, column: str, nulls: Any,
                      batches: Batches) -> Iterator[pa.RecordBatch]:
    made = SimHash(**hasher)
    for batch in batches:
        texts = batch.column(text)
        values = _as_column(made.fingerprints(texts, nulls=nulls, threads=1), hasher["bits"],
                            np.asarray(texts.is_null()))
        columns = {name: batch.column(name) for name in batch.schema.names} | {column: values}
        yield pa.record_batch(columns)


def _as_column(values: np.ndarray, bits: int, null: np.ndarray) -> pa.Array:
    if bits == 128:
        return pa.array([row.tobytes() for row in values.astype("<u8")], pa.binary(), mask=null)
    return pa.array(values.astype(f"uint{bits}").view(f"int{bits}"), mask=null)


def _as_numbers(column: pa.Array, bits: int) -> np.ndarray:
    if bits == 128:
        return np.frombuffer(b"".join(column.to_pylist()), "<u8").reshape(-1, 2)
    return np.asarray(column).view(f"uint{bits}")


def _bits_of(df: DataFrame, fingerprint: str) -> int:
    kind = dict(df.dtypes)[fingerprint]
    for bits, name in ((16, "smallint"), (32, "int"), (64, "bigint"), (128, "binary")):
        if kind == name:
            return bits
    raise ArgumentError(f"column {fingerprint!r} has the type {kind}: fingerprints are short, int, "
                        "long, or binary of 16 bytes")


# Most new fingerprints of one index: it is in the memory of each worker.
_MOST_NEW = 1 << 24
# Existing fingerprints that are joined with the index at once.
_JOINED_TOGETHER = 1 << 22


def hamming_join(existing: DataFrame | Files, new: DataFrame, *, fingerprint: str = "fp",
                 id: str = "id", k: int = 3) -> DataFrame:
    """All pairs of an existing and a new fingerprint within k bits: id, new_id, distance (Manku, Jain,
    Das Sarma 2007, section 3.2).

    The existing fingerprints are read where they are, once. The new ones go to each worker, which
    makes an index of them: 1 M of 64 bits take 86 MB with k=3. They are at most 2^24. The new ones are
    collected at once; the pairs are found when the table is read, and Spark wraps the errors then.

    fingerprint  a column of both tables, as :func:`simhash` makes it
    id           a column of both
    """
    for table in (rows_of(existing), new):
        check_columns(table, fingerprint, id)
    bits = _bits_of(new, fingerprint)
    if _bits_of(rows_of(existing), fingerprint) != bits:
        raise ArgumentError(f"the fingerprints of the two tables have {bits} and "
                            f"{_bits_of(rows_of(existing), fingerprint)} bits")
    HammingIndex(bits=bits, k=k).close()  # checks k
    rows = new.filter(column_of(fingerprint).isNotNull()).select(
        column_of(fingerprint), column_of(id)).limit(_MOST_NEW + 1).toArrow()
    if len(rows) > _MOST_NEW:
        raise ArgumentError(f"more than {_MOST_NEW:,} new fingerprints: join them in parts")
    words = _as_numbers(rows[fingerprint].combine_chunks(), bits)
    shared = new.sparkSession.sparkContext.broadcast((words, rows[id].combine_chunks()))
    (of, read), types = source_of(existing, [fingerprint, id])
    schema = pa.schema([types.field(id).with_name("id"), rows.schema.field(id).with_name("new_id"),
                        ("distance", pa.int32())])
    return map_batches(of, functools.partial(_join_near, read, shared, uuid.uuid4().hex, bits, k,
                                             schema), schema)


def _join_near(read: Any, shared: Any, name: str, bits: int, k: int, schema: pa.Schema,
               batches: Batches) -> Iterator[pa.RecordBatch]:
    if name not in _INDEXES:
        _INDEXES.clear()
        _INDEXES[name] = HammingIndex.build(shared.value[0], bits=bits, k=k)
    for rows in _together(read(batches)):
        existing, ids = (column.combine_chunks() for column in rows.columns)
        found = _INDEXES[name].join(k, other=_as_numbers(existing, bits), threads=1)
        yield pa.record_batch([ids.take(found["id_b"].combine_chunks()),
                               shared.value[1].take(found["id_a"].combine_chunks()),
                               found["distance"].combine_chunks().cast(pa.int32())], schema=schema)


def _together(batches: Batches) -> Iterator[pa.Table]:
    """Rows with a fingerprint."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch.filter(batch.column(0).is_valid()))
        if sum(map(len, waiting)) >= _JOINED_TOGETHER:
            yield pa.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting)


# The index of the join that this worker has tasks of: it has several, one after the other.
_INDEXES: dict[str, HammingIndex] = {}
