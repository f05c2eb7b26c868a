"""Dedup on a Spark cluster, with the answer of :func:`neardup.dedup` on one machine.

    from neardup.spark import dedup
    result = dedup(df, text="text", id="id", order_by=["crawl_date", "id"], checkpoint="s3a://...")
    result.kept, result.removed

The executors need this package, NumPy and pyarrow. Texts are read where they are; what moves between
machines is sketches, keys and, for documents that have a candidate, shingle sets.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from . import _distributed_flow
from ._errors import ArgumentError
from ._options import Analyzer
from .distributed import Batches, Settings

# What a run sets in the session, and sets back: rows of Arrow batches, so that a batch of long texts
# does not fill the memory.
SETTINGS = {"spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
            "spark.sql.execution.arrow.maxBytesPerBatch": str(64 << 20)}


@dataclasses.dataclass
class Result:
    """kept     the rows that stay
    removed  id, kept_id, jaccard, intersection, union of each removed row
    left_out comparisons that max_compare left out; 0: the answer is that of one machine
    rounds   of large buckets
    """

    kept: DataFrame
    removed: DataFrame
    left_out: int
    rounds: int


def dedup(df: DataFrame, *, text: str = "text", id: str = "id", order_by: list[str] | None = None,
          checkpoint: str, threshold: float = 0.8, recall: float = 0.999, perms: int = 128,
          analyzer: Analyzer = "words", ngram: int = 5, seed: int = 1,
          nulls: Literal["error", "skip"] = "error", max_compare: int = 1000,
          partitions: int | None = None) -> Result:
    """Removes each row that is a near-duplicate of a row before it that stays.

    order_by    columns that put the rows in order; the first of several duplicates stays. Default:
                the id. Equal rows of it have no order: let the id be the last column.
    checkpoint  a folder for the tables of the run, on a file system that all machines reach. A run
                that died goes on from there; it must have the same options.
    partitions  of exchanges; default: spark.sql.shuffle.partitions
    The other options are those of :func:`neardup.dedup`.
    """
    spark = df.sparkSession
    count = partitions or int(spark.conf.get("spark.sql.shuffle.partitions") or 200)
    s = Settings(text=text, id=id, order=order_by or [id], threshold=threshold, recall=recall,
                 perms=perms, analyzer=analyzer, ngram=ngram, seed=seed, nulls=nulls,
                 max_compare=max_compare, buckets=count)
    for name in (s.text, *s.columns):
        if name not in df.columns:
            raise ArgumentError(f"there is no column {name!r}; the columns are "
                                + ", ".join(map(repr, df.columns)))
    engine = SparkEngine(spark, checkpoint, count)
    engine.begin(s)
    documents = df.select(*dict.fromkeys([s.text, *s.columns]))
    with _session(spark):
        found = _distributed_flow.dedup(engine, documents, to_arrow_schema(documents.schema), s)
        removed = found.removed.select("id", "kept_id", (F.col("intersection") / F.col(
            "union")).alias("jaccard"), "intersection", "union")
    kept = df.join(found.removed.select(F.col("id").alias(id)), id, "left_anti")
    return Result(kept, removed, found.left_out, found.rounds)


@contextlib.contextmanager
def _session(spark: SparkSession) -> Iterator[None]:
    before = {name: spark.conf.get(name, None) for name in SETTINGS}
    try:
        for name, value in SETTINGS.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)


class SparkEngine:
    """The engine of _distributed_flow: tables are DataFrames, saved ones Parquet."""

    def __init__(self, spark: SparkSession, checkpoint: str, partitions: int) -> None:
        self._spark, self._checkpoint, self._partitions = spark, checkpoint.rstrip("/"), partitions

    def begin(self, s: Settings) -> None:
        """Writes the settings down, or compares them with those of the run that began here."""
        path, text = f"{self._checkpoint}/settings", json.dumps(dataclasses.asdict(s))
        if self._exists(path):
            was, = (row.value for row in self._spark.read.text(path).collect())
            if was != text:
                raise ArgumentError(f"{self._checkpoint} is of a run with other options: {was}")
            return
        self._spark.createDataFrame([(text,)], ["value"]).coalesce(1).write.mode(
            "overwrite").text(path)

    def _exists(self, path: str) -> bool:
        java: Any = self._spark.sparkContext._jvm
        done = java.org.apache.hadoop.fs.Path(f"{path}/_SUCCESS")
        configuration = self._spark.sparkContext._jsc.hadoopConfiguration()  # type: ignore[union-attr]
        return bool(done.getFileSystem(configuration).exists(done))

    def map(self, table: DataFrame, step: _distributed_flow.Step, schema: pa.Schema) -> DataFrame:
        return table.mapInArrow(functools.partial(_typed, step, schema), from_arrow_schema(schema))

    def number(self, table: DataFrame, step: Callable[[int, Batches], Iterator[pa.RecordBatch]],
               schema: pa.Schema) -> DataFrame:
        return self.map(table, functools.partial(_numbered, step), schema)

    def exchange(self, table: DataFrame, keys: list[str], sort: list[str]) -> DataFrame:
        parted = table.repartition(self._partitions, *keys) if keys else table.repartition(1)
        return parted.sortWithinPartitions(*sort)

    def join(self, left: DataFrame, right: DataFrame, on: list[str],
             how: str = "inner") -> DataFrame:
        return left.join(right, on, how.replace(" ", "_"))

    def select(self, table: DataFrame, **columns: str) -> DataFrame:
        return table.select(*(F.col(old).alias(new) for new, old in columns.items()))

    def union(self, tables: list[DataFrame]) -> DataFrame:
        return functools.reduce(DataFrame.unionByName, tables)

    def distinct(self, table: DataFrame) -> DataFrame:
        return table.distinct()

    def rank(self, table: DataFrame, order: list[str]) -> tuple[DataFrame, int]:
        ordered = table.orderBy(*order)
        numbered = self.save("order", lambda: self.number(ordered, _with_place, pa.schema(
            [*to_arrow_schema(table.schema), ("place_part", pa.int64()), ("place", pa.int64())])))
        counts = {row.place_part: row["count"] for row in
                  numbered.groupBy("place_part").count().collect()}
        begins, total = {}, 0
        for part in sorted(counts):
            begins[part] = total
            total += counts[part]
        begin: Column = F.lit(0)
        if begins:
            begin = F.create_map(*(F.lit(n) for pair in begins.items() for n in pair))[
                F.col("place_part")]
        return numbered.select(*table.columns, (begin + F.col("place")).cast("long").alias(
            "rank")), total

    def save(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        path = f"{self._checkpoint}/{name}"
        if not self._exists(path):
            make().write.mode("overwrite").parquet(path)
        return self._spark.read.parquet(path)

    def is_empty(self, table: DataFrame) -> bool:
        return table.isEmpty()

    def sum(self, table: DataFrame, column: str) -> int:
        return int(table.agg(F.sum(column)).collect()[0][0] or 0)


def _numbered(step: Callable[[int, Batches], Iterator[pa.RecordBatch]],
              batches: Batches) -> Iterator[pa.RecordBatch]:
    context = TaskContext.get()
    assert context is not None
    return step(context.partitionId(), batches)


def _typed(step: _distributed_flow.Step, schema: pa.Schema,
           batches: Batches) -> Iterator[pa.RecordBatch]:
    """Batches with the types that Spark was told: it may give texts with offsets of 64 bits."""
    for batch in step(batches):
        yield pa.record_batch([column.cast(field.type) for column, field in
                               zip(batch.columns, schema)], schema=schema)


def _with_place(part: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    row = 0
    for batch in batches:
        places = pa.array(range(row, row + len(batch)), pa.int64())
        parts = pa.array([part] * len(batch), pa.int64())
        row += len(batch)
        yield pa.record_batch([*batch.columns, parts, places],
                              names=[*batch.schema.names, "place_part", "place"])
