"""Pages of people who send submissions: terms, texts, sending, results."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.enums import SignInOutcome
from accounts.models import User
from accounts.rules import current_user
from accounts.throttling import check_attempts, check_network, count_attempt, emails_to
from common.errors import DomainError
from common.pagination import listed_page
from projects.forms import show_refusal
from projects.views.form_pages import form_page
from releases.enums import HiddenPart
from releases.files.downloads import send_artifact
from releases.files.exporters.all_hidden import TEXTS_NAME
from releases.models import Release
from submissions.actions.endpoints import send_endpoint
from submissions.actions.moderating import restore_submission, withdraw_submission
from submissions.actions.sending import AnswersInvalid, cancel_submission, send_submission
from submissions.actions.teams import join_team, request_account
from submissions.checking import Unreadable
from submissions.forms import AccountForm, EndpointForm, JoinForm, SubmissionForm, TermsForm
from submissions.models import Participant, Submission, SubmissionPolicy, Team
from submissions.presenters import (
    as_json,
    category_rows,
    fault_rows,
    listing_words,
    per_cent,
    result_words,
    with_words,
)
from submissions.queries import (
    hidden_count,
    is_inside,
    participant_of,
    quota_left,
    scores_left,
    standing_of,
    submissions_of,
    takes_dictionaries,
)
from submissions.selectors import (
    Part,
    SubmissionsClosed,
    TermsNotAccepted,
    may_send,
    part_for,
    sender_for,
    submission_for,
    taking_endpoints,
    taking_release,
    waits_for_admission,
)
from submissions.turns import TooManyAtOnce, turn_for

PAGE_ROWS = 50
SAFE_OR_POST = ["GET", "HEAD", "POST"]
NETWORK_LIMITED = (SignInOutcome.RESET_ASKED,)


@require_http_methods(SAFE_OR_POST)
def part(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Show terms, quota and the team's submissions, which stay readable; posting sends one."""
    user = current_user(request)
    found = part_for(user, slug, version)
    if not found.is_taking:
        if request.method == "POST":
            raise SubmissionsClosed
        return render(request, "submissions/part.html", _context(request, found))
    form = SubmissionForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            return _to_sent(request, _send(form, user, found))
        except TermsNotAccepted:
            return _to_terms(request, found.release)
        except TooManyAtOnce:
            raise  # a page of its own, which sends the file again when it is loaded again
        except Unreadable as error:
            form.add_error("file", str(error))
        except DomainError as error:
            show_refusal(form, error)
            faults = fault_rows(error.current) if isinstance(error, AnswersInvalid) else []
            context = _context(request, found) | {"form": form, "faults": faults}
            return render(request, "submissions/part.html", context, status=error.status)
    return form_page(request, "submissions/part.html", form, _context(request, found))


@sensitive_post_parameters("key")
@require_http_methods(SAFE_OR_POST)
def endpoint(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Take the address and key of the team's endpoint, which this server asks."""
    user = current_user(request)
    release, policy = taking_endpoints(slug, version)
    try:
        sender = sender_for(user, release, policy)
    except TermsNotAccepted:
        return _to_terms(request, release)
    form = EndpointForm(request.POST or None)
    context = {"release": release, "policy": policy, "form": form}
    if request.method == "POST" and form.is_valid():
        try:
            sent = send_endpoint(
                release=release,
                sender=sender,
                declared=form.declared(),
                endpoint=form.endpoint(),
                now=timezone.now(),
            )
        except DomainError as error:
            show_refusal(form, error)
            return render(request, "submissions/endpoint.html", context, status=error.status)
        return _to_sent(request, sent)
    return form_page(request, "submissions/endpoint.html", form, context)


@require_http_methods(["POST"])
def join(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Accept the terms, in a new team or in one that is there."""
    user = current_user(request)
    release, policy = taking_release(slug, version)
    form = _join_form(participant_of(release.project, user), policy, request.POST)
    if form.is_valid():
        values = {"team": "", "code": "", **form.cleaned_data}
        values.pop("accepts")
        try:
            join_team(project=release.project, user=user, now=timezone.now(), **values)
        except DomainError as error:
            show_refusal(form, error)
        else:
            return redirect("submissions:part", slug, version)
    found = Part(release, policy, is_taking=True, latest=version)
    context = _context(request, found) | {"form": SubmissionForm(), "join_form": form}
    return render(request, "submissions/part.html", context, status=400)


@login_not_required
@require_http_methods(SAFE_OR_POST)
def account(request: HttpRequest, slug: str, version: str) -> HttpResponse:
    """Ask for an account; an address that has one already gets the same answer."""
    release, _policy = taking_release(slug, version)
    form = AccountForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        now, kind = timezone.now(), emails_to(form.cleaned_data["email"])
        check_network(request, NETWORK_LIMITED, now)
        check_attempts(request, kind)
        count_attempt(request, kind)
        request_account(release=release, now=now, **form.cleaned_data)
        return render(request, "submissions/account_sent.html", {"release": release})
    return form_page(request, "submissions/account.html", form, {"release": release})


@require_safe
def texts(request: HttpRequest, slug: str, version: str) -> HttpResponseBase:
    """Send the texts whose answers are withheld to those who accepted the terms."""
    release, policy = taking_release(slug, version)
    try:
        sender_for(current_user(request), release, policy)
    except TermsNotAccepted:
        return _to_terms(request, release)
    if release.hidden_part != HiddenPart.WITHHELD:
        raise Http404
    return send_artifact(request, release, TEXTS_NAME)


@require_safe
def submission(request: HttpRequest, pk: int) -> HttpResponse:
    found = submission_for(current_user(request), pk)
    standing = standing_of(found)
    told = standing.score
    context = {
        "submission": found,
        "release": found.release,
        "words": result_words(found, standing),
        "listing": listing_words(found),
        "was": per_cent(told.was) if told and told.was is not None else "",
        "categories": category_rows(standing),
        "body": as_json(found, standing),
    }
    return render(request, "submissions/submission.html", context)


@require_POST
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    user = current_user(request)
    cancel_submission(submission=submission_for(user, pk), actor=user, now=timezone.now())
    return redirect("submissions:submission", pk)


@require_POST
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    user = current_user(request)
    withdraw_submission(submission=submission_for(user, pk), actor=user, now=timezone.now())
    return redirect("submissions:submission", pk)


@require_POST
def restore(request: HttpRequest, pk: int) -> HttpResponse:
    user = current_user(request)
    restore_submission(submission=submission_for(user, pk), actor=user, now=timezone.now())
    return redirect("submissions:submission", pk)


def _send(form: SubmissionForm, user: User, found: Part) -> Submission:
    """Read and send the file of a form, in turn. Raises what `send_submission` and `turn_for` raise."""
    release = found.release
    sender = sender_for(user, release, found.policy)
    with turn_for(size=form.cleaned_data["file"].size, items=hidden_count(release)):
        return send_submission(
            release=release,
            sender=sender,
            declared=form.declared(),
            pairs=form.pairs(),
            now=timezone.now(),
        )


def _to_terms(request: HttpRequest, release: Release) -> HttpResponse:
    """Send somebody to the page where they accept the terms."""
    messages.info(request, _("Accept the terms and name your team first."))
    return redirect("submissions:part", release.project.slug, release.version)


def _to_sent(request: HttpRequest, sent: Submission) -> HttpResponse:
    """Send somebody to the page of what they sent just now."""
    messages.success(request, _("Sent. We will write to you when it is scored."))
    return redirect("submissions:submission", sent.pk)


def _context(request: HttpRequest, found: Part) -> dict[str, Any]:
    """Return what the page of a part shows, to participants with what their team sent."""
    user, release, policy = current_user(request), found.release, found.policy
    place = participant_of(release.project, user)
    context = {
        "found": found,
        "release": release,
        "policy": policy,
        "participant": place,
        "has_joined": place is not None and place.terms_version == policy.terms_version,
        "is_member": is_inside(user, release.project),
        "is_waiting": place is not None and waits_for_admission(place.team, policy),
        "may_send": found.is_taking and may_send(user, place, policy),
        "takes_dictionaries": takes_dictionaries(release, policy),
        "has_texts": release.hidden_part == HiddenPart.WITHHELD,
        "join_form": _join_form(place, policy),
    }
    return context | (_sent_by(request, place.team, release, policy) if place else {})


def _join_form(
    place: Participant | None, policy: SubmissionPolicy, data: QueryDict | None = None
) -> TermsForm:
    """Return the form of the terms; who is in a team already is not asked for one."""
    if place is None:
        return JoinForm(data, initial={"terms_version": policy.terms_version})
    initial = {"terms_version": policy.terms_version, "affiliation": place.affiliation}
    return TermsForm(data, initial=initial)


def _sent_by(
    request: HttpRequest, team: Team, release: Release, policy: SubmissionPolicy
) -> dict[str, Any]:
    """Return a page of a team's submissions, and how many it may still send."""
    page = listed_page(request, submissions_of(team, release), order=["-pk"], size=PAGE_ROWS)
    return {
        "scores_left": scores_left(team, release),
        "left": quota_left(team, policy, now=timezone.now()),
        "page": page,
        "submissions": with_words(list(page.rows)),
    }
