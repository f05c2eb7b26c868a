"""The jobs that find duplicates: dedup and pairs."""

from __future__ import annotations

import functools
import os
from typing import Any, Iterable, Literal

import numpy as np
import pyarrow as pa

from . import _core
from ._compare import Comparison, analyzer_of, compare
from ._errors import ArgumentError, InputError
from ._index import Index
from ._labels import Labels
from ._losses import Losses
from ._options import (Analyzer, Measure, Preset, Sketch, Verify, given, lists,
                       with_preset)
from ._progress import Progress, receiver
from ._protection import Protection
from ._results import Summary, html_table, numbers, texts
from ._review import (Review, find_documents, nearest, places_of, read_rows, review_of,
                      verdict_of)
from ._sources import Source, open_source

# The measure of documents that are removed because they are identical to a kept one.
IDENTITY = "identity"


class Dedup:
    """The result of :func:`dedup` and :func:`exact`. Arrays are aligned with the rows of the input.

    Rows that ``nulls="skip"``, ``invalid="skip"`` or ``on_error="skip"`` leaves out are compared with
    nothing, so they stay.
    """

    summary: Summary

    def __init__(self, source: Source, found: dict[str, Any], measure: str, bits: int,
                 comparing: dict[str, Any], reading: dict[str, Any]) -> None:
        self.summary = Summary(found["summary"], Losses(found["losses"], source.id is not None))
        self._source, self._found = source, found
        self._comparing = comparing  # the options of compare
        self._reading = reading  # the options by which the documents were read
        self._count: int = found["row_count"]
        self._rows = numbers(found["rows"], np.int64)
        self._kept_rows = numbers(found["kept_rows"], np.int64)
        self._measure, self._bits = measure, bits  # bits 0: a distance is of TLSH digests

    def __len__(self) -> int:
        return self._count

    @functools.cached_property
    def kept(self) -> np.ndarray:
        """Whether the row stays: a boolean array."""
        mask = np.ones(self._count, bool)
        mask[self._rows] = False
        return mask

    @functools.cached_property
    def kept_row(self) -> np.ndarray:
        """The row that stays in this row's place, its own if it stays; -1: a document of the
        index."""
        rows = np.arange(self._count)
        rows[self._rows] = self._kept_rows
        return rows

    @functools.cached_property
    def kept_id(self) -> pa.Array | np.ndarray:
        """The id of the document that stays in this row's place; without ids its row number."""
        ids = self._ids
        if ids is None and not (self._kept_rows < 0).any():
            return self.kept_row
        if ids is None:
            ids = pa.array([str(row) for row in range(self._count)], pa.large_string())
        return self._with_indexed(ids, self.kept_row)

    @functools.cached_property
    def similarity(self) -> np.ndarray:
        """The similarity with the document that stays in this row's place; 1 for rows that stay.

        It is the number that decided: the ``measure``, or the cosine (``verify="cosine"``).
        With ``sketch="simhash", verify="none"`` it is the cosine that the distance estimates,
        cos(pi * distance / bits) (Charikar 2002); with ``sketch="tlsh", verify="none"`` it is
        (300 - distance) / 300.
        """
        values = np.ones(self._count)
        values[self._rows] = self._removed_similarity
        return values

    @functools.cached_property
    def cluster(self) -> np.ndarray:
        """The number of the row's group, from 0, in the order of the groups' first rows. Rows of
        one group have the same document in their place."""
        keys = self.kept_row.copy()
        if (self._kept_rows < 0).any():
            _, group = np.unique(np.array(self._indexed.to_pylist()), return_inverse=True)
            keys[self._rows[self._kept_rows < 0]] = self._count + group
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        order = np.empty(len(first), np.int64)
        order[np.argsort(first)] = np.arange(len(first))
        return order[group]

    @property
    def table(self) -> Any:
        """The rows that stay, as the kind of object that came in."""
        if self._source.select is None:
            raise ArgumentError(f"there is no table of the kept rows: {self._source.why_no_table}")
        return self._source.select(self.kept)

    @functools.cached_property
    def removed(self) -> pa.Table:
        """The evidence: a row for each removed document, in the order of input.

        row, id                of the removed document (id: if the documents have ids)
        kept_row, kept_id      of the document that stays in its place; kept_row null: it is in the
                               index
        jaccard, or containment; intersection, union; or cosine; or distance; of :func:`exact`
        none of these
        """
        columns: dict[str, Any] = {"row": self._rows}
        ids = self._ids
        if ids is not None:
            columns["id"] = ids.take(pa.array(self._rows))
        indexed = self._kept_rows < 0
        columns["kept_row"] = pa.array(self._kept_rows, mask=indexed)
        if ids is not None or indexed.any():
            if ids is None:
                ids = pa.array([str(row) for row in range(self._count)], pa.large_string())
            columns["kept_id"] = self._with_indexed(ids, self._kept_rows)
        return pa.table({**columns, **_measures(self._found, self._measure)})

    def why(self, row: int) -> Comparison:
        """Compares the text of a removed row with the text that stays in its place, as
        :func:`compare` does: in a notebook, both side by side.

        >>> import neardup as nd
        >>> r = nd.dedup(["one two three four five six", "One two three four five six."])
        >>> r.why(1).jaccard
        1.0
        """
        if not 0 <= row < self._count:
            raise ArgumentError(f"row must be 0 to {self._count - 1}, not {row}")
        kept = int(self.kept_row[row])
        if kept == row:
            raise ArgumentError(f"row {row} stays: r.removed has the rows that go")
        if kept < 0:
            raise ArgumentError(f"row {row} duplicates {self.kept_id[row].as_py()!r} of the index, "
                                "which does not keep its texts")
        if self._source.select is None:
            raise ArgumentError(f"the texts are not at hand: {self._source.why_no_table}")
        texts = self._source.texts_of(np.array([row, kept]), self._count)
        return compare(texts[row], texts[kept], **self._comparing)

    def review(self, n: int = 20) -> Review:
        """Pairs that were compared, to look at: those nearest to the threshold, half of them removed
        and half rejected ones, as far as there are so many; then exact copies. They are the sample
        of ``neardup dedup --review``. In a notebook, both texts with their differences in colour.

        >>> import neardup as nd
        >>> r = nd.dedup(["one two three four five six", "One two three four five six seven"],
        ...              ngram=2)
        >>> r.review()
        Review(1 pairs)
        ReviewPair(duplicate, jaccard=0.833, a=0, b=1, 1 differences: '' -> 'seven')
        """
        if n < 0:
            raise ArgumentError(f"n must be 0 or more, not {n}")
        measure, rows = read_rows(self._found["review"])
        chosen = nearest(rows, n)
        found = find_documents(self._source, self._found, self._reading,
                               [place for row in chosen for place in places_of(row)])
        return review_of([verdict_of(row, measure) for row in chosen], found,
                         analyzer_of(self._comparing))

    @functools.cached_property
    def _ids(self) -> Any:
        if self._source.ids is not None:
            return self._source.ids()
        if not self._found["ids"][0]:
            return None
        ids = texts(self._found["ids"])  # of the rows up to the last document
        return pa.concat_arrays([ids, pa.array([""] * (self._count - len(ids)), ids.type)])

    @functools.cached_property
    def _indexed(self) -> pa.Array:
        return texts(self._found["indexed"])

    def _with_indexed(self, ids: Any, rows: np.ndarray) -> Any:
        """The ids of rows; where the row is -1, those of documents of the index, in turn."""
        missing = rows < 0
        if not missing.any():
            taken = ids.take(pa.array(rows))
            return taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken
        known = ids.cast(pa.large_string())
        all_ids = pa.chunked_array([*(known.chunks if isinstance(known, pa.ChunkedArray)
                                      else [known]), self._indexed])
        places = rows.copy()
        places[missing] = len(ids) + np.arange(missing.sum())
        return all_ids.take(pa.array(places)).combine_chunks()

    @property
    def _removed_similarity(self) -> np.ndarray:
        if self._measure == IDENTITY:
            return np.ones(len(self._rows))
        if self._measure == "distance":
            distance = numbers(self._found["distance"], np.uint32)
            return (np.cos(np.pi * distance / self._bits) if self._bits
                    else np.maximum(300.0 - distance, 0) / 300)
        return numbers(self._found[self._measure], np.float64)

    def __repr__(self) -> str:
        s = self.summary
        return (f"Dedup({s.documents:,} documents: {s.kept:,} kept, {s.removed:,} removed"
                + (f", {s.skipped:,} skipped" if s.skipped else "") + ")")

    def _repr_html_(self) -> str:
        more = len(self._rows) - 10
        caption = repr(self) + (f"; the first 10 of {len(self._rows):,} removed" if more > 0 else "")
        rows = self.removed.slice(0, 10).to_pylist()
        if self._source.select is not None:
            shown = [row[name] for row in rows for name in ("row", "kept_row")
                     if row[name] is not None]
            texts = self._source.texts_of(np.array(shown, np.int64), self._count)
            for row in rows:
                row["text"] = _beginning(texts[row["row"]])
                row["kept_text"] = _beginning(texts.get(row["kept_row"], ""))
        return html_table(rows, caption)


def _beginning(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "…"


def _measures(found: dict[str, Any], measure: str) -> dict[str, np.ndarray]:
    if measure == IDENTITY:
        return {}
    if measure == "distance":
        return {"distance": numbers(found["distance"], np.uint32)}
    if measure == "cosine":
        return {"cosine": numbers(found["cosine"], np.float64)}
    return {measure: numbers(found[measure], np.float64),
            "intersection": numbers(found["intersection"], np.uint64),
            "union": numbers(found["union"], np.uint64)}


def _measure(measure: str, sketch: str, verify: str) -> str:
    if sketch not in ("simhash", "tlsh") or verify == "exact":
        return measure
    return "cosine" if verify == "cosine" else "distance"


def check_ids(source: Source, summary: Summary) -> None:
    """Ids of rows in memory must differ: results name documents by them."""
    if summary.duplicate_ids == 0 or source.ids is None:
        return
    seen: dict[Any, int] = {}
    for row, id in enumerate(source.ids().to_pylist()):
        if id in seen:
            raise InputError(f"row {row}: row {seen[id]} has the id {id!r}, too; with id=None, rows "
                             "are known by their numbers")
        if id is not None:
            seen[id] = row


def check_outputs(source: Source, output: Any, removed_records: Any,
                  max_removed: float | None) -> None:
    if source.paths is None and (output is not None or removed_records is not None):
        raise ArgumentError("output is for documents of files: the table of the result has the rows")
    if max_removed is not None and not 0 < max_removed <= 1:
        raise ArgumentError(f"max_removed must be above 0 and at most 1, not {max_removed!r}")


def parse_keep(keep: str) -> tuple[str, list[str]]:
    """The word before the column, and the column if there is one."""
    how, _, column = keep.partition(":")
    if how in ("max", "min") and not column:
        raise ArgumentError(f'keep="{how}" needs a column: keep="{how}:COLUMN"')
    return how, [column] if column else []


def keep_column(source: Source, column: list[str]) -> dict[str, str]:
    """The option for it: a field of files, or the column of numbers."""
    return {"keep_field" if source.paths is not None else "value": column[0]} if column else {}


def default_k(k: int | None, verify: str) -> int:
    return k if k is not None else 3 if verify == "none" else 6


def default_distance(distance: int | None, verify: str) -> int:
    return distance if distance is not None else 30 if verify == "none" else 70


def pair_ids(source: Source, found: dict[str, Any], with_ids: bool) -> dict[str, Any]:
    """The columns id_a and id_b of pairs: row numbers if the documents have no ids."""
    columns: dict[str, Any] = {}
    for side in "ab":
        rows = numbers(found[side], np.int64)
        if with_ids:
            columns[f"id_{side}"] = texts(found[f"ids_{side}"])
        else:
            columns[f"id_{side}"] = rows if source.ids is None else source.ids().take(pa.array(rows))
    return columns


def dedup(data: Any, *, text: str = "text", id: str | None = "id",
          preset: Preset | None = None, threshold: float | None = None,
          measure: Measure = "jaccard", keep: str = "first", protect: Any = None,
          group: Literal["greedy", "component"] = "greedy", max_removed: float | None = None,
          recall: float | None = None, perms: int | None = None, sketch: Sketch = "minhash",
          verify: Verify = "exact", k: int | None = None, bits: int = 64, sentences: int = 3,
          distance: int | None = None, weights: str = "tfidf", stop: Any = None,
          max_compare: int = 1000,
          differ_by: str | Iterable[str] | None = None,
          analyzer: Analyzer | None = None, ngram: int | None = None, seed: int = 1,
          dictionary: Any = None, index: Index | str | os.PathLike[str] | None = None,
          replace: bool = False, resume: bool = False,
          nulls: Literal["error", "skip"] = "error",
          invalid: Literal["fail", "replace", "skip"] = "fail",
          on_error: Literal["fail", "skip"] = "fail", follow: bool = False,
          max_record: int = 64 << 20, output: Any = None, removed_records: Any = None,
          mark: bool = False, shard_size: int = 0,
          output_format: Literal["auto", "json-lines", "json", "csv", "tsv"] = "auto",
          losses_by: Any = None, memory: int = 1 << 30, work: Any = None, threads: int = 0,
          progress: Progress = None) -> Dedup:
    """Keeps one document of each group of near-duplicates.

    Documents are considered in the order of priority. A document is removed exactly if a document
    that was kept before it is its duplicate.

    >>> import neardup as nd
    >>> texts = ["the quick brown fox jumps over the lazy dog",
    ...          "an entirely different sentence about something else",
    ...          "The quick, brown fox jumps over the lazy dog!"]
    >>> r = nd.dedup(texts)
    >>> r.kept.tolist()
    [True, True, False]
    >>> r.table
    ['the quick brown fox jumps over the lazy dog', 'an entirely different sentence about something else']
    >>> r.removed.to_pylist()
    [{'row': 2, 'kept_row': 0, 'jaccard': 1.0, 'intersection': 5, 'union': 5}]

    data       a table (pyarrow, polars, pandas, datasets, DuckDB, any object with
               ``__arrow_c_stream__``), a column, a list or generator of str or of (id, str), or a
               path, or a list of ``pathlib.Path``: JSON Lines or directories, as for the command
    text, id   columns, or fields of JSON Lines. Without a column "id", rows have their numbers.
    preset     sets threshold, recall, perms, analyzer and ngram for a kind of text: "web" (the
               default), "news", "noisy", "short" or "code"; arguments that are given win
    threshold  least similarity of the shingle sets, above 0 and at most 1: 0.8
    measure    the similarity: "jaccard"; "containment": the share of the smaller set that the other
               has, so that a text within a longer one is its duplicate (not with an index)
    keep       which of several duplicates stays: "first", "longest", "max:COLUMN", "min:COLUMN"
    protect    documents that are never removed: "COLUMN=VALUE", several of these, or a boolean for
               each row. They are considered before all others, so that their duplicates go.
    group      "greedy": a document is removed if it duplicates a kept one; "component": one stays
               of all documents that chains of duplicates connect
    max_removed  fail if more than this share of the documents would be removed, above 0 and at
               most 1; then nothing is written, and an index stays as it is
    recall     least probability of finding a pair at the threshold, above 0 and below 1: 0.999
    perms      MinHash functions, 1 to 1024: 128
    sketch     "minhash"; "simhash": candidates are fingerprints within ``k`` of ``bits`` bits;
               "sentences": candidates share one of their ``sentences`` longest sentences; "tlsh":
               candidates are TLSH digests within ``distance`` (texts without a digest: only exact
               copies; the time grows with the square of the documents)
    verify     "exact": by the shingle sets; "cosine" (simhash): by the weighted features; "none":
               by the sketches
    k          most bits that differ, default 6; 3 with ``verify="none"``
    distance   largest distance of TLSH digests, at most 300, default 70; 30 with ``verify="none"``
    weights    of features of simhash: "tf", "tfidf", "tfidf:FILE" or "none"
    stop       a file of words that are no features of simhash
    differ_by  keeps similar texts apart: "numbers": texts with different numbers; "enable,disable":
               texts that have different ones of these words; or a list of both
    analyzer   tokens: "words", "chars" or "segment" (with a ``dictionary``, or ICU's)
    ngram      tokens per shingle, 1 to 64: 5
    seed       key of all hashes
    index      an :class:`Index`, or its path: its documents precede all others, and the kept
               documents are added to it
    replace    a document replaces the document of the index with the same id
    resume     continue the unfinished batch of the index
    nulls      a row without text: "error", or "skip": it is compared with nothing, and stays
    invalid    a text that is not UTF-8, or has lone surrogates: "fail", "replace" or "skip"
    on_error   a bad record of a file: "fail", or "skip": a warning tells it
    follow     in directories, follow symbolic links to files
    max_record most bytes of a document
    output     a file for the kept records of files, byte for byte; a str that ends with "/", or an
               empty directory: a file there for each file of the input
    removed_records  a file for the removed records
    mark       write all records to ``output``, with the members or columns neardup_kept,
               neardup_of and neardup_similarity
    shard_size most bytes of a file in the directory ``output``, before compression; 0: no limit
    output_format  of records; "auto": as the name's ending says, else as in the input;
               "json-lines" is made of all inputs
    losses_by  count losses by the values of this column, too, such as the language of each row; or
               a label for each row. ``summary.losses`` has the values that lost most.
    memory     limit in bytes, at least 64 MiB
    work       directory of temporary files
    threads    0: all cores. The results do not depend on it.
    progress   True: a bar of tqdm; a function of (stage, done, total or None); None: a bar where a
               person watches it

    Raises :class:`InputError` for bad rows, :class:`ArgumentError` for options, and the other
    subclasses of :class:`Error`.
    """
    threshold, recall, perms, analyzer, ngram = with_preset(
        preset, measure, threshold=threshold, recall=recall, perms=perms, analyzer=analyzer,
        ngram=ngram)
    how, column = parse_keep(keep)
    protection, labels = Protection(protect), Labels(losses_by)
    source = open_source(data, text, id, [*column, *protection.columns, *labels.columns])
    check_outputs(source, output, removed_records, max_removed)
    options = given(threshold=threshold, measure=measure, keep=how, group=group,
                    max_removed=max_removed, recall=recall, perms=perms, sketch=sketch,
                    verify=verify, k=default_k(k, verify), bits=bits,
                    sentences=sentences, distance=default_distance(distance, verify),
                    weights=weights, stop=stop, max_compare=max_compare,
                    differ_by=lists(differ_by), analyzer=analyzer, ngram=ngram, seed=seed,
                    dictionary=dictionary, replace=replace, resume=resume, nulls=nulls, invalid=invalid,
                    on_error=on_error, follow=follow, max_record=max_record, output=output,
                    removed_records=removed_records, mark=mark, shard_size=shard_size,
                    output_format=output_format, memory=memory, work=work, threads=threads)
    options.update(keep_column(source, column))
    options.update(index_option(source, index, threshold=threshold, recall=recall, perms=perms,
                                analyzer=analyzer, ngram=ngram, seed=seed))
    options["with_ids"] = source.ids is None and source.id is not None
    options.update({**protection.guard(source), **labels.give(source)})
    with receiver(progress) as options["progress"]:
        found = source.call(_core.dedup, options)
    protection.warn(source)
    result = Dedup(source, found, _measure(measure, sketch, verify),
                   0 if sketch == "tlsh" else bits,
                   {"threshold": threshold, "measure": measure, "recall": recall, "perms": perms,
                    "bits": bits, "analyzer": analyzer, "ngram": ngram, "seed": seed,
                    "dictionary": dictionary},
                   given(invalid=invalid, on_error=on_error, follow=follow, max_record=max_record,
                         memory=memory, threads=threads))
    check_ids(source, result.summary)
    return result


def index_option(source: Source, index: Index | str | os.PathLike[str] | None,
                 **made: Any) -> dict[str, Any]:
    """The option for an index. Where nothing is at its path, one is made with these options."""
    if index is None:
        return {}
    if source.paths is None and source.id is None:
        raise ArgumentError("documents that are added to an index need ids: a column, or (id, text)")
    if isinstance(index, Index):
        return {"index_handle": index._handle}
    if not os.path.exists(index):
        _core.index_create(index, given(**made))
    return {"index_path": os.fspath(index)}


def pairs(data: Any, *, text: str = "text", id: str | None = "id",
          preset: Preset | None = None, threshold: float | None = None,
          measure: Measure = "jaccard", recall: float | None = None, perms: int | None = None,
          sketch: Sketch = "minhash",
          verify: Verify = "exact", k: int | None = None, bits: int = 64, sentences: int = 3,
          distance: int | None = None, weights: str = "tfidf", stop: Any = None,
          max_compare: int = 1000,
          differ_by: str | Iterable[str] | None = None,
          analyzer: Analyzer | None = None, ngram: int | None = None, seed: int = 1,
          dictionary: Any = None, nulls: Literal["error", "skip"] = "error",
          invalid: Literal["fail", "replace", "skip"] = "fail",
          on_error: Literal["fail", "skip"] = "fail", follow: bool = False,
          max_record: int = 64 << 20, memory: int = 1 << 30, work: Any = None, threads: int = 0,
          progress: Progress = None) -> pa.Table:
    """Finds every pair of near-duplicates: a table with a row for each pair.

    The columns are id_a, id_b (row numbers if the documents have no ids), jaccard (or containment),
    intersection and union; or cosine, or distance, where these decide. The arguments are those of
    :func:`dedup`.

    >>> import neardup as nd
    >>> nd.pairs({"x": "one two three", "y": "One, two, three.", "z": "four"}.items()).to_pylist()
    [{'id_a': 'x', 'id_b': 'y', 'jaccard': 1.0, 'intersection': 1, 'union': 1}]
    """
    threshold, recall, perms, analyzer, ngram = with_preset(
        preset, measure, threshold=threshold, recall=recall, perms=perms, analyzer=analyzer,
        ngram=ngram)
    source = open_source(data, text, id)
    options = given(threshold=threshold, measure=measure, recall=recall, perms=perms,
                    sketch=sketch, verify=verify,
                    k=default_k(k, verify), bits=bits, sentences=sentences,
                    distance=default_distance(distance, verify), weights=weights, stop=stop,
                    max_compare=max_compare, differ_by=lists(differ_by), analyzer=analyzer,
                    ngram=ngram, seed=seed, dictionary=dictionary, nulls=nulls,
                    invalid=invalid, on_error=on_error,
                    follow=follow, max_record=max_record, memory=memory, work=work,
                    threads=threads)
    options["with_ids"] = source.ids is None and source.id is not None
    with receiver(progress) as options["progress"]:
        found = source.call(_core.pairs, options)
    check_ids(source, Summary(found["summary"]))
    return pa.table({**pair_ids(source, found, options["with_ids"]),
                     **_measures(found, _measure(measure, sketch, verify))})
