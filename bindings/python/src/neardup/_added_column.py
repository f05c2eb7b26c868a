"""A further column of documents, made batch by batch while the extension reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from ._errors import ArgumentError
from ._sources import Source, decode, exportable, need

# Makes the values of the rows of a batch; the second argument is its first row's number.
Make = Callable[[pa.RecordBatch, int], pa.Array]


def add_column(source: Source, field: pa.Field, make: Make, count: int | None, what: str,
               columns: Sequence[str] = ()) -> None:
    """Has the source give a column more. No column of a user has the name of the field.

    columns  those that `make` reads
    count    there must be so many rows; None: any number
    what     has one value for each row, for messages
    """
    reader = exportable(_open(source))
    need(reader.schema.names, *columns)
    schema = reader.schema.append(field)
    source.stream = pa.RecordBatchReader.from_batches(
        schema, _batches(reader, schema, make, count, what, source.failures))


def _open(source: Source) -> pa.RecordBatchReader:
    try:
        return pa.RecordBatchReader.from_stream(source.stream)
    except (pa.ArrowInvalid, TypeError):  # a column, not a table
        return pa.table({source.text: pa.chunked_array(source.stream)}).to_reader()


def _batches(reader: pa.RecordBatchReader, schema: pa.Schema, make: Make, count: int | None,
             what: str, failures: list[BaseException]) -> Iterator[pa.RecordBatch]:
    """The batches of a reader, each with a further column. It knows no source: a cycle through a
    stream would never be collected."""
    rows = 0
    try:
        for batch in reader:
            rows += len(batch)
            if count is not None and rows > count:
                _refuse(count, what)
            yield pa.record_batch([*batch.columns, make(batch, rows - len(batch))], schema=schema)
        if count is not None and rows != count:
            _refuse(count, what)
    except BaseException as problem:
        if not failures:
            failures.append(problem)
        raise


def _refuse(count: int, what: str) -> None:
    raise ArgumentError(f"{what} has {count:,} values, which is another number than that of the "
                        "rows")


def as_texts(values: pa.Array, what: str, column: str) -> pa.Array:
    """Texts as they are, whole numbers and booleans as they are written."""
    try:
        return decode(values, pa.large_string()).cast(pa.large_string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise ArgumentError(f"{what}: column {column!r} must hold texts, numbers or booleans, not "
                            f"{values.type}") from None
