"""The index of trigrams over the search texts of translations, as 0002 made one for items (ADR 0016)."""

from django.db import DatabaseError, migrations, transaction

TABLE = "annotation_translationsearchtext"
FTS = f"{TABLE}_fts"
SQLITE = [
    f"""CREATE VIRTUAL TABLE {FTS} USING fts5(
        text, content='{TABLE}', content_rowid='translation_id',
        tokenize='trigram case_sensitive 1', detail='none', columnsize=0
    )""",
    f"CREATE VIRTUAL TABLE {TABLE}_vocabulary USING fts5vocab({FTS}, 'row')",
    f"""CREATE TRIGGER {TABLE}_inserted AFTER INSERT ON {TABLE} BEGIN
        INSERT INTO {FTS} (rowid, text) VALUES (new.translation_id, new.text);
    END""",
    f"""CREATE TRIGGER {TABLE}_deleted AFTER DELETE ON {TABLE} BEGIN
        INSERT INTO {FTS} ({FTS}, rowid, text) VALUES ('delete', old.translation_id, old.text);
    END""",
    f"""CREATE TRIGGER {TABLE}_updated AFTER UPDATE ON {TABLE} WHEN old.text <> new.text BEGIN
        INSERT INTO {FTS} ({FTS}, rowid, text) VALUES ('delete', old.translation_id, old.text);
        INSERT INTO {FTS} (rowid, text) VALUES (new.translation_id, new.text);
    END""",
]
SQLITE_BACK = [
    *(f"DROP TRIGGER {TABLE}_{what}" for what in ("updated", "deleted", "inserted")),
    f"DROP TABLE {TABLE}_vocabulary",
    f"DROP TABLE {FTS}",
]
POSTGRES = [
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    f"CREATE INDEX translationsearchtext_trigrams ON {TABLE} USING gin (text gin_trgm_ops)",
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
            cursor.execute("DROP INDEX IF EXISTS translationsearchtext_trigrams")
        elif FTS in connection.introspection.table_names(cursor):
            for statement in SQLITE_BACK:
                cursor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0004_translation_search_text")]
    operations = [migrations.RunPython(make_index, remove_index)]
