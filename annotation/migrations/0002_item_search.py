"""The index of trigrams over the search texts of items; each database has its own kind (ADR 0016)."""

from django.db import DatabaseError, migrations, transaction

TABLE = "annotation_itemsearchtext"
FTS = f"{TABLE}_fts"
# The documented way to keep a full-text index whose texts stand in another table: SQLite wants the
# old text to take an entry out, and only a trigger has it.
SQLITE = [
    f"""CREATE VIRTUAL TABLE {FTS} USING fts5(
        text, content='{TABLE}', content_rowid='item_id',
        tokenize='trigram case_sensitive 1', detail='none', columnsize=0
    )""",
    f"CREATE VIRTUAL TABLE {TABLE}_vocabulary USING fts5vocab({FTS}, 'row')",
    f"""CREATE TRIGGER {TABLE}_inserted AFTER INSERT ON {TABLE} BEGIN
        INSERT INTO {FTS} (rowid, text) VALUES (new.item_id, new.text);
    END""",
    f"""CREATE TRIGGER {TABLE}_deleted AFTER DELETE ON {TABLE} BEGIN
        INSERT INTO {FTS} ({FTS}, rowid, text) VALUES ('delete', old.item_id, old.text);
    END""",
    f"""CREATE TRIGGER {TABLE}_updated AFTER UPDATE ON {TABLE} WHEN old.text <> new.text BEGIN
        INSERT INTO {FTS} ({FTS}, rowid, text) VALUES ('delete', old.item_id, old.text);
        INSERT INTO {FTS} (rowid, text) VALUES (new.item_id, new.text);
    END""",
]
SQLITE_BACK = [
    *(f"DROP TRIGGER {TABLE}_{what}" for what in ("updated", "deleted", "inserted")),
    f"DROP TABLE {TABLE}_vocabulary",
    f"DROP TABLE {FTS}",
]
POSTGRES = [
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    f"CREATE INDEX itemsearchtext_trigrams ON {TABLE} USING gin (text gin_trgm_ops)",
]


def make_index(apps, schema_editor):
    """Make the index where the database allows it; without it, searches read every text."""
    connection = schema_editor.connection
    statements = SQLITE if connection.vendor == "sqlite" else POSTGRES
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
    except DatabaseError as error:
        print(f"\n  Searching items will be slow in large projects, without an index: {error}")


def remove_index(apps, schema_editor):
    connection = schema_editor.connection
    with connection.cursor() as cursor:
        if connection.vendor != "sqlite":
            cursor.execute("DROP INDEX IF EXISTS itemsearchtext_trigrams")
        elif FTS in connection.introspection.table_names(cursor):
            for statement in SQLITE_BACK:
                cursor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]
    operations = [migrations.RunPython(make_index, remove_index)]
