"""Keeps the columns of a table by a name, for the next file of its kind."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from annotation.importers.errors import ImportRefused
from annotation.importers.mapped import parse_map
from annotation.imports.opening import FileRefused
from annotation.models import ImportMapping
from common.errors import DomainError
from projects.models import Project


class MappingUnknown(DomainError):
    code = "mapping_unknown"
    status = 404
    detail = _("The project keeps no columns under the name %(name)s.")


class MappingNameInvalid(DomainError):
    code = "mapping_name_invalid"
    detail = _("A name for columns has no = and no line break.")
    status = 400


@transaction.atomic
def keep_mapping(
    *, project: Project, name: str, mapping: str, actor: User | None, now: datetime
) -> ImportMapping:
    """Keep columns under a name, in place of those that had it; keyed by (project, name).

    Raises FileRefused for a mapping that cannot be read, and MappingNameInvalid.
    """
    if not name.isprintable() or "=" in name:
        raise MappingNameInvalid(fields={"keep_as": [str(MappingNameInvalid.detail)]})
    try:
        parse_map(mapping)
    except ImportRefused as refusal:
        raise FileRefused(reason=refusal.code, data=refusal.data) from refusal
    kept, _new = ImportMapping.objects.update_or_create(
        project=project,
        name=name,
        defaults={"mapping": mapping, "kept_by": actor, "kept_at": now},
    )
    record_event(
        actor=actor,
        verb="import-mapping.kept",
        target=f"project:{project.pk}",
        scope=project.slug,
        data={"name": name, "mapping": mapping},
        now=now,
    )
    return kept


def mapping_of(project: Project, said: str) -> str:
    """Return the mapping that is meant: what is written, or what is kept under that name."""
    if not said or "=" in said:
        return said
    kept = ImportMapping.objects.filter(project=project, name=said).first()
    if kept is None:
        raise MappingUnknown(name=said)
    return kept.mapping
