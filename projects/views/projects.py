"""Pages about projects as such: opening one and its settings."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.rules import current_user
from common.errors import DomainError
from projects import actions
from projects.actions.criteria import CriteriaInvalid
from projects.criteria_forms import translated
from projects.forms import (
    NewProjectForm,
    ProjectSettingsForm,
    show_refusal,
)
from projects.rules import creator_of_projects
from projects.selectors import project_for
from projects.views.form_pages import form_page


@require_http_methods(["GET", "POST"])
def new_project(request: HttpRequest) -> HttpResponse:
    user = creator_of_projects(current_user(request))
    form = NewProjectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            project = actions.create_project(
                manager=user, actor=user, now=timezone.now(), **form.project()
            )
        except CriteriaInvalid as error:
            form.show_faults(error.fields)
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(
                request, _("The project is ready. Invite the people who will work in it.")
            )
            return redirect("projects:members", project.slug)
    return form_page(request, "projects/new_project.html", form, {})


@require_http_methods(["GET", "POST"])
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "projects.change_project")
    initial = {name: getattr(project, name) for name in ProjectSettingsForm.base_fields}
    form = ProjectSettingsForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            actions.change_project(
                project=project, actor=user, now=timezone.now(), **form.cleaned_data
            )
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(request, _("Saved."))
            return redirect("projects:settings", project.slug)
    criteria = translated(project.criteria)
    context = {"project": project, "section": "members", "criteria": criteria}
    return form_page(request, "projects/project_settings.html", form, context)
