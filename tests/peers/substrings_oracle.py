#!/usr/bin/env python3
"""`neardup substrings` against a suffix array (divsufsort), on random texts over small alphabets, on
periodic texts, and on real ones: each byte that is cut, and the source of each stretch.

    substrings_oracle.py NEARDUP [--seed S] [FILE.jsonl...]

FILEs: real texts in the field `text`; without any, the files of this directory's tree. Exits with 77
if pydivsufsort is not installed."""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from pydivsufsort import divsufsort, kasai
except ImportError:
    print("SKIPPED: no pydivsufsort: scripts/python-env quick installs it", file=sys.stderr)
    sys.exit(77)

SEPARATOR = 255


class Truth:
    """All windows of `least` bytes of the texts, one behind the other with a separator each."""

    def __init__(self, texts, least):
        self.bytes = np.frombuffer(b"".join(text + bytes([SEPARATOR]) for text in texts), dtype=np.uint8).copy()
        self.begins = np.cumsum([0] + [len(text) + 1 for text in texts])
        self.least = least
        size = len(self.bytes)
        suffixes = divsufsort(self.bytes).astype(np.int64)
        common = kasai(self.bytes, suffixes)
        ends = np.flatnonzero(self.bytes == SEPARATOR)
        self.text_of = np.searchsorted(ends, np.arange(size))
        is_window = ends[self.text_of] - np.arange(size) >= least
        equal = np.zeros(size, bool)
        equal[1:] = common[:size - 1] >= least
        group = np.cumsum(~equal) - 1 if size else np.zeros(0, np.int64)
        first = np.full(int(group[-1]) + 1 if size else 0, size, np.int64)
        windows = is_window[suffixes]
        np.minimum.at(first, group[windows], suffixes[windows])
        self.first = np.full(size, -1, np.int64)  # of windows: the first equal one
        self.first[suffixes[windows]] = first[group[windows]]

    def cut(self):
        """The bytes that are cut: those of windows that are not the first, but no window's own first."""
        windows = np.flatnonzero((self.first >= 0) & (self.first != np.arange(len(self.first))))
        sources = self.first[windows]
        same = self.text_of[windows] == self.text_of[sources]
        begins = np.where(same, np.maximum(windows, sources + self.least), windows)
        change = np.zeros(len(self.first) + 1, np.int64)
        np.add.at(change, begins, 1)
        np.add.at(change, windows + self.least, -1)
        return np.cumsum(change)[:-1] > 0


def stretches_of(neardup, texts, least, folder, flags):
    path = pathlib.Path(folder, "texts.jsonl")
    with path.open("w") as out:
        for text in texts:
            print(json.dumps({"text": text.decode()}), file=out)
    ran = subprocess.run([neardup, "substrings", path, "--list", "--min", str(least), "-q", *flags], check=True, capture_output=True, text=True)
    for line in ran.stdout.splitlines()[1:]:
        fields = line.split("\t")
        yield int(fields[6]) - 1, int(fields[1]), int(fields[2]), int(fields[8]) - 1, int(fields[4])


def check(neardup, name, texts, least, folder, flags):
    """Returns the number of bytes that differ."""
    truth = Truth(texts, least)
    expected = truth.cut()
    whole = (truth.bytes & 0xC0) != 0x80  # where characters begin
    found = np.zeros(len(expected), bool)
    wrong = 0
    for text, begin, end, source, source_begin in stretches_of(neardup, texts, least, folder, flags):
        begin, end, source_begin = truth.begins[text] + begin, truth.begins[text] + end, truth.begins[source] + source_begin
        found[begin:end] = True
        wrong += int((truth.bytes[begin:end] != truth.bytes[source_begin:source_begin + end - begin]).sum())
    # A character of several bytes stays if any of them does.
    number = np.cumsum(whole)
    stays = np.zeros(int(number[-1]) + 1, bool)
    stays[number[~expected]] = True
    expected &= ~stays[number]
    differ = int((expected != found).sum())
    print(f"{name}: {len(texts):,} texts, {len(expected):,} bytes, windows of {least}: cut {int(expected.sum()):,}, differ {differ}, not as their source {wrong}", flush=True)
    return differ + wrong


def random_text(chance, letters, most):
    return "".join(chance.choices("abcdefghijklmnopqrstuvwxyz"[:letters], k=chance.randrange(most)))


def made_texts(seed):
    """Names and lists of texts."""
    chance = random.Random(seed)
    for letters in (1, 2, 3, 4, 26):
        yield f"random, {letters} letters", [random_text(chance, letters, 4000).encode() for _ in range(30)]
    for letters in (2, 26):
        texts = []
        for _ in range(60):
            text = random_text(chance, letters, 300)
            for other in chance.sample(texts, min(len(texts), 4)):
                begin = chance.randrange(len(other) + 1)
                text += other[begin:begin + chance.randrange(400)] + random_text(chance, letters, 3)
            texts.append(text)
        yield f"copied pieces, {letters} letters", [text.encode() for text in texts]
    for period in (1, 2, 7, 33, 99):
        word = "".join(chance.choices("abc", k=period))
        yield f"period {period}", [(word * (60000 // period)).encode(), b"x" + (word * 40).encode()]
    yield "one byte a million times", [b"a" * 1_000_000]
    a, b = "a", "ab"
    while len(b) < 200_000:
        a, b = b, b + a
    yield "Fibonacci word", [b.encode()]
    yield "all equal", [b"The same text, as long as it is; again and again and again."] * 500
    yield "characters of several bytes", ["".join(chance.choices("äö中文", k=chance.randrange(500))).encode() for _ in range(60)] * 2
    yield "nothing", [b"", b"short", b""]


def real_texts(files):
    for path in files:
        with open(path) as lines:
            yield pathlib.Path(path).name, [json.loads(line)["text"].encode() for line in lines]
    if not files:
        tree = pathlib.Path(__file__).resolve().parents[2]
        paths = [path for folder in ("src", "include", "doc") for path in sorted((tree / folder).rglob("*.[chm]*")) if path.is_file()]
        yield "this project's files", [path.read_text().encode() for path in paths]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("neardup")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, texts in made_texts(options.seed):
            for least in (16, 33, 100):
                failures += check(options.neardup, name, texts, least, folder, ("--threads", "2"))
        for name, texts in real_texts(options.files):
            for flags in (("--threads", "1"), ("--threads", "2", "--memory", "64M")):
                failures += check(options.neardup, name, texts, 100, folder, flags)
    if failures:
        sys.exit(f"{failures} bytes differ")


if __name__ == "__main__":
    main()
