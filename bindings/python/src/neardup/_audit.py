"""The audit: how many duplicates a configuration misses, on a sample of the caller's documents."""

from __future__ import annotations

from typing import Any, Iterable, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from . import _core
from ._dedup import check_ids, default_distance, default_k, keep_column, pair_ids, parse_keep
from ._options import Analyzer, Measure, Preset, Sketch, Verify, given, lists, with_preset
from ._progress import Progress, receiver
from ._protection import Protection
from ._results import Summary, html_table, numbers
from ._sources import open_source


class Share(NamedTuple):
    """A share of the sample, and the interval that has that of all documents with 95 % confidence.
    """

    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.share:.3f} % ({100 * self.low:.3f} to {100 * self.high:.3f} %)"


class Audit:
    """The result of :func:`audit`.

    documents, sampled  of the input, and of these the sample
    true_pairs          pairs of a document of the sample and any other one that reach the threshold;
                        ``copies`` of them are exact copies
    found, missed       of the true pairs, by :func:`pairs`
    recall              found / true_pairs
    promised            the recall that the plan promises for these pairs; 0: none
    removed, wrong      documents of the sample that :func:`dedup` removes; of these, those that are
                        less similar to the document that stays than the threshold
    precision           1 - wrong / removed
    kept, left          documents of the sample that it keeps; of these, those with a duplicate that
                        it keeps, too
    clean               1 - left / kept
    bounded_comparisons at most so many comparisons ``max_compare`` has left out
    missed_pairs        a table: id_a, id_b (row numbers if the documents have no ids), jaccard (or
                        containment), intersection, union, pairs (so many pairs of copies it stands
                        for), remains (dedup keeps both)
    """

    documents: int
    sampled: int
    true_pairs: int
    copies: int
    found: int
    missed: int
    bounded_comparisons: int
    recall: Share
    promised: float
    removed: int
    wrong: int
    precision: Share
    kept: int
    left: int
    clean: Share
    missed_pairs: pa.Table
    summary: Summary

    def __init__(self, values: dict[str, Any], missed_pairs: pa.Table, summary: Summary) -> None:
        self._values = {name: Share(*value) if isinstance(value, tuple) else value
                        for name, value in values.items()}
        self.__dict__.update(self._values)
        self.missed_pairs, self.summary = missed_pairs, summary

    def __repr__(self) -> str:
        return (f"Audit({self.sampled:,} of {self.documents:,} documents: recall {self.recall}, "
                f"precision {self.precision}, clean {self.clean}, {self.missed:,} pairs missed)")

    def _repr_html_(self) -> str:
        shown = [{"measure": name, "value": str(value)} for name, value in self._values.items()]
        missed = self.missed_pairs
        caption = f"the first {min(10, len(missed))} of {len(missed):,} missed pairs"
        return html_table(shown, repr(self)) + html_table(missed.slice(0, 10).to_pylist(), caption)


def audit(data: Any, *, sample: int = 1000, sample_seed: int = 0, text: str = "text",
          id: str | None = "id", preset: Preset | None = None,
          threshold: float | None = None, measure: Measure = "jaccard", keep: str = "first",
          protect: Any = None,
          group: Literal["greedy", "component"] = "greedy", recall: float | None = None,
          perms: int | None = None, sketch: Sketch = "minhash", verify: Verify = "exact",
          k: int | None = None, bits: int = 64, sentences: int = 3,
          distance: int | None = None, weights: str = "tfidf", stop: Any = None,
          max_compare: int = 1000,
          differ_by: str | Iterable[str] | None = None, analyzer: Analyzer | None = None,
          ngram: int | None = None, seed: int = 1, dictionary: Any = None,
          nulls: Literal["error", "skip"] = "error",
          invalid: Literal["fail", "replace", "skip"] = "fail",
          on_error: Literal["fail", "skip"] = "fail", follow: bool = False,
          max_record: int = 64 << 20, memory: int = 1 << 30, work: Any = None, threads: int = 0,
          progress: Progress = None) -> Audit:
    """Measures how many duplicates a configuration of :func:`dedup` and :func:`pairs` misses, and
    how many documents it removes wrongly: a random sample of the documents is compared exactly with
    all documents. It removes nothing.

    sample       documents of the sample; four times as many make intervals of half the width
    sample_seed  which sample is drawn

    All other arguments are those of :func:`dedup`.

    >>> import neardup as nd
    >>> a = nd.audit(["one two three four five six", "One two three four five six.", "something else"])
    >>> a.recall
    Share(share=1.0, low=1.0, high=1.0)
    >>> a.removed, a.wrong, a.missed_pairs.num_rows
    (1, 0, 0)
    """
    threshold, recall, perms, analyzer, ngram = with_preset(
        preset, measure, threshold=threshold, recall=recall, perms=perms, analyzer=analyzer,
        ngram=ngram)
    protection = Protection(protect)
    how, column = parse_keep(keep)
    source = open_source(data, text, id, [*column, *protection.columns])
    options = given(sample=sample, sample_seed=sample_seed, threshold=threshold, measure=measure,
                    keep=how, group=group, recall=recall, perms=perms, sketch=sketch, verify=verify,
                    k=default_k(k, verify), bits=bits, sentences=sentences,
                    distance=default_distance(distance, verify), weights=weights, stop=stop,
                    max_compare=max_compare, differ_by=lists(differ_by),
                    analyzer=analyzer, ngram=ngram, seed=seed, dictionary=dictionary,
                    nulls=nulls, invalid=invalid, on_error=on_error, follow=follow,
                    max_record=max_record, memory=memory, work=work,
                    threads=threads, **keep_column(source, column), **protection.guard(source))
    options["with_ids"] = source.ids is None and source.id is not None
    with receiver(progress) as options["progress"]:
        found = source.call(_core.audit, options)
    protection.warn(source)
    summary = Summary(found["summary"])
    check_ids(source, summary)
    missed = {**pair_ids(source, found, options["with_ids"]),
              measure: numbers(found[measure], np.float64),
              "intersection": numbers(found["intersection"], np.uint64),
              "union": numbers(found["union"], np.uint64),
              "pairs": numbers(found["pairs"], np.uint64),
              "remains": pa.array(numbers(found["remains"], np.uint8).astype(bool))}
    return Audit(found["numbers"], pa.table(missed), summary)
