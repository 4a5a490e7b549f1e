"""The pages of disputes: the queue, one dispute, and settling it."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from annotation.enums import ItemKind
from annotation.models import Finding, Item, Revision, Translation
from projects.enums import Role
from review.enums import PanelState
from review.models import Adjudication, Judgement, Panel, Round, Suggestion
from review.outcomes import Correction
from tests.markup import squeezed
from tests.review.conftest import OPTIONS

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Member = Callable[..., User]
Browser = Callable[[User], Client]
Dispute = Callable[..., Panel]
Judge = Callable[..., Judgement]


TYPED = {"question": "འདྲི་བ་གསར་པ།", **{f"option_{n}": text for n, text in enumerate(OPTIONS)}}


def decide(browser: Client, panel: Panel, **typed: Any) -> Any:
    return browser.post(f"/projects/ti/disputes/{panel.pk}/adjudicate/", {**TYPED, **typed})


def test_dispute_page_shows_the_judgements_without_names(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel = disputed()

    text = (
        browser_of(member(Role.SENIOR)).get(f"/projects/ti/disputes/{panel.pk}/").content.decode()
    )

    assert "better" in text
    for user in User.objects.filter(judgements__isnull=False):
        assert user.name not in text
        assert user.email not in text


def test_suggestions_and_the_key_stand_beside_the_dispute_without_names(
    disputed: Dispute, member: Member, reviewers: People, browser_of: Browser
) -> None:
    panel = disputed()
    (late,) = reviewers(1)
    Suggestion.objects.create(
        panel=panel,
        revision=panel.revision,
        author=late,
        verdict="revise",
        correction={"question": f"{panel.revision.question}གཞན", "options": list(OPTIONS)},
        comment="the term is older",
        reason="seat_taken",
        idempotency_key="k",
        created_at=timezone.now(),
    )
    senior = browser_of(member(Role.SENIOR))
    address = f"/projects/ti/disputes/{panel.pk}/"

    text = senior.get(address).content.decode()

    beside = squeezed(text.partition("came too late for a judgement")[2].partition("</ul>")[0])
    assert "<b>Round 1</b><p>the term is older</p>" in beside
    assert "<ins>གཞན</ins>" in beside
    assert late.name not in text
    assert f'action="/projects/ti/items/{panel.item_id}/key/"' in squeezed(text)
    correction = {"key": "D", "reason": "the source is wrong", "next": address}
    back = senior.post(f"/projects/ti/items/{panel.item_id}/key/", correction, follow=True)
    assert back.redirect_chain == [(address, 302)]
    assert "the source is wrong" in back.content.decode()


@pytest.mark.parametrize(
    ("typed", "state"),
    [
        ({"decision": "approve", "reason": "it is right"}, "approved"),
        ({"decision": "reject"}, "rejected"),
        ({"decision": "adopt", "adopted": "revise"}, "pending"),
        ({"decision": "adopt", "adopted": "revise", "fields": ["question"]}, "pending"),
        ({"decision": "merge", "question": "མཐའ།"}, "pending"),
    ],
)
def test_decision_settles_and_shows_the_next(
    disputed: Dispute, member: Member, browser_of: Browser, typed: dict[str, Any], state: str
) -> None:
    panel = disputed(2)
    adopted = typed.pop("adopted", None)
    extra = {"judgement": panel.judgements.get(verdict=adopted).pk} if adopted else {}

    answer = decide(browser_of(member(Role.SENIOR)), panel, **typed, **extra)

    following = Panel.objects.get(state=PanelState.DISPUTED)
    assert (answer.status_code, answer["Location"]) == (
        302,
        f"/projects/ti/disputes/{following.pk}/",
    )
    assert Translation.objects.get(item=panel.item).state == state
    assert Adjudication.objects.get().panel == panel


def test_overruling_without_a_reason_is_refused_and_keeps_what_was_typed(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    page = decide(browser_of(member(Role.SENIOR)), disputed(), decision="approve", question="བྲིས་པ།")

    assert page.status_code == 400
    assert "Give a reason" in page.content.decode()
    assert "བྲིས་པ།" in page.content.decode()


def test_approval_with_open_errors_is_refused_in_words(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel = disputed()
    Finding.objects.create(
        revision=panel.revision,
        code="equal_options",
        data={"other": "A", "letter": "B"},
        severity="error",
        field="question",
        created_at=timezone.now(),
    )

    page = decide(browser_of(member(Role.SENIOR)), panel, decision="approve", reason="r")
    assert page.status_code == 409
    assert "dismiss the findings" in page.content.decode()


def test_second_senior_is_told(disputed: Dispute, member: Member, browser_of: Browser) -> None:
    panel = disputed()
    decide(browser_of(member(Role.SENIOR)), panel, decision="reject")

    late = decide(browser_of(member(Role.SENIOR)), panel, decision="reject")
    assert late.status_code == 409
    assert "was settled in the meantime" in late.content.decode()
    seen = browser_of(member(Role.SENIOR)).get(f"/projects/ti/disputes/{panel.pk}/")
    assert seen["Location"] == "/projects/ti/disputes/"


def test_senior_who_judged_gets_403_and_does_not_see_it_in_the_queue(
    disputed: Dispute, browser_of: Browser
) -> None:
    panel = disputed()
    own = panel.judgements.get(verdict="reject").reviewer
    own.memberships.update(role=Role.SENIOR)
    browser = browser_of(own)

    refused = browser.get(f"/projects/ti/disputes/{panel.pk}/")
    assert refused.status_code == 403
    assert "so another senior must settle the dispute" in refused.content.decode()
    assert "change your role" not in refused.content.decode()
    assert decide(browser, panel, decision="reject").status_code == 403
    assert browser.get("/projects/ti/disputes/").context["rows"] == []


def test_odd_decisions_are_refused_in_words(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    browser, panel = browser_of(member(Role.SENIOR)), disputed()
    values: list[dict[str, Any]] = [
        {}, {"decision": "guess"}, {"decision": "adopt"}, {"decision": "adopt", "judgement": "9" * 40},
        {"decision": "adopt", "judgement": "x"}, {"decision": "merge", "question": ""},
        {"decision": "reject", "reason": "\x00"}, {"decision": "reject", "reason": "x" * 20_001},
    ]  # fmt: skip
    answers = [(typed, decide(browser, panel, **typed).status_code) for typed in values]
    assert answers == [(typed, 400) for typed in values]
    assert not Adjudication.objects.exists()


def test_queue_with_an_odd_filter_is_empty(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    disputed()
    browser = browser_of(member(Role.SENIOR))
    for query in ("subject=%00", "subject=none", "subject=" + "x" * 5000):
        assert browser.get(f"/projects/ti/disputes/?{query}").status_code == 200, query[:20]


def test_what_helps_to_decide_stands_beside_the_texts(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel = disputed(2)
    senior = member(Role.SENIOR)
    Finding.objects.create(
        revision=panel.revision,
        code="equal_options",
        data={"other": "A", "letter": "B"},
        severity="error",
        field="question",
        created_at=timezone.now(),
    )
    other = Panel.objects.exclude(pk=panel.pk).get()
    decide(browser_of(senior), other, decision="reject", reason="no such plant", citation="3.2")

    page = browser_of(senior).get(f"/projects/ti/disputes/{panel.pk}/")

    assert (page.context["error_count"], page.context["can_dismiss"]) == (1, True)
    text = page.content.decode()
    assert "Cannot be approved: 1 open error" in text
    assert "no such plant" in text
    assert f"/projects/ti/items/{other.item_id}/" in text
    assert Adjudication.objects.get().citation == "3.2"


def test_dispute_page_names_no_reviewer_in_its_history(
    disputed: Dispute, member: Member, browser_of: Browser, opened: Open
) -> None:
    panel = disputed()
    names = [j.reviewer.name for j in panel.judgements.select_related("reviewer")]
    senior = member(Role.SENIOR)
    decide(browser_of(senior), panel, decision="reject")
    browser_of(senior).post(f"/projects/ti/disputes/{panel.pk}/reopen/", {"reason": "a slip"})

    text = browser_of(senior).get(f"/projects/ti/disputes/{panel.pk}/").content.decode()
    assert "a slip" in text
    assert not [name for name in names if name in text]


def test_senior_is_asked_for_a_changed_number_and_keeps_what_was_typed(
    disputed: Callable[..., Panel],
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
) -> None:
    panel = disputed()
    browser = browser_of(member(Role.SENIOR))
    body = {"decision": "merge", "question": "འདྲི་བ་༡༢།"}
    body |= {f"option_{n}": text for n, text in enumerate(OPTIONS)}
    url = f"/projects/ti/disputes/{panel.pk}/adjudicate/"

    refused = browser.post(url, body)
    taken = browser.post(url, {**body, "numbers_confirmed": "1"})

    assert refused.status_code == 400
    assert refused.context["numbers"] == ["In your text, but not in the source: 12."]
    assert "འདྲི་བ་༡༢།" in refused.content.decode()
    assert taken.status_code == 302


def test_proposal_that_empties_the_explanation_says_so(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel = disputed()
    Item.objects.update(explanation="because")
    Revision.objects.update(explanation="འགྲེལ་བཤད།")

    page = browser_of(member(Role.SENIOR)).get(f"/projects/ti/disputes/{panel.pk}/")

    row = squeezed(page.content.decode()).split('data-row="Explanation"')[1].split("</tr>")[0]
    assert row.count("no text") == 1


def test_dispute_over_an_item_without_a_key_has_no_panel_for_it(
    disputed: Dispute, member: Member, browser_of: Browser
) -> None:
    panel = disputed()
    senior = browser_of(member(Role.SENIOR))
    with_key = senior.get(f"/projects/ti/disputes/{panel.pk}/")
    Item.objects.update(kind=ItemKind.OPEN, key="", options=[], answer="in words")

    without = senior.get(f"/projects/ti/disputes/{panel.pk}/")

    assert 'id="key-title"' in with_key.content.decode()
    assert 'id="key-title"' not in without.content.decode()


def test_dispute_over_an_item_that_asks_for_a_translation_is_over_one_text_and_its_reference(
    opened: Open, reviewers: People, judge: Judge, member: Member, browser_of: Browser
) -> None:
    round_ = opened(1)
    first, second = reviewers(2)
    Item.objects.update(
        kind=ItemKind.TRANSLATION, question="首都是万象。", options=[], key="", answer="ນະຄອນຫຼວງ"
    )
    Revision.objects.update(question="首都是万象。", options=[], key="", answer="ນະຄອນຫຼວງ")
    judge(round_, first, correction=Correction("首都是万象。", (), answer="ແມ່ນວຽງຈັນ"))
    judge(round_, second, verdict="reject")
    panel = Panel.objects.get()
    senior = browser_of(member(Role.SENIOR))

    page = senior.get(f"/projects/ti/disputes/{panel.pk}/").content.decode()

    assert 'class="source' not in page
    assert 'id="key-title"' not in page
    assert re.findall(r'data-row="([^"]*)"', page) == ["Q", "Answer"]
    assert re.findall(r'data-text="([^"]*)"', page) == [
        *("首都是万象。", "首都是万象。"),
        *("ນະຄອນຫຼວງ", "ແມ່ນວຽງຈັນ"),
    ]

    typed = {"decision": "merge", "question": "首都是万象。", "answer": "ແມ່ນວຽງຈັນ!"}
    senior.post(f"/projects/ti/disputes/{panel.pk}/adjudicate/", typed)

    panel.refresh_from_db()
    assert panel.state == PanelState.SETTLED
    settled = panel.item.working_translation
    assert settled is not None
    assert settled.current_revision is not None
    assert settled.current_revision.answer == "ແມ່ນວຽງຈັນ!"
