"""How requests and commands reach an endpoint: by name, within what the project may use."""

from django.db.models import F
from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from endpoints.models import Endpoint
from projects.models import Project


class EndpointUnknown(DomainError):
    code = "endpoint_unknown"
    detail = _("There is no endpoint “%(name)s” here. You can use: %(known)s.")
    status = 404


def get_endpoint(project: Project | None, name: str) -> Endpoint:
    """Return the endpoint that a project may use under this name, its own first.

    For None, return that of the server. Raises EndpointUnknown.
    """
    usable = Endpoint.objects.usable_in(project)
    own_first = F("project").desc(nulls_last=True)
    found: Endpoint | None = usable.filter(name=name).order_by(own_first).first()
    if found is None:
        known = ", ".join(usable.order_by("name").values_list("name", flat=True)) or "–"
        raise EndpointUnknown(name=name, known=known)
    return found
