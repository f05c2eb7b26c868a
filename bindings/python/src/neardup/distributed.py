"""The steps of dedup for many machines, as functions of Arrow batches.

Each step takes an iterator of batches and returns one, and knows nothing of the machines: Spark,
Ray or a loop runs it. doc/internals/distributed.md tells how they fit together, and that their
answer is the one of :func:`neardup.dedup`.

>>> import pyarrow as pa
>>> from neardup import distributed
>>> s = distributed.Settings(order=["id"])
>>> batch = pa.record_batch({"id": ["a", "b"], "text": ["one two three", "One, two, three!"]})
>>> sketches, = distributed.sketch(s, 0, [batch])
>>> sketches.column("bands")[0] == sketches.column("bands")[1]
True
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from . import _core
from ._errors import ArgumentError, InputError
from ._options import Analyzer, given
from ._results import numbers
from ._sketches import plan

Batches = Iterable[pa.RecordBatch]

# A document is known by the number of its partition, above these bits, and its row in it.
ROW_BITS = 40
# A bucket is known by its band, above these bits, and its key.
KEY_BITS = 38
# A bucket of more members is large.
SMALL_BUCKET = 8
# Documents whose bucket entries are packed together.
PACKED_TOGETHER = 1 << 16
# What is assumed of a member of large buckets.
UNKNOWN, KEPT, REMOVED = 0, 1, 2


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a run is made with. All steps of a run have the same.

    text, id, order  columns; the order of the documents is that of the columns `order`
    buckets          parts of the exchange of buckets
    """

    text: str = "text"
    id: str = "id"
    order: list[str] = dataclasses.field(default_factory=lambda: ["id"])
    threshold: float = 0.8
    recall: float = 0.999
    perms: int = 128
    analyzer: Analyzer = "words"
    ngram: int = 5
    seed: int = 1
    nulls: Literal["error", "skip"] = "error"
    max_compare: int = 1000
    buckets: int = 200

    def __post_init__(self) -> None:
        plan(self.threshold, self.recall, self.perms)
        for name in ("max_compare", "buckets"):
            if getattr(self, name) < 1:
                raise ArgumentError(f"{name} must be at least 1, not {getattr(self, name)}")

    @property
    def columns(self) -> list[str]:
        """The id and the order, each column once."""
        return list(dict.fromkeys([self.id, *self.order]))


# ---- sketches


def sketch_schema(s: Settings, documents: pa.Schema) -> pa.Schema:
    return pa.schema([("doc", pa.int64()), *((name, documents.field(name).type)
                                             for name in s.columns),
                      ("hash_high", pa.int64()), ("hash_low", pa.int64()), ("bands", pa.binary()),
                      ("sketch", pa.binary()), ("set", pa.binary())])


def sketch(s: Settings, part: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """All that later steps need of a document. `part`: the number of the partition, from 0."""
    bands = plan(s.threshold, s.recall, s.perms)
    row = part << ROW_BITS
    for batch in batches:
        missing = [name for name in (s.text, *s.columns) if name not in batch.schema.names]
        if missing:
            raise ArgumentError(f"there is no column {missing[0]!r}; the columns are "
                                + ", ".join(map(repr, batch.schema.names)))
        _check_rows(s, batch)
        texts = pa.record_batch({s.text: batch.column(s.text)})
        stream = pa.RecordBatchReader.from_batches(texts.schema, [texts])
        found = _core.sketch(given(
            stream=stream.__arrow_c_stream__(), text=s.text, nulls=s.nulls, perms=s.perms,
            bands=bands.bands, rows=bands.rows, analyzer=s.analyzer, ngram=s.ngram, seed=s.seed,
            threads=1))
        rows = pa.array(numbers(found["rows"], np.int64))
        hashes = numbers(found["hashes"], np.int64).reshape(-1, 2)
        yield pa.record_batch({
            "doc": pa.array(row + np.asarray(rows)),
            **{name: batch.column(name).take(rows) for name in s.columns},
            "hash_high": pa.array(hashes[:, 0]), "hash_low": pa.array(hashes[:, 1]),
            "bands": _rows_of_bytes(found["bands"], 8 * bands.bands),
            "sketch": _rows_of_bytes(found["sketches"], s.perms),
            "set": _binary(*map(pa.py_buffer, found["sets"]))})
        row += len(batch)


def _check_rows(s: Settings, batch: pa.RecordBatch) -> None:
    """Every row must have an id and a place in the order; its text may be null if that is wanted."""
    ids = batch.column(s.id)
    for name in s.columns:
        column = batch.column(name)
        if column.null_count:
            row = int(np.flatnonzero(np.asarray(column.is_null()))[0])
            where = "" if name == s.id else f" (id {ids[row].as_py()!r})"
            raise InputError(f"a row{where} has no {name!r}")
    texts = batch.column(s.text)
    if s.nulls == "error" and texts.null_count:
        row = int(np.flatnonzero(np.asarray(texts.is_null()))[0])
        raise InputError(f"id {ids[row].as_py()!r}: the text is null; nulls=\"skip\" leaves such "
                         "rows out")


def _rows_of_bytes(data: Any, width: int) -> pa.Array:
    buffer = pa.py_buffer(data)
    return pa.Array.from_buffers(pa.binary(width), buffer.size // width,
                                 [None, buffer]).cast(pa.binary())


def _binary(offsets: pa.Buffer, data: pa.Buffer) -> pa.Array:
    count = max(offsets.size // 8 - 1, 0)
    if count == 0:
        return pa.array([], pa.binary())
    return pa.Array.from_buffers(pa.large_binary(), count, [None, offsets, data]).cast(pa.binary())


# ---- exact copies

COPIES = pa.schema([("doc", pa.int64()), ("first", pa.int64())])


def copies(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Documents with the hash of an earlier one. Rows come by hash, then in order, and those of a
    hash are not parted."""
    last: tuple[int, int] | None = None
    first = 0
    for batch in batches:
        if len(batch) == 0:
            continue
        high, low, docs = (np.asarray(batch.column(name)) for name in
                           ("hash_high", "hash_low", "doc"))
        begins = np.ones(len(docs), bool)
        begins[1:] = (high[1:] != high[:-1]) | (low[1:] != low[:-1])
        if last == (high[0], low[0]):
            begins[0] = False
        firsts = np.concatenate([[first], docs[begins]])[np.cumsum(begins)]
        first, last = int(firsts[-1]), (high[-1], low[-1])
        yield pa.record_batch([docs[~begins], firsts[~begins]], schema=COPIES)


# ---- buckets

ENTRIES = pa.schema([("part", pa.int32()), ("entries", pa.binary())])
BUCKETS = pa.schema([("bucket", pa.int64()), ("a", pa.int64()), ("b", pa.int64())])


def entries(s: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    """The entries (bucket, document) of documents, packed for the parts of an exchange."""
    docs: list[np.ndarray] = []
    keys: list[np.ndarray] = []
    for batch in batches:
        if len(batch):
            docs.append(np.asarray(batch.column("doc")))
            keys.append(_matrix(batch.column("bands"), np.uint64))
        if sum(map(len, docs)) >= PACKED_TOGETHER:
            yield _pack_entries(s, docs, keys)
            docs, keys = [], []
    if docs:
        yield _pack_entries(s, docs, keys)


def _pack_entries(s: Settings, docs: list[np.ndarray], keys: list[np.ndarray]) -> pa.RecordBatch:
    matrix = np.concatenate(keys)
    bands = matrix.shape[1]
    buckets = (matrix | np.arange(bands, dtype=np.uint64) << np.uint64(KEY_BITS)).ravel()
    members = np.repeat(np.concatenate(docs).astype(np.uint64), bands)
    parts = (buckets * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)) % np.uint64(s.buckets)
    order = np.lexsort((buckets, parts))
    parts, buckets, members = parts[order], buckets[order], members[order]
    ends = np.searchsorted(parts, np.arange(s.buckets), side="right")
    begins = np.concatenate([[0], ends[:-1]])
    filled = np.flatnonzero(ends > begins)
    packed = [_pack(np.diff(buckets[b:e], prepend=buckets[b])) + _pack(members[b:e])
              + buckets[b].tobytes()
              for b, e in zip(begins[filled], ends[filled])]
    return pa.record_batch([filled.astype(np.int32), pa.array(packed, pa.binary())], schema=ENTRIES)


def _pack(values: np.ndarray) -> bytes:
    """Numbers of 64 bits above the least one, in as few bytes each as the largest needs: count,
    width, least, values."""
    least = values.min()
    above = values - least
    width = max(1, (int(above.max()).bit_length() + 7) // 8)
    data = above.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :width]
    head: bytes = np.array([len(values), width, least], "<u8").tobytes()
    return head + bytes(data.tobytes())


def _unpack(data: memoryview) -> tuple[np.ndarray, memoryview]:
    """The numbers, and the bytes behind them."""
    count, width, least = (int(n) for n in np.frombuffer(data[:24], "<u8"))
    end = 24 + count * width
    values = np.zeros((count, 8), np.uint8)
    values[:, :width] = np.frombuffer(data[24:end], np.uint8).reshape(count, width)
    return values.view("<u8").ravel() + np.uint64(least), data[end:]


def buckets(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Of entries by part: the pairs of small buckets, with bucket -1, and the members of large ones,
    as a. A part is not divided."""
    part = None
    waiting: list[memoryview] = []
    for batch in batches:
        for number, packed in zip(batch.column("part").to_pylist(), batch.column("entries")):
            if number != part and waiting:
                yield _buckets_of(waiting)
                waiting = []
            part = number
            waiting.append(memoryview(packed.as_buffer()))
    if waiting:
        yield _buckets_of(waiting)


def _buckets_of(packed: list[memoryview]) -> pa.RecordBatch:
    all_buckets, all_members = [], []
    for data in packed:
        deltas, rest = _unpack(data)
        members, rest = _unpack(rest)
        all_buckets.append(np.cumsum(deltas, dtype=np.uint64) + np.frombuffer(rest, "<u8"))
        all_members.append(members)
    bucket, member = np.concatenate(all_buckets), np.concatenate(all_members).astype(np.int64)
    order = np.lexsort((member, bucket))
    bucket, member = bucket[order], member[order]
    begins = np.flatnonzero(np.concatenate([[True], bucket[1:] != bucket[:-1]]))
    sizes = np.diff(np.append(begins, len(bucket)))
    out = []
    for size in range(2, SMALL_BUCKET + 1):
        at = begins[sizes == size]
        for i in range(size):
            for j in range(i + 1, size):
                out.append((np.full(len(at), -1), member[at + i], member[at + j]))
    large = np.repeat(sizes > SMALL_BUCKET, sizes)
    out.append((bucket[large].astype(np.int64), member[large], np.full(large.sum(), -1)))
    return pa.record_batch([np.concatenate(columns) for columns in zip(*out)], schema=BUCKETS)


# ---- pairs

PAIRS = pa.schema([("a", pa.int64()), ("b", pa.int64())])
EDGES = pa.schema([("a", pa.int64()), ("b", pa.int64()), ("intersection", pa.int64()),
                   ("union", pa.int64())])


def near(s: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    """The pairs (a, b) whose sketches, sketch_a and sketch_b, allow a similarity of the
    threshold."""
    for batch in batches:
        mask = _core.near(s.threshold, s.perms, *(_matrix(batch.column(name), np.uint8)
                                                  for name in ("sketch_a", "sketch_b")))
        yield batch.select(["a", "b"]).filter(pa.array(np.frombuffer(mask, bool)))


def verify(s: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    """The pairs whose sets, set_a and set_b, are similar enough: the edges."""
    for batch in batches:
        if len(batch) == 0:
            continue
        counts = np.frombuffer(_core.verify(s.threshold, s.perms, *_documents(batch, "_a"),
                                            *_documents(batch, "_b")), np.int64).reshape(-1, 2)
        found = counts[:, 1] != -1
        pairs = batch.select(["a", "b"]).filter(pa.array(found))
        yield pa.record_batch([*pairs.columns, counts[found, 0], counts[found, 1]], schema=EDGES)


def _matrix(column: pa.Array, kind: Any) -> np.ndarray:
    """Values of equal length as the rows of an array."""
    offsets, data = _buffers(column)
    width = (int(offsets[-1]) - int(offsets[0])) // max(len(column), 1)
    return data[offsets[0]:offsets[-1]].view(kind).reshape(len(column), -1) if width else np.zeros(
        (len(column), 0), kind)


def _buffers(column: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Offsets of 64 bits, and bytes."""
    column = column.cast(pa.large_binary())
    _, offsets, data = column.buffers()
    places = np.frombuffer(offsets, np.int64)[column.offset:column.offset + len(column) + 1]
    return places, np.frombuffer(data or b"", np.uint8)


def _documents(batch: pa.RecordBatch, suffix: str = "") -> tuple[np.ndarray, ...]:
    return (np.ascontiguousarray(_matrix(batch.column("sketch" + suffix), np.uint8)),
            *map(np.ascontiguousarray, _buffers(batch.column("set" + suffix))))


# ---- large buckets

MEMBERS = pa.schema([("hub", pa.int64()), ("rank", pa.int64()), ("bucket", pa.int64())])
ANSWERS = pa.schema([("hub", pa.int64()), ("rank", pa.int64()), ("listed", pa.bool_()),
                     ("earlier", pa.int64()), ("intersection", pa.int64()), ("union", pa.int64()),
                     ("left_out", pa.int64())])


def hubs(batches: Batches) -> Iterator[pa.RecordBatch]:
    """Of members by bucket, then rank: with the first rank of the bucket, its hub. Large buckets of
    one template mostly have one hub, so their members are brought together once."""
    last, hub = None, 0
    for batch in batches:
        if len(batch) == 0:
            continue
        bucket, rank = (np.asarray(batch.column(name)) for name in ("bucket", "rank"))
        begins = np.ones(len(bucket), bool)
        begins[1:] = bucket[1:] != bucket[:-1]
        begins[0] = bucket[0] != last
        found = np.concatenate([[hub], rank[begins]])[np.cumsum(begins)]
        last, hub = bucket[-1], int(found[-1])
        yield pa.record_batch([found, rank, bucket], schema=MEMBERS)


def search_large(s: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Compares the members of the large buckets of each hub. Rows come by hub, then rank: hub, rank,
    buckets, assumed, sketch, set; those of a hub are not parted. A row for each: the edge to the
    first listed one that it duplicates (earlier -1: none), and whether it is listed itself."""
    hub, finder = None, None
    known: dict[int, int] = {}
    for batch in batches:
        numbers_of = np.asarray(batch.column("hub"))
        edges = np.flatnonzero(np.diff(numbers_of)) + 1
        for begin, end in zip([0, *edges], [*edges, len(batch)]):
            if begin == end:
                continue
            if finder is None or numbers_of[begin] != hub:
                hub, known = numbers_of[begin], {}
                finder = _core.large_buckets(s.threshold, s.perms, s.max_compare)
            yield _answers(finder, known, batch.slice(begin, end - begin))


def _answers(finder: Any, known: dict[int, int], batch: pa.RecordBatch) -> pa.RecordBatch:
    lists = batch.column("buckets")
    offsets = lists.offsets.to_numpy().astype(np.int64)
    local = np.array([known.setdefault(bucket, len(known)) for bucket in
                      lists.values[offsets[0]:offsets[-1]].to_pylist()], np.uint32)
    found = finder.add(np.asarray(batch.column("rank")).astype(np.uint64),
                       np.asarray(batch.column("assumed")).astype(np.uint8),
                       offsets - offsets[0], local, *_documents(batch))
    is_found = numbers(found["found"], bool)
    earlier = numbers(found["earlier"], np.int64)
    return pa.record_batch(
        [batch.column("hub"), batch.column("rank"), pa.array(numbers(found["listed"], bool)),
         np.where(is_found, earlier, -1),
         *(numbers(found[name], np.int64) for name in ("intersection", "union", "left_out"))],
        schema=ANSWERS)


# ---- decisions

DECIDED = pa.schema([("later", pa.int64()), ("earlier", pa.int64()), ("intersection", pa.int64()),
                     ("union", pa.int64())])


def decide(count: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """The edges that remove a document, of all edges by later, then earlier: ranks below count."""
    decider = _core.edge_decider(count)
    for batch in batches:
        pairs = np.stack([np.asarray(batch.column(name)) for name in ("later", "earlier")],
                         axis=1).astype(np.uint64)
        decides = decider.take(np.ascontiguousarray(pairs))
        yield batch.select(DECIDED.names).filter(pa.array(np.frombuffer(decides, bool)))


def set_size(packed: pa.Array) -> np.ndarray:
    """How many shingles packed sets have (doc/internals/formats.md)."""
    sizes = []
    for value in packed:
        size = shift = 0
        for byte in value.as_buffer().to_pybytes()[:5]:
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        sizes.append(size)
    return np.array(sizes, np.int64)
