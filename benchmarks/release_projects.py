"""Projects of judged and approved items, as the benchmark of releases measures them."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

WARM_UP = 200
SUBJECTS, REVIEWERS = 50, 4
SYLLABLES = "བོད་ ཡིག་ སྐད་ དྲི་ བ་ འདི་ ལ་ ལན་ འདེབས་ རོགས། ལས་ གང་ ཞིག་ ཡང་ དག་ མིན་ ནམ། "


class Rows(NamedTuple):
    """The ids of the rows of a subject, by table."""

    items: Sequence[int]
    translations: Sequence[int]
    revisions: Sequence[int]
    panels: Sequence[int]
    assignments: Sequence[int]
    judgements: Sequence[int]


def fill(sizes: Sequence[int]) -> list[str]:
    """Make projects with judged and approved items, a small one first; return the others' slugs."""
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    slugs = [make_project(size) for size in (WARM_UP, *sizes)]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")  # as autovacuum does in time
    return slugs[1:]


def make_project(count: int) -> str:
    """Make a project: the first subject row by row, the others by copies in the database.

    So the items lie subject by subject, as files of subjects are imported.
    """
    from django.db import transaction
    from django.utils import timezone

    from accounts.models import User
    from projects.models import Project, Source, Subject

    now, mark = timezone.now(), uuid.uuid4().hex[:8]
    project = Project.objects.create(
        slug=f"bench-{mark}", name="Bench", source_language="zh", target_language="bo",
        created_at=now,
    )  # fmt: skip
    source = Source.objects.create(
        project=project, name="CMMLU", licence="CC-BY-NC-4.0", checksum="0", created_at=now
    )
    subjects = Subject.objects.bulk_create(
        Subject(project=project, slug=f"subject_{n:02}", name=f"Subject {n}")
        for n in range(SUBJECTS)
    )
    reviewers = User.objects.bulk_create(
        User(email=f"{mark}-{n}@example.org", name=f"Reviewer {n}", date_joined=now)
        for n in range(REVIEWERS)
    )
    constants = {"project": project.pk, "source": source.pk, "created_at": now}
    with transaction.atomic():
        texts = insert_texts(subjects[0].pk, count // SUBJECTS, constants)
        round_ = make_round(project, count, now)
        panels = insert_panels(round_, subjects[0].pk, texts, now)
        people = [user.pk for user in reviewers]
        rows = Rows(*texts, panels, *insert_judgements(round_, people, panels, texts[2], now))
        for number, subject in enumerate(subjects[1:], start=1):
            copy_subject(rows, number, subject.pk)
        set_sequences()
    return project.slug


def make_round(project: Any, count: int, now: Any) -> int:
    from review.models import Guideline, Round

    guideline = Guideline.objects.create(
        project=project, version=1, text="", rubric={}, created_at=now
    )
    round_ = Round.objects.create(
        project=project, number=1, state="closed", selection="all", guideline=guideline,
        opened_at=now, closed_at=now, panel_count=count, judged_count=2 * count,
    )  # fmt: skip
    return int(round_.pk)


def insert_texts(
    subject: int, count: int, constants: dict[str, Any]
) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
    """Insert items with translations and revisions; return the ids of each."""
    from annotation.models import Item, Revision, Translation
    from common.bulk_insert import draw_ids, insert_rows

    items, translations, revisions = (
        draw_ids(model, count) for model in (Item, Translation, Revision)
    )
    made = {"created_at": constants["created_at"]}
    insert_rows(
        Item,
        ("id", "working_translation", "uid", "uid_order", "split", "question", "options", "key"),
        [
            (*ids, *item_texts(n))
            for n, ids in enumerate(zip(items, translations, strict=True))
        ],
        constants | {
            "subject": subject, "explanation": "", "level": "", "year": "", "metadata": {},
            "state": "active", "state_reason": "", "content_hash": "0" * 64,
        },
    )  # fmt: skip
    insert_rows(
        Translation,
        ("id", "item", "current_revision"),
        list(zip(translations, items, revisions, strict=True)),
        made | {"system": "mt", "state": "approved"},
    )
    insert_rows(
        Revision,
        ("id", "translation", "question", "options", "content_hash"),
        [
            (*ids, *revision_texts(n))
            for n, ids in enumerate(zip(revisions, translations, strict=True))
        ],
        made | {"number": 1, "key": "", "raw": "", "origin": "mt"},
    )
    return items, translations, revisions


def item_texts(n: int) -> tuple[Any, ...]:
    from annotation.natural_order import natural_order

    question = f"第 {n} 题：下列关于细胞的说法中，哪一项不正确？"
    options = [f"选项{x} {n}" for x in "甲乙丙丁"]
    uid = f"s00/{n}"
    return (
        uid,
        natural_order(uid),
        "dev" if n % 20 == 0 else "test",
        question,
        options,
        "ABCD"[n % 4],
    )


def revision_texts(n: int) -> tuple[str, list[str], str]:
    from annotation.items.revisions import text_hash

    question, options = f"{SYLLABLES * 3}{n}", [f"{SYLLABLES}{n} {x}" for x in "ཀཁགང"]
    return question, options, text_hash(question, options)


def insert_panels(
    round_: int, subject: int, texts: Sequence[Sequence[int]], now: Any
) -> Sequence[int]:
    """Give every item a settled panel, with 36 different tallies."""
    from common.bulk_insert import insert_new_rows
    from review.models import Panel

    items, _translations, revisions = texts
    return insert_new_rows(
        Panel,
        ("item", "revision", "is_dev", "position", "tally"),
        [
            (item, revision, n % 20 == 0, n, f"A{n % 6}{n // 6 % 6} A55")
            for n, (item, revision) in enumerate(zip(items, revisions, strict=True))
        ],
        {
            "round": round_, "subject": subject, "system": "mt", "state": "settled",
            "outcome": "approved", "reasons": [],
            "severity": 0, "decided_at": now, "settled_at": now,
        },
    )  # fmt: skip


def insert_judgements(
    round_: int, reviewers: list[int], panels: Sequence[int], revisions: Sequence[int], now: Any
) -> tuple[Sequence[int], Sequence[int]]:
    """Fill both seats of each panel; return the ids of assignments and judgements."""
    from common.bulk_insert import insert_new_rows
    from projects.criteria import DEFAULT_NAMES
    from review.models import Assignment, Judgement

    seats = [
        (panel, seat, reviewers[(panel + seat) % REVIEWERS]) for panel in panels for seat in (0, 1)
    ]
    constants = {"round": round_, "position": 0, "state": "judged"}
    assignments = insert_new_rows(Assignment, ("panel", "seat", "reviewer"), seats, constants)
    judgements = insert_new_rows(
        Judgement,
        ("assignment", "panel", "revision", "reviewer", "idempotency_key", "receipt"),
        [
            (assignment, panel, revisions[n // 2], reviewer, str(assignment), uuid.uuid4().hex)
            for n, (assignment, (panel, _seat, reviewer)) in enumerate(
                zip(assignments, seats, strict=True)
            )
        ],
        {
            "verdict": "approve", "ratings": dict.fromkeys(DEFAULT_NAMES, 5), "tags": ["terminology"],
            "comment": SYLLABLES, "active_seconds": 60, "submitted_at": now,
        },
    )  # fmt: skip
    Judgement.objects.filter(pk__in=judgements[::5]).update(
        verdict="revise", correction={"question": SYLLABLES * 3, "options": [SYLLABLES] * 4}
    )
    return assignments, judgements


def copy_subject(rows: Rows, number: int, subject: int) -> None:
    """Copy the rows of the first subject for the one with the id `subject`, `number` after it."""
    from django.db import connection

    from annotation.models import Item, Revision, Translation
    from annotation.natural_order import natural_order
    from review.models import Assignment, Judgement, Panel

    one = number * len(rows.items)
    two = 2 * one
    is_server = connection.vendor == "postgresql"
    receipt = "gen_random_uuid()" if is_server else "lower(hex(randomblob(16)))"
    item_shifts = {"id": one, "working_translation_id": one}
    translation_shifts = {"id": one, "item_id": one, "current_revision_id": one}
    uid = f"replace(uid, 's00/', 's{number:02}/')"
    first, here = natural_order("s00/"), natural_order(f"s{number:02}/")
    order = f"replace(uid_order, '{first}', '{here}')"
    changes = {"uid": uid, "uid_order": order, "subject_id": str(subject)}
    copy(Item, rows.items, item_shifts, changes)
    copy(Translation, rows.translations, translation_shifts, {})
    copy(Revision, rows.revisions, {"id": one, "translation_id": one}, {})
    shifts = {"id": one, "item_id": one, "revision_id": one}
    copy(Panel, rows.panels, shifts, {"subject_id": str(subject)})
    copy(Assignment, rows.assignments, {"id": two, "panel_id": one}, {})
    copy(
        Judgement,
        rows.judgements,
        {"id": two, "assignment_id": two, "panel_id": one, "revision_id": one},
        {"idempotency_key": f"idempotency_key || '-{number}'", "receipt": receipt},
    )


def copy(
    model: Any, ids: Sequence[int], shifts: Mapping[str, int], changes: Mapping[str, str]
) -> None:
    """Insert rows like those with `ids`; `shifts` are added to numbers, `changes` are SQL."""
    from django.db import connection

    quote = connection.ops.quote_name
    columns = [field.column for field in model._meta.concrete_fields]
    shifted = {name: f"{quote(name)} + {shift}" for name, shift in shifts.items()}
    values = [{**shifted, **changes}.get(name, quote(name)) for name in columns]
    table = quote(model._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({', '.join(map(quote, columns))}) "
            f"SELECT {', '.join(values)} FROM {table} WHERE id BETWEEN %s AND %s ORDER BY id",
            [ids[0], ids[-1]],
        )


def set_sequences() -> None:
    """Let PostgreSQL continue after the ids of the copies; SQLite does so by itself."""
    from django.core.management.color import no_style
    from django.db import connection

    from annotation.models import Item, Revision, Translation
    from review.models import Assignment, Judgement, Panel

    models = [Item, Translation, Revision, Panel, Assignment, Judgement]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
