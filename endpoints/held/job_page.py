"""What the page of a job that stores the answers of batch files shows."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from jobs.kinds import JobPage, Link, get_kind
from jobs.models import Job


def answers_page(user: User, job: Job, scope: Any) -> JobPage:
    """Link to the job whose answers these are."""
    held = Job.objects.get(pk=job.params["job"])
    return JobPage(links=[Link(_("Open the job that waits"), page_of(user, held, scope))])


def page_of(user: User, held: Job, scope: Any) -> str:
    """Return the address of the page of a job: the one that its kind links to, if there is one."""
    links = get_kind(held.kind).page(user, held, scope).links
    return links[0].url if links else reverse("jobs:job", args=[held.pk])
