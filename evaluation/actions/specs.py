"""Writes model specs and prompt templates. A change is always a new revision."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.actions import record_event
from accounts.models import User
from common.errors import DomainError
from endpoints.actions import check_allowed
from endpoints.models import Endpoint
from endpoints.parameters import NAME, ParameterFault, find_fault
from endpoints.selectors import EndpointUnknown, get_endpoint
from evaluation.models import ModelSpec, PromptTemplate
from evaluation.queries.specs import builtin_prompts, current_models
from projects.models import Project

MODEL_NAME_LENGTH = 200


class ModelInvalid(DomainError):
    code = "model_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


class ModelExists(DomainError):
    code = "model_exists"
    detail = gettext_lazy("This project already has a model “%(name)s”. Revise it instead.")


class ModelUnchanged(DomainError):
    code = "model_unchanged"
    detail = gettext_lazy("You have not changed anything, so there is no new revision.")


class ModelOutdated(DomainError):
    code = "model_outdated"
    detail = gettext_lazy("Someone else has revised this model. Start from the latest revision.")


@dataclass(frozen=True, slots=True)
class SpecValues:
    """What can change between revisions; `endpoint` is the name of an existing endpoint."""

    endpoint: str
    model: str
    parameters: Mapping[str, object] = field(default_factory=dict)


def create_model(
    *, project: Project, name: str, values: SpecValues, actor: User | None, now: datetime
) -> ModelSpec:
    """Store revision 1 of a new model spec, and an audit row.

    Raises ModelInvalid, ModelExists, EndpointNotAllowed.
    """
    endpoint, clean = _clean(project, name, values)
    with transaction.atomic():
        spec = _insert(
            project, name, 1, endpoint, clean, actor, now, refusal=ModelExists(name=name)
        )
        _record(spec, "model.created", actor, now)
    return spec


def revise_model(
    *, spec: ModelSpec, values: SpecValues, actor: User | None, now: datetime
) -> ModelSpec:
    """Store the next revision of `spec`, and an audit row. Runs keep the revision that they used.

    Raises ModelInvalid, ModelUnchanged, and ModelOutdated if `spec` is not the latest revision.
    """
    endpoint, clean = _clean(spec.project, spec.name, values)
    if clean == _values_of(spec) and endpoint == spec.endpoint:
        raise ModelUnchanged
    latest = current_models(spec.project).get(name=spec.name)
    if latest.pk != spec.pk:
        raise ModelOutdated
    number = spec.revision + 1
    with transaction.atomic():
        revised = _insert(
            spec.project, spec.name, number, endpoint, clean, actor, now, ModelOutdated()
        )
        _record(revised, "model.revised", actor, now)
    return revised


def ensure_default_prompts(*, project: Project, now: datetime) -> None:
    """Add the built-in prompts of the target language, unless there are prompts with their names."""
    missing = builtin_prompts(project, now=now)
    if missing:
        PromptTemplate.objects.bulk_create(missing, ignore_conflicts=True)


def _clean(project: Project, name: str, values: SpecValues) -> tuple[Endpoint, SpecValues]:
    """Return the endpoint and the values to store. Raises ModelInvalid with all faults."""
    faults: dict[str, list[str]] = {}
    if not NAME.fullmatch(name):
        faults["name"] = [_("Use 1 to 100 Latin letters, digits, “.”, “_” and “-”.")]
    model = values.model.strip()
    if not 0 < len(model) <= MODEL_NAME_LENGTH or not model.isprintable():
        faults["model"] = [
            _("Enter the model's name at the endpoint, with at most 200 characters.")
        ]
    if fault := find_fault(values.parameters):
        faults["parameters"] = [_parameter_text(fault)]
    try:
        endpoint = get_endpoint(project, values.endpoint)
    except EndpointUnknown as error:
        raise ModelInvalid(fields=faults | {"endpoint": [str(error)]}) from error
    if faults:
        raise ModelInvalid(fields=faults)
    check_allowed(endpoint.base_url)
    return endpoint, SpecValues(endpoint.name, model, dict(values.parameters))


def _parameter_text(fault: ParameterFault) -> str:
    if fault.code == "secret":
        return (
            _("“%s” is a secret. The key belongs to the endpoint, not to the model.") % fault.name
        )
    if fault.code == "range":
        values = {"name": fault.name, "low": fault.low, "high": fault.high}
        return _("%(name)s must be a number from %(low)s to %(high)s.") % values
    if fault.code == "too_long":
        return _("The parameters must not be longer than 4,000 characters.")
    return _("This parameter can't be used: %s") % fault.name


def _values_of(spec: ModelSpec) -> SpecValues:
    return SpecValues(spec.endpoint.name, spec.model, spec.parameters)


def _insert(
    project: Project,
    name: str,
    revision: int,
    endpoint: Endpoint,
    values: SpecValues,
    actor: User | None,
    now: datetime,
    refusal: DomainError,
) -> ModelSpec:
    try:
        with transaction.atomic():
            return ModelSpec.objects.create(
                project=project, name=name, revision=revision, endpoint=endpoint,
                model=values.model, parameters=dict(values.parameters),
                created_by=actor, created_at=now,
            )  # fmt: skip
    except IntegrityError as error:
        raise refusal from error


def _record(spec: ModelSpec, verb: str, actor: User | None, now: datetime) -> None:
    data: dict[str, Any] = {"name": spec.name, "revision": spec.revision}
    record_event(
        actor=actor, verb=verb, target=f"model:{spec.pk}", scope=spec.project.slug, data=data,
        now=now,
    )  # fmt: skip
