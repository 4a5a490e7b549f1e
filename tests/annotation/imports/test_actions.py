"""Imports as promised: all or nothing, idempotent, in words, and the same after a kill."""

import json
import signal
import tempfile
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from accounts.models import AuditEvent
from annotation.checks.actions import check_again
from annotation.importers.cmmlu import uid_of
from annotation.imports.actions import RowsRefused, import_path, perform_import, start_import
from annotation.imports.batches import ImportConflict
from annotation.imports.opening import FileRefused, ImportOptions
from annotation.imports.reports import ImportReport, Outcome, in_words
from annotation.models import Finding, ImportJob, Item, Revision, Translation
from jobs.enums import JobState
from jobs.progress import Progress
from jobs.worker import run_job, run_now
from projects.models import Project
from tests.factories import ProjectFactory, UserFactory
from tests.processes import start_python
from tests.rights import as_nobody

pytestmark = pytest.mark.both_databases


def item_row(number: int, **changes: Any) -> dict[str, Any]:
    row = {
        "uid": f"law/{number}",
        "subject": "law",
        "question": f"题目 {number} 是什么？",
        "options": [f"甲{number}", f"乙{number}", f"丙{number}", f"丁{number}"],
        "key": "ABCD"[number % 4],
        "system": "mt",
        "translation_question": f"དྲི་བ་ {number} གང་ཡིན།",
        "translation_options": [f"ཀ་{number}", f"ཁ་{number}", f"ག་{number}", f"ང་{number}"],
    }
    return row | changes


def write_items(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), "utf-8")
    return path


def run_import(project: Project, path: Path, **options: Any) -> ImportReport:
    now = timezone.now()
    given = ImportOptions(**options)
    return import_path(project=project, path=path, options=given, actor=None, now=now)


def table_sizes() -> tuple[int, ...]:
    models = (Item, Translation, Revision, Finding, AuditEvent)
    return tuple(model._default_manager.count() for model in models)


def test_import_of_new_items_writes_items_texts_and_pointers(
    project: Project, tmp_path: Path
) -> None:
    report = run_import(project, write_items(tmp_path / "a.jsonl", [item_row(1), item_row(2)]))

    assert report.as_json() == {
        "outcome": "imported",
        "format": "items",
        "read": 2,
        "imported": 2,
        "joined": 2,
        "unchanged": 0,
        "with_findings": 0,
        "refused": 0,
        "errors": [],
        "files": [
            {"name": "a.jsonl", "format": "items", "rows": 2, "used": True, "code": "", "data": {}}
        ],
        "notes": [],
        "samples": [],
    }
    item = Item.objects.select_related("working_translation__current_revision").get(uid="law/1")
    assert item.working_translation.current_revision.options == ["ཀ་1", "ཁ་1", "ག་1", "ང་1"]
    event = AuditEvent.objects.get(verb="items.imported")
    assert (event.data["imported"], event.data["joined"]) == (2, 2)


def test_import_again_of_the_same_file_changes_nothing(project: Project, tmp_path: Path) -> None:
    path = write_items(tmp_path / "a.jsonl", [item_row(n) for n in range(5)])
    run_import(project, path)
    before = table_sizes()

    report = run_import(project, path)

    assert (report.outcome, report.unchanged, report.imported) == (Outcome.UNCHANGED, 5, 0)
    assert table_sizes() == before


def test_dry_run_counts_what_would_be_written_and_writes_nothing(
    project: Project, tmp_path: Path
) -> None:
    before = table_sizes()
    path = write_items(tmp_path / "a.jsonl", [item_row(1), item_row(2, key="Z")])

    report = run_import(project, path, is_dry_run=True)

    assert (report.outcome, report.imported, report.refused) == (Outcome.DRY_RUN, 1, 1)
    assert table_sizes() == before


def test_second_system_joins_items_and_leaves_the_working_translation(
    project: Project, tmp_path: Path
) -> None:
    run_import(project, write_items(tmp_path / "a.jsonl", [item_row(1)]))
    other = {
        "uid": "law/1",
        "system": "second",
        "question": "གཞན་པ།",
        "options": ["ཀ", "ཁ", "ག", "ང"],
    }

    report = run_import(project, write_items(tmp_path / "b.jsonl", [other]), format="translations")

    assert (report.imported, report.joined) == (0, 1)
    item = Item.objects.select_related("working_translation").get(uid="law/1")
    assert item.working_translation.system == "mt"
    assert {t.system for t in item.translations.all()} == {"mt", "second"}


def test_translations_are_inserted_in_the_order_of_items_whatever_that_of_the_file(
    project: Project, tmp_path: Path
) -> None:
    run_import(project, write_items(tmp_path / "a.jsonl", [item_row(n) for n in (1, 2, 3)]))
    second = [
        {"uid": f"law/{n}", "system": "second", "question": f"གཞན་{n}", "options": list("ཀཁགང")}
        for n in (3, 1, 2)
    ]
    run_import(project, write_items(tmp_path / "b.jsonl", second), format="translations")
    rows = Translation.objects.filter(system="second").order_by("pk")
    assert list(rows.values_list("item__uid", flat=True)) == ["law/1", "law/2", "law/3"]


@pytest.mark.parametrize(
    ("bad", "code", "words"),
    [
        (item_row(2, key="E"), "key_out_of_range", "The key is “E”, but the last option is D."),
        (item_row(1), "duplicate_uid", "The uid law/1 is already used in bad.jsonl, row 1."),
        (
            item_row(2, year="y" * 21),
            "cell_too_long",
            "The column year is longer than 20 characters.",
        ),
        (item_row(2, system="s" * 101), "cell_too_long", "The column system is longer than 100"),
        (item_row(2, system=""), "system_missing", "does not name a translation system"),
    ],
)
def test_one_bad_row_is_named_and_nothing_is_imported(
    project: Project, tmp_path: Path, bad: Any, code: str, words: str
) -> None:
    path = write_items(tmp_path / "bad.jsonl", [item_row(1), bad])
    before = table_sizes()

    report = run_import(project, path)

    assert report.outcome == Outcome.REFUSED
    assert [(e["file"], e["row"], e["code"]) for e in report.errors] == [("bad.jsonl", 2, code)]
    assert words in in_words(report.as_json())["errors"][0]["reason"]
    assert table_sizes() == before


def test_skipping_refused_rows_imports_the_good_ones(project: Project, tmp_path: Path) -> None:
    path = write_items(tmp_path / "bad.jsonl", [item_row(1), item_row(2, key="Z"), item_row(3)])

    report = run_import(project, path, is_skipping_refused=True)

    assert (report.outcome, report.imported, report.refused) == (Outcome.IMPORTED, 2, 1)
    assert sorted(Item.objects.values_list("uid", flat=True)) == ["law/1", "law/3"]


def test_changed_item_or_translation_is_refused_not_overwritten(
    project: Project, tmp_path: Path
) -> None:
    run_import(project, write_items(tmp_path / "a.jsonl", [item_row(1), item_row(2)]))
    changed = [item_row(1, question="别的题目"), item_row(2, translation_question="གཞན་པ།")]

    report = run_import(project, write_items(tmp_path / "b.jsonl", changed))

    assert [e["code"] for e in report.errors] == ["item_differs", "translation_differs"]
    assert Item.objects.get(uid="law/1").question == "题目 1 是什么？"


@pytest.mark.parametrize("key", ["", "A", "Z"])
def test_translation_of_eleven_options_is_refused_like_an_item_of_eleven(
    project: Project, tmp_path: Path, key: str
) -> None:
    run_import(project, write_items(tmp_path / "a.jsonl", [item_row(1)]))
    row = {
        "uid": "law/1",
        "system": "mt2",
        "question": "གཞན་པ།",
        "options": [*"ཀཁགངཅཆཇཉཏཐད"],
        "key": key,
    }

    report = run_import(project, write_items(tmp_path / "b.jsonl", [row]))

    assert [(e["row"], e["code"]) for e in report.errors] == [(1, "option_count")]
    assert report.errors[0]["data"]["found"] == 11


def test_second_row_of_one_system_named_in_two_ways_is_refused_as_a_duplicate(
    project: Project, tmp_path: Path
) -> None:
    run_import(project, write_items(tmp_path / "a.jsonl", [item_row(1)]))
    row = {"uid": "law/1", "question": "གཞན་པ།", "options": [*"ཀཁགང"]}
    path = write_items(tmp_path / "b.jsonl", [row | {"system": ""}, row | {"system": "second"}])

    report = run_import(project, path, system="second", is_skipping_refused=True)

    assert (report.joined, report.refused) == (1, 1)
    assert [(e["row"], e["code"]) for e in report.errors] == [(2, "duplicate_uid")]


def test_translation_with_another_key_is_refused_not_called_unchanged(
    project: Project, tmp_path: Path
) -> None:
    run_import(project, write_items(tmp_path / "a.jsonl", [item_row(1, translation_key="A")]))
    again = write_items(tmp_path / "b.jsonl", [item_row(1, translation_key="B")])

    report = run_import(project, again)

    assert [e["code"] for e in report.errors] == ["translation_differs"]


def test_subject_of_two_categories_is_refused_and_a_blank_one_says_nothing(
    project: Project, tmp_path: Path
) -> None:
    rows = [item_row(0), item_row(1, category="Law"), item_row(2, category="Ethics"), item_row(3)]
    path = write_items(tmp_path / "a.jsonl", rows)

    report = run_import(project, path, is_skipping_refused=True)

    assert [(e["row"], e["code"]) for e in report.errors] == [(3, "category_differs")]
    assert project.subjects.get().category == "Law"
    again = run_import(project, write_items(tmp_path / "b.jsonl", [item_row(4, category="Ethics")]))
    assert [(e["row"], e["code"]) for e in again.errors] == [(1, "category_differs")]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.jsonl", '{"uid": "题"}'.encode("gb18030"), "a.jsonl is not saved as UTF-8"),
        ("a.csv", b"one,two\n1,2\n", "does not look like any of the known formats"),
        ("a.json", b"{", "a.json is not valid JSON (line 1, column 2)"),
        ("a.json", b"{}", "does not look like any of the known formats"),
        ("a.jsonl", b"", "does not look like any of the known formats"),
    ],
)
def test_file_that_is_not_what_it_says_is_refused_in_words(
    project: Project, tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(FileRefused) as refusal:
        run_import(project, path, format="items" if b"\xcc" in content else "")

    assert words in str(refusal.value)


def test_damaged_archive_is_refused_in_words(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "items.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", "".join(json.dumps(item_row(n)) + "\n" for n in range(200)))
    content = bytearray(path.read_bytes())
    content[200:400] = b"\xff" * 200
    path.write_bytes(content)

    with pytest.raises(FileRefused) as refusal:
        run_import(project, path, format="items")

    assert "items.zip is not a readable ZIP archive" in str(refusal.value)


def test_two_hundred_megabyte_row_is_refused_without_being_read_whole(
    project: Project, tmp_path: Path
) -> None:
    path = write_items(tmp_path / "huge.jsonl", [item_row(1)])
    with path.open("ab") as file:
        file.truncate(path.stat().st_size + 200_000_000)

    report = run_import(project, path, format="items")

    assert [(e["row"], e["code"]) for e in report.errors] == [(2, "row_too_long")]
    assert Item.objects.count() == 0


def test_csv_cell_that_never_closes_within_the_limit_names_file_and_row(
    project: Project, tmp_path: Path, settings: Any
) -> None:
    settings.IMPORT_LIMITS = settings.IMPORT_LIMITS | {"row_bytes": 1000}
    path = tmp_path / "a.csv"
    path.write_text('uid,subject,question,key\n1,2,"' + "line\n" * 500)

    with pytest.raises(FileRefused) as refusal:
        run_import(project, path, format="items")

    assert "a.csv" in str(refusal.value)
    assert "longer than the limit of 1000 bytes" in str(refusal.value)


def test_checks_again_after_an_import_find_the_same(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "ti_mmlu"
    folder.mkdir()
    source = [
        {k: v for k, v in item_row(n, uid=f"law/{n}").items() if not k.startswith("translation")}
        for n in range(3)
    ]
    for row in source:
        del row["system"]
    run_import(project, write_items(tmp_path / "a.jsonl", source))
    texts = ["", "དྲི་བ་མེད་པ།", "དྲི་བ། 7\nA. ཀ\nB. ཁ\nC. ག\nD. ང"]
    rows = [
        {"loc": f"law{n}", "polished_ti_content": text, "answer": source[n]["key"]}
        for n, text in enumerate(texts)
    ]
    report = run_import(project, write_items(folder / "law.jsonl", rows))
    before = sorted(Finding.objects.values_list("revision", "code", "data__reason"))

    revisions = Revision.objects.select_related("translation__item").prefetch_related("findings")
    added = check_again(revisions=revisions, project=project, now=timezone.now())

    assert (report.joined, report.refused) == (3, 0)
    assert {code for _pk, code, _reason in before} >= {"empty_text", "options_unreadable"}
    assert added == 0
    assert sorted(Finding.objects.values_list("revision", "code", "data__reason")) == before


def start(project: Project, path: Path, **options: Any) -> ImportJob:
    with path.open("rb") as file:
        return start_import(
            project=project,
            file=file,
            name=path.name,
            options=ImportOptions(**options),
            actor=UserFactory(),
            now=timezone.now(),
        )


def test_import_job_reports_progress_and_result(project: Project, tmp_path: Path) -> None:
    started = start(project, write_items(tmp_path / "a.jsonl", [item_row(n) for n in range(3)]))

    job = run_now(started.job, perform_import)

    assert (job.state, job.total, job.done, job.note_code) == (JobState.DONE, 3, 3, "finishing")
    assert job.result["imported"] == 3
    started.refresh_from_db()
    assert started.report == job.result


def test_import_job_with_refused_rows_fails_in_words_and_keeps_its_report(
    project: Project, tmp_path: Path
) -> None:
    path = write_items(tmp_path / "a.jsonl", [item_row(1), item_row(2, key="Z")])
    started = start(project, path)

    job = run_now(started.job, perform_import)

    assert (job.state, job.error_code) == (JobState.FAILED, RowsRefused.code)
    assert job.error.startswith("Nothing was imported: 1 of 2 rows were refused.")
    assert "Skip refused rows" in job.error
    started.refresh_from_db()
    assert [error["row"] for error in started.report["errors"]] == [2]


def test_import_job_run_again_after_its_rows_were_written_keeps_the_first_report(
    project: Project, tmp_path: Path
) -> None:
    started = start(project, write_items(tmp_path / "a.jsonl", [item_row(1)]))
    first = perform_import(started.job, Progress(started.job_id))

    job = run_now(started.job, perform_import)

    assert job.result == first
    assert first["imported"] == 1


def test_upload_with_a_name_too_long_for_the_disk_is_kept_shortened(
    project: Project, tmp_path: Path
) -> None:
    path = write_items(tmp_path / "a.jsonl", [item_row(1)])
    with path.open("rb") as file:
        started = start_import(
            project=project,
            file=file,
            name="ཀ" * 250 + ".jsonl",
            options=ImportOptions(),
            actor=UserFactory(),
            now=timezone.now(),
        )

    assert Path(started.path).suffix == ".jsonl"
    assert run_now(started.job, perform_import).state == JobState.DONE


@pytest.mark.django_db(transaction=True)
def test_two_imports_of_one_file_at_once_leave_one_set_of_rows(tmp_path: Path) -> None:
    project = ProjectFactory()
    path = write_items(tmp_path / "a.jsonl", [item_row(n) for n in range(300)])
    outcomes: list[str] = []
    barrier = threading.Barrier(2)

    def work() -> None:
        barrier.wait()
        try:
            outcomes.append(str(run_import(project, path).outcome))
        except ImportConflict as conflict:
            outcomes.append(conflict.code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert outcomes.count("imported") == 1
    assert set(outcomes) <= {"imported", "unchanged", "import_conflict"}
    assert (Item.objects.count(), Revision.objects.count()) == (300, 300)


KILLED_WORKER = """
import os, signal, sys
import django
django.setup()
from annotation.imports import actions as imports, writes as import_writes
from jobs.worker import run_job

written = import_writes.ImportWriter.write
batches = []

def write_then_die(*args):
    written(*args)
    batches.append(1)
    if len(batches) == 2:
        os.kill(os.getpid(), signal.SIGKILL)

import_writes.ImportWriter.write = write_then_die
run_job(int(sys.argv[1]), imports.perform_import)
"""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_import_killed_in_the_middle_of_writing_ends_with_the_rows_of_an_undisturbed_one(
    tmp_path: Path,
) -> None:
    path = write_items(tmp_path / "a.jsonl", [item_row(n) for n in range(1600)])
    started = start(ProjectFactory(), path)

    killed = start_python(KILLED_WORKER, started.job_id)
    killed.communicate(timeout=170)
    after_kill = (Item.objects.count(), Translation.objects.count())
    hidden = Item.all_rows.count()
    run_job(started.job_id)

    assert killed.returncode == -signal.SIGKILL
    assert (after_kill, hidden) == ((0, 0), 1000)
    assert Item.all_rows.count() == Item.objects.count() == Revision.objects.count() == 1600
    undisturbed = ProjectFactory()
    run_import(undisturbed, path)
    assert _rows_of(started.project) == _rows_of(undisturbed)
    started.job.refresh_from_db()
    assert (started.job.state, started.job.result["imported"]) == (JobState.DONE, 1600)


def _rows_of(project: Project) -> list[tuple[Any, ...]]:
    return list(
        Item.objects.filter(project=project)
        .order_by("uid")
        .values_list(
            "uid",
            "subject__slug",
            "question",
            "options",
            "key",
            "working_translation__system",
            "working_translation__current_revision__question",
            "working_translation__current_revision__options",
            "working_translation__current_revision__number",
        )
    )


def test_real_files_are_read_joined_and_reported(project: Project, shared_data: Path) -> None:
    source = run_import(project, shared_data / "cmmlu")
    test = run_import(project, shared_data / "ti_mmlu")
    dev = run_import(project, shared_data / "ti_mmlu_5shot")

    assert (source.imported, test.joined, dev.joined) == (510, 340, 170)
    assert source.refused + test.refused + dev.refused == 0
    raw = {
        revision.translation.item.uid: revision
        for revision in Revision.objects.select_related("translation__item")
    }
    published = published_texts(shared_data)
    assert {uid: revision.raw for uid, revision in raw.items()} == published
    unreadable = {uid for uid, revision in raw.items() if not revision.options}
    reported = uids_with("options_unreadable")
    empty = {uid for uid in unreadable if not raw[uid].raw.strip()}
    assert unreadable - empty == set(reported)
    assert empty <= set(uids_with("empty_text"))
    assert all(raw[uid].question == raw[uid].raw for uid in unreadable)
    again = [
        run_import(project, shared_data / name) for name in ("cmmlu", "ti_mmlu", "ti_mmlu_5shot")
    ]
    assert [report.unchanged for report in again] == [510, 340, 170]
    assert {report.outcome for report in again} == {Outcome.UNCHANGED}


def published_texts(shared_data: Path) -> dict[str, str]:
    texts = {}
    for name, split in (("ti_mmlu", "test"), ("ti_mmlu_5shot", "dev")):
        for file in sorted((shared_data / name).glob("*.jsonl")):
            for line in file.read_text("utf-8").splitlines():
                row = json.loads(line)
                index = int(row["loc"].removeprefix(file.stem))
                texts[uid_of(file.stem, index, split)] = row["polished_ti_content"]
    return texts


def uids_with(code: str) -> list[str]:
    rows = Finding.objects.filter(code=code)
    return list(rows.values_list("revision__translation__item__uid", flat=True))


def test_real_safety_items_take_their_keys_from_the_second_file(
    project: Project, shared_data: Path
) -> None:
    folder = shared_data / "safetybench"
    report = run_import(
        project, folder / "test_zh_subset.json", keys=folder / "test_answers_zh_subset.json"
    )

    assert (report.imported, report.refused) == (140, 0)
    assert {len(options) for options in Item.objects.values_list("options", flat=True)} == {2, 3, 4}


def test_keys_that_are_missing_are_asked_for_in_words(
    project: Project, tmp_path: Path, shared_data: Path
) -> None:
    lonely = tmp_path / "test_zh_subset.json"
    lonely.write_bytes((shared_data / "safetybench" / "test_zh_subset.json").read_bytes())

    with pytest.raises(FileRefused) as refusal:
        run_import(project, lonely, format="safetybench")

    assert "Add the file with the keys" in str(refusal.value)


def test_file_that_may_not_be_read_is_refused_in_words_without_a_crash(project: Project) -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        folder = Path(name) / "items"
        folder.mkdir()
        for letter in "ab":
            write_items(folder / f"{letter}.jsonl", [item_row(ord(letter))])
        (folder / "b.jsonl").chmod(0)
        (folder / ".notes").touch(mode=0)
        with as_nobody():
            report = run_import(project, folder)

    assert [(e["file"], e["code"]) for e in report.errors] == [("b.jsonl", "not_readable")]
    assert (report.outcome, Item.objects.count()) == (Outcome.REFUSED, 0)


def test_row_with_a_refused_translation_is_refused_as_a_whole(
    project: Project, tmp_path: Path
) -> None:
    rows = [item_row(1), item_row(2, system="")]

    report = run_import(project, write_items(tmp_path / "i.jsonl", rows), is_skipping_refused=True)

    assert (report.read, report.imported, report.joined, report.refused) == (2, 1, 1, 1)
    assert [item.uid for item in Item.objects.all()] == ["law/1"]
