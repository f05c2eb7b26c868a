"""Options that several calls have."""

from __future__ import annotations

import os
from typing import Any, Iterable, Literal

from . import _core
from ._errors import ArgumentError

Analyzer = Literal["words", "chars", "segment"]
Sketch = Literal["minhash", "simhash", "sentences", "tlsh"]
Preset = Literal["web", "news", "noisy", "short", "code"]
Verify = Literal["exact", "cosine", "none"]
Measure = Literal["jaccard", "containment"]

PATHS = {"stop", "dictionary", "output", "removed_records", "index", "work"}


def lists(differ_by: str | Iterable[str] | None) -> list[str] | None:
    """The lists of words that keep texts apart: one, or several."""
    if differ_by is None:
        return None
    return [differ_by] if isinstance(differ_by, str) else list(differ_by)


def with_preset(preset: str | None, measure: Measure, **values: Any) -> tuple[Any, ...]:
    """The values; those that are None are of the preset."""
    if contains(measure):
        refuse_perms(values.get("perms"))
        if preset is not None:
            raise ArgumentError(f'preset="{preset}" is not for measure="containment": its values '
                                "are for MinHash and the Jaccard similarity")
    usual = _core.preset("web" if preset is None else preset)
    return tuple(usual[name] if value is None else value for name, value in values.items())


def contains(measure: Measure) -> bool:
    """Whether the measure is the containment."""
    if measure not in ("jaccard", "containment"):
        raise ArgumentError(f'measure must be "jaccard" or "containment", not {measure!r}')
    return measure == "containment"


def refuse_perms(perms: int | None) -> None:
    """Where the measure is the containment: its pairs are found by anchors."""
    if perms is not None:
        raise ArgumentError('perms is not for measure="containment", which makes no signatures')


def given(**options: Any) -> dict[str, Any]:
    """Options for the extension: without those that are None, with paths as str."""
    return {name: os.fspath(value) if name in PATHS else value
            for name, value in options.items() if value is not None}
