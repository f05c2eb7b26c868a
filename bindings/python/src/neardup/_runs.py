"""A run in a folder: its options, the runs before it, and its results, on any engine."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from ._errors import ArgumentError, InputError
from ._fate_map import MAP_SIZE, MAPS, build_maps, hash_ids, look_up_in, part_of
from ._sketch_files import SketchFiles
from ._table_engine import SavedTable, Table, TableEngine
from ._table_files import File, Folder
from .distributed import Batches, Found, Run, Settings
from .distributed._settings import SKETCHES

# Options that a run and the one before it must share.
_SHARED = ("id", "order", "threshold", "recall", "perms", "analyzer", "ngram", "seed")
_SETTINGS = "settings.json"


def begin(engine: TableEngine, s: Settings, against: str | None, job: str) -> tuple[
        Settings, list[Run]]:
    """Writes the options of the run down, or compares them with those of the run that began in the
    folder. Returns them with the number of the first part, and the runs before this one."""
    folder = engine.folder
    chain: list[str] = []
    if against is not None:
        before, now = _finished(against), dataclasses.asdict(s)
        _check_same(against, {name: now[name] for name in _SHARED}, before)
        chain = [*before["against"], against.rstrip("/")]
    given = {**dataclasses.asdict(s), "partitions": engine.given, "job": job, "against": chain}
    began = _read_settings(engine.checkpoint)
    if began is None:
        if not folder.is_empty():
            raise ArgumentError(f"{engine.checkpoint} has files and no run of neardup: a run needs a "
                                "new or an empty folder")
        earlier = [_open(each) for each in chain]
        s = dataclasses.replace(s, first_part=max((run.sketches.end_part for run in earlier),
                                                  default=0))
        folder.write_text(_SETTINGS, json.dumps({**given, "first_part": s.first_part}))
    else:
        engine.given = began["partitions"] if engine.given is None else engine.given
        s = dataclasses.replace(s, first_part=began["first_part"])
        _check_same(engine.checkpoint, {**given, "partitions": engine.given,
                                        "first_part": s.first_part}, began)
        earlier = [_open(each) for each in chain]
        engine.end()  # what the run has left if it died
    engine.documents_before = sum(run.sketches.saved.rows for run in earlier)
    return s, earlier


def _check_same(folder: str, now: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    """The options of a run now, and those of the run in the folder."""
    different = [f"{name} is {value!r}, and in that run it is {before.get(name)!r}"
                 for name, value in now.items() if value != before.get(name)]
    if different:
        raise ArgumentError(f"{folder} has a run with other options: {'; '.join(different)}")


def _read_settings(folder: str) -> dict[str, Any] | None:
    """The options of the run in a folder, if there is one. Its sketches must be of this version."""
    text = Folder(folder).read_text(_SETTINGS)
    if text is None:
        return None
    settings: dict[str, Any] = json.loads(text)
    version = settings.get("sketches", 1)
    if version != SKETCHES:
        raise ArgumentError(
            f"{folder} has a run with sketches of version {version}, and this neardup makes version "
            f"{SKETCHES}: they cannot be compared, so the run must be made again in a new folder")
    return settings


def _finished(folder: str) -> dict[str, Any]:
    """The options of a run of dedup."""
    settings = _read_settings(folder) or {}
    if settings.get("job") != "dedup" or Folder(folder).read_list("removed") is None:
        raise ArgumentError(f"{folder} has no finished run of dedup")
    return settings


def _open(folder: str) -> Run:
    first_part, files = _finished(folder)["first_part"], Folder(folder)
    sketches, removed = (files.read_list(name) for name in ("sketches", "removed"))
    assert sketches is not None and removed is not None
    return Run(SketchFiles.all(files, sketches, first_part), SavedTable(files, removed))


# ---- removed documents and pairs

_COUNTS = [pa.field("jaccard", pa.float64()), pa.field("intersection", pa.int64()),
           pa.field("union", pa.int64())]


def with_jaccard(engine: TableEngine, table: SavedTable, *ids: str) -> Table:
    """The ids of a table, jaccard, intersection, union."""
    schema = pa.schema([*(table.schema.field(name) for name in ids), *_COUNTS])
    return engine.map(table, functools.partial(_with_jaccard, schema), schema)


def _with_jaccard(schema: pa.Schema, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        shared, union = (np.asarray(batch.column(name)) for name in ("intersection", "union"))
        alike = union == 0  # two texts without shingles
        yield pa.record_batch([*batch.select(schema.names[:-3]).columns, np.where(
            alike, 1, shared / np.maximum(union, 1)), shared, union], schema=schema)


# ---- the rows that stay: a filter, so that no text moves

_MARKED = pa.schema([("doc", pa.int64()), ("removed", pa.bool_())])
_KEYED = pa.schema([("part", pa.int64()), ("key", pa.int64()), ("removed", pa.bool_())])

Maps = dict[int, tuple[int, int, np.ndarray]]


@dataclasses.dataclass(frozen=True)
class Fates:
    """Which ids were removed, for each document of the run (_fate_map), in files."""

    folder: Folder
    files: list[File]
    seed: int
    parts: int

    def load(self) -> Maps:
        return {row["part"]: (row["seed"], row["count"], np.frombuffer(row["slots"], np.uint8))
                for file in self.files for batch in self.folder.read_table(file)
                for row in batch.to_pylist()}

    def load_once(self) -> Maps:
        """A process keeps those that it loaded last."""
        if _LOADED.get("files") != self.files:
            _LOADED.update(files=self.files, maps=self.load())
        maps: Maps = _LOADED["maps"]
        return maps

    def are_removed(self, ids: pa.Array, maps: Maps) -> np.ndarray:
        """Null: a row that the run has left out."""
        values = look_up_in(maps, self.parts, hash_ids(ids, self.seed))
        values[np.asarray(ids.is_null())] = 0
        strange = np.flatnonzero(values == 2)
        if len(strange):
            raise InputError(f"id {ids[strange[0]].as_py()!r} was not there when duplicates were "
                             "searched: each time they are read, the rows must have the same ids")
        removed: np.ndarray = values == 1
        return removed


_LOADED: dict[str, Any] = {}


def save_fates(engine: TableEngine, found: Found) -> Fates:
    removed = engine.map(engine.select(found.removed, doc="doc"), _marked, _MARKED)
    fates = engine.join(engine.select(found.sketches, doc="doc", id="id"), removed, ["doc"],
                        "left outer")
    parts = max(1, found.sketches.saved.rows // MAP_SIZE)
    for seed in range(100):
        keyed = engine.map(fates, functools.partial(_keyed, seed, parts), _KEYED)
        maps = engine.save(f"fates-{seed}", functools.partial(
            engine.map, engine.exchange(keyed, ["part"], ["part", "key"]), build_maps, MAPS))
        twice = engine.collect(engine.select(maps, twice="twice"))["twice"]
        if twice.null_count == len(twice):
            return Fates(engine.folder, maps.saved.files, seed, parts)
    raise AssertionError("ids with equal hashes")


def _marked(batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.record_batch([batch.column("doc"), np.ones(len(batch), bool)], schema=_MARKED)


def _keyed(seed: int, parts: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        keys = hash_ids(batch.column("id"), seed)
        yield pa.record_batch([part_of(keys, parts), keys, batch.column("removed").is_valid()],
                              schema=_KEYED)
