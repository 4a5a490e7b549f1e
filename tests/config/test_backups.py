"""A backup holds everything that was acknowledged before it began, and comes back whole or not at all."""

import json
import sqlite3
import stat
import threading
import uuid
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from accounts.models import User
from config.backups import actions, archive, databases
from config.backups.actions import create_backup, kept_files
from projects.models import Project
from review.models import Judgement, Round
from review.seats.actions.seats import claim_seat
from review.workbench.actions.judgements import JudgementContent, submit_judgement
from tests.commands import printed
from tests.factories import UserFactory
from tests.review.conftest import items, opened, reviewers  # noqa: F401 - fixtures

pytestmark = pytest.mark.both_databases

APPROVAL = JudgementContent(verdict="approve", ratings={"domain": 4, "cultural": 4})
WRITERS = 4


@pytest.fixture
def var(tmp_path: Path, settings: Any) -> Path:
    """A `var/` with an upload and what no backup needs."""
    folder = tmp_path / "installation"
    for name in ("imports/a.csv", "cache/page", "static/x.css", "secret_key"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    settings.VAR = folder
    return folder


@pytest.fixture
def backup(tmp_path: Path, var: Path, db: None) -> Path:
    """A backup of the test's database, taken by the command."""
    path = tmp_path / "backup.zip"
    printed("backup", path)
    return path


def refusal(*words: object) -> dict[str, Any]:
    """What a command says that refuses; its exit code must be 1."""
    output = StringIO()
    with pytest.raises(CommandError) as refused:
        call_command(*map(str, words), "--json", stdout=output)
    assert refused.value.returncode == 1
    return json.loads(output.getvalue())


def test_backup_is_readable_by_its_owner_alone_and_lists_what_it_holds(
    backup: Path, var: Path
) -> None:
    manifest = archive.read_manifest(backup)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    names = [member.name for member in manifest.members]
    assert names == ["database", "var/imports/a.csv", "var/secret_key"]
    assert manifest.database == databases.kind()
    assert "review.0001_initial" in manifest.migrations
    assert [path.name for path in backup.parent.iterdir()] != []
    assert {path.name for path in backup.parent.iterdir()} == {"backup.zip", var.name}


def test_backup_does_not_overwrite_a_file(backup: Path) -> None:
    assert refusal("backup", backup)["code"] == "file_failed"


@pytest.mark.parametrize("place", ["x.zip", "imports/x.zip"])
def test_backup_is_not_written_where_it_would_hold_itself(
    backup: Path, var: Path, place: str
) -> None:
    assert "var/backups/" in refusal("backup", var / place)["detail"]


def test_restore_refuses_where_somebody_works_and_changes_nothing(
    transactional_db: None, backup: Path
) -> None:
    person = UserFactory()
    assert refusal("restore", backup)["code"] == "restore_target_not_empty"
    assert User.objects.get() == person


def test_restore_refuses_to_delete_files_without_being_told(
    transactional_db: None, backup: Path, var: Path
) -> None:
    call_command("flush", verbosity=0, interactive=False)  # rows that migrations wrote
    said = refusal("restore", backup)
    assert said["code"] == "restore_target_not_empty"
    assert "imports/a.csv" in said["detail"]


def rewritten(backup: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    with zipfile.ZipFile(backup) as source:
        members = {name: source.read(name) for name in source.namelist()}
    change(members)
    path = backup.with_name("changed.zip")
    with zipfile.ZipFile(path, "w") as target:
        for name, content in members.items():
            target.writestr(name, content)
    return path


def with_manifest(backup: Path, **changes: object) -> Path:
    def change(members: dict[str, bytes]) -> None:
        manifest = json.loads(members[archive.MANIFEST]) | changes
        members[archive.MANIFEST] = json.dumps(manifest).encode()

    return rewritten(backup, change)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("database", b"something else"),
        ("var/imports/a.csv", b"imports/b.csv"),
        ("var/unknown", b""),
        ("manifest.json", b"{}"),
        ("manifest.json", b"[]"),
    ],
)
def test_restore_refuses_a_changed_archive(backup: Path, name: str, content: bytes) -> None:
    path = rewritten(backup, lambda members: members.update({name: content}))
    assert refusal("restore", path, "--replace")["code"] == "backup_damaged"


@pytest.mark.parametrize("kept", [0, 30, 0.5, 0.99])
def test_restore_refuses_an_archive_that_was_cut(backup: Path, kept: float) -> None:
    content = backup.read_bytes()
    backup.write_bytes(content[: int(kept * len(content)) if kept < 1 else int(kept)])
    assert refusal("restore", backup, "--replace")["code"] == "backup_damaged"


@pytest.mark.parametrize("name", ["../evil", "var/../../evil", "/etc/evil", "var", "elsewhere/x"])
def test_restore_refuses_a_manifest_that_leads_out_of_var(backup: Path, name: str) -> None:
    member = {"name": name, "size": 0, "sha256": ""}
    path = with_manifest(backup, members=[member])
    assert refusal("restore", path, "--replace")["code"] == "backup_damaged"


def test_restore_refuses_another_kind_of_database_and_says_the_way(backup: Path) -> None:
    said = refusal("restore", with_manifest(backup, database="Oracle"), "--replace")
    assert said["code"] == "backup_of_other_database"
    assert "LOTSAWA_DATABASE_URL" in said["detail"]


def test_restore_refuses_a_backup_of_a_newer_version(backup: Path) -> None:
    path = with_manifest(backup, version="9.0.0", migrations=["review.9999_future"])
    said = refusal("restore", path, "--replace")
    assert said["code"] == "backup_too_new"
    assert "9.0.0" in said["detail"]


def test_restore_refuses_a_backup_from_before_the_oldest_version(backup: Path) -> None:
    known = archive.read_manifest(backup).migrations
    first = [each for each in known if not each.startswith("review.") or "0001" in each]
    said = refusal("restore", with_manifest(backup, version="0.3.0", migrations=first), "--replace")
    assert said["code"] == "backup_too_old"
    assert "Restore it with version 0.4.0" in said["detail"]


def test_backup_of_an_older_version_is_migrated(transactional_db: None, backup: Path) -> None:
    known = archive.read_manifest(backup).migrations
    path = with_manifest(backup, migrations=[each for each in known if "squashed" not in each])
    assert printed("restore", path, "--replace")["is_migrated"] is True
    assert databases.applied_migrations() == known


def test_restore_refuses_a_missing_file_in_words(tmp_path: Path, db: None) -> None:
    assert refusal("restore", tmp_path / "none.zip")["code"] == "file_failed"


def test_missing_program_of_postgresql_is_named(
    tmp_path: Path, var: Path, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "vendor", "postgresql")
    monkeypatch.setenv("PATH", str(tmp_path))
    said = refusal("backup", tmp_path / "backup.zip")
    assert said["code"] == "database_program_missing"
    assert "postgresql-client" in said["detail"]
    assert not (tmp_path / "backup.zip").exists()


class Writer(threading.Thread):
    """Judges seat after seat until it is told to stop; notes what was acknowledged."""

    def __init__(self, round_: Round, user: User, stop: threading.Event) -> None:
        super().__init__()
        self.round, self.user, self.stop = round_, user, stop
        self.acknowledged: list[int] = []
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            while not self.stop.is_set() and self.judge():
                pass
        except BaseException as failure:  # noqa: BLE001 - shown by the main thread
            self.failure = failure
        finally:
            connection.close()

    def judge(self) -> bool:
        seat = claim_seat(round_=self.round, reviewer=self.user, now=timezone.now())
        if seat is None:
            return False
        judgement = submit_judgement(
            assignment=seat,
            reviewer=self.user,
            revision_id=seat.panel.revision_id,
            content=APPROVAL,
            idempotency_key=str(uuid.uuid4()),
            now=timezone.now(),
        )
        self.acknowledged.append(judgement.pk)
        return True


@pytest.mark.django_db(transaction=True)
def test_backup_under_load_restores_every_judgement_acknowledged_before_it_began(
    opened: Callable[..., Round],  # noqa: F811
    reviewers: Callable[[int], list[User]],  # noqa: F811
    tmp_path: Path,
    var: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    round_ = opened(150, panel_size=WRITERS)
    stop = threading.Event()
    writers = [Writer(round_, user, stop) for user in reviewers(WRITERS)]
    for writer in writers:
        writer.start()
    while all(writer.is_alive() for writer in writers) and len(_acknowledged(writers)) < 20:
        stop.wait(0.01)
    before = _acknowledged(writers)

    def kept_files_when_more_is_judged() -> Iterator[Path]:
        while all(writer.is_alive() for writer in writers) and _acknowledged(writers) == before:
            stop.wait(0.01)
        return kept_files()

    monkeypatch.setattr(actions, "kept_files", kept_files_when_more_is_judged)
    create_backup(file=tmp_path / "backup.zip", now=timezone.now())
    at_end = _acknowledged(writers)
    stop.set()
    for writer in writers:
        writer.join()
    assert [writer.failure for writer in writers if writer.failure] == []
    assert len(at_end) > len(before) >= 20  # they did write while it was taken
    last = max(Judgement.objects.values_list("pk", flat=True))
    Project.objects.update(name="changed since")
    (var / "imports" / "late.csv").write_text("late", encoding="utf-8")
    (var / "imports" / "a.csv").write_text("changed since", encoding="utf-8")

    told = printed("restore", tmp_path / "backup.zip", "--replace")

    restored = set(Judgement.objects.values_list("pk", flat=True))
    assert before <= restored <= set(range(1, last + 1))
    assert Project.objects.get().name == "Ti"
    assert (told["files"], told["is_migrated"]) == (2, False)
    files = {str(path.relative_to(var)) for path in var.rglob("*") if path.is_file()}
    assert {name for name in files if name.startswith("imports/")} == {"imports/a.csv"}
    assert (var / "imports" / "a.csv").read_text(encoding="utf-8") == "imports/a.csv"
    assert _integrity() == "ok"
    # The restored tables take new rows: ids go on where they were.
    assert Writer(round_, writers[0].user, stop).judge()


def _acknowledged(writers: list[Writer]) -> set[int]:
    return {pk for writer in writers for pk in list(writer.acknowledged)}


def _integrity() -> str:
    if connection.vendor != "sqlite":
        connection.check_constraints()
        return "ok"
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as database:
        return str(database.execute("PRAGMA integrity_check").fetchone()[0])
