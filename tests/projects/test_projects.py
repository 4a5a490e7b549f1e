"""Projects and who works in them: every rule of the actions, through pages and API."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.management import CommandError
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.actions import EmailTaken, PersonInvalid
from accounts.models import ApiToken, AuditEvent, User
from accounts.queries import open_invitations
from projects import actions
from projects.enums import Role
from projects.models import Membership, Project
from projects.queries import members_of, projects_of
from tests.commands import printed
from tests.factories import MembershipFactory, ProjectFactory, SubjectFactory, UserFactory

Members = Callable[..., User]
Deliver = Callable[[], list[EmailMessage]]
Browsers = Callable[[User], Client]
Apis = Callable[[User], APIClient]

PROJECT = {"slug": "ti", "name": "Ti", "source_language": "zh", "target_language": "bo"}


def verbs() -> list[str]:
    return list(AuditEvent.objects.filter(scope="ti").order_by("pk").values_list("verb", flat=True))


def membership_of(user: User) -> Membership:
    return Membership.objects.get(user=user)


@pytest.fixture
def manager(member: Members) -> User:
    return member(Role.MANAGER, name="Manager")


def create(**changes: Any) -> Project:
    fields = PROJECT | {"manager": None, "actor": None, "now": timezone.now()} | changes
    return actions.create_project(**fields)


def add(project: Project, actor: User, **changes: Any) -> actions.AddedMember:
    fields = {
        "email": "lhamo@example.org",
        "name": "Lhamo",
        "role": Role.REVIEWER,
        "languages": ["bo"],
        "subjects": [],
    }
    return actions.add_member(
        project=project, actor=actor, now=timezone.now(), **(fields | changes)
    )


def test_create_project_makes_the_manager_its_first_member(db: None) -> None:
    user = UserFactory()
    project = create(manager=user, actor=user, description=" For all. ")
    assert (project.created_by, project.description) == (user, "For all.")
    assert membership_of(user).role == Role.MANAGER
    assert verbs() == ["project.created", "member.added"]


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"target_language": "tibetan!"}, actions.LanguageInvalid),
        ({"source_language": ""}, actions.LanguageInvalid),
        ({"slug": "no spaces"}, actions.ProjectInvalid),
        ({"slug": "x" * 61}, actions.ProjectInvalid),
        ({"name": " "}, actions.ProjectInvalid),
        ({"name": "x" * 201}, actions.ProjectInvalid),
        ({"description": "a\0b"}, actions.ProjectInvalid),
    ],
)
def test_create_project_with_bad_fields_is_refused(
    db: None, changes: dict[str, Any], refusal: type[Exception]
) -> None:
    with pytest.raises(refusal):
        create(**changes)
    assert not Project.objects.exists()


def test_create_project_twice_is_refused(db: None) -> None:
    create()
    with pytest.raises(actions.SlugTaken):
        create(name="Another")


def test_change_project_keeps_slug_and_languages(project: Project, manager: User) -> None:
    actions.change_project(
        project=project,
        name="New",
        description="",
        items_ahead=3,
        undo_minutes=0,
        reminder_days=7,
        guards_hidden_items=True,
        actor=manager,
        now=timezone.now(),
    )
    project.refresh_from_db()
    assert (project.slug, project.name) == ("ti", "New")
    assert (project.items_ahead, project.undo_minutes, project.reminder_days) == (3, 0, 7)
    assert project.guards_hidden_items
    assert verbs() == ["project.changed"]


def test_add_member_unknown_person_is_invited_by_mail(
    project: Project, manager: User, deliver: Deliver
) -> None:
    added = add(project, manager)
    assert mail.outbox == []
    (message,) = deliver()
    assert message.to == ["lhamo@example.org"]
    assert added.issued is not None
    assert f"/accounts/invitations/{added.issued.secret}/" in message.body
    assert added.membership.languages == ["bo"]
    assert verbs() == ["member.added"]


def test_add_member_with_account_is_added_without_mail(
    project: Project, manager: User, deliver: Deliver
) -> None:
    user = UserFactory(email="lhamo@example.org")
    added = add(project, manager, email="Lhamo@example.org")
    assert (added.issued, added.membership.user) == (None, user)
    assert deliver() == []


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"role": "boss"}, actions.RoleUnknown),
        ({"languages": ["b"]}, actions.LanguageInvalid),
        ({"email": "no address"}, PersonInvalid),
        ({"email": "x" * 250 + "@example.org"}, PersonInvalid),
    ],
)
def test_add_member_with_bad_fields_leaves_nothing(
    project: Project, manager: User, changes: dict[str, Any], refusal: type[Exception]
) -> None:
    with pytest.raises(refusal):
        add(project, manager, **changes)
    assert User.objects.count() == Membership.objects.count() == 1


def test_add_member_with_subject_of_another_project_is_refused(
    project: Project, manager: User
) -> None:
    with pytest.raises(actions.SubjectForeign):
        add(project, manager, subjects=[SubjectFactory()])


def test_add_member_twice_is_refused(project: Project, manager: User) -> None:
    add(project, manager)
    with pytest.raises(actions.AlreadyMember):
        add(project, manager, email="LHAMO@example.org")


def test_add_member_who_has_come_in_is_refused_as_a_member(
    project: Project, manager: User, member: Members
) -> None:
    user = member()
    with pytest.raises(actions.AlreadyMember) as refused:
        add(project, manager, email=user.email)
    assert refused.value.code == "already_member"


def test_change_member_sets_role_languages_and_subjects(
    project: Project, manager: User, member: Members
) -> None:
    membership = membership_of(member())
    subject = SubjectFactory(project=project)
    actions.change_member(
        membership=membership,
        role=Role.SENIOR,
        languages=["bo", "zh-Hant"],
        subjects=[subject],
        actor=manager,
        now=timezone.now(),
    )
    membership.refresh_from_db()
    assert (membership.role, membership.languages) == ("senior", ["bo", "zh-Hant"])
    assert list(membership.subjects.all()) == [subject]
    assert AuditEvent.objects.get(scope="ti").data == {
        "role": {"from": "reviewer", "to": "senior"},
        "languages": {"from": [], "to": ["bo", "zh-Hant"]},
        "subjects": {"from": [], "to": [subject.slug]},
    }


def test_saving_a_member_as_they_are_writes_no_audit_event(
    project: Project, manager: User, member: Members
) -> None:
    membership = membership_of(member())
    actions.change_member(
        membership=membership,
        role=membership.role,
        languages=membership.languages,
        subjects=list(membership.subjects.all()),
        actor=manager,
        now=timezone.now(),
    )
    assert not AuditEvent.objects.filter(scope="ti").exists()


def demote(membership: Membership) -> None:
    actions.change_member(
        membership=membership,
        role=Role.VIEWER,
        languages=[],
        subjects=[],
        actor=None,
        now=timezone.now(),
    )


def pause(membership: Membership) -> None:
    actions.pause_member(membership=membership, actor=None, now=timezone.now())


@pytest.mark.parametrize("change", [demote, pause])
def test_last_manager_stays(
    manager: User, member: Members, change: Callable[[Membership], None]
) -> None:
    pause_me = membership_of(member(Role.MANAGER))
    pause(pause_me)
    with pytest.raises(actions.LastManager):
        change(membership_of(manager))
    membership = membership_of(manager)
    assert (membership.role, membership.is_paused) == (Role.MANAGER, False)


@pytest.mark.parametrize("change", [demote, pause])
def test_one_of_two_managers_may_go(
    manager: User, member: Members, change: Callable[[Membership], None]
) -> None:
    member(Role.MANAGER)
    change(membership_of(manager))
    membership = membership_of(manager)
    assert membership.role == Role.VIEWER or membership.is_paused


def test_pause_and_resume_twice_record_one_event_each(manager: User, member: Members) -> None:
    membership = membership_of(member())
    for action in (actions.pause_member, actions.resume_member):
        for _number in range(2):
            action(membership=membership, actor=manager, now=timezone.now())
    assert verbs() == ["member.paused", "member.resumed"]
    assert membership_of(membership.user).is_paused is False


def test_renew_invitation_makes_a_new_link_until_the_person_came_in(
    project: Project, manager: User
) -> None:
    added = add(project, manager)
    again = actions.renew_invitation(membership=added.membership, actor=manager, now=timezone.now())
    assert again and added.issued and again.secret != added.issued.secret
    mine = membership_of(manager)
    assert actions.renew_invitation(membership=mine, actor=manager, now=timezone.now()) is None


def test_link_of_a_person_awaited_elsewhere_too_goes_by_mail_alone(
    project: Project, manager: User, deliver: Deliver
) -> None:
    add(project, manager, role=Role.MANAGER)
    other = MembershipFactory(role=Role.MANAGER)
    added = add(other.project, other.user, role=Role.VIEWER)
    again = actions.renew_invitation(
        membership=added.membership, actor=other.user, now=timezone.now()
    )
    assert added.issued and again
    assert (added.issued.secret, again.secret) == ("", "")
    links = [re.findall(r"/invitations/[\w-]+/", str(message.body)) for message in deliver()]
    assert [len(found) for found in links] == [1, 1]


def test_link_is_shown_where_the_inviter_manages_every_project_of_the_person(
    project: Project, manager: User
) -> None:
    add(project, manager, role=Role.MANAGER)
    other = MembershipFactory(user=manager, role=Role.MANAGER)
    added = add(other.project, manager)
    assert added.issued and added.issued.secret


def test_link_of_a_pending_account_with_rights_beyond_projects_goes_by_mail_alone(
    project: Project, manager: User
) -> None:
    pending = UserFactory(email="lhamo@example.org", is_staff=True)
    pending.set_unusable_password()
    pending.save()
    added = add(project, manager)
    assert added.issued and added.issued.secret == ""


def test_link_shown_before_by_somebody_else_ends_with_a_new_membership(
    project: Project, manager: User
) -> None:
    other = MembershipFactory(role=Role.MANAGER)
    shown = add(other.project, other.user, role=Role.VIEWER).issued
    added = add(project, manager, role=Role.MANAGER)
    assert shown and shown.secret
    assert not open_invitations(secret=shown.secret, now=timezone.now()).exists()
    assert added.membership.user.invitations.filter(accepted_at__isnull=True).count() == 1


def test_pages_and_api_show_no_link_to_an_account_awaited_elsewhere(
    project: Project, manager: User, browser_of: Browsers, api_of: Apis
) -> None:
    for email in ("lhamo@example.org", "tashi@example.org"):
        add(project, manager, email=email, role=Role.MANAGER)
    other = MembershipFactory(role=Role.MANAGER)
    page, url = browser_of(other.user), f"/projects/{other.project.slug}/members/"
    answer = page.post(f"{url}invite/", {"email": "lhamo@example.org", "role": "viewer"})
    place = Membership.objects.get(user__email="lhamo@example.org", project=other.project)
    for shown in (answer, page.post(f"{url}{place.pk}/invite-again/")):
        assert b"/accounts/invitations/" not in shown.content
        assert b"We sent an e-mail to lhamo@example.org" in shown.content
    fields = {"email": "tashi@example.org", "role": "viewer"}
    added = api_of(other.user).post(f"/api/v1{url}", fields)
    assert (added.status_code, added.json()["invitation_url"]) == (201, None)


def test_lists_cost_a_fixed_number_of_queries(
    manager: User, project: Project, django_assert_num_queries: Any
) -> None:
    for count in (1, 3):
        for place in MembershipFactory.create_batch(count, project=project):
            place.subjects.add(SubjectFactory(project=project))
            MembershipFactory(user=manager, project=ProjectFactory())
        with django_assert_num_queries(2):
            [(str(m.user), list(m.subjects.all())) for m in members_of(project)]
        with django_assert_num_queries(1):
            list(projects_of(manager))


def test_projects_of_names_role_and_counts(
    project: Project, manager: User, member: Members
) -> None:
    member(), SubjectFactory(project=project), MembershipFactory()
    (found,) = projects_of(manager)
    assert (found.role, found.member_count, found.subject_count) == ("manager", 2, 1)


# Pages


def test_new_project_page_is_for_staff(db: None, browser_of: Browsers) -> None:
    staff = browser_of(UserFactory(is_staff=True))
    assert browser_of(UserFactory()).get("/new-project/").status_code == 403
    refused = staff.post("/new-project/", PROJECT | {"target_language": "tibetan!"})
    assert (refused.status_code, b"tibetan!" in refused.content) == (400, True)
    assert staff.post("/new-project/", PROJECT)["Location"] == "/projects/ti/members/"


@pytest.mark.parametrize(("items_ahead", "status"), [(0, 302), (20, 302), (21, 400), ("", 400)])
def test_settings_page_changes_name_and_how_the_workbench_works(
    project: Project, manager: User, browser_of: Browsers, items_ahead: int | str, status: int
) -> None:
    page = browser_of(manager)
    typed = {"name": "New", "description": "x", "items_ahead": items_ahead, "undo_minutes": 20}
    typed["reminder_days"] = 3
    assert page.post("/projects/ti/settings/", typed).status_code == status
    project.refresh_from_db()
    changed = ("New", items_ahead, 20) if status == 302 else ("Ti", 5, 10)
    assert (project.name, project.items_ahead, project.undo_minutes) == changed


def test_members_page_shows_buttons_to_managers_alone(
    project: Project, manager: User, member: Members, browser_of: Browsers
) -> None:
    senior = member(Role.SENIOR)
    assert b"/invite/" in browser_of(manager).get("/projects/ti/members/").content
    page = browser_of(senior).get("/projects/ti/members/")
    assert page.status_code == 200
    assert b"/invite/" not in page.content
    assert b"/pause/" not in page.content


def test_invite_page_shows_the_link_once(
    project: Project, manager: User, browser_of: Browsers
) -> None:
    fields = {"email": "lhamo@example.org", "role": "senior", "languages": "bo, zh"}
    answer = browser_of(manager).post("/projects/ti/members/invite/", fields)
    link = re.search(r"http://127\.0\.0\.1:8000(/accounts/invitations/\S+/)<", str(answer.content))
    assert link and Client().get(link[1]).status_code == 200
    place = Membership.objects.get(user__email="lhamo@example.org")
    assert (place.role, place.languages) == ("senior", ["bo", "zh"])
    again = browser_of(manager).post("/projects/ti/members/invite/", fields)
    assert again.status_code == 400
    assert "already invited to this project. Choose “Invite again”" in again.content.decode()


def test_member_pages_change_pause_resume_and_invite_again(
    project: Project, manager: User, browser_of: Browsers
) -> None:
    place = add(project, manager).membership
    page, url = browser_of(manager), f"/projects/ti/members/{place.pk}/"
    assert page.get(url).status_code == 200
    assert page.post(url, {"role": "viewer", "languages": ""}).status_code == 302
    assert page.post(f"{url}pause/").status_code == 302
    place.refresh_from_db()
    assert (place.role, place.languages, place.is_paused) == ("viewer", [], True)
    assert page.post(f"{url}resume/").status_code == 302
    assert b"/accounts/invitations/" in page.post(f"{url}invite-again/").content
    last = membership_of(manager).pk
    refused = page.post(f"/projects/ti/members/{last}/pause/")
    assert (refused.status_code, b"at least one active manager" in refused.content) == (409, True)


def test_member_of_another_project_is_not_found(
    project: Project, manager: User, browser_of: Browsers
) -> None:
    foreign = MembershipFactory()
    for end in ("", "pause/", "resume/", "invite-again/"):
        answer = browser_of(manager).post(f"/projects/ti/members/{foreign.pk}/{end}")
        assert answer.status_code == 404
    foreign.refresh_from_db()
    assert foreign.is_paused is False


# API


def test_api_me_names_roles(manager: User, api_of: Apis) -> None:
    body = api_of(manager).get("/api/v1/me/").json()
    place = {"project": "ti", "role": "manager", "languages": [], "is_paused": False}
    assert body["memberships"] == [place]


def test_api_me_changes_name_and_language_and_keeps_what_is_not_sent(
    db: None, api_of: Apis
) -> None:
    person = UserFactory(name="Dolma", language="zh-hans")
    api = api_of(person)

    renamed = api.patch("/api/v1/me/", {"name": " Dolma Tsering "}, format="json")
    cleared = api.patch("/api/v1/me/", {"language": ""}, format="json")

    told = [(answer.json()["name"], answer.json()["language"]) for answer in (renamed, cleared)]
    assert told == [("Dolma Tsering", "zh-hans"), ("Dolma Tsering", "")]
    person.refresh_from_db()
    assert (person.name, person.language) == ("Dolma Tsering", "")


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 151}, "name"),
        ({"name": "New", "language": "tlh"}, "language"),
        ({"email": "new@example.org"}, "email"),
    ],
)
def test_api_me_changes_nothing_where_it_refuses(
    db: None, api_of: Apis, sent: dict[str, str], field: str
) -> None:
    person = UserFactory(name="Dolma")

    answer = api_of(person).patch("/api/v1/me/", sent, format="json")

    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
    person.refresh_from_db()
    assert person.name == "Dolma"


def test_api_projects_are_opened_by_staff_alone(db: None, api_of: Apis) -> None:
    staff = api_of(UserFactory(is_staff=True))
    assert api_of(UserFactory()).post("/api/v1/projects/", PROJECT).status_code == 403
    assert staff.post("/api/v1/projects/", PROJECT).status_code == 201
    again = staff.post("/api/v1/projects/", PROJECT)
    assert (again.status_code, again.json()["code"]) == (409, "slug_taken")
    assert [p["slug"] for p in staff.get("/api/v1/projects/").json()["results"]] == ["ti"]


def test_api_project_is_read_and_changed(manager: User, api_of: Apis) -> None:
    api = api_of(manager)
    assert api.patch("/api/v1/projects/ti/", {"name": "New"}).json()["name"] == "New"
    assert api.get("/api/v1/projects/ti/").json()["name"] == "New"
    assert api.patch("/api/v1/projects/ti/", {"slug": "other"}).status_code == 400


def test_api_members_are_added_changed_paused(
    project: Project, manager: User, api_of: Apis
) -> None:
    SubjectFactory(project=project, slug="law")
    api, url = api_of(manager), "/api/v1/projects/ti/members/"
    fields = {"email": "lhamo@example.org", "role": "reviewer", "subjects": ["law"]}
    added = api.post(url, fields)
    assert added.status_code == 201
    assert "/accounts/invitations/" in added.json()["invitation_url"]
    one = f"{url}{added.json()['id']}/"
    assert api.patch(one, {"role": "senior"}).json()["subjects"] == ["law"]
    assert api.post(f"{one}pause/").json()["is_paused"] is True
    assert api.post(f"{one}resume/").json()["is_paused"] is False
    assert api.get(one).json()["role"] == "senior"
    assert len(api.get(url).json()["results"]) == 2
    unknown = api.patch(one, {"subjects": ["war"]})
    assert (unknown.status_code, list(unknown.json()["fields"])) == (400, ["subjects"])


def test_api_tokens_are_made_listed_and_revoked(manager: User, api_of: Apis) -> None:
    api, url = api_of(manager), "/api/v1/me/tokens/"
    made = api.post(url, {"name": "notebook"})
    assert (made.status_code, len(made.json()["secret"])) == (201, 40)
    assert [token["name"] for token in api.get(url).json()] == ["notebook", "test"]
    assert api.delete(f"{url}{made.json()['id']}/").status_code == 204
    assert [token["name"] for token in api.get(url).json()] == ["test"]


# Commands


CREATE = ("create_project", "ti", "--name", "Ti")
CREATE_ZH_BO = (*CREATE, "--source-language", "zh", "--target-language", "bo")
CREATE_USER = ("create_user", "dolma@example.org", "--name", "Dolma")


def test_create_project_command_runs_twice(db: None) -> None:
    UserFactory(email="dolma@example.org")
    assert printed(*CREATE_ZH_BO)["is_new"] is True
    again = printed(*CREATE_ZH_BO, "--manager", "Dolma@example.org")
    assert again == PROJECT | {
        "id": Project.objects.get().pk,
        "is_new": False,
        "manager": "Dolma@example.org",
    }
    assert Membership.objects.get().role == Role.MANAGER


def test_create_project_command_with_other_words_is_refused(db: None) -> None:
    printed(*CREATE_ZH_BO)
    with pytest.raises(CommandError, match="already a project") as refusal:
        printed(*CREATE, "--source-language", "en", "--target-language", "bo")
    assert refusal.value.returncode == 1


def test_create_project_command_with_unknown_manager_leaves_nothing(db: None) -> None:
    with pytest.raises(CommandError, match="no account"):
        printed(*CREATE_ZH_BO, "--manager", "nobody@example.org")
    assert not Project.objects.exists()


def test_create_user_command_makes_account_with_roles_and_token(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOLMA_WORD", "a stack of tall lines")
    made = printed(*CREATE_USER, "--password-env", "DOLMA_WORD", "--role", "ti:reviewer", "--token")
    user = User.objects.get()
    assert (made["email"], made["id"], made["roles"]) == (user.email, user.pk, ["ti:reviewer"])
    assert user.check_password("a stack of tall lines")
    assert len(made["token"]) == 40 and ApiToken.objects.get().user == user


def test_create_user_command_again_brings_roles_into_line(project: Project) -> None:
    ProjectFactory(slug="other")
    printed(*CREATE_USER, "--role", "ti:reviewer")
    made = printed(*CREATE_USER, "--role", "ti:senior", "--role", "other:viewer")
    assert made["roles"] == ["ti:senior", "other:viewer"]
    before = AuditEvent.objects.count()
    assert printed(*CREATE_USER, "--role", "ti:senior") == made
    assert AuditEvent.objects.count() == before


def test_create_user_command_keeps_the_name_of_an_existing_account(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    UserFactory(email="dolma@example.org", name="Dolma Lhamo")

    without = printed("create_user", "dolma@example.org", "--role", "ti:reviewer")
    with_name = printed(*CREATE_USER)

    assert (without["name"], with_name["name"]) == ("Dolma Lhamo", "Dolma Lhamo")
    assert "keeps the name “Dolma Lhamo”; --rename changes it" in capsys.readouterr().err


def test_create_user_command_renames_when_it_is_asked_to(project: Project) -> None:
    UserFactory(email="dolma@example.org", name="Dolma Lhamo")
    assert printed(*CREATE_USER, "--rename")["name"] == "Dolma"


def test_create_user_command_says_who_cannot_sign_in_yet(
    db: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOLMA_WORD", "a stack of tall lines")
    printed(*CREATE_USER)
    without = capsys.readouterr().err
    printed(*CREATE_USER, "--password-env", "DOLMA_WORD")

    assert "dolma@example.org has no password yet and cannot sign in" in without
    assert "--password-env" in without
    assert capsys.readouterr().err == ""


def test_create_user_command_without_a_name_takes_the_address(db: None) -> None:
    assert printed("create_user", "dolma@example.org")["name"] == "dolma"


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (("--role", "ti"), 2, "PROJECT:ROLE"),
        (("--role", "nowhere:senior"), 1, "no project"),
        (("--role", "ti:boss"), 1, "is not a role"),
        (("--password-env", "NOT_SET_HERE"), 1, "not set"),
    ],
)
def test_create_user_command_with_bad_arguments_leaves_nothing(
    project: Project, args: tuple[str, ...], code: int, words: str
) -> None:
    with pytest.raises(CommandError, match=words) as refusal:
        printed(*CREATE_USER, *args)
    assert refusal.value.returncode == code
    assert not User.objects.exists()


def test_create_user_command_with_weak_password_is_refused(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOLMA_WORD", "short")
    with pytest.raises(CommandError, match="not strong enough"):
        printed(*CREATE_USER, "--password-env", "DOLMA_WORD")


def test_manager_opens_a_further_project(
    manager: User, browser_of: Browsers, settings: Any
) -> None:
    client = browser_of(manager)
    assert b'href="/new-project/"' in client.get("/").content
    opened = client.post("/new-project/", PROJECT | {"slug": "lo", "target_language": "lo"})

    assert opened["Location"] == "/projects/lo/members/"
    assert Membership.objects.get(project__slug="lo").user == manager
    settings.PROJECT_CREATION = "staff"
    assert client.get("/new-project/").status_code == 403


def test_create_user_action_twice_is_refused(db: None) -> None:
    from accounts.actions import create_user

    fields = {"name": "Dolma", "password": None, "actor": None, "now": timezone.now()}
    create_user(email="dolma@example.org", **fields)
    with pytest.raises(EmailTaken):
        create_user(email="DOLMA@example.org", **fields)


@pytest.mark.parametrize("page", ["members/", "settings/", "sources/", "audit/", "webhooks/"])
def test_pages_that_members_lead_to_are_marked_as_its_section(
    member: Members, browser_of: Browsers, page: str
) -> None:
    shown = browser_of(member(Role.MANAGER)).get(f"/projects/ti/{page}").content.decode()
    assert re.search(r'href="/projects/ti/members/"\s+aria-current="page"', shown)
