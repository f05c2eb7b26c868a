#!/usr/bin/env python3
"""Digests and distances of the library, against py-tlsh (128 buckets, 1 byte of checksum: the only
variant that its build makes) and, in all four variants, against plain_tlsh.py.

    tlsh_oracle.py LIBRARY [--inputs N] [--seed S] [FILE...]

LIBRARY: libneardup.so. FILEs: real inputs, whole and in pieces; without any, those of this
directory's tree. Exits with 77 if py-tlsh is not installed."""
import argparse
import ctypes
import pathlib
import random
import sys

import plain_tlsh

try:
    import tlsh
except ImportError:
    print("SKIPPED: no py-tlsh: scripts/python-env quick installs it", file=sys.stderr)
    sys.exit(77)

VARIANTS = [(128, 1), (128, 3), (256, 1), (256, 3)]


class Digest(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint8 * 72)]


class Library:
    def __init__(self, path):
        self.calls = ctypes.CDLL(path)
        self.calls.nd_tlsh_make.restype = ctypes.c_bool
        self.calls.nd_tlsh_format.restype = ctypes.c_size_t
        self.calls.nd_tlsh_distance.restype = ctypes.c_uint32

    def make(self, variant, data):
        made = Digest()
        found = self.calls.nd_tlsh_make(variant, data, ctypes.c_size_t(len(data)), ctypes.byref(made))
        return made if found else None

    def text(self, made):
        if made is None:
            return "TNULL"
        room = ctypes.create_string_buffer(141)
        assert self.calls.nd_tlsh_format(ctypes.byref(made), room) == len(room.value)
        read = Digest()
        assert self.calls.nd_tlsh_parse(room, ctypes.c_size_t(len(room.value)), ctypes.byref(read), None) == 0
        assert bytes(read) == bytes(made)
        return room.value.decode()

    def distance(self, a, b, with_length):
        return self.calls.nd_tlsh_distance(ctypes.byref(a), ctypes.byref(b), ctypes.c_bool(with_length))


def random_inputs(count, rng):
    """Lengths around the least; alphabets so small that many inputs have no digest."""
    for i in range(count):
        length = rng.choice((49, 50, 51, 64, 255, 256, 257, 656, 657)) if i % 2 else rng.randint(40, 2500)
        letters = rng.choice((1, 2, 3, 5, 10, 26, 100, 256))
        yield bytes(rng.randrange(letters) for _ in range(length))


def edited_inputs(count, rng, base):
    """Near-duplicates, so that small distances are tried, too."""
    for _ in range(count):
        changed = bytearray(base)
        for _ in range(rng.randrange(40)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        yield bytes(changed[rng.randrange(20):])


def real_inputs(files, rng):
    for file in files:
        data = pathlib.Path(file).read_bytes()
        yield data
        for _ in range(4):
            begin = rng.randrange(len(data) + 1)
            yield data[begin:begin + rng.choice((50, 200, 1000, 5000))]


def large_inputs(rng):
    """Each class of lengths up to 3 MB: its longest input, and one that is a byte too long."""
    block = rng.randbytes(3_400_000)
    longest = [3199]
    while longest[-1] < 3_000_000:
        at = longest[-1]
        low, high = at + 1, at * 2
        wanted = lvalue(block[:low])
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if lvalue(block[:middle]) == wanted else (low, middle - 1)
        longest.append(low)
    return [block[:n + more] for n in longest for more in (0, 1)]


def lvalue(data):
    made = tlsh.Tlsh()
    made.update(data)
    made.final()
    return made.lvalue


def check(where, got, expected):
    if got != expected:
        sys.exit(f"{where}: {got}, expected {expected}")


def main():
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("library")
    flags.add_argument("--inputs", type=int, default=4000)
    flags.add_argument("--seed", type=int, default=1)
    flags.add_argument("files", nargs="*")
    given = flags.parse_args()
    library, rng = Library(given.library), random.Random(given.seed)
    files = given.files or sorted(pathlib.Path(__file__).parent.parent.glob("*/*.*"))
    inputs = [*random_inputs(given.inputs, rng), *real_inputs(files, rng)]
    base = max((x for x in inputs if len(x) < 5000), key=len)
    inputs += edited_inputs(given.inputs // 4, rng, base)
    digests, absent = [], 0
    for i, data in enumerate(inputs):
        made = library.make(0, data)
        check(f"input {i}, {len(data)} bytes", library.text(made), tlsh.hash(data) or "TNULL")
        absent += made is None
        if made is not None:
            digests.append((made, tlsh.hash(data)))
    for i, data in enumerate(large_inputs(rng)):
        check(f"large input {i}, {len(data)} bytes", library.text(library.make(0, data)), tlsh.hash(data))
    pairs = 5 * given.inputs
    for _ in range(pairs):
        (a, a_text), (b, b_text) = rng.choice(digests), rng.choice(digests[-given.inputs // 4:])
        check("distance", library.distance(a, b, True), tlsh.diff(a_text, b_text))
        check("distance", library.distance(a, b, False), tlsh.diffxlen(a_text, b_text))
    plain = 0
    for data in rng.sample(inputs, given.inputs // 4):
        if len(data) > 20_000:
            continue
        other = rng.choice(inputs)[:20_000]
        for variant, (buckets, checksum) in enumerate(VARIANTS):
            made = library.make(variant, data)
            check((variant, len(data)), library.text(made), plain_tlsh.digest(data, buckets, checksum))
            second, expected = library.make(variant, other), plain_tlsh.parts(other, buckets, checksum)
            if made is not None and second is not None:
                x = plain_tlsh.parts(data, buckets, checksum)
                for with_length in (True, False):
                    check("distance", library.distance(made, second, with_length),
                          plain_tlsh.distance(x, expected, with_length))
            plain += 1
    print(f"py-tlsh: {len(inputs)} inputs, {absent} without a digest, {2 * pairs} distances; "
          f"plain: {plain} digests of four variants; all equal")
    assert absent > 100 and absent < len(inputs) / 2


if __name__ == "__main__":
    main()
