"""The documents of a call, from any kind of object, as one Arrow stream or as paths."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Callable

import numpy as np
import pyarrow as pa

from . import _core
from ._errors import ArgumentError, InputError
from ._files import Files

# Items of a list or generator that become one batch.
BATCH = 1024


class Source:
    """Documents of an object: how the extension reads them, and how their rows are found again.

    stream, paths  either of them is given to the extension
    file_options   how the files are read
    text, id       names of columns in the stream, or fields of the files; id None: row numbers
    ids            the column of ids, or None
    select         gives the rows of a mask, as the kind of object that came in
    stays          the stream only shows what is in memory anyway, so that its texts are read there
                   again; those of another stream are copied to disk
    """

    def __init__(self, *, stream: Any = None, paths: list[bytes] | None = None, text: str,
                 id: str | None, ids: Callable[[], pa.ChunkedArray] | None = None,
                 select: Callable[[np.ndarray], Any] | None = None,
                 why_no_table: str = "", file_options: dict[str, Any] | None = None,
                 stays: bool = False) -> None:
        self.stream, self.paths, self.text, self.id = stream, paths, text, id
        self.file_options, self.stays = file_options or {}, stays
        self.ids, self.select, self.why_no_table = ids, select, why_no_table
        # What an iterator has raised. The iterator knows only this list, not the source: a cycle
        # through a stream would never be collected.
        self.failures: list[BaseException] = []

    def options(self) -> dict[str, Any]:
        """The options for the extension. Call it once: a stream is read once."""
        given: dict[str, Any] = {"text": self.text, "id": self.id}
        if self.paths is not None:
            given.update(self.file_options, paths=self.paths)
        else:
            given.update(stream=self.stream.__arrow_c_stream__(), stays=self.stays)
        return given

    def call(self, function: Callable[[dict[str, Any]], Any], options: dict[str, Any]) -> Any:
        """Calls a function of the extension. An exception of a generator comes out as it is."""
        try:
            return function({**options, **self.options()})
        except Exception:
            self.raise_failure()
            raise

    def texts(self) -> list[str]:
        """All texts; a null is "", and what is not UTF-8 becomes U+FFFD. It reads the stream."""
        column = pa.chunked_array(self.stream)
        if pa.types.is_struct(column.type):
            column = pa.chunked_array([chunk.field(self.text) for chunk in column.chunks])
        return [text if isinstance(text, str) else (text or b"").decode(errors="replace")
                for text in column.to_pylist()]

    def texts_of(self, rows: np.ndarray, count: int) -> dict[int, str]:
        """The texts of some of `count` rows. REQUIRES: there is `select`."""
        assert self.select is not None
        mask = np.zeros(count, bool)
        mask[rows] = True
        chosen = open_source(self.select(mask), self.text, None)
        return dict(zip(np.flatnonzero(mask).tolist(), chosen.texts()))

    def raise_failure(self) -> None:
        """Raises the exception of an iterator, if there was one."""
        if self.failures:
            raise self.failures.pop() from None


def open_source(data: Any, text: str = "text", id: str | None = "id",
                more: Sequence[str] = ()) -> Source:
    """Finds out what kind of object has the documents. more: further columns that are read."""
    if isinstance(data, (str, os.PathLike)):
        return _files(Files(data), text, id)
    if isinstance(data, (list, tuple)) and data and all(isinstance(p, os.PathLike) for p in data):
        return _files(Files(data), text, id)
    if isinstance(data, Files):
        return _files(data, text, id)
    package = type(data).__module__.partition(".")[0]
    if package == "datasets" and isinstance(data, dict):
        raise TypeError(f"a {type(data).__name__} has several tables: give one of them")
    if isinstance(data, Mapping):
        return _columns(data, text, id, more)
    if package == "datasets" and hasattr(data, "with_format"):
        return _dataset(data, text, id, more)
    if package == "pandas":
        return _pandas(data, text, id, more)
    if package == "polars" and hasattr(data, "collect"):
        data = data.collect()
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        return _column(pa.chunked_array([data]) if isinstance(data, pa.Array) else data, data, text)
    if hasattr(data, "__arrow_c_stream__"):
        return _arrow(data, package, text, id, more)
    if isinstance(data, (list, tuple)):
        return _list(data, text, id, more)
    if isinstance(data, np.ndarray):
        return _list(data.tolist(), text, id, more)
    if package == "datasets":
        return _list(list(data), text, id, more)
    if isinstance(data, Iterable):
        return _generator(iter(data), text, id)
    raise TypeError(
        f"documents must be a table, a column, a list, a generator or a path, not "
        f"{type(data).__name__}")


def _present(id: str | None, columns: Iterable[str]) -> str | None:
    """The default column of ids may be absent."""
    return None if id == "id" and "id" not in columns else id


def need(columns: Iterable[str], *names: str | None) -> None:
    have = list(columns)
    for name in names:
        if name is not None and name not in have:
            raise ArgumentError(f"there is no column {name!r}; the columns are "
                                + ", ".join(map(repr, have)))


def _wanted(*names: str | None) -> list[str]:
    return list(dict.fromkeys(name for name in names if name is not None))


# ---- files


def _files(files: Files, text: str, id: str | None) -> Source:
    options = dict(files.options)
    if files.text is not None:
        options["texts"] = files.text
    return Source(paths=files.paths, text=text, id=id, file_options=options,
                  why_no_table="the documents are in files: give output=FILE")


# ---- tables and columns


def _column(column: pa.ChunkedArray, data: Any, text: str) -> Source:
    def select(mask: np.ndarray) -> Any:
        return data.filter(pa.array(mask))

    return Source(stream=column.cast(_exportable_type(column.type)), text=text, id=None,
                  select=select, stays=True)


def _arrow(data: Any, package: str, text: str, id: str | None, more: Sequence[str]) -> Source:
    """An object with the Arrow PyCapsule interface. A reader is read once, without a copy in
    memory; an object that is not known to give the same rows twice becomes a table first."""
    if isinstance(data, pa.RecordBatchReader):
        id = _present(id, data.schema.names)
        need(data.schema.names, text, id, *more)
        return Source(stream=exportable(data), text=text, id=id,
                      why_no_table="the documents came from a reader, which is read only once")
    if package == "polars":
        return _polars(data, text, id, more)
    if isinstance(data, pa.RecordBatch):
        table = pa.Table.from_batches([data])
    else:
        table = data if isinstance(data, pa.Table) else as_table(data)
    if isinstance(table, pa.ChunkedArray):
        return _column(table, table, text)
    id = _present(id, table.column_names)
    need(table.column_names, text, id, *more)
    return Source(stream=exportable(table.select(_wanted(text, id, *more))), text=text, id=id,
                  ids=(lambda: _plain(table.column(id))) if id else None,
                  select=lambda mask: _filtered(table, mask), stays=True)


def exportable(data: Any) -> Any:
    """A table or reader as pyarrow can export it."""
    types = list(map(_exportable_type, data.schema.types))
    if types == data.schema.types:
        return data
    return data.cast(pa.schema([field.with_type(kind) for field, kind in zip(data.schema, types)]))


def _exportable_type(kind: pa.DataType) -> pa.DataType:
    """Before version 25, pyarrow crashes when it exports views that are all short. So it exports
    copies of views."""
    if int(pa.__version__.partition(".")[0]) >= 25:
        return kind
    return {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}.get(kind, kind)


def decode(column: Any, kind: pa.DataType) -> Any:
    """A column of a dictionary as its values, of a type to which these can be cast; another column
    as it is."""
    if not pa.types.is_dictionary(column.type):
        return column
    if isinstance(column, pa.ChunkedArray):
        return pa.chunked_array([decode(chunk, kind) for chunk in column.chunks], kind)
    return pa.DictionaryArray.from_arrays(column.indices,
                                          column.dictionary.cast(kind)).dictionary_decode()


def _plain(ids: pa.ChunkedArray) -> pa.ChunkedArray:
    """Ids of a type that pyarrow can take rows of: it cannot take views."""
    return ids.cast(pa.large_string()) if pa.types.is_string_view(ids.type) else ids


def _filtered(table: pa.Table, mask: np.ndarray) -> pa.Table:
    try:
        return table.filter(pa.array(mask))
    except pa.ArrowNotImplementedError:  # views: pyarrow can slice them, but not filter them
        edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
        runs = [table.slice(begin, end - begin) for begin, end in edges.reshape(-1, 2)]
        return pa.concat_tables(runs or [table.slice(0, 0)])


def as_table(data: Any) -> Any:
    """A stream of columns as a table, a stream of one column as that."""
    try:
        return pa.table(data)
    except (TypeError, ValueError, pa.ArrowInvalid):
        return pa.chunked_array(data)


def _polars(data: Any, text: str, id: str | None, more: Sequence[str]) -> Source:
    if type(data).__name__ == "Series":
        return Source(stream=data, text=text, id=None, select=data.filter, stays=True)
    id = _present(id, data.columns)
    need(data.columns, text, id, *more)
    return Source(stream=data.select(_wanted(text, id, *more)), text=text, id=id,
                  ids=(lambda: _plain(pa.chunked_array(data.get_column(id)))) if id else None,
                  select=data.filter, stays=True)


def _pandas(data: Any, text: str, id: str | None, more: Sequence[str]) -> Source:
    if data.ndim == 1:
        in_arrow = _in_arrow(data)
        source = (_list(data.array, text, None, ()) if in_arrow is None else
                  Source(stream=exportable(pa.table({text: in_arrow})), text=text, id=None,
                         stays=True))
        source.select = lambda mask: data[mask]
        return source
    id = _present(id, data.columns)
    need(data.columns, text, id, *more)
    names = [name for name in _wanted(id, *more) if name != text]
    try:
        columns = {name: pa.array(data[name], from_pandas=True) for name in names}
    except (pa.ArrowInvalid, pa.ArrowTypeError) as problem:
        raise ArgumentError(f"a column of ids or numbers has values of several types: {problem}")
    in_arrow = _in_arrow(data[text])
    source = (_batches(data[text].array, text, id, columns) if in_arrow is None else
              Source(stream=exportable(pa.table({text: in_arrow, **columns})), text=text,
                     id=id if id in columns else None, stays=True))
    source.ids = (lambda: pa.chunked_array([columns[id]])) if id in columns else None
    source.select = lambda mask: data[mask]
    return source


def _in_arrow(series: Any) -> Any:
    """A column that pandas has in Arrow, or as categories; None: it is another one."""
    kind = series.dtype
    known = type(kind).__name__ in ("ArrowDtype", "CategoricalDtype")
    if not known and getattr(kind, "storage", None) != "pyarrow":
        return None
    return pa.array(series.array, from_pandas=True)


def _dataset(data: Any, text: str, id: str | None, more: Sequence[str]) -> Source:
    """datasets.Dataset. Its Arrow format follows the indices that filter, select and shuffle leave
    over the table; without indices it is the table, in memory or mapped from files."""
    names = data.column_names
    if names is not None:
        id = _present(id, names)
        need(names, text, id, *more)
    narrow = data.select_columns(_wanted(text, id, *more)).with_format("arrow")
    if not hasattr(data, "__len__"):
        return _reader((_as_batches(table) for table in narrow.iter(BATCH)), text, id,
                       why_no_table="an iterable dataset is read only once")

    def ids() -> pa.ChunkedArray:
        return narrow.select_columns([id])[:].column(id)

    more_options: dict[str, Any] = {
        "ids": ids if id else None, "select": lambda mask: data.select(np.flatnonzero(mask))}
    if len(data) > 0 and getattr(data, "_indices", data) is None:
        return Source(stream=exportable(narrow[:]), text=text, id=id, stays=True, **more_options)
    return _reader((_as_batches(table) for table in narrow.iter(BATCH)), text, id, **more_options)


def _as_batches(table: pa.Table) -> pa.RecordBatch:
    return table.combine_chunks().to_batches()[0]


def _reader(batches: Iterator[pa.RecordBatch], text: str, id: str | None, **more: Any) -> Source:
    """Batches of an iterator. Its exceptions are kept, since a stream passes only their text on."""
    source = Source(text=text, id=id, **more)
    failures = source.failures
    first = next(batches, None)

    def all_batches() -> Iterator[pa.RecordBatch]:
        try:
            if first is not None:
                yield first
            yield from batches
        except BaseException as problem:
            failures.append(problem)
            raise

    schema = first.schema if first is not None else pa.schema([(text, pa.large_binary())])
    if first is None:
        source.id = None
    source.stream = pa.RecordBatchReader.from_batches(schema, all_batches())
    return source


# ---- Python's own objects


def _columns(data: Mapping[str, Any], text: str, id: str | None, more: Sequence[str]) -> Source:
    """Columns by name, as a batch of datasets or a dict of lists has them."""
    id = _present(id, data)
    need(data, text, id, *more)
    columns = {name: _ids(list(data[name])) for name in _wanted(id, *more) if name != text}
    source = _batches(list(data[text]), text, id, columns)
    source.ids = (lambda: pa.chunked_array([columns[id]])) if id in columns else None
    source.select = lambda mask: {name: [item for item, kept in zip(data[name], mask) if kept]
                                  for name in data}
    return source


def _list(data: Any, text: str, id: str | None, more: Sequence[str]) -> Source:
    """A list of texts, of (id, text), or of dicts."""
    first = next((item for item in data if item is not None), None)
    columns: dict[str, pa.Array] = {}
    texts: Any = data
    if isinstance(first, dict):
        id = _present(id, first)
        need(first, text, id, *more)
        texts = [row.get(text) for row in data]
        columns = {name: _ids([row.get(name) for row in data])
                   for name in _wanted(id, *more) if name != text}
    elif isinstance(first, (tuple, list)):
        id = "id"
        texts = [_pair(item, row)[1] for row, item in enumerate(data)]
        columns = {id: _ids([item[0] for item in data])}
    else:
        id = None
    source = _batches(texts, text, id, columns)
    source.ids = (lambda: pa.chunked_array([columns[id]])) if id in columns else None
    source.select = lambda mask: [item for item, kept in zip(data, mask) if kept]
    return source


def _pair(item: Any, row: int) -> Any:
    if not isinstance(item, (tuple, list)) or len(item) != 2:
        raise InputError(f"row {row}: an item must be (id, text) as the first one, not {item!r:.80}")
    return item


def _ids(values: list[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError) as problem:
        raise ArgumentError(f"ids must all be str or all be int: {problem}") from None


def _batches(texts: Any, text: str, id: str | None, columns: dict[str, pa.Array]) -> Source:
    def batches() -> Iterator[pa.RecordBatch]:
        for begin in range(0, len(texts), BATCH):
            some = texts[begin:begin + BATCH]
            batch = {text: _texts(some, begin)}
            batch.update((name, column[begin:begin + BATCH]) for name, column in columns.items())
            yield pa.record_batch(batch)

    source = _reader(batches(), text, id)
    source.id = id if id in columns else None
    return source


def _generator(items: Iterator[Any], text: str, id: str | None) -> Source:
    """Texts, or (id, text): the first item decides."""
    def chunks() -> Iterator[tuple[int, list[Any]]]:
        begin, chunk = 0, []
        for item in items:
            chunk.append(item)
            if len(chunk) == BATCH:
                yield begin, chunk
                begin, chunk = begin + BATCH, []
        if chunk:
            yield begin, chunk

    found: list[pa.Array] = []
    pairs: bool | None = None

    def batches() -> Iterator[pa.RecordBatch]:
        nonlocal pairs
        for begin, chunk in chunks():
            if pairs is None:
                pairs = isinstance(chunk[0], (tuple, list))
            if not pairs:
                yield pa.record_batch({text: _texts(chunk, begin)})
                continue
            for row, item in enumerate(chunk, begin):
                _pair(item, row)
            ids = _ids([item[0] for item in chunk])
            if found:
                ids = ids.cast(found[0].type)
            found.append(ids)
            yield pa.record_batch({text: _texts([item[1] for item in chunk], begin), "id": ids})

    source = _reader(batches(), text, None,
                     why_no_table="the documents came from a generator, which is read only once")
    if pairs:
        source.id = "id"
        source.ids = lambda: pa.chunked_array(found)
    return source


def _texts(texts: Any, begin: int) -> pa.Array:
    """Texts as UTF-8. Lone surrogates stay as they are, invalid: the library decides about them."""
    if str(getattr(texts, "dtype", "object")) != "object":  # a column of pandas
        return pa.array(texts, from_pandas=True)
    # pa.array of str would do, but each str then keeps its UTF-8 as long as it lives.
    parts = _core.utf8_column(list(texts), begin)
    offsets, data = parts["texts"]
    return pa.Array.from_buffers(pa.large_binary(), len(texts),
                                 [pa.py_buffer(part) for part in (parts["valid"], offsets, data)])
