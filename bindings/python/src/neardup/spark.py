"""Near-duplicates on a Spark cluster, with the answers of one machine.

    from neardup.spark import dedup
    kept, removed = dedup(df, text="text", id="id", order_by=["crawl_date", "id"],
                          threshold=.8, checkpoint="s3a://bucket/run1")

The executors need this package, NumPy, pandas and pyarrow. Texts are read where they are: once to find
duplicates, and once more when the kept rows are written. Between machines move hashes and keys and,
for documents that have a candidate, sketches and shingle sets.
"""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections.abc import Iterator
from typing import Any, Literal

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.pandas.types import to_arrow_schema

from . import _runs, distributed
from ._errors import ArgumentError, DataWarning
from ._options import Analyzer
from ._spark_engine import SparkEngine, check_columns, column_of, map_batches, session
from ._spark_files import Files, rows_of, source_of
from ._spark_fingerprints import hamming_join, simhash
from ._table_engine import Table
from .distributed import Settings

__all__ = ["Files", "Result", "dedup", "hamming_join", "pairs", "simhash", "sketch"]


@dataclasses.dataclass
class Result:
    """kept, removed = dedup(...)

    kept        the rows that stay
    removed     id, kept_id, jaccard, intersection, union of each removed row
    left_out    comparisons that max_compare left out; 0: the answer is that of one machine
    rounds      of large buckets, or turns of stars
    checkpoint  the folder of the run, for `against`
    """

    kept: DataFrame
    removed: DataFrame
    left_out: int
    rounds: int
    checkpoint: str

    def __iter__(self) -> Iterator[DataFrame]:
        return iter((self.kept, self.removed))


def dedup(df: DataFrame | Files, *, text: str = "text", id: str = "id", order_by: list[str] | None = None,
          checkpoint: str, against: Result | str | None = None, threshold: float = 0.8,
          group: Literal["greedy", "component"] = "greedy", recall: float = 0.999,
          perms: int = 128, analyzer: Analyzer = "words", ngram: int = 5, seed: int = 1,
          nulls: Literal["error", "skip"] = "error", max_compare: int = 1000,
          partitions: int | None = None) -> Result:
    """Removes each row that is a near-duplicate of a row before it that stays.

    order_by    columns that put the rows in order; the first of several duplicates stays. Default:
                the id. Equal rows of it have no order: let the id be the last column.
    checkpoint  a new or an empty folder for the tables of the run, on a file system that all machines
                reach. A run that died goes on from there; it must have the same options.
    against     an earlier run, or its folder: its rows that stayed, and those of the runs before it,
                stay and precede all rows of `df`. Their texts are not read again. Ids must differ
                from theirs.
    partitions  of exchanges; default: by the number of documents, or as the run began
    The other options are those of :func:`neardup.dedup`.
    """
    s = Settings(text=text, id=id, order=order_by or [id], threshold=threshold, recall=recall,
                 perms=perms, analyzer=analyzer, ngram=ngram, seed=seed, nulls=nulls,
                 max_compare=max_compare, group=group)
    if isinstance(against, Result):
        against = against.checkpoint
    if against is not None and group == "component":
        raise ArgumentError("components need all pairs, and those of an earlier run are not known: "
                            "against goes with group=\"greedy\"")
    rows = rows_of(df)
    check_columns(rows, s.text, *s.columns)
    engine = SparkEngine(rows.sparkSession, checkpoint, partitions)
    with session(rows.sparkSession):
        s, earlier = _runs.begin(engine, s, against, "dedup")
        found = distributed.dedup(engine, *_documents(df, s), s, earlier)
        fates = _runs.save_fates(engine, found)
        engine.end()
    _warn_of_bound(found)
    removed = engine.dataframe(_runs.with_jaccard(engine, found.removed, "id", "kept_id"))
    known = F.when(column_of(s.text).isNotNull(), column_of(s.id))
    return Result(rows.filter(~_are_removed(fates)(known)), removed, found.left_out, found.rounds,
                  engine.checkpoint)


def pairs(df: DataFrame | Files, *, text: str = "text", id: str = "id", order_by: list[str] | None = None,
          checkpoint: str, threshold: float = 0.8, recall: float = 0.999, perms: int = 128,
          analyzer: Analyzer = "words", ngram: int = 5, seed: int = 1,
          nulls: Literal["error", "skip"] = "error", max_compare: int = 1000,
          partitions: int | None = None) -> DataFrame:
    """All pairs of near-duplicates: id_a, id_b, jaccard, intersection, union; a is before b in the
    order. The options are those of :func:`dedup`."""
    s = Settings(text=text, id=id, order=order_by or [id], threshold=threshold, recall=recall,
                 perms=perms, analyzer=analyzer, ngram=ngram, seed=seed, nulls=nulls,
                 max_compare=max_compare)
    rows = rows_of(df)
    check_columns(rows, s.text, *s.columns)
    engine = SparkEngine(rows.sparkSession, checkpoint, partitions)
    with session(rows.sparkSession):
        s, _ = _runs.begin(engine, s, None, "pairs")
        found = distributed.pairs(engine, *_documents(df, s), s)
        engine.end()
    _warn_of_bound(found)
    return engine.dataframe(_runs.with_jaccard(engine, found.pairs, "id_a", "id_b"))


def _documents(df: DataFrame | Files, s: Settings) -> tuple[Table, pa.Schema]:
    source, schema = source_of(df, [s.text, *s.columns])
    return Table(schema, lambda: [source]), schema


def _warn_of_bound(found: distributed.Found) -> None:
    if found.left_out:
        warnings.warn(f"max_compare left out {found.left_out:,} comparisons in large buckets: one "
                      "machine may answer otherwise", DataWarning, stacklevel=3)


def _are_removed(fates: _runs.Fates) -> Any:
    def are_removed(ids: pa.Array) -> pa.Array:
        return pa.array(fates.are_removed(ids, fates.load_once()))

    return arrow_udf(are_removed, "boolean")  # type: ignore[call-overload]


# ---- sketches


def sketch(df: DataFrame, *, text: str = "text", id: str = "id", threshold: float = 0.8,
           recall: float = 0.999, perms: int = 128, analyzer: Analyzer = "words", ngram: int = 5,
           seed: int = 1, nulls: Literal["error", "skip"] = "error") -> DataFrame:
    """The table that dedup begins with, for steps of your own (:mod:`neardup.distributed`).

    The columns are id and binary ones: hash (16 bytes), bands (8 bytes a band), sketch (a byte a
    permutation), set (8 bytes a shingle).

    Spark does the work when the table is read, and wraps the errors then. It gives each worker 10,000
    rows at once: lower spark.sql.execution.arrow.maxRecordsPerBatch if texts are long.
    """
    s = Settings(text=text, id=id, order=[id], threshold=threshold, recall=recall, perms=perms,
                 analyzer=analyzer, ngram=ngram, seed=seed, nulls=nulls)
    check_columns(df, text, id)
    documents = df.select(column_of(id), column_of(text))
    schema = distributed.sketch_schema(s, to_arrow_schema(documents.schema))
    table = map_batches(documents, functools.partial(distributed.sketch, s), schema)
    words = [F.unhex(F.lpad(F.hex(name), 16, "0")) for name in ("hash_high", "hash_low")]
    return table.select("id", F.concat(*words).alias("hash"), "bands", "sketch", "set")
