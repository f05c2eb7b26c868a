"""Documents with equal keys of a band: pairs, or members of large buckets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ._arrays import begins_of, matrix
from ._settings import KEY_BITS, PACKED_TOGETHER, SMALL_BUCKET, Batches, Settings

ENTRIES = pa.schema([("part", pa.int32()), ("entries", pa.binary())])
BUCKETS = pa.schema([("bucket", pa.int64()), ("a", pa.int64()), ("b", pa.int64())])


def entries(s: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    """The entries (bucket, document) of documents, packed for the parts of an exchange."""
    docs: list[np.ndarray] = []
    keys: list[np.ndarray] = []
    for batch in batches:
        if len(batch):
            docs.append(np.asarray(batch.column("doc")))
            keys.append(matrix(batch.column("bands"), np.uint64))
        if sum(map(len, docs)) >= PACKED_TOGETHER:
            yield _pack_entries(s, docs, keys)
            docs, keys = [], []
    if docs:
        yield _pack_entries(s, docs, keys)


# The product with one of these is undone by the other: it spreads buckets evenly over 64 bits.
_SPREAD, _GATHER = np.uint64(0x9E3779B97F4A7C15), np.uint64(pow(0x9E3779B97F4A7C15, -1, 1 << 64))


def _pack_entries(s: Settings, docs: list[np.ndarray], keys: list[np.ndarray]) -> pa.RecordBatch:
    """Part n has the n-th share of the range of spread buckets, so one sort is enough."""
    matrix = np.concatenate(keys)
    bands = matrix.shape[1]
    spread = ((matrix | np.arange(bands, dtype=np.uint64) << np.uint64(KEY_BITS)) * _SPREAD).ravel()
    order = np.argsort(spread)
    spread, members = spread[order], np.concatenate(docs).astype(np.uint64)[order // bands]
    bounds = np.array([(part << 64) // s.partitions for part in range(1, s.partitions)], np.uint64)
    edges = [0, *np.searchsorted(spread, bounds).tolist(), len(spread)]
    filled = [part for part in range(s.partitions) if edges[part] < edges[part + 1]]
    packed = []
    for part in filled:
        begin, end = edges[part], edges[part + 1]
        packed.append(_pack(np.diff(spread[begin:end], prepend=spread[begin])) + _pack(
            members[begin:end]) + spread[begin].tobytes())
    return pa.record_batch([np.array(filled, np.int32), pa.array(packed, pa.binary())],
                           schema=ENTRIES)


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


def buckets(s: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Of entries by part: the pairs of small buckets, with bucket -1, and the members of large ones,
    as a. A part is not divided. Two documents of earlier runs are no pair, and a bucket of them alone
    gives nothing."""
    part = None
    waiting: list[memoryview] = []
    for batch in batches:
        for number, packed in zip(batch.column("part").to_pylist(), batch.column("entries")):
            if number != part and waiting:
                yield _buckets_of(s, waiting)
                waiting = []
            part = number
            waiting.append(memoryview(packed.as_buffer()))
    if waiting:
        yield _buckets_of(s, waiting)


def _buckets_of(s: Settings, packed: list[memoryview]) -> pa.RecordBatch:
    all_buckets, all_members = [], []
    for data in packed:
        deltas, rest = _unpack(data)
        members, rest = _unpack(rest)
        all_buckets.append(np.cumsum(deltas, dtype=np.uint64) + np.frombuffer(rest, "<u8"))
        all_members.append(members)
    bucket, member = _shared(np.concatenate(all_buckets), np.concatenate(all_members))
    bucket, member = (bucket * _GATHER).astype(np.int64), member.astype(np.int64)
    begins = np.flatnonzero(begins_of(bucket))
    sizes = np.diff(np.append(begins, len(bucket)))
    out = []
    for size in range(2, SMALL_BUCKET + 1):
        at = begins[sizes == size]
        for i in range(size):
            for j in range(i + 1, size):
                new = member[at + j] >= s.first_doc  # the later member: they ascend
                out.append((np.full(new.sum(), -1), member[at + i][new], member[at + j][new]))
    last = member[begins + sizes - 1]
    large = np.repeat((sizes > SMALL_BUCKET) & (last >= s.first_doc), sizes)
    out.append((bucket[large], member[large], np.full(large.sum(), -1)))
    return pa.record_batch([np.concatenate(columns) for columns in zip(*out)], schema=BUCKETS)


def _shared(bucket: np.ndarray, member: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Entries of buckets with several members, by bucket, then member. Most buckets have one."""
    order = np.argsort(bucket)
    bucket = bucket[order]
    begins = np.append(begins_of(bucket), True)
    several = ~(begins[:-1] & begins[1:])
    bucket, member = bucket[several], member[order[several]]
    order = np.lexsort((member, bucket))
    return bucket[order], member[order]
