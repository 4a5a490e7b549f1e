"""The words for what happens to releases."""

from django.utils.translation import gettext_lazy as _

VERBS = {
    "release.built": _("built a release"),
    "release.cancelled": _("cancelled the build of a release"),
    "release.details_changed": _("changed the texts of cards and citations"),
    "release.published": _("published a release"),
    "release.resumed": _("resumed the build of a release"),
    "release.started": _("started to build a release"),
    "release.yanked": _("yanked a release"),
}
