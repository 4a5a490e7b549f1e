"""Tables and models agree, and the migrations of an empty database end in them."""

import pytest
from django.apps import apps
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

pytestmark = pytest.mark.both_databases

OURS = [
    "common",
    "accounts",
    "endpoints",
    "prompts",
    "annotation",
    "review",
    "releases",
    "evaluation",
    "notifications",
    "webhooks",
]


def test_each_app_has_one_line_of_migrations() -> None:
    loader = MigrationLoader(connection=None)
    assert loader.detect_conflicts() == {}


@pytest.mark.django_db
def test_every_model_has_its_table() -> None:
    tables = set(connection.introspection.table_names())
    wanted = {
        model._meta.db_table for app in OURS for model in apps.get_app_config(app).get_models()
    }
    assert wanted - tables == set()


def test_every_constraint_and_index_of_ours_is_named_after_its_rule() -> None:
    names = [
        constraint.name
        for app in OURS
        for model in apps.get_app_config(app).get_models()
        for constraint in model._meta.constraints
    ]
    assert [
        name for name in names if not name or name.startswith(tuple(f"{app}_" for app in OURS))
    ] == []
    assert len(names) == len(set(names))


@pytest.mark.django_db
def test_database_from_before_the_oldest_version_is_refused_with_a_way_out() -> None:
    MigrationRecorder(connection).record_unapplied("review", "0034_explanation_jobs")
    with pytest.raises(SystemCheckError, match=r"before 0\.4\.0"):
        call_command("migrate", verbosity=0, skip_checks=False)
