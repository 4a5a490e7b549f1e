"""Every write to a glossary: terms one by one and from files, proposals and what becomes of them.

Each action that changes terms renews the project's `glossary_version`, from which every process sees
that the terms it keeps are old. It locks the project first, so that of two at once neither waits for
the other's terms. Findings follow when the checks run again.
"""

import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event, record_events
from accounts.models import User
from annotation.enums import PROPOSAL_TRANSITIONS, ProposalState
from annotation.glossary.folding import fold_term
from annotation.glossary.queries import values_of
from annotation.glossary.term_values import PROBLEMS, TermValues, cleaned, problems
from annotation.models import Item, Term, TermProposal
from common.db import move
from common.errors import DomainError, plain_text
from common.reasons import REASON_LENGTH, ReasonTooLong, checked_reason
from projects.locks import lock_project
from projects.models import Project

LARGEST_VERSION = 2**31 - 1
IDENTITY = ("key", "part_of_speech", "domain")
SAID = ("source", "preferred", "allowed", "forbidden", "note")
VALUES = ("source", "preferred", "allowed", "forbidden", "part_of_speech", "domain", "note")


class TermInvalid(DomainError):
    code = "term_invalid"
    detail = _("The term cannot be stored as it is.")
    status = 400


class TermExists(DomainError):
    code = "term_exists"
    detail = _(
        "The glossary already has “%(source)s” with this part of speech and domain. Change that term."
    )


class TermStale(DomainError):
    code = "term_stale"
    detail = _("Somebody changed or removed this term after you opened it. Look at it again.")


class ProposalExists(DomainError):
    code = "proposal_exists"
    detail = _("You already proposed “%(source)s”. It waits for a decision.")


class ProposalDecided(DomainError):
    code = "proposal_decided"
    detail = _("Somebody already decided on this proposal.")


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """The counts of an import of terms, done or only tried."""

    created: int = 0
    changed: int = 0
    unchanged: int = 0

    def __add__(self, other: "ImportCounts") -> "ImportCounts":
        return ImportCounts(
            self.created + other.created,
            self.changed + other.changed,
            self.unchanged + other.unchanged,
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """Terms of a file beside those of the glossary; `differences` is by the target of the audit event."""

    new: list[TermValues]
    changed: list[TermValues]
    differences: dict[str, dict[str, Any]]
    total: int

    @property
    def counts(self) -> ImportCounts:
        rest = self.total - len(self.new) - len(self.changed)
        return ImportCounts(len(self.new), len(self.changed), rest)


@transaction.atomic
def create_term(*, project: Project, values: TermValues, actor: User | None, now: datetime) -> Term:
    """Add a term. Raises TermInvalid, TermExists."""
    values = checked_values(values)
    lock_project(project.pk)
    try:
        with transaction.atomic():
            term = Term.objects.create(
                project=project,
                created_by=actor,
                created_at=now,
                changed_at=now,
                **_columns(values),
            )
    except IntegrityError as error:
        raise TermExists(source=values.source) from error
    _record(project, actor, "term.created", term.pk, _said(values), now)
    _renew_version(project)
    return term


@transaction.atomic
def change_term(
    *,
    term: Term,
    values: TermValues,
    seen: datetime | None = None,
    actor: User | None,
    now: datetime,
) -> Term:
    """Give a term other values; nothing is written where they are the same.

    `seen` is the `changed_at` that the person saw. Raises TermInvalid, TermExists, TermStale.
    """
    values = checked_values(values)
    lock_project(term.project_id)
    before = values_of(term)
    if seen is not None and seen != term.changed_at:
        raise TermStale
    if values == before:
        return term
    rows = Term.objects.filter(pk=term.pk, changed_at=term.changed_at)
    try:
        with transaction.atomic():
            if not rows.update(changed_at=now, **_columns(values)):
                raise TermStale
    except IntegrityError as error:
        raise TermExists(source=values.source) from error
    _record(term.project, actor, "term.changed", term.pk, _difference(before, values), now)
    _renew_version(term.project)
    term.refresh_from_db(fields=["changed_at", "key", *VALUES])
    return term


@transaction.atomic
def remove_term(*, term: Term, reason: str, actor: User | None, now: datetime) -> None:
    """Take a term out; what it said stays in the audit events. Raises ReasonMissing, TermStale."""
    reason = checked_reason(reason)
    pk = term.pk
    lock_project(term.project_id)
    if not Term.objects.filter(pk=pk).delete()[0]:
        raise TermStale
    said = {**_said(values_of(term)), "reason": reason}
    _record(term.project, actor, "term.removed", pk, said, now)
    _renew_version(term.project)


@transaction.atomic
def write_terms(
    *, project: Project, values: Sequence[TermValues], actor: User | None, now: datetime
) -> ImportCounts:
    """Add some terms of a file and change those that are there; none is removed.

    Terms are the same by key, part of speech and domain, so writing them again changes nothing.
    Checks see them after `finish_import`.
    """
    lock_project(project.pk)
    comparison = compare_terms(project, values)
    written = [
        Term(project=project, created_by=actor, created_at=now, changed_at=now, **_columns(each))
        for each in (*comparison.new, *comparison.changed)
    ]
    Term.objects.bulk_create(
        written,
        update_conflicts=True,
        unique_fields=["project", *IDENTITY],
        update_fields=["changed_at", "search_text", *SAID],
    )
    record_events(
        actor=actor,
        verb="term.changed",
        targets=comparison.differences,
        scope=project.slug,
        now=now,
    )
    return comparison.counts


@transaction.atomic
def finish_import(
    *, project: Project, counts: ImportCounts, actor: User | None, now: datetime
) -> None:
    """Let the checks see what `write_terms` wrote, and record the import if it wrote anything."""
    if counts.created or counts.changed:
        _record_import(project, counts, actor, now)
        show_terms(project=project)


def show_terms(*, project: Project) -> None:
    """Let every process read the terms again, as after an import that stopped in the middle."""
    _renew_version(project)


def compare_terms(project: Project, values: Sequence[TermValues]) -> Comparison:
    """Return which of the terms of a file are new and which are different; writes nothing."""
    keys = {each.key for each in values}
    rows = Term.objects.filter(project=project, key__in=keys)
    there = {(term.key, term.part_of_speech, term.domain): term for term in rows}
    new, changed, differences = [], [], {}
    for each in values:
        term = there.get(each.identity)
        if term is None:
            new.append(each)
        elif (before := values_of(term)) != each:
            changed.append(each)
            differences[f"term:{term.pk}"] = _difference(before, each)
    return Comparison(new, changed, differences, len(values))


@transaction.atomic
def propose_term(
    *,
    project: Project,
    values: TermValues,
    comment: str = "",
    term: Term | None = None,
    item: Item | None = None,
    actor: User,
    now: datetime,
) -> TermProposal:
    """Propose a term, or a change of one.

    Raises TermInvalid, TextInvalid, ReasonTooLong, ProposalExists, TermStale.
    """
    values = checked_values(values)
    comment = _short(comment)
    # Locked, so that nobody removes the term before the proposal is there.
    if term and not Term.objects.select_for_update(no_key=True).filter(pk=term.pk).first():
        raise TermStale
    try:
        with transaction.atomic():
            proposal = TermProposal.objects.create(
                project=project,
                term=term,
                item=item,
                comment=comment,
                proposed_by=actor,
                created_at=now,
                **_proposed(values),
            )
    except IntegrityError as error:
        raise ProposalExists(source=values.source) from error
    record_event(
        actor=actor,
        verb="term.proposed",
        target=f"term-proposal:{proposal.pk}",
        scope=project.slug,
        data=_said(values),
        now=now,
    )
    return proposal


@transaction.atomic
def accept_proposal(
    *,
    proposal: TermProposal,
    values: TermValues | None = None,
    reason: str = "",
    actor: User,
    now: datetime,
) -> Term:
    """Make a term of a proposal, as it is or with other values; the proposer sees what became of it.

    A proposal for a term that is there by now changes that term. Raises TermInvalid, TermExists,
    ProposalDecided, TextInvalid, ReasonTooLong.
    """
    lock_project(proposal.project_id)
    proposed = values_of(proposal)
    values = checked_values(values) if values else proposed
    state = ProposalState.ACCEPTED if values == proposed else ProposalState.CHANGED
    _decide(proposal, state, _short(reason), actor, now)
    term = (
        proposal.term
        or Term.objects.filter(
            project=proposal.project_id,
            key=values.key,
            part_of_speech=values.part_of_speech,
            domain=values.domain,
        ).first()
    )
    if term is None:
        term = create_term(project=proposal.project, values=values, actor=actor, now=now)
    else:
        term.project = proposal.project
        term = change_term(term=term, values=values, actor=actor, now=now)
    TermProposal.objects.filter(pk=proposal.pk).update(term=term)
    proposal.term = term
    return term


@transaction.atomic
def decline_proposal(*, proposal: TermProposal, reason: str, actor: User, now: datetime) -> None:
    """Say no, with a reason that the proposer sees. Raises ReasonMissing, ProposalDecided."""
    _decide(proposal, ProposalState.DECLINED, checked_reason(reason), actor, now)


def checked_values(values: TermValues) -> TermValues:
    """Return the values, cleaned. Raises TermInvalid, which names the fields."""
    values = cleaned(values)
    fields: dict[str, list[str]] = {}
    for problem in problems(values):
        words = gettext(PROBLEMS[problem.code]) % problem.data
        fields.setdefault(problem.field, []).append(words)
    if fields:
        raise TermInvalid(fields=fields)
    return values


def _decide(
    proposal: TermProposal, state: ProposalState, reason: str, actor: User, now: datetime
) -> None:
    move(
        TermProposal.objects.filter(pk=proposal.pk),
        to=state,
        transitions=PROPOSAL_TRANSITIONS,
        refusal=ProposalDecided,
        decided_by=actor,
        decided_at=now,
        reason=reason,
    )
    proposal.refresh_from_db(fields=["state", "decided_by", "decided_at", "reason"])
    record_event(
        actor=actor,
        verb="term.decided",
        target=f"term-proposal:{proposal.pk}",
        scope=proposal.project.slug,
        data={
            "source": proposal.source,
            "decision": state,
            "reason": reason,
            "proposed_by": proposal.proposed_by_id,
        },
        now=now,
    )


def _columns(values: TermValues) -> dict[str, Any]:
    texts = (values.source, *values.preferred, *values.allowed, *values.forbidden)
    return {**_proposed(values), "search_text": "\n".join(map(fold_term, texts))}


def _proposed(values: TermValues) -> dict[str, Any]:
    return {**_said(values), "key": values.key}


def _said(values: TermValues) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(values).items()
    }


def _difference(before: TermValues, after: TermValues) -> dict[str, Any]:
    old, new = _said(before), _said(after)
    changed = {
        name: {"from": old[name], "to": new[name]} for name in VALUES if old[name] != new[name]
    }
    return {"source": after.source, "changes": changed}


def _short(text: str) -> str:
    text = plain_text(text)
    if len(text) > REASON_LENGTH:
        raise ReasonTooLong(length=REASON_LENGTH)
    return text


def _record(
    project: Project, actor: User | None, verb: str, term: int, data: dict[str, Any], now: datetime
) -> None:
    record_event(
        actor=actor, verb=verb, target=f"term:{term}", scope=project.slug, data=data, now=now
    )


def _record_import(
    project: Project, counts: ImportCounts, actor: User | None, now: datetime
) -> None:
    record_event(
        actor=actor,
        verb="glossary.imported",
        target=f"project:{project.pk}",
        scope=project.slug,
        data=asdict(counts),
        now=now,
    )


def _renew_version(project: Project) -> None:
    """Give the glossary a number that it never had, so that after a restored backup none comes back."""
    project.glossary_version = 1 + secrets.randbelow(LARGEST_VERSION)
    Project.objects.filter(pk=project.pk).update(glossary_version=project.glossary_version)
