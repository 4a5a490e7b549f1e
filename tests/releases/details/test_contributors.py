"""Releases name who agreed when they were frozen, and never with what they judged."""

import json
from collections.abc import Callable

import pytest
import yaml
from django.conf import settings
from django.test import Client
from rest_framework.test import APIClient

from accounts.actions import deactivate_account
from accounts.models import User
from annotation.models import Item
from projects.actions.contributors import choose_own_name
from projects.enums import Role
from projects.models import Project
from releases.details.actions import DetailsRequest, change_details
from releases.files.exporters.citation import citation_text
from releases.files.exporters.zenodo import zenodo_bytes
from releases.files.storage import release_folder
from releases.public.linked_data import linked_data
from releases.verification.checking import verify
from tests.factories import MembershipFactory, ReleaseFactory, UserFactory
from tests.releases.builders import NOW, build, files_of, fill, judge
from tests.releases.files.test_manifest import FACTS

pytestmark = pytest.mark.django_db
NAMES = ("Tashi Dolma", "བསོད་ནམས།", "pema Lhamo")
SORTED = ["pema Lhamo", "Tashi Dolma", "བསོད་ནམས།"]


def judged(project: Project, names: tuple[str, ...] = NAMES) -> list[User]:
    """Items of a project that as many people judged as there are names; nobody has agreed yet."""
    fill(project, subjects=1, tests=3, devs=1)
    people: list[User] = [UserFactory(name=f"Account {name}") for name in names]
    for person in people:
        MembershipFactory(project=project, user=person, role="reviewer")
    judge(Item.objects.get(uid="s0/0"), people, outcome="approved")
    return people


def choose(project: Project, person: User, name: str | None) -> None:
    choose_own_name(project=project, actor=person, name=name, now=NOW)


def agreed(project: Project, names: tuple[str, ...] = NAMES) -> list[User]:
    people = judged(project, names)
    for person, name in zip(people, names, strict=True):
        choose(project, person, name)
    return people


def manifest_of(files: dict[str, bytes]) -> dict[str, object]:
    found: dict[str, object] = json.loads(files["manifest.json"])
    return found


def test_card_citation_and_manifest_name_those_who_agreed_in_order_of_names(
    project: Project,
) -> None:
    agreed(project)
    files = files_of(build(project))
    card = files["README.md"].decode()
    section = card.partition("## Contributors\n\n")[2].partition("\n## ")[0]
    assert [line[2:] for line in section.splitlines() if line.startswith("- ")] == SORTED
    assert manifest_of(files)["contributors"] == SORTED
    citation = yaml.safe_load(files["CITATION.cff"])
    assert citation["authors"] == [{"given-names": name} for name in SORTED]
    assert "author = {{pema Lhamo} and {Tashi Dolma} and {བསོད་ནམས།}}" in card
    found = verify(release_folder(project.slug, "0.1.0"), version=settings.VERSION)
    assert found.problems == ()


def test_verification_notices_another_name_in_the_card(project: Project) -> None:
    agreed(project)
    build(project)
    path = release_folder(project.slug, "0.1.0") / "README.md"
    path.write_text(path.read_text().replace("- pema Lhamo", "- Nobody"))
    codes = {each.code for each in verify(path.parent, version=settings.VERSION).problems}
    assert "card" in codes


def test_authors_that_managers_state_come_before_contributors(project: Project) -> None:
    agreed(project)
    request = DetailsRequest(authors="Sakya, Pandita", prose={"contributors": "And **many** more."})
    change_details(project=project, request=request, actor=None, now=NOW)
    files = files_of(build(project))
    citation = yaml.safe_load(files["CITATION.cff"])
    assert citation["authors"] == [{"family-names": "Sakya", "given-names": "Pandita"}]
    card = files["README.md"].decode()
    assert card.count("## Contributors\n") == 1
    assert card.index("- Tashi Dolma") < card.index("And **many** more.")


def test_release_to_which_nobody_agreed_says_nothing_of_contributors(project: Project) -> None:
    judged(project)
    files = files_of(build(project))
    assert "contributors" not in manifest_of(files)
    assert b"## Contributors" not in files["README.md"]
    citation = yaml.safe_load(files["CITATION.cff"])
    assert citation["authors"] == [{"name": f"Contributors to {project.name}"}]


def test_withdrawing_and_leaving_the_server_count_for_later_releases(project: Project) -> None:
    first, second, _third = agreed(project)
    before = files_of(build(project, "0.1.0"))
    choose(project, first, None)
    deactivate_account(user=second, actor=None, now=NOW)
    later = files_of(build(project, "0.2.0"))
    assert manifest_of(later)["contributors"] == ["pema Lhamo"]
    for data in later.values():
        for name in (NAMES[0], NAMES[1]):
            assert name.encode() not in data
    folder = release_folder(project.slug, "0.1.0")
    assert (folder / "README.md").read_bytes() == before["README.md"]


@pytest.mark.parametrize(("reviewers", "named"), [(0, 2), (1, 0), (2, 0), (3, 2)])
def test_nobody_is_named_where_readers_could_tell_who_is_who_in_the_ledger(
    project: Project, reviewers: int, named: int
) -> None:
    fill(project, subjects=1, tests=3, devs=1)
    people = [UserFactory() for _ in range(4)]
    if reviewers:
        judge(Item.objects.get(uid="s0/0"), people[:reviewers], outcome="approved")
    Item.objects.filter(uid="s0/1").update(state="excluded")  # judged by all, in no release
    judge(Item.objects.get(uid="s0/1"), people, outcome="approved", number=2)
    choose(project, people[0], "Tashi")
    choose(project, people[3], "Pema")
    files = files_of(build(project))
    assert len(manifest_of(files).get("contributors", [])) == named  # type: ignore[arg-type]
    assert (b"Tashi" in b"".join(files.values())) == bool(named)


def test_names_stand_in_no_file_but_those_that_tell_of_the_whole_release(project: Project) -> None:
    """Ledger, figures and rows have pseudonyms and counts that are the same with names or without."""
    people = judged(project)
    without = files_of(build(project, "0.1.0"))
    for person, name in zip(people, NAMES, strict=True):
        choose(project, person, name)
    named = files_of(build(project, "0.2.0"))
    holding = {
        file
        for file, data in named.items()
        if not file.endswith(".zip") and any(name.encode() in data for name in NAMES)
    }
    assert holding == {"README.md", "CITATION.cff", "croissant.json", "manifest.json"}
    quality = [json.loads(files["quality.json"]) for files in (without, named)]
    assert quality[0] == quality[1]


def test_contributors_are_people_to_zenodo_and_search_engines() -> None:
    facts = type(FACTS)(
        **{name: getattr(FACTS, name) for name in FACTS.__slots__} | {"contributors": ("Pema",)}
    )
    assert json.loads(zenodo_bytes(facts))["creators"] == [{"name": "Pema"}]
    assert yaml.safe_load(citation_text(facts))["authors"] == [{"given-names": "Pema"}]
    page = linked_data(ReleaseFactory(), facts, [], url="", files_url="")
    assert json.loads(page)["creator"] == [{"@type": "Person", "name": "Pema"}]


def test_managers_are_told_how_many_agreed(
    project: Project,
    member: Callable[..., User],
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    manager = member(Role.MANAGER)
    for name in ("Dolma", "Tashi"):
        choose(project, member(), name)
    page = browser_of(manager).get("/projects/ti/releases/details/").content.decode()
    assert "2 people have agreed to be named" in page
    told = api_of(manager).get("/api/v1/projects/ti/release-details/").json()
    assert told["contributor_count"] == 2
    again = api_of(manager).post("/api/v1/projects/ti/release-details/", told, format="json")
    assert (again.status_code, again.json()) == (200, told)
