"""What a release tells of the people who judged."""

import pytest
from django.db import connection

from annotation.models import Item
from projects.models import Project
from releases.building.people import judges_of
from review.models import Judgement
from tests.factories import ProjectFactory, RoundFactory, UserFactory
from tests.releases.builders import fill, judge, make_approved

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def test_judges_are_those_with_a_judgement_in_force_in_the_project(project: Project) -> None:
    fill(project)
    here, both, there, changed_mind, _nobody = (UserFactory() for _ in range(5))
    judge(Item.objects.get(uid="s0/1"), [here, both, changed_mind], outcome="approved")
    judge(make_approved(ProjectFactory()), [both, there], outcome="approved")
    Judgement.objects.filter(reviewer=changed_mind).update(is_withdrawn=True)

    assert set(judges_of(project)) == {here, both}


def test_project_without_rounds_has_no_judges(project: Project) -> None:
    judge(make_approved(ProjectFactory()), [UserFactory()], outcome="approved")

    assert not judges_of(project).exists()


def test_judges_are_found_by_their_seats_in_the_project(project: Project) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL reads a table of few rows whole, whatever its indexes")
    RoundFactory(project=project)

    plan = judges_of(project).explain()

    assert "assignment_latest (round_id=? AND reviewer_id=?)" in plan
