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
import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from . import _distributed_flow
from ._errors import ArgumentError, InputError
from ._fate_map import MAP_SIZE, MAPS, build_maps, look_up_in
from ._options import Analyzer
from .distributed import ROW_BITS, Batches, Settings

# What a run sets in the session, and sets back: bounds of Arrow batches, so that a batch of long texts
# does not fill the memory; and that the table of sketches, in buckets by the column PART, is not
# moved when it is joined by PART and doc.
SETTINGS = {"spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
            "spark.sql.execution.arrow.maxBytesPerBatch": str(64 << 20),
            "spark.sql.requireAllClusterKeysForCoPartition": "false"}

# The number of a document's partition, in the table of sketches.
PART = "doc_part"


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
        stays = _stays(engine, found, s)
    removed = found.removed.select("id", "kept_id", (F.col("intersection") / F.col("union")).alias(
        "jaccard"), "intersection", "union")
    return Result(df.filter(stays), removed, found.left_out, found.rounds)


# ---- the rows that stay: a filter, so that no text moves


def _stays(engine: SparkEngine, found: _distributed_flow.Found, s: Settings) -> Column:
    """A condition that is true for rows that stay. It has a bit per document on each machine
    (_fate_map). Rows without a text were left out, so they stay."""
    removed = found.removed.select("doc", F.lit(True).alias("removed"))
    for seed in range(100):
        key = F.xxhash64(F.lit(seed), F.col(s.id))
        table = engine.join(found.sketches.select(PART, "doc", key.alias("key")), removed, ["doc"],
                            "left outer")
        parts = max(1, found.sketches.count() // MAP_SIZE)
        table = table.select(F.pmod(F.shiftright("key", 20), F.lit(parts)).alias("part"), "key",
                             F.coalesce("removed", F.lit(False)).alias("removed"))
        maps = engine.map(engine.exchange(table, ["part"], ["part", "key"]), build_maps,
                          MAPS).collect()
        twice = [row.twice for row in maps if row.twice is not None]
        if not twice:
            return F.col(s.text).isNull() | ~_removed_by(engine, maps, parts)(key)
        _check_ids(found.sketches, s.id, key, twice)
    raise AssertionError("ids with equal hashes")


def _check_ids(sketches: DataFrame, id: str, key: Column, twice: list[int]) -> None:
    """Ids with equal hashes are one id, or it is chance."""
    ids = [row[0] for row in sketches.filter(key.isin(twice[:100])).select(id).collect()]
    repeated = sorted({each for each in ids if ids.count(each) > 1})
    if repeated:
        raise InputError(f"id {repeated[0]!r} is in several rows; ids must differ")


def _removed_by(engine: SparkEngine, maps: list[Any], parts: int) -> Callable[[Column], Column]:
    shared = engine.spark.sparkContext.broadcast(
        {row.part: (row.seed, row["count"], np.frombuffer(row.bits, np.uint8)) for row in maps})

    @F.pandas_udf("boolean")  # type: ignore[call-overload, untyped-decorator]
    def removed(keys: pd.Series) -> pd.Series:
        return pd.Series(look_up_in(shared.value, parts, keys.to_numpy()))

    return removed  # type: ignore[no-any-return]


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
        self.spark, self._checkpoint, self._partitions = spark, checkpoint.rstrip("/"), partitions

    def begin(self, s: Settings) -> None:
        """Writes the settings down, or compares them with those of the run that began here."""
        path, text = f"{self._checkpoint}/settings", json.dumps(dataclasses.asdict(s))
        if self._exists(path):
            was, = (row.value for row in self.spark.read.text(path).collect())
            if was != text:
                raise ArgumentError(f"{self._checkpoint} is of a run with other options: {was}")
            return
        self.spark.createDataFrame([(text,)], ["value"]).coalesce(1).write.mode(
            "overwrite").text(path)

    def _exists(self, path: str) -> bool:
        java: Any = self.spark.sparkContext._jvm
        done = java.org.apache.hadoop.fs.Path(f"{path}/_SUCCESS")
        configuration = self.spark.sparkContext._jsc.hadoopConfiguration()  # type: ignore[union-attr]
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
        how = how.replace(" ", "_")
        if PART not in left.columns + right.columns:
            return left.join(right, on, how)
        left, right = (table if PART in table.columns else _with_part(table, on[0])
                       for table in (left, right))
        return left.join(right, [PART, *on], how).drop(PART)

    def select(self, table: DataFrame, **columns: str) -> DataFrame:
        part = [F.col(PART)] if PART in table.columns else []
        return table.select(*part, *(F.col(old).alias(new) for new, old in columns.items()))

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
        return self.spark.read.parquet(path)

    def save_sketches(self, make: Callable[[], DataFrame]) -> DataFrame:
        """In buckets: each task writes one file, and joins by doc read the table where it is."""
        path = f"{self._checkpoint}/sketches"
        name = "neardup_" + hashlib.sha256(path.encode()).hexdigest()[:16]
        self.spark.sql(f"DROP TABLE IF EXISTS {name}")  # an external table: its files stay
        if not self._exists(path):
            _with_part(make(), "doc").write.mode("overwrite").option("path", path).bucketBy(
                self._partitions, PART).saveAsTable(name)
        else:
            columns = self.spark.read.parquet(path).schema.toDDL()
            self.spark.sql(f"CREATE TABLE {name} ({columns}) USING parquet CLUSTERED BY ({PART}) "
                            f"INTO {self._partitions} BUCKETS LOCATION '{path}'")
        return self.spark.table(name)

    def is_empty(self, table: DataFrame) -> bool:
        return table.isEmpty()

    def sum(self, table: DataFrame, column: str) -> int:
        return int(table.agg(F.sum(column)).collect()[0][0] or 0)


def _with_part(table: DataFrame, doc: str) -> DataFrame:
    return table.withColumn(PART, F.shiftright(F.col(doc), ROW_BITS).cast("int"))


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
