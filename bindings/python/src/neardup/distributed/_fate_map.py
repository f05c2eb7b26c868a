"""A bit for each of many known keys, in 1.3 bits a key: which rows of a table stay, small enough to
be given to every machine.

The bit of a key is the XOR of three bits of an array, at places that hashes of the key choose
(Botelho, Pagh, Ziviani 2007; Graf, Lemire 2020). It is exact for the keys that the map was made of; for
any other key it is any bit. Keys are 64-bit hashes; equal keys must have equal bits.
"""

from __future__ import annotations

import numpy as np

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
