"""The page of a member's pay: the rate from a month on, and the rates so far."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from accounts.rules import current_user
from common.errors import DomainError
from common.months import month_of
from projects.actions.pay import set_pay_rate, set_pay_rate_for_all_without
from projects.forms import PayRateForm, show_refusal
from projects.queries import members_of, pay_rates_of
from projects.selectors import project_for
from projects.views.form_pages import form_page


@require_http_methods(["GET", "POST"])
def pay(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    user = current_user(request)
    project = project_for(user, slug, "projects.change_pay")
    membership = get_object_or_404(members_of(project), pk=pk)
    rates = list(pay_rates_of(membership))
    initial = {"month": request.GET.get("month") or str(month_of(timezone.now()))}
    if rates:
        initial |= {"hourly": str(rates[0].hourly), "currency": rates[0].currency}
    form = PayRateForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        is_for_others = values.pop("is_for_others")
        told = {"membership": membership, "actor": user, "now": timezone.now(), **values}
        try:
            rates = (
                set_pay_rate_for_all_without(**told) if is_for_others else [set_pay_rate(**told)]
            )
        except DomainError as error:
            show_refusal(form, error)
        else:
            messages.success(request, _said(len(rates)))
            return redirect("projects:pay", slug, pk)
    context = {"project": project, "section": "members", "membership": membership, "rates": rates}
    return form_page(request, "projects/pay.html", form, context)


def _said(count: int) -> str:
    if count == 1:
        return _("Saved.")
    words = ngettext("Saved for %(count)s person.", "Saved for %(count)s people.", count)
    return words % {"count": count}
