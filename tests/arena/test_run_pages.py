"""A run on open-ended items has no methods: its pages and the API show its answers without figures."""

from collections.abc import Callable

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from projects.enums import Role
from projects.models import Project
from tests.arena.builders import answered_run, make_open_release

PAGES = (
    "runs/", "runs/{pk}/", "runs/{pk}/responses/", "runs/{pk}/responses/?kind=no_answer", "runs/costs/", "comparisons/?runs={pk}",
    "item-analysis/",
)  # fmt: skip


@pytest.mark.django_db
def test_every_page_of_a_run_without_methods_is_shown(
    project: Project,
    member: Callable[[Role], User],
    browser_of: Callable[[User], Client],
    api_of: Callable[[User], APIClient],
) -> None:
    run = answered_run(make_open_release(project), "m")
    manager = member(Role.MANAGER)
    browser, api = browser_of(manager), api_of(manager)

    shown = {
        page: browser.get(f"/projects/ti/{page.format(pk=run.pk)}").status_code for page in PAGES
    }

    assert {page: status for page, status in shown.items() if status >= 500} == {}
    assert shown["runs/{pk}/"] == shown["runs/{pk}/responses/"] == 200
    for path in ("", "responses/", "files/"):
        assert api.get(f"/api/v1/runs/{run.pk}/{path}").status_code == 200, path
    assert api.post(f"/api/v1/runs/{run.pk}/score/").status_code in {400, 409}
