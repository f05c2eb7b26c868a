"""What a run asks of its folder: no other files, and the options of the run that began there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._errors import ArgumentError


def check_empty(folder: str, is_empty: bool) -> None:
    """Of a run that begins: its tables replace what has their names."""
    if not is_empty:
        raise ArgumentError(f"{folder} has files and no run of neardup: a run needs a new or an "
                            "empty folder")


def check_same(folder: str, now: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    """The options of a run now, and those of the run in the folder."""
    different = [f"{name} is {value!r}, and in that run it is {before.get(name)!r}"
                 for name, value in now.items() if value != before.get(name)]
    if different:
        raise ArgumentError(f"{folder} has a run with other options: {'; '.join(different)}")
