"""Pages of the glossary: the list, one term with its history, and the files that leave it."""

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from annotation.glossary.actions import change_term, create_term, remove_term
from annotation.glossary.forms import TermFilterForm, TermForm, initial_of
from annotation.glossary.presenters import shown_events
from annotation.glossary.queries import (
    filtered_terms,
    open_proposal_counts,
    term_events,
    terms_to_download,
)
from annotation.glossary.selectors import term_of
from annotation.models import Term
from common.errors import DomainError
from common.filters import refuse_unknown_filters
from common.pagination import bounded_total, listed_page
from projects.forms import show_refusal
from projects.models import Project
from projects.selectors import project_for
from projects.views.form_pages import form_page

VIEW = "annotation.view_glossary"
CHANGE = "annotation.change_glossary"
ORDER = ["key", "pk"]
MEDIA_TYPES = {"csv": "text/csv", "tbx": "application/xml", "dct.tbx": "application/xml"}


@require_safe
def glossary(request: HttpRequest, slug: str) -> HttpResponse:
    """The terms in order, a page at a time; a filter that is not known answers 400."""
    user = current_user(request)
    project = project_for(user, slug, VIEW)
    form = TermFilterForm(request.GET, project=project)
    is_valid = form.is_valid()
    rows = filtered_terms(project, form.wanted())
    can_change = user.has_perm(CHANGE, project)
    context = _context(project) | {
        "form": form,
        "page": listed_page(request, rows, filters=form.fields, order=ORDER),
        "total": bounded_total(rows, order=ORDER),
        "is_filtered": any(form.cleaned_data.values()),
        "can_change": can_change,
        "open_proposals": open_proposal_counts([project]).get(project.pk, 0) if can_change else 0,
    }
    return render(request, "annotation/glossary.html", context, status=200 if is_valid else 400)


@require_safe
def download(request: HttpRequest, slug: str, extension: str) -> StreamingHttpResponse:
    """The whole glossary as CSV or TBX."""
    project = project_for(current_user(request), slug, VIEW)
    if extension not in MEDIA_TYPES:
        raise Http404
    refuse_unknown_filters(request.GET)
    lines: Iterator[str] = terms_to_download(project, extension)
    response = StreamingHttpResponse(lines, content_type=f"{MEDIA_TYPES[extension]}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-glossary.{extension}"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, CHANGE)
    form = TermForm(request.POST or None, project=project)
    if request.method == "POST" and form.is_valid():
        try:
            term = create_term(
                project=project, values=form.values(), actor=user, now=timezone.now()
            )
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(
                request, _("“%(source)s” is in the glossary.") % {"source": term.source}
            )
            return redirect("annotation:glossary", slug)
    return form_page(request, "annotation/term_add.html", form, _context(project))


@require_http_methods(["GET", "HEAD", "POST"])
def term(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One term with its history; those who may change it get a form."""
    user = current_user(request)
    project = project_for(user, slug, CHANGE if request.method == "POST" else VIEW)
    found = term_of(project, pk)
    form = TermForm(request.POST or None, project=project, initial=initial_of(found))
    if request.method == "POST" and form.is_valid() and _is_changed(found, form, user):
        messages.success(request, _("The term is changed."))
        return redirect("annotation:term", slug, pk)
    can_change = user.has_perm(CHANGE, project)
    context = _context(project) | {
        "term": found,
        "events": shown_events(term_events(found), shows_authors=can_change),
        "can_change": can_change,
    }
    return form_page(request, "annotation/term.html", form, context)


def _is_changed(term: Term, form: TermForm, actor: User) -> bool:
    """Change the term as was typed; otherwise the form says why not."""
    values, seen = form.values(), form.cleaned_data["seen"]
    try:
        change_term(term=term, values=values, seen=seen, actor=actor, now=timezone.now())
    except DomainError as error:
        show_refusal(form, error)
        return False
    return True


@require_POST
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    found = term_of(project_for(user, slug, CHANGE), pk)
    reason = request.POST.get("reason", "")
    remove_term(term=found, reason=reason, actor=user, now=timezone.now())
    messages.success(request, _("“%(source)s” is removed.") % {"source": found.source})
    return redirect("annotation:glossary", slug)


def _context(project: Project) -> dict[str, Any]:
    return {"project": project, "section": "glossary"}
