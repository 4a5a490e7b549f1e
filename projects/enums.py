"""The roles of people in a project."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Role(TextChoices):
    MANAGER = "manager", _("manager")
    SENIOR = "senior", _("senior")
    REVIEWER = "reviewer", _("reviewer")
    VIEWER = "viewer", _("viewer")
    EVALUATOR = "evaluator", _("evaluator")


JUDGES = (Role.REVIEWER, Role.SENIOR)
TEXT_ROLES = (Role.MANAGER, Role.SENIOR, Role.REVIEWER)
"""Those who work on texts, whom releases may name. All others read figures alone."""


class PayUnit(TextChoices):
    HOUR = "hour", _("per hour")
    ITEM = "item", _("per item")
