"""Results of jobs: arrays of the extension as NumPy arrays and Arrow tables."""

from __future__ import annotations

import html
from typing import Any, Iterator, NamedTuple

import numpy as np
import pyarrow as pa

from . import _core
from ._losses import Alarm, LossClass, LossGroup, Losses


def numbers(data: _core.Buffer, kind: Any) -> np.ndarray:
    return np.frombuffer(memoryview(data), dtype=kind)


def binaries(pair: tuple[_core.Buffer, _core.Buffer]) -> pa.Array:
    """Texts that the extension has collected, as bytes, without a copy."""
    offsets, data = map(pa.py_buffer, pair)
    count = max(offsets.size // 8 - 1, 0)
    if count == 0:
        return pa.array([], pa.large_binary())
    return pa.Array.from_buffers(pa.large_binary(), count, [None, offsets, data])


def texts(pair: tuple[_core.Buffer, _core.Buffer]) -> pa.Array:
    """The same as texts. Ids need not be UTF-8."""
    found = binaries(pair)
    try:
        return found.cast(pa.large_string())
    except pa.ArrowInvalid:
        return pa.array([id.decode("utf-8", "surrogateescape").encode("utf-8", "backslashreplace")
                         for id in found.to_pylist()], pa.large_string())


class Similarities(NamedTuple):
    """How many pairs the measure decided, of a similarity from ``least`` to ``least + 0.01``. Exact
    copies are not among them."""

    least: float
    rejected: int
    duplicates: int


class Summary:
    """Counts and times of a job. Members that a job does not count are 0, and lists are empty.

    similarities    of the pairs that were compared
    largest_groups  at most three: the kept documents for which most were removed
    losses          the classes of documents that lost most: by source, length, script, host and
                    the field of ``losses_by``
    alarms          the losses that were warned of

    >>> import neardup as nd
    >>> summary = nd.dedup(["a text", "a text"]).summary
    >>> summary.removed
    1
    >>> summary.largest_groups
    [LossGroup(kept=0, removed=1, exact_copies=1, share=1.0, example=1)]
    """

    documents: int
    input_bytes: int
    text_bytes: int
    kept: int
    removed: int
    exact_copies: int
    skipped: int
    duplicate_ids: int
    without_value: int
    without_digest: int
    spared: int
    candidates: int
    verified: int
    rejected: int
    pairs: int
    large_buckets: int
    bounded_documents: int
    bounded_comparisons: int
    terms: int
    terms_written: int
    output_bytes: int
    work_bytes: int
    peak_memory: int
    threads: int
    repeated_bytes: int
    units: int
    units_cut: int
    changed: int
    passes: int
    bands: int
    rows: int
    seconds: float
    similarities: list[Similarities]
    largest_groups: list[LossGroup]
    losses: list[LossClass]
    alarms: list[Alarm]

    def __init__(self, values: dict[str, Any], losses: Losses | None = None) -> None:
        self.__dict__.update(values)
        self.similarities = [Similarities(*each) for each in values["similarities"]]
        found = losses or Losses([], False)
        self.largest_groups, self.losses, self.alarms = found.groups, found.classes, found.alarms

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return iter(self.__dict__.items())

    def __repr__(self) -> str:
        return "Summary(" + ", ".join(f"{name}={_count(value)}" for name, value in self if value) + ")"


def _count(value: Any) -> str:
    if isinstance(value, list):
        return f"[{len(value)}]"
    return f"{value:.3g}" if isinstance(value, float) else f"{value:,}"


def html_table(rows: list[dict[str, Any]], caption: str) -> str:
    """A table for notebooks."""
    if not rows:
        return f"<p>{html.escape(caption)}</p>"
    head = "".join(f"<th>{html.escape(name)}</th>" for name in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{html.escape(_cell(value))}</td>"
                                    for value in row.values()) + "</tr>" for row in rows)
    return (f"<table><caption>{html.escape(caption)}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


def _cell(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
