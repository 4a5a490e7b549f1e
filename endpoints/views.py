"""Pages of endpoints: a project's for its managers, those of the server for administrators."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from accounts.rules import administrator, current_user
from common.errors import DomainError
from common.pagination import listed_page
from endpoints.actions import change_endpoint, create_endpoint, project_reach
from endpoints.forms import EndpointForm, ServerEndpointForm, endpoint_initial
from endpoints.models import Endpoint
from projects.forms import show_refusal
from projects.models import Project
from projects.selectors import project_for

CHANGE = "endpoints.change_endpoints"
CHANGE_SERVER = "endpoints.change_server_endpoints"
SAFE_OR_POST = ["GET", "HEAD", "POST"]


@require_safe
def project_endpoints(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's own endpoints, and those of the server that it may use."""
    project = project_for(current_user(request), slug, CHANGE)
    rows = Endpoint.objects.shown_in(project)
    page = listed_page(request, rows, order=["name", "pk"])
    context = {"project": project, "section": "runs", "page": page, "networks": _networks()}
    return render(request, "endpoints/list.html", context)


@require_http_methods(SAFE_OR_POST)
def add_project_endpoint(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_for(current_user(request), slug, CHANGE)
    return _add(request, EndpointForm(request.POST or None), project)


@require_http_methods(SAFE_OR_POST)
def change_project_endpoint(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_for(current_user(request), slug, CHANGE)
    return _change(request, EndpointForm, get_object_or_404(Endpoint, project=project, pk=pk))


@require_safe
def server_endpoints(request: HttpRequest) -> HttpResponse:
    _administrator(request)
    rows = Endpoint.objects.of_server().prefetch_related("allowed_projects")
    page = listed_page(request, rows, order=["name", "pk"])
    return render(request, "endpoints/list.html", {"page": page})


@require_http_methods(SAFE_OR_POST)
def add_server_endpoint(request: HttpRequest) -> HttpResponse:
    _administrator(request)
    return _add(request, ServerEndpointForm(request.POST or None), None)


@require_http_methods(SAFE_OR_POST)
def change_server_endpoint(request: HttpRequest, pk: int) -> HttpResponse:
    _administrator(request)
    endpoint = get_object_or_404(Endpoint.objects.of_server(), pk=pk)
    return _change(request, ServerEndpointForm, endpoint)


def _networks() -> list[str]:
    """Return the networks that endpoints of projects may reach besides public addresses."""
    return [str(network) for network in project_reach().networks]


def _administrator(request: HttpRequest) -> User:
    return administrator(current_user(request), CHANGE_SERVER)


def _add(request: HttpRequest, form: EndpointForm, project: Project | None) -> HttpResponse:
    if request.method == "POST" and form.is_valid():
        try:
            endpoint = create_endpoint(
                values=form.values(),
                project=project,
                allowed_projects=form.cleaned_data.get("allowed_projects", ()),
                actor=current_user(request),
                now=timezone.now(),
            )
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(request, _("You have added the endpoint %s.") % endpoint.name)
            return _to_list(project)
    return _form_page(request, {"project": project, "form": form})


def _change(
    request: HttpRequest, form_class: type[EndpointForm], endpoint: Endpoint
) -> HttpResponse:
    form = form_class(request.POST or None, endpoint=endpoint, initial=endpoint_initial(endpoint))
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            change_endpoint(
                endpoint=endpoint,
                api_key_env=data.get("api_key_env", ""),
                requests_per_minute=data["requests_per_minute"],
                concurrency=data["concurrency"],
                is_active=data["is_active"],
                allowed_projects=data.get("allowed_projects"),
                actor=current_user(request),
                now=timezone.now(),
            )
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(request, _("Saved."))
            return _to_list(endpoint.project)
    return _form_page(request, {"project": endpoint.project, "form": form, "endpoint": endpoint})


def _to_list(project: Project | None) -> HttpResponse:
    if project is None:
        return redirect("endpoints:server-endpoints")
    return redirect("endpoints:project-endpoints", project.slug)


def _form_page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    status = 400 if context["form"].is_bound else 200
    context["section"] = "runs"
    context["networks"] = _networks()
    return render(request, "endpoints/form.html", context, status=status)
