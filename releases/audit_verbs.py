"""The words for what happens to releases."""

from django.utils.translation import gettext_lazy as _

VERBS = {
    "release.built": _("built a release"),
    "release.cancelled": _("cancelled the build of a release"),
    "release.details_changed": _("changed the texts of cards and citations"),
    "hub-publishing.cancelled": _("cancelled publishing a release on the Hugging Face Hub"),
    "hub-publishing.resumed": _("resumed publishing a release on the Hugging Face Hub"),
    "hub-publishing.started": _("started to publish a release on the Hugging Face Hub"),
    "release.hub_published": _("published a release on the Hugging Face Hub"),
    "release.published": _("published a release"),
    "release.for_everybody": _("showed a release to everybody"),
    "release.for_members": _("showed a release to members only"),
    "release.problem_accepted": _("accepted a reader's problem report"),
    "release.problem_dismissed": _("dismissed a reader's problem report"),
    "release.problem_reported": _("reported a problem with a released item"),
    "release.resumed": _("resumed the build of a release"),
    "release.started": _("started to build a release"),
    "release.waived": _("waived a problem in a release"),
    "release.yanked": _("yanked a release"),
}
