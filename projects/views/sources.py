"""Pages of sources: where a project's texts come from, and correcting what is known about them."""

from dataclasses import asdict

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.rules import current_user
from common.errors import DomainError
from common.pagination import listed_page
from projects import actions
from projects.actions.sources import SourceValues
from projects.forms import SourceForm, show_refusal
from projects.models import Source
from projects.queries import sources_of
from projects.selectors import project_for
from projects.views.form_pages import form_page


@require_safe
def sources(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "projects.view_project")
    page = listed_page(request, sources_of(project), order=["pk"])
    context = {
        "project": project,
        "section": "members",
        "page": page,
        "can_change": user.has_perm("projects.change_project", project),
    }
    return render(request, "projects/sources.html", context)


@require_http_methods(["GET", "POST"])
def source(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Correct a source's name, version, address, licence and attribution."""
    user = current_user(request)
    project = project_for(user, slug, "projects.change_project")
    found = get_object_or_404(Source, project=project, pk=pk)
    initial = {name: getattr(found, name) for name in asdict(SourceValues(name=""))}
    form = SourceForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            values = SourceValues(**form.cleaned_data)
            actions.change_source(source=found, values=values, actor=user, now=timezone.now())
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(request, _("Saved. New releases will say this."))
            return redirect("projects:sources", slug)
    context = {"project": project, "section": "members", "source": found}
    return form_page(request, "projects/source.html", form, context)
