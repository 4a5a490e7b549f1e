"""What a release tells of the people who judged: how many, what they know, what they are paid."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.db.models import Exists, OuterRef

from accounts.models import User
from projects.models import Membership, PayRate, Project
from review.models import Judgement

FEWEST_PAID = 3
"""Of fewer people no rate is told: it would be known whose it is."""
FEWEST_NAMED = 3
"""If fewer people judged a release, it names nobody: readers could tell who is who in its ledger."""


def people_figures(project: Project) -> dict[str, Any]:
    """Of everybody who judged in the project, as plain JSON.

    {reviewers, with_subjects, languages: {code: reviewers}, paid, pay: [{currency, reviewers,
    lowest, highest}]}: rates for an hour, the latest of each person, where they are recorded.
    """
    # One judgement of each person is enough; all of the project's would have to be read for the names.
    judged = Judgement.objects.filter(reviewer=OuterRef("pk"), panel__round__project=project)
    judges = set(User.objects.filter(Exists(judged)).values_list("pk", flat=True))
    members = Membership.objects.filter(project=project, user__in=judges)
    languages = Counter(
        code for codes in members.values_list("languages", flat=True) for code in codes
    )
    rates = _latest_rates(project, judges)
    return {
        "reviewers": len(judges),
        "with_subjects": members.filter(subjects__isnull=False).distinct().count(),
        "languages": dict(sorted(languages.items())),
        "paid": len(rates),
        "pay": _ranges(rates.values()),
    }


def _latest_rates(project: Project, people: set[int]) -> dict[int, tuple[str, Decimal]]:
    rows = PayRate.objects.filter(project=project, user__in=people).order_by("from_month", "pk")
    return {user: (currency, hourly) for user, currency, hourly in rows.values_list(
        "user", "currency", "hourly"
    )}  # fmt: skip


def _ranges(rates: Iterable[tuple[str, Decimal]]) -> list[dict[str, Any]]:
    found: dict[str, list[Decimal]] = defaultdict(list)
    for currency, hourly in rates:
        found[currency].append(hourly)
    return [
        {
            "currency": currency,
            "reviewers": len(hourly),
            "lowest": f"{min(hourly):.2f}",
            "highest": f"{max(hourly):.2f}",
        }
        for currency, hourly in sorted(found.items())
        if len(hourly) >= FEWEST_PAID
    ]
