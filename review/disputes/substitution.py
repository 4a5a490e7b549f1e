"""Disputes that no senior may settle, and who may be asked instead."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Count, Exists, OuterRef, QuerySet

from accounts.models import User
from projects.enums import TEXT_ROLES
from projects.models import Project
from review.disputes.queries import disputes
from review.eligibility import members_at_work, possible_substitutes
from review.enums import Outcome, Verdict
from review.models import Adjudication, Answer, Judgement, Panel, Substitute
from review.rules import no_senior_may_settle, own_panels, standing_substitutes


def blocked_disputes(project: Project) -> QuerySet[Panel]:
    """Open disputes that every working senior judged or wrote, and that no substitute can settle."""
    rows = disputes(project).exclude(Exists(_substitutes_at_work(project)))
    for substitute in standing_substitutes(project):
        rows = rows.exclude(~own_panels(substitute), round__substitute=substitute)
    return rows.filter(no_senior_may_settle(project))


def _substitutes_at_work(project: Project) -> QuerySet[Substitute]:
    """Who was named for the outer panel and can still settle it.

    Since then they may have left, been paused, changed to a role that does not work on texts, or
    judged the text themselves.
    """
    places = members_at_work(project).filter(role__in=TEXT_ROLES).order_by()
    judged = Judgement.objects.filter(panel=OuterRef("panel"), reviewer=OuterRef("user"))
    rows = Substitute.objects.filter(panel=OuterRef("pk"), user__in=places.values("user"))
    return rows.exclude(Exists(judged))


def candidates_for(project: Project, panels: Sequence[Panel]) -> dict[int, list[User]]:
    """Return by panel the members who may be its substitute, by name.

    They work on texts, read the target language and neither judged nor wrote the text.
    """
    involved, members = people_involved(panels), possible_substitutes(project)
    return {
        panel.pk: [user for user in members if user.pk not in involved[panel.pk]]
        for panel in panels
    }


def blocked_by_round(project: Project) -> list[tuple[int, int]]:
    """The number of each round with blocked disputes, and how many it has."""
    rows = blocked_disputes(project).order_by().values_list("round__number")
    return list(rows.annotate(count=Count("pk")).order_by("round__number"))


def people_involved(panels: Sequence[Panel]) -> Mapping[int, set[int]]:
    """By panel the ids of those who judged, answered or wrote it, as `rules.own_panels` tells for one person."""
    found: dict[int, set[int]] = defaultdict(set)
    for panel in panels:
        if panel.revision.author_id:
            found[panel.pk].add(panel.revision.author_id)
    for given in (Judgement.objects, Answer.objects):
        _add(found, given.filter(panel__in=panels).values_list("panel", "reviewer"))
    of_revision = {panel.revision_id: panel.pk for panel in panels}
    of_base = {panel.revision.supersedes_id: panel.pk for panel in panels}
    with_others = Judgement.objects.filter(
        revision__in=[base for base in of_base if base],
        verdict=Verdict.REVISE,
        panel__outcome=Outcome.REVISED,
    ).values_list("revision", "reviewer")
    _add(found, ((of_base[base], reviewer) for base, reviewer in with_others))
    adopted = Adjudication.objects.filter(
        resulting_revision__in=of_revision, adopted__isnull=False
    ).values_list("resulting_revision", "adopted__reviewer")
    _add(found, ((of_revision[revision], reviewer) for revision, reviewer in adopted))
    return found


def _add(found: dict[int, set[int]], pairs: Iterable[tuple[int, int]]) -> None:
    for panel, person in pairs:
        found[panel].add(person)
