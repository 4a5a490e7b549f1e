"""Pages about who works in a project."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.mail import invitation_url
from accounts.rules import current_user
from common.errors import DomainError
from common.pagination import listed_page
from projects import actions
from projects.enums import Role
from projects.forms import BulkInviteForm, InviteForm, MemberForm, show_refusal
from projects.models import Membership, Project
from projects.presenters import removal_words
from projects.queries import is_sole_in_role, members_of
from projects.selectors import project_for
from projects.views.form_pages import form_page

CHANGE_MEMBERS = "projects.change_members"


@require_safe
def members(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "projects.view_members")
    page = listed_page(request, members_of(project), order=["pk"])
    context = _members_context(project) | {
        "page": page,
        "can_change": user.has_perm(CHANGE_MEMBERS, project),
    }
    return render(request, "projects/members.html", context)


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
    return form_page(request, "projects/invite_member.html", form, context)


@require_http_methods(["GET", "POST"])
def invite_many(request: HttpRequest, slug: str) -> HttpResponse:
    """Invite everybody in a list; the answer says what became of each, and keeps who was refused."""
    user = current_user(request)
    project = project_for(user, slug, CHANGE_MEMBERS)
    form = BulkInviteForm(request.POST or None, project=project)
    if request.method == "POST" and form.is_valid():
        lines = form.cleaned_data.pop("people").splitlines()
        try:
            results = actions.invite_members(
                project=project, lines=lines, actor=user, now=timezone.now(), **form.cleaned_data
            )
        except DomainError as error:
            show_refusal(form, error)
        else:
            return _invited_many_page(request, project, results)
    return form_page(request, "projects/invite_many.html", form, _members_context(project))


@require_http_methods(["GET", "POST"])
def member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change a member's role, languages and subjects."""
    membership = _membership(request, slug, pk)
    form = MemberForm(
        request.POST or None, project=membership.project, initial=_said_of(membership)
    )
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
            return redirect("projects:members", slug)
    context = _members_context(membership.project) | {
        "membership": membership,
        "is_sole": is_sole_in_role(membership),
    }
    return form_page(request, "projects/member.html", form, context)


def _said_of(membership: Membership) -> dict[str, Any]:
    return {
        "role": membership.role,
        "languages": membership.languages,
        "subjects": [subject.slug for subject in membership.subjects.all()],
    }


@require_POST
def pause_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    membership = _membership(request, slug, pk)
    actions.pause_member(
        membership=membership,
        message=request.POST.get("message", ""),
        actor=current_user(request),
        now=timezone.now(),
    )
    words = _(
        "%(name)s is paused and gets no new items. They can still finish an item they have taken."
    )
    messages.success(request, words % {"name": membership.user})
    return redirect("projects:members", slug)


@require_POST
def resume_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    membership = _membership(request, slug, pk)
    actions.resume_member(membership=membership, actor=current_user(request), now=timezone.now())
    messages.success(request, _("%(name)s is no longer paused.") % {"name": membership.user})
    return redirect("projects:members", slug)


@require_POST
def remove_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take a member out of the project, or cancel the invitation of one who never came in."""
    user, membership = current_user(request), _membership(request, slug, pk)
    person = membership.user
    is_only_senior = membership.role == Role.SENIOR and is_sole_in_role(membership)
    removed = actions.remove_member(membership=membership, actor=user, now=timezone.now())
    words = removal_words(person, removed, leaves_no_senior=is_only_senior)
    messages.success(request, words)
    if person == user and not user.is_superuser:
        return redirect("home")
    return redirect("projects:members", slug)


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
    return render(request, "projects/invited.html", context)


def _invited_many_page(
    request: HttpRequest, project: Project, results: list[actions.InvitedLine]
) -> HttpResponse:
    refused = [line.text for line in results if line.refusal]
    initial = {
        name: request.POST.getlist(name) if name == "subjects" else request.POST.get(name, "")
        for name in ("role", "languages", "subjects")
    }
    form = BulkInviteForm(project=project, initial=initial | {"people": "\n".join(refused)})
    links = [
        f"{line.added.membership.user.email} {invitation_url(line.added.issued.secret)}"
        for line in results
        if line.added and line.added.issued and line.added.issued.secret
    ]
    context = _members_context(project) | {
        "form": form,
        "results": results,
        "links": "\n".join(links),
        "refused_count": len(refused),
        "member_count": len(results) - len(refused),
    }
    return render(request, "projects/invite_many.html", context)
