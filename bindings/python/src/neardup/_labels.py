"""The labels by whose values losses are counted: a column, or a value for each row."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ._added_column import add_column, as_texts
from ._errors import ArgumentError
from ._sources import Source

# The column that the extension reads.
_LABEL = "\x01label"


class Labels:
    """given: the name of a column, or a label for each row; None: there are no labels."""

    def __init__(self, given: Any) -> None:
        self.column = given if isinstance(given, str) else None
        self._values: pa.Array | None = None
        if given is None or self.column is not None:
            return
        if not hasattr(given, "__len__"):
            raise ArgumentError("losses_by must be the name of a column, or a label for each row, not "
                                f"{type(given).__name__}")
        try:
            # pandas has numbers that are not a number for what is missing
            values = pa.array(given, from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as problem:
            raise ArgumentError(f"losses_by has values of several types: {problem}") from None
        if isinstance(values, pa.ChunkedArray):
            values = values.combine_chunks()
        self._values = as_texts(values, "losses_by", "losses_by")

    @property
    def columns(self) -> list[str]:
        return [] if self.column is None else [self.column]

    def give(self, source: Source) -> dict[str, Any]:
        """Has the source tell the label of each document. Returns the options for that."""
        column, values = self.column, self._values
        if column is None and values is None:
            return {}
        if source.paths is not None:
            if column is None:
                raise ArgumentError("losses_by must be a field where the documents are in files")
            return {"losses_by": column}

        def make(batch: pa.RecordBatch, row: int) -> pa.Array:
            if values is not None:
                return values[row:row + len(batch)]
            return as_texts(batch.column(column), "losses_by", str(column))

        add_column(source, pa.field(_LABEL, pa.large_string()), make,
                   None if values is None else len(values), "losses_by", self.columns)
        return {"label": _LABEL, "losses_by": column or "label"}
