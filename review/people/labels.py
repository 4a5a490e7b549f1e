"""Labels for the work of a person, in the user's language."""

from django.utils.translation import gettext as _


def duration_text(seconds: int) -> str:
    """A span of working time, to the minute."""
    hours, minutes = divmod((seconds + 30) // 60, 60)
    if hours:
        return _("%(hours)s h %(minutes)s min") % {"hours": hours, "minutes": minutes}
    return _("%(minutes)s min") % {"minutes": minutes}
