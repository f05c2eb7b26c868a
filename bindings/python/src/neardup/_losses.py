"""Where a job lost documents: its largest groups, the classes that lost most, and alarms."""

from __future__ import annotations

from typing import Any, NamedTuple


class LossGroup(NamedTuple):
    """A kept document, and how many were removed for it. A document is named by its id; without ids
    by its row number."""

    kept: str | int
    removed: int
    exact_copies: int
    share: float  # of all removed documents
    example: str | int  # the first removed one


class LossClass(NamedTuple):
    """Documents of a source, a range of lengths, a script, a host of web archives, or those with a
    value of the field that ``losses_by`` names."""

    kind: str  # "source", "length", "script", "host" or "field"
    name: str
    documents: int
    removed: int


class Alarm(NamedTuple):
    """A loss that was warned of. kind "most": more than half of all documents; "group": more than a
    tenth of all removed documents, for one kept document; "class": nearly all of a class, or far
    more than of all others."""

    message: str
    kind: str
    documents: int
    removed: int
    loss_class: LossClass | None
    kept: str | int
    example: str | int


class Losses:
    """What the extension tells of losses."""

    def __init__(self, entries: list[tuple[Any, ...]], with_ids: bool) -> None:
        self.groups: list[LossGroup] = []
        self.classes: list[LossClass] = []
        self.alarms: list[Alarm] = []
        for (sort, kind, class_kind, documents, removed, copies, name, message, kept_id, kept_row,
             example_id, example_row) in entries:
            kept, example = (id if row is None or with_ids else row for id, row in
                             ((kept_id, kept_row), (example_id, example_row)))
            of_class = LossClass(class_kind, name, documents, removed)
            if sort == "group":
                self.groups.append(LossGroup(kept, removed, copies, removed / documents, example))
            elif sort == "alarm":
                self.alarms.append(Alarm(message, kind, documents, removed,
                                         of_class if kind == "class" else None, kept, example))
            elif name:  # what is in memory has no source
                self.classes.append(of_class)
