"""The page that takes a file of terms."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from accounts.rules import current_user
from annotation.imports.terms import start_term_import
from projects.selectors import project_for
from projects.views.form_pages import form_page

CHANGE = "annotation.change_glossary"


class TermFileForm(forms.Form):
    file = forms.FileField(
        label=_("File"),
        help_text=_("CSV with a column “source”, or TBX-Basic (DCA, DCT, or of 2008)."),
    )
    dry_run = forms.BooleanField(
        label=_("Dry run"),
        required=False,
        initial=True,
        help_text=_("Shows what the import would do, without writing anything."),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def import_terms(request: HttpRequest, slug: str) -> HttpResponse:
    """Queue the import of a file of terms, or its check, and show the job."""
    user = current_user(request)
    project = project_for(user, slug, CHANGE)
    form = TermFileForm(request.POST or None, request.FILES or None)
    if request.method != "POST" or not form.is_valid():
        context = {"project": project, "section": "glossary"}
        return form_page(request, "annotation/terms_import.html", form, context)
    file = form.cleaned_data["file"]
    started = start_term_import(
        project=project,
        file=file,
        name=file.name,
        is_dry_run=form.cleaned_data["dry_run"],
        actor=user,
        now=timezone.now(),
    )
    return redirect("jobs:job", started.job_id)
