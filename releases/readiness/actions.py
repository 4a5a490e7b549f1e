"""Waive a problem in one version, by name and with a reason."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from common.errors import DomainError
from common.reasons import checked_reason
from projects.models import Project
from projects.queries import roles_ever
from releases.models import Release, Waiver
from releases.readiness.matters import Matter
from releases.readiness.report import readiness
from releases.readiness.waivers import WAIVABLE, Waived, WaiverRequest, waived_by


class NotWaivable(DomainError):
    code = "not_waivable"
    detail = _("“%(code)s” cannot be waived. What can be waived now: %(codes)s.")
    status = 400


def matters_to_waive(
    project: Project,
    requests: Sequence[WaiverRequest],
    *,
    black_box_share: float,
    hidden_part: str,
) -> dict[str, Matter]:
    """Return what is there now under each code that `requests` name.

    Raises NotWaivable for a code that nobody may waive, that is named twice or that has nothing
    to waive, and what `checked_reason` raises.
    """
    if not requests:
        return {}
    found = readiness(project, black_box_share=black_box_share, hidden_part=hidden_part)
    there = {matter.code: matter for matter in found.waivable}
    codes = [each.code for each in requests]
    for each in requests:
        checked_reason(each.reason)
        if each.code not in WAIVABLE & there.keys() or codes.count(each.code) > 1:
            raise NotWaivable(code=each.code, codes=", ".join(sorted(there)) or "–")
    return {code: there[code] for code in codes}


def covered_by(matters: Mapping[str, Matter]) -> Waived:
    return waived_by((code, each.items, each.uids) for code, each in matters.items())


def add_waivers(
    *,
    release: Release,
    requests: Sequence[WaiverRequest],
    matters: Mapping[str, Matter],
    actor: User | None,
    now: datetime,
) -> None:
    """Store the waivers of `release`, each with an audit row.

    Call it in the transaction that makes the release.
    """
    role = roles_ever(release.project).get(actor.pk, "") if actor and requests else ""
    for each in requests:
        matter = matters[each.code]
        waiver = Waiver.objects.create(
            release=release,
            code=each.code,
            reason=checked_reason(each.reason),
            problems=list(matter.items),
            uids=list(matter.uids),
            waived_by=actor,
            role=role,
            waived_at=now,
        )
        record_event(
            actor=actor,
            verb="release.waived",
            target=f"release:{release.pk}",
            scope=release.project.slug,
            data={
                "version": release.version,
                "code": waiver.code,
                "reason": waiver.reason,
                "count": matter.count,
            },
            now=now,
        )
