"""Finds the audit of a run, and the responses of its sample, for requests and commands."""

from django.http import Http404
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.db import bounded_pk
from common.errors import DomainError
from evaluation.audits.queries import audit_of, readable, with_texts
from evaluation.models import AuditedResponse, ExtractionAudit, Run


class AuditUnknown(DomainError):
    code = "audit_unknown"
    detail = _("Run %(run)s has no extraction audit. Start one first.")
    status = 404


def get_audit(run: Run) -> ExtractionAudit:
    """Return the audit of a run. Raises AuditUnknown."""
    audit = audit_of(run)
    if audit is None:
        raise AuditUnknown(run=run.pk)
    return audit


def audited_for(user: User, audit: ExtractionAudit, response_pk: int) -> AuditedResponse:
    """Return a response of the sample whose item `user` may see. Raises Http404."""
    rows = with_texts(readable(audit, user)).filter(response=bounded_pk(response_pk))
    found = rows.first()
    if found is None:
        raise Http404
    found.audit = audit
    return found
