"""What a run asks of its folder."""

from __future__ import annotations

from ._errors import ArgumentError


def check_empty(folder: str, is_empty: bool) -> None:
    """Of a run that begins: its tables replace what has their names."""
    if not is_empty:
        raise ArgumentError(f"{folder} has files and no run of neardup: a run needs a new or an "
                            "empty folder")
