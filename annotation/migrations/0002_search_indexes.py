"""The indexes of trigrams over the search texts; each database has its own kind (ADR 0016)."""

from django.db import DatabaseError, migrations, transaction

KEYS = {"annotation_itemsearchtext": "item_id", "annotation_translationsearchtext": "translation_id"}
# The documented way to keep a full-text index whose texts stand in another table: SQLite wants the
# old text to take an entry out, and only a trigger has it.
SQLITE = (
    """CREATE VIRTUAL TABLE {table}_fts USING fts5(
        text, content='{table}', content_rowid='{key}',
        tokenize='trigram case_sensitive 1', detail='none', columnsize=0
    )""",
    "CREATE VIRTUAL TABLE {table}_vocabulary USING fts5vocab({table}_fts, 'row')",
    """CREATE TRIGGER {table}_inserted AFTER INSERT ON {table} BEGIN
        INSERT INTO {table}_fts (rowid, text) VALUES (new.{key}, new.text);
    END""",
    """CREATE TRIGGER {table}_deleted AFTER DELETE ON {table} BEGIN
        INSERT INTO {table}_fts ({table}_fts, rowid, text) VALUES ('delete', old.{key}, old.text);
    END""",
    """CREATE TRIGGER {table}_updated AFTER UPDATE ON {table} WHEN old.text <> new.text BEGIN
        INSERT INTO {table}_fts ({table}_fts, rowid, text) VALUES ('delete', old.{key}, old.text);
        INSERT INTO {table}_fts (rowid, text) VALUES (new.{key}, new.text);
    END""",
)
POSTGRES = (
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    "CREATE INDEX {name}_trigrams ON {table} USING gin (text gin_trgm_ops)",
)
SQLITE_BACK = (
    "DROP TRIGGER {table}_updated",
    "DROP TRIGGER {table}_deleted",
    "DROP TRIGGER {table}_inserted",
    "DROP TABLE {table}_vocabulary",
    "DROP TABLE {table}_fts",
)


def make_indexes(apps, schema_editor):
    """Make the indexes where the database allows it; without them, searches read every text."""
    connection = schema_editor.connection
    statements = SQLITE if connection.vendor == "sqlite" else POSTGRES
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            for table in KEYS:
                _execute(cursor, statements, table)
    except DatabaseError as error:
        print(f"\n  Searching items will be slow in large projects, without an index: {error}")


def remove_indexes(apps, schema_editor):
    connection = schema_editor.connection
    with connection.cursor() as cursor:
        made = connection.introspection.table_names(cursor)
        for table in KEYS:
            if connection.vendor != "sqlite":
                _execute(cursor, ["DROP INDEX IF EXISTS {name}_trigrams"], table)
            elif f"{table}_fts" in made:
                _execute(cursor, SQLITE_BACK, table)


def _execute(cursor, statements, table):
    name = table.removeprefix("annotation_")
    for statement in statements:
        cursor.execute(statement.format(table=table, key=KEYS[table], name=name))


class Migration(migrations.Migration):
    replaces = [("annotation", "0002_item_search"), ("annotation", "0005_translation_search_index")]
    dependencies = [("annotation", "0001_squashed_0_4_0")]
    operations = [migrations.RunPython(make_indexes, remove_indexes)]
