"""The page that lists prompts and their revisions."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.rules import current_user
from projects.selectors import project_for
from prompts.queries import prompts_with_earlier


@require_safe
def prompt_list(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "prompts.view_prompts")
    context = {
        "project": project,
        "section": "runs",
        "prompts": prompts_with_earlier(project, now=timezone.now()),
        "can_change": user.has_perm("prompts.change_prompts", project),
    }
    return render(request, "prompts/list.html", context)
