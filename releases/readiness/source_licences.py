"""Compare the licences of a project's sources with that of its release."""

from dataclasses import dataclass
from typing import NamedTuple

from projects.models import Project
from releases.details.licences import conflicts, fitting, hub_id
from releases.details.queries import project_details


class Stated(NamedTuple):
    """A source with what it says of its licence."""

    name: str
    licence: str
    url: str


@dataclass(frozen=True, slots=True)
class LicenceState:
    """The sources whose licences need attention, each group by name.

    `unknown` have a licence that the Hub has no id for and no address to link to. `differing` are
    all that state one, where they differ and none was chosen for the release; `fitting` is the one
    of theirs that all allow.
    """

    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    conflicting: tuple[str, ...]
    differing: tuple[str, ...]
    fitting: str


def licence_state(project: Project) -> LicenceState:
    """Compare the licences of all sources with that of the release."""
    stated = _stated(project)
    licences = {each.name: each.licence for each in stated if each.licence}
    chosen = project_details(project).licence.strip()
    is_translated = project.source_language != project.target_language
    fit = fitting(licences, is_translated=is_translated)
    found = _conflicts(chosen or fit, licences, is_translated=is_translated)
    named = tuple(f"{name}: {licence}" for name, licence in sorted(licences.items()))
    is_open = not chosen and len(set(licences.values())) > 1 and not found
    return LicenceState(
        missing=tuple(each.name for each in stated if not each.licence),
        unknown=tuple(f"{each.name}: {each.licence}" for each in stated if _is_unlinked(each)),
        conflicting=tuple(f"{name}: {licence}" for name, licence in found.items()),
        differing=named if is_open else (),
        fitting=fit,
    )


def licence_conflicts(project: Project) -> tuple[str, ...]:
    """Return the sources whose licence that of the release does not meet."""
    return licence_state(project).conflicting


def _conflicts(licence: str, licences: dict[str, str], *, is_translated: bool) -> dict[str, str]:
    """Return the conflicts with `licence`; if it is empty, every source at odds with another."""
    found: dict[str, str] = {}
    for each in [licence] if licence else licences.values():
        found |= conflicts(each, licences, is_translated=is_translated)
    return dict(sorted(found.items()))


def _stated(project: Project) -> list[Stated]:
    """Return the sources by name; those of one name with different licences have their revision beside it."""
    found: dict[str, Stated] = {}
    rows = project.sources.order_by("name", "pk").values_list("name", "revision", "licence", "url")
    for name, revision, licence, url in rows:
        told = Stated(name, licence.strip(), url)
        if found.setdefault(name, told).licence != told.licence:
            label = f"{name} {revision}".strip()
            found[label] = Stated(label, *told[1:])
    return list(found.values())


def _is_unlinked(source: Stated) -> bool:
    return bool(source.licence) and not hub_id(source.licence) and not source.url
