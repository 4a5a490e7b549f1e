"""Read semantic versions, order them and offer the next one (semver.org, 2.0.0)."""

import re
from dataclasses import dataclass
from enum import IntEnum

_IDENTIFIER = r"(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)"
_VERSION = re.compile(
    r"\A(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    rf"(?:-({_IDENTIFIER}(?:\.{_IDENTIFIER})*))?"
    r"(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?",
    re.ASCII,
)
MAX_LENGTH = 40

Precedence = tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]


class VersionUnreadable(ValueError):
    """The text is not a semantic version."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version; versions that differ only in `build` have the same precedence."""

    major: int
    minor: int
    patch: int
    prerelease: tuple[str, ...] = ()
    build: str = ""

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        text += f"-{'.'.join(self.prerelease)}" if self.prerelease else ""
        return text + (f"+{self.build}" if self.build else "")

    @property
    def precedence(self) -> Precedence:
        """Return what to sort by: a pre-release comes before its release, numbers before words."""
        return (
            self.major,
            self.minor,
            self.patch,
            not self.prerelease,
            tuple(_identifier_rank(part) for part in self.prerelease),
        )


def parse_version(text: str) -> Version:
    """Read `text`. Raises VersionUnreadable, also beyond 40 characters."""
    match = _VERSION.fullmatch(text)
    if match is None or len(text) > MAX_LENGTH:
        raise VersionUnreadable(text)
    major, minor, patch, prerelease, build = match.groups()
    return Version(
        major=int(major),
        minor=int(minor),
        patch=int(patch),
        prerelease=tuple(prerelease.split(".")) if prerelease else (),
        build=build or "",
    )


def next_version(latest: Version | None) -> Version:
    """Return the version to offer for the next build: the next minor, 0.1.0 at the beginning."""
    if latest is None:
        return Version(0, 1, 0)
    if latest.prerelease:
        return Version(latest.major, latest.minor, latest.patch)
    return Version(latest.major, latest.minor + 1, 0)


class Change(IntEnum):
    """The kind of change since the latest release that matters most."""

    TEXTS = 0
    ADDED = 1
    BREAKING = 2


def proposed_version(latest: Version | None, change: Change) -> Version:
    """Return the version that fits a change: patch for texts, minor for items, major where results differ.

    Before 1.0.0 what would be major is minor, as semver.org says of initial development.
    """
    if latest is None or latest.prerelease:
        return next_version(latest)
    major, minor, patch = latest.major, latest.minor, latest.patch
    if change == Change.BREAKING and major:
        return Version(major + 1, 0, 0)
    return Version(major, minor, patch + 1) if change == Change.TEXTS else next_version(latest)


def _identifier_rank(part: str) -> tuple[bool, int, str]:
    return (False, int(part), "") if part.isdigit() else (True, 0, part)
