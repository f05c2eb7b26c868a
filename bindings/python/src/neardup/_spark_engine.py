"""The engine of neardup.distributed on Spark, and what runs in its tasks.

Spark runs the tasks and moves rows between them, packed in Arrow: a row of Spark's own for each row of a
table costs more than all that is done with it.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import math
import pickle
import re
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from . import _errors
from ._errors import ArgumentError
from ._table_engine import AnyTable, Job, Source, Table, TableEngine
from ._table_files import Parter, gathered, in_order, parted, typed
from .distributed import Batches
from .distributed._engine import Step

# Set while a run makes its tables, and set back: bounds of Arrow batches, so that a batch of long
# texts does not fill the memory.
SESSION = {"spark.sql.execution.arrow.maxRecordsPerBatch": "2000",
           "spark.sql.execution.arrow.maxBytesPerBatch": str(64 << 20)}


def map_batches(df: DataFrame, step: Step, schema: pa.Schema) -> DataFrame:
    """mapInArrow takes no names with dots."""
    plain = df.toDF(*(f"column_{number}" for number in range(len(df.columns))))
    return plain.mapInArrow(functools.partial(_typed, step, df.columns, schema),
                            from_arrow_schema(schema))


def numbers(spark: SparkSession, count: int, read: Callable[[int], Iterator[pa.RecordBatch]]
            ) -> Source:
    """A partition for each number below count."""
    return Source(spark.range(0, count, 1, max(count, 1)), functools.partial(_read_numbers, read))


class SparkEngine(TableEngine):
    """A part is a partition of a DataFrame, and is read as its batches."""

    def __init__(self, spark: SparkSession, checkpoint: str, partitions: int | None) -> None:
        super().__init__(checkpoint, partitions)
        self.spark = spark

    def numbers(self, count: int, read: Callable[[int], Iterator[pa.RecordBatch]],
                schema: pa.Schema) -> Table:
        return Table(schema, lambda: [numbers(self.spark, count, read)])

    def spread(self, table: AnyTable, parter: Parter, sort: list[str],
               together: float = math.inf) -> Table:
        def moved() -> list[Source]:
            packed = self._together(table, lambda read: functools.partial(
                _pack, read, parter, table.schema), _PACKED)
            return [Source(packed.repartitionById(parter.parts, "part"), functools.partial(
                _unpack, table.schema, sort, together))]

        return Table(table.schema, moved)

    def run(self, table: AnyTable, job: Job) -> Iterator[Any]:
        results = self._together(table, lambda read: functools.partial(_run_job, read, job), _RESULTS)
        return (pickle.loads(row.result) for row in results.collect())

    def _together(self, table: AnyTable, step: Callable[[Any], Step], schema: pa.Schema) -> DataFrame:
        dfs = [map_batches(of, step(read), schema) for of, read in self.table(table).sources]
        return functools.reduce(DataFrame.union, dfs)

    def dataframe(self, table: AnyTable) -> DataFrame:
        (of, read), = self.table(table).sources
        return map_batches(of, read, table.schema)


# ---- what runs in tasks

_PACKED = pa.schema([("part", pa.int32()), ("rows", pa.binary())])
_RESULTS = pa.schema([("result", pa.binary())])


def _typed(step: Step, names: list[str], schema: pa.Schema, batches: Batches
           ) -> Iterator[pa.RecordBatch]:
    """Batches with the types that Spark was told: it may give texts with offsets of 64 bits."""
    yield from typed(schema, step(batch.rename_columns(names) for batch in batches))
    _freeze_modules()


@functools.cache
def _freeze_modules() -> None:
    """Behind each task Spark's worker looks for garbage among all objects, which takes longer than many
    tasks. Those of imported modules stay anyway."""
    gc.freeze()


def _read_numbers(read: Callable[[int], Iterator[pa.RecordBatch]], batches: Batches
                  ) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from read(number)


def _pack(read: Step, parter: Parter, schema: pa.Schema, batches: Batches
          ) -> Iterator[pa.RecordBatch]:
    """The rows of each part as one value."""
    for table in gathered(schema, read(batches)):
        for part, rows in parted(parter, table):
            yield pa.record_batch([[part], [memoryview(rows.serialize())]], schema=_PACKED)


def _unpack(schema: pa.Schema, sort: list[str], together: float, batches: Batches
            ) -> Iterator[pa.RecordBatch]:
    rows = (pa.ipc.read_record_batch(value.as_buffer(), schema)
            for batch in batches for value in batch.column("rows"))
    return in_order(schema, rows, sort, together)


def _run_job(read: Step, job: Job, batches: Batches) -> Iterator[pa.RecordBatch]:
    for result in job(read(batches)):
        yield pa.record_batch([pa.array([pickle.dumps(result)], pa.binary())], schema=_RESULTS)


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


def column_of(name: str) -> Column:
    """A dot in a name is a part of it."""
    return F.col(f"`{name}`")


def check_columns(df: DataFrame, *columns: str) -> None:
    for name in columns:
        if name not in df.columns:
            raise ArgumentError(f"there is no column {name!r}; the columns are "
                                + ", ".join(map(repr, df.columns)))


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
