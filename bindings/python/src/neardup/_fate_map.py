"""A bit for each of many known keys, in 1.3 bits a key: which rows of a table stay, small enough to
be given to every machine.

The bit of a key is the XOR of three bits of an array, at places that hashes of the key choose
(Botelho, Pagh, Ziviani 2007; Graf, Lemire 2020). It is exact for the keys that the map was made of; for
any other key it is any bit. Keys are 64-bit hashes; equal keys must have equal bits.

Many keys are parted by some of their bits, and each part has a map of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa

# Keys of one map.
MAP_SIZE = 1 << 19
# A map of each part; or, in `twice`, a key that two rows of the part have.
MAPS = pa.schema([("part", pa.int64()), ("seed", pa.int64()), ("count", pa.int64()),
                  ("bits", pa.binary()), ("twice", pa.int64())])

_U64 = np.uint64
# Slots a key: with 1.23 and some more, almost every choice of hashes can be solved.
_SLOTS_A_KEY, _MORE_SLOTS = 1.25, 96


def _places(keys: np.ndarray, seed: int, block: int) -> np.ndarray:
    """Three places of each key, one in each third of the array."""
    with np.errstate(over="ignore"):
        x = keys + _U64(seed) * _U64(0x9E3779B97F4A7C15)
        x = (x ^ x >> _U64(30)) * _U64(0xBF58476D1CE4E5B9)
        x = (x ^ x >> _U64(27)) * _U64(0x94D049BB133111EB)
        x ^= x >> _U64(31)
    thirds = np.stack([x & _U64(0x1FFFFF), x >> _U64(21) & _U64(0x1FFFFF), x >> _U64(42)], axis=1)
    return (thirds * _U64(block) >> np.array([21, 21, 22], _U64)).astype(np.int64) + np.arange(
        3) * block


def build(keys: np.ndarray, bits: np.ndarray) -> tuple[int, np.ndarray]:
    """The seed, and the array as bytes of 8 slots. At most 2^20 keys, each once."""
    block = int(len(keys) * _SLOTS_A_KEY + _MORE_SLOTS) // 3 + 1
    for seed in range(1000):
        places = _places(keys, seed, block)
        order = _peel(places, 3 * block)
        if order is not None:
            return seed, np.packbits(_assign(places, bits.astype(np.uint8), order, 3 * block),
                                     bitorder="little")
    raise AssertionError("no choice of hashes can be solved: a key is there twice")


def _peel(places: np.ndarray, slots: int) -> list[tuple[np.ndarray, np.ndarray]] | None:
    """Rounds of keys, each with a slot that no other remaining key has. None: keys are left."""
    keys = np.arange(len(places))
    rounds = []
    while len(keys):
        count = np.bincount(places[keys].ravel(), minlength=slots)
        single = count[places[keys]] == 1
        free = single.any(axis=1)
        if not free.any():
            return None
        found = keys[free]
        rounds.append((found, places[found, single[free].argmax(axis=1)]))
        keys = keys[~free]
    return rounds


def _assign(places: np.ndarray, bits: np.ndarray, rounds: list[tuple[np.ndarray, np.ndarray]],
            slots: int) -> np.ndarray:
    """The last key that was peeled gets its bit first; its slot is in no earlier key's way."""
    array = np.zeros(slots, np.uint8)
    for keys, slot in reversed(rounds):
        array[slot] = bits[keys] ^ np.bitwise_xor.reduce(array[places[keys]], axis=1)
    return array


def look_up(keys: np.ndarray, seed: int, array: np.ndarray, count: int) -> np.ndarray:
    """The bits of keys. count: how many keys the map was made of."""
    block = int(count * _SLOTS_A_KEY + _MORE_SLOTS) // 3 + 1
    places = _places(keys, seed, block)
    bits: np.ndarray = np.bitwise_xor.reduce(array[places >> 3] >> (places & 7).astype(np.uint8)
                                             & np.uint8(1), axis=1).astype(bool)
    return bits


# ---- maps of parts


def part_of(keys: np.ndarray, parts: int) -> np.ndarray:
    """Of keys as numbers with a sign."""
    return (keys >> 20) % parts


def build_maps(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Of rows by part, then key: part, key, bit. All rows of a part are there."""
    rows_of = list(batches)
    if not rows_of:
        return
    table = pa.Table.from_batches(rows_of)
    part, key, bit = (table[name].to_numpy() for name in table.column_names)
    edges = np.flatnonzero(np.diff(part)) + 1
    for begin, end in zip([0, *edges], [*edges, len(part)]):
        if begin == end:
            continue
        keys, bits = key[begin:end], bit[begin:end]
        equal = np.flatnonzero(keys[1:] == keys[:-1])
        if len(equal):
            rows = [part[begin], 0, 0, b"", keys[equal[0]]]
        else:
            seed, packed = build(keys.view(np.uint64), bits)
            rows = [part[begin], seed, end - begin, packed.tobytes(), None]
        yield pa.record_batch([pa.array([value], field.type) for value, field in zip(rows, MAPS)],
                              schema=MAPS)


def look_up_in(maps: Mapping[int, tuple[int, int, np.ndarray]], parts: int, keys: np.ndarray
               ) -> np.ndarray:
    """The bits of keys, as numbers with a sign. maps: seed, count and bits by part."""
    out = np.zeros(len(keys), bool)
    part = part_of(keys, parts)
    for number in np.unique(part):
        if number in maps:
            seed, count, bits = maps[number]
            chosen = part == number
            out[chosen] = look_up(keys[chosen].view(np.uint64), seed, bits, count)
    return out


def hash_ids(ids: pa.Array, seed: int) -> np.ndarray:
    """Keys of ids, as numbers with a sign: BLAKE2b of the id as text."""
    if pa.types.is_dictionary(ids.type):
        ids = ids.dictionary_decode()
    if not (pa.types.is_binary(ids.type) or pa.types.is_large_binary(ids.type)
            or pa.types.is_fixed_size_binary(ids.type)):
        ids = ids.cast(pa.large_string())
    ids = ids.cast(pa.large_binary())
    _, offsets, data = ids.buffers()
    places = np.frombuffer(offsets, np.int64)[ids.offset:ids.offset + len(ids) + 1].tolist()
    text, key = memoryview(data or b""), seed.to_bytes(8, "little")
    return np.frombuffer(b"".join(
        hashlib.blake2b(text[begin:end], digest_size=8, key=key).digest()
        for begin, end in zip(places, places[1:])), np.int64)
