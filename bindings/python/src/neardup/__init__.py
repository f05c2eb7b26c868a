"""neardup: near-duplicate texts, found, removed and explained.

    import neardup as nd

    r = nd.dedup(table)            # keeps one document of each group of near-duplicates
    r.kept, r.table, r.removed     # mask, kept rows, the evidence for each removed one
    nd.tune(table)                 # what each threshold would remove, with pairs to look at
    nd.pairs(table)                # every pair of near-duplicates
    nd.exact(table)                # keeps one document of each group of identical ones
    nd.lines(table).table          # texts without the lines that repeat; nd.substrings: any stretch
    nd.compare(a, b)               # two texts by every measure, side by side in a notebook

The engine is the C library libneardup, which the command ``neardup`` uses, too: the same documents
and options give the same answers. ``python -m neardup`` is that command.
"""

from ._audit import Audit, Share, audit
from ._compare import Comparison, Passage, compare, containment, cosine, jaccard, tokens
from ._core import Answer, Match, Near, version as __version__
from ._dedup import Dedup, dedup, pairs
from ._differences import Difference
from ._errors import (ArgumentError, BusyError, CancelledError, CorruptError, DataWarning, Error,
                      InputError, OutOfMemoryError, StorageError, UnsupportedError)
from ._exact import exact
from ._extract import idf, keywords, passages
from ._files import Files
from ._hamming import HammingIndex
from ._index import Index
from ._losses import Alarm, LossClass, LossGroup
from ._repeats import Repeats, lines, substrings
from ._results import Similarities, Summary
from ._review import Review, ReviewPair
from ._sketches import MinHash, Plan, SimHash, plan
from ._stream import Stream
from ._tlsh import TlshIndex, TlshMatch, tlsh, tlsh_distance
from ._tune import Tune, tune

__all__ = [
    "Alarm", "Answer", "ArgumentError", "Audit", "BusyError", "CancelledError", "Comparison",
    "CorruptError", "DataWarning", "Dedup", "Difference", "Error", "Files", "HammingIndex",
    "Index", "InputError", "LossClass", "LossGroup", "Match", "MinHash", "Near",
    "OutOfMemoryError", "Passage", "Plan", "Repeats", "Review", "ReviewPair", "Share", "SimHash",
    "Similarities", "StorageError", "Stream", "Summary", "TlshIndex", "TlshMatch", "Tune",
    "UnsupportedError", "__version__", "audit", "compare", "containment", "cosine", "dedup",
    "exact", "idf", "jaccard", "keywords", "lines", "pairs", "passages", "plan", "substrings",
    "tlsh", "tlsh_distance", "tokens", "tune",
]
