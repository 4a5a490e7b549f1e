"""A release proves itself: one changed byte in any file is seen, and so is a wrong figure."""

import errno
import json
import os
import random
from collections.abc import Callable, Iterator
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command

from annotation.items.keys import correct_key
from annotation.models import Finding, Item
from releases.files.manifest import json_document
from releases.files.storage import write_zip
from releases.models import Release
from releases.verification.checking import verify
from tests.factories import ProjectFactory, UserFactory
from tests.releases.builders import NOW, build, built_once, fill, judge


def make_release() -> Release:
    """A release with all formats, hidden items, a round, a corrected key and a dismissed finding."""
    project = ProjectFactory(slug="ti", target_language="bo")
    fill(project, tests=8)
    items = {item.uid: item for item in Item.objects.select_related("project")}
    reviewers = [UserFactory(), UserFactory()]
    judge(items["s0/1"], reviewers, outcome="approved")
    judge(items["s1/1"], reviewers, outcome="disputed", senior=UserFactory(), number=2)
    correct_key(item=items["s0/dev-1"], key="C", reason="the law says so", actor=None, now=NOW)
    Finding.objects.create(
        revision=items["s0/dev-0"].working_translation.current_revision,
        code="numbers_differ", severity="warning", field="question", created_at=NOW,
        dismissed_at=NOW, dismissed_by=UserFactory(), dismissal_reason="Written as a word.",
    )  # fmt: skip
    return build(project, black_box_share=0.25)


def problems(folder: Path) -> list[tuple[str, str]]:
    found = verify(folder, version=settings.VERSION)
    return [(each.code, each.file) for each in found.problems]


built = built_once(make_release)


@pytest.fixture
def folder(release: Release, release_folder: Path) -> Path:
    return release_folder / "ti" / "0.1.0"


def test_release_as_it_was_built_is_intact(folder: Path, release: Release) -> None:
    found = verify(folder, version=settings.VERSION)
    assert (found.problems, found.notes, found.items) == ((), (), 22)
    assert found.content_hash == release.content_hash
    assert verify(folder, version=settings.VERSION, content_hash="0" * 64).problems


def flips(data: bytes) -> Iterator[bytes]:
    """The data with one byte changed: at the start, in the middle and at the end."""
    for place in (0, len(data) // 2, len(data) - 1):
        yield data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def test_one_changed_byte_in_any_file_is_seen(folder: Path) -> None:
    unseen = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        whole = path.read_bytes()
        for changed in flips(whole):
            path.write_bytes(changed)
            if not problems(folder):
                unseen.append(path.name)
        path.write_bytes(whole)
    assert unseen == []
    assert problems(folder) == []


def test_any_byte_changed_taken_away_or_added_is_seen(folder: Path) -> None:
    """Places and values are drawn, from a seed that stays: a failure can be repeated."""
    draw = random.Random(20261120)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    unseen = []
    for path in draw.choices(files, k=40):
        whole = path.read_bytes()
        place, sign = draw.randrange(len(whole)), bytes([draw.randrange(1, 256)])
        other = bytes([whole[place] ^ sign[0]])
        changes = [
            whole[:place] + other + whole[place + 1 :],
            whole[:place] + whole[place + 1 :],
            whole[:place] + sign + whole[place:],
        ]
        path.write_bytes(draw.choice(changes))
        if not problems(folder):
            unseen.append((path.name, place))
        path.write_bytes(whole)
    assert unseen == []


def test_every_file_that_is_taken_away_is_seen(folder: Path) -> None:
    """The archive is what everything else was unpacked from: it may be elsewhere, and a note says so."""
    unseen = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        away = path.rename(folder.parent / "away")
        if not problems(folder):
            unseen.append(path.name)
        away.rename(path)
    archive = "ti-0.1.0.zip"
    assert unseen == [archive]
    (folder / archive).unlink()
    assert verify(folder, version=settings.VERSION).notes == ("The archive is not in the folder.",)
    (folder / "jsonl/test/s0.jsonl").unlink()
    assert ("missing", "jsonl/test/s0.jsonl") in problems(folder)


@pytest.mark.parametrize("name", [".hidden", "jsonl/test/s9.jsonl", "new/deep/x", "ti-0.1.0 2.zip"])
def test_every_file_that_is_added_is_seen(folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).touch()
    assert ("unlisted", name) in problems(folder)


def test_what_is_no_plain_file_is_seen(folder: Path, tmp_path: Path) -> None:
    """A link may lead to other bytes tomorrow, and a pipe has none to check."""
    readme = folder / "README.md"
    (tmp_path / "copy").write_bytes(readme.read_bytes())
    readme.unlink()
    readme.symlink_to(tmp_path / "copy")
    (folder / "nowhere").symlink_to(tmp_path / "nothing")
    (folder / "elsewhere").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    found = [name for code, name in problems(folder) if code == "not_a_file"]
    assert found == ["README.md", "elsewhere", "nowhere", "pipe"]


@pytest.mark.parametrize("name", ["README.md", "jsonl/test/s0.jsonl", "manifest.json", "csv/test"])
def test_what_may_not_be_read_is_named_in_words(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operating system is asked as root here, which may read everything."""
    whole_scan, whole_open = os.scandir, Path.open

    def scan(path: str) -> Any:
        if str(path) == str(folder / name):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return whole_scan(path)

    def opened(path: Path, *given: Any, **further: Any) -> Any:
        if path == folder / name:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return whole_open(path, *given, **further)

    monkeypatch.setattr(os, "scandir", scan)
    monkeypatch.setattr(Path, "open", opened)
    found = {each.file: each for each in verify(folder, version=settings.VERSION).problems}
    assert found[name].code == "unreadable"
    assert found[name].detail.startswith("You may not read this.")
    assert "missing" not in {each.code for each in found.values()}


def test_folder_in_the_place_of_the_archive_is_seen(folder: Path) -> None:
    archive = folder / "ti-0.1.0.zip"
    archive.unlink()
    archive.mkdir()
    assert ("not_a_file", archive.name) in problems(folder)


Change = Callable[[dict[str, object]], None]


def rewrite_lines(path: Path, change: Change) -> None:
    """Change the first line of a file as somebody would who wants it to look right."""
    first, *others = path.read_text().splitlines(keepends=True)
    body = json.loads(first)
    change(body)
    path.write_text(json.dumps(body, ensure_ascii=False) + "\n" + "".join(others))


@pytest.mark.parametrize(
    ("name", "change", "seen"),
    [
        ("ledger.jsonl", {"outcome": "approved"}, ("figures", "quality.json")),
        ("ledger.jsonl", {"key": "E"}, ("rows", "jsonl/dev/s0.jsonl")),
        ("ledger.jsonl", {"split": "test"}, ("figures", "manifest.json")),
        ("jsonl/test/s0.jsonl", {"answer": 3}, ("rows", "jsonl/test/s0.jsonl")),
        ("jsonl/test/s0.jsonl", {"question": "?"}, ("rows", "jsonl/test/s0.jsonl")),
        ("jsonl/test/s0.jsonl", {"id": "s0/x"}, ("rows", "ledger.jsonl")),
        ("black_box.jsonl", {"option_count": 3}, ("ledger", "black_box.jsonl")),
        ("black_box.jsonl", {"id": "s0/dev-0"}, ("ledger", "ledger.jsonl")),
    ],
)
def test_changes_that_are_more_than_a_wrong_checksum_are_named(
    folder: Path, name: str, change: dict[str, object], seen: tuple[str, str]
) -> None:
    rewrite_lines(folder / name, lambda body: body.update(change))
    assert seen in problems(folder)


def test_every_figure_of_the_quality_file_and_the_card_is_held_to_the_ledger(folder: Path) -> None:
    path = folder / "quality.json"
    whole = json.loads(path.read_text())
    for name in whole["release"]:
        path.write_text(json.dumps(whole | {"release": whole["release"] | {name: 77}}))
        assert ("figures", "quality.json") in problems(folder), name
    path.write_text(json.dumps(whole, ensure_ascii=False, sort_keys=True, indent=2) + "\n")
    card = folder / "README.md"
    card.write_text(card.read_text().replace("2 reviewers gave 4", "3 reviewers gave 4"))
    assert ("card", "README.md") in problems(folder)


def test_figures_are_those_of_the_review(folder: Path) -> None:
    found = json.loads((folder / "quality.json").read_text())["release"]
    assert (found["reviewers"], found["judgements"], found["judged_items"]) == (2, 4, 2)
    assert (found["adjudicated_items"], found["adjudicated_share"]) == (1, 0.5)
    assert found["corrected_keys"] == 1
    assert found["dismissed_findings"] == {"numbers_differ": 1}
    assert found["rounds"][0] == {
        "number": 1, "items": 1, "judgements": 2, "outcomes": {"approved": 1},
        "adjudications": {}, "agreement": 1.0,
    }  # fmt: skip


def test_ledger_tells_key_changes_and_dismissed_findings(folder: Path) -> None:
    lines = [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]
    by_id = {line["id"]: line for line in lines if "id" in line}
    change = {"before": "A", "after": "C", "reason": "the law says so"}
    assert [line["key_changes"] for line in lines if line["key_changes"]] == [[change]]
    assert by_id["s0/dev-1"]["key_changes"] == [change]
    assert by_id["s0/dev-0"]["dismissed_findings"] == [
        {"code": "numbers_differ", "severity": "warning", "reason": "Written as a word."}
    ]


@pytest.mark.parametrize("rubbish", [b"", b"\x00\xff\xfe", b"[]\n", b"{}\n", b'{"a": NaN}'])
@pytest.mark.parametrize(
    "name", ["manifest.json", "ledger.jsonl", "quality.json", "SHA256SUMS", "jsonl/dev/s0.jsonl"]
)
def test_rubbish_in_a_file_is_a_problem_and_no_crash(
    folder: Path, name: str, rubbish: bytes
) -> None:
    (folder / name).write_bytes(rubbish)
    assert problems(folder)


def test_command_needs_no_database_and_exits_with_1(folder: Path) -> None:
    out = StringIO()
    call_command("verify_release", str(folder), "--json", stdout=out)
    assert json.loads(out.getvalue())["is_intact"] is True
    (folder / "README.md").write_bytes(b"?")
    with pytest.raises(SystemExit) as ended:
        call_command("verify_release", str(folder), stdout=out)
    assert ended.value.code == 1
    assert "changed: README.md" in out.getvalue()


def unreadable(folder: Path) -> set[tuple[str, str]]:
    found = verify(folder, version=settings.VERSION)
    return {(each.file, each.detail) for each in found.problems if each.code == "unreadable"}


UTF8 = "The file is not text in UTF-8, so it is damaged or another file."
JSON = "The file is not JSON, so it is damaged or cut off."
SHAPE = "The file does not hold what a file of this name holds in a release, or is damaged."


DAMAGED = [
    ("manifest.json", b"\xff\xfe{}", UTF8),
    ("manifest.json", b"{", JSON),
    ("manifest.json", b"{}", SHAPE),
    ("manifest.json", b"[]", SHAPE),
    ("manifest.json", b"[" * 200_000, SHAPE),
    ("quality.json", b"\x1f\x8b\x08\x00", UTF8),
    ("quality.json", b"{}", SHAPE),
    ("ledger.jsonl", b'{"id": 1}\n{', JSON),
    ("ledger.jsonl", b"\xff", UTF8),
    ("ledger.jsonl", b"{}\n", SHAPE),
    ("black_box.jsonl", b"PK\x03\x04", JSON),
    ("SHA256SUMS", b"\xff", UTF8),
    ("jsonl/test/s0.jsonl", b"{", JSON),
    ("jsonl/test/s0.jsonl", b"{}\n", SHAPE),
    ("csv/test/s0.csv", b"id\r\n\xff", UTF8),
    ("csv/test/s0.csv", b'id\n"a\rb\x00', SHAPE),
    ("parquet/test/s0.parquet", b"PAR1", SHAPE),
]


def test_file_that_cannot_be_read_is_named_in_plain_words(folder: Path) -> None:
    for name, data, words in DAMAGED:
        path = folder / name
        whole = path.read_bytes()
        path.write_bytes(data)
        assert unreadable(folder) == {(name, words)}, data[:20]
        path.write_bytes(whole)


def test_file_that_is_not_there_or_is_a_folder_is_named_in_plain_words(folder: Path) -> None:
    names = ("quality.json", "ledger.jsonl", "manifest.json", "CITATION.cff")
    for name in names:
        path = folder / name
        whole = path.read_bytes()
        path.unlink()
        assert unreadable(folder) == {(name, "The file is not in the folder.")}
        path.mkdir()
        assert unreadable(folder) == {(name, "This is a folder, but a release has a file here.")}
        path.rmdir()
        path.write_bytes(whole)
    (folder / "parquet/test/s0.parquet").write_bytes(
        (folder / "parquet/test/s0.parquet").read_bytes()[:-9]
    )
    assert unreadable(folder) == {("parquet/test/s0.parquet", SHAPE)}


def as_first_format(folder: Path) -> None:
    """Rewrite a release as format 1 was: a ledger of ids, and checksums that the manifest lists."""
    manifest = json.loads((folder / "manifest.json").read_text())
    archive = folder / f"{manifest['project']}-{manifest['version']}.zip"
    archive.unlink()
    ledger = (folder / "ledger.jsonl").read_text().splitlines()
    (folder / "ledger.jsonl").write_text("".join(f'{{"line": {n}}}\n' for n in range(len(ledger))))
    files = {
        path.relative_to(folder).as_posix(): path
        for path in folder.rglob("*")
        if path.is_file() and path.name not in {"manifest.json", "SHA256SUMS"}
    }
    lines = [f"{sha256(files[name].read_bytes()).hexdigest()}  {name}\n" for name in sorted(files)]
    (folder / "SHA256SUMS").write_text("".join(lines))
    files["SHA256SUMS"] = folder / "SHA256SUMS"
    artifacts = [
        {"name": name, "sha256": sha256(data := path.read_bytes()).hexdigest(), "size": len(data)}
        for name, path in sorted(files.items())
    ]
    manifest |= {"manifest_format": 1, "artifacts": artifacts}
    (folder / "manifest.json").write_bytes(json_document(manifest))
    write_zip(archive, folder, [*files, "manifest.json"], root=archive.stem)


def test_release_of_the_first_format_is_held_to_its_checksums(folder: Path) -> None:
    as_first_format(folder)
    found = verify(folder, version=settings.VERSION)
    assert (found.problems, found.items) == ((), 22)
    (note,) = found.notes
    assert "format 1" in note and "no figures" in note
    wrong = verify(folder, version=settings.VERSION, content_hash="0" * 64)
    assert [each.file for each in wrong.problems] == ["manifest.json"]
    ledger = folder / "ledger.jsonl"
    ledger.write_text(ledger.read_text().replace("21", "12"))
    assert ("changed", "ledger.jsonl") in problems(folder)
