"""The terms of a project's glossary, and what reviewers propose for it."""

from django.db import models
from django.db.models import Q

from accounts.models import User
from annotation.enums import PartOfSpeech, ProposalState
from annotation.models.items import Item
from projects.models import Project

LONGEST_TERM = 200
LONGEST_DOMAIN = 100
LONGEST_NOTE = 2000


class TermFields(models.Model):
    """The fields of a term: a source text and how to render it.

    `preferred`, `allowed` and `forbidden` are lists of texts in the target language. `key` is the
    source text as it is looked for (`annotation.glossary.folding`).
    """

    source = models.CharField(max_length=LONGEST_TERM)
    key = models.CharField(max_length=2 * LONGEST_TERM)
    preferred = models.JSONField(default=list)
    allowed = models.JSONField(default=list)
    forbidden = models.JSONField(default=list)
    part_of_speech = models.CharField(max_length=10, choices=PartOfSpeech, blank=True)
    domain = models.CharField(max_length=LONGEST_DOMAIN, blank=True)
    note = models.TextField(blank=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.source


class Term(TermFields):
    """One term of a project; its history is in the audit events of `term:<id>`.

    `search_text` is what the list is searched by: source and renderings, folded.
    """

    # No index of its own: a unique constraint begins with the same column.
    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="terms", db_index=False
    )
    search_text = models.TextField()
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "key", "part_of_speech", "domain"], name="term_once"
            ),
            models.CheckConstraint(condition=~Q(key=""), name="term_has_source"),
            models.CheckConstraint(
                condition=Q(part_of_speech__in=["", *PartOfSpeech.values]),
                name="term_part_of_speech_known",
            ),
        ]


class TermProposal(TermFields):
    """A person's proposal for the glossary, and the decision on it.

    `term` is the term that it would change, or the one that came of it; none once that is removed.
    `comment` says why, `reason` is that of the decision.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="term_proposals")
    term = models.ForeignKey(Term, null=True, on_delete=models.SET_NULL, related_name="proposals")
    item = models.ForeignKey(Item, null=True, on_delete=models.PROTECT, related_name="+")
    comment = models.TextField(blank=True)
    state = models.CharField(max_length=8, choices=ProposalState, default=ProposalState.OPEN)
    proposed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="term_proposals")
    created_at = models.DateTimeField()
    decided_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "proposed_by", "key"],
                condition=Q(state=ProposalState.OPEN),
                name="termproposal_one_open",
            ),
            models.CheckConstraint(
                condition=Q(state__in=ProposalState.values), name="termproposal_state_known"
            ),
            models.CheckConstraint(
                condition=Q(state=ProposalState.OPEN, decided_at=None)
                | ~Q(state=ProposalState.OPEN) & Q(decided_at__isnull=False),
                name="termproposal_decided",
            ),
            models.CheckConstraint(
                condition=~Q(state=ProposalState.DECLINED) | ~Q(reason=""),
                name="termproposal_declined_with_reason",
            ),
        ]
