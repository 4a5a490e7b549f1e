"""Pages of proposals: proposing a term, what became of it, and deciding."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from accounts.rules import current_user
from annotation.glossary.actions import (
    TermInvalid,
    accept_proposal,
    decline_proposal,
    propose_term,
)
from annotation.glossary.forms import DecisionForm, ProposalFilterForm, ProposalForm, initial_of
from annotation.glossary.queries import proposals_for
from annotation.glossary.selectors import item_named, proposal_of, term_of
from annotation.models import TermProposal
from common.errors import DomainError
from common.htmx import wants_json
from common.pagination import listed_page
from projects.forms import show_refusal
from projects.models import Project
from projects.selectors import project_for
from projects.views.form_pages import form_page

VIEW = "annotation.view_glossary"
PROPOSE = "annotation.propose_term"
CHANGE = "annotation.change_glossary"
PREFILLED = ("source", "preferred", "item", "term")


@require_safe
def proposals(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own proposals and what became of them; those who decide see everybody's."""
    user = current_user(request)
    project = project_for(user, slug, VIEW)
    form = ProposalFilterForm(request.GET)
    is_valid = form.is_valid()
    rows = proposals_for(project, user, form.cleaned_data.get("state", ""))
    context = _context(project) | {
        "form": form,
        "page": listed_page(request, rows, filters=form.fields, order=["-pk"]),
        "can_decide": user.has_perm(CHANGE, project),
    }
    return render(
        request, "annotation/term_proposals.html", context, status=200 if is_valid else 400
    )


@require_http_methods(["GET", "HEAD", "POST"])
def propose(request: HttpRequest, slug: str) -> HttpResponse:
    """Propose a term; a script gets the form alone, and its answers as JSON."""
    user = current_user(request)
    project = project_for(user, slug, PROPOSE)
    form = ProposalForm(request.POST or None, project=project, initial=_prefilled(request, project))
    if request.method == "POST" and form.is_valid():
        try:
            proposal = _propose(project, user, form)
        except DomainError as error:
            if wants_json(request):
                raise
            show_refusal(form, error)
        else:
            return _proposed(request, proposal)
    elif request.method == "POST" and wants_json(request):
        raise TermInvalid(fields={n: [str(e) for e in found] for n, found in form.errors.items()})
    is_panel = request.headers.get("Lotsawa-Fragment") == "panel"
    template = "annotation/term_propose.html" + ("#panel" if is_panel else "")
    return form_page(request, template, form, _context(project) | {"is_panel": is_panel})


@require_http_methods(["GET", "HEAD", "POST"])
def decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Accept a proposal, as it is or changed, or decline it with a reason."""
    user = current_user(request)
    project = project_for(user, slug, CHANGE)
    proposal = proposal_of(project, user, pk)
    form = DecisionForm(request.POST or None, project=project, initial=initial_of(proposal))
    if request.method == "POST" and form.is_valid():
        try:
            _decide(proposal, user, form)
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(
                request, _("Your decision is saved. The person who proposed the term sees it.")
            )
            return redirect("annotation:term-proposals", slug)
    context = _context(project) | {"proposal": proposal}
    return form_page(request, "annotation/term_decide.html", form, context)


def _propose(project: Project, user: User, form: ProposalForm) -> TermProposal:
    term = form.cleaned_data["term"]
    return propose_term(
        project=project,
        values=form.values(),
        comment=form.cleaned_data["comment"],
        term=term_of(project, term) if term else None,
        item=item_named(project, form.cleaned_data["item"]),
        actor=user,
        now=timezone.now(),
    )


def _proposed(request: HttpRequest, proposal: TermProposal) -> HttpResponse:
    if wants_json(request):
        return JsonResponse({"proposal": proposal.pk})
    messages.success(request, _("Proposed. You will see the decision here."))
    return redirect("annotation:term-proposals", proposal.project.slug)


def _decide(proposal: TermProposal, user: User, form: DecisionForm) -> None:
    reason, now = form.cleaned_data["reason"], timezone.now()
    if form.cleaned_data["decision"] == DecisionForm.DECLINE:
        decline_proposal(proposal=proposal, reason=reason, actor=user, now=now)
        return
    accept_proposal(proposal=proposal, values=form.values(), reason=reason, actor=user, now=now)


def _prefilled(request: HttpRequest, project: Project) -> dict[str, Any]:
    given = {
        name: request.GET[name].replace("\0", "")[:500] for name in PREFILLED if name in request.GET
    }
    if given.get("term", "").isdecimal():
        return initial_of(term_of(project, int(given["term"]))) | given
    return given


def _context(project: Project) -> dict[str, Any]:
    return {"project": project, "section": "glossary"}
