"""Inviting many people at once: each line on its own, so that one refusal stops nobody else."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import parseaddr
from functools import partial

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError
from projects.actions.members import AddedMember, add_member, check_expertise
from projects.models import Project, Subject

MOST_PEOPLE = 200


class TooManyPeople(DomainError):
    code = "too_many_people"
    detail = _("Invite at most %(limit)s people at once. This list has %(count)s.")
    status = 400


class NobodyListed(DomainError):
    code = "nobody_listed"
    detail = _("The list is empty. Write one e-mail address per line.")
    status = 400


class ListedTwice(DomainError):
    code = "listed_twice"
    detail = _("%(email)s is already on line %(line)s.")


class AddressInvalid(DomainError):
    code = "address_invalid"
    detail = _("This is not an e-mail address.")
    status = 400


@dataclass(frozen=True, slots=True)
class InvitedLine:
    """What became of one line: a new member, or the reason why not."""

    number: int
    text: str
    added: AddedMember | None = None
    refusal: DomainError | None = None

    @property
    def result(self) -> str:
        """invited, added (a person who has an account already) or refused."""
        if self.added is None:
            return "refused"
        return "invited" if self.added.issued else "added"

    @property
    def reason(self) -> str:
        """Why the line was refused, as near to the fault as can be said."""
        if self.refusal is None:
            return ""
        faults = [words for field in self.refusal.fields.values() for words in field]
        return " ".join(faults) or str(self.refusal)


def invite_members(
    *,
    project: Project,
    lines: Sequence[str],
    role: str,
    languages: Sequence[str],
    subjects: Collection[Subject],
    actor: User | None,
    now: datetime,
) -> list[InvitedLine]:
    """Take everybody listed into the project with one role; return what became of each line.

    A line is an address or `Name <address>`; blank lines are left out, and commas, semicolons and
    tabs may stand between several. Each person is a transaction of its own: doing it again refuses
    those who are members by now and invites the rest. Raises NobodyListed, TooManyPeople,
    RoleUnknown, LanguageInvalid, SubjectForeign before anybody is invited.
    """
    check_expertise(project, role=role, languages=languages, subjects=subjects)
    people = list(_people(lines))
    if not people:
        raise NobodyListed
    if len(people) > MOST_PEOPLE:
        raise TooManyPeople(limit=MOST_PEOPLE, count=len(people))
    add = partial(
        add_member,
        project=project,
        role=role,
        languages=languages,
        subjects=subjects,
        actor=actor,
        now=now,
    )
    first_line: dict[str, int] = {}
    return [_invited(add, number, text, first_line) for number, text in people]


def _invited(
    add: Callable[..., AddedMember], number: int, text: str, first_line: dict[str, int]
) -> InvitedLine:
    name, email = parseaddr(text)
    email = (email or text).lower()
    try:
        validate_email(email)
        if email in first_line:
            raise ListedTwice(email=email, line=first_line[email])
        first_line[email] = number
        return InvitedLine(number, text, added=add(email=email, name=name))
    except ValidationError:
        return InvitedLine(number, text, refusal=AddressInvalid())
    except DomainError as refusal:
        return InvitedLine(number, text, refusal=refusal)


def _people(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """(line number, one person) of everybody listed."""
    for number, line in enumerate(lines, start=1):
        for part in re.split(r"[,;\t]", line):
            # Addresses without names can stand side by side, names cannot.
            texts = part.split() if "<" not in part and part.count("@") > 1 else [part.strip()]
            yield from ((number, text) for text in texts if text)
