"""People decide for themselves, project by project, whether releases name them."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.actions import deactivate_account, reactivate_account
from accounts.models import AuditEvent, User
from common.errors import TextInvalid
from projects.actions import change_member, remove_member
from projects.actions.contributors import PrintedNameInvalid, choose_own_name
from projects.enums import Role
from projects.models import Contributor, Membership, Project
from projects.queries import contributor_names, contributors_to_name, printed_names_of
from tests.factories import MembershipFactory, ProjectFactory, UserFactory

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
Member = Callable[..., User]
Browser = Callable[[User], Client]
Api = Callable[[User], APIClient]
NOW = timezone.now()
PAGE = "/projects/ti/contributor/"
API = "/api/v1/projects/ti/contributor/"


def agree(project: Project, person: User, name: str = "Dolma") -> Contributor | None:
    return choose_own_name(project=project, actor=person, name=name, now=NOW)


def verbs() -> list[str]:
    rows = AuditEvent.objects.filter(verb__startswith="contributor.").order_by("pk")
    return list(rows.values_list("verb", flat=True))


def leave(place: Membership) -> None:
    remove_member(membership=place, actor=None, now=NOW)


def become_viewer(place: Membership) -> None:
    change_member(
        membership=place, role=Role.VIEWER, languages=[], subjects=[], actor=None, now=NOW
    )


def test_nobody_is_named_unless_they_agree(project: Project, member: Member) -> None:
    person = member()
    assert contributor_names(project) == []
    assert printed_names_of(person) == [(project, "")]


def test_agreement_holds_for_one_project_and_tells_the_audit_log_no_name(
    project: Project, member: Member
) -> None:
    person = member(name="Account Name")
    MembershipFactory(user=person, project=ProjectFactory(slug="other", name="Another"))
    row = agree(project, person, "  Dolma\n Tsering ")
    assert row
    assert (row.name, row.agreed_at) == ("Dolma Tsering", NOW)
    assert [name for _project, name in printed_names_of(person)] == ["", "Dolma Tsering"]
    event = AuditEvent.objects.get(verb="contributor.agreed")
    assert (event.actor, event.scope, event.data) == (person, "ti", {})


def test_same_choice_again_changes_nothing_and_another_name_is_a_new_agreement(
    project: Project, member: Member
) -> None:
    person, later = member(), NOW + timedelta(days=1)
    agree(project, person)
    again = choose_own_name(project=project, actor=person, name="Dolma", now=later)
    assert again
    assert (again.agreed_at, verbs()) == (NOW, ["contributor.agreed"])
    other = choose_own_name(project=project, actor=person, name="D. Tsering", now=later)
    assert other
    assert (other.pk, other.agreed_at, verbs()) == (again.pk, later, ["contributor.agreed"] * 2)


def test_withdrawing_deletes_the_name_and_doing_so_again_changes_nothing(
    project: Project, member: Member
) -> None:
    person = member()
    agree(project, person)
    for _ in range(2):
        choose_own_name(project=project, actor=person, name=None, now=NOW)
    assert not Contributor.objects.exists()
    assert verbs() == ["contributor.agreed", "contributor.withdrew"]


@pytest.mark.parametrize("name", ["བསོད་ནམས་རྒྱལ་མཚན།", "Sakya, Pandita", "O’Brien-Li Jr.", "王伟"])
def test_names_of_many_scripts_are_taken(project: Project, member: Member, name: str) -> None:
    agree(project, member(), name)
    assert contributor_names(project) == [name]


@pytest.mark.parametrize(
    "name",
    ["", " ", "x" * 151, "<b>x</b>", "[x](y)", "a@example.org", "https://x.org", "- x", "1. x",
     "x\u202ey", "x\x07", "x\0", "{x}", "#x"],
)  # fmt: skip
def test_name_that_is_no_name_is_refused(project: Project, member: Member, name: str) -> None:
    with pytest.raises((PrintedNameInvalid, TextInvalid)):
        agree(project, member(), name)
    assert not Contributor.objects.exists()


def test_database_takes_one_name_a_person_and_none_that_is_empty(
    project: Project, member: Member
) -> None:
    person = member()
    agree(project, person)
    for user, name in ((person, "Twice"), (member(), "")):
        with pytest.raises(IntegrityError), transaction.atomic():
            Contributor.objects.create(project=project, user=user, name=name, agreed_at=NOW)


def test_names_are_sorted_the_same_in_every_database(project: Project, member: Member) -> None:
    for name in ("zebra", "Álpha", "apple", "Zebra", "བོད་", "Apple", "apple"):
        agree(project, member(), name)
    expected = ["Apple", "apple", "apple", "Zebra", "zebra", "Álpha", "བོད་"]
    assert contributor_names(project) == expected


def test_name_of_a_deactivated_account_is_left_out_until_it_is_back(
    project: Project, member: Member
) -> None:
    person = member()
    agree(project, person)
    deactivate_account(user=person, actor=None, now=NOW)
    assert (contributor_names(project), contributors_to_name(project).count()) == ([], 0)
    reactivate_account(user=person, actor=None, now=NOW)
    assert contributor_names(project) == ["Dolma"]


def test_name_goes_with_a_deleted_account(project: Project) -> None:
    person = UserFactory()
    Contributor.objects.create(project=project, user=person, name="Dolma", agreed_at=NOW)
    person.delete()
    assert not Contributor.objects.exists()


@pytest.mark.parametrize("go", [leave, become_viewer])
def test_who_works_there_no_more_stays_named_and_can_still_withdraw(
    project: Project, member: Member, browser_of: Browser, go: Callable[[Membership], None]
) -> None:
    person = member()
    agree(project, person)
    go(project.memberships.get(user=person))
    assert contributor_names(project) == ["Dolma"]
    browser = browser_of(person)
    assert PAGE in browser.get("/my-work/").content.decode()
    assert "Dolma" in browser.get(PAGE).content.decode()
    assert browser.post(PAGE, {"name": "Dolma"}).status_code == 302
    assert contributor_names(project) == []
    assert browser.get(PAGE).status_code in (403, 404)
    assert PAGE not in browser.get("/my-work/").content.decode()


def test_page_offers_the_name_of_the_account_and_says_what_withdrawing_means(
    project: Project, member: Member, browser_of: Browser
) -> None:
    browser = browser_of(member(name="Dolma Tsering"))
    page = browser.get(PAGE).content.decode()
    assert 'value="Dolma Tsering"' in page
    assert "checked" not in page
    assert "Existing releases keep your name" in " ".join(page.split())
    agreed = browser.post(PAGE, {"is_named": "on", "name": "Dolma T."}, follow=True)
    assert agreed.redirect_chain == [("/my-work/", 302)]
    assert "named as Dolma T." in agreed.content.decode()
    assert "checked" in browser.get(PAGE).content.decode()


def test_page_shows_what_is_wrong_with_a_name(
    project: Project, member: Member, browser_of: Browser
) -> None:
    refused = browser_of(member()).post(PAGE, {"is_named": "on", "name": "<x>"})
    assert (refused.status_code, "Begin with a letter" in refused.content.decode()) == (400, True)


def test_api_tells_and_sets_only_ones_own_choice(
    project: Project, member: Member, api_of: Api
) -> None:
    person, manager = member(name="Dolma"), member(Role.MANAGER, name="Manager")
    api = api_of(person)
    assert api.get(API).json() == {"is_named": False, "name": "", "agreed_at": None}
    told = api.put(API, {"is_named": True}, format="json").json()
    assert (told["is_named"], told["name"]) == (True, "Dolma")
    assert api.put(API, {"is_named": True, "name": "*"}, format="json").json()["fields"]["name"]
    for field in ({"user": person.pk}, {"person": person.pk}):
        body = {"is_named": True, **field}
        assert api_of(manager).put(API, body, format="json").status_code == 400
    assert api_of(manager).put(API, {"is_named": False}, format="json").status_code == 200
    assert contributor_names(project) == ["Dolma"]
    assert api.put(API, {"is_named": False}, format="json").json()["agreed_at"] is None
    assert contributor_names(project) == []
