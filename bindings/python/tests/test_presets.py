"""Presets: the guide's table, and arguments that win."""

import pathlib
import re

import pytest

import neardup as nd
from neardup import _core

PAGE = pathlib.Path(__file__).resolve().parents[3] / "doc/guide/presets.md"
NAMES = ["web", "news", "noisy", "short", "code"]


def test_table():
    rows = re.findall(r"^\| `(\w+)` \| `(--analyzer [^`]*)` \|", PAGE.read_text(), re.M)
    assert [name for name, _ in rows] == NAMES
    for name, flags in rows:
        words = flags.split()
        shown = dict(zip((word[2:] for word in words[::2]), words[1::2]))
        assert shown == {key: f"{value:g}" if isinstance(value, float) else str(value)
                         for key, value in _core.preset(name).items()}


def test_values():
    texts = ["the city council approves the new budget", "The City Council aproves the new budget"]
    assert nd.dedup(texts).kept.tolist() == [True, True]
    assert nd.dedup(texts, preset="web").kept.tolist() == [True, True]
    assert nd.dedup(texts, preset="short").kept.tolist() == [True, False]
    assert nd.dedup(texts, preset="short", threshold=0.99).kept.tolist() == [True, True]
    assert nd.pairs(texts, preset="short").num_rows == 1
    assert nd.audit(texts, preset="short").removed == 1
    with pytest.raises(nd.ArgumentError, match="preset must be web, news, noisy, short or code"):
        nd.dedup(texts, preset="none")
