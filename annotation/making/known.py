"""Leaves out the rows of a file whose item is in the project already, so that no model is asked about them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from django.utils.translation import gettext

from annotation.making.base import Fault, fault_text
from annotation.models import Item
from projects.models import Project

UIDS_AT_ONCE = 500


class ReadRow(Protocol):
    """A row of a file that an item may be made of."""

    @property
    def line(self) -> int: ...

    @property
    def uid(self) -> str: ...


Read = TypeVar("Read", bound=ReadRow)


@dataclass(frozen=True, slots=True)
class Chosen(Generic[Read]):
    """The rows that a job would ask about, and the lines that it leaves out."""

    rows: Sequence[Read]
    faults: Sequence[Fault]


def without_known(project: Project, rows: Sequence[Read], faults: Sequence[Fault]) -> Chosen[Read]:
    """Return the rows whose item is not in the project yet; the others are faults too."""
    present = {*_present(project, [row.uid for row in rows])}
    known = [Fault("item_exists", row.line, {"uid": row.uid}) for row in rows if row.uid in present]
    left = [row for row in rows if row.uid not in present]
    return Chosen(left, sorted([*faults, *known], key=lambda fault: fault.line))


def left_out_json(faults: Sequence[Fault]) -> list[dict[str, Any]]:
    """Return the lines that are left out as the API and the command print them."""
    return [
        {"line": fault.line, "code": fault.code, "reason": fault_text(fault, gettext)}
        for fault in faults
    ]


def _present(project: Project, uids: Sequence[str]) -> Iterator[str]:
    for first in range(0, len(uids), UIDS_AT_ONCE):
        some = uids[first : first + UIDS_AT_ONCE]
        rows = Item.objects.filter(project=project, uid__in=some)
        yield from rows.values_list("uid", flat=True)
