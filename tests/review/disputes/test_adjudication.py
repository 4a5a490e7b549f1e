"""What a senior may decide, what becomes of the text, and each refusal by its code."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import AuditEvent, User
from annotation.models import Finding, Revision, Translation
from projects.enums import Role
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel, adopted_text
from review.enums import PanelState
from review.models import Adjudication, Judgement, Panel, Round
from review.outcomes import Correction
from review.rounds.actions.rounds import close_round
from tests.review.conftest import OPTIONS
from tests.review.kinds import refusal

pytestmark = pytest.mark.django_db
Dispute = Callable[..., Panel]
Member = Callable[..., User]
MERGED = Correction("འདྲི་བ་མཐའ་མ།", OPTIONS)


def settle(panel: Panel, senior: User, **said: Any) -> Adjudication:
    return adjudicate_panel(
        panel=panel, senior=senior, content=DecisionContent(**said), now=timezone.now()
    )


def judgement(panel: Panel, verdict: str) -> Judgement:
    return panel.judgements.get(verdict=verdict)


def test_approval_settles_and_approves(disputed: Dispute, member: Member) -> None:
    panel, senior = disputed(), member(Role.SENIOR)

    made = settle(panel, senior, kind="approve", reason=" it is right ")

    stored = Panel.objects.get()
    assert (stored.state, stored.outcome) == (PanelState.SETTLED, "disputed")
    assert stored.settled_at is not None
    assert (made.senior, made.decision, made.adopted, made.resulting_revision) == (
        senior,
        "approve",
        None,
        None,
    )
    assert made.reason == "it is right"
    assert Translation.objects.get().state == "approved"
    event = AuditEvent.objects.get(verb="panel.adjudicated")
    assert (event.actor, event.target, event.scope) == (senior, f"panel:{panel.pk}", "ti")


def test_rejection_that_a_reviewer_asked_for_needs_no_reason(
    disputed: Dispute, member: Member
) -> None:
    settle(disputed(), member(Role.SENIOR), kind="reject")

    assert Translation.objects.get().state == "rejected"


def test_adopting_all_makes_the_reviewers_text_current(disputed: Dispute, member: Member) -> None:
    panel, senior = disputed(), member(Role.SENIOR)

    made = settle(panel, senior, kind="adopt", judgement=judgement(panel, "revise"))

    revision = Revision.objects.get(number=2)
    assert made.resulting_revision == revision
    assert (revision.question, tuple(revision.options)) == ("འདྲི་བ་གསར་པ།", OPTIONS)
    assert (revision.origin, revision.author) == ("adjudicated", senior)
    translation = Translation.objects.get()
    assert (translation.current_revision, translation.state) == (revision, "pending")


def test_adopting_one_field_keeps_the_others(disputed: Dispute, member: Member) -> None:
    panel = disputed()
    said = judgement(panel, "revise")
    said.correction = {"question": "གསར།", "options": ["ཀ", "ཁ", "ག", "ང"]}
    Judgement.objects.filter(pk=said.pk).update(correction=said.correction)

    settle(panel, member(Role.SENIOR), kind="adopt", judgement=said, fields=["options.1"])

    revision = Revision.objects.get(number=2)
    assert (revision.question, revision.options) == ("འདྲི་བ།", ["གཅིག", "ཁ", "གསུམ", "བཞི"])


@pytest.mark.parametrize("field", ["options.4", "options", "key", "options.-1", ""])
def test_adopting_a_field_that_is_none_is_refused(
    disputed: Dispute, member: Member, field: str
) -> None:
    panel = disputed()
    said = judgement(panel, "revise")

    error = refusal(
        lambda: settle(
            panel, member(Role.SENIOR), kind="adopt", judgement=said, fields=["question", field]
        )
    )

    assert (error.code, list(error.fields)) == ("decision_invalid", ["fields_adopted"])
    assert Panel.objects.get().state == PanelState.DISPUTED


def test_adopting_a_field_of_a_text_without_options_takes_all_options() -> None:
    bare = Revision(question="A. ཀ B. ཁ", options=[])

    assert adopted_text(bare, MERGED, ["question"]) == MERGED


def test_adopting_a_field_of_a_text_that_lacks_an_option_takes_all_options() -> None:
    short = Revision(question="འདྲི་བ།", options=["གཅིག", "གཉིས", "གསུམ"])

    assert adopted_text(short, MERGED, ["options.1"]) == Correction("འདྲི་བ།", OPTIONS)


def test_adopting_a_rejection_rejects(disputed: Dispute, member: Member) -> None:
    panel = disputed()

    made = settle(panel, member(Role.SENIOR), kind="adopt", judgement=judgement(panel, "reject"))

    assert made.decision == "reject"
    assert Translation.objects.get().state == "rejected"


def test_merging_makes_the_seniors_text_current(disputed: Dispute, member: Member) -> None:
    settle(disputed(), member(Role.SENIOR), kind="merge", correction=MERGED)

    assert Revision.objects.get(number=2).question == MERGED.question


def test_merging_to_the_text_of_a_reviewer_is_adopting_it(
    disputed: Dispute, member: Member
) -> None:
    panel = disputed()
    said = judgement(panel, "revise")

    made = settle(
        panel,
        member(Role.SENIOR),
        kind="merge",
        correction=Correction("འདྲི་བ་གསར་པ། ", OPTIONS),
    )

    assert (made.decision, made.adopted) == ("adopt", said)


@pytest.mark.parametrize(
    ("said", "code", "field"),
    [
        ({"kind": "guess"}, "decision_invalid", "decision"),
        ({"kind": "adopt"}, "decision_invalid", "judgement"),
        ({"kind": "merge"}, "decision_invalid", "correction"),
        (
            {"kind": "merge", "correction": Correction("འདྲི་བ།", OPTIONS)},
            "judgement_invalid",
            "correction",
        ),
        (
            {"kind": "merge", "correction": Correction("ཀ", ("ཁ",))},
            "judgement_invalid",
            "correction.options",
        ),
    ],
)
def test_faulty_decision_is_refused_and_the_dispute_stays(
    disputed: Dispute, member: Member, said: dict[str, Any], code: str, field: str
) -> None:
    panel = disputed()

    error = refusal(lambda: settle(panel, member(Role.SENIOR), **said))

    assert (error.code, error.status, list(error.fields)) == (code, 400, [field])
    assert Panel.objects.get().state == PanelState.DISPUTED
    assert not Adjudication.objects.exists()


def test_adopting_a_judgement_of_another_panel_is_refused(
    disputed: Dispute, member: Member
) -> None:
    panel = disputed(2)
    other = Panel.objects.exclude(pk=panel.pk).get()

    error = refusal(
        lambda: settle(
            panel, member(Role.SENIOR), kind="adopt", judgement=judgement(other, "revise")
        )
    )
    assert error.code == "decision_invalid"


def test_overruling_everybody_needs_a_reason(disputed: Dispute, member: Member) -> None:
    panel, senior = disputed(), member(Role.SENIOR)

    error = refusal(lambda: settle(panel, senior, kind="approve", reason="  "))
    assert (error.code, error.status) == ("reason_needed", 400)
    settle(panel, senior, kind="approve", reason="The first text was right.")


def test_approving_a_text_with_open_errors_is_refused_in_words(
    disputed: Dispute, member: Member
) -> None:
    panel = disputed()
    Finding.objects.create(
        revision=panel.revision,
        code="equal_options",
        severity="error",
        field="item",
        created_at=timezone.now(),
    )

    error = refusal(lambda: settle(panel, member(Role.SENIOR), kind="approve", reason="fine"))

    assert error.code == "errors_open"
    assert "findings" in str(error)
    assert Panel.objects.get().state == PanelState.DISPUTED


def test_second_senior_is_told_that_it_is_settled(disputed: Dispute, member: Member) -> None:
    panel = disputed()
    seen_by_both = Panel.objects.get(pk=panel.pk)
    settle(panel, member(Role.SENIOR), kind="reject")

    error = refusal(lambda: settle(seen_by_both, member(Role.SENIOR), kind="reject"))

    assert error.code == "dispute_settled"
    assert Adjudication.objects.count() == 1


def test_senior_who_judged_is_refused(disputed: Dispute) -> None:
    panel = disputed()

    error = refusal(lambda: settle(panel, judgement(panel, "reject").reviewer, kind="reject"))
    assert (error.code, error.status) == ("own_judgement", 403)


def test_senior_who_wrote_the_text_is_refused(disputed: Dispute, member: Member) -> None:
    senior = member(Role.SENIOR)
    disputed()
    Revision.objects.update(author=senior)

    assert (
        refusal(lambda: settle(Panel.objects.get(), senior, kind="reject")).code == "own_judgement"
    )


def test_panel_that_is_not_disputed_is_refused(
    opened: Callable[..., Round], member: Member
) -> None:
    opened(1)

    error = refusal(
        lambda: settle(Panel.objects.get(), member(Role.SENIOR), kind="reject", reason="r")
    )
    assert error.code == "dispute_settled"


def test_text_changed_meanwhile_is_refused_with_the_current_one(
    disputed: Dispute, member: Member
) -> None:
    panel = disputed()
    newer = Revision.objects.create(
        translation=panel.revision.translation, number=2, supersedes=panel.revision, question="ཀ",
        origin="imported", content_hash="x", created_at=timezone.now(),
    )  # fmt: skip
    Translation.objects.update(current_revision=newer)

    error = refusal(lambda: settle(Panel.objects.get(), member(Role.SENIOR), kind="reject"))
    assert (error.code, error.current["revision"]) == ("revision_stale", newer.pk)


def test_adjudicated_text_is_judged_in_the_next_round_but_not_by_its_senior(
    disputed: Dispute, member: Member, opened: Callable[..., Round]
) -> None:
    panel, senior = disputed(), member(Role.SENIOR)
    settle(panel, senior, kind="merge", correction=MERGED)
    close_round(round_=panel.round, actor=None, now=timezone.now())

    second = opened(0)

    again = Panel.objects.get(round=second)
    assert again.revision.number == 2
    from review.seats.actions.seats import claim_seat

    assert claim_seat(round_=second, reviewer=senior, now=timezone.now()) is None
