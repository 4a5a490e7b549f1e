"""Writes model specs. A change is always a new revision."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.actions import record_event
from accounts.models import User
from common.errors import DomainError
from endpoints.actions import check_allowed
from endpoints.enums import ProviderName
from endpoints.models import BATCH_FACTOR, Endpoint, ModelSpec
from endpoints.parameters import NAME, ParameterFault, find_fault
from endpoints.providers.translation.catalogue import ENGINES
from endpoints.providers.translation.http_template import KEY_SLOT, template_fault
from endpoints.selectors import EndpointUnknown, get_endpoint
from endpoints.specs.queries import current_models, own_models
from projects.models import Project

MODEL_NAME_LENGTH = 200
MOST_PRICE = 99_999
MONTH = re.compile(r"20[0-9]{2}-(0[1-9]|1[0-2])")
LEAST_SIZE, MOST_SIZE = Decimal("0.0001"), 99_999


class ModelInvalid(DomainError):
    code = "model_invalid"
    detail = gettext_lazy("Some values are not valid.")
    status = 400


class ModelExists(DomainError):
    code = "model_exists"
    detail = gettext_lazy("There is already a model “%(name)s” here. Revise it instead.")


class ModelUnchanged(DomainError):
    code = "model_unchanged"
    detail = gettext_lazy("You have not changed anything, so there is no new revision.")


class ModelOutdated(DomainError):
    code = "model_outdated"
    detail = gettext_lazy("Someone else has revised this model. Start from the latest revision.")


class ModelRetired(DomainError):
    code = "model_retired"
    detail = gettext_lazy(
        "The model “%(name)s” is retired. Bring it back, or choose another model."
    )


class ModelTranslatesOnly(DomainError):
    code = "model_translates_only"
    detail = gettext_lazy(
        "“%(name)s” is a translation engine and answers no prompts. Choose another model."
    )


@dataclass(frozen=True, slots=True)
class SpecValues:
    """What can change between revisions; `endpoint` is the name of an existing endpoint.

    Prices are US dollars for a million tokens, `size` is billions of parameters; None if they are
    not known. A batch file costs `batch_factor` times the prices. `cutoff` is a month, such as
    2024-06, or empty. `tuned_from` is the name of another model of the project, or empty.
    """

    endpoint: str
    model: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    prompt_price: Decimal | None = None
    completion_price: Decimal | None = None
    size: Decimal | None = None
    batch_factor: Decimal = BATCH_FACTOR
    cutoff: str = ""
    tuned_from: str = ""


def create_model(
    *, project: Project | None, name: str, values: SpecValues, actor: User | None, now: datetime
) -> ModelSpec:
    """Store revision 1 of a new model spec, of the server if `project` is None, and an audit row.

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

    Raises ModelInvalid, ModelUnchanged, ModelRetired, and ModelOutdated if `spec` is not the latest
    revision.
    """
    check_not_retired(spec)
    endpoint, clean = _clean(spec.project, spec.name, values)
    if clean == _values_of(spec) and endpoint == spec.endpoint:
        raise ModelUnchanged
    number = spec.revision + 1
    with transaction.atomic():
        _lock_latest(spec)
        revised = _insert(
            spec.project, spec.name, number, endpoint, clean, actor, now, ModelOutdated()
        )
        _record(revised, "model.revised", actor, now)
    return revised


@transaction.atomic
def retire_model(*, spec: ModelSpec, actor: User | None, now: datetime) -> None:
    """Start no more work with a model, and record it. Its runs and figures stay.

    Raises ModelRetired, and ModelOutdated if `spec` is not the latest revision.
    """
    _lock_latest(spec)
    ModelSpec.objects.filter(pk=spec.pk).update(retired_at=now)
    _record(spec, "model.retired", actor, now)


@transaction.atomic
def return_model(*, spec: ModelSpec, actor: User | None, now: datetime) -> None:
    """Bring back a retired model, and record it. For one that is not retired nothing changes."""
    if ModelSpec.objects.filter(pk=spec.pk, retired_at__isnull=False).update(retired_at=None):
        _record(spec, "model.returned", actor, now)


def check_not_retired(spec: ModelSpec) -> None:
    """Raise ModelRetired where no work may be started with a model, with any revision of it."""
    revisions = ModelSpec.objects.filter(project=spec.project_id, name=spec.name)
    if revisions.order_by("revision").values_list("retired_at", flat=True).last():
        raise ModelRetired(name=spec.name)


def check_answers_prompts(spec: ModelSpec) -> None:
    """Raise ModelTranslatesOnly for a plain translation engine."""
    if spec.endpoint.provider in ENGINES:
        raise ModelTranslatesOnly(name=spec.name)


def _lock_latest(spec: ModelSpec) -> None:
    """Let nobody else revise or retire a model until the end. Raises ModelRetired, ModelOutdated."""
    ModelSpec.objects.select_for_update(no_key=True).get(pk=spec.pk)
    check_not_retired(spec)
    if own_models(spec.project).get(name=spec.name).pk != spec.pk:
        raise ModelOutdated


def _clean(project: Project | None, name: str, values: SpecValues) -> tuple[Endpoint, SpecValues]:
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
    faults |= _price_faults(values) | _stated_faults(project, name, values)
    try:
        endpoint = get_endpoint(project, values.endpoint)
    except EndpointUnknown as error:
        raise ModelInvalid(fields=faults | {"endpoint": [str(error)]}) from error
    is_template = endpoint.provider == ProviderName.HTTP_TEMPLATE
    if is_template and (name := template_fault(values.parameters)):
        faults.setdefault("parameters", [_template_text(name)])
    if faults:
        raise ModelInvalid(fields=faults)
    check_allowed(endpoint.base_url)
    return endpoint, replace(
        values, endpoint=endpoint.name, model=model, parameters=dict(values.parameters)
    )


def _template_text(name: str) -> str:
    if name == KEY_SLOT:
        return _("Remove %s. The endpoint's key is sent as a bearer token.") % name
    return _("This parameter can't be used: %s") % name


def _price_faults(values: SpecValues) -> dict[str, list[str]]:
    """Return what is wrong with the prices: both are given or none, with bounds that the columns have."""
    prices = {"prompt_price": values.prompt_price, "completion_price": values.completion_price}
    if not 0 <= values.batch_factor <= 1:
        return {"batch_factor": [_("Enter a number from 0 to 1: 0.5 is half the price.")]}
    if all(price is None for price in prices.values()):
        return {}
    words = _("Enter a price from 0 to 99,999 for prompts and for answers, or leave both empty.")
    return {
        name: [words]
        for name, price in prices.items()
        if price is None or not 0 <= price <= MOST_PRICE
    }


def _stated_faults(project: Project | None, name: str, values: SpecValues) -> dict[str, list[str]]:
    """Return what is wrong with the values that only figures and reports rest on."""
    faults: dict[str, list[str]] = {}
    if values.size is not None and not LEAST_SIZE <= values.size <= MOST_SIZE:
        faults["size"] = [_("Enter billions of parameters, such as 7 or 0.5, or leave it empty.")]
    if values.cutoff and not MONTH.fullmatch(values.cutoff):
        faults["cutoff"] = [_("Enter a year and a month, such as 2024-06, or leave it empty.")]
    others = current_models(project).exclude(name=name)
    if values.tuned_from and not others.filter(name=values.tuned_from).exists():
        faults["tuned_from"] = [_("Enter the name of another model of the project.")]
    return faults


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
    return SpecValues(
        spec.endpoint.name,
        spec.model,
        spec.parameters,
        spec.prompt_price,
        spec.completion_price,
        spec.size,
        spec.batch_factor,
        spec.cutoff,
        spec.tuned_from,
    )


def _insert(
    project: Project | None,
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
                prompt_price=values.prompt_price, completion_price=values.completion_price,
                size=values.size, batch_factor=values.batch_factor, cutoff=values.cutoff,
                tuned_from=values.tuned_from, created_by=actor, created_at=now,
            )  # fmt: skip
    except IntegrityError as error:
        raise refusal from error


def _record(spec: ModelSpec, verb: str, actor: User | None, now: datetime) -> None:
    data: dict[str, Any] = {"name": spec.name, "revision": spec.revision}
    record_event(
        actor=actor, verb=verb, target=f"model:{spec.pk}", scope=spec.project.slug if spec.project else "", data=data,
        now=now,
    )  # fmt: skip
