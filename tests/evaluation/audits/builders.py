"""A run whose responses fall in every stratum, and people who read them."""

from typing import Any

from accounts.models import User
from endpoints.providers.base import ChatRequest
from evaluation.audits.actions import start_audit, store_reading
from evaluation.audits.queries import audit_of
from evaluation.models import AuditedResponse, ExtractionAudit, Run
from jobs.worker import run_now
from projects.models import Project
from tests.evaluation.builders import NOW, asked_uid, finished_run, make_release

SAID = {
    "none": "I would rather not say.",
    "differ": "The answer is B. So neither A nor C.",
    "agree": "B",
}
ANSWER = {"none": None, "differ": "B", "agree": "B"}
KINDS = ("agree", "differ", "none", "agree")


def say(request: ChatRequest) -> str:
    """What a model says: items 0 and 3, 4 and 7, … have one letter, the others are doubtful."""
    return SAID[KINDS[int(asked_uid(request).rpartition("-")[2]) % len(KINDS)]]


def audited_run(project: Project, *, tests: int = 8, hidden: int = 0, **settings: Any) -> Run:
    release = make_release(project, subjects={"history": ""}, tests=tests, hidden=hidden)
    return finished_run(project, say, release=release, **settings)


def drawn(run: Run, *, doubtful: int = 10, agreed: int = 10, seed: int = 1) -> ExtractionAudit:
    audit = start_audit(run=run, doubtful=doubtful, agreed=agreed, seed=seed, actor=None, now=NOW)
    run_now(audit.job)
    found = audit_of(run)
    assert found is not None
    return found


def sample(audit: ExtractionAudit) -> list[AuditedResponse]:
    rows = AuditedResponse.objects.filter(audit=audit).order_by("position")
    return list(rows.select_related("audit__run", "response__release_item__revision"))


def read_all(audit: ExtractionAudit, *people: User) -> None:
    """Each of them reads every response as it was meant."""
    for audited in sample(audit):
        for person in people:
            answer = ANSWER[audited.stratum]
            store_reading(audited=audited, answer=answer, actor=person, now=NOW)
