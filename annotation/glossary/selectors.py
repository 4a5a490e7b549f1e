"""Finds the term or proposal of a request by its number, within what the person may see."""

from django.shortcuts import get_object_or_404

from accounts.models import User
from annotation.glossary.queries import proposals_for
from annotation.models import Item, Term, TermProposal
from common.db import bounded_pk
from projects.models import Project


def term_of(project: Project, pk: int) -> Term:
    """Return the term of an address. Raises Http404."""
    term: Term = get_object_or_404(Term, project=project, pk=bounded_pk(pk))
    term.project = project
    return term


def proposal_of(project: Project, user: User, pk: int) -> TermProposal:
    """Return the proposal of an address, if `user` may see it. Raises Http404."""
    proposal: TermProposal = get_object_or_404(proposals_for(project, user), pk=bounded_pk(pk))
    proposal.project = project
    return proposal


def item_named(project: Project, uid: str) -> Item | None:
    """Return the item with this uid, None if there is none: a page may be older than the item."""
    found: Item | None = Item.objects.filter(project=project, uid=uid).first() if uid else None
    return found
