"""The pages and the API do what the tables of `tests.permissions` say, for every role."""

from copy import deepcopy
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from rules.permissions import permissions

from tests.permissions import (
    ADDRESSES,
    JUDGING,
    NOT_A_MEMBER,
    OPEN,
    PERMISSIONS,
    SIGNED_IN,
    Needs,
    url_of,
)
from tests.world import ADMINISTRATOR, ANONYMOUS, ROLES, STRANGER, World, addresses

# What somebody with the right may be answered: done, or refused for what was sent or the state.
LET_IN = {
    "get": frozenset({200, 204, 302, 303}),
    "post": frozenset({200, 201, 202, 204, 302, 303, 307, 400, 409}),
}


def test_every_permission_has_a_row() -> None:
    assert set(PERMISSIONS) == set(permissions)


def granted(world: World) -> dict[tuple[str, str], frozenset[str]]:
    """(permission, situation) → the roles that have it."""
    return {
        (permission, situation.name): frozenset(
            role
            for role in ROLES
            if world.person(role).has_perm(permission, situation.thing(world))
        )
        for permission, situations in PERMISSIONS.items()
        for situation in situations
    }


def test_permissions_are_for_the_roles_of_their_rows(world: World) -> None:
    assert granted(world) == {
        (permission, situation.name): situation.allowed | {ADMINISTRATOR}
        for permission, situations in PERMISSIONS.items()
        for situation in situations
    }


def test_create_project_is_for_staff(world: World) -> None:
    person = world.people[STRANGER]
    person.is_staff = True
    assert person.has_perm("projects.create_project")


def test_closed_account_has_no_permission(world: World) -> None:
    for person in world.people.values():
        person.is_active = False
    assert {place: roles for place, roles in granted(world).items() if roles} == {}


def test_every_address_has_a_row() -> None:
    assert {name for name, _pattern, _route in addresses()} == set(ADDRESSES)


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
@pytest.mark.parametrize("role", ROLES)
def test_address_lets_in_the_roles_of_its_row(
    world: World, role: str, method: str, settings: Any, empty_pages: None
) -> None:
    settings.METRICS = True  # where it is off, the address is not there for anybody
    faults, client = [], world.browser(role)
    for name, pattern, _route in addresses():
        if name in ADDRESSES and knows(pattern, method):
            status = visit(world, client, method, name, pattern)
            wanted = expected(ADDRESSES[name], role, method, is_api=name.startswith("api:"))
            if status not in wanted:
                faults.append(f"{method} {name} as {role}: {status}, not {sorted(wanted)}")
    assert not faults, "\n".join(faults)


def knows(pattern: Any, method: str) -> bool:
    """Whether to try `method`: reading and posting everywhere, the rest where it is written."""
    return method in ("get", "post") or hasattr(getattr(pattern.callback, "cls", None), method)


def visit(world: World, client: Client, method: str, name: str, pattern: Any) -> int:
    """The status that the client gets; what the visit changed is taken back."""
    url = url_of(world, name, pattern)
    cookies = deepcopy(client.cookies)
    with transaction.atomic():
        status: int = getattr(client, method)(url, **content(method, name)).status_code
        transaction.set_rollback(True)
    client.cookies = cookies
    return status


def content(method: str, name: str) -> dict[str, str]:
    """What to send: JSON to the API, but for the upload of a file."""
    takes_json = method != "get" and name.startswith("api:") and name != "api:imports"
    return {"content_type": "application/json"} if takes_json else {}


def expected(row: Needs, role: str, method: str, *, is_api: bool) -> frozenset[int]:
    right = row.of(method)
    let_in = LET_IN.get(method, LET_IN["post"]) | ({404} if row.is_missing else set())
    let_in |= {400} if row.asks_more else set()
    let_in |= {409} if row.is_unfit else set()
    if right == OPEN:
        return let_in
    if role == ANONYMOUS and row.right != OPEN:
        return frozenset({302 if method == "get" and not is_api else 401})
    if right is None:
        # Some views look for the method first, some for the person.
        return frozenset({405} if row.right == OPEN else {405, 403, 404})
    if role == ADMINISTRATOR and right in JUDGING:
        return let_in | NOT_A_MEMBER
    if right == SIGNED_IN or role in PERMISSIONS[right][0].allowed | {ADMINISTRATOR}:
        return let_in
    return frozenset({row.stranger}) if role == STRANGER else frozenset(row.foreign)
