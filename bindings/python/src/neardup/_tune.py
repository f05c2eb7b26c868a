"""Tuning: what each threshold would remove, on a sample of the caller's documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from . import _core
from ._compare import analyzer_of
from ._dedup import check_ids, pair_ids
from ._errors import ArgumentError
from ._options import Analyzer, Measure, Preset, given, with_preset
from ._progress import Progress, receiver
from ._results import Summary, binaries, html_table, numbers
from ._review import Place, Review, ReviewPair, Verdict, find_documents, review_of
from ._sources import Source, open_source

_BAR = 30


class Tune:
    """The result of :func:`tune`.

    documents, sampled  of the input, and of these the sample
    exact_copies        of the input: every threshold removes them; ``sampled_copies`` of them are
                        in the sample
    steps               a table, the highest threshold first: threshold; removed, removed_low,
                        removed_high (the share of all documents that have a duplicate before them,
                        and the interval that has it with 95 % confidence); documents (so many
                        documents this share is); groups, groups_low, groups_high (the share of the
                        documents that begin a group of duplicates); nearest (documents of the
                        sample whose most similar document before them lies in this step)
    neighbours          a table with a row for each of these documents: id_a (the most similar
                        document before it), id_b (row numbers if the documents have no ids),
                        jaccard (or containment), intersection, union
    beside              the results of other options, by their words: ``"ngram=3"``
    """

    documents: int
    sampled: int
    exact_copies: int
    sampled_copies: int
    steps: pa.Table
    neighbours: pa.Table
    beside: dict[str, Tune]
    summary: Summary

    def __init__(self, source: Source, found: dict[str, Any], measure: Measure,
                 words: dict[str, Any], reading: dict[str, Any]) -> None:
        values = dict(found["numbers"])
        steps = values.pop("steps")
        self.__dict__.update(values)
        self.summary = Summary(found["summary"])
        self.beside = {}
        self._source, self._found, self._measure = source, found, measure
        self._words, self._reading = words, reading  # the options of the analyzer, and of reading
        self._similarity = numbers(found["similarity"], np.float64)
        self._thresholds = np.array([step[0] for step in steps])
        self.steps = pa.Table.from_pylist([self._row(*step) for step in reversed(steps)])
        with_ids = source.ids is None and source.id is not None
        self.neighbours = pa.table({**pair_ids(source, found, with_ids), measure: self._similarity,
                                    "intersection": numbers(found["intersection"], np.uint64),
                                    "union": numbers(found["union"], np.uint64)})

    def _row(self, threshold: float, removed: tuple[float, float, float],
             groups: tuple[float, float, float], nearest: int) -> dict[str, Any]:
        return {"threshold": threshold, **_interval("removed", removed),
                "documents": self._count(removed[0]), **_interval("groups", groups),
                "nearest": nearest}

    def _count(self, share: float) -> int:
        return int(share * self.documents + 0.5)

    def _steps_of(self, similarity: np.ndarray) -> np.ndarray:
        """Numbers of thresholds, ascending; -1: below the lowest one."""
        found: np.ndarray = np.searchsorted(self._thresholds, similarity, side="right") - 1
        return found

    def examples(self, n: int = 1) -> Review:
        """Pairs to look at: of each step the ``n`` least similar ones, the most similar step first.
        ``b`` is a document of the sample, and ``a`` the most similar one before it. The threshold
        belongs above the first step whose pairs should both stay.

        >>> import neardup as nd
        >>> nd.tune(["one two three four five six", "One two three four five six seven"],
        ...         ngram=2).examples()
        Review(1 pairs)
        ReviewPair(duplicate, jaccard=0.833, a=0, b=1, 1 differences: '' -> 'seven')
        """
        if n < 0:
            raise ArgumentError(f"n must be 0 or more, not {n}")
        step = self._steps_of(self._similarity)
        order = np.argsort(self._similarity, kind="stable")
        chosen = [row for number in range(len(self._thresholds))
                  for row in order[step[order] == number][:n].tolist()]
        chosen.sort(key=lambda row: (-self._similarity[row], row))
        nearest = self.steps["nearest"].to_pylist()[::-1]
        verdicts = [Verdict("duplicate", self._measure, float(self._similarity[row]),
                            nearest[step[row]]) for row in chosen]
        return review_of(verdicts, find_documents(self._source, self._found, self._reading,
                                                  self._places(chosen)), analyzer_of(self._words))

    def _places(self, rows: list[int]) -> list[Place]:
        sides = [(binaries(self._found[f"ids_{side}"]), binaries(self._found[f"sources_{side}"]),
                  numbers(self._found[f"lines_{side}"], np.int64)) for side in "ab"]
        return [Place(ids[row].as_py(), sources[row].as_py(), int(lines[row]))
                for row in rows for ids, sources, lines in sides]

    def _shown(self) -> list[dict[str, str]]:
        """The rows of the table of the command, with those of other options beside."""
        steps = self.steps.to_pylist()
        others = {name: other.steps["removed"].to_pylist() for name, other in self.beside.items()}
        most = max(1, *(step["nearest"] for step in steps))
        return [{"threshold": f"{step['threshold']:.2f}", "removed": _percent(step["removed"]),
                 "95 %": f"{100 * step['removed_low']:.1f} to {_percent(step['removed_high'])}",
                 "documents": f"{step['documents']:,}",
                 "groups": f"{self._count(step['groups']):,}", "nearest": f"{step['nearest']:,}",
                 **{name: _percent(removed[i]) for name, removed in others.items()},
                 "": "█" * -(-_BAR * step["nearest"] // most)} for i, step in enumerate(steps)]

    def _told(self) -> str:
        return (f"Tune({self.sampled:,} of {self.documents:,} documents compared with all: "
                f"{self.exact_copies:,} exact copies, which every threshold removes)")

    def __repr__(self) -> str:
        rows = self._shown()
        cells = [list(rows[0]), *(list(row.values()) for row in rows)]
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines = ["  ".join([*map(str.rjust, row[:-1], widths), row[-1]]).rstrip() for row in cells]
        return "\n".join([self._told(), *lines])

    def _repr_html_(self) -> str:
        rows = self._shown()
        if self._source.select is not None:
            pairs = {int(self._steps_of(np.array(pair.value))): pair for pair in self.examples()}
            for number, row in enumerate(reversed(rows)):
                row["least similar pair"] = _example(pairs.get(number))
        return html_table(rows, self._told())


def _interval(name: str, share: tuple[float, float, float]) -> dict[str, float]:
    return dict(zip((name, f"{name}_low", f"{name}_high"), share))


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _example(pair: ReviewPair | None) -> str:
    return f"{pair.a}, {pair.b}{pair._told()}" if pair else ""


def tune(data: Any, *, lowest: float = 0.5, sample: int = 1000, sample_seed: int = 0,
         beside: Iterable[Mapping[str, Any]] = (), measure: Measure = "jaccard",
         text: str = "text", id: str | None = "id", preset: Preset | None = None,
         analyzer: Analyzer | None = None, ngram: int | None = None, seed: int = 1,
         dictionary: Any = None, nulls: Literal["error", "skip"] = "error",
         invalid: Literal["fail", "replace", "skip"] = "fail",
         on_error: Literal["fail", "skip"] = "fail", follow: bool = False,
         max_record: int = 64 << 20, memory: int = 1 << 30, work: Any = None, threads: int = 0,
         progress: Progress = None) -> Tune:
    """Shows what each threshold of :func:`dedup` would remove, before one is chosen: a random
    sample of the documents is compared exactly with all documents. It removes nothing.

    lowest       the lowest threshold of the table; a lower one takes longer
    sample       documents of the sample; four times as many make intervals of half the width
    sample_seed  which sample is drawn
    beside       other words to measure, too, each a run of its own: ``[{"ngram": 3}, {"analyzer":
                 "chars", "ngram": 5}]``; of preset, analyzer, ngram and dictionary
    preset       sets analyzer and ngram

    All other arguments are those of :func:`dedup`.

    >>> import neardup as nd
    >>> nd.tune(["one two three four five six", "One two three four five six.", "something else"],
    ...         lowest=0.9)
    Tune(3 of 3 documents compared with all: 1 exact copies, which every threshold removes)
    threshold  removed            95 %  documents  groups  nearest
         1.00   33.3 %  33.3 to 33.3 %          1       1        0
         0.95   33.3 %  33.3 to 33.3 %          1       1        0
         0.90   33.3 %  33.3 to 33.3 %          1       1        0
    """
    own = {"preset": preset, "analyzer": analyzer, "ngram": ngram, "dictionary": dictionary}
    options = given(measure=measure, lowest=lowest, sample=sample, sample_seed=sample_seed,
                    seed=seed, nulls=nulls, invalid=invalid, on_error=on_error, follow=follow,
                    max_record=max_record, memory=memory, work=work, threads=threads)
    others = [_changed(own, change) for change in beside]
    source = open_source(data, text, id)
    if others and source.select is None and source.paths is None:
        raise ArgumentError(f"beside needs documents that can be read again: {source.why_no_table}")
    result = _run(source, measure, own, options, progress)
    for name, words in others:
        result.beside[name] = _run(open_source(data, text, id), measure, words, options, progress)
    return result


def _changed(own: dict[str, Any], change: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name of other words, and the words."""
    if not change or not change.keys() <= own.keys():
        raise ArgumentError(f"beside takes {', '.join(own)}, not {dict(change)!r}")
    return ",".join(f"{name}={value}" for name, value in change.items()), {**own, **change}


def _run(source: Source, measure: Measure, words: dict[str, Any], options: dict[str, Any],
         progress: Progress) -> Tune:
    analyzer, ngram = with_preset(words["preset"], measure, analyzer=words["analyzer"],
                                  ngram=words["ngram"])
    chosen = given(analyzer=analyzer, ngram=ngram, dictionary=words["dictionary"])
    with receiver(progress) as on_progress:
        found = source.call(_core.tune, {**options, **chosen, "progress": on_progress})
    reading = {name: options[name] for name in
               ("invalid", "on_error", "follow", "max_record", "memory", "threads")}
    result = Tune(source, found, measure, {**chosen, "seed": options["seed"]}, reading)
    check_ids(source, result.summary)
    return result
