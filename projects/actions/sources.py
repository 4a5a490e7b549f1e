"""Every write to sources that a person asks for; imports add the rows."""

from dataclasses import asdict, dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from common.errors import DomainError
from projects.models import Source


class SourceInvalid(DomainError):
    code = "source_invalid"
    detail = _("Some values of this source are not valid.")
    status = 400


class SourceTaken(DomainError):
    code = "source_taken"
    detail = _("This project already has a source with this name and version. Choose another one.")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceValues:
    """What a person can say about a source; the checksum of its file is not theirs to change."""

    name: str
    revision: str = ""
    url: str = ""
    licence: str = ""
    attribution: str = ""


@transaction.atomic
def change_source(
    *, source: Source, values: SourceValues, actor: User | None, now: datetime
) -> Source:
    """Correct what is known about a source; releases that are built already keep what they say.

    The audit event holds the values from before. Raises SourceInvalid, SourceTaken.
    """
    fields = {name: text.strip() for name, text in asdict(values).items()}
    before = {name: getattr(source, name) for name in fields}
    if fields == before:
        return source
    for name, text in fields.items():
        setattr(source, name, text)
    _check_fields(source)
    try:
        with transaction.atomic():
            source.save(update_fields=list(fields))
    except IntegrityError as error:
        raise SourceTaken from error
    record_event(
        actor=actor,
        verb="source.changed",
        target=f"source:{source.pk}",
        scope=source.project.slug,
        data={
            "before": {name: before[name] for name, text in fields.items() if text != before[name]}
        },
        now=now,
    )
    return source


def _check_fields(source: Source) -> None:
    try:
        source.clean_fields(exclude=["project", "checksum"])
    except ValidationError as error:
        raise SourceInvalid(fields=error.message_dict) from error
    if "\0" in source.name + source.revision + source.licence + source.attribution:
        raise SourceInvalid
