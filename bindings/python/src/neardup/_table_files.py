"""The tables of a distributed run as files of a folder that all machines reach: saved tables, and
the parts that machines exchange. A table is the files that its list names; so a file that a task
left when it died is never read.

    FOLDER/TABLE/list.json      written last: the files and rows of a table that is complete
    FOLDER/TABLE/*.parquet
    FOLDER/exchange/*/*         parts of exchanges, until no table needs them

A file of an exchange has its rows by part: an Arrow stream for each part that has rows, then the
offsets where the parts begin and the last one ends, 8 bytes each.
"""

from __future__ import annotations

import base64
import concurrent.futures
import dataclasses
import json
import os
import uuid
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.fs
import pyarrow.parquet as pq

# Rows are written when they have so many bytes.
WRITTEN_TOGETHER = 64 << 20
# Rows of the batches that are read.
BATCH_ROWS = 8192
# Files of an exchange that are read at once: a far file system answers late.
READERS = 8
EXCHANGE = "exchange"


class Parter(Protocol):
    """The part of each row."""

    @property
    def parts(self) -> int: ...

    def __call__(self, table: pa.Table, /) -> np.ndarray: ...


@dataclasses.dataclass(frozen=True)
class File:
    name: str
    size: int
    rows: int


@dataclasses.dataclass(frozen=True)
class Saved:
    files: list[File]
    schema: pa.Schema

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)


def open_url(url: str) -> tuple[Any, str]:
    """A file system of pyarrow.fs, and the path in it. s3a and s3n are Hadoop's names of s3."""
    if "://" not in url:
        return pyarrow.fs.LocalFileSystem(), os.path.abspath(url)
    scheme, path = url.split("://", 1)
    found: tuple[Any, str] = pyarrow.fs.FileSystem.from_uri(
        f"{'s3' if scheme in ('s3a', 's3n') else scheme}://{path}")
    return found


class Folder:
    """A path, or a URL that pyarrow.fs knows, such as s3://bucket/folder."""

    def __init__(self, url: str) -> None:
        self._files, self._path = open_url(url)

    def _at(self, name: str) -> str:
        return f"{self._path}/{name}"

    def is_empty(self) -> bool:
        """Whether it has no files, or is missing."""
        if self._files.get_file_info(self._path).type == pyarrow.fs.FileType.File:
            return False
        return not self._files.get_file_info(pyarrow.fs.FileSelector(
            self._path, allow_not_found=True))

    def clear(self, name: str) -> None:
        """Makes a folder without files."""
        self._files.create_dir(self._at(name), recursive=True)
        self._files.delete_dir_contents(self._at(name), missing_dir_ok=True)

    def remove(self, name: str) -> None:
        if self._files.get_file_info(self._at(name)).type == pyarrow.fs.FileType.Directory:
            self._files.delete_dir(self._at(name))

    def read_text(self, name: str) -> str | None:
        """None: there is no such file."""
        if self._files.get_file_info(self._at(name)).type != pyarrow.fs.FileType.File:
            return None
        with self._files.open_input_stream(self._at(name)) as file:
            return bytes(file.read()).decode()

    def write_text(self, name: str, text: str) -> None:
        """The file appears whole or not at all."""
        begun = self._at(f"{name}.{uuid.uuid4().hex}")
        self._files.create_dir(os.path.dirname(begun), recursive=True)
        with self._files.open_output_stream(begun) as file:
            file.write(text.encode())
        self._files.move(begun, self._at(name))

    # ---- saved tables

    def read_list(self, table: str) -> Saved | None:
        """None: the table is missing, or it was not written to the end."""
        text = self.read_text(f"{table}/list.json")
        if text is None:
            return None
        found = json.loads(text)
        schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(found["schema"])))
        return Saved([File(*file) for file in found["files"]], schema)

    def write_list(self, table: str, saved: Saved) -> None:
        self.write_text(f"{table}/list.json", json.dumps({
            "files": [dataclasses.astuple(file) for file in saved.files],
            "schema": base64.b64encode(saved.schema.serialize().to_pybytes()).decode()}))

    def write_table(self, table: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]
                    ) -> Iterator[File]:
        """One file with all rows; none if there is no row."""
        name, rows = f"{table}/{uuid.uuid4().hex}.parquet", 0
        writer = None
        for rows_of in gathered(schema, batches):
            if writer is None:
                writer = self._writer(name, schema)
            writer.write_table(rows_of)
            rows += len(rows_of)
        if writer is not None:
            writer.close()
            yield File(name, self._files.get_file_info(self._at(name)).size, rows)

    def _writer(self, name: str, schema: pa.Schema) -> pq.ParquetWriter:
        """Binary columns have hashes, which nothing makes smaller."""
        plain = [field.name for field in schema if not pa.types.is_binary(field.type)]
        return pq.ParquetWriter(
            self._at(name), schema, filesystem=self._files, use_dictionary=False,
            write_statistics=plain, compression={
                field.name: "snappy" if field.name in plain else "none" for field in schema})

    def open_table(self, file: File) -> pq.ParquetFile:
        return pq.ParquetFile(self._files.open_input_file(self._at(file.name)))

    def read_table(self, file: File, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
        return iter(self.open_table(file).iter_batches(BATCH_ROWS, columns=columns,
                                                       use_threads=False))

    # ---- exchanges

    def write_parts(self, folder: str, parter: Parter, schema: pa.Schema,
                    batches: Iterable[pa.RecordBatch]) -> Iterator[File]:
        """Files of an exchange, in a folder of it."""
        for table in gathered(schema, batches):
            name, ends, rows = f"{folder}/{uuid.uuid4().hex}", np.zeros(parter.parts, "<i8"), 0
            with self._files.open_output_stream(self._at(name)) as out:
                for part, batch in parted(parter, table):
                    with pa.ipc.new_stream(out, schema) as stream:
                        stream.write_batch(batch)
                    ends[part], rows = out.tell(), rows + len(batch)
                out.write(np.append(0, np.maximum.accumulate(ends)).astype("<i8").tobytes())
                size = out.tell()
            yield File(name, size, rows)

    def read_part(self, files: list[File], parts: int, part: int) -> Iterator[pa.RecordBatch]:
        def read(file: File) -> list[pa.RecordBatch]:
            with self._files.open_input_file(self._at(file.name)) as source:
                begin, end = (int(n) for n in np.frombuffer(source.read_at(
                    16, file.size - 8 * (parts + 1) + 8 * part), "<i8"))
                return list(pa.ipc.open_stream(source.read_at(end - begin, begin))
                            ) if begin < end else []

        with concurrent.futures.ThreadPoolExecutor(READERS) as pool:
            for first in range(0, len(files), READERS):
                for batches in pool.map(read, files[first:first + READERS]):
                    yield from batches


def gathered(schema: pa.Schema, batches: Iterable[pa.RecordBatch],
             together: float = WRITTEN_TOGETHER) -> Iterator[pa.Table]:
    """Tables of about so many bytes."""
    waiting: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        if len(batch):
            waiting.append(batch)
            size += batch.nbytes
        if size >= together:
            yield pa.Table.from_batches(waiting, schema)
            waiting, size = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting, schema)


def parted(parter: Parter, table: pa.Table) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The rows of each part that has some, by part."""
    part = parter(table)
    order = np.argsort(part, kind="stable")
    rows, = table.combine_chunks().take(pa.array(order)).to_batches()
    begins = np.flatnonzero(np.diff(part[order], prepend=-1)).tolist()
    for begin, end in zip(begins, [*begins[1:], len(rows)]):
        yield int(part[order[begin]]), rows.slice(begin, end - begin)


def in_order(schema: pa.Schema, batches: Iterable[pa.RecordBatch], sort: list[str],
             together: float) -> Iterator[pa.RecordBatch]:
    """Rows sorted by some columns, in pieces of about so many bytes."""
    for table in gathered(schema, batches, together):
        if sort:  # a column of more than 2 GB needs offsets of 64 bits
            places = pa.compute.sort_indices(table, [(name, "ascending") for name in sort])
            table = pa.table([column.cast(pa.large_binary()) if pa.types.is_binary(column.type)
                              else column for column in table.columns], schema.names).take(places)
        yield from typed(schema, table.to_batches(max_chunksize=BATCH_ROWS))


def typed(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches with the schema that was announced. Most have it, and to cast a column takes longer
    than most steps of a small batch."""
    for batch in batches:
        yield batch if batch.schema.equals(schema, check_metadata=True) else pa.record_batch(
            [column.cast(field.type) for column, field in zip(batch.columns, schema)],
            schema=schema)


# ---- parts


@dataclasses.dataclass(frozen=True)
class ByKeys:
    """Rows with equal keys, which are whole numbers, have one part."""

    keys: list[str]
    parts: int

    def __call__(self, table: pa.Table) -> np.ndarray:
        mixed = np.zeros(len(table), np.uint64)
        for key in self.keys:
            mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + table[key].to_numpy().astype(np.uint64)
        return (mixed % np.uint64(self.parts)).astype(np.int64)


@dataclasses.dataclass(frozen=True)
class ByHighBits:
    """Numbers with equal bits from `bits` up have one part: these bits modulo the parts."""

    key: str
    bits: int
    parts: int

    def __call__(self, table: pa.Table) -> np.ndarray:
        part: np.ndarray = (table[self.key].to_numpy() >> self.bits) % self.parts
        return part


@dataclasses.dataclass(frozen=True)
class ByOrder:
    """Part n has the rows from bound n - 1, and before bound n."""

    bounds: pa.Table

    @property
    def parts(self) -> int:
        return len(self.bounds) + 1

    def __call__(self, table: pa.Table) -> np.ndarray:
        order = self.bounds.column_names
        is_row = np.repeat([0, 1], [len(self.bounds), len(table)])
        both = pa.concat_tables([self.bounds, table.select(order)]).append_column(
            "is row", pa.array(is_row))
        sorted_rows = np.asarray(pa.compute.sort_indices(both, [
            (name, "ascending") for name in both.column_names]))
        part = np.empty(len(both), np.int64)
        part[sorted_rows] = np.cumsum(is_row[sorted_rows] == 0)
        return part[len(self.bounds):]


def bounds_of(sample: pa.Table, parts: int) -> pa.Table:
    """Of rows in an order by all columns: what parts them in about equal parts."""
    sample = sample.sort_by([(name, "ascending") for name in sample.column_names])
    places = np.arange(1, parts) * len(sample) // parts
    return sample.take(pa.array(np.unique(places)))
