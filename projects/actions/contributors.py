"""What people decide about their own name in the releases of a project; nobody else can."""

import unicodedata
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.errors import DomainError, plain_text
from projects.actions.audit import record
from projects.models import LONGEST_PRINTED, Contributor, Project

_MARKUP = frozenset('<>[]{}|\\`*_#@/:"~^=$%&!')
"""What Markdown, BibTeX, e-mail and web addresses are made of."""
_INVISIBLE = frozenset({"Cc", "Cn", "Co", "Cs", "Zl", "Zp"})
_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class PrintedNameInvalid(DomainError):
    code = "printed_name_invalid"
    detail = _("This name cannot be printed.")
    status = 400


@transaction.atomic
def choose_own_name(
    *, project: Project, actor: User, name: str | None, now: datetime
) -> Contributor | None:
    """Have `actor` named as `name` in releases that are built from now on, or with None no more.

    Keyed by project and person; the same choice again changes nothing. The audit event does not
    hold the name, and of a name that is withdrawn nothing is kept but in releases that are frozen
    already. Raises PrintedNameInvalid.
    """
    if name is not None:
        return _agree(project, actor, _checked(name), now)
    _withdraw(project, actor, now)
    return None


def _agree(project: Project, actor: User, name: str, now: datetime) -> Contributor:
    found: Contributor | None = Contributor.objects.filter(project=project, user=actor).first()
    if found and found.name == name:
        return found
    contributor: Contributor = Contributor.objects.update_or_create(
        project=project, user=actor, defaults={"name": name, "agreed_at": now}
    )[0]
    record(project, actor=actor, verb="contributor.agreed", target=project, now=now)
    return contributor


def _withdraw(project: Project, actor: User, now: datetime) -> None:
    if Contributor.objects.filter(project=project, user=actor).delete()[0]:
        record(project, actor=actor, verb="contributor.withdrew", target=project, now=now)


def _checked(name: str) -> str:
    """The name on one line, if it can stand in a card, a citation and a web page as it is."""
    printed = " ".join(plain_text(name).split())
    if fault := _fault(printed):
        raise PrintedNameInvalid(fields={"name": [fault]})
    return printed


def _fault(printed: str) -> str:
    if not printed:
        return str(_("Enter your name as it is to be printed."))
    if len(printed) > LONGEST_PRINTED:
        return str(_("Enter at most %d characters.") % LONGEST_PRINTED)
    if not printed[0].isalpha() or any(map(_is_unfit, printed)):
        return str(_("Begin with a letter, and leave out addresses and characters such as < or *."))
    return ""


def _is_unfit(mark: str) -> bool:
    return mark in _MARKUP or mark in _DIRECTIONS or unicodedata.category(mark) in _INVISIBLE
