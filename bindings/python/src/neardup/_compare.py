"""Two texts: similarities, and a comparison that shows why."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from . import _core
from ._differences import Difference, Differences, positions
from ._options import Analyzer, Measure, contains, given
from ._results import html_table
from ._sketches import Plan

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


def analyzer_of(options: dict[str, Any]) -> _core.Analyzer:
    """The analyzer of a comparison."""
    return _analyzer(**{name: options.get(name) for name in
                        ("analyzer", "ngram", "seed", "stem", "dictionary")})


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
    position = positions(text)
    return [(token, position(begin), position(end)) for token, begin, end in found]


class Passage(NamedTuple):
    """A passage that both texts share: ``a[a_begin:a_end]`` and ``b[b_begin:b_end]``."""

    a_begin: int
    a_end: int
    b_begin: int
    b_end: int
    tokens: int


class Comparison:
    """The result of :func:`compare`. Its attributes are the measures that ``neardup compare --json``
    prints, under the same names. Of bands and anchors, those that the ``measure`` does not have are
    0."""

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
    bands: int = 0
    rows: int = 0
    anchors: int = 0
    least_anchors: int = 0
    found: float

    def __init__(self, a: str, b: str, values: dict[str, Any], words: _core.Analyzer) -> None:
        self.text_a, self.text_b = a, b
        self._differences = Differences(a, b, words)
        passages = values.pop("passages")
        self.a: dict[str, Any] = values.pop("a")
        self.b: dict[str, Any] = values.pop("b")
        self._measures = values
        self.__dict__.update(values)
        in_a, in_b = positions(a), positions(b)
        self.passages = [Passage(in_a(p[0]), in_a(p[1]), in_b(p[2]), in_b(p[3]), p[4])
                         for p in passages]

    @property
    def differences(self) -> list[Difference]:
        """The replaced, removed and added parts, in the order of the texts, token by token."""
        return self._differences.parts()

    @property
    def same(self) -> float:
        """The share of the tokens of both texts that are the same, in the same order."""
        return self._differences.same

    def __repr__(self) -> str:
        return (f"Comparison(jaccard={self.jaccard:.3f}, containment={self.containment:.3f}, "
                f"cosine_tf={self.cosine_tf:.3f}, {len(self.passages)} shared passages, "
                f"distance={self.distance} of {self.bits} bits)")

    def _repr_html_(self) -> str:
        """Both texts side by side, the differences in colour; then all measures."""
        measures = html_table([{"measure": name, "value": value}
                               for name, value in self._measures.items()], repr(self))
        return self._differences.html() + measures


def compare(a: str, b: str, *, threshold: float = 0.8, measure: Measure = "jaccard",
            recall: float = 0.999, perms: int = 128, bottom_k: int = 256, bits: int = 64,
            weights: str | None = None, stop: Any = None, feature_ngram: int | None = None,
            least_run: int = 8, gap: int = 4, analyzer: Analyzer = "words", ngram: int = 5,
            seed: int = 1, stem: str | None = None, dictionary: Any = None) -> Comparison:
    """Compares two texts by every measure, and finds the passages that they share.

    In a notebook the result shows both texts side by side.

    >>> import neardup as nd
    >>> c = nd.compare("the cat sat on the mat and slept", "the cat sat on a mat and slept", ngram=2)
    >>> c
    Comparison(jaccard=0.556, containment=0.714, cosine_tf=0.894, 0 shared passages, distance=7 of 64 bits)
    >>> c.differences
    [Difference(a='the', b='a')]

    threshold, measure,       of the plan: ``found`` is the probability that :func:`dedup` compares
    recall, perms             this pair; with ``measure="containment"`` the least probability
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
    values = words.compare(a, b, options)
    if contains(measure):
        _take_anchors(values, Plan(threshold, recall, measure=measure))
    return Comparison(a, b, values, words)


def _take_anchors(values: dict[str, Any], plan: Plan) -> None:
    """Replaces what is told of bands. All shingles of a small set are anchors, and no pair of it is
    missed."""
    contained, smaller = values["containment"], min(values[side]["shingles"] for side in "ab")
    values["found"] = (plan.probability(contained) if smaller >= plan.anchors
                       else float(contained >= plan.threshold))
    del values["bands"], values["rows"]
    values.update(anchors=plan.anchors, least_anchors=plan.least_anchors)
