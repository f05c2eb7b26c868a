"""Tokens and sketches are those of the C library: both read the same golden files."""

import re
from pathlib import Path

import neardup as nd

GOLDEN = Path(__file__).resolve().parents[3] / "tests" / "golden"


def unescape(text):
    return re.sub(r"\\u([0-9A-F]{4})|\\U([0-9A-F]{8})",
                  lambda m: chr(int(m[1] or m[2], 16)), text)


def rows(name):
    for line in (GOLDEN / name).read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("#"):
            yield line.split("\t")


def test_tokens():
    count = 0
    for analyzer, text, tokens in rows("tokens.txt"):
        expected = [unescape(token) for token in tokens.split("|")] if tokens else []
        assert nd.tokens(unescape(text), analyzer=analyzer) == expected
        count += 1
    assert count > 250


def test_sketches():
    texts, signatures, fingerprints = zip(*rows("sketches.txt"))
    found = nd.MinHash(perms=8).signatures(list(texts))
    assert [" ".join(map(str, row)) for row in found] == list(signatures)
    for bits in (16, 32, 64):
        expected = [int(number, 16) & (1 << bits) - 1 for number in fingerprints]
        assert nd.SimHash(bits).fingerprints(list(texts)).tolist() == expected
    wide = nd.SimHash(128).fingerprints(list(texts))
    assert [f"{int(high):016x}{int(low):016x}" for low, high in wide] == list(fingerprints)
