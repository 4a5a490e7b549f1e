"""Compare what licences ask of a release, and find one that meets them all.

A table of the licences that data sets and translation systems have, not legal advice: it knows
attribution, share-alike, non-commercial and no-derivatives, and nothing of exceptions.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from releases.details.values import HUB_LICENCES

_BLANKS = re.compile(r"[\s_]+")
_CREATIVE_COMMONS = re.compile(r"cc-by(?P<nc>-nc)?(?:-(?P<kind>sa|nd))?-(?P<version>\d\.\d)")
_HUB_IDS = {
    "odbl-1.0": "odbl", "odc-by-1.0": "odc-by", "pddl-1.0": "pddl",
    **{f"{name}-3.0{end}": f"{name}-3.0" for name in ("gpl", "lgpl", "agpl") for end in ("-only", "-or-later")},
}  # fmt: skip
_SPDX_IDS = {
    "odbl": "odbl-1.0",
    "odc-by": "odc-by-1.0",
    "pddl": "pddl-1.0",
    **{f"{name}-3.0": f"{name}-3.0-only" for name in ("gpl", "lgpl", "agpl")},
}
_COPYLEFT = {"odbl": "odbl", "gpl-3.0": "gpl", "lgpl-3.0": "gpl", "agpl-3.0": "gpl"}


class Terms(NamedTuple):
    """`share_alike` names the family of licences that a release must stay in, "" for none."""

    share_alike: str = ""
    version: str = ""
    is_non_commercial: bool = False
    has_no_derivatives: bool = False


def hub_id(licence: str) -> str:
    """Return the id that the Hugging Face Hub has for a licence, or "".

    SPDX ids are taken, in any letter case and with blanks for hyphens: `CC BY-NC 4.0`.
    """
    plain = _plain(licence)
    name = _HUB_IDS.get(plain, plain)
    return name if name in HUB_LICENCES else ""


def spdx_id(licence: str) -> str:
    """Return the id of a licence in the SPDX list, in small letters, or ""."""
    plain, name = _plain(licence), hub_id(licence)
    return plain if plain in _HUB_IDS else _SPDX_IDS.get(name, name)


def _plain(licence: str) -> str:
    return _BLANKS.sub("-", licence.strip().lower())


def each_once(licences: Iterable[str]) -> list[str]:
    """Return licences in order, each by the first of its spellings; unknown ones have one each."""
    spelled = sorted({licence.strip() for licence in licences}, reverse=True)
    return sorted({spdx_id(licence) or licence: licence for licence in spelled}.values())


def terms_of(licence: str) -> Terms | None:
    """Return what a licence asks for, or None if the table does not have it."""
    name = hub_id(licence)
    if not name:
        return None
    found = _CREATIVE_COMMONS.fullmatch(name)
    if found is None:
        return Terms(_COPYLEFT.get(name, ""))
    is_shared = found["kind"] == "sa"
    family = f"cc-by{found['nc'] or ''}-sa" if is_shared else ""
    return Terms(family, found["version"], bool(found["nc"]), found["kind"] == "nd")


def conflicts(licence: str, sources: Mapping[str, str], *, is_translated: bool) -> dict[str, str]:
    """Return those of the sources (name → licence) that a release under `licence` must not hold.

    A translation is a derivative. What the table does not know conflicts with nothing.
    """
    wanted = terms_of(licence)
    return {
        name: theirs
        for name, theirs in sorted(sources.items())
        if (terms := terms_of(theirs)) and _forbids(terms, wanted, is_translated=is_translated)
    }


def fitting(sources: Mapping[str, str], *, is_translated: bool) -> str:
    """Return the licence of one of `sources` that all of them allow, or ""."""
    known = sorted({name for licence in sources.values() if (name := hub_id(licence))})
    fit = (one for one in known if not conflicts(one, sources, is_translated=is_translated))
    return next(fit, "")


def _forbids(terms: Terms, wanted: Terms | None, *, is_translated: bool) -> bool:
    if terms.has_no_derivatives and is_translated:
        return True
    if wanted is None:
        return False
    is_same = terms.share_alike == wanted.share_alike and terms.version <= wanted.version
    is_free = terms.is_non_commercial and not wanted.is_non_commercial
    return is_free or bool(terms.share_alike and not is_same)
