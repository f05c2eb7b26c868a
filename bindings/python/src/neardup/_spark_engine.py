"""The engine of neardup.distributed on Spark: tables are DataFrames, saved ones Parquet."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from . import _errors
from ._errors import ArgumentError
from .distributed import Batches
from .distributed._engine import Step
from .distributed._settings import ROW_BITS

# Set while a run makes its tables, and set back: bounds of Arrow batches, so that a batch of long
# texts does not fill the memory; and that the table of sketches, in buckets by the column PART, is
# not moved when it is joined by PART and doc.
SESSION = {"spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
           "spark.sql.execution.arrow.maxBytesPerBatch": str(64 << 20),
           "spark.sql.requireAllClusterKeysForCoPartition": "false"}

# The number of a document's partition, in the table of sketches.
PART = "doc_part"


def map_batches(table: DataFrame, step: Step, schema: pa.Schema) -> DataFrame:
    return table.mapInArrow(functools.partial(_typed, step, schema), from_arrow_schema(schema))


def map_numbered(table: DataFrame, step: Callable[[int, Batches], Iterator[pa.RecordBatch]],
                 schema: pa.Schema) -> DataFrame:
    return map_batches(table, functools.partial(_numbered, step), schema)


class SparkEngine:
    def __init__(self, spark: SparkSession, checkpoint: str, partitions: int) -> None:
        """checkpoint: a folder. partitions: of exchanges."""
        self.spark, self.checkpoint = spark, checkpoint.rstrip("/")
        self.partitions = partitions

    # ---- the folder

    def read_settings(self) -> dict[str, Any] | None:
        """Those that the run in the folder has; None: there is none."""
        path = f"{self.checkpoint}/settings"
        if not self.has("settings"):
            return None
        return dict(json.loads("\n".join(row.value for row in self.spark.read.text(path).collect())))

    def write_settings(self, settings: dict[str, Any]) -> None:
        self.spark.createDataFrame([(json.dumps(settings),)], ["value"]).coalesce(1).write.mode(
            "overwrite").text(f"{self.checkpoint}/settings")

    def is_empty(self) -> bool:
        """Whether the folder has no files, or is missing."""
        files, path = _file_system(self.spark, self.checkpoint)
        return not files.exists(path) or len(files.listStatus(path)) == 0

    def has(self, name: str) -> bool:
        """Whether a table is complete."""
        return exists(self.spark, f"{self.checkpoint}/{name}/_SUCCESS")

    def read(self, name: str) -> DataFrame:
        return self.spark.read.parquet(f"{self.checkpoint}/{name}")

    # ---- tables

    map = staticmethod(map_batches)
    number = staticmethod(map_numbered)

    def exchange(self, table: DataFrame, keys: list[str], sort: list[str]) -> DataFrame:
        parted = table.repartition(self.partitions, *keys) if keys else table.repartition(1)
        return parted.sortWithinPartitions(*sort)

    def join(self, left: DataFrame, right: DataFrame, on: list[str],
             how: str = "inner") -> DataFrame:
        how = how.replace(" ", "_")
        if PART not in left.columns + right.columns:
            return left.join(right, on, how)
        left, right = (table if PART in table.columns else _with_part(table, on[0])
                       for table in (left, right))
        joined = left.join(right, [PART, *on], how)
        return joined if how == "left_anti" else joined.drop(PART)

    def select(self, table: DataFrame, **columns: str) -> DataFrame:
        part = [F.col(PART)] if PART in table.columns else []
        return table.select(*part, *(F.col(old).alias(new) for new, old in columns.items()))

    def union(self, tables: list[DataFrame]) -> DataFrame:
        columns = [name for name in tables[0].columns if name != PART]
        return functools.reduce(DataFrame.unionByName, (table.select(columns) for table in tables))

    def distinct(self, table: DataFrame) -> DataFrame:
        return table.distinct()

    def rank(self, table: DataFrame, order: list[str]) -> tuple[DataFrame, int]:
        ordered = table.orderBy(*order)
        numbered = self.save("order", lambda: map_numbered(ordered, _with_place, pa.schema(
            [*to_arrow_schema(table.schema), ("place_part", pa.int64()), ("place", pa.int64())])))
        counts = {row.place_part: row["count"] for row in
                  numbered.groupBy("place_part").count().collect()}
        # In an array, because a map is searched from its begin for each row.
        parts = max(counts, default=0) + 1
        begins = np.cumsum([0, *(counts.get(part, 0) for part in range(parts))])
        rank = F.lit(begins)[F.col("place_part").cast("int")] + F.col("place")
        return numbered.select(*table.columns, rank.alias("rank")), int(begins[-1])

    # ---- saved tables

    def save(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        if self.has(name):
            return self.read(name)
        table, path = make(), f"{self.checkpoint}/{name}"
        table.write.mode("overwrite").parquet(path)
        return self.spark.read.schema(table.schema).parquet(path)  # no job that looks for its schema

    def save_sketches(self, make: Callable[[], DataFrame]) -> DataFrame:
        """In buckets: each task writes one file, and joins by doc read the table where it is. Its bytes
        are those of hashes: trying to compress them takes time alone."""
        if self.has("sketches"):
            return self.open_sketches()
        name = self._drop_sketches()
        plain = {"compression": "none", "parquet.enable.dictionary": "false"}
        _with_part(make(), "doc").write.mode("overwrite").options(
            path=self._sketches, **plain).bucketBy(self.partitions, PART).saveAsTable(name)
        return self.spark.table(name)

    def open_sketches(self) -> DataFrame:
        name = self._drop_sketches()
        columns = self.read("sketches").schema.toDDL()
        self.spark.sql(f"CREATE TABLE {name} ({columns}) USING parquet CLUSTERED BY ({PART}) "
                       f"INTO {self.partitions} BUCKETS LOCATION '{self._sketches}'")
        return self.spark.table(name)

    @property
    def _sketches(self) -> str:
        """Absolute, because a table of Spark has its path from Spark's own folder."""
        files, path = _file_system(self.spark, f"{self.checkpoint}/sketches")
        return str(files.makeQualified(path).toString())

    def _drop_sketches(self) -> str:
        """The name of the table. It is an external one: its files stay."""
        name = "neardup_" + hashlib.sha256(self._sketches.encode()).hexdigest()[:16]
        self.spark.sql(f"DROP TABLE IF EXISTS {name}")
        return name

    # ---- values

    def first(self, table: DataFrame) -> dict[str, Any] | None:
        row = table.first()
        return None if row is None else row.asDict()

    def repeated(self, table: DataFrame, column: str) -> Any:
        """By 64 bits of hash first: few values have a hash that several rows have."""
        key = F.xxhash64(column)
        twice = [row.key for row in table.select(key.alias("key")).groupBy("key").count()
                 .filter("count > 1").limit(100).collect()]
        if not twice:
            return None
        row = table.filter(key.isin(twice)).groupBy(column).count().filter("count > 1").first()
        return None if row is None else row[0]

    def sum(self, table: DataFrame, column: str) -> int:
        return int(table.agg(F.sum(column)).collect()[0][0] or 0)


def _with_part(table: DataFrame, doc: str) -> DataFrame:
    return table.withColumn(PART, F.shiftright(F.col(doc), ROW_BITS).cast("int"))


def _numbered(step: Callable[[int, Batches], Iterator[pa.RecordBatch]],
              batches: Batches) -> Iterator[pa.RecordBatch]:
    context = TaskContext.get()
    assert context is not None
    return step(context.partitionId(), batches)


def _typed(step: Step, schema: pa.Schema, batches: Batches) -> Iterator[pa.RecordBatch]:
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


# ---- files


def exists(spark: SparkSession, path: str) -> bool:
    files, found = _file_system(spark, path)
    return bool(files.exists(found))


def _file_system(spark: SparkSession, path: str) -> tuple[Any, Any]:
    """That of a path, and the path as it takes it."""
    java: Any = spark.sparkContext._jvm
    found = java.org.apache.hadoop.fs.Path(path)
    return found.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()), found


# ---- the session


def check_columns(df: DataFrame, *columns: str) -> None:
    for name in columns:
        if name not in df.columns:
            raise ArgumentError(f"there is no column {name!r}; the columns are "
                                + ", ".join(map(repr, df.columns)))


def partitions_of(spark: SparkSession) -> int:
    return int(spark.conf.get("spark.sql.shuffle.partitions") or 200)


@contextlib.contextmanager
def session(spark: SparkSession) -> Iterator[None]:
    """Sets what the steps need, and sets it back. Errors of the steps, which Spark wraps, come out as
    those of the package."""
    before = {name: spark.conf.get(name, None) for name in SESSION}
    try:
        for name, value in SESSION.items():
            spark.conf.set(name, value)
        yield
    except Exception as problem:
        own = own_error(problem)
        if own is None:
            raise
        raise own from None
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)


def own_error(problem: Exception) -> _errors.Error | None:
    """The error of this package that a task on another machine has raised, in Python or by
    `raise_error` of Spark, which adds a code."""
    found = re.search(r"(?:^|\[USER_RAISED_EXCEPTION\] )neardup(?:\._errors)?\.(\w+): (.*?)"
                      r"(?: SQLSTATE: \w+)?$", str(problem), re.MULTILINE)
    kind = getattr(_errors, found[1], None) if found else None
    is_own = isinstance(kind, type) and issubclass(kind, _errors.Error)
    return kind(found[2]) if found and kind and is_own else None
