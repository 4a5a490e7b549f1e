"""Pages that list, add and revise models."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.rules import current_user
from common.errors import DomainError
from endpoints.models import Endpoint
from endpoints.specs.actions import create_model, retire_model, return_model, revise_model
from endpoints.specs.forms import ModelForm, model_initial
from endpoints.specs.presenters import model_rows, model_url
from endpoints.specs.selectors import get_model, get_own_model, owner_for
from endpoints.specs.testing import start_test
from projects.models import Project
from projects.selectors import project_for

VIEW = "endpoints.view_models"
CHANGE = "endpoints.change_models"
TEST = "endpoints.test_models"


@require_safe
def model_list(request: HttpRequest, slug: str = "") -> HttpResponse:
    """List the models that a project can ask; without a slug, those of the server."""
    user = current_user(request)
    project = owner_for(user, slug, VIEW)
    context = {
        **_frame(project),
        "rows": model_rows(project),
        "add_url": model_url("add-model", project),
        "can_change": project is None or user.has_perm(CHANGE, project),
        "can_test": project is not None and user.has_perm(TEST, project),
        "has_endpoints": Endpoint.objects.usable_in(project).exists(),
    }
    return render(request, "endpoints/models.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest, slug: str = "") -> HttpResponse:
    user = current_user(request)
    project = owner_for(user, slug, CHANGE)
    form = ModelForm(request.POST or None, project=project)
    context = {**_frame(project), "form": form}
    if request.method != "POST" or not form.is_valid():
        return _form_page(request, context, form)
    try:
        spec = create_model(
            project=project, name=form.cleaned_data["name"], values=form.values(), actor=user,
            now=timezone.now(),
        )  # fmt: skip
    except DomainError as error:
        return _refused(request, context, form, error)
    messages.success(request, _("You have added the model %s.") % spec.name)
    return redirect(model_url("models", project))


@require_http_methods(["GET", "HEAD", "POST"])
def revise(request: HttpRequest, name: str, slug: str = "") -> HttpResponse:
    user = current_user(request)
    project = owner_for(user, slug, CHANGE)
    spec = get_own_model(project, name)
    data = {**request.POST.dict(), "name": spec.name} if request.method == "POST" else None
    form = ModelForm(data, project=project, initial=model_initial(spec))
    form.fields["name"].disabled = True
    context = {**_frame(project), "form": form, "spec": spec}
    if request.method != "POST" or not form.is_valid():
        return _form_page(request, context, form)
    try:
        revised = revise_model(spec=spec, values=form.values(), actor=user, now=timezone.now())
    except DomainError as error:
        return _refused(request, context, form, error)
    values = {"name": revised.name, "revision": revised.revision}
    messages.success(
        request, _("You have saved revision %(revision)d of the model %(name)s.") % values
    )
    return redirect(model_url("models", project))


@require_POST
def test(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Queue a test of a model, and show its job."""
    user = current_user(request)
    project = project_for(user, slug, TEST)
    spec = get_model(project, name)
    job = start_test(spec=spec, project=project, actor=user, now=timezone.now())
    return redirect("jobs:job", job.pk)


@require_POST
def retire(request: HttpRequest, name: str, slug: str = "") -> HttpResponse:
    user = current_user(request)
    project = owner_for(user, slug, CHANGE)
    retire_model(spec=get_own_model(project, name), actor=user, now=timezone.now())
    messages.success(request, _("You have retired the model %s.") % name)
    return redirect(model_url("models", project))


@require_POST
def bring_back(request: HttpRequest, name: str, slug: str = "") -> HttpResponse:
    user = current_user(request)
    project = owner_for(user, slug, CHANGE)
    return_model(spec=get_own_model(project, name), actor=user, now=timezone.now())
    messages.success(request, _("You have brought back the model %s.") % name)
    return redirect(model_url("models", project))


def _frame(project: Project | None) -> dict[str, object]:
    """Return what every page of models has; one of the server has no section."""
    frame: dict[str, object] = {"models_url": model_url("models", project)}
    return frame if project is None else {**frame, "project": project, "section": "runs"}


def _form_page(request: HttpRequest, context: dict[str, object], form: ModelForm) -> HttpResponse:
    status = 400 if form.is_bound else 200
    return render(request, "endpoints/model_form.html", context, status=status)


def _refused(
    request: HttpRequest, context: dict[str, object], form: ModelForm, error: DomainError
) -> HttpResponse:
    """Show the form again, with the errors of the action at their fields."""
    add_errors(form, error, other="other")
    return render(request, "endpoints/model_form.html", context, status=error.status)


def add_errors(form: ModelForm, error: DomainError, *, other: str) -> None:
    """Add the errors to their fields; errors without a field of that name go to the field `other`."""
    for name, texts in error.fields.items():
        field = name if name in form.fields else other
        for text in texts:
            form.add_error(field, text)
    if not error.fields:
        form.add_error(None, str(error))
