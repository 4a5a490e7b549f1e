"""Disputes that no senior may settle, and who may be asked instead."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import User
from projects.enums import Role
from projects.models import Membership, Project
from projects.solving import reads_language
from review.enums import Outcome, Verdict
from review.models import Adjudication, Answer, Judgement, Panel, Substitute
from review.queries import disputes
from review.rules import own_panels


def blocked_disputes(project: Project) -> QuerySet[Panel]:
    """Open disputes that every working senior judged or wrote, and that no substitute can settle."""
    rows = disputes(project).exclude(Exists(_substitutes_at_work(project)))
    for senior in working_seniors(project):
        rows = rows.filter(own_panels(senior))
    return rows


def _substitutes_at_work(project: Project) -> QuerySet[Substitute]:
    """Who was named for the outer panel and can still settle it.

    Since then they may have left, been paused, become a viewer, or judged the text themselves.
    """
    places = _working(project).exclude(role=Role.VIEWER).order_by()
    judged = Judgement.objects.filter(panel=OuterRef("panel"), reviewer=OuterRef("user"))
    rows = Substitute.objects.filter(panel=OuterRef("pk"), user__in=places.values("user"))
    return rows.exclude(Exists(judged))


def working_seniors(project: Project) -> list[User]:
    """Seniors with an active account who are not paused, by name."""
    rows = _working(project).filter(role=Role.SENIOR)
    return [member.user for member in rows]


def candidates_for(project: Project, panels: Sequence[Panel]) -> dict[int, list[User]]:
    """By panel the members who may be its substitute, by name: all but viewers who read the

    target language and neither judged nor wrote the text.
    """
    involved = people_involved(panels)
    members = [
        member.user
        for member in _working(project).exclude(role=Role.VIEWER)
        if not member.languages or reads_language(member.languages, project.target_language)
    ]
    return {
        panel.pk: [user for user in members if user.pk not in involved[panel.pk]]
        for panel in panels
    }


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


def _working(project: Project) -> QuerySet[Membership]:
    rows = Membership.objects.filter(project=project, is_paused=False, user__is_active=True)
    return rows.select_related("user").order_by("user__name", "pk")


def _add(found: dict[int, set[int]], pairs: Iterable[tuple[int, int]]) -> None:
    for panel, person in pairs:
        found[panel].add(person)
