"""What people do with the batch files of a translation job on its page: download, give answers, change the way."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.rules import current_user
from annotation.asking.batch_files import Taken, ask_directly, hold_asking
from annotation.asking.forms import ResumeForm
from annotation.asking.selectors import asking_job_for
from annotation.models import TranslationJob
from annotation.translating.actions import TRANSLATION
from annotation.translating.batch_files import file_of, take_files


@require_safe
def download(request: HttpRequest, slug: str, pk: int) -> HttpResponseBase:
    """The calls that the job lacks, as a batch file; without one, the page of the job."""
    started = _managed(request, slug, pk)
    return file_of(started) or redirect(TRANSLATION.page, slug, pk)


@require_POST
def give_answers(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    started = _managed(request, slug, pk)
    files = request.FILES.getlist("file")
    if not files:
        raise TRANSLATION.invalid(fields={"file": [_("Choose the file of answers.")]})
    messages.success(request, _words(take_files(started, files)))
    return redirect(TRANSLATION.page, slug, pk)


@require_POST
def hold(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Have a job wait for batch files, or give a job that waits another budget."""
    started = _managed(request, slug, pk)
    form = ResumeForm(request.POST)
    if not form.is_valid():
        raise TRANSLATION.invalid(fields={name: [*map(str, e)] for name, e in form.errors.items()})
    hold_asking(
        TRANSLATION, started, actor=current_user(request), now=timezone.now(),
        budget=form.cleaned_data["budget"],
    )  # fmt: skip
    return redirect(TRANSLATION.page, slug, pk)


@require_POST
def end_waiting(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    started = _managed(request, slug, pk)
    ask_directly(started, actor=current_user(request), now=timezone.now())
    return redirect(TRANSLATION.page, slug, pk)


def _words(taken: Taken) -> str:
    """Return what became of the answers of a file, with the calls that still wait."""
    stored = ngettext("%d answer is stored.", "%d answers are stored.", taken.stored) % taken.stored
    words = [stored]
    if taken.known:
        words.append(_("Stored before: %d.") % taken.known)
    if taken.failed:
        words.append(_("Requests that failed: %d.") % taken.failed)
    if taken.missing:
        named = {"count": taken.missing, "ids": ", ".join(taken.missing_ids)}
        words.append(_("Not in the file: %(count)d calls, the first are %(ids)s.") % named)
    return " ".join(words)


def _managed(request: HttpRequest, slug: str, pk: int) -> TranslationJob:
    return asking_job_for(TRANSLATION, current_user(request), slug, pk, TRANSLATION.manage)
