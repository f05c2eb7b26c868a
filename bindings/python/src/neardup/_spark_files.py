"""The rows that a job on Spark reads: of a DataFrame, or of files that the executors open themselves."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator
from typing import Literal

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema

from ._document_files import DocumentFiles, Split
from ._spark_engine import column_of, numbers
from ._table_engine import Source


@dataclasses.dataclass(frozen=True)
class Files:
    """Rows of files, in place of a DataFrame. The executors read the files themselves, which takes much
    less time than to get the rows from Spark.

    rows    as Spark reads them: the rows that stay are rows of it
    urls    of files or folders: paths, s3:// or another scheme that pyarrow.fs knows, with its
            credentials
    format  Parquet or JSON Lines
    """

    rows: DataFrame
    urls: list[str]
    format: Literal["parquet", "jsonl"]


def rows_of(table: DataFrame | Files) -> DataFrame:
    return table.rows if isinstance(table, Files) else table


def source_of(table: DataFrame | Files, columns: Iterable[str]) -> tuple[Source, pa.Schema]:
    """Some columns, and their types."""
    chosen = rows_of(table).select(*map(column_of, dict.fromkeys(columns)))
    schema = to_arrow_schema(chosen.schema)
    if isinstance(table, DataFrame):
        return Source(chosen, iter), schema
    files = DocumentFiles(table.urls, table.format)
    splits = files.splits()
    return numbers(table.rows.sparkSession, len(splits), functools.partial(
        _read_split, files, splits, schema)), schema


def _read_split(files: DocumentFiles, splits: list[Split], schema: pa.Schema, number: int
                ) -> Iterator[pa.RecordBatch]:
    return files.read(splits[number], schema)
