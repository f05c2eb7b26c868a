"""The job that finds identical documents."""

from __future__ import annotations

import os
from typing import Any, Literal

from . import _core
from ._dedup import (IDENTITY, Dedup, check_ids, check_outputs, index_option, keep_column,
                     parse_keep)
from ._index import Index
from ._labels import Labels
from ._options import Analyzer, given
from ._progress import Progress, receiver
from ._protection import Protection
from ._sources import open_source


def exact(data: Any, *, by: Literal["bytes", "text", "tokens"] = "bytes", text: str = "text",
          id: str | None = "id", keep: str = "first", protect: Any = None,
          max_removed: float | None = None, analyzer: Analyzer = "words", seed: int = 1,
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
    """Keeps one document of each group of identical ones: faster than :func:`dedup`, which finds
    these and near-duplicates.

    The result is that of :func:`dedup`. ``similarity`` is 1 in all rows, and ``removed`` has the ids
    and rows alone.

    >>> import neardup as nd
    >>> texts = ["It rains.", "It  rains.", "it rains", "It rains."]
    >>> nd.exact(texts).kept.tolist()
    [True, True, True, False]
    >>> nd.exact(texts, by="text").kept.tolist()
    [True, False, True, False]
    >>> nd.exact(texts, by="tokens").removed.to_pylist()
    [{'row': 1, 'kept_row': 0}, {'row': 2, 'kept_row': 0}, {'row': 3, 'kept_row': 0}]

    by          "bytes": texts of the same bytes of UTF-8; "text": of the same characters in form C
                (NFC), where a run of white space is one space, and none at both ends; "tokens": of
                the same tokens, so that case and punctuation do not count
    analyzer    what a token is, with ``seed`` and ``dictionary``; only with ``by="tokens"``
    index       the path of an index of hashes, or an :class:`Index` that was opened there:
                documents of earlier calls precede all others, and the kept documents are added. It
                is made if nothing is at the path. Each call has the same ``by``, and with
                ``by="tokens"`` the same ``analyzer`` and ``seed``. An index of :func:`dedup` has no
                hashes, and is refused.

    All other arguments are those of :func:`dedup`, and so are the exceptions. Texts are compared by
    hashes of 128 bits, which have no secret: who knows them can make texts that collide.
    """
    how, column = parse_keep(keep)
    protection, labels = Protection(protect), Labels(losses_by)
    source = open_source(data, text, id, [*column, *protection.columns, *labels.columns])
    check_outputs(source, output, removed_records, max_removed)
    options = given(by=by, keep=how, max_removed=max_removed, analyzer=analyzer, seed=seed,
                    dictionary=dictionary, replace=replace, resume=resume, nulls=nulls,
                    invalid=invalid, on_error=on_error, follow=follow, max_record=max_record,
                    output=output, removed_records=removed_records, mark=mark,
                    shard_size=shard_size, output_format=output_format, memory=memory, work=work,
                    threads=threads)
    options.update({**keep_column(source, column), **protection.guard(source),
                    **labels.give(source),
                    **index_option(source, index, content="hashes", by=by, analyzer=analyzer,
                                   seed=seed)})
    options["with_ids"] = source.ids is None and source.id is not None
    with receiver(progress) as options["progress"]:
        found = source.call(_core.exact, options)
    protection.warn(source)
    result = Dedup(source, found, IDENTITY, 0,
                   {"analyzer": analyzer, "seed": seed, "dictionary": dictionary},
                   given(invalid=invalid, on_error=on_error, follow=follow, max_record=max_record,
                         memory=memory, threads=threads))
    check_ids(source, result.summary)
    return result
