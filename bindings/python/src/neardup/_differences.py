"""The differences of two texts, token by token, and both texts with these marked."""

from __future__ import annotations

import functools
import html
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from . import _core

_COLOURS = ("#f8c9c4", "#bfe6c4")
_CELL = "white-space:pre-wrap;vertical-align:top;text-align:left;width:50%"


class Difference(NamedTuple):
    """Where the tokens differ: ``a`` was replaced by ``b``; one of them may be empty."""

    a: str
    b: str


class Differences:
    """The tokens in which two texts differ, by a shortest edit script (Myers 1986)."""

    def __init__(self, a: str, b: str, words: _core.Analyzer) -> None:
        self.texts = (a, b)
        self._words = words

    @functools.cached_property
    def _found(self) -> tuple[float, list[tuple[int, int, int, int]]]:
        same, spans = self._words.differences(*self.texts)
        in_a, in_b = map(positions, self.texts)
        return same, [(in_a(a0), in_a(a1), in_b(b0), in_b(b1)) for a0, a1, b0, b1 in spans]

    @property
    def same(self) -> float:
        """The share of the tokens of both texts that are the same."""
        return self._found[0]

    @property
    def spans(self) -> list[tuple[int, int, int, int]]:
        """Where each difference begins and ends in the one str and in the other."""
        return self._found[1]

    def parts(self) -> list[Difference]:
        a, b = self.texts
        return [Difference(a[a0:a1], b[b0:b1]) for a0, a1, b0, b1 in self.spans]

    def html(self) -> str:
        """Both texts side by side: shared tokens plain, differing ones in colour."""
        cells = "".join(f'<td style="{_CELL}">{self._marked(side)}</td>' for side in (0, 1))
        return f'<table style="width:100%"><tr>{cells}</tr></table>'

    def _marked(self, side: int) -> str:
        text, parts, done = self.texts[side], [], 0
        for span in self.spans:
            begin, end = span[2 * side:2 * side + 2]
            parts.append(html.escape(text[done:begin]))
            if begin < end:
                parts.append(f'<mark style="background:{_COLOURS[side]};color:#000">'
                             f'{html.escape(text[begin:end])}</mark>')
            done = end
        return "".join(parts) + html.escape(text[done:])


def positions(text: str) -> Callable[[int], int]:
    """The function from an offset in UTF-8 to the position in the str."""
    if text.isascii():
        return int
    data = np.frombuffer(text.encode(), np.uint8)
    starts = np.concatenate([[0], np.cumsum((data & 0xC0) != 0x80)])
    # A character that is not complete at the offset counts as not begun.
    return lambda offset: int(starts[offset])
