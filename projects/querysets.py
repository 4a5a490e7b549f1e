"""Adjectives of single tables, chainable."""

from typing import TYPE_CHECKING, Any

from django.db.models import Manager, QuerySet

from projects.enums import Role

if TYPE_CHECKING:
    from accounts.models import User


class ProjectQuerySet(QuerySet[Any]):
    def visible_to(self, user: "User") -> "ProjectQuerySet":
        """Projects that `user` is a member of; all for a superuser."""
        if user.is_superuser:
            return self
        return self.filter(memberships__user=user)


class ShownManager(Manager[Any]):
    """Rows that an import which is not finished has not just added."""

    def get_queryset(self) -> QuerySet[Any]:
        return super().get_queryset().filter(is_hidden=False)


class MembershipQuerySet(QuerySet[Any]):
    def working(self) -> "MembershipQuerySet":
        return self.filter(is_paused=False, user__is_active=True)

    def in_role(self, *roles: Role) -> "MembershipQuerySet":
        return self.filter(role__in=roles)
