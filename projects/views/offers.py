"""The page of what invitations say of the work."""

from dataclasses import asdict

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.offers import offer_lines
from accounts.rules import current_user
from common.errors import DomainError
from projects.actions.offers import OfferContent, change_offer, offer_in_invitation, offer_of
from projects.enums import Role
from projects.forms import OfferForm, show_refusal
from projects.selectors import project_for
from projects.views.form_pages import form_page


@require_http_methods(["GET", "POST"])
def offer(request: HttpRequest, slug: str) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "projects.change_members")
    form = OfferForm(request.POST or None, initial=asdict(offer_of(project)))
    if request.method == "POST" and form.is_valid():
        content = OfferContent(**form.cleaned_data)
        try:
            change_offer(project=project, content=content, actor=user, now=timezone.now())
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(request, _("Saved. The next invitations will say this."))
            return redirect("projects:offer", slug)
    lines = offer_lines(offer_in_invitation(project, Role.REVIEWER))
    context = {"project": project, "section": "members", "lines": lines}
    return form_page(request, "projects/offer.html", form, context)
