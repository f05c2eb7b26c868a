"""Documents that dedup never removes: those with a value in a column, or those of a mask."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ._added_column import add_column, as_texts
from ._errors import ArgumentError, DataWarning
from ._sources import Source

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
        add_column(source, pa.field(_PROTECTED, pa.int8()), self._make,
                   None if self.mask is None else len(self.mask), "protect", self.columns)
        return {"protected": _PROTECTED}

    def _make(self, batch: pa.RecordBatch, row: int) -> pa.Array:
        flags = self.flags(batch, row)
        self.count += int(flags.sum())
        return pa.array(flags.astype(np.int8))

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


def _condition(text: str) -> tuple[str, str]:
    column, equals, value = text.partition("=")
    if not column or not equals:
        raise ArgumentError(f"protect must be \"COLUMN=VALUE\", not {text!r}")
    return column, value


def _are_equal(values: pa.Array, column: str, value: str) -> np.ndarray:
    """Text as it is, a whole number or a boolean as it is written, another number by its value."""
    wanted: Any = value
    if pa.types.is_floating(values.type):
        wanted = _number(value)
    else:
        values = as_texts(values, "protect", column)
    equal = pc.equal(values, wanted).fill_null(False)
    found: np.ndarray = equal.to_numpy(zero_copy_only=False)
    return found


def _number(text: str) -> float:
    """What is no number equals none."""
    try:
        return float(text)
    except ValueError:
        return float("nan")
