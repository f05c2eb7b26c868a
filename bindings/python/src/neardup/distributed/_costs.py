"""The bytes that each step moves or writes for a document: the plan of a run before it is made."""

from __future__ import annotations

import dataclasses

from .._sketches import plan
from ._settings import Settings

# A packed entry of a bucket.
ENTRY_BYTES = 7
SHINGLE_BYTES = 8


@dataclasses.dataclass(frozen=True)
class Corpus:
    """What the costs depend on beside the settings. The values are assumed: they are those of the web
    text of bench/make_corpus, where every fourth document is a near-duplicate.

    shingles     distinct ones of a document
    id_bytes     of an id
    copies       share of documents that are exact copies
    candidates   pairs of a document that small buckets propose
    likely       pairs of a document whose sketches allow the threshold
    edges        pairs of a document that are duplicates
    """

    shingles: float = 420
    id_bytes: float = 30
    copies: float = 0.06
    candidates: float = 0.74
    likely: float = 0.56
    edges: float = 0.33


@dataclasses.dataclass(frozen=True)
class Cost:
    """Of a step, in bytes a document."""

    step: str
    shuffled: float
    written: float


def costs(s: Settings, corpus: Corpus = Corpus()) -> list[Cost]:
    bands = plan(s.threshold, s.recall, s.perms).bands
    table = 16 + 8 * bands + s.perms + corpus.id_bytes + SHINGLE_BYTES * corpus.shingles
    pair = 16 + 16 + s.perms  # to the sketches of one document, and with its own to the other ones
    sets = pair + SHINGLE_BYTES * corpus.shingles
    order = 8 + corpus.id_bytes
    return [
        Cost("sketches", 0, table),
        Cost("copies", 8 + 24 + corpus.id_bytes, 16 * corpus.copies),
        Cost("buckets", ENTRY_BYTES * bands, 24 * corpus.candidates),
        Cost("edges", corpus.candidates * pair + corpus.likely * sets, 32 * corpus.edges),
        Cost("order", 2 * corpus.edges * order, 2 * corpus.edges * order),
        Cost("decided", corpus.edges * (32 + 48), 32 * corpus.edges),
        Cost("removed", corpus.edges * (48 + 2 * order), corpus.edges * (8 + 2 * order)),
    ]


def describe(s: Settings, input_partitions: int, partitions: int | None, documents: int | None
             ) -> str:
    """A table for people."""
    rows = costs(s)
    total = Cost("all", sum(row.shuffled for row in rows), sum(row.written for row in rows))
    lines = [f"{input_partitions:,} partitions of the input; of exchanges "
             + (f"{partitions:,}" if partitions else "one for each 50,000 documents")
             + (f", {documents:,} documents" if documents is not None else ""),
             "large buckets: another round of the last steps for their members, as long as decisions "
             "change",
             f"{'step':10} {'shuffled':>12} {'written':>12}  bytes a document"]
    for row in [*rows, total]:
        lines.append(f"{row.step:10} {row.shuffled:12,.0f} {row.written:12,.0f}")
    if documents is not None:
        lines.append(f"{'':10} {total.shuffled * documents / 1e9:12,.1f} "
                     f"{total.written * documents / 1e9:12,.1f}  GB")
    return "\n".join(lines)
