"""Options that several calls have."""

from __future__ import annotations

import os
from typing import Any, Literal

Analyzer = Literal["words", "chars", "segment"]
Sketch = Literal["minhash", "simhash", "sentences"]
Verify = Literal["exact", "cosine", "none"]
Measure = Literal["jaccard", "containment"]

PATHS = {"stop", "dictionary", "output", "removed_records", "work"}


def given(**options: Any) -> dict[str, Any]:
    """Options for the extension: without those that are None, with paths as str."""
    return {name: os.fspath(value) if name in PATHS else value
            for name, value in options.items() if value is not None}
