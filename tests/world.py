"""A small project with one of everything, and every address of the site, for tests of the whole."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.urls import URLPattern, get_resolver
from django.utils import timezone

from accounts.actions import create_token, invite_user
from accounts.models import ApiToken, User
from annotation import models as annotation
from annotation.enums import Severity
from endpoints.models import Endpoint, ModelSpec
from evaluation import models as evaluation
from evaluation.enums import ResponseState, Says
from jobs.models import Job
from projects import models as projects
from projects.enums import Role
from prompts.actions import ensure_job_prompt, ensure_translation_prompt
from prompts.enums import PromptPurpose
from prompts.models import PromptTemplate
from releases import models as releases
from releases.enums import ReleaseState
from review import models as review
from review.enums import (
    DecisionKind,
    InquiryKind,
    Outcome,
    PanelState,
    RoundKind,
    RoundState,
    SeatState,
    Verdict,
)
from tests.factories import (
    EndpointFactory,
    JobFactory,
    MembershipFactory,
    ModelSpecFactory,
    ProjectFactory,
    ReleaseFactory,
    RoundFactory,
    SubjectFactory,
    UserFactory,
    make_duplicate_pair,
    make_proposal,
    make_release_item,
    make_term,
    make_translated_item,
)
from webhooks.models import Webhook

MANAGER, SENIOR, REVIEWER, VIEWER, EVALUATOR = (str(role) for role in Role)
STRANGER, ANONYMOUS, ADMINISTRATOR = "stranger", "anonymous", "administrator"
MEMBERS = (MANAGER, SENIOR, REVIEWER, VIEWER, EVALUATOR)
ROLES = (*MEMBERS, STRANGER, ANONYMOUS, ADMINISTRATOR)


@dataclass(frozen=True, slots=True)
class World:
    """The project "ti": an open round with seats, disputes, two releases, a run, a job."""

    people: dict[str, User]
    project: projects.Project
    membership: projects.Membership
    token: ApiToken
    invitation_secret: str
    subject: projects.Subject
    source: projects.Source
    item: annotation.Item
    finding: annotation.Finding
    comment: review.Comment
    pair: annotation.DuplicatePair
    import_job: annotation.ImportJob
    job: Job
    round: review.Round
    held_seat: review.Assignment
    open_seat: review.Assignment
    dispute: review.Panel
    dispute_judged_by_senior: review.Panel
    dispute_written_by_senior: review.Panel
    second_look: review.Inquiry
    adjudication: review.Adjudication
    passage: review.Passage
    release: releases.Release
    building: releases.Release
    server_endpoint: Endpoint
    model_spec: ModelSpec
    run: evaluation.Run
    response: evaluation.ModelResponse
    translation_job: annotation.TranslationJob
    screening: annotation.ScreeningJob
    making_job: annotation.MakingJob
    sampling_job: annotation.SamplingJob
    explanation_job: review.ExplanationJob
    repair_batch: review.RepairBatch
    term: annotation.Term
    term_proposal: annotation.TermProposal
    solving: review.Round
    key_dispute: review.Panel
    webhook: Webhook

    def person(self, role: str) -> User | AnonymousUser:
        return AnonymousUser() if role == ANONYMOUS else self.people[role]

    def browser(self, role: str) -> Client:
        """A client that answers a crash with 500 instead of raising it."""
        client = Client(raise_request_exception=False)
        if role != ANONYMOUS:
            backend = "accounts.backends.AccountBackend"
            client.force_login(self.people[role], backend=backend)
        return client


def make_world() -> World:
    project = ProjectFactory(slug="ti")
    people = _people(project)
    subject = SubjectFactory(project=project, slug="law")
    item = _item(project, subject)
    round_ = RoundFactory(project=project, number=1, guideline__project=project)
    reviewer, senior = people[REVIEWER], people[SENIOR]
    held, free = _seats(_panel(round_, item, 0), reviewer)
    dispute = _dispute(round_, _item(project, subject), people[STRANGER], 1)
    release = ReleaseFactory(project=project, version="1.0.0", published_at=timezone.now())
    spec = ModelSpecFactory(project=project)
    asked = _dispute(round_, _item(project, subject), reviewer, 4)
    _judged(asked, people[STRANGER], 2)
    adjudication = _adjudication(
        _dispute(round_, _item(project, subject), people[STRANGER], 5), senior
    )
    run = _run(release, spec)
    return World(
        people=people,
        project=project,
        membership=project.memberships.get(user=reviewer),
        token=create_token(user=reviewer, name="t", actor=None, now=timezone.now()).token,
        invitation_secret=_invitation_secret(people[MANAGER]),
        subject=subject,
        source=item.source,
        item=item,
        finding=_finding(item),
        comment=_comment(item, people[REVIEWER]),
        pair=make_duplicate_pair(item, dispute.item),
        import_job=_import_job(project),
        job=JobFactory(scope=project.slug),
        round=round_,
        held_seat=held,
        open_seat=free,
        dispute=dispute,
        dispute_judged_by_senior=_dispute(round_, _item(project, subject), senior, 2),
        dispute_written_by_senior=_dispute(
            round_, _item(project, subject, author=senior), people[STRANGER], 3
        ),
        second_look=_second_look(asked, senior),
        adjudication=adjudication,
        passage=adjudication.passages.create(
            text="So it is.", proposed_by=senior, proposed_at=timezone.now()
        ),
        release=release,
        building=ReleaseFactory(project=project, version="2.0.0", state=ReleaseState.BUILDING),
        server_endpoint=EndpointFactory(project=None),
        model_spec=spec,
        run=run,
        translation_job=_translation_job(project, spec),
        screening=_screening(project, spec, item),
        making_job=_making_job(project, spec),
        sampling_job=_sampling_job(project, spec),
        explanation_job=_explanation_job(project, spec),
        repair_batch=_repair_batch(item),
        response=_response(run, item),
        term=make_term(project),
        term_proposal=make_proposal(project, proposed_by=reviewer),
        webhook=Webhook.objects.create(
            project=project, url="https://hooks.example.org/", nonce="n", created_at=timezone.now()
        ),
        **_solved(project, subject, people[STRANGER], round_.guideline),
    )


def addresses() -> Iterator[tuple[str, URLPattern, str]]:
    """Every address as (full name, pattern, route)."""
    yield from _walk(get_resolver(), (), "")


def _walk(resolver: Any, names: tuple[str, ...], route: str) -> Iterator[tuple[str, Any, str]]:
    for pattern in resolver.url_patterns:
        here = route + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from _walk(pattern, (*names, *filter(None, [pattern.namespace])), here)
        else:
            yield ":".join([*names, pattern.name or here]), pattern, here


def _people(project: projects.Project) -> dict[str, User]:
    people: dict[str, User] = {
        STRANGER: UserFactory(email="stranger@example.org"),
        ADMINISTRATOR: UserFactory(email="administrator@example.org", is_superuser=True),
    }
    for role in MEMBERS:
        people[role] = UserFactory(email=f"{role}@example.org", name=role.title())
        MembershipFactory(project=project, user=people[role], role=role)
    return people


def _item(
    project: projects.Project, subject: projects.Subject, author: User | None = None
) -> annotation.Item:
    return make_translated_item(
        project=project, source__project=project, subject=subject, author=author
    )


def _invitation_secret(inviter: User) -> str:
    issued = invite_user(email="new@example.org", name="", actor=inviter, now=timezone.now())
    assert issued is not None
    return issued.secret


def _finding(item: annotation.Item) -> annotation.Finding:
    return annotation.Finding.objects.create(
        revision=item.working_translation.current_revision,
        code="empty_text",
        severity=Severity.WARNING,
        field="options.0",
        created_at=timezone.now(),
    )


def _comment(item: annotation.Item, author: User) -> review.Comment:
    return review.Comment.objects.create(
        item=item,
        author=author,
        is_from_manager=False,
        text="Is this the right term?",
        idempotency_key="world",
        created_at=timezone.now(),
    )


def _import_job(project: projects.Project) -> annotation.ImportJob:
    return annotation.ImportJob.objects.create(
        project=project,
        job=JobFactory(scope=project.slug),
        name="items.jsonl",
        path="items.jsonl",
        created_at=timezone.now(),
    )


def _panel(
    round_: review.Round, item: annotation.Item, position: int, **fields: Any
) -> review.Panel:
    return review.Panel.objects.create(
        round=round_,
        item=item,
        revision=item.working_translation.current_revision,
        subject=item.subject,
        system=item.working_translation.system,
        position=position,
        **fields,
    )


def _seats(panel: review.Panel, holder: User) -> tuple[review.Assignment, review.Assignment]:
    place = {"panel": panel, "round": panel.round, "position": panel.position}
    now = timezone.now()
    held = review.Assignment.objects.create(
        **place,
        seat=1,
        reviewer=holder,
        state=SeatState.CLAIMED,
        claimed_at=now,
        expires_at=now + timedelta(minutes=30),
    )
    return held, review.Assignment.objects.create(**place, seat=2)


def _dispute(
    round_: review.Round, item: annotation.Item, judge: User, position: int
) -> review.Panel:
    panel = _panel(round_, item, position, state=PanelState.DISPUTED, outcome=Outcome.DISPUTED)
    _judged(panel, judge, 1)
    return panel


def _judged(panel: review.Panel, judge: User, seat: int) -> review.Judgement:
    taken = review.Assignment.objects.create(
        panel=panel,
        round=panel.round,
        position=panel.position,
        seat=seat,
        reviewer=judge,
        state=SeatState.JUDGED,
    )
    number = 10 * seat + panel.position
    return review.Judgement.objects.create(
        assignment=taken,
        panel=panel,
        revision=panel.revision,
        reviewer=judge,
        verdict=Verdict.APPROVE,
        ratings={"domain": 4, "cultural": 1},
        idempotency_key=f"key-{number}",
        receipt=_uuid(number),
        submitted_at=timezone.now(),
    )


def _second_look(panel: review.Panel, senior: User) -> review.Inquiry:
    judgement = panel.judgements.get(assignment__seat=1)
    return review.Inquiry.objects.create(
        panel=panel,
        kind=InquiryKind.SECOND_LOOK,
        judgement=judgement,
        reviewer=judgement.reviewer,
        note="Read line 2.",
        asked_by=senior,
        asked_at=timezone.now(),
    )


def _adjudication(panel: review.Panel, senior: User) -> review.Adjudication:
    adjudication = review.Adjudication.objects.create(
        panel=panel,
        senior=senior,
        decision=DecisionKind.APPROVE,
        reason="It is right.",
        decided_at=timezone.now(),
    )
    panel.state, panel.adjudication, panel.settled_at = (
        PanelState.SETTLED,
        adjudication,
        adjudication.decided_at,
    )
    panel.save(update_fields=["state", "adjudication", "settled_at"])
    return adjudication


def _solved(
    project: projects.Project, subject: projects.Subject, expert: User, guideline: review.Guideline
) -> dict[str, Any]:
    """A closed solving round with an answer against the key, which is in dispute."""
    round_ = RoundFactory(
        project=project,
        number=2,
        kind=RoundKind.SOLVING,
        state=RoundState.CLOSED,
        guideline=guideline,
        answered_count=1,
    )
    disputed = {"state": PanelState.DISPUTED, "outcome": Outcome.DISPUTED}
    reasons = [{"code": "experts_disagree", "against": 1, "answers": 1}]
    panel = _panel(round_, _item(project, subject), 1, **disputed, reasons=reasons)
    seat = review.Assignment.objects.create(
        panel=panel, round=round_, position=1, seat=1, reviewer=expert, state=SeatState.JUDGED
    )
    review.Answer.objects.create(
        assignment=seat,
        panel=panel,
        reviewer=expert,
        choice="B",
        idempotency_key="solved",
        receipt=_uuid(900),
        submitted_at=timezone.now(),
    )
    return {"solving": round_, "key_dispute": panel}


def _uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def _translation_job(project: projects.Project, spec: ModelSpec) -> annotation.TranslationJob:
    """A job that has translated nothing yet."""
    return annotation.TranslationJob.objects.create(
        project=project,
        system="another",
        model_spec=spec,
        prompt_template=ensure_translation_prompt(project=project, now=timezone.now()),
        strategy="single",
        job=JobFactory(kind="translation", scope=project.slug),
        started_at=timezone.now(),
    )


def _repair_batch(item: annotation.Item) -> review.RepairBatch:
    """A batch that has left its one text out."""
    batch = review.RepairBatch.objects.create(
        project=item.project,
        code="escapes_left",
        text_count=1,
        job=JobFactory(
            kind="text-repair",
            scope=item.project.slug,
            state="done",
            result={"repaired": 0, "left": {"approved": 1}},
        ),
        created_at=timezone.now(),
    )
    assert item.working_translation
    batch.texts.create(before=item.working_translation.current_revision, left="approved")
    return batch


def _screening(
    project: projects.Project, spec: ModelSpec, item: annotation.Item
) -> annotation.ScreeningJob:
    """A job that doubts the item, for a reason that tells no key."""
    job = JobFactory(kind="screening", scope=project.slug, params={"screens": ["context"]})
    started = annotation.ScreeningJob.objects.create(
        project=project, model_spec=spec, job=job, started_at=timezone.now()
    )
    prompt = ensure_job_prompt(
        project=project, purpose=PromptPurpose.SCREEN, task="context", frame="{item}",
        now=timezone.now(),
    )  # fmt: skip
    started.opinions.create(
        item=item, screen="context", prompt_template=prompt, state="doubt", confidence=0.8,
        words="A figure is missing.",
    )  # fmt: skip
    return started


def _making_job(project: projects.Project, spec: ModelSpec) -> annotation.MakingJob:
    """A job with one pair that no item came of."""
    prompt = ensure_job_prompt(
        project=project, purpose=PromptPurpose.MAKE, task="distractors", frame="{item}",
        now=timezone.now(),
    )  # fmt: skip
    started = annotation.MakingJob.objects.create(
        project=project, model_spec=spec, job=JobFactory(kind="making", scope=project.slug),
        prompt_template=prompt, name="pairs", started_at=timezone.now(),
    )  # fmt: skip
    started.pairs.create(
        line=1, uid="distractors/1", question="1 + 1 = ?", answer="2", state="failed",
        reason="distractors",
    )  # fmt: skip
    return started


def _sampling_job(project: projects.Project, spec: ModelSpec) -> annotation.SamplingJob:
    """A job with one prompt that is drawn and one without scores."""
    prompt = ensure_job_prompt(
        project=project, purpose=PromptPurpose.MAKE, task="arena-prompts", frame="{item}",
        now=timezone.now(),
    )  # fmt: skip
    started = annotation.SamplingJob.objects.create(
        project=project, model_spec=spec, job=JobFactory(kind="sampling", scope=project.slug),
        prompt_template=prompt, name="pool", count=1, embedding_model="hashed-ngrams",
        started_at=timezone.now(),
    )  # fmt: skip
    started.prompts.create(
        line=1, uid="arena-prompts/1", prompt="Why?", topic=0, twins=0, specificity=2, clarity=5,
        depth=3, place=1, state="scored",
    )  # fmt: skip
    started.prompts.create(
        line=2, uid="arena-prompts/2", prompt="How?", state="failed", reason="prompt_score",
        data={"field": "depth", "low": 1, "high": 5},
    )  # fmt: skip
    return started


def _explanation_job(project: projects.Project, spec: ModelSpec) -> review.ExplanationJob:
    prompt = ensure_job_prompt(
        project=project, purpose=PromptPurpose.MAKE, task="explanations", frame="{item}",
        now=timezone.now(),
    )  # fmt: skip
    return review.ExplanationJob.objects.create(
        project=project, model_spec=spec, prompt_template=prompt, started_at=timezone.now(),
        job=JobFactory(kind="explaining", scope=project.slug),
    )  # fmt: skip


def _run(release: releases.Release, spec: ModelSpec) -> evaluation.Run:
    prompt = PromptTemplate.objects.create(
        project=release.project,
        name="p",
        language="bo",
        frame="{question} {options}",
        created_at=timezone.now(),
    )
    return evaluation.Run.objects.create(
        release=release,
        model_spec=spec,
        prompt_template=prompt,
        methods=["direct"],
        job=JobFactory(scope=release.project.slug, kind="run"),
        started_at=timezone.now(),
    )


def _response(run: evaluation.Run, item: annotation.Item) -> evaluation.ModelResponse:
    release_item = make_release_item(run.release, item)
    return evaluation.ModelResponse.objects.create(
        run=run,
        release_item=release_item,
        epoch=1,
        state=ResponseState.ANSWERED,
        says=Says.ANSWER,
        text="A",
        request_hash="0" * 64,
        created_at=timezone.now(),
    )
