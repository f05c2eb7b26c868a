"""Dedup on a Ray cluster, with the answer of :func:`neardup.dedup` on one machine.

    from neardup.ray import dedup
    kept, removed = dedup(ds, text="text", id="id", checkpoint="s3://...")

Each node needs this package. Texts stay in the tasks that read them. Sketches, keys and, for
documents that have a candidate, shingle sets move between machines: through files of the
checkpoint, so neither the object store nor the driver holds a table.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc
import ray
from ray.data import Dataset

from . import _runs, distributed
from ._errors import ArgumentError
from ._options import Analyzer
from ._ray_engine import RayEngine
from ._table_engine import Source, Table
from .distributed import Settings


@dataclasses.dataclass
class Result:
    """kept     the rows that stay
    removed  id, kept_id, jaccard, intersection, union of each removed row
    left_out comparisons that max_compare left out; 0: the answer is that of one machine
    rounds   of large buckets

    ``kept, removed = dedup(...)`` works, too. Both read files of the checkpoint when they run.
    """

    kept: Dataset
    removed: Dataset
    left_out: int
    rounds: int

    def __iter__(self) -> Iterator[Dataset]:
        return iter((self.kept, self.removed))


def dedup(ds: Dataset, *, text: str = "text", id: str = "id", order_by: list[str] | None = None,
          checkpoint: str, threshold: float = 0.8,
          group: Literal["greedy", "component"] = "greedy", recall: float = 0.999,
          perms: int = 128, analyzer: Analyzer = "words", ngram: int = 5, seed: int = 1,
          nulls: Literal["error", "skip"] = "error", max_compare: int = 1000,
          partitions: int | None = None) -> Result:
    """Removes each row that is a near-duplicate of a row before it that stays.

    order_by    columns that put the rows in order; the first of several duplicates stays. Default:
                the id. Equal rows of it have no order: let the id be the last column.
    checkpoint  a new or an empty folder for the tables of the run, which all nodes reach: a path, or
                a URL of pyarrow.fs. A run that died goes on from there; it must have the same options.
    partitions  of exchanges; default: by the number of documents, or as the run began
    The other options are those of :func:`neardup.dedup`.
    """
    s = Settings(text=text, id=id, order=order_by or [id], threshold=threshold, recall=recall,
                 perms=perms, analyzer=analyzer, ngram=ngram, seed=seed, nulls=nulls,
                 max_compare=max_compare, group=group)
    documents, schema = _documents(ds, s)
    engine = RayEngine(checkpoint, partitions)
    s, _ = _runs.begin(engine, s, None, "dedup")
    try:
        found = distributed.dedup(engine, documents, schema, s)
        fates = _runs.save_fates(engine, found)
        removed = engine.dataset(_runs.with_jaccard(engine, found.removed, "id", "kept_id"))
    finally:
        engine.end()
    maps = ray.remote(_runs.Fates.load).remote(fates)  # a copy for each node, and the driver has none
    stays = functools.partial(_filtered, s, schema.field(id).type, fates, maps)
    return Result(ds.map_batches(stays, batch_size=None, batch_format="pyarrow"), removed,
                  found.left_out, found.rounds)


def _documents(ds: Dataset, s: Settings) -> tuple[Table, pa.Schema]:
    """The columns that are read, and their types."""
    found: Any = ds.schema()
    types = dict(zip(found.names, found.types)) if found else {}
    wanted = list(dict.fromkeys([s.text, *s.columns]))
    for name in wanted:
        if name not in types:
            raise ArgumentError(f"there is no column {name!r}; the columns are "
                                + ", ".join(map(repr, types)))
    schema = pa.schema([(name, _plain(types[name])) for name in wanted])
    chosen = ds.select_columns(wanted)
    return Table(schema, lambda: [Source(chosen, functools.partial(_read_documents, schema))]
                 ), schema


def _plain(kind: Any) -> pa.DataType:
    """The type of a column in all blocks. Ray Data knows that of the first block, which may have
    nulls alone, or objects of pandas."""
    if not isinstance(kind, pa.DataType) or pa.types.is_null(kind):
        return pa.string()
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _read_documents(schema: pa.Schema, block: pa.Table) -> Iterator[pa.RecordBatch]:
    """Small batches: a text may be long."""
    return iter(block.select(schema.names).cast(schema).to_batches(max_chunksize=2000))


def _filtered(s: Settings, id_type: pa.DataType, fates: _runs.Fates, maps: Any, block: pa.Table
              ) -> pa.Table:
    """Rows without a text were left out, so they stay."""
    if len(block) == 0:
        return block
    ids = pa.concat_arrays(pc.if_else(block[s.text].is_null(), None, block[s.id].cast(id_type)).chunks)
    return block.filter(pa.array(~fates.are_removed(ids, ray.get(maps))))
