"""`build_release` and `publish_release` as other programs call them."""

import hashlib
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from jobs.models import Job
from projects.models import Project
from releases.enums import ReleaseState
from releases.models import Release
from tests.commands import printed
from tests.releases.builders import NOW, build, fill, make_approved

pytestmark = pytest.mark.django_db


def test_build_release_prints_counts_hash_and_artifacts_and_copies_the_files(
    project: Project, tmp_path: Path
) -> None:
    fill(project, tests=10)
    output = tmp_path / "out"
    body = printed(
        "build_release", "ti", "1.0.0", "--dev", 2, "--black-box", 0.2, "--seed", 7,
        "--output", output,
    )  # fmt: skip
    artifacts = body.pop("artifacts")
    release = Release.objects.get()
    assert body == {
        "project": "ti",
        "version": "1.0.0",
        "state": "built",
        "items": 24,
        "test": 20,
        "dev": 4,
        "open": 20,
        "black_box": 4,
        "seed": 7,
        "content_hash": release.content_hash,
    }
    for artifact in artifacts:
        data = (output / artifact["name"]).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (
            artifact["size"],
            artifact["sha256"],
        )
    assert len(artifacts) == sum(path.is_file() for path in output.rglob("*"))


def test_build_release_with_formats_writes_only_those(project: Project) -> None:
    fill(project)
    names = [
        a["name"] for a in printed("build_release", "ti", "1.0.0", "--formats", "csv")["artifacts"]
    ]
    assert any(name.startswith("csv/") for name in names)
    assert not any(name.startswith("jsonl/") for name in names)


def test_build_release_with_publish_publishes_it(project: Project) -> None:
    fill(project)
    assert printed("build_release", "ti", "1.0.0", "--publish")["state"] == "published"


def test_build_release_without_json_prints_lines_for_people(project: Project) -> None:
    fill(project)
    out = StringIO()
    call_command("build_release", "ti", "1.0.0", stdout=out)
    assert "items: 18" in out.getvalue()
    assert "manifest.json" in out.getvalue()


def test_build_release_refused_says_why_and_exits_with_1(project: Project) -> None:
    fill(project, subjects=1, tests=1)
    build(project, "0.1.0")
    for arguments, words in (
        (("nowhere", "1.0.0"), "There is no project"),
        (("ti", "one"), "is not a semantic version"),
        (("ti", "0.1.0"), "0.1.0 already exists"),
        (("ti", "1.0.0", "--black-box", "1.01"), "black_box_share"),
        (("ti", "1.0.0", "--formats", "xml"), "formats"),
    ):
        with pytest.raises(CommandError, match=words) as refusal:
            printed("build_release", *arguments)
        assert refusal.value.returncode == 1


def test_build_release_without_a_place_for_its_files_uses_up_no_version(
    project: Project, tmp_path: Path
) -> None:
    fill(project)
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match="file: File exists") as refusal:
        printed("build_release", "ti", "1.0.0", "--output", str(tmp_path / "file"))
    assert refusal.value.returncode == 1
    assert not Release.objects.exists()


def test_build_release_that_fails_says_why_and_exits_with_1(project: Project) -> None:
    make_approved(project, uid="a/1", key="E")
    with pytest.raises(CommandError, match="a/1") as refusal:
        printed("build_release", "ti", "1.0.0")
    assert refusal.value.returncode == 1


def test_build_release_again_after_a_kill_goes_on_and_ends_well(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(project)
    with monkeypatch.context() as patch:
        patch.setattr("releases.building.build._finish", _die)
        with pytest.raises(KeyboardInterrupt):
            printed("build_release", "ti", "1.0.0", "--seed", 3)
    # Ctrl-C puts the job back; a process that is killed leaves the row like this.
    Job.objects.update(state="running", worker="elsewhere/1", heartbeat_at=timezone.now())
    with pytest.raises(CommandError, match="If it was killed, repeat the command"):
        printed("build_release", "ti", "1.0.0", "--seed", 3)
    Job.objects.update(heartbeat_at=NOW - timedelta(hours=1))
    with pytest.raises(CommandError, match="already exists"):
        printed("build_release", "ti", "1.0.0", "--seed", 4)
    assert printed("build_release", "ti", "1.0.0", "--seed", 3)["state"] == "built"


def _die(*_arguments: object) -> None:
    raise KeyboardInterrupt


def test_publish_release_of_a_built_version_publishes_it(project: Project) -> None:
    fill(project)
    release = build(project)
    assert printed("publish_release", "ti", "0.1.0") == {
        "project": "ti",
        "version": "0.1.0",
        "state": "published",
        "content_hash": release.content_hash,
    }


def test_publish_release_twice_and_of_an_unknown_version_is_refused(project: Project) -> None:
    fill(project)
    build(project)
    printed("publish_release", "ti", "0.1.0")
    with pytest.raises(CommandError, match="not published yet"):
        printed("publish_release", "ti", "0.1.0")
    with pytest.raises(CommandError, match="no release 9"):
        printed("publish_release", "ti", "9.0.0")
    assert Release.objects.get().state == ReleaseState.PUBLISHED
