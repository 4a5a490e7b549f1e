"""Describe the people who judged: how many they are, what they know, what they are paid."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import User
from projects.models import Membership, PayRate, Project
from review.models import Judgement

FEWEST_PAID = 3
"""Of fewer people no rate is told: it would be known whose it is."""
FEWEST_NAMED = 3
"""If fewer people judged a release, it names nobody: readers could tell who is who in its ledger."""


def judges_of(project: Project) -> QuerySet[User]:
    """Return every person with a judgement in force, no program; one judgement of each person is read.

    The rounds are named one by one, so that the index over their seats leads to what the person
    did here. Led by the judgements of a person, all those in other projects would be read first.
    """
    rounds = list(project.rounds.values_list("pk", flat=True))
    judged = Judgement.objects.filter(
        assignment__round__in=rounds, assignment__reviewer=OuterRef("pk")
    )
    rows: QuerySet[User] = User.objects.filter(Exists(judged), is_simulated=False)
    return rows


def people_figures(project: Project) -> dict[str, Any]:
    """Return the figures of everybody who judged in the project, as plain JSON.

    {reviewers, with_subjects, languages: {code: reviewers}, paid, pay: [{currency, reviewers,
    lowest, highest}]}: rates for an hour, the latest of each person, where they are recorded.
    """
    judges = set(judges_of(project).values_list("pk", flat=True))
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
