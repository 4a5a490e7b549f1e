"""The commands of runs, end to end against the stand-in endpoint on loopback."""

import pytest
from django.core.management import CommandError

from endpoints.providers.base import EndpointRefused
from evaluation.models import ModelResponse, Run, Score
from projects.models import Project
from releases.models import Release
from tests.arena.builders import make_open_release
from tests.commands import printed
from tests.evaluation.builders import make_release, make_run, serving, work_off
from tests.evaluation.runs.test_actions import Counting
from tests.factories import ModelSpecFactory, make_keyed_spec

pytestmark = pytest.mark.django_db


def test_run_from_commands_with_known_answers_scores_them(project: Project) -> None:
    release = make_release(project, tests=4, devs=2, hidden=1, version="1.0.0")
    known = {
        placed.revision.question: [placed.revision.options["ABCD".index(placed.key)]]
        for placed in release.items.select_related("item", "revision")
    }
    with serving(known=known, faults={"busy": 0.3, "broken": 0.2}) as server:
        printed(
            "create_model", "ti", "m", "--base-url", server.base_url, "--model", "stand-in-strong"
        )
        result = printed(
            "start_run", "ti", "1.0.0", "m", "--shots", "2", "--epochs", "2",
            "--method", "direct,concern_all", "--method", "anchored", "--wait",
        )  # fmt: skip

        assert (result["state"], result["answered"], result["failed"]) == ("done", 16, 0)
        assert set(server.answered.values()) == {2}
        assert len(server.answered) == 8
    assert (result["items"], result["questions"], result["shots"]) == (8, 16, 2)
    assert list(result["methods"]) == ["anchored", "direct", "concern_all"]
    assert result["methods"]["direct"]["overall"]["n"] == 16
    assert result["random_baseline"] == 0.25
    assert ModelResponse.objects.count() == 16
    assert Score.objects.count() == 48


def test_start_run_without_wait_leaves_it_to_a_worker(project: Project) -> None:
    make_release(project, version="1.0.0")
    ModelSpecFactory(project=project, name="m")

    result = printed("start_run", "ti", "1.0.0", "m")

    assert (result["state"], result["answered"], result["methods"]) == ("queued", 0, {})
    assert Run.objects.get().methods == ["anchored", "direct", "concern_all"]


def test_start_run_open_asks_without_a_method(project: Project) -> None:
    make_open_release(project)
    ModelSpecFactory(project=project, name="m")
    version = Release.objects.get().version

    printed("start_run", "ti", version, "m", "--open")
    with pytest.raises(CommandError, match="not allowed with"):
        printed("start_run", "ti", version, "m", "--open", "--method", "direct")

    assert Run.objects.get().methods == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nobody", "1.0.0", "m"), "no project"),
        (("ti", "2.0.0", "m"), "no release 2.0.0"),
        (("ti", "1.0.0", "x"), "no model"),
        (("ti", "1.0.0", "m", "--prompt", "x"), "Available prompts: chain-of-thought, direct"),
        (("ti", "1.0.0", "m", "--methods", "magic"), "no method “magic”"),
        (("ti", "1.0.0", "m", "--epochs", "0"), "from 1 to 50"),
        (("ti", "1.0.0", "m", "--shots", "1"), "no dev item"),
    ],
)
def test_start_run_refuses_in_words(
    project: Project, arguments: tuple[str, ...], message: str
) -> None:
    make_release(project, version="1.0.0")
    ModelSpecFactory(project=project, name="m")
    with pytest.raises(CommandError, match=message) as refusal:
        printed("start_run", *arguments)
    assert refusal.value.returncode == 1
    assert not Run.objects.exists()


def test_resume_run_asks_only_what_failed_and_then_nothing(project: Project) -> None:
    with serving() as server:
        spec = ModelSpecFactory(project=project, endpoint__base_url=server.base_url)
        run = make_run(project, spec=spec)
        work_off(run, Counting({"history/test-1": EndpointRefused("400")}))

        result = printed("resume_run", str(run.pk))
        assert (result["state"], result["answered"], result["failed"]) == ("done", 6, 0)
        assert sum(server.asked.values()) == 1

        again = printed("resume_run", str(run.pk))
        assert again["answered"] == 6
        assert sum(server.asked.values()) == 1


def test_run_that_stops_says_why_and_how_to_go_on(project: Project) -> None:
    spec = make_keyed_spec(project, "NOT_THERE_API_KEY")
    run = make_run(project, spec=spec)
    with pytest.raises(CommandError, match=f"NOT_THERE_API_KEY.*resume_run {run.pk}"):
        printed("resume_run", str(run.pk))


@pytest.mark.parametrize("pk", ["0", "999999", "99999999999999999999999"])
def test_resume_run_of_no_run_is_refused(db: None, pk: str) -> None:
    with pytest.raises(CommandError, match="There is no run"):
        printed("resume_run", pk)
