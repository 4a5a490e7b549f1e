"""Getting in and out, and nothing typed lost on the way."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.actions import IssuedInvitation, invite_user
from accounts.models import ApiToken, AuditEvent, User
from tests.factories import ApiTokenFactory
from tests.markup import squeezed

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PASSWORD = "correct horse"
NEW_PASSWORD = "a stack of tall lines"
SIGN_IN = "/accounts/sign-in/"
HOME = "/"


@pytest.fixture
def browser(person: User, browser_of: Callable[[User], Client]) -> Client:
    return browser_of(person)


def sign_in(client: Client, *, email: str = "dolma@example.org", password: str = PASSWORD, **more):
    return client.post(SIGN_IN, {"username": email, "password": password, **more})


def hidden(page: bytes, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page.decode())
    assert found, f"no hidden field {name}"
    return found[1]


@pytest.mark.parametrize("email", ["dolma@example.org", "Dolma@Example.org"])
def test_sign_in_with_password_goes_home(person: User, client: Client, email: str) -> None:
    response = sign_in(client, email=email)
    assert (response.status_code, response["Location"]) == (302, HOME)


def test_sign_in_with_next_goes_there_but_never_elsewhere(person: User) -> None:
    for target, place in [("/help/", "/help/"), ("https://evil.example/", HOME), ("999", "999")]:
        response = sign_in(Client(), next=target)
        assert response["Location"] == place


@pytest.mark.parametrize(
    ("email", "password"),
    [
        ("dolma@example.org", "wrong"),
        ("nobody@example.org", PASSWORD),
        ("", ""),
        ("dolma@example.org\0", PASSWORD),
        ("x" * 300 + "@example.org", PASSWORD),
    ],
)
def test_sign_in_that_does_not_match_stays_on_the_page(
    person: User, client: Client, email: str, password: str
) -> None:
    response = sign_in(client, email=email, password=password)
    assert response.status_code == 200
    assert "error" in response.content.decode()
    assert client.get(HOME).status_code == 302


def test_sign_in_of_deactivated_person_is_refused(person: User, client: Client) -> None:
    User.objects.update(is_active=False)
    assert sign_in(client).status_code == 200


def test_sign_in_wrong_five_times_is_429_with_the_time_of_the_next_try(
    person: User, client: Client, settings
) -> None:
    settings.AXES_ENABLED = True
    answers = [
        sign_in(client, email=email, password="wrong")
        for email in ["dolma@example.org", "DOLMA@example.org", "Dolma@example.org"] * 2
    ]
    assert [answer.status_code for answer in answers[:5]] == [200, 200, 200, 200, 429]
    locked = sign_in(client)
    assert (locked.status_code, locked["Retry-After"]) == (429, "900")
    assert "Try again in 15 minutes" in locked.content.decode()
    with time_machine.travel(timezone.now() + timedelta(minutes=16), tick=True):
        assert sign_in(client).status_code == 302


def test_sign_in_locked_keeps_what_was_typed(person: User, client: Client, settings) -> None:
    settings.AXES_ENABLED = True
    kept = hidden(client.post("/accounts/profile/", {"name": "Lhamo"}).content, "kept")
    for _number in range(5):
        answer = sign_in(client, password="wrong", kept=kept)
    assert answer.status_code == 429
    assert hidden(answer.content, "kept") == kept


def test_sign_out_needs_a_post(browser: Client) -> None:
    assert browser.get("/accounts/sign-out/").status_code == 405
    assert browser.post("/accounts/sign-out/")["Location"] == SIGN_IN


@pytest.mark.parametrize(("keep", "cleared"), [("", '"cache", "storage"'), ("1", '"cache"')])
def test_sign_out_clears_what_the_browser_stores_unless_work_waits_there(
    browser: Client, keep: str, cleared: str
) -> None:
    assert browser.post("/accounts/sign-out/", {"keep": keep})["Clear-Site-Data"] == cleared
    assert browser.get(HOME).status_code == 302


def test_page_of_nobody_goes_to_sign_in_and_back(person: User, client: Client) -> None:
    answer = client.get("/accounts/tokens/?a=1")
    assert answer["Location"] == f"{SIGN_IN}?next=/accounts/tokens/%3Fa%3D1"
    page = squeezed(client.get(answer["Location"]).content.decode())
    action = re.search(r'<form method="post" class="form" action="([^"]+)"', page)
    assert action
    back = client.post(action[1], {"username": person.email, "password": PASSWORD})
    assert back["Location"] == "/accounts/tokens/?a=1"


@pytest.mark.parametrize("path", ["/help/", "/healthz", "/api/schema/", SIGN_IN])
def test_open_page_needs_no_sign_in(client: Client, db: None, path: str) -> None:
    assert client.get(path).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{"HX-Request": "true"}, {"Accept": "application/json"}, {"Content-Type": "application/json"}],
)
def test_script_of_nobody_gets_401_in_json(
    client: Client, db: None, headers: dict[str, str]
) -> None:
    answer = client.post(
        "/accounts/profile/",
        "{}",
        content_type=headers.get("Content-Type", "text/plain"),
        headers=headers,
    )
    assert answer.status_code == 401
    assert answer.json()["code"] == "signed_out"
    assert answer.json()["sign_in_url"] == f"{SIGN_IN}?popup=1"
    assert "HX-Redirect" not in answer


def test_sign_in_in_a_small_window_says_that_it_can_be_closed(person: User, client: Client) -> None:
    url = f"{SIGN_IN}?popup=1"
    wrong = client.post(url, {"username": person.email, "password": "wrong", "popup": "1"})
    assert hidden(wrong.content, "popup") == "1"
    answer = client.post(url, {"username": person.email, "password": PASSWORD}, follow=True)
    assert answer.redirect_chain == [("/accounts/signed-in/", 302)]
    assert b"data-signed-in" in answer.content


def test_form_of_nobody_is_kept_through_sign_in_and_sent_again(
    person: User, client: Client
) -> None:
    interrupted = client.post("/accounts/profile/", {"name": "Lhamo <b>"})
    assert interrupted.status_code == 401
    wrong = sign_in(client, password="wrong", kept=hidden(interrupted.content, "kept"))
    answer = sign_in(client, kept=hidden(wrong.content, "kept"))
    assert answer["Location"] == "/accounts/send-again/"
    page = client.get(answer["Location"])
    assert b"Lhamo &lt;b&gt;" in page.content
    assert hidden(page.content, "name") == "Lhamo &lt;b&gt;"
    sent = client.post("/accounts/send-again/", {"name": "Lhamo <b>"})
    assert (sent.status_code, sent["Location"]) == (307, "/accounts/profile/")
    client.post(sent["Location"], {"name": "Lhamo <b>"})
    person.refresh_from_db()
    assert person.name == "Lhamo <b>"
    assert client.get("/accounts/send-again/")["Location"] == HOME


def test_kept_form_can_be_discarded(person: User, client: Client) -> None:
    interrupted = client.post("/accounts/profile/", {"name": "Lhamo"})
    sign_in(client, kept=hidden(interrupted.content, "kept"))
    assert client.post("/accounts/send-again/", {"discard": "1"})["Location"] == HOME
    assert client.get("/accounts/send-again/").status_code == 302


def test_kept_form_that_was_changed_is_ignored(person: User, client: Client) -> None:
    assert sign_in(client, kept="x:y:z")["Location"] == HOME


def test_form_of_nobody_that_is_too_long_says_so(client: Client, db: None) -> None:
    answer = client.post("/accounts/profile/", {"name": "x" * 300_000})
    assert answer.status_code == 401
    assert b'name="kept"' not in answer.content
    assert b"too long to keep" in answer.content


@pytest.fixture
def strict(person: User) -> Client:
    """A signed-in client that checks CSRF as a browser's requests are checked."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(person, backend="accounts.backends.AccountBackend")
    client.get("/accounts/profile/")
    return client


OWN = {"Origin": "http://testserver"}


def test_stale_form_of_ours_is_shown_to_be_sent_again(strict: Client) -> None:
    answer = strict.post("/accounts/profile/", {"name": "Lhamo"}, headers=OWN)
    assert answer.status_code == 403
    token = hidden(answer.content, "csrfmiddlewaretoken")
    fields = {"name": "Lhamo", "csrfmiddlewaretoken": token}
    sent = strict.post("/accounts/send-again/", fields, headers=OWN)
    assert sent.status_code == 307
    assert strict.post(sent["Location"], fields, headers=OWN).status_code == 302


def test_stale_script_of_ours_gets_the_token_that_fits(strict: Client) -> None:
    headers = OWN | {"Accept": "application/json"}
    answer = strict.post("/accounts/profile/", {"name": "Lhamo"}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "stale_form")
    fields = {"name": "Lhamo", "csrfmiddlewaretoken": answer.json()["csrf_token"]}
    assert strict.post("/accounts/profile/", fields, headers=OWN).status_code == 302


def test_script_of_ours_whose_cookie_is_gone_gets_another(strict: Client) -> None:
    del strict.cookies["csrftoken"]
    headers = OWN | {"Accept": "application/json"}
    answer = strict.post("/accounts/profile/", {"name": "Lhamo"}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "stale_form")
    fields = {"name": "Lhamo", "csrfmiddlewaretoken": answer.json()["csrf_token"]}
    assert strict.post("/accounts/profile/", fields, headers=OWN).status_code == 302


def test_page_whose_cookie_is_gone_says_what_to_do(strict: Client) -> None:
    del strict.cookies["csrftoken"]
    answer = strict.post("/accounts/profile/", {"name": "Lhamo"}, headers=OWN)
    assert answer.status_code == 403
    assert b"allow cookies" in answer.content


@pytest.mark.parametrize("headers", [{}, {"Origin": "https://evil.example"}])
def test_foreign_form_gets_nothing(strict: Client, headers: dict[str, str]) -> None:
    answer = strict.post("/accounts/profile/", {"name": "Lhamo"}, headers=headers)
    assert answer.status_code == 403
    assert b"Lhamo" not in answer.content
    assert strict.get("/accounts/send-again/").status_code == 302


@pytest.fixture
def invitation(person: User) -> IssuedInvitation:
    issued = invite_user(email="lhamo@example.org", name="", actor=person, now=timezone.now())
    assert issued
    return issued


ACCEPTED = {"name": "Lhamo", "password": NEW_PASSWORD, "again": NEW_PASSWORD}


def test_invitation_sets_name_and_password_and_signs_in(
    client: Client, invitation: IssuedInvitation
) -> None:
    url = reverse("accounts:invitation", args=[invitation.secret])
    assert b"lhamo@example.org" in client.get(url).content
    assert client.post(url, ACCEPTED)["Location"] == HOME
    user = User.objects.get(email="lhamo@example.org")
    assert (user.name, user.check_password(NEW_PASSWORD)) == ("Lhamo", True)
    assert client.get(HOME).status_code == 200
    assert client.get(url).status_code == 410


def test_invitation_of_another_person_says_who_is_signed_in(
    client: Client, person: User, invitation: IssuedInvitation
) -> None:
    url = reverse("accounts:invitation", args=[invitation.secret])
    words = f"You are signed in as {person}."
    assert words not in client.get(url).content.decode()
    client.force_login(person)
    assert words in client.get(url).content.decode()


@pytest.mark.parametrize(
    "changes",
    [
        {"again": "another long one"},
        {"password": "short", "again": "short"},
        {"password": "1234567890123", "again": "1234567890123"},
        {"name": ""},
        {"name": "x" * 151},
        {"name": "a\0b"},
    ],
)
def test_invitation_with_bad_fields_is_refused_in_words(
    client: Client, invitation: IssuedInvitation, changes: dict[str, str]
) -> None:
    url = reverse("accounts:invitation", args=[invitation.secret])
    page = client.post(url, ACCEPTED | changes)
    assert b"field-error" in page.content
    assert not User.objects.get(email="lhamo@example.org").has_usable_password()


def test_invitation_after_its_time_says_what_to_do(
    client: Client, invitation: IssuedInvitation
) -> None:
    url = reverse("accounts:invitation", args=[invitation.secret])
    with time_machine.travel(timezone.now() + timedelta(days=15)):
        answer = client.get(url)
    assert answer.status_code == 410
    assert b"invite you again" in answer.content


def test_invitation_once_accepted_ends_the_person_s_other_links(
    client: Client, person: User, invitation: IssuedInvitation
) -> None:
    second = invite_user(email="lhamo@example.org", name="", actor=person, now=timezone.now())
    assert second
    client.post(reverse("accounts:invitation", args=[second.secret]), ACCEPTED)
    url = reverse("accounts:invitation", args=[invitation.secret])
    assert Client().get(url).status_code == 410


def test_profile_changes_the_name(browser: Client, person: User) -> None:
    assert browser.post("/accounts/profile/", {"name": " Dolma T. "}).status_code == 302
    person.refresh_from_db()
    assert person.name == "Dolma T."


def test_password_change_keeps_this_session_and_ends_others(
    browser: Client, person: User, browser_of: Callable[[User], Client]
) -> None:
    other = browser_of(person)
    fields = {
        "old_password": PASSWORD,
        "new_password1": NEW_PASSWORD,
        "new_password2": NEW_PASSWORD,
    }
    assert browser.post("/accounts/password/", fields)["Location"] == "/accounts/profile/"
    assert browser.get(HOME).status_code == 200
    assert other.get(HOME).status_code == 302
    assert AuditEvent.objects.filter(verb="user.password_set", actor=person).count() == 1


def test_forgotten_password_is_set_by_the_link_in_the_mail(
    person: User, client: Client, deliver: Callable[[], list[EmailMessage]]
) -> None:
    client.post("/accounts/password-reset/", {"email": "DOLMA@example.org"})
    (message,) = deliver()
    assert message.to == ["dolma@example.org"]
    link = re.search(r"http://127\.0\.0\.1:8000(/accounts/password-reset/\S+)", message.body)
    assert link
    form = client.get(link[1], follow=True)
    fields = {"new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
    assert client.post(form.redirect_chain[-1][0], fields)["Location"] == SIGN_IN
    assert sign_in(client, password=NEW_PASSWORD).status_code == 302
    assert b"can no longer be used" in client.get(link[1], follow=True).content


def test_token_is_shown_once_and_works_until_revoked(browser: Client, person: User) -> None:
    page = browser.post("/accounts/tokens/", {"name": "notebook"}).content.decode()
    found = re.search(r'id="token-secret">([0-9a-f]{40})<', page)
    assert found
    assert found[1] not in browser.get("/accounts/tokens/").content.decode()
    headers = {"Authorization": f"Token {found[1]}"}
    assert Client().get("/api/v1/me/", headers=headers).json()["email"] == person.email
    token = ApiToken.objects.get()
    assert browser.post(f"/accounts/tokens/{token.pk}/revoke/").status_code == 302
    assert Client().get("/api/v1/me/", headers=headers).status_code == 401


def test_token_of_another_cannot_be_revoked(browser: Client) -> None:
    token = ApiTokenFactory()
    assert browser.post(f"/accounts/tokens/{token.pk}/revoke/").status_code == 404
    token.refresh_from_db()
    assert token.revoked_at is None


def test_pages_of_the_account_cost_a_fixed_number_of_queries(
    browser: Client, person: User, django_assert_num_queries
) -> None:
    for count in (1, 3):
        ApiTokenFactory.create_batch(count, user=person)
        with django_assert_num_queries(3):  # session, person, tokens
            browser.get("/accounts/tokens/")
