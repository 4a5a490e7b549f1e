"""Where a form leads back to, if it names a page of ours."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def next_address(request: HttpRequest) -> str:
    """The address in the form's field `next`, '' if it leads elsewhere or is not there."""
    return own_address(request.POST.get("next", ""))


def own_address(wanted: str) -> str:
    """Return an address within the site, '' for one that leads elsewhere."""
    is_ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    return wanted if is_ours and wanted.startswith("/") else ""
