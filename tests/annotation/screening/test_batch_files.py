"""A held screening job asks by batch file, at the price of files."""

from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command

from annotation.models import ScreeningCall, ScreeningJob
from annotation.screening.actions import ScreeningSettings, estimate_of, start_screening
from annotation.screening.queries import totals_of
from jobs.enums import JobState
from projects.models import Project
from tests.annotation.screening.test_execution import FINE, opinions
from tests.annotation.translating.builders import NOW, make_items
from tests.endpoints.batch_answers import answer_next_file, requests_of
from tests.factories import ModelSpecFactory

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def held(project: Project) -> ScreeningJob:
    model = ModelSpecFactory(
        project=project, prompt_price=Decimal(1000), completion_price=Decimal(4000)
    )
    settings = ScreeningSettings(model=model, screens=("context",), is_held=True)
    return start_screening(project=project, settings=settings, actor=None, now=NOW)


def test_answers_of_a_file_become_opinions_at_half_the_price(project: Project) -> None:
    make_items(project)
    started = held(project)

    result = answer_next_file(started.job, lambda asked: FINE)

    assert (result["stored"], result["state"]) == (3, "done")
    assert [state for _screen, state, _sure, _words in opinions(started)] == ["fine"] * 3
    assert totals_of(started).price == Decimal("0.045")  # 3 · (10 · 1,000 + 5 · 4,000) / 10⁶ / 2
    settings = ScreeningSettings(model=started.model_spec, screens=("context",))
    by_file = ScreeningSettings(model=started.model_spec, screens=("context",), is_held=True)
    direct, filed = (estimate_of(project=project, settings=each) for each in (settings, by_file))
    assert (direct.price, filed.price) == (Decimal("0.09"), Decimal("0.045"))


def test_an_answer_that_cannot_be_read_is_in_the_next_file_with_the_reason(
    project: Project,
) -> None:
    make_items(project, 1)
    started = held(project)
    answer_next_file(started.job, lambda asked: "What?")

    assert started.job.state == JobState.HELD
    asked = requests_of(started.job)
    assert [len(each["body"]["messages"]) for each in asked] == [3]
    assert answer_next_file(started.job, lambda asked: FINE)["state"] == "done"
    assert ScreeningCall.objects.filter(is_from_file=True).count() == 2


def test_command_starts_a_job_that_waits(project: Project) -> None:
    make_items(project)
    spec = ModelSpecFactory(project=project)
    asked = ["screen_items", project.slug, "--model", spec.name, "--screens", "context", "--hold"]
    call_command(*asked)
    assert ScreeningJob.objects.get().job.state == JobState.HELD
    with pytest.raises(CommandError, match="--hold or --wait"):
        call_command(*asked, "--wait")
