"""What the page of a job shows of a choice of texts."""

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from jobs.enums import JobState
from jobs.kinds import JobPage, Link
from jobs.models import Job
from projects.models import Project
from review.choosing.actions.choosing import Chosen
from review.choosing.choices import chosen_words, given_back_words


def choosing_page(user: User, job: Job, project: Project) -> JobPage:
    """What became of the items, and where to look at them or undo the choice."""
    words = chosen_words(Chosen(**job.result)) if job.state == JobState.DONE else []
    return _page(user, project, words)


def undoing_page(user: User, job: Job, project: Project) -> JobPage:
    """How many items have their texts back."""
    words = [given_back_words(job.result["restored"])] if job.state == JobState.DONE else []
    return _page(user, project, words)


def _page(user: User, project: Project, words: list[str]) -> JobPage:
    if not user.has_perm("review.choose_translation", project):
        return JobPage(context={"words": words})
    rounds = Link(_("Rounds"), reverse("review:rounds", args=[project.slug]))
    items = Link(_("Choose item by item"), reverse("review:choose-items", args=[project.slug]))
    return JobPage(breadcrumbs=[rounds], links=[items], context={"words": words})
