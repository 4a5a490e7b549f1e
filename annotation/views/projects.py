"""Pages about projects as such: home, settings and who works in them."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.mail import invitation_url
from accounts.rules import current_user
from annotation.access import project_for
from annotation.actions import projects as actions
from annotation.forms.projects import (
    InviteForm,
    MemberForm,
    NewProjectForm,
    ProjectForm,
    show_refusal,
)
from annotation.models import Membership, Project
from annotation.queries.projects import members_of, projects_of
from common.errors import DomainError
from common.pagination import keyset_page

CHANGE_MEMBERS = "annotation.change_members"


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    user = current_user(request)
    page = keyset_page(projects_of(user), order=["-pk"], cursor=request.GET.get("cursor"))
    context = {"page": page, "can_create": user.has_perm("annotation.create_project")}
    return render(request, "annotation/home.html", context)


@require_http_methods(["GET", "POST"])
def new_project(request: HttpRequest) -> HttpResponse:
    user = current_user(request)
    if not user.has_perm("annotation.create_project"):
        raise PermissionDenied
    form = NewProjectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            project = actions.create_project(
                manager=user, actor=user, now=timezone.now(), **form.cleaned_data
            )
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(request, _("The project is open. Invite the people who work in it."))
            return redirect("annotation:members", project.slug)
    return _form_page(request, "annotation/new_project.html", form, {})


@require_http_methods(["GET", "POST"])
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "annotation.change_project")
    initial = {"name": project.name, "description": project.description}
    form = ProjectForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            actions.change_project(
                project=project, actor=user, now=timezone.now(), **form.cleaned_data
            )
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(request, _("Saved."))
            return redirect("annotation:settings", project.slug)
    context = {"project": project, "section": "settings"}
    return _form_page(request, "annotation/project_settings.html", form, context)


@require_safe
def members(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "annotation.view_members")
    page = keyset_page(members_of(project), order=["pk"], cursor=request.GET.get("cursor"))
    context = _members_context(project) | {
        "page": page,
        "can_change": user.has_perm(CHANGE_MEMBERS, project),
    }
    return render(request, "annotation/members.html", context)


@require_http_methods(["GET", "POST"])
def invite_member(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a person by e-mail; the answer shows the link of the invitation, once."""
    user = current_user(request)
    project = project_for(user, slug, CHANGE_MEMBERS)
    form = InviteForm(request.POST or None, project=project)
    context = _members_context(project)
    if request.method == "POST" and form.is_valid():
        try:
            added = actions.add_member(
                project=project, actor=user, now=timezone.now(), **form.cleaned_data
            )
        except DomainError as error:
            show_refusal(form, error)
        else:
            return _invited_page(request, added.membership, added.issued)
    return _form_page(request, "annotation/invite_member.html", form, context)


@require_http_methods(["GET", "POST"])
def member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change a member's role, languages and subjects."""
    membership = _membership(request, slug, pk)
    initial = {
        "role": membership.role,
        "languages": membership.languages,
        "subjects": [subject.slug for subject in membership.subjects.all()],
    }
    form = MemberForm(request.POST or None, project=membership.project, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            actions.change_member(
                membership=membership,
                actor=current_user(request),
                now=timezone.now(),
                **form.cleaned_data,
            )
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(request, _("Saved."))
            return redirect("annotation:members", slug)
    context = _members_context(membership.project) | {"membership": membership}
    return _form_page(request, "annotation/member.html", form, context)


@require_POST
def pause_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    membership = _membership(request, slug, pk)
    actions.pause_member(membership=membership, actor=current_user(request), now=timezone.now())
    messages.success(request, _("%(name)s is paused.") % {"name": membership.user})
    return redirect("annotation:members", slug)


@require_POST
def resume_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    membership = _membership(request, slug, pk)
    actions.resume_member(membership=membership, actor=current_user(request), now=timezone.now())
    messages.success(request, _("%(name)s works again.") % {"name": membership.user})
    return redirect("annotation:members", slug)


@require_POST
def invite_again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Make a new link for a member who has not come in yet."""
    membership = _membership(request, slug, pk)
    issued = actions.renew_invitation(
        membership=membership, actor=current_user(request), now=timezone.now()
    )
    return _invited_page(request, membership, issued)


def _membership(request: HttpRequest, slug: str, pk: int) -> Membership:
    project = project_for(current_user(request), slug, CHANGE_MEMBERS)
    return get_object_or_404(members_of(project), pk=pk)


def _members_context(project: Project) -> dict[str, Any]:
    return {"project": project, "section": "members"}


def _invited_page(request: HttpRequest, membership: Membership, issued: Any) -> HttpResponse:
    context = _members_context(membership.project) | {
        "membership": membership,
        "invitation": issued.invitation if issued else None,
        "link": invitation_url(issued.secret) if issued and issued.secret else "",
    }
    response = render(request, "annotation/invited.html", context)
    response["Cache-Control"] = "no-store"
    return response


def _form_page(
    request: HttpRequest, template: str, form: Form, context: dict[str, Any]
) -> HttpResponse:
    """The page of a form: 400 where what was sent is not taken."""
    status = 400 if form.is_bound else 200
    return render(request, template, context | {"form": form}, status=status)
