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
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
import pandas as pd
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import pandas_udf
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from . import distributed
from ._checkpoint import check_empty, check_same
from ._errors import ArgumentError, DataWarning
from ._fate_map import MAP_SIZE, MAPS, build_maps, look_up_in
from ._options import Analyzer
from ._spark_engine import (PART, SparkEngine, check_columns, map_numbered, partitions_of,
                            session)
from ._spark_fingerprints import hamming_join, simhash
from .distributed import Settings

__all__ = ["Result", "dedup", "hamming_join", "pairs", "simhash", "sketch"]


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


def dedup(df: DataFrame, *, text: str = "text", id: str = "id", order_by: list[str] | None = None,
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
    partitions  of exchanges; default: spark.sql.shuffle.partitions, or as the run began
    The other options are those of :func:`neardup.dedup`.
    """
    s = Settings(text=text, id=id, order=order_by or [id], threshold=threshold, recall=recall,
                 perms=perms, analyzer=analyzer, ngram=ngram, seed=seed, nulls=nulls,
                 max_compare=max_compare, group=group,
                 partitions=_partitions(df, partitions))
    if isinstance(against, Result):
        against = against.checkpoint
    if against is not None and group == "component":
        raise ArgumentError("components need all pairs, and those of an earlier run are not known: "
                            "against goes with group=\"greedy\"")
    check_columns(df, s.text, *s.columns)
    engine = SparkEngine(df.sparkSession, checkpoint, s.partitions)
    with session(df.sparkSession):
        s, earlier = _begin(engine, s, partitions, against)
        documents = df.select(*dict.fromkeys([s.text, *s.columns]))
        found = distributed.dedup(engine, documents, to_arrow_schema(documents.schema), s, earlier)
        stays = _stays(engine, found, s)
    _warn_of_bound(found)
    removed = found.removed.select("id", "kept_id", _jaccard(), "intersection", "union")
    return Result(df.filter(stays), removed, found.left_out, found.rounds, engine.checkpoint)


def pairs(df: DataFrame, *, text: str = "text", id: str = "id", order_by: list[str] | None = None,
          checkpoint: str, threshold: float = 0.8, recall: float = 0.999, perms: int = 128,
          analyzer: Analyzer = "words", ngram: int = 5, seed: int = 1,
          nulls: Literal["error", "skip"] = "error", max_compare: int = 1000,
          partitions: int | None = None) -> DataFrame:
    """All pairs of near-duplicates: id_a, id_b, jaccard, intersection, union; a is before b in the
    order. The options are those of :func:`dedup`."""
    s = Settings(text=text, id=id, order=order_by or [id], threshold=threshold, recall=recall,
                 perms=perms, analyzer=analyzer, ngram=ngram, seed=seed, nulls=nulls,
                 max_compare=max_compare, partitions=_partitions(df, partitions))
    check_columns(df, s.text, *s.columns)
    engine = SparkEngine(df.sparkSession, checkpoint, s.partitions)
    with session(df.sparkSession):
        s, _ = _begin(engine, s, partitions, None, "pairs")
        documents = df.select(*dict.fromkeys([s.text, *s.columns]))
        found = distributed.pairs(engine, documents, to_arrow_schema(documents.schema), s)
    _warn_of_bound(found)
    near: DataFrame = found.pairs.select("id_a", "id_b", _jaccard(), "intersection", "union")
    return near


def _partitions(df: DataFrame, given: int | None) -> int:
    return partitions_of(df.sparkSession) if given is None else given


def _jaccard() -> Column:
    """Two texts without shingles are equal."""
    return F.when(F.col("union") == 0, 1.0).otherwise(F.col("intersection") / F.col("union")).alias(
        "jaccard")


def _warn_of_bound(found: distributed.Found) -> None:
    if found.left_out:
        warnings.warn(f"max_compare left out {found.left_out:,} comparisons in large buckets: one "
                      "machine may answer otherwise", DataWarning, stacklevel=3)


# ---- runs in folders


# Options that a run and the one before it must share.
_SHARED = ("id", "order", "threshold", "recall", "perms", "analyzer", "ngram", "seed")


def _begin(engine: SparkEngine, s: Settings, partitions: int | None, against: str | None,
           job: str = "dedup") -> tuple[Settings, list[distributed.Run]]:
    """Writes the settings of the run down, or compares them with those of the run that began there.
    Returns them with the numbers of that run, and the runs before this one."""
    chain = []
    if against is not None:
        before, now = _settings_of(engine, against), dataclasses.asdict(s)
        check_same(against, {name: now[name] for name in _SHARED}, before["settings"])
        chain = [*before["against"], against.rstrip("/")]
    was = engine.read_settings()
    if was is None:
        check_empty(engine.checkpoint, engine.is_empty())
        earlier = _open(engine, chain)
        s = dataclasses.replace(s, first_part=_next_part(earlier))
        engine.write_settings({"job": job, "settings": dataclasses.asdict(s), "against": chain})
    else:
        kept = ["first_part"] if partitions is not None else ["first_part", "partitions"]
        s = dataclasses.replace(s, **{name: was["settings"][name] for name in kept})
        check_same(engine.checkpoint, {"job": job, "against": chain, **dataclasses.asdict(s)},
                   {"job": was["job"], "against": was["against"], **was["settings"]})
        earlier = _open(engine, chain)
    engine.partitions = s.partitions
    return s, earlier


def _settings_of(engine: SparkEngine, folder: str) -> dict[str, Any]:
    run = SparkEngine(engine.spark, folder, 1)
    settings = run.read_settings()
    if settings is None or settings["job"] != "dedup" or not run.has("removed"):
        raise ArgumentError(f"{folder} has no finished run of dedup")
    return settings


def _open(engine: SparkEngine, chain: list[str]) -> list[distributed.Run]:
    runs = []
    for folder in chain:
        settings = _settings_of(engine, folder)["settings"]
        run = SparkEngine(engine.spark, folder, settings["partitions"])
        runs.append(distributed.Run(run.open_sketches(), run.read("removed")))
    return runs


def _next_part(earlier: list[distributed.Run]) -> int:
    last = [run.sketches.agg(F.max(PART)).collect()[0][0] for run in earlier]
    return max((part + 1 for part in last if part is not None), default=0)


# ---- the rows that stay: a filter, so that no text moves


def _stays(engine: SparkEngine, found: distributed.Found, s: Settings) -> Column:
    """A condition that is true for rows that stay. It has a bit per document on each machine
    (_fate_map). Rows without a text were left out, so they stay."""
    removed = found.removed.select("doc", F.lit(True).alias("removed"))
    parts = max(1, found.sketches.count() // MAP_SIZE)
    for seed in range(100):
        key = F.xxhash64(F.lit(seed), F.col("id")).alias("key")
        table = engine.join(found.sketches.select(PART, "doc", key), removed, ["doc"], "left outer")
        table = table.select(F.pmod(F.shiftright("key", 20), F.lit(parts)).alias("part"), "key",
                             F.coalesce("removed", F.lit(False)).alias("removed"))
        maps = engine.map(engine.exchange(table, ["part"], ["part", "key"]), build_maps,
                          MAPS).collect()
        if all(row.twice is None for row in maps):
            is_removed = _removed_by(engine, maps, parts)
            return F.col(s.text).isNull() | ~is_removed(F.xxhash64(F.lit(seed), F.col(s.id)))
    raise AssertionError("ids with equal hashes")


def _removed_by(engine: SparkEngine, maps: list[Any], parts: int) -> Callable[[Column], Column]:
    shared = engine.spark.sparkContext.broadcast(
        {row.part: (row.seed, row["count"], bytes(row.bits)) for row in maps})

    @pandas_udf("boolean")  # type: ignore[call-overload, untyped-decorator]
    def removed(keys: pd.Series) -> pd.Series:
        arrays = {part: (seed, count, np.frombuffer(bits, np.uint8))
                  for part, (seed, count, bits) in shared.value.items()}
        return pd.Series(look_up_in(arrays, parts, keys.to_numpy()))

    return removed  # type: ignore[no-any-return]


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
    documents = df.select(id, text)
    schema = distributed.sketch_schema(s, to_arrow_schema(documents.schema))
    table = map_numbered(documents, functools.partial(distributed.sketch, s), schema)
    words = [F.unhex(F.lpad(F.hex(name), 16, "0")) for name in ("hash_high", "hash_low")]
    return table.select("id", F.concat(*words).alias("hash"), "bands", "sketch", "set")
