"""Two bits for each of many known keys, in 2.5 bits a key: which rows of a table stay, small enough to
be given to every machine.

The bits of a key are the XOR of three slots of an array, at places that hashes of the key choose
(Botelho, Pagh, Ziviani 2007; Graf, Lemire 2020). One bit is the value. It is exact for the keys that
the map was made of. The other one is a bit of the key: of keys that were not there, half are found out.
Keys are 64-bit hashes; equal keys must have equal values.

Many keys are parted by some of their bits, and each part has a map of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pyarrow as pa
from numpy import uint64 as _U64

# Keys of one map.
MAP_SIZE = 1 << 19
# A map of each part; or, in `twice`, a key that two rows of the part have.
MAPS = pa.schema([("part", pa.int64()), ("seed", pa.int64()), ("count", pa.int64()),
                  ("slots", pa.binary()), ("twice", pa.int64())])

# Slots a key: with 1.23 and some more, almost every choice of hashes can be solved.
_SLOTS_A_KEY, _MORE_SLOTS = 1.25, 96
_SHIFTS = np.array([0, 2, 4, 6], np.uint8)


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


def _checks(keys: np.ndarray) -> np.ndarray:
    """A bit of each key, which is no bit of its places."""
    with np.errstate(over="ignore"):
        return (keys * _U64(0xD6E8FEB86659FD93) >> _U64(63)).astype(np.uint8)


def build(keys: np.ndarray, values: np.ndarray) -> tuple[int, np.ndarray]:
    """The seed, and the array as bytes of 4 slots. At most 2^20 keys, each once."""
    block = int(len(keys) * _SLOTS_A_KEY + _MORE_SLOTS) // 3 + 1
    for seed in range(1000):
        places = _places(keys, seed, block)
        order = _peel(places, 3 * block)
        if order is not None:
            bits = values.astype(np.uint8) | _checks(keys) << 1
            slots = np.zeros((3 * block + 3) // 4 * 4, np.uint8)
            slots[:3 * block] = _assign(places, bits, order, 3 * block)
            return seed, np.bitwise_or.reduce(slots.reshape(-1, 4) << _SHIFTS, axis=1)
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
    """The values of keys: 0 or 1; 2 where the key was found out. count: how many keys the map was made
    of."""
    block = int(count * _SLOTS_A_KEY + _MORE_SLOTS) // 3 + 1
    places = _places(keys, seed, block)
    bits = np.bitwise_xor.reduce(array[places >> 2] >> _SHIFTS[places & 3], axis=1)
    values: np.ndarray = np.where(bits >> 1 & 1 == _checks(keys), bits & 1, 2)
    return values


# ---- maps of parts


def part_of(keys: np.ndarray, parts: int) -> np.ndarray:
    """Of keys as numbers with a sign."""
    return (keys >> 20) % parts


def build_maps(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Of rows by part, then key: part, key, value. All rows of a part are there."""
    rows_of = list(batches)
    if not rows_of:
        return
    table = pa.Table.from_batches(rows_of)
    part, key, value = (table[name].to_numpy() for name in table.column_names)
    edges = np.flatnonzero(np.diff(part)) + 1
    for begin, end in zip([0, *edges], [*edges, len(part)]):
        if begin == end:
            continue
        keys, values = key[begin:end], value[begin:end]
        equal = np.flatnonzero(keys[1:] == keys[:-1])
        if len(equal):
            rows = [part[begin], 0, 0, b"", keys[equal[0]]]
        else:
            seed, slots = build(keys.view(np.uint64), values)
            rows = [part[begin], seed, end - begin, slots.tobytes(), None]
        yield pa.record_batch([pa.array([each], field.type) for each, field in zip(rows, MAPS)],
                              schema=MAPS)


def look_up_in(maps: Mapping[int, tuple[int, int, np.ndarray]], parts: int, keys: np.ndarray
               ) -> np.ndarray:
    """The values of keys, as numbers with a sign. maps: seed, count and slots by part."""
    out = np.full(len(keys), 2, np.uint8)
    part = part_of(keys, parts)
    for number in np.unique(part):
        if number in maps:
            seed, count, slots = maps[number]
            chosen = part == number
            out[chosen] = look_up(keys[chosen].view(np.uint64), seed, slots, count)
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
