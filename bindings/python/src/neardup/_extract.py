"""Data of documents: keywords, document frequencies, shared passages."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from . import _core
from ._errors import ArgumentError
from ._options import Analyzer, given
from ._progress import Progress, receiver
from ._results import numbers, texts as text_array
from ._sources import open_source


def keywords(texts: Any, *, top: int = 20, weights: str = "tfidf", stop: Any = None,
             text: str = "text", analyzer: Literal["words", "segment"] = "words", seed: int = 1,
             stem: str | None = None, dictionary: Any = None,
             nulls: Literal["error", "skip"] = "error", memory: int = 1 << 30, threads: int = 0,
             progress: Progress = None) -> pa.ListArray:
    """The heaviest words of each text: a list of {term, weight} for each row, the heaviest first.
    The weight is the number of occurrences times the rarity (tf-idf: Salton and Buckley 1988). A
    row that is left out (``nulls="skip"``) is null.

    >>> import neardup as nd
    >>> rows = nd.keywords(["a storm, a storm", "a calm sea"], top=1)
    >>> [row[0]["term"] for row in rows.to_pylist()]
    ['storm', 'calm']

    texts    as of :func:`dedup`; one str: a path
    weights  "tfidf": counted over these texts, which are read twice; "tfidf:FILE": a table of
             :func:`idf`; "tf": the occurrences alone
    stop     a file of words that are no keywords
    """
    options = given(top=top, weights=weights, stop=stop, analyzer=analyzer, ngram=1, seed=seed,
                    stem=stem, dictionary=dictionary, nulls=nulls, memory=memory, threads=threads)
    with tempfile.TemporaryDirectory() as folder, receiver(progress) as options["progress"]:
        source = open_source(texts, text, None)
        if weights == "tfidf" and source.paths is None:
            if source.why_no_table:
                raise ArgumentError('weights="tfidf" reads the texts twice: '
                                    + source.why_no_table)
            table = os.path.join(folder, "idf")
            source.call(_core.idf, {**options, "output": table, "weights": "tf"})
            options["weights"] = f"tfidf:{table}"
            source = open_source(texts, text, None)
        found = source.call(_core.keywords, options)
    terms = pa.StructArray.from_arrays([text_array(found["terms"]),
                                        pa.array(numbers(found["weights"], np.float64))],
                                       ["term", "weight"])
    counts = np.zeros(found["row_count"], np.int64)
    counts[numbers(found["rows"], np.int64)] = numbers(found["counts"], np.int64)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    skipped = np.zeros(found["row_count"], bool)
    skipped[numbers(found["skipped"], np.int64)] = True
    return pa.ListArray.from_arrays(pa.array(offsets), terms,
                                    mask=pa.array(skipped) if skipped.any() else None)


def idf(texts: Any, *, output: Any = None, least: int = 1, stop_words: Any = None,
        stop_share: float = 0.1, text: str = "text",
        analyzer: Literal["words", "segment"] = "words", seed: int = 1, stem: str | None = None,
        dictionary: Any = None, nulls: Literal["error", "skip"] = "error", memory: int = 1 << 30,
        threads: int = 0, progress: Progress = None) -> pa.Table:
    """Counts, exactly, how many texts have each word: a table of term, df and
    idf = ln((documents + 1) / (df + 1)), the most frequent words first.

    >>> import neardup as nd
    >>> nd.idf(["a storm", "a calm"]).column("df").to_pylist()
    [2, 1, 1]

    output      also write the table to this file, for ``weights="tfidf:FILE"``
    least       least texts of a word
    stop_words  also write the words that more than stop_share of all texts have to this file
    """
    source = open_source(texts, text, None)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "idf") if output is None else os.fspath(output)
        options = given(output=path, least=least, stop_share=stop_share, analyzer=analyzer,
                        ngram=1, seed=seed, stem=stem, dictionary=dictionary, nulls=nulls,
                        memory=memory, threads=threads)
        if stop_words is not None:
            options["stop_words"] = os.fspath(stop_words)
        with receiver(progress) as options["progress"]:
            source.call(_core.idf, options)
        with open(path, encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file
                    if not line.startswith("#")][1:]
    terms = [row[0] for row in rows]
    return pa.table({"term": terms, "df": pa.array([int(row[1]) for row in rows], pa.int64()),
                     "idf": pa.array([float(row[2]) for row in rows], pa.float64())})


def passages(queries: Any, sources: Any, *, text: str = "text", id: str | None = "id",
             least_run: int = 8, gap: int = 4, analyzer: Analyzer = "words", seed: int = 1,
             dictionary: Any = None, nulls: Literal["error", "skip"] = "error",
             memory: int = 1 << 30, work: Any = None, threads: int = 0,
             progress: Progress = None) -> pa.Table:
    """The passages that queries (papers) share with sources (texts that they may copy): a table
    with a row for each passage: query and source (ids, or row numbers), tokens, text (of the
    query), and where it is in UTF-8 bytes: query_begin, query_end, source_begin, source_end.

    >>> import neardup as nd
    >>> found = nd.passages(["he wrote: to be or not to be, that is the question, again"],
    ...                     ["To be, or not to be: that is the question."])
    >>> found.column("text").to_pylist()
    ['to be or not to be, that is the question']

    sources    documents as of :func:`dedup`, or the path of an :class:`Index`
    least_run  least tokens of a shared run
    gap        most tokens between two runs of one passage, in either text
    """
    source = open_source(queries, text, id)
    options = given(least_run=least_run, gap=gap, analyzer=analyzer, seed=seed,
                    dictionary=dictionary, nulls=nulls, memory=memory, work=work, threads=threads)
    options["with_ids"] = source.ids is None and source.id is not None
    origin = None
    if isinstance(sources, (str, os.PathLike)):
        options["source"] = os.fspath(sources)
    else:
        origin = open_source(sources, text, id)
        if origin.paths is not None:
            raise ArgumentError("sources must be one path, or documents")
        options["sources"] = {**origin.options(), "nulls": nulls}
    with receiver(progress) as options["progress"]:
        try:
            found = source.call(_core.passages, options)
        except Exception:
            if origin is not None:
                origin.raise_failure()
            raise
    rows = numbers(found["query"], np.int64)
    query: Any = rows
    if options["with_ids"]:
        query = text_array(found["query_ids"])
    elif source.ids is not None:
        query = source.ids().take(pa.array(rows))
    place: Any = text_array(found["source_ids"])
    if origin is not None and origin.ids is not None:
        place = origin.ids().take(pa.array(numbers(found["source"], np.int64)))
    elif origin is not None and origin.id is None:
        place = numbers(found["source"], np.int64)
    begin, end = numbers(found["b_begin"], np.int64), numbers(found["b_end"], np.int64)
    return pa.table({"query": query, "source": place,
                     "tokens": numbers(found["tokens"], np.int64),
                     "text": text_array(found["texts"]),
                     "query_begin": numbers(found["a_begin"], np.int64),
                     "query_end": numbers(found["a_end"], np.int64),
                     "source_begin": pa.array(begin, mask=begin < 0),
                     "source_end": pa.array(end, mask=end < 0)})
