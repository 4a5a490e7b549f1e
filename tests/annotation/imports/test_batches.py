"""Rows of an unfinished import: nobody sees them, and they are removed when it fails."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotation.importers.reading import BATCH_ROWS
from annotation.imports.actions import import_path
from annotation.imports.batches import (
    ABANDONED_AFTER,
    ImportConflict,
    discard_batch,
    open_batch,
    show_batch,
    touch_batch,
)
from annotation.imports.opening import ImportOptions
from annotation.index import FLAGS, refresh_items
from annotation.models import Finding, ImportBatch, Item, Revision, Translation
from jobs.progress import JobCancelled, JobInterrupted
from projects.models import Project, Source, Subject
from tests.annotation.imports.test_actions import item_row, run_import, write_items

pytestmark = pytest.mark.both_databases


class Interrupting:
    """The hand of a job that is stopped after some rows were read."""

    def __init__(self, error: type[BaseException], after: int) -> None:
        self.error, self.after = error, after

    def set_note(self, note: str) -> None: ...

    def start(self, total: int, **_more: Any) -> None: ...

    def check(self) -> None: ...

    def advance_to(self, done: int) -> None:
        if done >= self.after:
            raise self.error


def stopped_import(project: Project, path: Path, error: type[BaseException]) -> None:
    with pytest.raises(error):
        import_path(
            project=project,
            path=path,
            options=ImportOptions(),
            actor=None,
            now=timezone.now(),
            progress=Interrupting(error, after=BATCH_ROWS),  # type: ignore[arg-type]
        )


def all_rows() -> tuple[int, ...]:
    return (
        Item.all_rows.count(),
        Translation.all_rows.count(),
        Revision.objects.count(),
        Finding.objects.count(),
        Subject.all_rows.count(),
        Source.all_rows.count(),
        ImportBatch.objects.count(),
    )


def test_cancelled_import_removes_every_row_that_it_wrote(project: Project, tmp_path: Path) -> None:
    rows = [item_row(n, translation_question="") for n in range(600)]
    rows = [row | {"translation_question": "7"} for row in rows]

    stopped_import(project, write_items(tmp_path / "a.jsonl", rows), JobCancelled)

    assert all_rows() == (0, 0, 0, 0, 0, 0, 0)


def test_interrupted_import_leaves_hidden_rows_that_the_next_one_of_the_process_keeps_out(
    project: Project, tmp_path: Path
) -> None:
    path = write_items(tmp_path / "a.jsonl", [item_row(n) for n in range(600)])
    stopped_import(project, path, JobInterrupted)
    assert (Item.all_rows.count(), Item.objects.count()) == (500, 0)
    assert (project.items.count(), Translation.objects.count()) == (0, 0)

    with pytest.raises(ImportConflict):  # its process is still there
        run_import(project, path)
    ImportBatch.objects.update(
        writer="elsewhere/1/gone", touched_at=timezone.now() - ABANDONED_AFTER * 2
    )
    report = run_import(project, path)

    assert (report.imported, Item.objects.count(), Item.all_rows.count()) == (600, 600, 600)


def test_refused_row_after_written_batches_leaves_nothing(project: Project, tmp_path: Path) -> None:
    rows = [item_row(n) for n in range(600)] + [item_row(600, key="Z")]

    report = run_import(project, write_items(tmp_path / "a.jsonl", rows))

    assert (report.refused, report.imported, report.joined) == (1, 0, 0)
    assert all_rows() == (0, 0, 0, 0, 0, 0, 0)


def test_subject_that_was_there_before_a_failed_import_stays(
    project: Project, tmp_path: Path
) -> None:
    run_import(project, write_items(tmp_path / "a.jsonl", [item_row(0)]))
    before = all_rows()
    rows = [item_row(n) for n in range(1, 600)] + [item_row(600, key="Z")]

    run_import(project, write_items(tmp_path / "b.jsonl", rows))

    assert all_rows() == before


def test_batch_that_was_removed_cannot_be_written_or_shown(project: Project) -> None:
    now = timezone.now()
    batch = open_batch(project=project, import_job=None, now=now)
    discard_batch(batch.pk)

    with pytest.raises(ImportConflict):
        touch_batch(batch, now)
    with pytest.raises(ImportConflict):
        show_batch(batch, now)


def test_batch_of_a_silent_writer_is_removed_by_the_next_import(project: Project) -> None:
    now = timezone.now()
    silent = open_batch(project=project, import_job=None, now=now - ABANDONED_AFTER * 2)

    lively = open_batch(project=project, import_job=None, now=now)
    third = open_batch(project=project, import_job=None, now=now + timedelta(seconds=1))

    found = set(ImportBatch.objects.values_list("pk", flat=True))
    assert found == {lively.pk, third.pk}
    assert silent.pk not in found


def import_texts_of_older_items(project: Project, folder: Path, count: int) -> None:
    """Import items without translations, then a translation of each that has a finding."""
    items = [
        {k: v for k, v in item_row(n).items() if "translation" not in k and k != "system"}
        for n in range(count)
    ]
    run_import(project, write_items(folder / "a.jsonl", items))
    texts = [
        {"uid": f"law/{n}", "system": "mt", "question": "དྲི་བ་ 999", "options": [*"ཀཁགང"]}
        for n in range(count)
    ]
    run_import(project, write_items(folder / "b.jsonl", texts))


def pointed() -> int:
    texts = Item.objects.filter(working_translation__current_revision__number=1)
    return texts.filter(has_open_warnings=True).count()


def test_translations_of_older_items_come_under_review_in_the_statement_that_shows_them(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.imports.batches.POINTERS_AT_ONCE", 200)
    monkeypatch.setattr("annotation.imports.batches.POINTING_SECONDS", 60)
    monkeypatch.setattr("annotation.imports.actions.set_pointers", lambda *_args, **_more: None)

    import_texts_of_older_items(project, tmp_path, 501)

    assert pointed() == 501


def test_items_beyond_what_one_transaction_points_to_follow_in_short_ones(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.imports.batches.POINTERS_AT_ONCE", 3)
    monkeypatch.setattr("annotation.imports.batches.POINTING_SECONDS", 0)

    import_texts_of_older_items(project, tmp_path, 8)

    assert pointed() == 8
    assert ImportBatch.objects.filter(has_pointers=True).count() == 2


def test_pointers_that_a_kill_left_out_are_set_by_the_next_import(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("annotation.imports.batches.POINTING_SECONDS", 0)
        patch.setattr("annotation.imports.actions.set_pointers", lambda *_args, **_more: None)
        import_texts_of_older_items(project, tmp_path, 3)
    assert pointed() == 0
    ImportBatch.objects.update(touched_at=timezone.now() - ABANDONED_AFTER * 2)

    run_import(project, write_items(tmp_path / "c.jsonl", [item_row(9)]))

    assert pointed() == 3


def test_names_that_an_import_brings_are_hidden_until_it_is_finished(
    project: Project, tmp_path: Path
) -> None:
    path = write_items(tmp_path / "a.jsonl", [item_row(n) for n in range(600)])
    stopped_import(project, path, JobInterrupted)
    hidden = (project.subjects.count(), project.sources.count())
    ImportBatch.objects.update(touched_at=timezone.now() - ABANDONED_AFTER * 2)

    run_import(project, path)

    assert hidden == (0, 0)
    assert [subject.name for subject in project.subjects.all()] == ["law"]
    assert {source.system for source in project.sources.all()} == {"", "mt"}


def test_subject_of_two_imports_is_shown_by_the_one_that_finishes(
    project: Project, tmp_path: Path
) -> None:
    path = write_items(tmp_path / "a.jsonl", [item_row(n) for n in range(600)])
    stopped_import(project, path, JobInterrupted)

    run_import(project, write_items(tmp_path / "b.jsonl", [item_row(900)]))
    discard_batch(ImportBatch.objects.get(finished_at__isnull=True).pk)

    assert [subject.name for subject in project.subjects.all()] == ["law"]
    assert Item.all_rows.count() == 1


def test_search_texts_and_flags_after_an_import_are_those_that_the_index_would_give(
    project: Project, tmp_path: Path
) -> None:
    old = [
        {k: v for k, v in item_row(n).items() if "translation" not in k and k != "system"}
        for n in range(2)
    ]
    run_import(project, write_items(tmp_path / "old.jsonl", old))
    text = {"uid": "law/0", "system": "mt", "question": "དྲི་བ་ 99", "options": [*"ཀཁགང"]}
    run_import(project, write_items(tmp_path / "texts.jsonl", [text]))
    new = [item_row(7), item_row(8, translation_question="དྲི་བ་ 99")]
    run_import(project, write_items(tmp_path / "new.jsonl", new))
    found = indexed()

    refresh_items(Item.objects.values_list("pk", flat=True))

    assert found == indexed()
    assert [row[-1] for row in found] == [True, False, False, True]


def indexed() -> list[tuple[Any, ...]]:
    rows = Item.objects.order_by("uid").values_list(
        "uid", "search_text__text", "working_translation__search_text__text", *FLAGS
    )
    return list(rows)
