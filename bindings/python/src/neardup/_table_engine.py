"""What the engines of Spark and Ray have in common: tables in Arrow, and files.

A table is parts, as the machines have them, and steps that make the rows of a part. Nothing is made
until a table is written; then all steps after one another run in one process. Saved tables are files
that tasks write and read themselves. An engine of machines adds three things: parts that are numbers
(`numbers`), rows of equal parts brought together (`spread`), and a job for each part (`run`).
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import uuid
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ._arrow_join import join_schema, merge_join, side_by_side, with_side
from ._errors import InputError
from ._fate_map import hash_ids
from ._sketch_files import LAST_ROW, SketchFiles
from ._table_files import (EXCHANGE, ByHighBits, ByKeys, ByOrder, File, Folder, Parter, Saved,
                           bounds_of, gathered, typed)
from .distributed import Batches
from .distributed._arrays import begins_of
from .distributed._engine import Step
from .distributed._settings import ROW_BITS

# Rows that one task puts in order alone; and how many rows are looked at to share out more.
ORDERED_ALONE = 1 << 20
SAMPLE = 100_000
# Documents for each partition of an exchange, unless the caller says how many there are.
DOCUMENTS_A_PARTITION = 50_000
MOST_PARTITIONS = 20_000
# Bytes of the small files that one task reads.
READ_TOGETHER = 32 << 20
# Bytes of rows, which may have sets, that are sorted together before their documents are looked up.
LOOKED_UP_TOGETHER = 512 << 20

# What a task does with the rows of a part. It yields small objects.
Job = Callable[[Iterator[pa.RecordBatch]], Iterator[Any]]


class Source(NamedTuple):
    """Parts as the machines have them, and how the rows of a part are made."""

    of: Any
    read: Callable[[Any], Iterator[pa.RecordBatch]]


class Table:
    def __init__(self, schema: pa.Schema, sources: Callable[[], list[Source]]) -> None:
        self.schema, self._sources = schema, sources

    @functools.cached_property
    def sources(self) -> list[Source]:
        """Rows that the table needs in order are put in order now, once."""
        return self._sources()


@dataclasses.dataclass(frozen=True)
class SavedTable:
    folder: Folder
    saved: Saved

    @property
    def schema(self) -> pa.Schema:
        return self.saved.schema

    def read(self, number: int) -> Iterator[pa.RecordBatch]:
        """Those of a group of files."""
        for file in self.groups[number]:
            yield from self.folder.read_table(file)

    @functools.cached_property
    def groups(self) -> list[list[File]]:
        place = np.cumsum([0, *(file.size for file in self.saved.files)]) // READ_TOGETHER
        return [[file for _, file in group] for _, group in itertools.groupby(
            zip(place.tolist(), self.saved.files), key=lambda each: each[0])]


AnyTable = Table | SavedTable | SketchFiles


class TableEngine:
    """An engine of neardup.distributed, but for what machines add."""

    def __init__(self, checkpoint: str, partitions: int | None = None) -> None:
        """checkpoint: a folder. partitions: of exchanges; None: by the number of documents."""
        self.checkpoint, self.given = checkpoint.rstrip("/"), partitions
        self.folder = Folder(self.checkpoint)
        self.documents_before = 0  # those of earlier runs
        self.partitions = 1

    # ---- what machines add

    def numbers(self, count: int, read: Callable[[int], Iterator[pa.RecordBatch]],
                schema: pa.Schema) -> Table:
        """A table whose parts are the numbers below count."""
        raise NotImplementedError

    def spread(self, table: AnyTable, parter: Parter, sort: list[str],
               together: float = math.inf) -> Table:
        """The rows of each part together, and sorted: in pieces of so many bytes."""
        raise NotImplementedError

    def run(self, table: AnyTable, job: Job) -> Iterator[Any]:
        """A job for each part. What it yields comes in any order."""
        raise NotImplementedError

    # ---- tables

    def table(self, table: AnyTable) -> Table:
        if isinstance(table, SketchFiles):
            return self.numbers(len(table.saved.files), table.read, table.schema)
        if isinstance(table, SavedTable):
            return self.numbers(len(table.groups), table.read, table.schema)
        return table

    def map(self, table: AnyTable, step: Step, schema: pa.Schema) -> Table:
        before = self.table(table)
        return Table(schema, lambda: [Source(of, functools.partial(_stepped, read, step, schema))
                                      for of, read in before.sources])

    def select(self, table: AnyTable, **columns: str) -> Table | SketchFiles:
        if isinstance(table, SketchFiles):
            return table.select(columns)
        schema = pa.schema([(new, table.schema.field(old).type) for new, old in columns.items()])
        return self.map(table, functools.partial(_selected, list(columns.values())), schema)

    def union(self, tables: list[AnyTable]) -> Table:
        names = tables[0].schema.names
        same = [self.table(self.select(table, **{name: name for name in names})) for table in tables]
        return Table(same[0].schema, lambda: [source for table in same for source in table.sources])

    def exchange(self, table: AnyTable, keys: list[str], sort: list[str]) -> Table:
        if keys:
            return self.spread(table, ByKeys(keys, self.partitions), sort)
        return Table(table.schema, lambda: self.numbers(1, functools.partial(
            _read_all, SavedTable(self.folder, self._in_order(_new_name(), table, sort))),
            table.schema).sources)

    def distinct(self, table: AnyTable) -> Table:
        """Of whole numbers. Rows that a task has twice do not move."""
        names, schema = table.schema.names, table.schema
        here = self.map(table, functools.partial(_distinct_here, schema), schema)
        return self.map(self.exchange(here, names, names), _distinct, schema)

    # ---- joins

    def join(self, left: AnyTable, right: AnyTable, on: list[str], how: str = "inner") -> Table:
        key, = on
        if isinstance(right, SketchFiles):
            assert how == "inner"
            return self._look_up(left, right, key)
        if isinstance(left, SketchFiles):
            return self._join_files(left, right, key, how)
        both = self.union([self.map(table, functools.partial(
            with_side, left.schema, right.schema, key, is_right),
            side_by_side(left.schema, right.schema, key))
            for table, is_right in ((left, False), (right, True))])
        return self.map(self.exchange(both, [key], [key]), functools.partial(
            merge_join, left.schema, right.schema, key, how),
            join_schema(left.schema, right.schema, key, how))

    def _to_files(self, sketches: SketchFiles, table: AnyTable, key: str,
                  together: float = math.inf) -> Table:
        """Rows move to the tasks that read the files of their documents. They come in the order of the
        documents."""
        parts = max(1, min(len(sketches.saved.files), self.partitions))
        return self.spread(table, ByHighBits(key, ROW_BITS, parts), [key], together)

    def _look_up(self, table: AnyTable, sketches: SketchFiles, key: str) -> Table:
        rows = self.map(table, functools.partial(_of_files, sketches, key), table.schema)
        added = [field for field in sketches.schema if field.name != key]
        moved = self._to_files(sketches, rows, key, LOOKED_UP_TOGETHER)
        return self.map(moved, functools.partial(sketches.look_up, key),
                        pa.schema([*table.schema, *added]))

    def _join_files(self, sketches: SketchFiles, table: AnyTable, key: str, how: str) -> Table:
        """All files are read, also those that no row moves to: a mark of each file moves, too."""
        rows = self.map(table, functools.partial(_of_files, sketches, key), table.schema)
        marks = self.numbers(len(sketches.saved.files), functools.partial(
            _mark, sketches, key, table.schema), table.schema)
        moved = self._to_files(sketches, self.union([rows, marks]), key)
        return self.map(moved, functools.partial(_join_marked, sketches, key, how),
                        join_schema(sketches.schema, table.schema, key, how))

    # ---- order

    def rank(self, table: AnyTable, order: list[str]) -> tuple[Table, int]:
        saved = self.save("order", lambda: SavedTable(self.folder, self._in_order(
            "order", table, order))).saved
        begins = np.cumsum([0, *(file.rows for file in saved.files)]).tolist()
        return self.numbers(len(saved.files), functools.partial(
            _read_ranked, self.folder, saved.files, begins), pa.schema(
            [*saved.schema, ("rank", pa.int64())])), begins[-1]

    def _in_order(self, name: str, table: AnyTable, order: list[str]) -> Saved:
        """Files that are in order each, and each behind the one before it. Many rows are shared out by
        the bounds of a sample."""
        whole = SavedTable(self.folder, self._write(_new_name(), table))
        rows, parts = whole.saved.rows, 1
        places = self.select(whole, **{column: column for column in order})
        stride = 1 + rows // SAMPLE
        if rows > ORDERED_ALONE:
            parts = max(self.partitions, rows // ORDERED_ALONE + 1)
        sample = self.collect(self.map(places, functools.partial(_sampled, stride), places.schema)
                              ) if parts > 1 else places.schema.empty_table()
        parter = ByOrder(bounds_of(sample, parts))
        self.folder.clear(name)
        files = self.run(self.spread(whole, parter, order), functools.partial(
            _write_parts, self.folder, name, parter, whole.schema))
        return Saved([file for _, file in sorted(files, key=lambda each: each[0])], whole.schema)

    # ---- saved tables

    def save(self, name: str, make: Callable[[], AnyTable]) -> SavedTable:
        saved = self.folder.read_list(name)
        if saved is None:
            table = make()
            saved = table.saved if isinstance(table, SavedTable) else self._write(name, table)
            self.folder.write_list(name, saved)
        return SavedTable(self.folder, saved)

    def save_sketches(self, make: Callable[[], AnyTable], first_part: int) -> SketchFiles:
        saved = self.save("sketches", make).saved
        documents = saved.rows + self.documents_before
        self.partitions = self.given or min(1 + documents // DOCUMENTS_A_PARTITION, MOST_PARTITIONS)
        if any(file.rows >= LAST_ROW for file in saved.files):
            raise InputError(f"a partition has more than {LAST_ROW - 1} rows")
        return SketchFiles.all(self.folder, saved, first_part)

    def _write(self, name: str, table: AnyTable) -> Saved:
        self.folder.clear(name)
        return Saved(list(self.run(table, functools.partial(
            self.folder.write_table, name, table.schema))), table.schema)

    def end(self) -> None:
        """Removes the rows that were written only to be put in order."""
        self.folder.remove(EXCHANGE)

    # ---- values

    def first(self, table: AnyTable) -> dict[str, Any] | None:
        if isinstance(table, SavedTable) and table.saved.rows == 0:
            return None
        return next((row for row in self.run(table, _first_row) if row is not None), None)

    def repeated(self, table: AnyTable, column: str) -> Any:
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

    def sum(self, table: AnyTable, column: str) -> int:
        return sum(self.run(self.select(table, **{column: column}), _sum))

    def collect(self, table: AnyTable) -> pa.Table:
        """All rows, here."""
        return pa.concat_tables([table.schema.empty_table(), *(
            pa.Table.from_batches([batch], table.schema) for batch in self.run(table, iter))])


def _new_name() -> str:
    return f"{EXCHANGE}/{uuid.uuid4().hex}"


# ---- what runs in tasks


def _stepped(read: Any, step: Step, schema: pa.Schema, part: Any) -> Iterator[pa.RecordBatch]:
    return typed(schema, step(read(part)))


def _selected(columns: list[str], batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch.select(columns)


def _read_all(table: SavedTable, _: int) -> Iterator[pa.RecordBatch]:
    for number in range(len(table.groups)):
        yield from table.read(number)


def _read_ranked(folder: Folder, files: list[File], begins: list[int], number: int
                 ) -> Iterator[pa.RecordBatch]:
    rank = begins[number]
    for batch in folder.read_table(files[number]):
        yield batch.append_column("rank", pa.array(np.arange(rank, rank + len(batch))))
        rank += len(batch)


def _write_parts(folder: Folder, name: str, parter: Parter, schema: pa.Schema, batches: Batches
                 ) -> Iterator[tuple[int, File]]:
    """A file for each part. A batch has rows of one part."""
    def part_of(batch: pa.RecordBatch) -> int:
        return int(parter(pa.Table.from_batches([batch.slice(0, 1)]))[0])

    for part, group in itertools.groupby((batch for batch in batches if len(batch)), part_of):
        for file in folder.write_table(name, schema, group):
            yield part, file


def _sampled(stride: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch.take(pa.array(np.arange(0, len(batch), stride)))


def _of_files(sketches: SketchFiles, key: str, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Rows whose documents are in the files."""
    first, end = sketches.first_part << ROW_BITS, sketches.end_part << ROW_BITS
    for batch in batches:
        docs = np.asarray(batch.column(key))
        yield batch.filter(pa.array((docs >= first) & (docs < end)))


def _mark(sketches: SketchFiles, key: str, schema: pa.Schema, number: int
          ) -> Iterator[pa.RecordBatch]:
    """A row behind all documents of a file."""
    doc = (sketches.first_part + number << ROW_BITS) + LAST_ROW
    yield pa.record_batch([pa.array([doc]) if field.name == key else pa.nulls(1, field.type)
                           for field in schema], schema=schema)


def _join_marked(sketches: SketchFiles, key: str, how: str, batches: Batches
                 ) -> Iterator[pa.RecordBatch]:
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        docs, begin = np.asarray(batch.column(key)), 0
        for mark in np.flatnonzero((docs & LAST_ROW) == LAST_ROW).tolist():
            rows = pa.Table.from_batches([*waiting, batch.slice(begin, mark - begin)])
            yield from sketches.join((int(docs[mark]) >> ROW_BITS) - sketches.first_part, rows, key,
                                     how)
            waiting, begin = [], mark + 1
        waiting.append(batch.slice(begin))


def _distinct_here(schema: pa.Schema, batches: Batches) -> Iterator[pa.RecordBatch]:
    for table in gathered(schema, batches):
        yield from table.group_by(schema.names, use_threads=False).aggregate([]).to_batches()


def _distinct(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Of rows in the order of all columns."""
    last: list[int] | None = None
    for batch in batches:
        if len(batch):
            columns = [np.asarray(column) for column in batch.columns]
            begins = begins_of(*columns)
            begins[0] = [int(column[0]) for column in columns] != last
            last = [int(column[-1]) for column in columns]
            yield batch.filter(pa.array(begins))


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
