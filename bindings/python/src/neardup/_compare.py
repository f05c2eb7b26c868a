"""Two texts: similarities, and a comparison that shows why."""

from __future__ import annotations

import difflib
import functools
import html
import os
from typing import Any, Iterator, Literal, NamedTuple

import numpy as np

from . import _core
from ._options import Analyzer, given
from ._results import html_table

_default = _core.Analyzer()


def _analyzer(*, analyzer: Analyzer | None = None, ngram: int | None = None,
              seed: int | None = None, stem: str | None = None, dictionary: Any = None,
              bits: int | None = None, weights: str | None = None,
              stop: Any = None) -> _core.Analyzer:
    if dictionary is None and weights is None and stop is None:
        return _cached(analyzer, ngram, seed, stem, bits)
    # The files may have changed since the last call.
    return _core.Analyzer(**given(analyzer=analyzer, ngram=ngram, seed=seed, stem=stem,
                                  dictionary=dictionary, bits=bits, weights=weights, stop=stop))


@functools.lru_cache(maxsize=64)
def _cached(analyzer: Analyzer | None, ngram: int | None, seed: int | None, stem: str | None,
            bits: int | None) -> _core.Analyzer:
    return _core.Analyzer(**given(analyzer=analyzer, ngram=ngram, seed=seed, stem=stem, bits=bits))


def jaccard(a: str, b: str, **analyzer: Any) -> float:
    """The Jaccard similarity of the shingle sets of two texts, 0 to 1.

    analyzer, ngram, seed, stem, dictionary: as of :func:`dedup`.

    >>> import neardup as nd
    >>> nd.jaccard("one two three", "one two four", ngram=1)
    0.5
    """
    return (_analyzer(**analyzer) if analyzer else _default).jaccard(a, b)


def containment(a: str, b: str, **analyzer: Any) -> float:
    """The share of the smaller shingle set that the other one has, 0 to 1. Options: as of
    :func:`jaccard`.

    >>> import neardup as nd
    >>> nd.containment("one two", "one two three four", ngram=1)
    1.0
    """
    return (_analyzer(**analyzer) if analyzer else _default).containment(a, b)


def cosine(a: str, b: str, **analyzer: Any) -> float:
    """The cosine of the word counts of two texts, 0 to 1. Options: as of :func:`jaccard`, but
    ``ngram`` (default 1) is that of the counted features.

    >>> import neardup as nd
    >>> round(nd.cosine("one two", "one three"), 3)
    0.5
    """
    # No sketches: the smallest are made.
    options = {"perms": 1, "recall": 0.5, "bottom_k": 2}
    if "ngram" in analyzer:
        options["feature_ngram"] = analyzer.pop("ngram")
    found = (_analyzer(**analyzer) if analyzer else _default).compare(a, b, options)
    return float(found["cosine_tf"])


def tokens(text: str, *, spans: bool = False, analyzer: Analyzer = "words",
           stem: str | None = None, dictionary: Any = None) -> list[Any]:
    """The tokens of a text, folded. spans: (token, begin, end) with positions in the str.

    >>> import neardup as nd
    >>> nd.tokens("The QUICK fox; 深圳")
    ['the', 'quick', 'fox', '深', '圳']
    >>> nd.tokens("The fox", spans=True)
    [('the', 0, 3), ('fox', 4, 7)]
    """
    found = _analyzer(analyzer=analyzer, stem=stem, dictionary=dictionary).tokens(text, spans)
    if not spans:
        return found
    position = _positions(text)
    return [(token, position(begin), position(end)) for token, begin, end in found]


def _positions(text: str) -> Any:
    """The function from an offset in UTF-8 to the position in the str."""
    if text.isascii():
        return int
    data = np.frombuffer(text.encode(), np.uint8)
    starts = np.concatenate([[0], np.cumsum((data & 0xC0) != 0x80)])
    # A character that is not complete at the offset counts as not begun.
    return lambda offset: int(starts[offset])


class Passage(NamedTuple):
    """A passage that both texts share: ``a[a_begin:a_end]`` and ``b[b_begin:b_end]``."""

    a_begin: int
    a_end: int
    b_begin: int
    b_end: int
    tokens: int


class Difference(NamedTuple):
    """Where the tokens differ: ``a`` was replaced by ``b``; one of them may be empty."""

    a: str
    b: str


class Comparison:
    """The result of :func:`compare`. Its attributes are the measures that ``neardup compare --json``
    prints, under the same names."""

    intersection: int
    union: int
    jaccard: float
    containment: float
    a_in_b: float
    b_in_a: float
    cosine_tf: float
    cosine_tfidf: float
    minhash_estimate: float
    minhash_standard_error: float
    bottom_k_jaccard: float
    bottom_k_jaccard_standard_error: float
    bits: int
    distance: int
    bands: int
    rows: int
    found: float

    def __init__(self, a: str, b: str, values: dict[str, Any], words: _core.Analyzer) -> None:
        self.text_a, self.text_b = a, b
        self._words = words
        passages = values.pop("passages")
        self.a: dict[str, Any] = values.pop("a")
        self.b: dict[str, Any] = values.pop("b")
        self._measures = values
        self.__dict__.update(values)
        in_a, in_b = _positions(a), _positions(b)
        self.passages = [Passage(in_a(p[0]), in_a(p[1]), in_b(p[2]), in_b(p[3]), p[4])
                         for p in passages]

    @functools.cached_property
    def differences(self) -> list[Difference]:
        """The replaced, removed and added parts, in the order of the texts, token by token."""
        return [Difference(self.text_a[a0:a1], self.text_b[b0:b1])
                for same, (a0, a1), (b0, b1) in self._aligned() if not same]

    def _aligned(self) -> Iterator[tuple[bool, tuple[int, int], tuple[int, int]]]:
        """Spans of both texts that follow each other, whose tokens are the same or differ."""
        sides = []
        for text in (self.text_a, self.text_b):
            position = _positions(text)
            sides.append([(token, position(begin), position(end))
                          for token, begin, end in self._words.tokens(text, True)])
        a, b = sides
        matcher = difflib.SequenceMatcher(None, [t[0] for t in a], [t[0] for t in b], autojunk=False)
        for kind, a0, a1, b0, b1 in matcher.get_opcodes():
            yield kind == "equal", _span(a, a0, a1), _span(b, b0, b1)

    def __repr__(self) -> str:
        return (f"Comparison(jaccard={self.jaccard:.3f}, containment={self.containment:.3f}, "
                f"cosine_tf={self.cosine_tf:.3f}, {len(self.passages)} shared passages, "
                f"distance={self.distance} of {self.bits} bits)")

    def _repr_html_(self) -> str:
        """Both texts side by side: shared tokens plain, differing ones in colour; then all
        measures."""
        left, right = [], []
        a_done = b_done = 0
        for same, (a0, a1), (b0, b1) in self._aligned():
            left.append(html.escape(self.text_a[a_done:a0]) + _marked(self.text_a[a0:a1], same, "a"))
            right.append(html.escape(self.text_b[b_done:b0])
                         + _marked(self.text_b[b0:b1], same, "b"))
            a_done, b_done = max(a_done, a1), max(b_done, b1)
        left.append(html.escape(self.text_a[a_done:]))
        right.append(html.escape(self.text_b[b_done:]))
        cell = "white-space:pre-wrap;vertical-align:top;text-align:left;width:50%"
        measures = html_table([{"measure": name, "value": value}
                               for name, value in self._measures.items()], repr(self))
        return (f'<table style="width:100%"><tr><td style="{cell}">{"".join(left)}</td>'
                f'<td style="{cell}">{"".join(right)}</td></tr></table>{measures}')


def _span(tokens: list[tuple[str, int, int]], begin: int, end: int) -> tuple[int, int]:
    if begin < end:
        return tokens[begin][1], tokens[end - 1][2]
    at = tokens[begin - 1][2] if begin > 0 else 0
    return at, at


def _marked(text: str, same: bool, side: str) -> str:
    colour = {"a": "#f8c9c4", "b": "#bfe6c4"}[side]
    plain = html.escape(text)
    if same or not plain:
        return plain
    return f'<mark style="background:{colour};color:#000">{plain}</mark>'


def compare(a: str, b: str, *, threshold: float = 0.8, recall: float = 0.999, perms: int = 128,
            bottom_k: int = 256, bits: int = 64, weights: str | None = None, stop: Any = None,
            feature_ngram: int | None = None, least_run: int = 8, gap: int = 4,
            analyzer: Analyzer = "words", ngram: int = 5, seed: int = 1, stem: str | None = None,
            dictionary: Any = None) -> Comparison:
    """Compares two texts by every measure, and finds the passages that they share.

    In a notebook the result shows both texts side by side.

    >>> import neardup as nd
    >>> c = nd.compare("the cat sat on the mat and slept", "the cat sat on a mat and slept", ngram=2)
    >>> c
    Comparison(jaccard=0.556, containment=0.714, cosine_tf=0.894, 0 shared passages, distance=7 of 64 bits)
    >>> c.differences
    [Difference(a='the', b='a')]

    threshold, recall, perms  of the plan: ``found`` is the probability that :func:`dedup` compares
                              this pair
    bottom_k                  size of the bottom-k sketches
    bits                      of the fingerprints
    weights                   "tfidf:FILE": weights of the features, for ``cosine_tfidf``
    stop                      a file of words that are no features
    feature_ngram             tokens per feature of the cosines and fingerprints
    least_run, gap            of passages: least tokens of a shared run, most tokens between two
    analyzer, ngram, seed, stem, dictionary   as of :func:`dedup`
    """
    words = _analyzer(analyzer=analyzer, ngram=ngram, seed=seed, stem=stem, dictionary=dictionary,
                      bits=bits, weights=weights, stop=stop)
    options = given(threshold=threshold, recall=recall, perms=perms, bottom_k=bottom_k,
                    feature_ngram=feature_ngram, least_run=least_run, gap=gap)
    return Comparison(a, b, words.compare(a, b, options), words)
