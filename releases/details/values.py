"""The facts that a manager gives about the data set: who made it, how to cite it, what it is for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

LONGEST_PROSE = 20_000
PROSE = ("motivation", "collection", "uses", "limitations", "maintenance", "contributors")
"""The sections of the card that people write, in its order."""

_ORCID = re.compile(r"(?:https://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])", re.ASCII)
_DOI = re.compile(
    r"(?:https?://(?:dx\.)?doi\.org/|doi:)?(10\.\d{4,9}/[!-~]+)", re.ASCII | re.IGNORECASE
)
_QUOTED = re.compile(r'["“](.*)["”]')

HUB_LICENCES = frozenset({
    "apache-2.0", "mit", "bsd-2-clause", "bsd-3-clause", "gpl-3.0", "lgpl-3.0", "agpl-3.0",
    "cc0-1.0", "cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0",
    "cc-by-nc-2.0", "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-3.0",
    "cc-by-nc-nd-4.0", "cc-by-nc-sa-2.0", "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "odc-by", "odbl",
    "pddl", "unlicense", "wtfpl",
})  # fmt: skip
"""Ids that the Hugging Face Hub knows, of those that data sets have."""

_SPDX = (
    "Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CC-BY-3.0", "CC-BY-4.0",
    "CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC-BY-NC-3.0", "CC-BY-NC-4.0", "CC-BY-ND-4.0",
    "CC-BY-NC-ND-4.0", "CC-BY-NC-SA-3.0", "CC-BY-NC-SA-4.0", "ODbL-1.0", "ODC-By-1.0", "PDDL-1.0",
    "GPL-3.0-only", "LGPL-3.0-only",
)  # fmt: skip
CITATION_LICENCES = {name.lower(): name for name in _SPDX}
"""SPDX ids as CITATION.cff wants them, by their lower-case form."""


class DetailsUnreadable(ValueError):
    """A field cannot be read; the first argument is the line or the value."""


@dataclass(frozen=True, slots=True)
class Author:
    """A person by family and given name, or an organisation by `name` alone.

    Of a person whose name is not divided, `given` is the whole name.
    """

    name: str = ""
    family: str = ""
    given: str = ""
    orcid: str = ""

    @property
    def whole(self) -> str:
        return self.name or ", ".join(filter(None, (self.family, self.given)))


@dataclass(frozen=True, slots=True)
class Details:
    """`prose` is {section: Markdown} for some of `PROSE`; empty texts are not stated."""

    title: str = ""
    authors: tuple[Author, ...] = ()
    doi: str = ""
    url: str = ""
    licence: str = ""
    prose: Mapping[str, str] = field(default_factory=dict)


def read_authors(text: str) -> tuple[Author, ...]:
    """Read one author a line: `Family, Given; ORCID`, or the name of an organisation.

    A name in double quotes is that of an organisation, whatever commas it has. Raises
    DetailsUnreadable with the line that cannot be read.
    """
    return tuple(_author(line.strip()) for line in text.splitlines() if line.strip())


def _author(line: str) -> Author:
    named, _semicolon, number = (part.strip() for part in line.partition(";"))
    found = _ORCID.fullmatch(number)
    quoted = _QUOTED.fullmatch(named)
    family, comma, given = (part.strip() for part in ("" if quoted else named).partition(","))
    named = quoted[1].strip() if quoted else named
    is_whole = bool(family and given) if comma else bool(named)
    if not is_whole or (number and not (found and _has_check_digit(found[1]))):
        raise DetailsUnreadable(line)
    orcid = found[1] if found else ""
    return Author(family=family, given=given, orcid=orcid) if comma else Author(named, orcid=orcid)


def _has_check_digit(orcid: str) -> bool:
    """Check ISO 7064 MOD 11-2 over the first fifteen digits."""
    total = 0
    for digit in orcid.replace("-", "")[:15]:
        total = (total + int(digit)) * 2
    return "0123456789X"[(12 - total % 11) % 11] == orcid[-1]


def read_doi(text: str) -> str:
    """Return the DOI without a resolver's address, "" for "". Raises DetailsUnreadable."""
    if not text.strip():
        return ""
    found = _DOI.fullmatch(text.strip())
    if found is None:
        raise DetailsUnreadable(text)
    return found[1]
