"""How every page with one form answers."""

from typing import Any

from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def form_page(
    request: HttpRequest, template: str, form: Form, context: dict[str, Any]
) -> HttpResponse:
    """The page of a form: 400 where what was sent is not taken."""
    status = 400 if form.is_bound else 200
    return render(request, template, context | {"form": form}, status=status)
