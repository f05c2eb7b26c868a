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
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import ray
from ray.data import Dataset

from . import distributed
from ._errors import ArgumentError
from ._fate_map import MAP_SIZE, MAPS, build_maps, hash_ids, look_up_in, part_of
from ._options import Analyzer
from ._ray_engine import MOST_PARTITIONS, RayEngine, Source, Table
from ._table_files import File, Folder
from .distributed import Batches, Settings

# Documents for each partition of an exchange, unless the caller says how many there are.
DOCUMENTS_A_PARTITION = 50_000


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
                 max_compare=max_compare, group=group,
                 partitions=1 if partitions is None else partitions)
    documents, schema = _documents(ds, s)
    engine = RayEngine(checkpoint)
    partitions = engine.begin(s, partitions)
    try:
        rows = engine.save_sketches(lambda: engine.number(
            documents, functools.partial(distributed.sketch, s),
            distributed.sketch_schema(s, schema))).saved.rows
        engine.partitions = partitions or min(1 + rows // DOCUMENTS_A_PARTITION, MOST_PARTITIONS)
        s = dataclasses.replace(s, partitions=engine.partitions)
        found = distributed.dedup(engine, documents, schema, s)
        stays = _stays(engine, found, s, schema.field(id).type)
        removed = engine.dataset(engine.map(found.removed, _with_jaccard, pa.schema(
            [found.removed.schema.field(name) for name in ("id", "kept_id")] + _COUNTS)))
    finally:
        engine.end()
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


_COUNTS = [pa.field("jaccard", pa.float64()), pa.field("intersection", pa.int64()),
           pa.field("union", pa.int64())]


def _with_jaccard(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        shared, union = (batch.column(name) for name in ("intersection", "union"))
        alike = np.asarray(union) == 0  # two texts without shingles
        yield pa.record_batch([batch.column("id"), batch.column("kept_id"),
                               np.where(alike, 1, np.asarray(shared) / np.maximum(np.asarray(union), 1)),
                               shared, union],
                              names=["id", "kept_id", *(field.name for field in _COUNTS)])


# ---- the rows that stay: a filter, so that no text moves

_MARKED = pa.schema([("doc", pa.int64()), ("removed", pa.bool_())])
_KEYED = pa.schema([("part", pa.int64()), ("key", pa.int64()), ("removed", pa.bool_())])


def _stays(engine: RayEngine, found: distributed.Found, s: Settings,
           id_type: pa.DataType) -> Callable[[pa.Table], pa.Table]:
    """Filters blocks. It has a bit per document on each machine (_fate_map). Rows without a text
    were left out, so they stay."""
    removed = engine.map(engine.select(found.removed, doc="doc"), _marked, _MARKED)
    sketches = engine.select(found.sketches, doc="doc", id="id")
    parts = max(1, found.sketches.saved.rows // MAP_SIZE)
    for seed in range(100):
        keyed = engine.map(engine.join(sketches, removed, ["doc"], "left outer"),
                           functools.partial(_keyed, seed, parts), _KEYED)
        maps = engine.save(f"stays-{seed}", functools.partial(
            engine.map, engine.exchange(keyed, ["part"], ["part", "key"]), build_maps, MAPS))
        twice = engine.collect(engine.select(maps, twice="twice"))["twice"]
        if twice.null_count == len(twice):
            shared = ray.remote(_load_maps).remote(engine.folder, maps.saved.files)
            return functools.partial(_filtered, s, id_type, seed, parts, shared)
    raise AssertionError("ids with equal hashes")


def _marked(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.record_batch([batch.column("doc"), np.ones(len(batch), bool)], schema=_MARKED)


def _keyed(seed: int, parts: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        keys = hash_ids(batch.column("id"), seed)
        yield pa.record_batch([part_of(keys, parts), keys, batch.column("removed").is_valid()],
                              schema=_KEYED)


def _load_maps(folder: Folder, files: list[File]) -> dict[int, tuple[int, int, np.ndarray]]:
    """On any node: the nodes that filter get copies, one each, and the driver none."""
    return {row["part"]: (row["seed"], row["count"], np.frombuffer(row["bits"], np.uint8))
            for file in files for batch in folder.read_table(file) for row in batch.to_pylist()}


def _filtered(s: Settings, id_type: pa.DataType, seed: int, parts: int, shared: Any,
              block: pa.Table) -> pa.Table:
    if len(block) == 0:
        return block
    ids = pa.concat_arrays(block[s.id].cast(id_type).chunks)
    removed = look_up_in(ray.get(shared), parts, hash_ids(ids, seed))
    return block.filter(pa.array(~removed | np.asarray(block[s.text].is_null())))
