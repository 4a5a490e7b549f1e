"""Tables and models agree, and the migrations of an empty database end in them."""

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader

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
