"""The page where people decide whether releases of a project name them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.rules import current_user
from common.errors import DomainError
from projects.actions.contributors import choose_own_name
from projects.forms import ContributorForm, show_refusal
from projects.queries import contributor_of
from projects.selectors import project_to_be_named_in
from projects.views.form_pages import form_page


@require_http_methods(["GET", "POST"])
def contributor(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_to_be_named_in(user, slug)
    own = contributor_of(user, project)
    initial = {"is_named": own is not None, "name": own.name if own else user.name}
    form = ContributorForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["name"] if form.cleaned_data["is_named"] else None
        try:
            choose_own_name(project=project, actor=user, name=name, now=timezone.now())
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(request, _("Saved. This applies to releases built from now on."))
            return redirect("review:my-work")
    return form_page(request, "projects/contributor.html", form, {"project": project, "own": own})
