"""Adjectives of single tables, chainable."""

from typing import TYPE_CHECKING, Any

from django.db.models import Exists, OuterRef, QuerySet

from annotation.enums import ItemState, Role, Severity, TranslationState

if TYPE_CHECKING:
    from accounts.models import User


class ProjectQuerySet(QuerySet[Any]):
    def visible_to(self, user: "User") -> "ProjectQuerySet":
        """Projects that `user` is a member of; all for a superuser."""
        if user.is_superuser:
            return self
        return self.filter(memberships__user=user)


class MembershipQuerySet(QuerySet[Any]):
    def working(self) -> "MembershipQuerySet":
        return self.filter(is_paused=False, user__is_active=True)

    def in_role(self, *roles: Role) -> "MembershipQuerySet":
        return self.filter(role__in=roles)


class ItemQuerySet(QuerySet[Any]):
    def active(self) -> "ItemQuerySet":
        return self.filter(state=ItemState.ACTIVE)

    def translated(self) -> "ItemQuerySet":
        return self.filter(working_translation__isnull=False)

    def not_approved(self) -> "ItemQuerySet":
        return self.filter(working_translation__state=TranslationState.PENDING)

    def approved(self) -> "ItemQuerySet":
        return self.filter(working_translation__state=TranslationState.APPROVED)

    def with_open_findings(self, **conditions: Any) -> "ItemQuerySet":
        """Items whose current text has an undismissed finding that meets `conditions`."""
        return self.filter(_open_finding(conditions))

    def without_open_findings(self, **conditions: Any) -> "ItemQuerySet":
        """Items whose current text has no such finding."""
        return self.filter(~_open_finding(conditions))


def _open_finding(conditions: dict[str, Any]) -> Exists:
    from annotation.models import Finding

    return Exists(
        Finding.objects.filter(
            revision=OuterRef("working_translation__current_revision"),
            dismissed_at__isnull=True,
            **conditions,
        )
    )


class FindingQuerySet(QuerySet[Any]):
    def open(self) -> "FindingQuerySet":
        return self.filter(dismissed_at__isnull=True)

    def errors(self) -> "FindingQuerySet":
        return self.filter(severity=Severity.ERROR)

    def current(self) -> "FindingQuerySet":
        """Findings on texts that are current."""
        from django.db.models import F

        return self.filter(revision__translation__current_revision=F("revision"))
