"""The page where managers say what reviewers rate texts by."""

from dataclasses import replace

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.rules import current_user
from common.errors import DomainError
from projects.actions.criteria import CriteriaInvalid
from projects.criteria import Criteria
from projects.criteria_forms import CriteriaForm
from projects.models import Project
from projects.selectors import project_for
from projects.views.form_pages import form_page
from review.guidelines.actions.criteria import change_criteria, is_rated


@require_http_methods(["GET", "POST"])
def criteria(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "projects.change_project")
    form = CriteriaForm(request.POST or None, criteria=_told(project))
    if request.method == "POST" and form.is_valid():
        try:
            change_criteria(project=project, rows=form.rows(), actor=user, now=timezone.now())
        except CriteriaInvalid as error:
            form.show_faults(error.fields)
        except DomainError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Saved."))
            return redirect("review:criteria", slug)
    context = {"project": project, "section": "members", "is_rated": is_rated(project)}
    return form_page(request, "review/guidelines/criteria.html", form, context)


def _told(project: Project) -> Criteria:
    """The criteria with what the guideline in force says of their ratings."""
    current = project.guidelines.order_by("-version").first()
    rubric = current.rubric if current else {}
    return tuple(
        replace(each, rubric=tuple(rubric.get(each.name, each.rubric))) for each in project.criteria
    )
