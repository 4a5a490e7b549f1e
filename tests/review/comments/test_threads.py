"""Comments: who reads what under which name, threads, mentions, limits."""

import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from annotation.models import Item
from projects.enums import Role
from projects.models import Project
from review.comments.actions import (
    COMMENTS_AN_HOUR,
    MENTIONS_AN_HOUR,
    CommentInvalid,
    CommentKeyReused,
    ThreadNotYours,
    ThreadUnchanged,
    TooManyComments,
    TooManyMentions,
    add_comment,
    reopen_thread,
    resolve_thread,
)
from review.comments.paging import COMMENTS_AT_ONCE
from review.comments.threads import ThreadUnknown, comments_on, names_like, with_comment_counts
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.models import Comment, Judgement, Mention, Panel, Round
from review.rounds.actions.rounds import close_round, discard_round
from tests.factories import MembershipFactory, ProjectFactory, UserFactory, make_translated_item

pytestmark = pytest.mark.django_db
Open = Callable[..., Round]
Judge = Callable[..., Judgement]
Member = Callable[..., User]
Heard = list[tuple[str, str]]


@pytest.fixture
def manager(member: Member) -> User:
    return member(Role.MANAGER, name="Dolma")


def the_item() -> Item:
    return Item.objects.select_related("project").earliest("pk")


def say(user: User, text: str, thread: Comment | None = None, **more: Any) -> Comment:
    more = {"idempotency_key": uuid.uuid4().hex, "now": timezone.now(), "item": the_item()} | more
    return add_comment(thread=thread, text=text, actor=user, **more)


def heard(user: User) -> Heard:
    """(who, words) of each comment in threads, as `user` reads them."""
    found = comments_on(the_item(), user)
    said = [each for thread in found.threads for each in (thread.first, *thread.replies)]
    return [(each.name or f"{each.code}{each.letter}", each.text) for each in said]


def beside(user: User) -> Heard:
    return [
        (each.name or f"{each.code}{each.letter}", each.text)
        for each in comments_on(the_item(), user).beside
    ]


def test_comment_of_an_open_panel_is_read_by_its_author_and_managers_alone(
    opened: Open, pema: User, tashi: User, manager: User, senior: User
) -> None:
    opened(1, panel_size=2)
    say(pema, "the term?")
    assert heard(pema) == [("you", "the term?")]
    assert heard(manager) == [("Pema", "the term?")]
    assert heard(tashi) == heard(senior) == []


def test_answer_of_a_manager_reaches_whoever_may_read_the_question(
    opened: Open, pema: User, tashi: User, manager: User
) -> None:
    opened(1, panel_size=2)
    question = say(pema, "the term?")
    say(manager, "yes", question)
    say(manager, "to everybody")
    assert heard(pema) == [("you", "the term?"), ("Dolma", "yes"), ("Dolma", "to everybody")]
    assert heard(tashi) == [("Dolma", "to everybody")]


def test_dispute_is_read_by_seniors_without_names_and_by_reviewers_once_it_is_settled(
    opened: Open, judge: Judge, pema: User, tashi: User, senior: User
) -> None:
    round_ = opened(1, panel_size=2)
    say(pema, "mine")
    judge(round_, pema, comment="with my judgement")
    judge(round_, tashi, verdict="reject")

    assert heard(senior) == [("reviewerA", "mine")]
    assert beside(senior) == [("reviewerA", "with my judgement")]
    assert heard(tashi) == beside(tashi) == []

    settle(senior)
    assert heard(senior) == [("Pema", "mine")]
    assert heard(tashi) == [("reviewerA", "mine")]
    assert beside(tashi) == [("reviewerA", "with my judgement")]
    assert beside(pema) == [("you", "with my judgement")]


def settle(senior: User) -> None:
    panel = Panel.objects.select_related(
        "round__project", "round__guideline", "item__project", "revision__translation"
    ).get()
    adjudicate_panel(
        panel=panel,
        senior=senior,
        content=DecisionContent(kind="approve", reason="fine"),
        now=timezone.now(),
    )


def test_senior_who_judged_reads_the_dispute_as_a_reviewer_does(
    opened: Open, judge: Judge, pema: User, senior: User
) -> None:
    round_ = opened(1, panel_size=2)
    say(pema, "mine")
    judge(round_, pema)
    judge(round_, senior, verdict="reject")
    assert heard(senior) == []


def test_later_rounds_read_what_earlier_ones_said(
    opened: Open, judge: Judge, pema: User, tashi: User, manager: User
) -> None:
    round_ = opened(1, panel_size=1)
    say(pema, "mind the register")
    judge(round_, pema, comment="for the next reader")
    close_round(round_=round_, actor=manager, now=timezone.now())
    opened(0, panel_size=1)
    assert heard(tashi) == [("reviewerA", "mind the register")]
    assert beside(tashi) == [("reviewerA", "for the next reader")]
    say(tashi, "in the new round")
    assert heard(pema) == [("you", "mind the register")]


def test_comment_outlives_a_discarded_round(opened: Open, pema: User, tashi: User) -> None:
    round_ = opened(1)
    say(pema, "the term?")
    discard_round(round_=round_, actor=None, now=timezone.now())
    assert heard(tashi) == [("reviewerA", "the term?")]


def test_names_in_comments_are_for_readers_who_know_names(
    opened: Open, pema: User, tashi: User, manager: User, member: Member
) -> None:
    opened(1)
    say(manager, "@Pema and @managers, look")
    assert heard(pema) == [("Dolma", "@Pema and @managers, look")]
    assert heard(tashi) == [("Dolma", "@… and @managers, look")]


def test_mentions_are_people_that_the_author_may_know(
    opened: Open, pema: User, tashi: User, manager: User, senior: User, member: Member
) -> None:
    opened(1)
    member(Role.VIEWER, name="Viewer")
    UserFactory(name="Stranger")
    say(pema, "@dolma, @seniors, @Tashi, @Viewer, @Stranger, @Pema, mail@Dolma, @Dolmas")
    assert set(Mention.objects.values_list("user__name", "words")) == {
        ("Dolma", "Dolma"),
        ("Sonam", "seniors"),
    }


def test_completion_reveals_managers_and_groups_to_reviewers_and_readers_to_leads(
    project: Project, pema: User, tashi: User, manager: User, senior: User, member: Member
) -> None:
    member(Role.VIEWER, name="Viewer")
    paused = member(Role.REVIEWER, name="Paused")
    project.memberships.filter(user=paused).update(is_paused=True)

    def names(user: User, typed: str = "") -> list[str]:
        return [each.words for each in names_like(user, project, typed)]

    assert names(pema) == ["seniors", "managers", "Dolma"]
    assert names(senior) == ["managers", "Dolma", "Pema", "Tashi"]
    assert names(manager, "s") == ["seniors", "Sonam", "Tashi"]
    assert names(manager, "%") == []


def test_comment_sent_twice_is_stored_once(opened: Open, pema: User) -> None:
    opened(1)
    first, again = (say(pema, "once", idempotency_key="k") for _ in range(2))
    assert first.pk == again.pk
    assert AuditEvent.objects.filter(verb="comment.added").count() == 1


def test_key_of_a_comment_elsewhere_is_refused(opened: Open, pema: User) -> None:
    opened(2)
    thread = say(pema, "once", idempotency_key="k")

    for place in ({"item": Item.objects.latest("pk")}, {"thread": thread}):
        with pytest.raises(CommentKeyReused):
            say(pema, "another", idempotency_key="k", **place)

    assert Comment.objects.count() == 1


@pytest.mark.parametrize("text", ["", " \n ", "x" * 5001])
def test_comment_without_words_or_too_long_is_refused(opened: Open, pema: User, text: str) -> None:
    opened(1)
    with pytest.raises(CommentInvalid):
        say(pema, text)


def test_reply_needs_a_thread_of_the_item_that_one_may_read(
    opened: Open, pema: User, tashi: User, manager: User
) -> None:
    opened(1, panel_size=2)
    hidden = say(pema, "mine")
    reply = say(manager, "yes", hidden)
    with pytest.raises(ThreadUnknown):
        say(tashi, "what is it?", hidden)
    with pytest.raises(ThreadUnknown):
        say(pema, "to a reply", reply)
    other = make_translated_item(project=ProjectFactory())
    with pytest.raises(ThreadUnknown):
        say(manager, "elsewhere", hidden, item=other)


def test_thread_is_resolved_and_reopened_by_its_author_and_those_who_lead(
    opened: Open, pema: User, tashi: User, manager: User
) -> None:
    round_ = opened(1)
    thread = say(pema, "done?")
    discard_round(round_=round_, actor=None, now=timezone.now())
    thread = Comment.objects.select_related("item__project", "panel", "thread").get(pk=thread.pk)
    now = timezone.now()
    with pytest.raises(ThreadNotYours):
        resolve_thread(thread=thread, actor=tashi, now=now)
    resolve_thread(thread=thread, actor=pema, now=now)
    with pytest.raises(ThreadUnchanged):
        resolve_thread(thread=thread, actor=manager, now=now)
    assert comments_on(the_item(), tashi).threads[0].is_resolved
    reopen_thread(thread=thread, actor=manager, now=now)
    with pytest.raises(ThreadUnchanged):
        reopen_thread(thread=thread, actor=manager, now=now)
    verbs = AuditEvent.objects.filter(target=f"comment:{thread.pk}").values_list("verb", flat=True)
    assert list(verbs.order_by("pk")) == ["comment.added", "comment.resolved", "comment.reopened"]


def test_comments_and_mentions_have_limits_by_the_hour(
    opened: Open, pema: User, manager: User
) -> None:
    opened(1)
    now = timezone.now()
    last = say(manager, "@Pema", now=now)
    Mention.objects.all().delete()
    for number in range(COMMENTS_AN_HOUR - 1):
        say(manager, f"{number}", now=now)
    with pytest.raises(TooManyComments):
        say(manager, "more", now=now + timedelta(minutes=59))
    Comment.objects.exclude(pk=last.pk).delete()
    Mention.objects.bulk_create(
        Mention(comment=last, user=UserFactory(), words="x") for _ in range(MENTIONS_AN_HOUR)
    )
    with pytest.raises(TooManyMentions):
        say(manager, "@Pema", now=now)
    say(manager, "Pema, without the sign", now=now)
    say(manager, "@Pema", now=now + timedelta(minutes=61))


@pytest.mark.parametrize("count", [1, 3])
def test_threads_cost_the_same_however_many(
    opened: Open,
    judge: Judge,
    pema: User,
    senior: User,
    count: int,
    django_assert_num_queries: Any,
) -> None:
    judge(opened(1, panel_size=1), pema, comment="so")
    for number in range(count):
        thread = say(pema, f"{number} @seniors")
        say(senior, "yes", thread)
    item = the_item()
    with django_assert_num_queries(8):
        comments_on(item, senior)


def test_api_adds_and_reads_and_resolves(
    opened: Open, api_of: Callable[[User], APIClient], pema: User, project: Project
) -> None:
    opened(1)
    address = f"/api/v1/projects/{project.slug}/items/{the_item().pk}/comments/"
    body = {"text": "the term?", "idempotency_key": "a"}
    client = api_of(pema)
    added = client.post(address, body)
    assert added.status_code == 201
    assert client.post(address, body).json() == added.json()
    first = added.json()
    assert client.get(address).json()["results"] == [
        {name: value for name, value in first.items() if name != "reached_nobody"}
    ]
    assert (first["author"], first["text"], first["thread"]) == ("you", "the term?", first["id"])
    reply = client.post(address, {"text": "so?", "idempotency_key": "b", "thread": first["id"]})
    assert (reply.json()["text"], reply.json()["thread"]) == ("so?", first["id"])
    done = client.post(f"/api/v1/projects/{project.slug}/comments/{first['id']}/resolve/")
    assert done.json()["is_resolved"] is True
    unknown = client.post(address, {**body, "idempotency_key": "c", "thread": 999})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "thread_unknown")


def test_api_says_which_mentions_reached_nobody_and_not_whether_somebody_has_the_name(
    opened: Open, api_of: Callable[[User], APIClient], pema: User, tashi: User, manager: User
) -> None:
    opened(1)
    UserFactory(name="Stranger")
    item = the_item()
    address = f"/api/v1/projects/{item.project.slug}/items/{item.pk}/comments/"
    body = {"text": "@Tashi @Nobody @Stranger @Dolma @Pema", "idempotency_key": "a"}
    for _again in range(2):
        told = api_of(pema).post(address, body).json()
        assert told["reached_nobody"] == ["@Tashi", "@Nobody", "@Stranger", "@Pema"]
    led = api_of(manager).post(address, body).json()
    assert led["reached_nobody"] == ["@Nobody", "@Stranger", "@Dolma"]


@pytest.mark.parametrize("headers", [{}, {"HTTP_HX_REQUEST": "true"}])
def test_page_says_which_mention_reached_nobody_and_keeps_the_comment(
    opened: Open, client: Client, pema: User, tashi: User, manager: User, headers: dict[str, str]
) -> None:
    opened(1)
    client.force_login(pema)
    address = f"/projects/{the_item().project.slug}/items/{the_item().pk}/comments/"
    one = client.post(address, {"text": "@Tashi, look"}, follow=True, **headers).content.decode()
    assert "Your comment is posted, but @Tashi matches nobody." in one
    two = client.post(address, {"text": "@a @b"}, follow=True, **headers).content.decode()
    assert "these names match nobody: @a, @b." in two
    fine = client.post(address, {"text": "@Dolma"}, follow=True, **headers).content.decode()
    assert "Your comment is posted, but" not in fine
    assert Comment.objects.count() == 3


def test_thread_of_another_project_is_not_there(
    opened: Open, api_of: Callable[[User], APIClient], pema: User
) -> None:
    opened(1)
    thread = say(pema, "mine")
    other = ProjectFactory(slug="other")
    MembershipFactory(project=other, user=pema, role=Role.MANAGER)
    answer = api_of(pema).post(f"/api/v1/projects/other/comments/{thread.pk}/resolve/")
    assert answer.status_code == 404


def test_page_takes_a_comment_without_javascript(
    opened: Open, client: Client, pema: User, project: Project
) -> None:
    opened(1)
    client.force_login(pema)
    address = f"/projects/{project.slug}/items/{the_item().pk}/comments/"
    answer = client.post(address, {"text": "<b>the term?</b>", "idempotency_key": "k"})
    comment = Comment.objects.get()
    assert answer["Location"] == f"{address}#comment-{comment.pk}"
    page = client.get(address).content.decode()
    assert "&lt;b&gt;the term?&lt;/b&gt;" in page
    empty = client.post(address, {"text": " ", "thread": comment.pk})
    assert empty.status_code == 400
    assert "Write something" in empty.content.decode()
    assert client.post(address, {"text": "x", "thread": "rubbish"}).status_code == 400


def test_script_gets_the_threads_alone(
    opened: Open, client: Client, pema: User, project: Project
) -> None:
    opened(1)
    client.force_login(pema)
    address = f"/projects/{project.slug}/items/{the_item().pk}/comments/"
    answer = client.post(address, {"text": "so?"}, HTTP_HX_REQUEST="true")
    assert answer.status_code == 200
    assert "<html" not in answer.content.decode()
    assert "so?" in answer.content.decode()


def test_workbench_counts_what_anybody_who_judges_may_read(
    opened: Open, judge: Judge, pema: User, tashi: User, manager: User
) -> None:
    round_ = opened(1, panel_size=1)
    thread = say(pema, "before")
    judge(round_, pema)
    close_round(round_=round_, actor=manager, now=timezone.now())
    opened(0, panel_size=2)
    say(pema, "a reply within the round", thread)
    hidden = say(pema, "within the round")
    say(manager, "an answer to that", hidden)
    say(manager, "to everybody")
    panel = with_comment_counts(Panel.objects.order_by("-pk"))[0]
    assert panel.comment_count == 2  # type: ignore[attr-defined]
    assert heard(tashi) == [("reviewerA", "before"), ("Dolma", "to everybody")]


def test_workbench_links_to_the_comments_with_their_number(
    opened: Open, client: Client, pema: User, manager: User, project: Project
) -> None:
    round_ = opened(1)
    say(manager, "to everybody")
    client.force_login(pema)
    page = client.post(
        f"/projects/{project.slug}/rounds/{round_.number}/claim/", follow=True
    ).content.decode()
    assert f'href="/projects/{project.slug}/items/{the_item().pk}/comments/"' in page
    assert re.search(r"Comments\s*<small>1</small>", page)


def test_long_threads_go_on_on_the_next_page_and_a_new_comment_is_shown(
    opened: Open, client: Client, pema: User, project: Project
) -> None:
    opened(1)
    thread, now = say(pema, "first"), timezone.now()
    Comment.objects.bulk_create(
        Comment(
            item=thread.item,
            thread=thread,
            author=pema,
            is_from_manager=False,
            text=f"reply {number}",
            idempotency_key=f"{number}",
            created_at=now - timedelta(days=1),
        )
        for number in range(COMMENTS_AT_ONCE)
    )
    client.force_login(pema)
    address = f"/projects/{project.slug}/items/{the_item().pk}/comments/"

    answer = client.post(address, {"text": "the last", "thread": thread.pk})

    assert answer["Location"].startswith(f"{address}?cursor=2#comment-")
    page = client.get(answer["Location"]).context["comments"].threads[0]
    assert (page.first.text, [each.text for each in page.replies], page.reply_count) == (
        "first",
        ["reply 49", "the last"],
        51,
    )
    start = client.get(address).content.decode()
    assert f'href="{address}?cursor=2"' in start
    assert "51 replies" in start
