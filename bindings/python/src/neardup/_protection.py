"""Documents that dedup never removes: those with a value in a column, or those of a mask."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ._errors import ArgumentError, DataWarning
from ._sources import Source, exportable, need

# The column that the extension reads. No column of a user has this name.
_PROTECTED = "\x01protected"


class Protection:
    """given: "COLUMN=VALUE", several of these, or a boolean for each row."""

    def __init__(self, given: Any) -> None:
        several = [given] if isinstance(given, str) else given
        self.values: list[str] = []
        self.mask: np.ndarray | None = None
        self.count = 0  # of the protected rows that were read
        self._conditions: list[tuple[str, str]] = []
        if several is None:
            return
        if isinstance(several, (list, tuple)) and all(isinstance(each, str) for each in several):
            self.values = list(several)
        else:
            self.mask = np.asarray(several)
            if self.mask.ndim != 1 or self.mask.dtype != bool:
                raise ArgumentError("protect must be \"COLUMN=VALUE\", several of these, or a "
                                    "boolean for each row")
        self._conditions = [_condition(value) for value in self.values]

    @property
    def columns(self) -> list[str]:
        return [column for column, _ in self._conditions]

    def guard(self, source: Source) -> dict[str, Any]:
        """Has the source tell which documents are protected. Returns the options for that."""
        if not self.values and self.mask is None:
            return {}
        if source.paths is not None:
            if self.mask is not None:
                raise ArgumentError("protect must be \"FIELD=VALUE\" where the documents are in files")
            return {"protect": self.values}
        reader = exportable(_open(source))
        need(reader.schema.names, *self.columns)
        schema = reader.schema.append(pa.field(_PROTECTED, pa.int8()))
        source.stream = pa.RecordBatchReader.from_batches(
            schema, _guarded(reader, schema, self, source.failures))
        return {"protected": _PROTECTED}

    def flags(self, batch: pa.RecordBatch, row: int) -> np.ndarray:
        """Whether each row of a batch, which begins with a row, is protected."""
        if self.mask is not None:
            return self.mask[row:row + len(batch)]
        flags = np.zeros(len(batch), bool)
        for column, value in self._conditions:
            flags |= _are_equal(batch.column(column), column, value)
        return flags

    def warn(self, source: Source) -> None:
        """After the job: most likely the name of the column or the value is wrong. (Of files, the
        library tells it.)"""
        if self.values and self.count == 0 and source.paths is None:
            warnings.warn(f"protect: no row is protected: none has {' or '.join(self.values)}",
                          DataWarning, stacklevel=3)

    def check_rows(self, rows: int) -> None:
        if self.mask is not None and rows != len(self.mask):
            raise ArgumentError(f"protect has {len(self.mask):,} values, which is another number than "
                                "that of the rows")


def _condition(text: str) -> tuple[str, str]:
    column, equals, value = text.partition("=")
    if not column or not equals:
        raise ArgumentError(f"protect must be \"COLUMN=VALUE\", not {text!r}")
    return column, value


def _open(source: Source) -> pa.RecordBatchReader:
    try:
        return pa.RecordBatchReader.from_stream(source.stream)
    except (pa.ArrowInvalid, TypeError):  # a column, not a table
        return pa.table({source.text: pa.chunked_array(source.stream)}).to_reader()


def _guarded(reader: pa.RecordBatchReader, schema: pa.Schema, protection: Protection,
             failures: list[BaseException]) -> Iterator[pa.RecordBatch]:
    """The batches of a reader, each with a further column. It knows no source: a cycle through a
    stream would never be collected."""
    rows = 0
    try:
        for batch in reader:
            rows += len(batch)
            flags = protection.flags(batch, rows - len(batch))
            if len(flags) < len(batch):
                protection.check_rows(rows)
            protection.count += int(flags.sum())
            yield pa.record_batch([*batch.columns, pa.array(flags.astype(np.int8))], schema=schema)
        protection.check_rows(rows)
    except BaseException as problem:
        if not failures:
            failures.append(problem)
        raise


def _are_equal(values: pa.Array, column: str, value: str) -> np.ndarray:
    """Text as it is, a whole number or a boolean as it is written, another number by its value."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    wanted: Any = value
    if pa.types.is_floating(values.type):
        wanted = _number(value)
    else:
        try:
            values = values.cast(pa.large_string())
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            raise ArgumentError(f"protect: column {column!r} must hold texts, numbers or booleans, "
                                f"not {values.type}") from None
    equal = pc.equal(values, wanted).fill_null(False)
    found: np.ndarray = equal.to_numpy(zero_copy_only=False)
    return found


def _number(text: str) -> float:
    """What is no number equals none."""
    try:
        return float(text)
    except ValueError:
        return float("nan")
