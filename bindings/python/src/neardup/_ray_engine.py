"""The engine of neardup.distributed on Ray, and what runs in its tasks."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import pickle
import uuid
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import ray
import ray.data
from ray.data import Dataset

from ._arrow_join import Joiner, join_schema
from ._checkpoint import check_empty, check_same
from ._errors import Error
from ._fate_map import hash_ids
from ._table_files import (BATCH_ROWS, EXCHANGE, ByHighBits, ByKeys, ByOrder, File, Folder, Parter,
                           Saved, bounds_of, typed)
from .distributed import Batches, Settings
from .distributed._engine import Step
from .distributed._settings import ROW_BITS

# Of an exchange.
MOST_PARTITIONS = 2000
# Rows that one task puts in order alone; and how many rows are looked at to share out more.
ORDERED_ALONE = 1 << 20
SAMPLE = 100_000
# Tasks that the driver hands over at once.
TASKS = 1000

# The rows of a part that is a number.
Reader = Callable[[int], Iterator[pa.RecordBatch]]


class Source(NamedTuple):
    """Parts of a table: the blocks of a dataset, or numbers, those of files or of parts of an
    exchange; and how the rows of a part are read."""

    of: Dataset | int
    read: Callable[[Any], Iterator[pa.RecordBatch]]


class Table:
    def __init__(self, schema: pa.Schema, sources: Callable[[], list[Source]]) -> None:
        self.schema, self._sources = schema, sources

    @functools.cached_property
    def sources(self) -> list[Source]:
        """An exchange that the table needs happens now, once."""
        return self._sources()


class SavedTable(Table):
    def __init__(self, saved: Saved, reader: Reader, schema: pa.Schema) -> None:
        super().__init__(schema, lambda: [Source(len(saved.files), reader)])
        self.saved = saved


class SketchTable(SavedTable):
    """columns: the new name of each, and the one in the files."""

    def __init__(self, folder: Folder, saved: Saved, columns: dict[str, str]) -> None:
        schema = pa.schema([(new, saved.schema.field(old).type) for new, old in columns.items()])
        self.reader = functools.partial(_read_sketches, folder, saved.files, columns, schema)
        super().__init__(saved, self.reader, schema)
        self.folder, self.columns = folder, columns


class RayEngine:
    """A step runs in the task that reads its rows and writes its results: exchanges and saved tables are
    files, and all between them is one task a part.

    The hash exchanges and joins of Ray Data are not used: those of 2.60 run in workers with an
    environment of their own, which a small cluster starts anew each time, and keep their parts in
    the object store."""

    def __init__(self, checkpoint: str, partitions: int = 1) -> None:
        self.folder, self.partitions, self._checkpoint = Folder(checkpoint), partitions, checkpoint

    def begin(self, s: Settings, partitions: int | None) -> int | None:
        """Writes the settings down, or compares them with those of the run that began here. Returns
        the partitions of the run; None: by the number of documents."""
        text = self.folder.read_text("settings.json")
        if text is None:
            check_empty(self._checkpoint, self.folder.is_empty())
            self.folder.write_text("settings.json", json.dumps(
                {**dataclasses.asdict(s), "partitions": partitions}))
        else:
            before = json.loads(text)
            partitions = before["partitions"] if partitions is None else partitions
            check_same(self._checkpoint, {**dataclasses.asdict(s), "partitions": partitions}, before)
        self.folder.clear(EXCHANGE)
        return partitions

    def end(self) -> None:
        self.folder.remove(EXCHANGE)

    def map(self, table: Table, step: Step, schema: pa.Schema) -> Table:
        return Table(schema, lambda: [Source(of, functools.partial(_stepped, read, step, schema))
                                      for of, read in table.sources])

    def number(self, table: Table, step: Callable[[int, Batches], Iterator[pa.RecordBatch]],
               schema: pa.Schema) -> Table:
        """The number is 0 until the table is written (SketchTable)."""
        return self.map(table, functools.partial(step, 0), schema)

    def select(self, table: Table, **columns: str) -> Table:
        if isinstance(table, SketchTable):
            return SketchTable(table.folder, table.saved, {new: table.columns[old]
                                                           for new, old in columns.items()})
        schema = pa.schema([(new, table.schema.field(old).type) for new, old in columns.items()])
        return self.map(table, functools.partial(_selected, list(columns.values())), schema)

    def union(self, tables: list[Table]) -> Table:
        same = [self.select(table, **{name: name for name in tables[0].schema.names})
                for table in tables]
        return Table(tables[0].schema, lambda: [source for table in same
                                               for source in table.sources])

    def exchange(self, table: Table, keys: list[str], sort: list[str]) -> Table:
        if not keys:
            return self._ordered_alone(table, sort)
        return Table(table.schema, lambda: [Source(self.partitions, self._spread(
            table, ByKeys(keys, self.partitions), sort))])

    def _spread(self, table: Table, parter: Parter, sort: list[str], count: bool = False
                ) -> Exchanged:
        name = f"{EXCHANGE}/{uuid.uuid4().hex}"
        self.folder.clear(name)
        files = list(self._run(table, functools.partial(
            self.folder.write_parts, name, parter, count, table.schema)))
        found = Exchanged(self.folder, files, parter.parts, table.schema, sort)
        weakref.finalize(found, self.folder.remove, name)  # when no table needs it any more
        return found

    def _in_order(self, table: Table, order: list[str]) -> Exchanged:
        """Parts that are in order each, and each behind the one before it. Many rows are written
        twice, because a sample must be known before they are parted."""
        found = self._spread(table, ByKeys([], 1), order, count=True)
        rows, = found.rows
        if rows <= ORDERED_ALONE:
            return found
        whole = Table(table.schema, lambda: [Source(len(found.files), functools.partial(
            _read_file, found))])
        light = self.select(whole, **{name: name for name in order})
        sample = self.collect(self.map(light, functools.partial(_sampled, 1 + rows // SAMPLE),
                                       light.schema))
        bounds = bounds_of(sample, max(self.partitions, rows // ORDERED_ALONE + 1))
        return self._spread(whole, ByOrder(bounds), order, count=True)

    def _ordered_alone(self, table: Table, sort: list[str]) -> Table:
        return Table(table.schema, lambda: [Source(1, functools.partial(
            _read_all, self._in_order(table, sort)))])

    def rank(self, table: Table, order: list[str]) -> tuple[Table, int]:
        def ranked() -> Table:
            found = self._in_order(table, order)
            begins = np.cumsum([0, *found.rows]).tolist()
            return Table(pa.schema([*table.schema, ("rank", pa.int64())]), lambda: [Source(
                found.parts, functools.partial(_ranked, found, begins))])

        saved = self.save("order", ranked)
        return saved, saved.saved.rows

    def join(self, left: Table, right: Table, on: list[str], how: str = "inner") -> Table:
        key, = on
        if isinstance(right, SketchTable):
            assert how == "inner" and not isinstance(left, SketchTable)
            left, right = right, left
        schema = join_schema(left.schema, right.schema, key, how)
        if isinstance(left, SketchTable):
            return Table(schema, lambda: self._joined_with_sketches(left, right, key, how))

        def sources() -> list[Source]:
            by_key = ByKeys(on, self.partitions)
            return [Source(self.partitions, functools.partial(_joined, self._spread(
                left, by_key, []), self._spread(right, by_key, []), key, how))]

        return Table(schema, sources)

    def _joined_with_sketches(self, sketches: SketchTable, other: Table, key: str, how: str
                              ) -> list[Source]:
        """The other table goes to the files of sketches, which are read where they are."""
        assert sketches.columns[key] == "doc"
        files = len(sketches.saved.files)
        parts = min(files, MOST_PARTITIONS)
        if parts == 0:
            return []
        parted = self._spread(other, ByHighBits(key, ROW_BITS, parts), [])
        return [Source(parts, functools.partial(_joined_sketches, sketches.reader, files, parted,
                                                key, how))]

    def distinct(self, table: Table) -> Table:
        return self.map(self.exchange(table, table.schema.names, []), functools.partial(
            _distinct, table.schema), table.schema)

    def save(self, name: str, make: Callable[[], Table]) -> SavedTable:
        saved = self.folder.read_list(name)
        if saved is None:
            table = make()
            if isinstance(table, SavedTable) and not isinstance(table, SketchTable):
                saved = table.saved
            else:
                self.folder.clear(name)
                saved = Saved(list(self._run(table, functools.partial(
                    self.folder.write_table, name, table.schema))), table.schema)
            self.folder.write_list(name, saved)
        return SavedTable(saved, functools.partial(_read_saved, self.folder, saved.files),
                          saved.schema)

    def save_sketches(self, make: Callable[[], Table]) -> SketchTable:
        saved = self.save("sketches", make).saved
        return SketchTable(self.folder, saved, {name: name for name in saved.schema.names})

    def first(self, table: Table) -> dict[str, Any] | None:
        if isinstance(table, SavedTable) and table.saved.rows == 0:
            return None
        return next((row for row in self._run(table, _first_row) if row is not None), None)

    def repeated(self, table: Table, column: str) -> Any:
        """By a hash of 64 bits: few values have one that several rows have."""
        keys = self.map(table, functools.partial(_hashed, column), _HASHES)
        twice = self.collect(self.map(self.exchange(keys, ["key"], ["key"]), _twice, _HASHES))
        if len(twice) == 0:
            return None
        kind = pa.schema([("value", table.schema.field(column).type)])
        found = self.collect(self.map(table, functools.partial(
            _with_hashes, column, twice["key"].to_pylist()[:100]), kind))["value"].value_counts()
        return next((value["values"].as_py() for value in found if value["counts"].as_py() > 1),
                    None)

    def sum(self, table: Table, column: str) -> int:
        return sum(self._run(self.select(table, **{column: column}), _sum))

    def collect(self, table: Table) -> pa.Table:
        """All rows, here."""
        return pa.concat_tables([table.schema.empty_table(), *(
            pa.Table.from_batches([batch], table.schema) for batch in self._run(table, iter))])

    def dataset(self, table: Table) -> Dataset:
        """Of a table whose parts are numbers."""
        (count, read), = table.sources
        assert isinstance(count, int)
        if not count:
            return ray.data.from_arrow(table.schema.empty_table())
        return ray.data.range(count, override_num_blocks=count).map_batches(
            functools.partial(_blocks, read), batch_size=None, batch_format="pyarrow")

    def _run(self, table: Table, job: Callable[[Iterator[pa.RecordBatch]], Iterator[Any]]
             ) -> Iterator[Any]:
        """A job for each part of a table. It yields small objects; they come in any order."""
        numbered = [(of, read) for of, read in table.sources if isinstance(of, int)]
        blocks = [(of, read) for of, read in table.sources if not isinstance(of, int)]
        for found in itertools.chain(_run_numbers(numbered, job), *(
                _run_blocks(ds, read, job) for ds, read in blocks)):
            if isinstance(found, Error):
                raise found
            yield found


def _run_blocks(ds: Dataset, read: Any, job: Any) -> Iterator[Any]:
    results = ds.map_batches(functools.partial(_run_block, read, job), batch_size=None,
                             batch_format="pyarrow")
    for row in results.iter_rows():
        yield pickle.loads(row["result"])


def _run_numbers(sources: list[tuple[int, Any]], job: Any) -> Iterator[Any]:
    """Plain tasks, because each run of Ray Data begins with an executor, and steps are many."""
    tasks = (_TASK.remote(work, number) for count, read in sources if count
             for work in [ray.put((read, job))] for number in range(count))
    waiting = list(itertools.islice(tasks, TASKS))
    try:
        while waiting:
            done, waiting = ray.wait(waiting)
            waiting += itertools.islice(tasks, 1)
            for results in ray.get(done):
                yield from results
    finally:
        for each in waiting:
            ray.cancel(each)


# ---- what runs in tasks


def _results(read: Any, job: Any, part: Any) -> Iterator[Any]:
    """An error of this package is handed over as it is, because Ray would wrap it and add to its
    message."""
    try:
        yield from job(read(part))
    except Error as error:
        yield error


def _run_block(read: Any, job: Any, block: pa.Table) -> Iterator[pa.Table]:
    for result in _results(read, job, block):
        yield pa.table({"result": pa.array([pickle.dumps(result)], pa.binary())})


def _run_number(work: tuple[Any, Any], number: int) -> list[Any]:
    return list(_results(*work, number))


_TASK: Any = ray.remote(_run_number).options(scheduling_strategy="SPREAD")


def _blocks(read: Reader, block: pa.Table) -> Iterator[pa.Table]:
    for number in block["id"].to_pylist():
        for batch in read(number):
            yield pa.Table.from_batches([batch])


def _stepped(read: Any, step: Step, schema: pa.Schema, part: Any
             ) -> Iterator[pa.RecordBatch]:
    return typed(schema, step(read(part)))


def _selected(columns: list[str], batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch.select(columns)


@dataclasses.dataclass(frozen=True)
class Exchanged:
    """Reads parts of an exchange."""

    folder: Folder
    files: list[File]
    parts: int
    schema: pa.Schema
    sort: list[str]

    def table(self, part: int) -> pa.Table:
        return self.folder.read_part(self.files, self.parts, part, self.schema)

    def __call__(self, part: int) -> Iterator[pa.RecordBatch]:
        table = self.table(part)
        if self.sort:
            table = table.sort_by([(name, "ascending") for name in self.sort])
        return iter(table.to_batches(max_chunksize=BATCH_ROWS))

    @property
    def rows(self) -> list[int]:
        """Of each part, if they were counted."""
        total: list[int] = sum((np.array(file.rows) for file in self.files),
                               np.zeros(self.parts, np.int64)).tolist()
        return total


def _read_file(exchanged: Exchanged, number: int) -> Iterator[pa.RecordBatch]:
    """A file of an exchange that has one part."""
    return dataclasses.replace(exchanged, files=[exchanged.files[number]], sort=[])(0)


def _read_all(exchanged: Exchanged, number: int) -> Iterator[pa.RecordBatch]:
    for part in range(exchanged.parts):
        yield from exchanged(part)


def _read_saved(folder: Folder, files: list[File], number: int) -> Iterator[pa.RecordBatch]:
    return folder.read_table(files[number])


def _read_sketches(folder: Folder, files: list[File], columns: dict[str, str], schema: pa.Schema,
                   number: int) -> Iterator[pa.RecordBatch]:
    """The number of a document is that of its file in the list, which is written when the table is
    complete, and its row. So a task that is repeated changes no number."""
    for batch in folder.read_table(files[number], list(dict.fromkeys(columns.values()))):
        found = {name: batch.column(name) for name in batch.schema.names}
        if "doc" in found:
            found["doc"] = pa.array(np.asarray(found["doc"]) + (number << ROW_BITS))
        yield pa.record_batch([found[old] for old in columns.values()], schema=schema)


def _ranked(exchanged: Exchanged, begins: list[int], part: int) -> Iterator[pa.RecordBatch]:
    rank = begins[part]
    for batch in exchanged(part):
        yield batch.append_column("rank", pa.array(np.arange(rank, rank + len(batch))))
        rank += len(batch)


def _sampled(stride: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch.take(pa.array(np.arange(0, len(batch), stride)))


def _joined(left: Exchanged, right: Exchanged, key: str, how: str, part: int
            ) -> Iterator[pa.RecordBatch]:
    joiner = Joiner(right.table(part), key, how)
    for batch in left(part):
        yield from joiner.join(pa.Table.from_batches([batch])).to_batches()


def _joined_sketches(sketches: Reader, files: int, other: Exchanged, key: str, how: str, part: int
                     ) -> Iterator[pa.RecordBatch]:
    joiner = Joiner(other.table(part), key, how)
    if joiner.is_empty and how == "inner":
        return
    for number in range(part, files, other.parts):
        for batch in sketches(number):
            yield from joiner.join(pa.Table.from_batches([batch])).to_batches()


def _distinct(schema: pa.Schema, batches: Batches) -> Iterator[pa.RecordBatch]:
    table = pa.Table.from_batches(batches, schema)
    yield from table.group_by(schema.names).aggregate([]).to_batches()


def _first_row(batches: Batches) -> Iterator[dict[str, Any] | None]:
    yield next((row for batch in batches for row in batch.slice(0, 1).to_pylist()), None)


_HASHES = pa.schema([("key", pa.int64())])


def _hashed(column: str, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.record_batch([hash_ids(batch.column(column), 0)], schema=_HASHES)


def _twice(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Of keys in order, those that come again."""
    last = None
    for batch in batches:
        keys = np.asarray(batch.column("key"))
        again = np.zeros(len(keys), bool)
        again[1:] = keys[1:] == keys[:-1]
        if len(keys):
            again[0] = keys[0] == last
            last = keys[-1]
        yield pa.record_batch([keys[again]], schema=_HASHES)


def _with_hashes(column: str, keys: list[int], batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        values = batch.column(column)
        yield pa.record_batch([values.filter(pa.array(np.isin(hash_ids(values, 0), keys)))],
                              names=["value"])


def _sum(batches: Batches) -> Iterator[int]:
    yield sum(int(np.asarray(batch.column(0)).sum()) for batch in batches)
