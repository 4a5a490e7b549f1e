"""Writes model specs and prompt templates; a change of either is a new revision, never an edit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.actions import record_event
from accounts.models import User
from annotation.models import Project
from common.errors import DomainError
from evaluation.models import ModelSpec, PromptTemplate
from evaluation.parameters import (
    KEY_VARIABLE,
    NAME,
    ParameterFault,
    find_fault,
    is_allowed_endpoint,
)
from evaluation.providers.openai_compatible import BaseUrlError, clean_base_url
from evaluation.queries.specs import builtin_prompts, current_models

MODEL_NAME_LENGTH = 200
URL_LENGTH = 300
MOST_REQUESTS_PER_MINUTE = 100_000


class ModelInvalid(DomainError):
    code = "model_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


class ModelExists(DomainError):
    code = "model_exists"
    detail = gettext_lazy("There is already a model “%(name)s” in this project. Revise it instead.")


class ModelUnchanged(DomainError):
    code = "model_unchanged"
    detail = gettext_lazy("Nothing has changed, so there is no new revision.")


class ModelOutdated(DomainError):
    code = "model_outdated"
    detail = gettext_lazy("Somebody has revised this model meanwhile. Look at the latest revision.")


@dataclass(frozen=True, slots=True)
class SpecValues:
    """What can change from revision to revision of a model spec."""

    base_url: str
    model: str
    api_key_env: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)
    requests_per_minute: int | None = None


def create_model(
    *, project: Project, name: str, values: SpecValues, actor: User | None, now: datetime
) -> ModelSpec:
    """Store revision 1 of a new model spec and an audit row. Raises ModelInvalid, ModelExists."""
    clean = _clean(name, values)
    with transaction.atomic():
        spec = _insert(project, name, 1, clean, actor, now, refusal=ModelExists(name=name))
        _record(spec, "model.created", actor, now)
    return spec


def revise_model(
    *, spec: ModelSpec, values: SpecValues, actor: User | None, now: datetime
) -> ModelSpec:
    """Store the next revision of `spec` and an audit row; runs keep the revision they used.

    Raises ModelInvalid, ModelUnchanged, and ModelOutdated when `spec` is not the latest.
    """
    clean = _clean(spec.name, values)
    if clean == _values_of(spec):
        raise ModelUnchanged
    latest = current_models(spec.project).get(name=spec.name)
    if latest.pk != spec.pk:
        raise ModelOutdated
    number = spec.revision + 1
    with transaction.atomic():
        revised = _insert(spec.project, spec.name, number, clean, actor, now, ModelOutdated())
        _record(revised, "model.revised", actor, now)
    return revised


def ensure_default_prompts(*, project: Project, now: datetime) -> None:
    """Give the project the built-in prompts of its target language where it has none of the name."""
    missing = builtin_prompts(project, now=now)
    if missing:
        PromptTemplate.objects.bulk_create(missing, ignore_conflicts=True)


def check_endpoint(base_url: str) -> None:
    """Raise ModelInvalid when the installation does not let runs call `base_url`."""
    if not is_allowed_endpoint(base_url, settings.ALLOWED_ENDPOINTS):
        known = ", ".join(settings.ALLOWED_ENDPOINTS)
        text = _("This installation calls these endpoints only: %s.") % known
        raise ModelInvalid(fields={"base_url": [text]})


def _clean(name: str, values: SpecValues) -> SpecValues:
    """The values as they are stored. Raises ModelInvalid with every fault found."""
    faults: dict[str, list[str]] = {}
    if not NAME.fullmatch(name):
        faults["name"] = [_("Use 1 to 100 Latin letters, digits, “.”, “_” and “-”.")]
    model = values.model.strip()
    if not 0 < len(model) <= MODEL_NAME_LENGTH or not model.isprintable():
        faults["model"] = [_("Give the model's name at the endpoint, at most 200 characters.")]
    key = values.api_key_env.strip()
    if key and not KEY_VARIABLE.fullmatch(key):
        faults["api_key_env"] = [
            _("Give the name of a variable such as OPENAI_API_KEY: capitals, ending in _API_KEY or"
              " _API_TOKEN, not beginning with LOTSAWA_. The key itself is never entered here.")
        ]  # fmt: skip
    if fault := find_fault(values.parameters):
        faults["parameters"] = [_parameter_text(fault)]
    limit = values.requests_per_minute
    if limit is not None and not 1 <= limit <= MOST_REQUESTS_PER_MINUTE:
        faults["requests_per_minute"] = [_("Give a whole number from 1 to 100,000, or nothing.")]
    url = _clean_url(values.base_url, faults)
    if faults:
        raise ModelInvalid(fields=faults)
    check_endpoint(url)
    return SpecValues(url, model, key, dict(values.parameters), limit)


def _clean_url(value: str, faults: dict[str, list[str]]) -> str:
    try:
        url = clean_base_url(value)
    except BaseUrlError as error:
        faults["base_url"] = [_url_text(error.code)]
        return ""
    if len(url) > URL_LENGTH:
        faults["base_url"] = [_("The address is longer than 300 characters.")]
    return url


def _url_text(code: str) -> str:
    return {
        "malformed": _("The address is malformed."),
        "scheme": _("The address must begin with http:// or https://."),
        "host": _("The address names no host."),
        "credentials": _("The address must not hold a user name or a password."),
        "query": _("The address must not have a query or a fragment."),
    }[code]


def _parameter_text(fault: ParameterFault) -> str:
    if fault.code == "secret":
        return _("“%s” is a secret. Name the environment variable of the key instead.") % fault.name
    if fault.code == "range":
        values = {"name": fault.name, "low": fault.low, "high": fault.high}
        return _("%(name)s must be a number from %(low)s to %(high)s.") % values
    if fault.code == "too_long":
        return _("The parameters are longer than 4,000 characters.")
    return _("These parameters can't be used: %s") % fault.name


def _values_of(spec: ModelSpec) -> SpecValues:
    return SpecValues(
        spec.base_url, spec.model, spec.api_key_env, spec.parameters, spec.requests_per_minute
    )


def _insert(
    project: Project,
    name: str,
    revision: int,
    values: SpecValues,
    actor: User | None,
    now: datetime,
    refusal: DomainError,
) -> ModelSpec:
    try:
        with transaction.atomic():
            return ModelSpec.objects.create(
                project=project, name=name, revision=revision, base_url=values.base_url,
                model=values.model, parameters=dict(values.parameters),
                api_key_env=values.api_key_env, requests_per_minute=values.requests_per_minute,
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
