"""Objects of documents with other texts in some of their rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ._sources import as_table, decode


def rereadable(data: Any) -> Any:
    """The same documents as an object that gives the same rows each time: a table of a reader or a
    query, a list of a generator."""
    package = type(data).__module__.partition(".")[0]
    if isinstance(data, pa.RecordBatchReader):
        return data.read_all()
    if package == "polars" and hasattr(data, "collect"):
        return data.collect()
    if package == "datasets" and not hasattr(data, "__len__"):
        return list(data)
    if package in ("polars", "pandas", "pyarrow"):
        return data
    if hasattr(data, "__arrow_c_stream__"):
        return as_table(data)
    return list(data) if isinstance(data, Iterable) and not hasattr(data, "__getitem__") else data


def with_texts(data: Any, name: str, rows: np.ndarray, texts: pa.Array) -> Any:
    """A copy of an object that a :class:`Source` selects, with other texts in some rows.

    name   the column of the texts
    rows   ascending
    texts  bytes of UTF-8
    """
    package = type(data).__module__.partition(".")[0]
    if len(rows) == 0:
        return data
    if isinstance(data, dict):
        return {**data, name: _items(data[name], name, rows, texts)}
    if isinstance(data, list):
        return _items(data, name, rows, texts)
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        return _column(data, rows, texts)
    if isinstance(data, pa.Table):
        place = data.column_names.index(name)
        column = _column(data.column(place), rows, texts)
        return data.set_column(place, data.schema.field(place).with_type(column.type), column)
    if package == "pandas":
        return _pandas(data, name, rows, texts)
    if package == "polars":
        return _polars(data, name, rows, texts)
    names = data.column_names  # of a dataset
    column = _items(data[name][:], name, rows, texts)
    feature = data.features[name]
    return data.remove_columns(name).add_column(name, column, feature=feature).select_columns(names)


def _items(items: list[Any], name: str, rows: np.ndarray, texts: pa.Array) -> list[Any]:
    """A list of texts, of (id, text), or of dicts."""
    items = list(items)
    for row, text in zip(rows.tolist(), texts):
        items[row] = _item(items[row], name, text.as_py())
    return items


def _item(item: Any, name: str, text: bytes) -> Any:
    if isinstance(item, dict):
        return {**item, name: _item(item[name], name, text)}
    if isinstance(item, (tuple, list)):
        pair = item[0], _item(item[1], name, text)
        return pair if isinstance(item, tuple) else list(pair)
    return text if isinstance(item, bytes) else text.decode()


def _column(column: Any, rows: np.ndarray, texts: pa.Array) -> Any:
    """Of Arrow, which replaces values of plain layouts only. Values of a dictionary become plain."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_binary = any(is_so(kind) for is_so in (
        pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view))
    plain = pa.large_binary() if is_binary else pa.large_string()
    mask = np.zeros(len(column), bool)
    mask[rows] = True
    values = decode(column, plain).cast(plain)
    return pc.replace_with_mask(values, pa.array(mask), texts.cast(plain)).cast(kind)


def _pandas(data: Any, name: str, rows: np.ndarray, texts: pa.Array) -> Any:
    column = (data if data.ndim == 1 else data[name]).copy()
    if column.dtype == "category":
        column = column.astype(column.cat.categories.dtype)
    old = column.iloc[rows].tolist()
    column.iloc[rows] = [_item(item, name, text.as_py()) for item, text in zip(old, texts)]
    return column if data.ndim == 1 else data.assign(**{name: column})


def _polars(data: Any, name: str, rows: np.ndarray, texts: pa.Array) -> Any:
    is_column = type(data).__name__ == "Series"
    column = data if is_column else data.get_column(name)
    new = type(column)(column.name, _column(pa.chunked_array(column), rows, texts))
    return new if is_column else data.with_columns(new)
