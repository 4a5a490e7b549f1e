"""Model specs and prompts moved to apps of their own: rows, references and content types stay."""

from collections.abc import Iterator

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import IntegrityError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from endpoints.models import ModelSpec
from evaluation.models import Run
from prompts.models import PromptTemplate
from tests.factories import EndpointFactory, JobFactory, ReleaseFactory

# Every migration of the project runs backwards and forwards again: two minutes, more beside others.
pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    pytest.mark.timeout(1200),
]
BEFORE = [("prompts", None), ("endpoints", "0001_initial"), ("evaluation", "0001_initial")]
NOW = timezone.now()


def migrate(targets: list[tuple[str, str | None]]) -> MigrationExecutor:
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return MigrationExecutor(connection)


@pytest.fixture
def latest() -> Iterator[list[tuple[str, str | None]]]:
    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()
    yield leaves
    migrate(leaves)


def test_rows_survive_the_move_and_the_way_back(latest: list[tuple[str, str | None]]) -> None:
    release = ReleaseFactory()
    endpoint = EndpointFactory(project=release.project)
    job = JobFactory(scope=release.project.slug, kind="run")
    executor = migrate(BEFORE)
    old = executor.loader.project_state(("evaluation", "0001_initial")).apps
    spec = old.get_model("evaluation", "ModelSpec").objects.create(
        project_id=release.project.pk, endpoint_id=endpoint.pk, name="gpt-x", model="x",
        parameters={"temperature": 0}, created_at=NOW,
    )  # fmt: skip
    prompt = old.get_model("evaluation", "PromptTemplate").objects.create(
        project_id=release.project.pk, name="direct", language="bo", frame="{question} {options}",
        created_at=NOW,
    )  # fmt: skip
    run = old.get_model("evaluation", "Run").objects.create(
        release_id=release.pk, model_spec=spec, prompt_template=prompt, job_id=job.pk,
        started_at=NOW,
    )  # fmt: skip

    content_type = ContentType.objects.get(app_label="evaluation", model="modelspec")

    migrate(latest)

    content_type.refresh_from_db()
    assert content_type.app_label == "endpoints"
    found = Run.objects.select_related("model_spec__endpoint", "prompt_template").get(pk=run.pk)
    assert found.model_spec == ModelSpec.objects.get(pk=spec.pk)
    assert (found.model_spec.endpoint, found.model_spec.parameters) == (
        endpoint,
        {"temperature": 0},
    )
    assert found.prompt_template == PromptTemplate.objects.get(name="direct")
    with pytest.raises(IntegrityError):
        PromptTemplate.objects.create(
            project=release.project, name="direct", language="bo", frame="", created_at=NOW
        )
    with pytest.raises(IntegrityError), connection.cursor() as cursor:
        cursor.execute("DELETE FROM endpoints_modelspec WHERE id = %s", [spec.pk])

    executor = migrate(BEFORE)

    old = executor.loader.project_state(("evaluation", "0001_initial")).apps
    assert old.get_model("evaluation", "Run").objects.get().model_spec.name == "gpt-x"
