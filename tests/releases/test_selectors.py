"""Finding a release by its version, and what is said of one that is not there."""

import pytest

from projects.enums import Role
from projects.models import Project
from releases.enums import ReleaseState
from releases.selectors import MOST_NAMED, ReleaseUnknown, get_release
from tests.factories import MembershipFactory, ReleaseFactory

pytestmark = pytest.mark.django_db


def told(project: Project, **asked: object) -> str:
    with pytest.raises(ReleaseUnknown) as refused:
        get_release(project, "9.9.9", **asked)  # type: ignore[arg-type]
    return str(refused.value)


@pytest.fixture
def releases(project: Project) -> None:
    ReleaseFactory(project=project, version="0.1.0", state=ReleaseState.PUBLISHED)
    ReleaseFactory(project=project, version="0.2.0", state=ReleaseState.FAILED)
    ReleaseFactory(project=project, version="0.3.0", state=ReleaseState.BUILT)
    ReleaseFactory(version="7.0.0", state=ReleaseState.PUBLISHED)


def test_unknown_release_is_told_the_versions_that_there_are(
    project: Project, releases: None
) -> None:
    assert told(project) == ("This project has no release 9.9.9. It has: 0.3.0, 0.2.0, 0.1.0.")
    assert told(project, must_stand=True).endswith("It has: 0.3.0, 0.1.0.")


@pytest.mark.parametrize(
    ("role", "known"), [(Role.MANAGER, "0.3.0, 0.2.0, 0.1.0"), (Role.VIEWER, "0.1.0")]
)
def test_person_is_told_only_of_releases_that_they_may_see(
    project: Project, releases: None, role: Role, known: str
) -> None:
    user = MembershipFactory(project=project, role=role).user
    assert told(project, user=user).endswith(f"It has: {known}.")


def test_project_without_releases_says_so_and_one_with_many_names_the_newest(
    project: Project,
) -> None:
    assert told(project).endswith("It has: none yet.")
    for number in range(MOST_NAMED + 1):
        ReleaseFactory(project=project, version=f"1.{number}.0")
    newest = [f"1.{number}.0" for number in range(MOST_NAMED, 0, -1)]
    assert told(project).endswith(f"It has: {', '.join(newest)}, ….")
