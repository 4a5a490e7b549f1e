"""Finds models for requests and commands, with permissions."""

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.rules import administrator
from common.errors import DomainError
from endpoints.models import ModelSpec
from endpoints.specs.queries import current_models, own_models
from projects.models import Project
from projects.selectors import project_for


class ModelUnknown(DomainError):
    code = "model_unknown"
    detail = _("There is no model “%(name)s” here. Add it first.")
    status = 404


class ModelOfServer(DomainError):
    code = "model_of_server"
    detail = _(
        "“%(name)s” is a model of the whole server. Ask an administrator to change it, or add a "
        "model of this project with another name."
    )
    status = 403


def get_model(project: Project, name: str) -> ModelSpec:
    """Return the latest revision of the model `name`. Raises ModelUnknown."""
    spec = current_models(project).filter(name=name).first()
    if spec is None:
        raise ModelUnknown(name=name)
    return spec


def get_own_model(project: Project | None, name: str) -> ModelSpec:
    """Return the latest revision of a model of a project, or for None of the server.

    Raises ModelOfServer, ModelUnknown.
    """
    spec = own_models(project).filter(name=name).first()
    if spec is not None:
        return spec
    if project is not None and current_models(project).filter(name=name).exists():
        raise ModelOfServer(name=name)
    raise ModelUnknown(name=name)


def owner_for(user: User, slug: str, permission: str) -> Project | None:
    """Return the project whose models `user` may see or change; None, the server, without a slug.

    Raises Http404, PermissionDenied.
    """
    if slug:
        return project_for(user, slug, permission)
    administrator(user, "endpoints.change_server_endpoints")
    return None
