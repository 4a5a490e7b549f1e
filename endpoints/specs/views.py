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
from endpoints.specs.queries import current_models
from endpoints.specs.selectors import model_for
from endpoints.specs.testing import start_test
from projects.selectors import project_for

VIEW = "endpoints.view_models"
CHANGE = "endpoints.change_models"
TEST = "endpoints.test_models"


@require_safe
def model_list(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, VIEW)
    context = {
        "project": project,
        "section": "runs",
        "models": current_models(project).order_by("name"),
        "can_change": user.has_perm(CHANGE, project),
        "can_test": user.has_perm(TEST, project),
        "has_endpoints": Endpoint.objects.usable_in(project).exists(),
    }
    return render(request, "endpoints/models.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, CHANGE)
    form = ModelForm(request.POST or None, project=project)
    context = {"project": project, "section": "runs", "form": form}
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
    return redirect("endpoints:models", slug)


@require_http_methods(["GET", "HEAD", "POST"])
def revise(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    user = current_user(request)
    spec = model_for(user, slug, name)
    data = {**request.POST.dict(), "name": spec.name} if request.method == "POST" else None
    form = ModelForm(data, project=spec.project, initial=model_initial(spec))
    form.fields["name"].disabled = True
    context = {"project": spec.project, "section": "runs", "form": form, "spec": spec}
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
    return redirect("endpoints:models", slug)


@require_POST
def test(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Queue a test of a model, and show its job."""
    user = current_user(request)
    spec = model_for(user, slug, name, TEST)
    job = start_test(spec=spec, actor=user, now=timezone.now())
    return redirect("jobs:job", job.pk)


@require_POST
def retire(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    user = current_user(request)
    spec = model_for(user, slug, name)
    retire_model(spec=spec, actor=user, now=timezone.now())
    messages.success(request, _("You have retired the model %s.") % spec.name)
    return redirect("endpoints:models", slug)


@require_POST
def bring_back(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    user = current_user(request)
    spec = model_for(user, slug, name)
    return_model(spec=spec, actor=user, now=timezone.now())
    messages.success(request, _("You have brought back the model %s.") % spec.name)
    return redirect("endpoints:models", slug)


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
