"""Finds models for requests and commands, with permissions."""

from django.http import Http404
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from endpoints.models import ModelSpec
from endpoints.specs.queries import current_models
from projects.models import Project
from projects.selectors import project_for


class ModelUnknown(DomainError):
    code = "model_unknown"
    detail = _("There is no model “%(name)s” in this project. Add it first.")
    status = 404


def get_model(project: Project, name: str) -> ModelSpec:
    """Return the latest revision of the model `name`. Raises ModelUnknown."""
    spec = current_models(project).filter(name=name).first()
    if spec is None:
        raise ModelUnknown(name=name)
    return spec


def model_for(
    user: User, slug: str, name: str, permission: str = "endpoints.change_models"
) -> ModelSpec:
    """Return the latest revision of a model if `user` has the permission. Raises Http404, PermissionDenied."""
    project = project_for(user, slug, permission)
    spec = current_models(project).filter(name=name).first()
    if spec is None:
        raise Http404
    return spec
