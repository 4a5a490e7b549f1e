"""The page where managers edit the texts of cards and citations."""

from django.contrib import messages
from django.forms.models import model_to_dict
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.rules import current_user
from common.errors import DomainError
from projects.models import Project
from projects.queries import contributors_to_name
from projects.selectors import project_for
from releases.details.actions import change_details
from releases.details.forms import DetailsForm
from releases.models import ReleaseDetails


@require_http_methods(["GET", "HEAD", "POST"])
def details(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "releases.build_release")
    form = DetailsForm(request.POST or None, initial=_initial(project))
    if request.method == "POST" and form.is_valid():
        asked = form.details_request()
        try:
            change_details(project=project, request=asked, actor=user, now=timezone.now())
        except DomainError as error:
            for name, words in error.fields.items():
                form.add_error(name, words)
        else:
            messages.success(request, _("Saved. The next release will say this."))
            return redirect("releases:details", slug)
    context = {
        "project": project,
        "section": "releases",
        "form": form,
        "contributors": contributors_to_name(project).count(),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "releases/details/details.html", context, status=status)


def _initial(project: Project) -> dict[str, str]:
    row = ReleaseDetails.objects.filter(project=project).first()
    return {**model_to_dict(row, exclude=["id", "project", "prose"]), **row.prose} if row else {}
