"""An import is taken back whole, until somebody has worked with what it brought."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEvent, User
from annotation.checks.actions import dismiss_finding
from annotation.imports.actions import perform_import, start_import
from annotation.imports.batches import ABANDONED_AFTER, ImportConflict, discard_batch, open_batch
from annotation.imports.brought import undoable_imports, uses_of
from annotation.imports.opening import ImportOptions
from annotation.imports.preparation import Preparation
from annotation.imports.undoing import (
    ImportInUse,
    ImportUnderWay,
    NothingToUndo,
    perform_undo,
    undo_import,
)
from annotation.items.actions import exclude_item
from annotation.items.keys import correct_key
from annotation.models import DuplicatePair, Finding, ImportBatch, ImportJob, Item, Translation
from jobs.progress import JobInterrupted, Progress
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project, Source, Subject
from review.rounds.actions.rounds import RoundSettings, open_round
from tests.annotation.imports.test_actions import item_row, run_import, write_items
from tests.factories import MembershipFactory, UserFactory, make_duplicate_pair

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def imported(project: Project, path: Path, rows: list[dict[str, Any]], **options: Any) -> ImportJob:
    """An import by page that has ended."""
    with write_items(path, rows).open("rb") as file:
        found = start_import(
            project=project, file=file, name=path.name, options=ImportOptions(**options),
            actor=UserFactory(), now=timezone.now(),
        )  # fmt: skip
    run_now(found.job, perform_import)
    found.refresh_from_db()
    return found


def undone(import_job: ImportJob) -> dict[str, Any]:
    job = undo_import(import_job=import_job, actor=UserFactory(), now=timezone.now())
    return perform_undo(job, Progress(job.pk))


def everything() -> dict[str, list[Any]]:
    """All rows of the project's texts as they stand, without what an import leaves as its trace."""
    traces = {"ImportJob", "ImportBatch"}
    return {
        model.__name__: list(model._base_manager.order_by("pk").values())
        for app in ("annotation", "projects", "review")
        for model in apps.get_app_config(app).get_models()
        if model.__name__ not in traces
    }


def test_import_is_undone_whole_and_can_be_imported_again(project: Project, tmp_path: Path) -> None:
    run_import(project, write_items(tmp_path / "first.jsonl", [item_row(1), item_row(2)]))
    before = everything()
    rows = [item_row(n, subject="physics", uid=f"physics/{n}", question="短") for n in (3, 4)]
    second = imported(project, tmp_path / "second.jsonl", [*rows, item_row(1, system="mt-2")])
    assert (Item.objects.count(), Translation.objects.count()) == (4, 5)
    assert Finding.objects.exists() and Subject.objects.filter(slug="physics").exists()

    assert undone(second) == {"items": 2, "translations": 3}

    assert everything() == before
    assert [batch.import_job for batch in undoable_imports(project)] == [None]
    second.refresh_from_db()
    assert second.undone_at is not None
    event = AuditEvent.objects.get(verb="items.import-undone")
    assert event.data["file"] == "second.jsonl" and event.data["items"] == 2
    with pytest.raises(NothingToUndo):
        undone(second)
    assert imported(project, tmp_path / "again.jsonl", rows).report["imported"] == 2


def test_rows_are_gone_for_everybody_before_they_are_removed(
    project: Project, tmp_path: Path
) -> None:
    found = imported(project, tmp_path / "a.jsonl", [item_row(1), item_row(2)])

    job = undo_import(import_job=found, actor=UserFactory(), now=timezone.now())

    assert (Item.objects.count(), Translation.objects.count()) == (0, 0)
    assert Item.all_rows.count() == 2
    assert not Subject.objects.exists() and not Source.objects.exists()

    class Stopping(Progress):
        def check(self) -> None:
            raise JobInterrupted

    with pytest.raises(JobInterrupted):  # a worker that is stopped; another takes the job up
        perform_undo(job, Stopping(job.pk))
    assert Item.all_rows.count() == 2
    perform_undo(job, Progress(job.pk))
    assert not ImportBatch.objects.exists() and not Item.all_rows.exists()
    perform_undo(job, Progress(job.pk))


def test_items_of_other_imports_get_back_the_text_that_they_had(
    project: Project, tmp_path: Path
) -> None:
    bare = {
        k: v for k, v in item_row(1).items() if not k.startswith("translation") and k != "system"
    }
    run_import(project, write_items(tmp_path / "items.jsonl", [bare, item_row(2)]))
    texts = [
        {"uid": f"law/{n}", "question": f"གསར་ {n}", "options": [*"ཀཁགང"], "system": "second"}
        for n in (1, 2)
    ]
    second = imported(project, tmp_path / "texts.jsonl", texts)
    Item.objects.filter(uid="law/2").update(
        working_translation=Translation.objects.get(item__uid="law/2", system="second")
    )

    undone(second)

    systems = dict(Item.objects.values_list("uid", "working_translation__system"))
    assert systems == {"law/1": None, "law/2": "mt"}
    assert not Item.objects.get(uid="law/1").has_open_findings


def test_open_pairs_of_duplicates_go_and_their_clusters_shrink(
    project: Project, tmp_path: Path
) -> None:
    run_import(project, write_items(tmp_path / "a.jsonl", [item_row(1), item_row(2)]))
    found = imported(project, tmp_path / "b.jsonl", [item_row(3)])
    one, two, three = Item.objects.order_by("uid")
    stays = make_duplicate_pair(one, two)
    make_duplicate_pair(two, three)

    undone(found)

    assert list(DuplicatePair.objects.values_list("pk", flat=True)) == [stays.pk]


def in_round(item: Item, _user: User) -> None:
    open_round(
        project=item.project, settings=RoundSettings(selection="all", panel_size=1), actor=None,
        now=timezone.now(),
    )  # fmt: skip


def with_corrected_key(item: Item, user: User) -> None:
    correct_key(item=item, key="C", reason="wrong", actor=user, now=timezone.now())


def left_out(item: Item, user: User) -> None:
    exclude_item(item=item, reason="twice", actor=user, now=timezone.now())


def with_dismissed_finding(item: Item, user: User) -> None:
    finding = Finding.objects.create(
        revision=item.working_translation.current_revision, code="numbers_differ",
        severity="warning", field="question", created_at=timezone.now(),
    )  # fmt: skip
    dismiss_finding(finding=finding, reason="meant", actor=user, now=timezone.now())


@pytest.mark.parametrize(
    ("work", "use"),
    [
        (in_round, "elsewhere"),
        (with_corrected_key, "keys"),
        (left_out, "states"),
        (with_dismissed_finding, "findings"),
    ],
)
def test_import_that_somebody_has_worked_with_stays_and_says_why(
    project: Project, tmp_path: Path, work: Callable[[Item, User], None], use: str
) -> None:
    found = imported(project, tmp_path / "a.jsonl", [item_row(1), item_row(2)])
    user = MembershipFactory(project=project, role=Role.SENIOR).user
    work(Item.objects.get(uid="law/1"), user)
    before = everything()

    with pytest.raises(ImportInUse, match="Exclude the items"):
        undone(found)

    (batch,) = undoable_imports(project)
    assert use in uses_of(batch)
    assert everything() == before


def test_later_translation_of_the_items_has_to_be_undone_first(
    project: Project, tmp_path: Path
) -> None:
    first = imported(project, tmp_path / "a.jsonl", [item_row(1)])
    second = imported(project, tmp_path / "b.jsonl", [item_row(1, system="second")])

    with pytest.raises(ImportInUse, match="translations from other imports: 1"):
        undone(first)
    undone(second)
    undone(first)

    assert not Item.all_rows.exists()


def test_import_is_not_undone_while_another_is_written_or_removed(
    project: Project, tmp_path: Path
) -> None:
    first = imported(project, tmp_path / "a.jsonl", [item_row(1)])
    second = imported(project, tmp_path / "b.jsonl", [item_row(2)])
    batch = open_batch(project=project, import_job=None, now=timezone.now())

    with pytest.raises(ImportUnderWay):
        undone(first)
    discard_batch(batch.pk)
    removal = undo_import(import_job=first, actor=UserFactory(), now=timezone.now())
    with pytest.raises(ImportUnderWay):
        undone(second)
    perform_undo(removal, Progress(removal.pk))
    undone(second)

    assert not Item.all_rows.exists()


def test_import_left_by_a_dead_process_does_not_stand_in_the_way(
    project: Project, tmp_path: Path
) -> None:
    found = imported(project, tmp_path / "a.jsonl", [item_row(1)])
    dead = open_batch(project=project, import_job=None, now=timezone.now())
    ImportBatch.objects.filter(pk=dead.pk).update(touched_at=timezone.now() - ABANDONED_AFTER * 2)

    undone(found)

    assert not Item.objects.exists()


def test_texts_for_items_that_were_undone_meanwhile_are_refused(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The items go after they were compared with the file, before its first row is written."""
    first = imported(project, tmp_path / "a.jsonl", [item_row(1)])
    prepare = Preparation.prepare

    def prepare_late(self: Preparation, rows: Any) -> Any:
        outcome = prepare(self, rows)
        undone_meanwhile()
        return outcome

    def undone_meanwhile() -> None:
        undo_import(import_job=first, actor=UserFactory(), now=timezone.now())

    monkeypatch.setattr(Preparation, "prepare", prepare_late)
    with pytest.raises(ImportConflict, match="removed right now"):
        run_import(project, write_items(tmp_path / "b.jsonl", [item_row(1, system="mt-2")]))

    assert not Translation.objects.exists()
    assert list(Translation.all_rows.values_list("system", flat=True)) == ["mt"]


def test_subject_that_a_member_is_an_expert_of_stays(project: Project, tmp_path: Path) -> None:
    found = imported(project, tmp_path / "a.jsonl", [item_row(1)])
    MembershipFactory(project=project).subjects.add(Subject.objects.get())

    undone(found)

    assert [subject.slug for subject in Subject.objects.all()] == ["law"]


def test_manager_undoes_an_import_on_its_page(
    project: Project, tmp_path: Path, client: Client
) -> None:
    found = imported(project, tmp_path / "a.jsonl", [item_row(1)])
    client.force_login(MembershipFactory(project=project, role=Role.MANAGER).user)
    page = f"/jobs/{found.job_id}/"
    assert "items: 1, translations: 1" in client.get(page).content.decode()

    answer = client.post(f"{page}undo-import/")

    assert (answer.status_code, Item.objects.count()) == (302, 0)
    removal = client.get(answer["Location"]).content.decode()
    assert "a.jsonl" in removal and "hidden from everybody" in removal
    assert "undone" in client.get(page).content.decode()
    assert "undone" in client.get(f"/projects/{project.slug}/import/").content.decode()
    assert client.post(f"{page}undo-import/").status_code == 409


def test_page_of_a_removal_that_is_asked_for_again_takes_the_place_of_all_it_shows(
    project: Project, tmp_path: Path, client: Client
) -> None:
    found = imported(project, tmp_path / "a.jsonl", [item_row(1)])
    client.force_login(MembershipFactory(project=project, role=Role.MANAGER).user)
    job = undo_import(import_job=found, actor=UserFactory(), now=timezone.now())

    page = client.get(f"/jobs/{job.pk}/").content.decode()
    part = client.get(f"/jobs/{job.pk}/", headers={"HX-Request": "true"}).content.decode()

    assert 'hx-target="#job-and-result"' in page
    assert part.lstrip().startswith('<div class="stack" id="job-and-result">')
    for text in (page, part):
        assert text.count("hidden from everybody") == text.count('id="job-and-result"') == 1
    run_now(job, perform_undo)
    assert "has been removed." in client.get(f"/jobs/{job.pk}/").content.decode()


def test_page_of_an_import_in_use_says_so_before_the_click(
    project: Project, tmp_path: Path, client: Client
) -> None:
    found = imported(project, tmp_path / "a.jsonl", [item_row(1)])
    client.force_login(MembershipFactory(project=project, role=Role.MANAGER).user)
    in_round(Item.objects.get(), UserFactory())

    text = client.get(f"/jobs/{found.job_id}/").content.decode()

    assert "cannot be undone any more" in text and "undo-import" not in text


def test_command_lists_imports_and_undoes_one(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_import(project, write_items(tmp_path / "a.jsonl", [item_row(1)]))
    call_command("undo_import", project.slug, json=True)
    (listed,) = json.loads(capsys.readouterr().out)["imports"]
    assert (listed["items"], listed["translations"]) == (1, 1)

    call_command("undo_import", project.slug, listed["import"])

    assert not Item.all_rows.exists() and not ImportBatch.objects.exists()
    with pytest.raises(CommandError, match="already been undone"):
        call_command("undo_import", project.slug, listed["import"])
