"""Files of documents, read by the machines that work on them: Parquet, and JSON Lines.

A split is a piece of a file. A piece of Parquet has the row groups whose middle is in it; a piece of
JSON Lines has the lines that begin in it. So splits are made from sizes alone.
"""

from __future__ import annotations

import dataclasses
import io
import re
import urllib.parse
from collections.abc import Iterator
from typing import Any, Literal

import pyarrow as pa
import pyarrow.fs
import pyarrow.json
import pyarrow.parquet as pq

from ._errors import ArgumentError, InputError
from ._table_files import open_url

# Bytes of a split; but for a large input, of which so many splits are made at most.
SPLIT = 64 << 20
MOST_SPLITS = 20_000
# Bytes of JSON Lines that are parsed at once.
BLOCK = 8 << 20
# Rows of a batch of Parquet.
ROWS = 2000
# A file whose name ends so has one split: it cannot be read from its middle.
COMPRESSED = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2", ".lz4": "lz4"}
# A null as a part of a path.
_NULL = "__HIVE_DEFAULT_PARTITION__"


@dataclasses.dataclass(frozen=True)
class Split:
    url: str
    begin: int
    end: int


@dataclasses.dataclass(frozen=True)
class DocumentFiles:
    """urls: files, or folders, of which hidden files (with . or _) are no part."""

    urls: list[str]
    format: Literal["parquet", "jsonl"]

    def splits(self) -> list[Split]:
        found = list(self._files())
        step = max(SPLIT, sum(size for _, size in found) // MOST_SPLITS)
        splits = []
        for url, size in found:
            is_whole = self.format == "jsonl" and _compression(url)
            one = size if is_whole else step
            splits += [Split(url, begin, min(begin + one, size)) for begin in range(0, size, one)]
        return splits

    def _files(self) -> Iterator[tuple[str, int]]:
        """URLs and sizes."""
        for url in self.urls:
            url = url.rstrip("/")
            files, path = open_url(url)
            info = files.get_file_info(path)
            inside = [info]
            if info.type == pyarrow.fs.FileType.Directory:
                inside = files.get_file_info(pyarrow.fs.FileSelector(path, recursive=True))
            elif info.type == pyarrow.fs.FileType.NotFound:
                raise ArgumentError(f"{url} does not exist")
            before, _, behind = url.rpartition(path) if path in url else ("", "", "")
            for file in sorted(inside, key=lambda each: str(each.path)):
                hidden = any(part[:1] in "._" for part in file.path[len(path):].split("/") if part)
                if file.type == pyarrow.fs.FileType.File and not hidden and file.size:
                    yield before + file.path + behind, file.size

    def read(self, split: Split, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The columns of a schema. One that a file of Parquet does not have is in its path, as
        name=value, or null."""
        files, path = open_url(split.url)
        try:
            if self.format == "parquet":
                for batch in _read_parquet(files, path, split, schema.names):
                    yield _with_all(batch, schema, path)
            else:
                yield from _read_lines(files, path, split, schema)
        except (pa.ArrowInvalid, OSError) as problem:
            raise InputError(f"{split.url}: {str(problem).splitlines()[0]}") from None


def _with_all(batch: pa.RecordBatch, schema: pa.Schema, path: str) -> pa.RecordBatch:
    named = dict(part.split("=", 1) for part in path.split("/") if "=" in part)
    columns = []
    for field in schema:
        if field.name in batch.schema.names:
            columns.append(batch.column(field.name).cast(field.type))
        else:
            value = named.get(field.name, _NULL)
            text = None if value == _NULL else urllib.parse.unquote(value)
            columns.append(pa.array([text] * len(batch), pa.string()).cast(field.type))
    return pa.record_batch(columns, schema=schema)


def _compression(url: str) -> str | None:
    return next((kind for end, kind in COMPRESSED.items() if url.lower().endswith(end)), None)


def _read_parquet(files: Any, path: str, split: Split, columns: list[str]
                  ) -> Iterator[pa.RecordBatch]:
    with files.open_input_file(path) as source:
        file = pq.ParquetFile(source, pre_buffer=True)
        groups = []
        for number in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(number)
            parts = [group.column(n) for n in range(group.num_columns)]
            begin = min(part.dictionary_page_offset or part.data_page_offset for part in parts)
            middle = begin + sum(part.total_compressed_size for part in parts) // 2
            if split.begin <= middle < split.end:
                groups.append(number)
        if groups:
            yield from file.iter_batches(ROWS, groups, columns, use_threads=False)


def _read_lines(files: Any, path: str, split: Split, schema: pa.Schema
                ) -> Iterator[pa.RecordBatch]:
    if _compression(path):
        with files.open_input_stream(path) as source:  # it decompresses by the name
            yield from _parse(split.url, _whole_lines(source, None), schema)
        return
    with files.open_input_file(path) as source:
        size = split.end - split.begin
        if split.begin > 0:  # a line that began before is of the split before
            source.seek(split.begin - 1)
            size -= len(_line(source)) - 1
        if size > 0:
            yield from _parse(split.url, _whole_lines(source, size), schema)


def _line(source: Any) -> bytes:
    """The bytes up to a line break, and the line break; the file stands behind it."""
    begin, line = source.tell(), io.BytesIO()
    while True:
        piece = source.read(1 << 16)
        end = piece.find(b"\n")
        line.write(piece if end < 0 else piece[:end + 1])
        if end >= 0 or not piece:
            source.seek(begin + line.tell())
            return line.getvalue()


def _whole_lines(source: Any, size: int | None) -> Iterator[bytes]:
    """Blocks of whole lines: all that begin in the next `size` bytes."""
    rest = b""
    while size is None or size > 0:
        piece = source.read(BLOCK if size is None else min(BLOCK, size))
        if not piece:
            break
        if size is not None:
            size -= len(piece)
            if size == 0 and not piece.endswith(b"\n"):
                piece += _line(source)
        rest, end = rest + piece, len(rest) + piece.rfind(b"\n") + 1
        if piece.rfind(b"\n") >= 0:
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest


def _parse(url: str, blocks: Iterator[bytes], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for block in blocks:
        try:
            table = _records(block, schema)
        except pa.ArrowInvalid:  # a field may have other types in other lines
            table = pa.concat_tables([_record(url, line, schema) for line in block.split(b"\n")
                                      if line.strip()])
        yield from table.to_batches(max_chunksize=ROWS)


def _record(url: str, line: bytes, schema: pa.Schema) -> pa.Table:
    try:
        return _records(line, schema)
    except pa.ArrowInvalid:
        begin = re.sub(r"[\x00-\x1f\x7f]", "?", line[:80].decode(errors="replace"))
        raise InputError(f"{url}: a line is malformed, or has a field of another type: {begin}"
                         ) from None


def _records(block: bytes, schema: pa.Schema) -> pa.Table:
    """A whole number where a text is wanted becomes its text, so that an id may be one. Other numbers
    have several texts."""
    read = pyarrow.json.ReadOptions(use_threads=False, block_size=len(block) + 1)
    try:
        parse = pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
        return pyarrow.json.read_json(pa.BufferReader(block), read, parse).select(schema.names)
    except pa.ArrowInvalid:
        table = pyarrow.json.read_json(pa.BufferReader(block), read)
        for field in schema:
            if field.name not in table.column_names:
                table = table.append_column(field, pa.nulls(len(table), field.type))
            elif pa.types.is_floating(table[field.name].type) and pa.types.is_string(field.type):
                raise
        return table.select(schema.names).cast(schema)
