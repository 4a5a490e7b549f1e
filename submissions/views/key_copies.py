"""The page of copies of hidden keys, for a project's managers."""

from random import SystemRandom

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.rules import current_user
from common.api_exports import file_answer
from common.errors import DomainError
from common.pagination import listed_page
from projects.forms import show_refusal
from releases.selectors import release_for
from submissions.actions.key_copies import create_key_copy, proposed_count
from submissions.forms import KeyCopyForm
from submissions.presenters import key_copy_file, key_copy_name
from submissions.queries import key_copies
from submissions.selectors import key_copy_for

COPY = "submissions.copy_keys"


@require_http_methods(["GET", "HEAD", "POST"])
def copies(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Show the copies of a release's hidden keys; posting creates another."""
    user = current_user(request)
    release = release_for(user, slug, version, COPY)
    initial = {"false_count": proposed_count(release)}
    form = KeyCopyForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        values = {**form.cleaned_data, "random": SystemRandom(), "now": timezone.now()}
        try:
            create_key_copy(release=release, actor=user, **values)
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(request, _("Copy created. Download it below."))
            return redirect("submissions:key-copies", slug, version)
    page = listed_page(request, key_copies(release), order=["-pk"])
    context = {"project": release.project, "release": release, "section": "releases"}
    context |= {"form": form, "page": page}
    status = 400 if form.errors else 200
    return render(request, "submissions/key_copies.html", context, status=status)


@require_safe
def file(request: HttpRequest, slug: str, version: str, number: int) -> StreamingHttpResponse:
    """Send the file of a copy."""
    copy = key_copy_for(release_for(current_user(request), slug, version, COPY), number)
    content = [key_copy_file(copy)]
    return file_answer(content, name=key_copy_name(copy), media_type="application/json")
