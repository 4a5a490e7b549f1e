"""Questions about projects and their people."""

from collections.abc import Collection
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from accounts.models import AuditEvent, User
from accounts.queries import AccountFilter, accounts
from common.months import Month
from projects.enums import JUDGES, TEXT_ROLES, Role
from projects.models import Contributor, Membership, PayRate, Project, Source, Subject


def projects_of(user: User) -> QuerySet[Project]:
    """Projects that `user` may see, newest first, with `role`, `member_count`, `subject_count`."""
    own = Membership.objects.filter(project=OuterRef("pk"), user=user)
    projects: QuerySet[Project] = Project.objects.visible_to(user).annotate(
        role=Subquery(own.values("role")[:1]),
        member_count=Coalesce(Subquery(_count_of(Membership.objects.all())), 0),
        subject_count=Coalesce(Subquery(_count_of(Subject.objects.all())), 0),
    )
    return projects.order_by("-pk")


def members_of(project: Project) -> QuerySet[Membership]:
    """Everybody in the project, with the person and the subjects of their expertise."""
    members: QuerySet[Membership] = (
        Membership.objects.filter(project=project)
        .select_related("user", "project")
        .prefetch_related("subjects")
    )
    return members


def members_among(project: Project, people: Collection[int]) -> QuerySet[Membership]:
    """The memberships of `people`, by their ids; who left has none."""
    return Membership.objects.filter(project=project, user__in=people).order_by("pk")


def members_without_rate(project: Project, month: Month) -> QuerySet[Membership]:
    """Reviewers and seniors for whom no rate holds in `month`."""
    held = PayRate.objects.filter(
        project=OuterRef("project"), user=OuterRef("user"), from_month__lte=month.start.date()
    )
    return members_of(project).filter(~Exists(held), role__in=JUDGES)


def pay_rates_of(membership: Membership) -> QuerySet[PayRate]:
    """What was set for a member, the rate of the latest month first and of these the newest."""
    rows = PayRate.objects.filter(project=membership.project_id, user=membership.user_id)
    return rows.order_by("-from_month", "-pk")


def accounts_with_places(wanted: AccountFilter) -> QuerySet[User]:
    """The accounts that `wanted` names, each with `place_count`: how many projects it is in."""
    own = Membership.objects.filter(user=OuterRef("pk")).order_by()
    counts = own.values("user").annotate(n=Count("pk")).values("n")
    found: QuerySet[User] = accounts(wanted).annotate(place_count=Coalesce(Subquery(counts), 0))
    return found


def places_of(user: User) -> QuerySet[Membership]:
    """The projects that a person works in, with their role in each, oldest first."""
    return Membership.objects.filter(user=user).select_related("project").order_by("pk")


def sole_places_of(user: User) -> list[Membership]:
    """Where nobody but `user` manages or settles disputes now: what would stand still without them.

    Paused members and deactivated accounts do neither.
    """
    leads = Membership.objects.working().in_role(Role.MANAGER, Role.SENIOR)
    others = leads.filter(project=OuterRef("project"), role=OuterRef("role")).exclude(user=user)
    own = leads.filter(user=user).select_related("project").order_by("project__name", "pk")
    return list(own.exclude(Exists(others)))


def is_sole_in_role(membership: Membership) -> bool:
    """Whether nobody else works in the project in this member's role."""
    if membership.is_paused or not membership.user.is_active:
        return False
    colleagues = Membership.objects.working().in_role(Role(membership.role))
    return not colleagues.filter(project=membership.project_id).exclude(pk=membership.pk).exists()


def roles_ever(project: Project) -> dict[int, str]:
    """The role of everybody who works in the project, or had when they were removed from it."""
    removals = AuditEvent.objects.filter(scope=project.slug, verb="member.removed").order_by("pk")
    former = {data["person"]: data["role"] for data in removals.values_list("data", flat=True)}
    present = Membership.objects.filter(project=project).values_list("user_id", "role")
    return former | dict(present)


def contributor_of(user: User, project: Project) -> Contributor | None:
    """The wish of `user` to be named in releases of the project."""
    found: Contributor | None = Contributor.objects.filter(project=project, user=user).first()
    return found


def contributors_to_name(project: Project) -> QuerySet[Contributor]:
    """Those whom the next release names: deactivated accounts are left out."""
    rows: QuerySet[Contributor] = Contributor.objects.filter(project=project, user__is_active=True)
    return rows


def contributor_names(project: Project) -> list[str]:
    """The names for the next release, in an order that is the same in every database."""
    names = contributors_to_name(project).order_by().values_list("name", flat=True)
    return sorted(names, key=lambda name: (name.casefold(), name))


def printed_names_of(user: User) -> list[tuple[Project, str]]:
    """Where `user` may be named or is going to be, with the name, empty where they are not."""
    own = Contributor.objects.filter(user=user, project=OuterRef("pk")).values("name")
    working = Membership.objects.filter(user=user).in_role(*TEXT_ROLES).values("project")
    rows = Project.objects.annotate(printed=Coalesce(Subquery(own[:1]), Value("")))
    found = rows.filter(Q(pk__in=working) | ~Q(printed="")).order_by("name", "pk")
    return [(project, project.printed) for project in found]


def sources_of(project: Project) -> QuerySet[Source]:
    """Where the project's items and translations come from, whether under review or not."""
    return Source.objects.filter(project=project)


def subjects_of(project: Project) -> QuerySet[Subject]:
    """The subjects of the project's items by name of the category, those without one first."""
    return Subject.objects.filter(project=project).order_by("category", "slug", "pk")


def _count_of(rows: QuerySet[Any]) -> QuerySet[Any]:
    own = rows.filter(project=OuterRef("pk")).order_by()
    counts: QuerySet[Any] = own.values("project").annotate(n=Count("pk")).values("n")
    return counts


def pause_message_of(user: User, project: Project) -> str:
    """What a manager wrote when pausing this person; empty for everybody else."""
    rows = Membership.objects.filter(project=project, user=user, is_paused=True)
    return rows.values_list("pause_message", flat=True).first() or ""
