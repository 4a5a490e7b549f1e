"""Choosing item by item: what the page shows, what one choice changes, and undoing it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import User
from annotation.enums import Origin
from annotation.models import Item, Revision, Translation
from projects.enums import Role
from projects.models import Project
from review.choosing.actions.choosing import (
    ChoiceFixed,
    Chosen,
    ChosenMeanwhile,
    ItemInWork,
    TextWorkedOn,
    choose_best_ranked,
    choose_system,
    choose_text,
    undo_choice,
)
from review.choosing.text_choices import ChoiceFilter, choice_rows, items_to_choose, latest_choices
from review.enums import RoundKind
from review.models import Round, TextChoice
from review.rounds.actions.rounds import close_round
from review.selection.item_choice import NO_FILTER
from tests.factories import MembershipFactory, ProjectFactory, UserFactory
from tests.review.kinds import OPTIONS, add_system, add_text, compare, opinion

pytestmark = pytest.mark.django_db
Browser = Callable[[User], Client]
Member = Callable[..., User]
CHOOSE = "/api/v1/projects/ti/translations/choose/"
CHOICES = "/api/v1/projects/ti/translations/choices/"


@pytest.fixture
def two(project: Project, items: Callable[[int], None]) -> list[Item]:
    """Two items with the texts of "mt", which goes on, and "other"."""
    items(2)
    add_system(project)
    return list(project.items.order_by("uid"))


@pytest.fixture
def compared(
    project: Project,
    two: list[Item],
    opened: Callable[..., Round],
    reviewers: Callable[[int], list[User]],
) -> Round:
    """A closed comparison: of the first item "other" is better, of the second both are equal."""
    round_ = opened(0, kind=RoundKind.COMPARISON, panel_size=1)
    (user,) = reviewers(1)
    for _number in two:
        seat_item = compare_next(round_, user, first=two[0])
        assert seat_item in two
    return close_round(round_=round_, actor=None, now=timezone.now())


def compare_next(round_: Round, user: User, *, first: Item) -> Item:
    position = round_.panels.order_by("position").values_list("item", flat=True)
    done = round_.panels.filter(answers__isnull=False).count()
    item = Item.objects.get(pk=position[done])
    is_worse = opinion(is_approved=False, domain=2) if item == first else opinion()
    compare(round_, user, {"mt": is_worse, "other": opinion()})
    return item


def choose(item: Item, system: str, user: User, **more: Any) -> TextChoice | None:
    item = Item.objects.get(pk=item.pk)
    return choose_text(
        item=item,
        translation=Translation.objects.get(item=item, system=system),
        **{
            "seen": item.working_translation_id,
            "is_reviewed_included": False,
            "actor": user,
            "now": timezone.now(),
            **more,
        },
    )


def systems(project: Project) -> list[str]:
    rows = project.items.order_by("uid").values_list("working_translation__system", flat=True)
    return list(rows)


def test_choose_text_changes_one_item_and_can_be_undone(
    project: Project, two: list[Item], member: Callable[..., User]
) -> None:
    senior = member(Role.SENIOR)
    choice = choose(two[0], "other", senior)
    assert choice is not None
    choice.refresh_from_db()
    assert systems(project) == ["other", "mt"]
    assert (choice.why, choice.item_count, latest_choices(project)) == ("other", 1, [choice])

    assert undo_choice(choice=choice, actor=senior, now=timezone.now()) == 1

    assert systems(project) == ["mt", "mt"]
    assert latest_choices(project) == []


def test_of_two_who_choose_at_once_the_second_is_told(
    two: list[Item], member: Callable[..., User]
) -> None:
    item, user = two[0], member(Role.MANAGER)
    add_text(item, "third", "གསུམ་པ།")
    seen = item.working_translation_id
    choose(item, "other", user)

    with pytest.raises(ChosenMeanwhile):
        choose(item, "third", user, seen=seen)

    item.refresh_from_db()
    assert item.working_translation is not None
    assert item.working_translation.system == "other"


def test_a_second_click_on_the_same_text_is_no_other_persons_choice(
    project: Project, two: list[Item], member: Callable[..., User]
) -> None:
    seen, user = two[0].working_translation_id, member(Role.MANAGER)
    assert choose(two[0], "other", user) is not None
    assert choose(two[0], "other", user, seen=seen) is None
    assert systems(project) == ["other", "mt"]
    assert len(latest_choices(project)) == 1


def test_choose_text_as_of_before_anothers_choice_changes_nothing(
    two: list[Item], member: Callable[..., User]
) -> None:
    """The item was read, then somebody else chose, then this choice is written."""
    user = member(Role.MANAGER)
    stale = Item.objects.select_related("project").get(pk=two[0].pk)
    add_text(two[0], "third", "གསུམ་པ།")
    choose(two[0], "other", user)

    with pytest.raises(ChosenMeanwhile):
        choose_text(
            item=stale,
            translation=Translation.objects.get(item=stale, system="third"),
            seen=stale.working_translation_id,
            is_reviewed_included=False,
            actor=user,
            now=timezone.now(),
        )


def test_choose_text_keeps_what_people_worked_on_unless_told(
    two: list[Item], member: Callable[..., User]
) -> None:
    user = member(Role.MANAGER)
    add_text(two[0], "mt", "ཞུས་དག", origin=Origin.HUMAN, number=2)

    with pytest.raises(TextWorkedOn):
        choose(two[0], "other", user)
    assert choose(two[0], "other", user, is_reviewed_included=True) is not None


def test_choose_text_of_an_item_in_an_open_round_is_refused(
    project: Project, opened: Callable[..., Round], member: Callable[..., User]
) -> None:
    opened(1)
    add_system(project)

    with pytest.raises(ItemInWork):
        choose(project.items.get(), "other", member(Role.MANAGER), is_reviewed_included=True)


def test_undo_leaves_what_was_chosen_since(
    project: Project, two: list[Item], member: Callable[..., User]
) -> None:
    user = member(Role.MANAGER)
    choose_system(
        project=project,
        system="other",
        item_filter=NO_FILTER,
        is_reviewed_included=False,
        actor=user,
        now=timezone.now(),
    )
    (choice,) = latest_choices(project)
    add_text(two[0], "third", "གསུམ་པ།")
    choose(two[0], "third", user)

    assert undo_choice(choice=choice, actor=user, now=timezone.now()) == 1

    assert systems(project) == ["third", "mt"]
    with pytest.raises(ChoiceFixed):
        undo_choice(choice=TextChoice.objects.get(pk=choice.pk), actor=user, now=timezone.now())


def test_choice_is_fixed_once_a_round_is_opened(
    project: Project,
    two: list[Item],
    opened: Callable[..., Round],
    member: Callable[..., User],
) -> None:
    user = member(Role.MANAGER)
    choice = choose(two[0], "other", user)
    assert choice is not None
    opened(0)

    with pytest.raises(ChoiceFixed):
        undo_choice(choice=choice, actor=user, now=timezone.now())
    assert latest_choices(project) == []


def test_best_rated_takes_ties_to_the_system_named(project: Project, compared: Round) -> None:
    how: dict[str, Any] = {"is_reviewed_included": False, "actor": None, "now": timezone.now()}

    preview = choose_best_ranked(round_=compared, ties_to="other", is_preview=True, **how)
    assert preview == Chosen(changed=2)
    assert systems(project) == ["mt", "mt"]
    assert choose_best_ranked(round_=compared, **how) == Chosen(changed=1, same=1)
    assert systems(project) == ["other", "mt"]
    assert choose_best_ranked(round_=compared, ties_to="other", **how) == Chosen(changed=1, same=1)
    assert systems(project) == ["other", "other"]


def test_rows_show_the_texts_and_what_experts_said(project: Project, compared: Round) -> None:
    wanted = ChoiceFilter(round=compared)
    first, second = choice_rows(
        list(items_to_choose(project, wanted).order_by("uid_order")), compared
    )

    mt, other = first.sides
    assert [(mt.system, mt.is_chosen), (other.system, other.is_chosen)] == [
        ("mt", True),
        ("other", False),
    ]
    assert mt.said is not None
    assert other.said is not None
    assert (mt.said.approvals, mt.said.is_best) == (0, False)
    assert (other.said.approvals, other.said.judges, other.said.is_best) == (1, 1, True)
    assert [side.said.is_best for side in second.sides if side.said] == [True, True]
    assert {segment.op for segment in other.fields[0][2]} >= {"del", "ins"}
    assert {segment.op for _field, _letter, each in mt.fields for segment in each} == {"same"}


def test_filters_show_items_of_several_systems_and_those_that_differ(
    project: Project, two: list[Item], items: Callable[[int], None]
) -> None:
    same = Translation.objects.get(item=two[1], system="other").current_revision
    working = two[1].working_translation
    assert same is not None
    assert working is not None
    type(same).objects.filter(pk=same.pk).update(
        content_hash=working.current_revision.content_hash, options=OPTIONS
    )

    def uids(**wanted: str) -> list[str]:
        rows = items_to_choose(project, ChoiceFilter(**wanted))  # type: ignore[arg-type]
        return list(rows.order_by("uid_order").values_list("uid", flat=True))

    assert uids() == [item.uid for item in two]
    assert uids(show="disagree") == [two[0].uid]
    assert uids(subject="unknown") == []
    assert uids(subject=two[0].subject.slug) == [item.uid for item in two]


def test_page_chooses_and_undoes_without_a_script(
    project: Project, two: list[Item], browser_of: Browser, member: Callable[..., User]
) -> None:
    browser = browser_of(member(Role.SENIOR))
    page = f"/projects/{project.slug}/translations/items/"
    other = Translation.objects.get(item=two[0], system="other")
    body = {"translation": other.pk, "seen": two[0].working_translation_id}

    sent = browser.post(f"{page}{two[0].pk}/?show=disagree", body)
    assert (sent.status_code, sent["Location"]) == (302, f"{page}?show=disagree#item-{two[0].pk}")
    assert systems(project) == ["other", "mt"]
    again = browser.post(f"{page}{two[0].pk}/", body, follow=True).content.decode()
    assert "Somebody else chose another text" not in again  # it goes on already: a second click
    choice = TextChoice.objects.get()
    undo = f"/projects/{project.slug}/translations/choices/{choice.pk}/undo/"
    assert "1 item has its earlier text again" in browser.post(undo, follow=True).content.decode()
    assert systems(project) == ["mt", "mt"]


def test_page_previews_the_best_rated(
    project: Project, compared: Round, browser_of: Browser, member: Callable[..., User]
) -> None:
    browser = browser_of(member(Role.MANAGER))
    page = f"/projects/{project.slug}/translations/items/best/"
    body = {"best-round": compared.number, "best-ties_to": "other"}

    preview = browser.post(page, body | {"preview": "1"}).content.decode()
    assert "Items with another text now: 2." in preview
    assert systems(project) == ["mt", "mt"]
    browser.post(page, body)
    assert systems(project) == ["other", "other"]
    assert browser.post(page, {"best-round": "99"}).status_code == 400


def test_page_costs_the_same_for_one_item_and_three(
    project: Project,
    items: Callable[[int], None],
    browser_of: Browser,
    member: Callable[..., User],
) -> None:
    browser = browser_of(member(Role.MANAGER))
    items(3)
    counts = []
    for some in (slice(1), slice(1, 3)):
        for item in project.items.order_by("uid")[some]:
            add_text(item, "other", "གཞན།")
        with CaptureQueriesContext(connection) as found:
            answer = browser.get(f"/projects/{project.slug}/translations/items/")
        assert answer.status_code == 200
        counts.append(len(found))

    assert counts[0] == counts[1]


def test_api_previews_chooses_lists_and_undoes(
    project: Project, compared: Round, api_of: Callable[[User], APIClient], member: Member
) -> None:
    api = api_of(member(Role.MANAGER, email="manager@example.org"))
    said = {"best_of_round": compared.number, "ties_to": "other"}

    preview = api.post(CHOOSE, said | {"is_preview": True}, format="json")
    assert (preview.status_code, preview.json()["changed"]) == (200, 2)
    assert systems(project) == ["mt", "mt"]
    assert api.get(CHOICES).json() == []

    done = api.post(CHOOSE, said, format="json")
    assert (done.status_code, done.json()) == (200, preview.json())
    assert systems(project) == ["other", "other"]
    (choice,) = api.get(CHOICES).json()
    assert (choice["why"], choice["item_count"]) == (f"round {compared.number}", 2)
    assert choice["actor"] == "manager@example.org"

    undone = api.post(f"{CHOICES}{choice['id']}/undo/")
    assert (undone.status_code, undone.json()) == (200, {"restored": 2})
    assert systems(project) == ["mt", "mt"]
    again = api.post(f"{CHOICES}{choice['id']}/undo/")
    assert (again.status_code, again.json()["code"]) == (409, "choice_fixed")
    assert api.post(f"{CHOICES}999/undo/").status_code == 404


@pytest.mark.parametrize("of", [{"uid": True}, {}])
def test_api_previews_a_system_too(
    project: Project,
    two: list[Item],
    api_of: Callable[[User], APIClient],
    member: Member,
    of: dict[str, bool],
) -> None:
    wanted = {"system": "other", "is_preview": True} | ({"uid": two[0].uid} if of else {})
    answer = api_of(member(Role.MANAGER)).post(CHOOSE, wanted, format="json")
    assert answer.json()["changed"] == (1 if of else 2)
    assert systems(project) == ["mt", "mt"]


def test_api_takes_ties_to_with_a_comparison_only(
    two: list[Item], api_of: Callable[[User], APIClient], member: Member
) -> None:
    said = {"system": "other", "ties_to": "mt"}
    answer = api_of(member(Role.MANAGER)).post(CHOOSE, said, format="json")
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["ties_to"])


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"best_of_round": 1, "uid": "s/00000"}, "uid"),
        ({"best_of_round": 1, "item_filter": {"q": "s"}}, "item_filter"),
        ({"system": "other", "uid": "s/00000", "item_filter": {"q": "s"}}, "uid"),
        ({"system": "other", "instead_of": "mt"}, "instead_of"),
    ],
)
def test_api_refuses_items_that_it_would_leave_aside(
    project: Project,
    compared: Round,
    api_of: Callable[[User], APIClient],
    member: Member,
    said: dict[str, Any],
    field: str,
) -> None:
    answer = api_of(member(Role.MANAGER)).post(CHOOSE, said, format="json")

    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
    assert systems(project) == ["mt", "mt"]


def test_api_tells_the_second_of_two_who_choose_at_once(
    project: Project, two: list[Item], api_of: Callable[[User], APIClient], member: Member
) -> None:
    """As the page does, if the caller says which text they saw."""
    api = api_of(member(Role.MANAGER))
    said = {"system": "other", "uid": two[0].uid, "instead_of": "mt"}

    first = api.post(CHOOSE, said, format="json")
    assert (first.status_code, first.json()["changed"]) == (200, 1)
    again = api.post(CHOOSE, said, format="json")  # its answer was lost, so it is sent once more
    assert (again.status_code, again.json()["changed"], again.json()["same"]) == (200, 0, 1)
    late = api.post(CHOOSE, said | {"system": "mt"}, format="json")
    assert (late.status_code, late.json()["code"]) == (409, "chosen_meanwhile")
    back = {"system": "mt", "uid": two[0].uid, "instead_of": "other"}
    assert api.post(CHOOSE, back, format="json").json()["changed"] == 1
    assert systems(project) == ["mt", "mt"]


def test_choice_of_another_project_cannot_be_undone(
    two: list[Item], api_of: Callable[[User], APIClient], member: Member
) -> None:
    choice = choose(two[0], "other", member(Role.SENIOR))
    assert choice is not None
    stranger = UserFactory()
    other = ProjectFactory(slug="another")
    MembershipFactory(project=other, user=stranger, role=Role.MANAGER)
    api = api_of(stranger)
    assert api.post(f"{CHOICES}{choice.pk}/undo/").status_code == 404
    assert (
        api.post(f"/api/v1/projects/another/translations/choices/{choice.pk}/undo/").status_code
        == 404
    )


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.VIEWER])
def test_api_of_choices_is_closed_to_those_who_do_not_lead(
    two: list[Item], api_of: Callable[[User], APIClient], member: Member, role: Role
) -> None:
    choice = choose(two[0], "other", member(Role.SENIOR))
    assert choice is not None
    api = api_of(member(role))
    assert api.get(CHOICES).status_code == 403
    assert api.post(f"{CHOICES}{choice.pk}/undo/").status_code == 403


def test_page_compares_explanations_too(project: Project, two: list[Item]) -> None:
    texts = Translation.objects.filter(item=two[0], system="other")
    Revision.objects.filter(translation__in=texts).update(explanation="དེའི་ཕྱིར།")
    rows = choice_rows(list(items_to_choose(project, ChoiceFilter()).order_by("uid_order")), None)
    other = rows[0].sides[1]
    _field, label, segments = other.fields[-1]
    assert (label, [segment.op for segment in segments]) == ("Explanation", ["ins"])
