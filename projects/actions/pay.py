"""What a manager sets about the pay of members: rows by month, so that nothing past changes."""

import re
from datetime import datetime
from decimal import Decimal

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from common.months import Month
from projects.actions.audit import record
from projects.models import Membership, PayRate
from projects.queries import members_without_rate

HIGHEST = Decimal(1_000_000_000)
_CURRENCY = re.compile(r"[A-Z]{3}")
_CENT = Decimal("0.01")


class RateInvalid(DomainError):
    code = "rate_invalid"
    detail = _("This rate cannot be used.")
    status = 400


@transaction.atomic
def set_pay_rate(
    *,
    membership: Membership,
    hourly: Decimal,
    currency: str,
    month: Month,
    actor: User | None,
    now: datetime,
) -> PayRate:
    """Pay this member so much an hour from `month` on; statements that are closed stay as they are.

    Setting the rate again for the same month replaces it for what is not closed yet. Raises
    RateInvalid.
    """
    faults: dict[str, list[str]] = {}
    if not (hourly.is_finite() and 0 <= hourly < HIGHEST and hourly == hourly.quantize(_CENT)):
        faults["hourly"] = [str(_("Give an amount of 0 or more with at most two decimals."))]
    if not _CURRENCY.fullmatch(currency):
        faults["currency"] = [str(_("Give a currency code of three capital letters, such as EUR."))]
    if faults:
        raise RateInvalid(fields=faults)
    rate = PayRate.objects.create(
        project_id=membership.project_id,
        user_id=membership.user_id,
        from_month=month.start.date(),
        hourly=hourly,
        currency=currency,
        set_by=actor,
        set_at=now,
    )
    data = {
        "person": membership.user_id,
        "hourly": str(hourly),
        "currency": currency,
        "from": str(month),
    }
    record(
        membership.project, actor=actor, verb="pay_rate.set", target=membership, now=now, data=data
    )
    return rate


@transaction.atomic
def set_pay_rate_for_all_without(
    *,
    membership: Membership,
    hourly: Decimal,
    currency: str,
    month: Month,
    actor: User | None,
    now: datetime,
) -> list[PayRate]:
    """Pay this member so, and every reviewer and senior of the project who has no rate in `month`.

    The member's rate comes first. For all or, if the rate cannot be used, for none. Raises
    RateInvalid.
    """
    others = members_without_rate(membership.project, month).exclude(pk=membership.pk)
    return [
        set_pay_rate(
            membership=each,
            hourly=hourly,
            currency=currency,
            month=month,
            actor=actor,
            now=now,
        )
        for each in (membership, *others.order_by("pk"))
    ]
