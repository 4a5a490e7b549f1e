"""Questions about projects and their people."""

from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.models import User
from annotation.models import Membership, Project, Subject


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


def _count_of(rows: QuerySet[Any]) -> QuerySet[Any]:
    own = rows.filter(project=OuterRef("pk")).order_by()
    counts: QuerySet[Any] = own.values("project").annotate(n=Count("pk")).values("n")
    return counts
