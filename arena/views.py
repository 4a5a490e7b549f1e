"""Pages that list and create arenas and show one: ranking, judges, battles."""

from datetime import datetime

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.rules import current_user
from arena.actions.arenas import cancel_judging, create_arena, start_judging
from arena.actions.judges import bring_back_judge, leave_out_judge
from arena.actions.people import claim_battle, judge_battle, take_back_verdict, verdict_to_take_back
from arena.actions.recounting import start_counting
from arena.actions.removing import delete_arena, hide_arena, show_arena
from arena.estimates import estimate_arena
from arena.files import battle_lines
from arena.forms import ArenaForm
from arena.models import Arena
from arena.presenters import (
    battle_rows,
    correlation_rows,
    pair_of,
    panel_of,
    style_rows,
)
from arena.queries import (
    arenas_seen_by,
    has_verdicts,
    judges_of,
    open_runs,
    shown_battles,
    simulated_verdicts,
)
from arena.selectors import arena_for, judge_by_id, seat_for
from common.errors import DomainError
from common.htmx import render_page
from common.pagination import listed_page
from jobs.enums import JobState, Queue
from jobs.queries import is_worker_alive
from projects.forms import show_refusal
from projects.selectors import project_for, why_keys_are_closed
from review.seats.refusals import ReviewerPaused

VIEW = "arena.view_arena"
BATTLES_A_PAGE = 20
LONGEST_NUMBER = 19


@require_safe
def arena_list(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "arena.view_arenas")
    page = listed_page(request, arenas_seen_by(user, project), order=["-pk"])
    closed = why_keys_are_closed(user, project)
    context = {
        "project": project,
        "section": "runs",
        "page": page,
        "closed": closed,
        "can_create": user.has_perm("arena.create_arena", project),
    }
    return render(request, "arena/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form; posting it shows the estimate, and posting that with `confirm` creates the arena."""
    user = current_user(request)
    project = project_for(user, slug, "arena.create_arena")
    form = ArenaForm(user, project, request.POST or None)
    context = {
        "project": project,
        "section": "runs",
        "form": form,
        "has_runs": open_runs(user, project).exists(),
    }
    if request.method != "POST" or not form.is_valid():
        status = 400 if form.is_bound else 200
        return render(request, "arena/create.html", context, status=status)
    try:
        if request.POST.get("confirm"):
            arena = create_arena(
                project=project, settings=form.settings(), actor=user, now=timezone.now()
            )
            return redirect("arena:arena", slug, arena.pk)
        context["estimate"] = estimate_arena(project, form.settings())
    except DomainError as error:
        show_refusal(form, error)
        return render(request, "arena/create.html", context, status=error.status)
    return render(request, "arena/create.html", context)


@require_safe
def detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show an arena; a script that watches the counting gets its progress, and loads the page again at its end."""
    arena = arena_for(current_user(request), slug, pk, VIEW)
    context = _context(request, arena)
    response = render_page(request, "arena/arena.html", context, partial="counting")
    if arena.count_job and arena.count_job.has_ended and getattr(request, "htmx", None):
        response["HX-Refresh"] = "true"
    return response


@require_safe
def battles(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Browse battles on open prompts."""
    arena = arena_for(current_user(request), slug, pk, "arena.view_battles")
    page = listed_page(request, shown_battles(arena), order=["pk"], size=BATTLES_A_PAGE)
    context = {
        "project": arena.project,
        "section": "runs",
        "arena": arena,
        "page": page,
        "rows": battle_rows(page.rows),
    }
    return render(request, "arena/battles.html", context)


@require_safe
def battles_file(request: HttpRequest, slug: str, pk: int) -> StreamingHttpResponse:
    """Send the judgements of battles on open prompts as JSONL."""
    arena = arena_for(current_user(request), slug, pk, "arena.change_arena")
    answer = StreamingHttpResponse(battle_lines(arena), content_type="application/jsonl")
    answer["Content-Disposition"] = f'attachment; filename="{slug}-arena-{pk}.jsonl"'
    return answer


@require_http_methods(["GET", "HEAD", "POST"])
def judge(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show a pair without names; posting stores the verdict or takes the last one back, and shows the next pair."""
    user, now = current_user(request), timezone.now()
    arena = arena_for(user, slug, pk, "arena.judge_battles")
    context: dict[str, object] = {"project": arena.project, "section": "runs", "arena": arena}
    if request.method != "POST":
        return render(request, "arena/judge.html", context)
    seat, status = None, 200
    try:
        _say(request, arena, user, now)
    except DomainError as error:
        context["refusal"], status = error, error.status
    try:
        seat = claim_battle(arena=arena, person=user, now=now)
    except ReviewerPaused as error:
        context["refusal"], status = error, error.status
    context |= {
        "pair": pair_of(seat) if seat else None,
        "is_over": seat is None and "refusal" not in context,
        "last": verdict_to_take_back(arena, user, now=now),
    }
    return render(request, "arena/judge.html", context, status=status)


def _say(request: HttpRequest, arena: Arena, user: User, now: datetime) -> None:
    """Store the verdict of a form, or take the last one back, by the button's `do`."""
    said = request.POST
    if said.get("do") == "take-back":
        taken_back = _number(said.get("taken-back"))
        take_back_verdict(arena=arena, person=user, now=now, seat=taken_back)
    elif number := said.get("seat"):
        judge_battle(
            seat=seat_for(user, _number(number) or 0), verdict=said.get("verdict", ""),
            reason=said.get("reason", ""), now=now,
        )  # fmt: skip


def _number(typed: str | None) -> int | None:
    """Return the number of a seat as a form sends it; 0, which no seat has, for anything odd."""
    if not typed:
        return None
    return int(typed) if typed.isdecimal() and len(typed) < LONGEST_NUMBER else 0


@require_POST
def start(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    arena = arena_for(user, slug, pk, "arena.change_arena")
    start_judging(arena=arena, actor=user, now=timezone.now())
    return redirect("arena:arena", slug, pk)


@require_POST
def cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    arena = arena_for(user, slug, pk, "arena.change_arena")
    cancel_judging(arena=arena, actor=user, now=timezone.now())
    return redirect("arena:arena", slug, pk)


@require_POST
def count(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    arena = arena_for(user, slug, pk, "arena.change_arena")
    start_counting(arena=arena, actor=user, now=timezone.now())
    return redirect("arena:arena", slug, pk)


@require_POST
def change(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Hide the arena from the leaderboard, show it again or delete it, by the button's `do`."""
    user = current_user(request)
    arena, now = arena_for(user, slug, pk, "arena.change_arena"), timezone.now()
    match request.POST.get("do"):
        case "hide":
            reason = request.POST.get("reason", "")
            hide_arena(arena=arena, reason=reason, actor=user, now=now)
        case "show":
            seen = request.POST.get("seen_reason")
            show_arena(arena=arena, seen_reason=seen, actor=user, now=now)
        case "delete":
            delete_arena(arena=arena, actor=user, now=now)
            return redirect("arena:arenas", slug)
        case _:
            return HttpResponse(status=400)
    return redirect("arena:arena", slug, pk)


@require_POST
def change_judge(request: HttpRequest, slug: str, pk: int, judge: int) -> HttpResponse:
    """Leave a judge out of the arena or bring it back, by the button's `do`."""
    user = current_user(request)
    found = judge_by_id(arena_for(user, slug, pk, "arena.change_arena"), judge)
    match request.POST.get("do"):
        case "leave-out":
            reason = request.POST.get("reason", "")
            leave_out_judge(judge=found, reason=reason, actor=user, now=timezone.now())
        case "bring-back":
            seen = request.POST.get("seen_reason")
            bring_back_judge(judge=found, seen_reason=seen, actor=user, now=timezone.now())
        case _:
            return HttpResponse(status=400)
    return redirect("arena:arena", slug, pk)


def _context(request: HttpRequest, arena: Arena) -> dict[str, object]:
    now, user, job = timezone.now(), current_user(request), arena.job
    is_waiting = job is not None and not job.has_ended
    is_counting = arena.count_job is not None and not arena.count_job.has_ended
    return {
        "project": arena.project,
        "section": "runs",
        "arena": arena,
        "panel": panel_of({"bound": arena.bound} | arena.figures, simulated_verdicts(arena)),
        "job": job,
        "seconds_left": job.seconds_left(now) if job else None,
        "is_worker_alive": is_worker_alive(now=now, queue=Queue.CALLS) if is_waiting else None,
        "can_start": not arena.is_imported and (job is None or job.state == JobState.DONE),
        "count_job": arena.count_job,
        "judges": judges_of(arena),
        "has_verdicts": has_verdicts(arena),
        "is_counter_alive": is_worker_alive(now=now) if is_counting else None,
        "styles": style_rows(arena.figures),
        "correlations": correlation_rows(arena.figures),
        "can_judge": user.has_perm("arena.judge_battles", arena)
        and arena.battles.filter(is_sampled=True).exists(),
        "can_manage": user.has_perm("arena.change_arena", arena),
        "can_see_battles": user.has_perm("arena.view_battles", arena),
    }
