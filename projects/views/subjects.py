"""The page of subjects: which category, dimension and level each belongs to."""

from collections.abc import Mapping
from dataclasses import asdict

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from accounts.rules import current_user
from common.downloads import csv_lines
from common.errors import DomainError
from common.pagination import listed_page
from projects import actions
from projects.actions.subjects import grouping_of
from projects.categories import COLUMNS, PUBLISHED, Grouping, offers, published, read_groupings
from projects.forms import CategoriesFileForm
from projects.models import Project
from projects.queries import subjects_of
from projects.selectors import project_for

CHANGE = "projects.change_project"


@require_http_methods(["GET", "POST"])
def subjects(request: HttpRequest, slug: str) -> HttpResponse:
    """List the subjects; managers edit what each belongs to, or take it from a file or a benchmark."""
    user = current_user(request)
    project = project_for(user, slug, "projects.view_project")
    can_change = user.has_perm(CHANGE, project)
    if request.method == "POST":
        if not can_change:
            raise PermissionDenied
        return _change(request, project)
    slugs = list(subjects_of(project).values_list("slug", "category"))
    page = listed_page(request, subjects_of(project), order=["slug", "pk"])
    context = {
        "project": project,
        "section": "members",
        "page": page,
        "can_change": can_change,
        "offers": list(offers(slug for slug, _category in slugs)) if can_change else [],
        "without": sum(not category for _slug, category in slugs),
        "form": CategoriesFileForm(),
    }
    return render(request, "projects/subjects.html", context)


@require_safe
def subjects_csv(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """Download the table that the page's upload reads."""
    project = project_for(current_user(request), slug, "projects.view_project")
    rows = (
        {"subject": row.slug, **asdict(grouping_of(row))}
        for row in subjects_of(project).order_by("slug", "pk")
    )
    response = StreamingHttpResponse(
        csv_lines(["subject", *COLUMNS], rows), content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{slug}-subjects.csv"'
    return response


def _change(request: HttpRequest, project: Project) -> HttpResponse:
    code = request.POST.get("published", "")
    is_published = code in PUBLISHED
    try:
        groupings = published(code) if is_published else _sent(request, project)
        count = actions.group_subjects(
            project=project, groupings=groupings, fills_gaps=is_published,
            actor=current_user(request), now=timezone.now(),
        )  # fmt: skip
    except DomainError as error:
        messages.error(request, str(error.detail))
    else:
        text = ngettext("Changed %d subject.", "Changed %d subjects.", count)
        messages.success(request, text % count if count else _("Nothing has changed."))
    return redirect("projects:subjects", project.slug)


def _sent(request: HttpRequest, project: Project) -> Mapping[str, Grouping]:
    """Return what the file says, or without one the fields of the rows on the page."""
    form = CategoriesFileForm(request.POST, request.FILES)
    if request.FILES:
        return read_groupings(form.text())
    ids = [name.removeprefix("subject-") for name in request.POST if name.startswith("subject-")]
    ids = [pk for pk in ids if pk.isascii() and pk.isdigit() and len(pk) < 19]
    rows = subjects_of(project).filter(pk__in=ids)
    return {
        row.slug: Grouping(**{name: request.POST.get(f"{name}-{row.pk}", "") for name in COLUMNS})
        for row in rows
    }
