"""The table of sketches as files that tasks write and read themselves.

A document is known by the number of its file in the list, which is written when the table is
complete, and by its row. So a task that is repeated changes no number, and a document is looked up
by its place: only the parts of files that have documents in demand are read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ._arrow_join import Joiner
from ._table_files import Folder, Saved
from .distributed import Batches
from .distributed._settings import ROW_BITS

# A row that no file has.
LAST_ROW = (1 << ROW_BITS) - 1
# Rows that are looked up are given in batches of about so many bytes: a set may have 64 MB.
GIVEN_TOGETHER = 16 << 20


@dataclasses.dataclass(frozen=True)
class SketchFiles:
    """first_part  the number of the first file; those below are of earlier runs
    columns     the new name of each column, and the one in the files; "doc" is made of the place
    """

    folder: Folder
    saved: Saved
    first_part: int
    columns: dict[str, str]

    @staticmethod
    def all(folder: Folder, saved: Saved, first_part: int) -> SketchFiles:
        return SketchFiles(folder, saved, first_part,
                           {name: name for name in ("doc", *saved.schema.names)})

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([(new, pa.int64() if old == "doc" else self.saved.schema.field(old).type)
                          for new, old in self.columns.items()])

    @property
    def end_part(self) -> int:
        return self.first_part + len(self.saved.files)

    def select(self, columns: dict[str, str]) -> SketchFiles:
        """columns: new=old"""
        return dataclasses.replace(self, columns={new: self.columns[old]
                                                  for new, old in columns.items()})

    @property
    def _read(self) -> list[str]:
        """The columns that are in the files."""
        return [old for old in dict.fromkeys(self.columns.values()) if old != "doc"]

    def read(self, number: int) -> Iterator[pa.RecordBatch]:
        """All rows of a file."""
        doc = self.first_part + number << ROW_BITS
        for batch in self.folder.read_table(self.saved.files[number], self._read):
            found = {name: batch.column(name) for name in batch.schema.names}
            found["doc"] = pa.array(np.arange(doc, doc + len(batch)))
            doc += len(batch)
            yield pa.record_batch([found[old] for old in self.columns.values()], schema=self.schema)

    def join(self, number: int, table: pa.Table, key: str, how: str) -> Iterator[pa.RecordBatch]:
        """The rows of a file, on the left side, with those of a table."""
        joiner = Joiner(table, key, how)
        for batch in self.read(number):
            yield from joiner.join(pa.Table.from_batches([batch])).to_batches()

    # ---- some documents

    def look_up(self, key: str, batches: Batches) -> Iterator[pa.RecordBatch]:
        """Rows with the columns of the documents that the column `key` names. They come in the order
        of the documents, or in pieces of it: each reads the files of its documents."""
        names = [new for new in self.columns if new != key]
        group: _Group | None = None
        for batch in batches:
            docs = np.asarray(batch.column(key))
            begin = 0
            while begin < len(docs):
                if group is None or not group.begin <= docs[begin] < group.end:
                    group = self._open(int(docs[begin]), group)
                end = begin + int(np.searchsorted(docs[begin:], group.end))
                for first, last in group.pieces(docs[begin:end]):
                    rows = batch.slice(begin + first, last - first)
                    found = group.take(docs[begin + first:begin + last])
                    yield pa.record_batch([*rows.columns, *(found[name] for name in names)],
                                          names=[*batch.schema.names, *names])
                begin = end

    def _open(self, doc: int, last: _Group | None) -> _Group:
        """The group of rows of a file that has a document."""
        part, row = doc >> ROW_BITS, doc & ((1 << ROW_BITS) - 1)
        file = last.file if last is not None and last.part == part else self.folder.open_table(
            self.saved.files[part - self.first_part])
        begin = 0
        for number in range(file.metadata.num_row_groups):
            end = begin + file.metadata.row_group(number).num_rows
            if row < end:
                break
            begin = end
        table = file.read_row_group(number, columns=self._read, use_threads=False)
        first = part << ROW_BITS
        return _Group(file, part, first + begin, first + end, {
            new: table[old].combine_chunks() for new, old in self.columns.items() if old != "doc"})


@dataclasses.dataclass
class _Group:
    """Rows of a file: those of documents from begin to end."""

    file: pq.ParquetFile
    part: int
    begin: int
    end: int
    columns: dict[str, pa.Array]

    def pieces(self, docs: np.ndarray) -> Iterator[tuple[int, int]]:
        """Parts some documents into batches."""
        size = np.zeros(len(docs), np.int64)
        for column in self.columns.values():
            if pa.types.is_binary(column.type):
                size += np.asarray(pc.binary_length(column))[docs - self.begin]
        piece = np.cumsum(size) // GIVEN_TOGETHER
        edges = (np.flatnonzero(np.diff(piece)) + 1).tolist()
        return zip([0, *edges], [*edges, len(docs)])

    def take(self, docs: np.ndarray) -> dict[str, pa.Array]:
        rows = pa.array(docs - self.begin)
        return {name: column.take(rows) for name, column in self.columns.items()}
