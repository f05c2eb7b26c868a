"""Sketches of many texts, and the plan by which candidates are found."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from . import _core
from ._errors import ArgumentError
from ._options import Analyzer, Measure, contains, given, refuse_perms
from ._progress import Progress, receiver
from ._results import numbers
from ._sources import open_source


class MinHash:
    """MinHash signatures (Broder 1997). Only signatures of one seed, one analyzer and one number of
    values can be compared. The bits are those of the C library, of the command and of an index.

    >>> import neardup as nd
    >>> minhash = nd.MinHash(perms=128)
    >>> a, b = minhash.signatures(["one two three four five six", "one two three four five six"])
    >>> a.dtype, a.shape, minhash.estimate(a, b)
    (dtype('uint32'), (128,), 1.0)
    """

    def __init__(self, perms: int = 128, *, analyzer: Analyzer = "words", ngram: int = 5,
                 seed: int = 1, stem: str | None = None, dictionary: Any = None) -> None:
        self.perms = perms
        self._options = given(perms=perms, analyzer=analyzer, ngram=ngram, seed=seed, stem=stem,
                              dictionary=dictionary)

    def signatures(self, texts: Any, *, text: str = "text",
                   nulls: Literal["error", "skip"] = "error", threads: int = 0,
                   progress: Progress = None) -> np.ndarray:
        """A signature for each text: an array of shape (n, perms) and type uint32. A row that is
        left out (``nulls="skip"``) has zeros."""
        return _sketch(_core.minhash, self._options, texts, text, nulls, threads, progress,
                       np.uint32, self.perms)

    @staticmethod
    def estimate(a: np.ndarray, b: np.ndarray) -> float | np.ndarray:
        """The share of equal values: an unbiased estimate of the Jaccard similarity J, with the
        standard error sqrt(J (1 - J) / perms). Arrays of signatures give an array."""
        if np.shape(a)[-1:] != np.shape(b)[-1:]:
            raise ArgumentError(f"signatures of {np.shape(a)[-1]} and {np.shape(b)[-1]} values")
        share = (np.asarray(a) == np.asarray(b)).mean(axis=-1)
        return float(share) if np.ndim(share) == 0 else share

    def __repr__(self) -> str:
        return f"MinHash({', '.join(f'{name}={value!r}' for name, value in self._options.items())})"


class SimHash:
    """SimHash fingerprints (Charikar 2002) of 16, 32, 64 or 128 bits.

    weights of the features: "tf" (1 for each occurrence), "none" (1), "tfidf:FILE" (a table, as
    :func:`idf` makes it) or "levels" (the text is a list of items word(weight)). Features are
    shingles of ``ngram`` tokens.

    >>> import neardup as nd
    >>> a, b = nd.SimHash().fingerprints(["one two three", "one two four"])
    >>> a.dtype, nd.SimHash().distance(a, b) < 32
    (dtype('uint64'), True)
    """

    def __init__(self, bits: int = 64, *, weights: str = "tf", stop: Any = None,
                 analyzer: Analyzer = "words", ngram: int = 1, seed: int = 1,
                 stem: str | None = None, dictionary: Any = None) -> None:
        self.bits = bits
        self._options = given(bits=bits, weights=weights, stop=stop, analyzer=analyzer, ngram=ngram,
                              seed=seed, stem=stem, dictionary=dictionary)

    def fingerprints(self, texts: Any, *, text: str = "text",
                     nulls: Literal["error", "skip"] = "error", threads: int = 0,
                     progress: Progress = None) -> np.ndarray:
        """A fingerprint for each text: an array of shape (n,) and type uint64; for 128 bits (n, 2),
        the low half first. A row that is left out (``nulls="skip"``) has 0."""
        return _sketch(_core.simhash, self._options, texts, text, nulls, threads, progress,
                       np.uint64, 2 if self.bits == 128 else None)

    def distance(self, a: Any, b: Any) -> int | np.ndarray:
        """The Hamming distance of fingerprints, as :meth:`fingerprints` makes them. Arrays give an
        array."""
        differing = np.bitwise_xor(np.asarray(a, np.uint64), np.asarray(b, np.uint64))
        count = np.unpackbits(differing[..., None].view(np.uint8), axis=-1).sum(-1)
        if self.bits == 128:
            count = count.sum(-1)
        return int(count) if np.ndim(count) == 0 else count

    def __repr__(self) -> str:
        return f"SimHash({', '.join(f'{name}={value!r}' for name, value in self._options.items())})"


def _sketch(function: Any, options: dict[str, Any], data: Any, text: str, nulls: str, threads: int,
            progress: Progress, kind: Any, width: int | None) -> np.ndarray:
    source = open_source([data] if isinstance(data, str) else data, text, None)
    with receiver(progress) as on_progress:
        found = source.call(function, {**options, "nulls": nulls, "threads": threads,
                                       "progress": on_progress})
    rows = numbers(found["sketches"], kind)
    rows = rows if width is None else rows.reshape(-1, width)
    missing = found["row_count"] - len(rows)
    return np.concatenate([rows, np.zeros((missing, *rows.shape[1:]), kind)]) if missing else rows


class Plan:
    """How candidates are found: see :func:`plan`.

    perms, bands, rows      of MinHash signatures; 0 with ``measure="containment"``
    anchors, least_anchors  of a document, and how many of them a text has to have; 0 with
                            ``measure="jaccard"``
    """

    def __init__(self, threshold: float, recall: float, perms: int | None = None,
                 measure: Measure = "jaccard") -> None:
        self.threshold, self.recall, self.measure = threshold, recall, measure
        self.perms = self.bands = self.rows = self.anchors = self.least_anchors = 0
        if contains(measure):
            refuse_perms(perms)
            self.anchors, self.least_anchors = _core.anchor_plan(threshold, recall)
        else:
            self.perms = 128 if perms is None else perms
            self.bands, self.rows = _core.plan(threshold, recall, self.perms)

    def probability(self, similarity: float | np.ndarray) -> Any:
        """The probability that a pair of this similarity is found: 1 - (1 - s^rows)^bands. By
        anchors it is at least P(Bin(anchors, s) >= least_anchors)."""
        if np.ndim(similarity) == 0:
            if self.anchors:
                return _core.anchor_plan_probability(self.anchors, self.least_anchors,
                                                     float(similarity))
            return _core.plan_probability(self.bands, self.rows, float(similarity))
        return np.array([self.probability(s) for s in np.ravel(similarity)]).reshape(
            np.shape(similarity))

    def plot(self, ax: Any = None) -> Any:
        """Draws the S-curve with matplotlib, and returns its axes."""
        try:
            from matplotlib import pyplot
        except ImportError as problem:
            raise ImportError("plot() needs matplotlib: pip install matplotlib") from problem
        if ax is None:
            ax = pyplot.figure().add_subplot()
        s = np.linspace(0, 1, 201)
        ax.plot(s, self.probability(s))
        ax.axvline(self.threshold, linestyle=":")
        ax.set(xlabel="containment" if self.anchors else "Jaccard similarity",
               ylabel="probability that the pair is found", title=self._told(), xlim=(0, 1),
               ylim=(0, 1.01))
        return ax

    def _told(self) -> str:
        if self.anchors:
            return f"{self.least_anchors} of {self.anchors} anchors"
        return f"{self.bands} bands of {self.rows} rows"

    def __repr__(self) -> str:
        return (f"Plan({self._told()}: a pair at {self.threshold:g} is found with probability "
                f"{self.probability(self.threshold):.4f}{' or more' if self.anchors else ''})")


def plan(threshold: float = 0.8, recall: float = 0.999, perms: int | None = None,
         measure: Measure = "jaccard") -> Plan:
    """The most selective way to candidates that finds a pair at the threshold with the wanted
    probability: bands of MinHash signatures of ``perms`` values (default 128), or, with
    ``measure="containment"``, anchors.

    >>> import neardup as nd
    >>> p = nd.plan(threshold=0.8, recall=0.999)
    >>> p.bands, p.rows
    (25, 5)
    >>> p.probability(0.5) < p.probability(0.8)
    True
    >>> nd.plan(threshold=0.7, measure="containment")
    Plan(33 of 64 anchors: a pair at 0.7 is found with probability 0.9994 or more)
    """
    return Plan(threshold, recall, perms, measure)
