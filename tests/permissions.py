"""Who may do what: the specification, as two tables that the pages and the API are held to.

`PERMISSIONS`: permission → situation → the roles that have it there.
`ADDRESSES`: address → what it takes. A permission or an address without a row fails.

To add an address, add one row to `ADDRESSES`: `Needs("app.permission")`, with `pk=` (and other
arguments that are not the project, its release or its round) read from the world, `post=` where
posting takes another right than reading, and `foreign=(404,)` where members without the right are
not told that the thing exists.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from django.test import Client
from django.urls import URLPattern, reverse

from arena.models import Arena
from notifications.unsubscribing import unsubscribe_token
from tests.world import (
    ADMINISTRATOR,
    EVALUATOR,
    MANAGER,
    MEMBERS,
    REVIEWER,
    ROLES,
    SENIOR,
    STRANGER,
    VIEWER,
    World,
)

Thing = Callable[[World], Any]
ALL = frozenset(MEMBERS)
LEADS = frozenset({MANAGER, SENIOR})
READERS = frozenset({MANAGER, SENIOR, REVIEWER})
MANAGERS = frozenset({MANAGER})
RUNNERS = frozenset({MANAGER, EVALUATOR})
NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Situation:
    """The thing that is asked about, and the roles that have the permission on it."""

    name: str
    thing: Thing
    allowed: frozenset[str]


def in_project(allowed: frozenset[str]) -> list[Situation]:
    return [Situation("in the project", lambda world: world.project, allowed)]


PERMISSIONS: dict[str, list[Situation]] = {
    "accounts.revoke_token": [
        Situation("the reviewer's token", lambda world: world.token, frozenset({REVIEWER}))
    ],
    "accounts.view_audit_events": [Situation("anywhere", lambda world: None, NOBODY)],
    "accounts.view_accounts": [Situation("anywhere", lambda world: None, NOBODY)],
    "accounts.change_accounts": [Situation("anywhere", lambda world: None, NOBODY)],
    "accounts.view_sign_ins": [Situation("anywhere", lambda world: None, NOBODY)],
    "projects.create_project": [Situation("anywhere", lambda world: None, MANAGERS)],
    "projects.view_audit_events": in_project(MANAGERS),
    "projects.view_project": in_project(ALL),
    "projects.change_project": in_project(MANAGERS),
    "projects.be_named": in_project(READERS),
    "projects.change_pay": in_project(MANAGERS),
    "projects.view_members": in_project(LEADS),
    "projects.change_members": in_project(MANAGERS),
    "annotation.view_translation_jobs": in_project(LEADS),
    "annotation.translate_items": in_project(MANAGERS),
    "annotation.allow_hidden_items": in_project(MANAGERS),
    "annotation.view_making_jobs": in_project(LEADS),
    "annotation.make_items": in_project(MANAGERS),
    "review.view_explanation_jobs": in_project(LEADS),
    "review.explain_items": in_project(MANAGERS),
    "annotation.view_screenings": in_project(LEADS),
    "annotation.screen_items": in_project(MANAGERS),
    "annotation.change_item": in_project(MANAGERS),
    "annotation.correct_key": in_project(LEADS),
    "annotation.edit_text": in_project(LEADS),
    "annotation.share_filter": in_project(MANAGERS),
    "annotation.import_items": in_project(MANAGERS),
    "annotation.view_items": in_project(READERS),
    "annotation.view_findings": in_project(READERS),
    "annotation.dismiss_finding": in_project(LEADS),
    "annotation.view_duplicates": in_project(LEADS),
    "annotation.search_duplicates": in_project(MANAGERS),
    "annotation.decide_duplicate": in_project(LEADS),
    "annotation.view_glossary": in_project(READERS),
    "annotation.propose_term": in_project(READERS),
    "annotation.change_glossary": in_project(LEADS),
    "jobs.view_job": [Situation("a job", lambda world: world.job, READERS)],
    "jobs.cancel_job": [Situation("a job", lambda world: world.job, MANAGERS)],
    "review.comment": in_project(READERS),
    "review.view_rounds": in_project(ALL),
    "review.practise": in_project(frozenset({MANAGER, SENIOR, REVIEWER})),
    "review.view_report": in_project(ALL),
    "review.view_reviewers": in_project(MANAGERS),
    "review.estimate_reliability": in_project(MANAGERS),
    "review.open_round": in_project(MANAGERS),
    "review.pause_round": in_project(MANAGERS),
    "review.change_round": in_project(MANAGERS),
    "review.close_round": in_project(MANAGERS),
    "review.discard_round": in_project(MANAGERS),
    "review.choose_translation": in_project(LEADS),
    "review.export_answers": in_project(MANAGERS),
    "review.change_guideline": in_project(MANAGERS),
    "review.claim_seat": [
        Situation("an open round", lambda world: world.round, frozenset({SENIOR, REVIEWER}))
    ],
    "review.submit_judgement": [
        Situation("the reviewer's seat", lambda world: world.held_seat, frozenset({REVIEWER})),
        Situation("an open seat", lambda world: world.open_seat, NOBODY),
    ],
    "review.release_seat": [
        Situation("the reviewer's seat", lambda world: world.held_seat, frozenset({REVIEWER})),
        Situation("an open seat", lambda world: world.open_seat, NOBODY),
    ],
    "review.view_statements": in_project(MANAGERS),
    "review.close_statement": in_project(MANAGERS),
    "review.view_disputes": in_project(LEADS),
    "review.adjudicate_disputes": in_project(frozenset({SENIOR})),
    "review.name_substitute": in_project(MANAGERS),
    "review.adjudicate_panel": [
        Situation("others' dispute", lambda world: world.dispute, frozenset({SENIOR})),
        Situation("judged by the senior", lambda world: world.dispute_judged_by_senior, NOBODY),
        Situation("written by the senior", lambda world: world.dispute_written_by_senior, NOBODY),
    ],
    "review.read_dispute": [
        Situation("others' dispute", lambda world: world.dispute, LEADS),
        Situation("judged by the senior", lambda world: world.dispute_judged_by_senior, MANAGERS),
        Situation("written by the senior", lambda world: world.dispute_written_by_senior, MANAGERS),
    ],
    "review.answer_second_look": [
        Situation("asked of the reviewer", lambda world: world.second_look, frozenset({REVIEWER}))
    ],
    "review.propose_passage": in_project(LEADS),
    "webhooks.change_webhooks": in_project(MANAGERS),
    "submissions.change_submissions": in_project(MANAGERS),
    "arena.view_arenas": in_project(ALL),
    "arena.create_arena": in_project(MANAGERS),
    "arena.view_arena": [Situation("an arena", lambda world: Arena(project=world.project), ALL)],
    "arena.view_battles": [
        Situation(
            "an arena", lambda world: Arena(project=world.project), frozenset({MANAGER, VIEWER})
        )
    ],
    "arena.judge_battles": [
        Situation("an arena", lambda world: Arena(project=world.project), READERS)
    ],
    "arena.change_arena": [
        Situation("an arena", lambda world: Arena(project=world.project), MANAGERS)
    ],
    "submissions.copy_keys": [Situation("a release", lambda world: world.release, MANAGERS)],
    "submissions.view_board": [Situation("a release", lambda world: world.release, ALL)],
    "submissions.view_submission": [Situation("of no team", lambda world: None, NOBODY)],
    "releases.view_releases": in_project(ALL),
    "releases.view_release": [
        Situation("a published release", lambda world: world.release, ALL),
        Situation("one being built", lambda world: world.building, MANAGERS),
    ],
    "releases.build_release": in_project(MANAGERS),
    "releases.view_build": [Situation("a build", lambda world: world.building, MANAGERS)],
    "releases.cancel_build": [Situation("a build", lambda world: world.building, MANAGERS)],
    "releases.resume_build": [Situation("a build", lambda world: world.building, MANAGERS)],
    "releases.publish_release": [Situation("a release", lambda world: world.release, MANAGERS)],
    "releases.yank_release": [Situation("a release", lambda world: world.release, MANAGERS)],
    "releases.change_audience": [Situation("a release", lambda world: world.release, MANAGERS)],
    "releases.decide_problem": in_project(LEADS),
    "endpoints.change_endpoints": in_project(MANAGERS),
    "endpoints.view_models": in_project(ALL),
    "prompts.view_prompts": in_project(ALL),
    "prompts.change_prompts": in_project(MANAGERS),
    "endpoints.change_server_endpoints": [Situation("anywhere", lambda world: None, NOBODY)],
    "evaluation.view_runs": in_project(ALL),
    "evaluation.view_run": [Situation("a run", lambda world: world.run, ALL)],
    "evaluation.view_responses": [Situation("a run", lambda world: world.run, MANAGERS)],
    "evaluation.start_run": in_project(RUNNERS),
    "evaluation.import_run": in_project(MANAGERS),
    "evaluation.resume_run": [Situation("a run", lambda world: world.run, RUNNERS)],
    "evaluation.cancel_run": [Situation("a run", lambda world: world.run, RUNNERS)],
    "evaluation.test_min_k": [Situation("a run", lambda world: world.run, MANAGERS)],
    "evaluation.judge_run": [Situation("a run", lambda world: world.run, MANAGERS)],
    "evaluation.start_audit": [Situation("a run", lambda world: world.run, MANAGERS)],
    "evaluation.read_for_audit": [Situation("a run", lambda world: world.run, LEADS)],
    "evaluation.view_item_analysis": in_project(frozenset({MANAGER, VIEWER})),
    "evaluation.view_hidden_figures": in_project(MANAGERS),
    "evaluation.analyse_items": in_project(MANAGERS),
    "evaluation.decide_suggestions": in_project(MANAGERS),
    "endpoints.change_models": in_project(MANAGERS),
    "endpoints.test_models": in_project(MANAGERS),
}

# An administrator who is no member judges nothing: the API says so with one of these.
JUDGING = (
    "review.claim_seat",
    "review.submit_judgement",
    "review.release_seat",
    "review.answer_second_look",
)
NOT_A_MEMBER = frozenset({403, 404})
# Whose seat it is comes out after the body has been read, and never says more than no.
SEAT_OF_ANOTHER = (400, 403, 404, 409)
OPEN = "open to everybody"
SIGNED_IN = "any signed-in person"


@dataclass(frozen=True, slots=True)
class Needs:
    """What an address takes: a permission in its first situation, OPEN or SIGNED_IN.

    `get`, `post` and `change` (put, patch, delete) name what those methods take where it differs; None means that the address
    does not know the method. `foreign` is what members without the right see; `is_missing`
    that the thing is not in the world, so that who has the right sees 404; `asks_more` that it
    needs a query, so that who has the right and sends none sees 400; `is_unfit` that the thing
    is in another state than it takes, so that who has the right sees 409.
    """

    right: str
    post: str | None = "as right"
    change: str | None = None
    get: str | None = "as right"
    foreign: tuple[int, ...] = (403,)
    stranger: int = 404
    is_missing: bool = False
    asks_more: bool = False
    is_unfit: bool = False
    arguments: dict[str, Thing] = field(default_factory=dict)

    def of(self, method: str) -> str | None:
        """The right that `method` takes, or None."""
        wanted = {"get": self.get, "post": self.post}.get(method, self.change)
        return self.right if wanted == "as right" else wanted


def needs(right: str, *, pk: str | Thing | None = None, **more: Any) -> Needs:
    """`pk` is where the world has the id, such as "item.pk"."""
    arguments = {"pk": attrgetter(pk) if isinstance(pk, str) else pk} if pk else {}
    return Needs(right, arguments=arguments | more.pop("arguments", {}), **more)


def administration(right: str, **more: Any) -> Needs:
    """An address that belongs to no project: to strangers it is as shut as to members."""
    return needs(right, stranger=403, **more)


def own_account(world: World) -> int:
    """Of the reviewer: nobody may change even their own account there."""
    return world.people[REVIEWER].pk


def own(**more: Any) -> Needs:
    """An address of the signed-in person's own account."""
    return Needs(SIGNED_IN, **more)


SOLVING: dict[str, Thing] = {"number": lambda world: world.solving.number}
FIRST: dict[str, Thing] = {"pk": lambda world: 1}
JUDGE: dict[str, Thing] = FIRST | {"judge": lambda world: 1}
MONTH: dict[str, Thing] = {"month": lambda world: "2026-01"}
SERVER_ENDPOINTS = "endpoints.change_server_endpoints"

ADDRESSES: dict[str, Needs] = {
    # pages of everybody
    "home": own(post=None),
    "mark-seen": own(get=None),
    "help": needs(OPEN),
    "health": needs(OPEN),
    "metrics": needs(OPEN),
    "styles-css": needs(OPEN, post=None),
    "service-worker": needs(OPEN, post=None),
    "web-font": needs(
        OPEN, post=None, is_missing=True, arguments={"name": lambda _world: "tibetan-0"}
    ),
    "schema": needs(OPEN, post=None),
    "api-docs": needs(OPEN, post=None),
    # accounts
    "accounts:sign-in": needs(OPEN),
    "accounts:sign-out": needs(OPEN, get=None),
    "accounts:language": needs(OPEN, get=None),
    "accounts:signed-in": own(),
    "accounts:send-again": own(),
    "accounts:invitation": needs(OPEN, arguments={"secret": lambda world: world.invitation_secret}),
    "accounts:profile": own(),
    "accounts:password": own(),
    "accounts:password-reset": needs(OPEN),
    "accounts:password-reset-sent": needs(OPEN, post=None),
    "accounts:password-reset-confirm": needs(
        OPEN, arguments={"uidb64": lambda world: "MQ", "token": lambda world: "x-y"}
    ),
    "accounts:tokens": own(),
    "accounts:revoke-token": needs(
        "accounts.revoke_token", pk="token.pk", get=None, foreign=(404,)
    ),
    # annotation
    "projects:new-project": needs("projects.create_project", stranger=403),
    "projects:settings": needs("projects.change_project"),
    "projects:members": needs("projects.view_members", post=None),
    "projects:invite-member": needs("projects.change_members"),
    "projects:member": needs("projects.change_members", pk="membership.pk"),
    "projects:offer": needs("projects.change_members"),
    "projects:pay": needs("projects.change_pay", pk="membership.pk"),
    "projects:invite-many": needs("projects.change_members"),
    "projects:remove-member": needs("projects.change_members", pk="membership.pk", get=None),
    "projects:pause-member": needs("projects.change_members", pk="membership.pk", get=None),
    "projects:resume-member": needs("projects.change_members", pk="membership.pk", get=None),
    "projects:invite-again": needs("projects.change_members", pk="membership.pk", get=None),
    "projects:contributor": needs("projects.be_named"),
    "projects:sources": needs("projects.view_project", post=None),
    "projects:subjects": needs(
        "projects.view_project", change="projects.change_project", post="projects.change_project"
    ),
    "projects:subjects-csv": needs("projects.view_project", post=None),
    "projects:source": needs("projects.change_project", pk="source.pk"),
    "projects:project-audit": needs("projects.view_audit_events", post=None),
    "projects:project-audit-csv": needs("projects.view_audit_events", post=None),
    "projects:accounts": administration("accounts.view_accounts", post=None),
    "projects:account": administration("accounts.view_accounts", pk=own_account, post=None),
    "projects:deactivate-account": administration(
        "accounts.change_accounts", pk=own_account, get=None
    ),
    "projects:reactivate-account": administration(
        "accounts.change_accounts", pk=own_account, get=None
    ),
    "projects:make-administrator": administration(
        "accounts.change_accounts", pk=own_account, get=None
    ),
    "projects:remove-administrator": administration(
        "accounts.change_accounts", pk=own_account, get=None
    ),
    "projects:sign-ins": administration("accounts.view_sign_ins", post=None),
    "projects:sign-ins-csv": administration("accounts.view_sign_ins", post=None),
    "projects:audit": needs("accounts.view_audit_events", post=None, stranger=403),
    "projects:audit-csv": needs("accounts.view_audit_events", post=None, stranger=403),
    "overview": needs("projects.view_project", post=None),
    "annotation:items": needs("annotation.view_items", post=None),
    "annotation:download-items": needs(
        "annotation.view_items", post=None, arguments={"extension": lambda world: "csv"}
    ),
    "annotation:item": needs("annotation.view_items", pk="item.pk", post=None),
    "annotation:correct-key": needs("annotation.correct_key", pk="item.pk", get=None),
    "review:item-history": needs("annotation.view_items", pk="item.pk", post=None),
    "review:item-text": needs("annotation.edit_text", pk="item.pk"),
    "review:comments": needs("review.comment", pk="item.pk"),
    "review:resolve-thread": needs("review.comment", pk="comment.pk", get=None),
    "review:reopen-thread": needs("review.comment", pk="comment.pk", get=None),
    "review:names": needs("review.comment", post=None),
    "annotation:exclude-item": needs("annotation.change_item", pk="item.pk", get=None),
    "annotation:saved-filters": needs("annotation.view_items"),
    "annotation:rename-filter": needs(
        "annotation.view_items", pk=lambda _world: 1, get=None, is_missing=True
    ),
    "annotation:remove-filter": needs(
        "annotation.view_items", pk=lambda _world: 1, get=None, is_missing=True
    ),
    "annotation:restore-item": needs("annotation.change_item", pk="item.pk", get=None),
    "annotation:findings": needs("annotation.view_findings", post=None),
    "annotation:finding-code": needs(
        "annotation.view_findings", post=None, arguments={"code": lambda world: world.finding.code}
    ),
    "annotation:dismiss-finding": needs("annotation.dismiss_finding", pk="finding.pk", get=None),
    "annotation:check-again": needs("annotation.import_items", get=None),
    "annotation:dismissed-findings": needs("annotation.view_findings", post=None),
    "annotation:reopen-finding": needs("annotation.dismiss_finding", pk="finding.pk", get=None),
    "annotation:import": needs("annotation.import_items"),
    "jobs:job": needs("jobs.view_job", pk="job.pk", post=None),
    "annotation:import-errors": needs("jobs.view_job", pk="import_job.job.pk", post=None),
    "annotation:import-columns": needs("jobs.cancel_job", pk="import_job.job.pk"),
    "annotation:import-now": needs("jobs.cancel_job", pk="import_job.job.pk", get=None),
    "annotation:undo-import": needs("jobs.cancel_job", pk="import_job.job.pk", get=None),
    "jobs:cancel-job": needs("jobs.cancel_job", pk="job.pk", get=None),
    "endpoints:batch-file": needs(
        "jobs.cancel_job", pk="translation_job.job_id", post=None, is_unfit=True
    ),
    "endpoints:batch-answers": needs("jobs.cancel_job", pk="translation_job.job_id", get=None),
    "endpoints:hold-job": needs("jobs.cancel_job", pk="translation_job.job_id", get=None),
    "endpoints:ask-directly": needs("jobs.cancel_job", pk="translation_job.job_id", get=None),
    "jobs:resume-job": needs("jobs.cancel_job", pk="job.pk", get=None),
    "annotation:duplicates": needs("annotation.view_duplicates", post=None),
    "annotation:duplicates-csv": needs("annotation.view_duplicates", post=None),
    "annotation:duplicates-jsonl": needs("annotation.view_duplicates", post=None),
    "annotation:decide-duplicate": needs("annotation.decide_duplicate", pk="pair.pk", get=None),
    "annotation:reopen-duplicate": needs("annotation.decide_duplicate", pk="pair.pk", get=None),
    "annotation:search-duplicates": needs("annotation.search_duplicates", get=None),
    "annotation:duplicate-search": needs(
        "annotation.view_duplicates", pk="pair.search_id", post=None
    ),
    "annotation:cancel-duplicate-search": needs(
        "annotation.search_duplicates", pk="pair.search_id", get=None
    ),
    "annotation:resume-duplicate-search": needs(
        "annotation.search_duplicates", pk="pair.search_id", get=None
    ),
    "annotation:glossary": needs("annotation.view_glossary", post=None),
    "annotation:download-glossary": needs(
        "annotation.view_glossary", post=None, arguments={"extension": lambda world: "tbx"}
    ),
    "annotation:add-term": needs("annotation.change_glossary"),
    "annotation:import-terms": needs("annotation.change_glossary"),
    "annotation:propose-term": needs("annotation.propose_term"),
    "annotation:term-proposals": needs("annotation.view_glossary", post=None),
    "annotation:decide-term": needs("annotation.change_glossary", pk="term_proposal.pk"),
    "annotation:term": needs(
        "annotation.view_glossary", pk="term.pk", post="annotation.change_glossary"
    ),
    "annotation:remove-term": needs("annotation.change_glossary", pk="term.pk", get=None),
    "annotation:concordance": needs("annotation.view_items", post=None),
    "annotation:memory": needs("annotation.view_items", post=None),
    # review
    "notifications:list": own(post=None),
    "notifications:follow": own(get=None, is_missing=True, arguments={"pk": lambda world: 1}),
    "notifications:read-all": own(get=None),
    "notifications:digest": own(get=None),
    "notifications:unsubscribe": needs(
        OPEN, arguments={"token": lambda world: unsubscribe_token(world.people[REVIEWER])}
    ),
    "review:my-answers": own(post=None),
    "review:my-answers-file": own(post=None, arguments={"name": lambda world: "csv"}),
    "review:my-work": own(post=None),
    "review:my-work-file": own(post=None, arguments={"name": lambda world: "csv"}),
    "review:statements": needs("review.view_statements", post=None),
    "review:statement": needs("review.view_statements", post=None, arguments=MONTH),
    "review:statement-file": needs(
        "review.view_statements", post=None, arguments=MONTH | {"name": lambda world: "csv"}
    ),
    "review:close-statement": needs("review.close_statement", get=None, arguments=MONTH),
    "review:rounds": needs("review.view_rounds", post=None),
    "review:open-round": needs("review.open_round"),
    "review:practice": needs("review.practise"),
    "review:practice-item": needs("review.practise"),
    "review:criteria": needs("projects.change_project"),
    "review:guideline": needs("review.view_rounds", post="review.change_guideline"),
    "review:report": needs("review.view_report", post=None),
    "review:report-file": needs(
        "review.view_report",
        post=None,
        arguments={"name": lambda world: "csv", "table": lambda world: "stages"},
    ),
    "review:reviewers": needs("review.view_reviewers", post=None),
    "review:estimate-reliability": needs("review.estimate_reliability", get=None),
    "review:pair": needs(
        "review.view_reviewers",
        post=None,
        arguments={
            "first": lambda world: world.people[REVIEWER].pk,
            "second": lambda world: world.people[SENIOR].pk,
        },
    ),
    "review:pause-round": needs("review.pause_round"),
    "review:resume-round": needs("review.pause_round", get=None),
    "review:change-round": needs("review.change_round"),
    "review:round": needs("review.view_rounds", post=None),
    "review:close-round": needs("review.close_round", get=None),
    "review:discard-round": needs("review.discard_round", get=None),
    "review:workbench": needs("review.claim_seat", post=None),
    "review:claim": needs("review.claim_seat", get=None),
    "review:shell": needs("review.claim_seat", post=None),
    "review:old-workbench": needs("review.claim_seat", post=None),
    "review:reserve": needs("review.claim_seat", get=None),
    "review:proposals": needs("review.claim_seat", get=None, is_missing=True),
    "review:check-seat": needs("review.claim_seat", get=None, is_missing=True),
    "review:undo": needs("review.claim_seat", get=None, is_missing=True),
    "review:suggest": needs("review.claim_seat", get=None, is_missing=True),
    "review:submit": needs("review.claim_seat", get=None, is_missing=True),
    "review:skip": needs("review.claim_seat", get=None),
    "review:unskip": needs("review.claim_seat", get=None, is_missing=True),
    "review:reveal": needs("review.claim_seat", get=None, is_missing=True),
    "review:disputes": needs("review.view_disputes", post=None),
    "review:dispute": needs("review.read_dispute", pk="dispute.pk", post=None),
    "review:ask-second-look": needs("review.adjudicate_panel", pk="dispute.pk", get=None),
    "review:further-seat": needs("review.adjudicate_panel", pk="dispute.pk", get=None),
    "review:take-back-inquiry": needs("review.adjudicate_panel", pk="dispute.pk", get=None),
    "review:second-looks": own(post=None),
    "review:second-look": needs("review.answer_second_look", pk="second_look.pk", foreign=(404,)),
    "review:passage": needs("review.propose_passage", pk="adjudication.pk"),
    "review:decide-passage": needs("review.change_guideline", pk="passage.pk", get=None),
    "review:adjudicate": needs("review.adjudicate_panel", pk="dispute.pk", get=None),
    "review:check-dispute": needs("review.adjudicate_panel", pk="dispute.pk", get=None),
    "review:visit-dispute": needs("review.adjudicate_panel", pk="dispute.pk", get=None),
    "review:disputes-offline": needs("review.view_disputes", post=None),
    "review:settled-disputes": needs("review.view_disputes", post=None),
    "review:reopen-dispute": needs("review.adjudicate_panel", pk="dispute.pk", get=None),
    "review:bulk-disputes": needs("review.adjudicate_disputes"),
    "review:blocked-disputes": needs("review.name_substitute", post=None),
    "review:name-substitutes": needs("review.name_substitute", get=None),
    "review:name-substitute": needs("review.name_substitute", pk="dispute.pk", get=None),
    "review:answer": needs("review.claim_seat", post=None, arguments=SOLVING),
    "review:take": needs("review.claim_seat", get=None, arguments=SOLVING),
    "review:send": needs("review.claim_seat", get=None, is_missing=True, arguments=SOLVING),
    "review:skip-answer": needs("review.claim_seat", get=None, arguments=SOLVING),
    "review:undo-answer": needs("review.claim_seat", get=None, is_missing=True, arguments=SOLVING),
    "review:results": needs("review.view_report", post=None, arguments=SOLVING),
    "review:results-file": needs(
        "review.view_report", post=None, arguments=SOLVING | {"name": lambda world: "csv"}
    ),
    "review:answers-file": needs(
        "review.export_answers", post=None, arguments=SOLVING | {"name": lambda world: "csv"}
    ),
    "review:key-dispute": needs("review.adjudicate_panel", pk="key_dispute.pk"),
    "review:choose-translations": needs("review.choose_translation"),
    # webhooks
    "webhooks:list": needs("webhooks.change_webhooks"),
    "webhooks:detail": needs("webhooks.change_webhooks", pk="webhook.pk"),
    "webhooks:rotate": needs("webhooks.change_webhooks", pk="webhook.pk", get=None),
    "webhooks:ping": needs("webhooks.change_webhooks", pk="webhook.pk", get=None),
    "webhooks:switch-on": needs("webhooks.change_webhooks", pk="webhook.pk", get=None),
    "webhooks:remove": needs("webhooks.change_webhooks", pk="webhook.pk", get=None),
    "webhooks:again": needs(
        "webhooks.change_webhooks",
        pk="webhook.pk",
        get=None,
        is_missing=True,
        arguments={"delivery": lambda _world: 0},
    ),
    "review:bulk-change": needs("annotation.change_item"),
    "review:undo-bulk-change": needs(
        "annotation.change_item", pk=lambda _world: 1, get=None, is_missing=True
    ),
    "review:choose-items": needs("review.choose_translation", post=None),
    "review:choose-best": needs("review.choose_translation", get=None),
    "review:choose-text": needs(
        "review.choose_translation", pk="item.pk", get=None, is_missing=True
    ),
    "review:undo-choice": needs(
        "review.choose_translation", pk=lambda _world: 1, get=None, is_missing=True
    ),
    "review:repairs": needs("annotation.edit_text"),
    "review:repair-batch": needs("annotation.edit_text", pk="repair_batch.pk", post=None),
    "review:undo-repairs": needs("annotation.edit_text", pk="repair_batch.pk", get=None),
    # releases
    "releases:list": needs("releases.view_releases", post=None),
    "releases:build": needs("releases.build_release"),
    "releases:details": needs("releases.build_release"),
    "releases:detail": needs("releases.view_release", post=None),
    "releases:changes": needs("releases.view_release", post=None, is_missing=True),
    "releases:changelog": needs("releases.view_release", post=None, is_missing=True),
    "releases:job": needs("releases.view_build", post=None),
    "releases:artifact": needs("releases.view_release", post=None, is_missing=True),
    "releases:archive": needs("releases.view_release", post=None, is_missing=True),
    "releases:hub": needs("releases.publish_release"),
    "releases:publish": needs("releases.publish_release"),
    "releases:yank": needs("releases.yank_release"),
    "releases:cancel": needs("releases.cancel_build", get=None),
    "releases:resume": needs("releases.resume_build", get=None),
    "releases:audience": needs("releases.change_audience", get=None),
    "releases:problems": needs("releases.decide_problem", post=None),
    "releases:decide-problem": needs(
        "releases.decide_problem", pk=lambda _world: 1, get=None, is_missing=True
    ),
    # public pages: the world's release is for members, so they are not there
    "releases:public-index": needs(OPEN, post=None),
    "releases:public-versions": needs(OPEN, post=None, is_missing=True),
    "releases:public-release": needs(OPEN, post=None, is_missing=True),
    "releases:public-files": needs(OPEN, post=None, is_missing=True),
    "releases:public-file": needs(OPEN, post=None, is_missing=True),
    "releases:public-changes": needs(OPEN, post=None, is_missing=True),
    "releases:public-changelog": needs(OPEN, post=None, is_missing=True),
    "releases:public-items": needs(OPEN, post=None, is_missing=True),
    "releases:public-item": needs(
        OPEN, post=None, is_missing=True, arguments={"public_id": lambda world: world.item.uid}
    ),
    "releases:report-problem": needs(OPEN, is_missing=True),
    "releases:problem-sent": needs(OPEN, post=None, is_missing=True),
    # endpoints
    "endpoints:project-endpoints": needs("endpoints.change_endpoints", post=None),
    "endpoints:add-project-endpoint": needs("endpoints.change_endpoints"),
    "endpoints:change-project-endpoint": needs(
        "endpoints.change_endpoints", pk="model_spec.endpoint.pk"
    ),
    "endpoints:server-endpoints": needs(
        "endpoints.change_server_endpoints", post=None, stranger=403
    ),
    "endpoints:add-server-endpoint": administration(SERVER_ENDPOINTS),
    "endpoints:change-server-endpoint": needs(
        "endpoints.change_server_endpoints", pk="server_endpoint.pk", stranger=403
    ),
    # evaluation
    "submissions:part": own(is_missing=True),
    "submissions:endpoint": own(is_missing=True),
    "submissions:join": own(get=None, is_missing=True),
    "submissions:ask-account": needs(OPEN, is_missing=True),
    "submissions:texts": own(post=None, is_missing=True),
    "submissions:submission": own(post=None, is_missing=True, arguments=FIRST),
    "submissions:cancel": own(get=None, is_missing=True, arguments=FIRST),
    "submissions:restore": own(get=None, is_missing=True, arguments=FIRST),
    "submissions:withdraw": own(get=None, is_missing=True, arguments=FIRST),
    "submissions:manage": needs("submissions.change_submissions"),
    "submissions:moderate": needs(
        "submissions.change_submissions", get=None, is_missing=True, arguments=FIRST
    ),
    "submissions:team": needs(
        "submissions.change_submissions", get=None, is_missing=True, arguments=FIRST
    ),
    "submissions:key-copies": needs("submissions.copy_keys"),
    "submissions:key-copy-file": needs(
        "submissions.copy_keys",
        post=None,
        is_missing=True,
        arguments={"number": lambda _world: 1},
    ),
    "submissions:leaks": needs("submissions.change_submissions"),
    "submissions:rescore": needs("submissions.change_submissions", get=None),
    # the world has no arena
    "arena:arenas": needs("arena.view_arenas", post=None),
    "arena:create-arena": needs("arena.create_arena"),
    "arena:arena": needs("arena.view_arenas", post=None, is_missing=True, arguments=FIRST),
    "arena:arena-battles": needs("arena.view_arenas", post=None, is_missing=True, arguments=FIRST),
    "arena:arena-battles-file": needs(
        "arena.view_arenas", post=None, is_missing=True, arguments=FIRST
    ),
    "arena:start-arena": needs("arena.view_arenas", get=None, is_missing=True, arguments=FIRST),
    "arena:cancel-arena": needs("arena.view_arenas", get=None, is_missing=True, arguments=FIRST),
    "arena:count-arena": needs("arena.view_arenas", get=None, is_missing=True, arguments=FIRST),
    "arena:change-arena": needs("arena.view_arenas", get=None, is_missing=True, arguments=FIRST),
    "arena:arena-judge": needs("arena.view_arenas", get=None, is_missing=True, arguments=JUDGE),
    "arena:judge-pair": needs("arena.view_arenas", is_missing=True, arguments=FIRST),
    "api:claim-pair": own(get=None, is_missing=True, arguments=FIRST),
    "api:take-back-pair": own(get=None, is_missing=True, arguments=FIRST),
    "api:judge-pair": own(get=None, is_missing=True, arguments=FIRST),
    "api:arenas": needs("arena.view_arenas", post="arena.create_arena"),
    "api:arena-estimate": needs("arena.create_arena", get=None),
    "api:arena": own(post=None, change=SIGNED_IN, is_missing=True, arguments=FIRST),
    "api:arena-battles": own(post=None, is_missing=True, arguments=FIRST),
    "api:start-arena": own(get=None, is_missing=True, arguments=FIRST),
    "api:cancel-arena": own(get=None, is_missing=True, arguments=FIRST),
    "api:count-arena": own(get=None, is_missing=True, arguments=FIRST),
    "api:arena-judge": own(get=None, post=None, change=SIGNED_IN, is_missing=True, arguments=JUDGE),
    "leaderboards:board": needs(OPEN, post=None, is_missing=True),
    "leaderboards:file": needs(OPEN, post=None, is_missing=True),
    "leaderboards:arenas-file": needs(OPEN, post=None, is_missing=True),
    "leaderboards:difference": needs(OPEN, post=None, is_missing=True),
    "api:leaderboard-difference": needs(OPEN, post=None, is_missing=True),
    "leaderboards:embed": needs(OPEN, post=None, is_missing=True),
    "leaderboards:badge": needs(OPEN, post=None, is_missing=True),
    "leaderboards:model": needs(
        OPEN, post=None, is_missing=True, arguments={"name": lambda _world: "nobody"}
    ),
    "api:leaderboard-model": needs(
        OPEN, post=None, is_missing=True, arguments={"name": lambda _world: "nobody"}
    ),
    "api:leaderboard": needs(OPEN, post=None, is_missing=True),
    "api:submissions": own(is_missing=True),
    "api:endpoint-submissions": own(get=None, is_missing=True),
    "api:participation": own(is_missing=True),
    "api:withheld-texts": own(post=None, is_missing=True),
    "api:key-copies": needs("submissions.copy_keys"),
    "api:key-copy-file": needs(
        "submissions.copy_keys",
        post=None,
        is_missing=True,
        arguments={"number": lambda _world: 1},
    ),
    "api:leaks": needs("submissions.change_submissions", get=None),
    "api:rescoring": needs("submissions.change_submissions", get=None),
    "api:submission": own(post=None, is_missing=True, arguments=FIRST),
    "api:submission-cancel": own(get=None, is_missing=True, arguments=FIRST),
    "api:submission-restore": own(get=None, is_missing=True, arguments=FIRST),
    "api:submission-withdraw": own(get=None, is_missing=True, arguments=FIRST),
    "api:submission-moderation": own(get=None, is_missing=True, arguments=FIRST),
    "api:submission-policy": needs(
        "submissions.change_submissions", post=None, change="submissions.change_submissions"
    ),
    "api:project-submissions": needs("submissions.change_submissions", post=None),
    "api:teams": needs("submissions.change_submissions", post=None),
    "api:team": own(get=None, post=None, change=SIGNED_IN, is_missing=True, arguments=FIRST),
    "evaluation:runs": needs("evaluation.view_runs", post=None),
    "evaluation:runs-file": needs(
        "evaluation.view_runs", post=None, arguments={"extension": lambda _world: "csv"}
    ),
    "evaluation:costs": needs("evaluation.view_runs", post=None),
    "evaluation:start": needs("evaluation.start_run"),
    "evaluation:comparison": needs("evaluation.view_runs", post=None),
    "evaluation:comparison-file": needs(
        "evaluation.view_runs",
        post=None,
        is_missing=True,
        arguments={"name": lambda _world: "csv"},
    ),
    "evaluation:flips": needs("evaluation.start_run", post=None, is_missing=True),
    "evaluation:comparison-answers": needs("evaluation.start_run", post=None, is_missing=True),
    "evaluation:import": needs("evaluation.import_run"),
    "annotation:translation-jobs": needs("annotation.view_translation_jobs", post=None),
    "annotation:start-translation": needs("annotation.translate_items"),
    "annotation:translation-system": needs(
        "annotation.view_translation_jobs", post=None, is_missing=True
    ),
    "annotation:translation-prompt": needs("annotation.translate_items"),
    "annotation:translation-job": needs(
        "annotation.view_translation_jobs", pk="translation_job.pk", post=None
    ),
    "annotation:translation-progress": needs(
        "annotation.view_translation_jobs", pk="translation_job.pk", post=None
    ),
    "annotation:cancel-translation": needs(
        "annotation.translate_items", pk="translation_job.pk", get=None
    ),
    "annotation:resume-translation": needs(
        "annotation.translate_items", pk="translation_job.pk", get=None
    ),
    "annotation:allow-hidden-items": needs(
        "annotation.allow_hidden_items", pk="model_spec.endpoint_id", get=None
    ),
    "annotation:make-items": needs("annotation.import_items"),
    "evaluation:judging": needs("evaluation.view_run", pk="run.pk", post="evaluation.judge_run"),
    "evaluation:min-k": needs("evaluation.view_run", pk="run.pk", post="evaluation.test_min_k"),
    "evaluation:min-k-file": needs(
        "evaluation.view_responses",
        pk="run.pk",
        post=None,
        is_missing=True,
        arguments={"name": lambda _world: "csv"},
    ),
    "evaluation:translation-file": needs(
        "evaluation.view_run", pk="run.pk", post=None, arguments={"name": lambda _world: "csv"}
    ),
    "evaluation:audit": needs("evaluation.view_run", pk="run.pk", post="evaluation.start_audit"),
    "evaluation:read-for-audit": needs("evaluation.read_for_audit", pk="run.pk", is_missing=True),
    "evaluation:audit-file": needs(
        "evaluation.view_responses",
        pk="run.pk",
        post=None,
        is_missing=True,
        arguments={"extension": lambda _world: "csv"},
    ),
    "evaluation:export": needs(
        "evaluation.view_responses",
        pk="run.pk",
        post=None,
        arguments={"name": lambda _world: "inspect"},
    ),
    "annotation:making-jobs": needs("annotation.view_making_jobs", post=None),
    "annotation:start-making": needs("annotation.make_items"),
    "annotation:making-prompt": needs("annotation.make_items"),
    "annotation:making": needs("annotation.view_making_jobs", pk="making_job.pk", post=None),
    "annotation:making-progress": needs(
        "annotation.view_making_jobs", pk="making_job.pk", post=None
    ),
    "annotation:cancel-making": needs("annotation.make_items", pk="making_job.pk", get=None),
    "annotation:resume-making": needs("annotation.make_items", pk="making_job.pk", get=None),
    "annotation:sampling-jobs": needs("annotation.view_making_jobs", post=None),
    "annotation:start-sampling": needs("annotation.make_items"),
    "annotation:sampling-prompt": needs("annotation.make_items"),
    "annotation:sampling": needs("annotation.view_making_jobs", pk="sampling_job.pk", post=None),
    "annotation:sampling-progress": needs(
        "annotation.view_making_jobs", pk="sampling_job.pk", post=None
    ),
    "annotation:cancel-sampling": needs("annotation.make_items", pk="sampling_job.pk", get=None),
    "annotation:resume-sampling": needs("annotation.make_items", pk="sampling_job.pk", get=None),
    "review:explanation-jobs": needs("review.view_explanation_jobs", post=None),
    "review:start-explaining": needs("review.explain_items"),
    "review:explaining-prompt": needs("review.explain_items"),
    "review:explaining": needs("review.view_explanation_jobs", pk="explanation_job.pk", post=None),
    "review:explaining-progress": needs(
        "review.view_explanation_jobs", pk="explanation_job.pk", post=None
    ),
    "review:cancel-explaining": needs("review.explain_items", pk="explanation_job.pk", get=None),
    "review:resume-explaining": needs("review.explain_items", pk="explanation_job.pk", get=None),
    "annotation:screenings": needs("annotation.view_screenings", post=None),
    "annotation:start-screening": needs("annotation.screen_items"),
    "annotation:screening": needs("annotation.view_screenings", pk="screening.pk", post=None),
    "annotation:screening-progress": needs(
        "annotation.view_screenings", pk="screening.pk", post=None
    ),
    "review:screen-calibration": needs(
        "annotation.view_screenings", post="annotation.screen_items"
    ),
    "annotation:screening-prompt": needs(
        "annotation.screen_items", arguments={"screen": lambda _world: "unique"}
    ),
    "annotation:opinions": needs("annotation.view_screenings", pk="screening.pk", post=None),
    "annotation:cancel-screening": needs("annotation.screen_items", pk="screening.pk", get=None),
    "annotation:resume-screening": needs("annotation.screen_items", pk="screening.pk", get=None),
    "evaluation:item-analysis": needs("evaluation.view_item_analysis", post=None),
    "evaluation:analyse-items": needs("evaluation.analyse_items"),
    "evaluation:item-figure": needs(
        "evaluation.view_item_analysis", post=None, is_missing=True, arguments=FIRST
    ),
    "evaluation:suggestions": needs("evaluation.decide_suggestions"),
    "evaluation:dismiss-suggestion": needs(
        "evaluation.decide_suggestions", get=None, is_missing=True, arguments=FIRST
    ),
    "evaluation:run": needs("evaluation.view_run", pk="run.pk", post=None),
    "evaluation:job": needs("evaluation.view_run", pk="run.pk", post=None),
    "evaluation:cancel": needs("evaluation.cancel_run", pk="run.pk", get=None),
    "evaluation:resume": needs("evaluation.resume_run", pk="run.pk", get=None),
    "evaluation:score": needs("evaluation.resume_run", pk="run.pk", get=None),
    "evaluation:scoring-job": needs("evaluation.view_run", pk="run.pk", post=None),
    "evaluation:file": needs("evaluation.view_run", pk="run.pk", post=None, is_missing=True),
    "evaluation:responses": needs("evaluation.view_responses", pk="run.pk", post=None),
    "evaluation:response": needs(
        "evaluation.view_responses",
        pk="run.pk",
        post=None,
        arguments={"response_pk": lambda world: world.response.pk},
    ),
    "endpoints:models": needs("endpoints.view_models", post=None),
    "endpoints:add-model": needs("endpoints.change_models"),
    "endpoints:revise-model": needs(
        "endpoints.change_models", arguments={"name": lambda world: world.model_spec.name}
    ),
    "endpoints:test-model": needs(
        "endpoints.test_models", get=None, arguments={"name": lambda world: world.model_spec.name}
    ),
    "endpoints:retire-model": needs(
        "endpoints.change_models", get=None, arguments={"name": lambda world: world.model_spec.name}
    ),
    "endpoints:server-models": administration(SERVER_ENDPOINTS, post=None),
    "endpoints:add-server-model": administration(SERVER_ENDPOINTS),
    "endpoints:revise-server-model": needs(
        "endpoints.change_server_endpoints",
        stranger=403,
        is_missing=True,
        arguments={"name": lambda world: "none"},
    ),
    "endpoints:retire-server-model": needs(
        "endpoints.change_server_endpoints",
        stranger=403,
        get=None,
        is_missing=True,
        arguments={"name": lambda world: "none"},
    ),
    "endpoints:return-server-model": needs(
        "endpoints.change_server_endpoints",
        stranger=403,
        get=None,
        is_missing=True,
        arguments={"name": lambda world: "none"},
    ),
    "endpoints:return-model": needs(
        "endpoints.change_models", get=None, arguments={"name": lambda world: world.model_spec.name}
    ),
    "prompts:list": needs("prompts.view_prompts", post=None),
    "evaluation:add-prompt": needs("prompts.change_prompts"),
    "evaluation:revise-prompt": needs(
        "prompts.change_prompts", arguments={"name": lambda world: "direct"}
    ),
    # API
    "api:terms": needs("annotation.view_glossary", post="annotation.change_glossary"),
    "api:term": needs(
        "annotation.view_glossary", pk="term.pk", post=None, change="annotation.change_glossary"
    ),
    "api:import-terms": needs("annotation.change_glossary", get=None),
    "api:term-file": needs(
        "annotation.view_glossary", post=None, arguments={"extension": lambda world: "csv"}
    ),
    "api:item-terms": needs("annotation.view_items", pk="item.pk", post=None),
    "api:term-proposals": needs("annotation.view_glossary", post="annotation.propose_term"),
    "api:decide-term": needs("annotation.change_glossary", pk="term_proposal.pk", get=None),
    "api:concordance": needs("annotation.view_items", post=None),
    "api:memory": needs("annotation.view_items", post=None),
    "api:me": own(post=None, change=SIGNED_IN),
    "api:own-sign-ins": own(post=None),
    "api:tokens": own(),
    "api:token": needs(
        "accounts.revoke_token",
        change="as right",
        pk="token.pk",
        get=None,
        post=None,
        foreign=(404,),
    ),
    "api:projects": needs(SIGNED_IN, post="projects.create_project", stranger=403),
    "api:project": needs("projects.view_project", post=None, change="projects.change_project"),
    "api:members": needs("projects.view_members", post="projects.change_members"),
    "api:member": needs(
        "projects.view_members", pk="membership.pk", post=None, change="projects.change_members"
    ),
    "api:invitations": needs("projects.change_members", get=None),
    "api:invite-again": needs("projects.change_members", pk="membership.pk", get=None),
    "api:accounts": administration("accounts.view_accounts", post=None),
    "api:account": administration("accounts.view_accounts", pk=own_account, post=None),
    "api:deactivate-account": administration("accounts.change_accounts", pk=own_account, get=None),
    "api:reactivate-account": administration("accounts.change_accounts", pk=own_account, get=None),
    "api:make-administrator": administration("accounts.change_accounts", pk=own_account, get=None),
    "api:remove-administrator": administration(
        "accounts.change_accounts", pk=own_account, get=None
    ),
    "api:sign-ins-export": administration("accounts.view_sign_ins", post=None),
    "api:project-audit-export": needs("projects.view_audit_events", post=None),
    "api:audit-export": needs("accounts.view_audit_events", post=None, stranger=403),
    "api:sign-ins": administration("accounts.view_sign_ins", post=None),
    "api:sources": needs("projects.view_project", post=None),
    "api:subjects": needs("projects.view_project", post=None, change="projects.change_project"),
    "api:source": needs(
        "projects.view_project", pk="source.pk", post=None, change="projects.change_project"
    ),
    "api:project-audit-events": needs("projects.view_audit_events", post=None),
    "api:audit-events": needs("accounts.view_audit_events", post=None, stranger=403),
    "api:pause-member": needs("projects.change_members", pk="membership.pk", get=None),
    "api:resume-member": needs("projects.change_members", pk="membership.pk", get=None),
    "api:items": needs("annotation.view_items", post=None),
    "api:items-export": needs("annotation.view_items", post=None),
    "api:finding-counts": needs("annotation.view_findings", post=None),
    "api:import-errors": needs("jobs.view_job", pk="import_job.job_id", post=None),
    "api:import-again": needs("jobs.cancel_job", pk="import_job.job_id", get=None),
    "api:import-mappings": needs("annotation.import_items"),
    "api:undo-import": needs("jobs.cancel_job", pk="import_job.job_id", get=None),
    "api:duplicates-export": needs("annotation.view_duplicates", post=None),
    "api:term-history": needs("annotation.view_glossary", pk="term.pk", post=None),
    "api:item": needs("annotation.view_items", pk="item.pk", post=None),
    "api:comments": needs("review.comment", pk="item.pk"),
    "api:resolve-thread": needs("review.comment", pk="comment.pk", get=None),
    "api:reopen-thread": needs("review.comment", pk="comment.pk", get=None),
    "api:names": needs("review.comment", post=None),
    "api:item-history": needs("annotation.view_items", pk="item.pk", post=None),
    "api:item-text": needs("annotation.edit_text", pk="item.pk", get=None),
    "api:item-key": needs("annotation.correct_key", pk="item.pk", get=None),
    "api:exclude-item": needs("annotation.change_item", pk="item.pk", get=None),
    "api:saved-filters": needs("annotation.view_items"),
    "api:saved-filter": needs(
        "annotation.view_items",
        pk=lambda _world: 1,
        get=None,
        post=None,
        change="annotation.view_items",
        is_missing=True,
    ),
    "api:restore-item": needs("annotation.change_item", pk="item.pk", get=None),
    "api:checks": needs("annotation.view_findings", post="annotation.import_items"),
    "api:findings": needs("annotation.view_findings", post=None),
    "api:dismiss-finding": needs("annotation.dismiss_finding", pk="finding.pk", get=None),
    "api:reopen-finding": needs("annotation.dismiss_finding", pk="finding.pk", get=None),
    "api:duplicates": needs("annotation.view_duplicates", post=None),
    "api:duplicate-searches": needs(
        "annotation.view_duplicates", post="annotation.search_duplicates"
    ),
    "api:duplicate-decision": needs("annotation.decide_duplicate", pk="pair.pk", get=None),
    "api:duplicate-reopening": needs("annotation.decide_duplicate", pk="pair.pk", get=None),
    "api:imports": needs("annotation.import_items"),
    "api:job": needs("jobs.view_job", pk="job.pk", post=None),
    "api:cancel-job": needs("jobs.cancel_job", pk="job.pk", get=None),
    "api:batch-file": needs(
        "jobs.cancel_job", pk="translation_job.job_id", post=None, is_unfit=True
    ),
    "api:batch-answers": needs("jobs.cancel_job", pk="translation_job.job_id", get=None),
    "api:hold-job": needs("jobs.cancel_job", pk="translation_job.job_id", get=None),
    "api:ask-directly": needs("jobs.cancel_job", pk="translation_job.job_id", get=None),
    "api:resume-job": needs("jobs.cancel_job", pk="job.pk", get=None),
    "api:project-endpoints": needs("endpoints.change_endpoints"),
    "api:server-endpoints": administration(SERVER_ENDPOINTS),
    "api:endpoint": needs(
        "endpoints.change_endpoints",
        pk="model_spec.endpoint.pk",
        get=None,
        post=None,
        change="as right",
    ),
    "api:import-run": needs("evaluation.import_run", get=None),
    "api:runs": needs("evaluation.view_runs", post="evaluation.start_run"),
    "api:answer-judging": needs(
        "evaluation.view_run", pk="run.pk", post="evaluation.judge_run", is_missing=True
    ),
    "api:answer-judging-estimate": needs("evaluation.judge_run", pk="run.pk", get=None),
    "api:min-k": needs(
        "evaluation.view_run", pk="run.pk", post="evaluation.test_min_k", is_missing=True
    ),
    "api:min-k-export": needs("evaluation.view_responses", pk="run.pk", post=None, is_missing=True),
    "api:translation-scores": needs("evaluation.view_run", pk="run.pk", post=None),
    "api:translation-scores-export": needs("evaluation.view_run", pk="run.pk", post=None),
    "api:extraction-audit": needs(
        "evaluation.view_run", pk="run.pk", post="evaluation.start_audit", is_missing=True
    ),
    "api:extraction-audit-next": needs(
        "evaluation.read_for_audit", pk="run.pk", post=None, is_missing=True
    ),
    "api:extraction-audit-readings": needs(
        "evaluation.read_for_audit", pk="run.pk", get=None, is_missing=True
    ),
    "api:run-answers": needs("evaluation.view_responses", pk="run.pk", post=None),
    "api:extraction-audit-export": needs(
        "evaluation.view_responses", pk="run.pk", post=None, is_missing=True
    ),
    "api:item-analyses": needs("evaluation.view_item_analysis", post="evaluation.analyse_items"),
    "api:item-analysis": needs("evaluation.view_item_analysis", post=None, is_missing=True),
    "api:review-suggestions": needs("evaluation.decide_suggestions", post=None),
    "api:send-suggestions": needs("evaluation.decide_suggestions", get=None),
    "api:suggestions-found": needs("evaluation.decide_suggestions", post=None),
    "api:dismiss-suggestion": needs(
        "evaluation.decide_suggestions", get=None, is_missing=True, arguments=FIRST
    ),
    "api:run": needs("evaluation.view_run", pk="run.pk", post=None),
    "api:translation-jobs": needs(
        "annotation.view_translation_jobs", post="annotation.translate_items"
    ),
    "api:translation-system": needs("annotation.view_translation_jobs", post=None, is_missing=True),
    "api:translation-prompt": needs("annotation.translate_items", post=None, change="as right"),
    "api:allow-hidden-items": needs(
        "annotation.allow_hidden_items", pk="model_spec.endpoint_id", get=None
    ),
    "api:translation-job": needs(
        "annotation.view_translation_jobs", pk="translation_job.pk", post=None
    ),
    "api:translation-job-cancel": needs(
        "annotation.translate_items", pk="translation_job.pk", get=None
    ),
    "api:translation-job-resume": needs(
        "annotation.translate_items", pk="translation_job.pk", get=None
    ),
    "api:make-items": needs("annotation.import_items", get=None),
    "api:making-jobs": needs("annotation.view_making_jobs", post="annotation.make_items"),
    "api:making": needs("annotation.view_making_jobs", pk="making_job.pk", post=None),
    "api:making-prompt": needs("annotation.make_items", post=None, change="as right"),
    "api:failed-pairs": needs("annotation.view_making_jobs", pk="making_job.pk", post=None),
    "api:making-cancel": needs("annotation.make_items", pk="making_job.pk", get=None),
    "api:making-resume": needs("annotation.make_items", pk="making_job.pk", get=None),
    "api:sampling-jobs": needs("annotation.view_making_jobs", post="annotation.make_items"),
    "api:sampling": needs("annotation.view_making_jobs", pk="sampling_job.pk", post=None),
    "api:sampling-prompt": needs("annotation.make_items", post=None, change="as right"),
    "api:sample": needs("annotation.view_making_jobs", pk="sampling_job.pk", post=None),
    "api:failed-prompts": needs("annotation.view_making_jobs", pk="sampling_job.pk", post=None),
    "api:sampling-cancel": needs("annotation.make_items", pk="sampling_job.pk", get=None),
    "api:sampling-resume": needs("annotation.make_items", pk="sampling_job.pk", get=None),
    "api:explanation-jobs": needs("review.view_explanation_jobs", post="review.explain_items"),
    "api:explaining-prompt": needs("review.explain_items", post=None, change="as right"),
    "api:explaining": needs("review.view_explanation_jobs", pk="explanation_job.pk", post=None),
    "api:unexplained-items": needs(
        "review.view_explanation_jobs", pk="explanation_job.pk", post=None
    ),
    "api:explaining-cancel": needs("review.explain_items", pk="explanation_job.pk", get=None),
    "api:explaining-resume": needs("review.explain_items", pk="explanation_job.pk", get=None),
    "api:screenings": needs("annotation.view_screenings", post="annotation.screen_items"),
    "api:screening": needs("annotation.view_screenings", pk="screening.pk", post=None),
    "api:screen-calibration": needs("annotation.view_screenings", post="annotation.screen_items"),
    "api:doubted-items": needs("annotation.view_screenings", post=None),
    "api:screening-prompt": needs(
        "annotation.screen_items",
        post=None,
        change="as right",
        arguments={"screen": lambda _world: "unique"},
    ),
    "api:opinions": needs("annotation.view_screenings", pk="screening.pk", post=None),
    "api:screening-cancel": needs("annotation.screen_items", pk="screening.pk", get=None),
    "api:screening-resume": needs("annotation.screen_items", pk="screening.pk", get=None),
    "api:run-cancel": needs("evaluation.cancel_run", pk="run.pk", get=None),
    "api:run-resume": needs("evaluation.resume_run", pk="run.pk", get=None),
    "api:runs-export": needs("evaluation.view_runs", post=None),
    "api:run-costs": needs("evaluation.view_runs", post=None),
    "api:run-estimate": needs("evaluation.start_run", post=None, asks_more=True),
    "api:run-score": needs("evaluation.resume_run", pk="run.pk", get=None),
    "api:run-responses": needs("evaluation.view_responses", pk="run.pk", post=None),
    "api:run-response": needs(
        "evaluation.view_responses",
        pk="run.pk",
        post=None,
        arguments={"response_pk": lambda world: world.response.pk},
    ),
    "api:comparisons": needs("evaluation.view_runs", post=None, is_missing=True),
    "api:comparison-export": needs("evaluation.view_runs", post=None, is_missing=True),
    "api:flips": needs("evaluation.start_run", post=None, is_missing=True),
    "api:comparison-answers": needs("evaluation.start_run", post=None, is_missing=True),
    "api:run-files": needs("evaluation.view_run", pk="run.pk", post=None),
    "api:run-file": needs("evaluation.view_run", pk="run.pk", post=None, is_missing=True),
    "api:prompt-preview": needs("prompts.change_prompts", get=None),
    "api:prompts": needs("prompts.view_prompts", post="prompts.change_prompts"),
    "api:prompt": needs(
        "prompts.view_prompts",
        post=None,
        change="prompts.change_prompts",
        arguments={"name": lambda world: "direct"},
    ),
    "api:models": needs("endpoints.view_models", post="endpoints.change_models"),
    "api:test-model": needs(
        "endpoints.test_models", get=None, arguments={"name": lambda world: world.model_spec.name}
    ),
    "api:retire-model": needs(
        "endpoints.change_models", get=None, arguments={"name": lambda world: world.model_spec.name}
    ),
    "api:server-models": administration(SERVER_ENDPOINTS),
    "api:server-model": needs(
        "endpoints.change_server_endpoints",
        stranger=403,
        get=None,
        post=None,
        change="as right",
        is_missing=True,
        arguments={"name": lambda world: "none"},
    ),
    "api:retire-server-model": needs(
        "endpoints.change_server_endpoints",
        stranger=403,
        get=None,
        is_missing=True,
        arguments={"name": lambda world: "none"},
    ),
    "api:return-server-model": needs(
        "endpoints.change_server_endpoints",
        stranger=403,
        get=None,
        is_missing=True,
        arguments={"name": lambda world: "none"},
    ),
    "api:return-model": needs(
        "endpoints.change_models", get=None, arguments={"name": lambda world: world.model_spec.name}
    ),
    "api:model": needs(
        "endpoints.change_models",
        get=None,
        post=None,
        change="as right",
        arguments={"name": lambda world: world.model_spec.name},
    ),
    "api:rounds": needs("review.view_rounds", post="review.open_round"),
    "api:round-preview": needs("review.open_round", get=None),
    "api:round": needs(
        "review.view_rounds", pk="round.pk", post=None, change="review.change_round"
    ),
    "api:round-pause": needs("review.pause_round", pk="round.pk", get=None),
    "api:round-resume": needs("review.pause_round", pk="round.pk", get=None),
    "api:practice": needs("review.practise", post=None),
    "api:practice-item": needs("review.practise", get=None, arguments={"number": lambda _world: 2}),
    "api:criteria": needs("projects.view_project", post=None, change="projects.change_project"),
    "api:guidelines": needs("review.view_rounds", post="review.change_guideline"),
    "api:round-close": needs("review.close_round", pk="round.pk", get=None),
    "api:round-discard": needs("review.discard_round", pk="round.pk", get=None),
    "api:claim": needs("review.claim_seat", pk="round.pk", get=None),
    "api:reserve": needs("review.claim_seat", pk="round.pk", get=None),
    "api:withdraw": own(arguments={"pk": lambda _world: 0}, get=None, is_missing=True),
    "api:suggestion": needs(
        "review.release_seat", pk="held_seat.pk", get=None, foreign=SEAT_OF_ANOTHER
    ),
    "api:judgement": needs(
        "review.submit_judgement", pk="held_seat.pk", get=None, foreign=SEAT_OF_ANOTHER
    ),
    "api:skip": needs("review.release_seat", pk="held_seat.pk", get=None, foreign=SEAT_OF_ANOTHER),
    "api:undo-skip": needs(
        "review.release_seat", pk="held_seat.pk", get=None, foreign=SEAT_OF_ANOTHER
    ),
    "api:reveal": needs(
        "review.release_seat", pk="held_seat.pk", get=None, foreign=SEAT_OF_ANOTHER
    ),
    "api:proposals": needs(
        "review.submit_judgement", pk="held_seat.pk", post=None, foreign=SEAT_OF_ANOTHER
    ),
    "api:check-seat": needs(
        "review.submit_judgement", pk="held_seat.pk", get=None, foreign=SEAT_OF_ANOTHER
    ),
    "api:check-dispute": needs("review.adjudicate_panel", pk="dispute.pk", get=None),
    "api:check-text": needs("annotation.edit_text", pk="item.pk", get=None),
    "api:renew": needs("review.release_seat", pk="held_seat.pk", get=None, foreign=SEAT_OF_ANOTHER),
    "api:judgements": needs("review.view_rounds", post=None),
    "api:home": own(),
    "api:overview": needs("projects.view_project", post=None),
    "api:own-statements": own(post=None),
    "api:statements": needs("review.view_statements", post=None),
    "api:statement": needs("review.view_statements", post=None, arguments=MONTH),
    "api:statement-export": needs("review.view_statements", post=None, arguments=MONTH),
    "api:close-statement": needs("review.close_statement", get=None, arguments=MONTH),
    "api:work-offer": needs("projects.change_members", post=None, change="projects.change_members"),
    "api:contributor": needs("projects.be_named", post=None, change="projects.be_named"),
    "api:pay-rates": needs("projects.change_pay", pk="membership.pk"),
    "api:notifications": own(post=None),
    "api:read-notifications": own(get=None),
    "api:digest": own(post=None, change=SIGNED_IN),
    "api:my-work-months": own(post=None),
    "api:my-answers": own(post=None),
    "api:my-answers-export": own(post=None),
    "api:my-work": own(post=None),
    "api:my-work-export": own(post=None),
    "api:judgements-export": needs("review.view_rounds", post=None),
    "api:disputes": needs("review.view_disputes", post=None),
    "api:adjudication": needs("review.adjudicate_panel", pk="dispute.pk", get=None),
    "api:visit-dispute": needs("review.adjudicate_panel", pk="dispute.pk", get=None),
    "api:reopening": needs("review.adjudicate_panel", pk="dispute.pk", get=None),
    "api:settled-disputes": needs("review.view_disputes", post=None),
    "api:blocked-disputes": needs("review.name_substitute", post=None),
    "api:round-substitutes": needs("review.name_substitute", pk="round.pk", get=None),
    "api:substitute": needs("review.name_substitute", pk="dispute.pk", get=None),
    "api:bulk-disputes": needs("review.adjudicate_disputes"),
    "api:dispute": needs("review.read_dispute", pk="dispute.pk", post=None),
    "api:ask-second-look": needs("review.adjudicate_panel", pk="dispute.pk", get=None),
    "api:further-seat": needs("review.adjudicate_panel", pk="dispute.pk", get=None),
    "api:take-back": needs("review.adjudicate_panel", pk="dispute.pk", get=None),
    "api:second-looks": own(post=None),
    "api:second-look-details": needs(
        "review.answer_second_look", pk="second_look.pk", post=None, foreign=(404,)
    ),
    "api:second-look": needs(
        "review.answer_second_look", pk="second_look.pk", get=None, foreign=(404,)
    ),
    "api:passages": needs("review.propose_passage", post=None),
    "api:passage": needs("review.propose_passage", pk="adjudication.pk"),
    "api:decide-passage": needs("review.change_guideline", pk="passage.pk", get=None),
    "api:reliability": needs("review.estimate_reliability", get=None),
    "api:report": needs("review.view_report", post=None),
    "api:report-export": needs("review.view_report", post=None),
    "api:pair": needs(
        "review.view_reviewers",
        post=None,
        arguments={
            "first": lambda world: world.people[REVIEWER].email,
            "second": lambda world: world.people[STRANGER].email,
        },
    ),
    "api:report-questions": needs("review.view_reviewers", post=None),
    "api:take": needs("review.claim_seat", pk="solving.pk", get=None),
    "api:answer": own(arguments={"pk": lambda _world: 0}, get=None, is_missing=True),
    "api:skip-answer": own(arguments={"pk": lambda _world: 0}, get=None, is_missing=True),
    "api:withdraw-answer": own(arguments={"pk": lambda _world: 0}, get=None, is_missing=True),
    "api:results": needs("review.view_report", pk="solving.pk", post=None),
    "api:results-export": needs("review.view_report", pk="solving.pk", post=None),
    "api:answers-export": needs("review.export_answers", pk="solving.pk", post=None),
    "api:answers": needs("review.export_answers", pk="solving.pk", post=None),
    "api:key-dispute": needs("review.adjudicate_panel", pk="key_dispute.pk", get=None),
    "api:choose-translations": needs("review.choose_translation", get=None),
    "api:bulk-changes": needs("annotation.change_item"),
    "api:bulk-preview": needs("annotation.change_item", get=None),
    "api:undo-bulk-change": needs(
        "annotation.change_item", pk=lambda _world: 1, get=None, is_missing=True
    ),
    "api:choose-items": needs("review.choose_translation", post=None),
    "api:choices": needs("review.choose_translation", post=None),
    "api:undo-choice": needs(
        "review.choose_translation", pk=lambda _world: 1, get=None, is_missing=True
    ),
    "api:repairs": needs("annotation.edit_text"),
    "api:repair-preview": needs("annotation.edit_text", post=None, asks_more=True),
    "api:repair-batch": needs("annotation.edit_text", pk="repair_batch.pk", post=None),
    "api:repaired-texts": needs("annotation.edit_text", pk="repair_batch.pk", post=None),
    "api:undo-repairs": needs("annotation.edit_text", pk="repair_batch.pk", get=None),
    "api:webhooks": needs("webhooks.change_webhooks"),
    "api:webhook": needs(
        "webhooks.change_webhooks", pk="webhook.pk", post=None, change="webhooks.change_webhooks"
    ),
    "api:webhook-secret": needs("webhooks.change_webhooks", pk="webhook.pk", get=None),
    "api:webhook-ping": needs("webhooks.change_webhooks", pk="webhook.pk", get=None),
    "api:webhook-switch-on": needs("webhooks.change_webhooks", pk="webhook.pk", get=None),
    "api:webhook-deliveries": needs("webhooks.change_webhooks", pk="webhook.pk", post=None),
    "api:webhook-replay": needs("webhooks.change_webhooks", pk="webhook.pk", get=None),
    "api:delivery-again": needs(
        "webhooks.change_webhooks",
        pk="webhook.pk",
        get=None,
        is_missing=True,
        arguments={"delivery": lambda _world: 0},
    ),
    "api:release-details": needs("releases.build_release"),
    "api:readiness": needs("releases.build_release", post=None),
    "api:releases": needs("releases.view_releases", post="releases.build_release"),
    "api:release": needs("releases.view_release", post=None),
    "api:release-difference": needs(
        "releases.view_release",
        post=None,
        is_missing=True,
        arguments={"old": lambda _world: "0.0.1"},
    ),
    "api:public-releases": needs(OPEN, post=None),
    "api:public-versions": needs(OPEN, post=None, is_missing=True),
    "api:release-errata": needs("releases.view_release", post=None),
    "api:release-changelog": needs(
        "releases.view_release",
        post=None,
        is_missing=True,
        arguments={"old": lambda _world: "0.0.1"},
    ),
    "api:release-preview": needs("releases.build_release", get=None),
    "api:release-manifest": needs("releases.view_release", post=None, is_missing=True),
    "api:release-artifact": needs("releases.view_release", post=None, is_missing=True),
    "api:release-hub": needs("releases.publish_release"),
    "api:release-archive": needs("releases.view_release", post=None, is_missing=True),
    "api:release-publish": needs("releases.publish_release", get=None),
    "api:release-yank": needs("releases.yank_release", get=None),
    "api:release-audience": needs("releases.change_audience", get=None),
    "api:release-problems": needs("releases.view_release", get=None),
    "api:problems": needs("releases.decide_problem", post=None),
    "api:problem-decision": needs(
        "releases.decide_problem", pk=lambda _world: 1, get=None, is_missing=True
    ),
}

COMMON_ARGUMENTS: dict[str, Thing] = {
    "slug": lambda world: world.project.slug,
    "project": lambda world: world.project.slug,
    "version": lambda world: world.release.version,
    "number": lambda world: world.round.number,
    "name": lambda world: "manifest.json",
}


def arguments_of(world: World, name: str, pattern: URLPattern) -> dict[str, Any]:
    """The arguments in the address called `name`, as the world has them."""
    known = COMMON_ARGUMENTS | ADDRESSES[name].arguments
    names = pattern.pattern.converters or pattern.pattern.regex.groupindex
    return {key: known[key](world) for key in names}


def url_of(world: World, name: str, pattern: URLPattern) -> str:
    return reverse(name, kwargs=arguments_of(world, name, pattern))


class Browsers:
    """A client of each role, which signs in once."""

    def __init__(self, world: World) -> None:
        self.by_role = {role: world.browser(role) for role in ROLES}

    def of(self, name: str, method: str) -> Client:
        """The client of somebody who may use the address: the administrator where no member may."""
        row = ADDRESSES[name]
        right = row.of(method) or row.right
        if right in (OPEN, SIGNED_IN):
            return self.by_role[MANAGER]
        allowed = PERMISSIONS[right][0].allowed
        return self.by_role[next((role for role in ROLES if role in allowed), ADMINISTRATOR)]
