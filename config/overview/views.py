"""A person's home and the overview of a project, as pages."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.actions import mark_news_seen
from accounts.rules import current_user
from common.pagination import listed_page
from config.overview.home import home_of
from config.overview.presenters import funnel_steps, stage_rows
from config.overview.queries import overview
from projects.queries import projects_of
from projects.selectors import project_for
from review.figures.labels import simulated_text
from review.report.charts import approval_chart
from review.rounds.queries import progress_told_to


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show what waits for the person, what is new, and their projects."""
    user = current_user(request)
    page = listed_page(request, projects_of(user), order=["-pk"])
    context = {
        "page": page,
        "home": home_of(user, page.rows, now=timezone.now()),
        "can_create": user.has_perm("projects.create_project"),
    }
    return render(request, "config/overview/home.html", context)


@require_POST
def mark_seen(request: HttpRequest) -> HttpResponse:
    """Mark what is new as seen."""
    mark_news_seen(user=current_user(request), now=timezone.now())
    return redirect("home")


@require_safe
def project_overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Show where the items are, what waits for whom, and the figures of each stage."""
    user = current_user(request)
    project = project_for(user, slug, "projects.view_project")
    found = overview(project, user, now=timezone.now())
    current = found.current
    steps = funnel_steps(project, found.funnel, user)
    context = {
        "project": project,
        "section": "overview",
        "overview": found,
        "steps": steps[:1] if found.figures_wait else steps,
        "simulated_mark": simulated_text(found.simulated) if found.simulated else "",
        "approval_chart": approval_chart(found.stages),
        "stages": stage_rows(slug, found.stages),
        "current": current,
        "unfinished": found.unfinished,
        "progress": progress_told_to(user, current) if current else None,
        "can_judge": found.mine is not None and found.mine.place.can_take,
        "names_people": user.has_perm("projects.view_members", project),
    }
    return render(request, "config/overview/overview.html", context)
