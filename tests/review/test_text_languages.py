"""Every page of a review marks each text of an item in the language that it is in."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from annotation.enums import ItemKind
from annotation.models import Item, Revision
from projects.enums import Role
from projects.models import Project
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.enums import DecisionKind, RoundKind
from review.models import Judgement, Panel, Round
from review.outcomes import Correction
from review.workbench.presenters import claim_json, load_texts
from tests.factories import SourceFactory, SubjectFactory, make_translated_item
from tests.markup import marks_of
from tests.review.kinds import add_text, take

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
People = Callable[[int], list[User]]
Judge = Callable[..., Judgement]
Member = Callable[..., User]
Browser = Callable[[User], Client]
QUESTION, ANSWER = "ھاۋا ياخشى", "天气很好"
NEW = Correction(f"{QUESTION} بۈگۈن", (), answer=f"今天{ANSWER}")
UYGHUR, CHINESE = ("ug", "rtl"), ("zh", "ltr")


@pytest.fixture
def asking(opened: Open) -> Round:
    """A round on an item that asks to translate Uyghur into Chinese, in a project of Chinese and Tibetan."""
    round_ = opened(1)
    texts = {"question": QUESTION, "options": [], "answer": ANSWER}
    direction = {"direction": "ug-zh"}
    Item.objects.update(kind=ItemKind.TRANSLATION, key="", metadata=direction, **texts)
    Revision.objects.update(**texts)
    return round_


def assert_marked(page: str, *, has_answer: bool = True) -> None:
    assert marks_of(page, QUESTION) == {UYGHUR}
    assert marks_of(page, ANSWER) == ({CHINESE} if has_answer else set())


def test_workbench_and_pages_of_the_item_mark_both_texts(
    asking: Round, reviewers: People, browser_of: Browser, member: Member
) -> None:
    (reviewer,) = reviewers(1)
    item = take(asking, reviewer).panel.item_id
    manager = browser_of(member(Role.MANAGER))

    assert_marked(browser_of(reviewer).get("/projects/ti/rounds/1/workbench/").content.decode())
    for address in (f"items/{item}/", f"items/{item}/history/", f"items/{item}/text/"):
        assert_marked(manager.get(f"/projects/ti/{address}").content.decode())
    assert_marked(manager.get("/projects/ti/items/").content.decode(), has_answer=False)


def test_disputes_mark_what_is_proposed_and_the_history_what_changed(
    asking: Round, reviewers: People, judge: Judge, browser_of: Browser, senior: User
) -> None:
    first, second = reviewers(2)
    judge(asking, first, correction=NEW)
    judge(asking, second, verdict="reject")
    panel = Panel.objects.get()
    browser = browser_of(senior)

    assert_marked(browser.get(f"/projects/ti/disputes/{panel.pk}/").content.decode())
    for address in ("disputes/", "disputes/bulk/?round=1"):
        page = browser.get(f"/projects/ti/{address}").content.decode()
        assert_marked(page, has_answer=False)

    adopted = Judgement.objects.get(verdict="revise")
    adjudicate_panel(
        panel=panel,
        senior=senior,
        content=DecisionContent(kind=DecisionKind.ADOPT, judgement=adopted, reason="better"),
        now=timezone.now(),
    )
    changed = browser.get(f"/projects/ti/items/{panel.item_id}/history/").content.decode()
    assert marks_of(changed, "بۈگۈن") == {UYGHUR}
    assert marks_of(changed, "今天") == {CHINESE}
    work = browser_of(second).get("/my-work/").content.decode()
    assert marks_of(work, QUESTION) == {UYGHUR}


def test_comparison_marks_the_texts_of_each_system(
    project: Project, opened: Open, reviewers: People, browser_of: Browser
) -> None:
    (reviewer,) = reviewers(1)
    item = make_translated_item(
        project=project, source=SourceFactory(project=project), options=[], question=QUESTION,
        subject=SubjectFactory(project=project), kind=ItemKind.TRANSLATION, key="",
        metadata={"direction": "ug-zh"},
    )  # fmt: skip
    add_text(item, "other", f"{QUESTION} بۈگۈن")
    Revision.objects.update(answer=ANSWER, options=[])
    take(opened(0, kind=RoundKind.COMPARISON), reviewer)

    assert_marked(browser_of(reviewer).get("/projects/ti/rounds/1/answer/").content.decode())


@pytest.mark.parametrize(("source", "target"), [("ug", "zh"), ("zh", "ug")])
def test_texts_of_other_items_are_marked_as_their_project_says(
    source: str, target: str, opened: Open, reviewers: People, browser_of: Browser
) -> None:
    """A source that runs from right to left does so beside a translation that does not."""
    (reviewer,) = reviewers(1)
    take(round_ := opened(1), reviewer)
    texts = {"ug": QUESTION, "zh": ANSWER}
    Item.objects.update(kind=ItemKind.OPEN, key="", options=[], question=texts[source])
    Revision.objects.update(question=texts[target], options=[])
    type(round_.project).objects.update(source_language=source, target_language=target)

    assert_marked(browser_of(reviewer).get("/projects/ti/rounds/1/workbench/").content.decode())


def test_claim_tells_the_languages_of_question_and_answer(asking: Round, pema: User) -> None:
    body = claim_json(load_texts(take(asking, pema)))

    for text in (body["source"], body["revision"]):
        assert (text["language"], text["answer_language"]) == ("ug", "zh")
