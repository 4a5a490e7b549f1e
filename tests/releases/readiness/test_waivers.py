"""Waivers: what may be let pass in one version, what it covers, and who is told."""

import json
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from accounts.models import AuditEvent, User
from annotation.models import Item
from common.reasons import ReasonMissing
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project, Subject
from releases.building.build import perform_build
from releases.enums import ReleaseState
from releases.files.storage import release_folder
from releases.models import Release, Waiver
from releases.readiness.actions import NotWaivable
from releases.readiness.checks import DisputesOpen, DuplicatesOpen, LicencesConflict, ReleaseBlocked
from releases.readiness.waivers import WaiverRequest
from releases.verification.checking import verify
from tests.factories import make_duplicate_pair
from tests.releases.builders import add_dispute, add_error, build, files_of, fill, start

pytestmark = pytest.mark.django_db
ERRORS = (WaiverRequest("open_errors", "Known to the authors | “sic”."),)


def item(uid: str) -> Item:
    found: Item = Item.objects.get(uid=uid)
    return found


def told(release: Release) -> tuple[dict[str, Any], dict[str, Any], str]:
    """The manifest, the figures and the card."""
    files = files_of(release)
    manifest, quality = json.loads(files["manifest.json"]), json.loads(files["quality.json"])
    return manifest, quality, files["README.md"].decode()


def test_waived_errors_are_built_and_told_everywhere(project: Project, member: Any) -> None:
    fill(project)
    add_error(item("s0/3"))
    manager: User = member(Role.MANAGER, name="Dolma")
    release = build(project, waivers=ERRORS, actor=manager)
    assert release.state == ReleaseState.BUILT
    manifest, quality, card = told(release)
    [note] = manifest["waivers"]
    assert (note["code"], note["reason"]) == ("open_errors", "Known to the authors | “sic”.")
    assert (note["role"], note["problems"], note["items"]) == ("manager", 1, 1)
    assert quality["build"]["waivers"] == [note]
    assert quality["release"]["waivers"] == {"open_errors": 1}
    assert "| `open_errors` | Known to the authors \\| “sic”. | manager |" in card
    lines = map(json.loads, files_of(release)["ledger.jsonl"].splitlines())
    assert [line["id"] for line in lines if line["waivers"] == ["open_errors"]] == ["s0/3"]
    event = AuditEvent.objects.get(verb="release.waived")
    assert (event.actor, event.data["code"], event.data["count"]) == (manager, "open_errors", 1)
    waiver = Waiver.objects.get()
    assert (waiver.waived_by, waiver.problems, waiver.uids) == (manager, ["s0/3"], ["s0/3"])
    assert b"Dolma" not in b"".join(files_of(release).values())


def test_waiver_of_a_hidden_item_tells_its_code_and_no_uid(project: Project) -> None:
    fill(project, subjects=1, tests=4)
    for uid in ("s0/0", "s0/1", "s0/2", "s0/3"):
        add_error(item(uid))
    release = build(project, waivers=ERRORS, black_box_share=0.5)
    hidden = [
        line
        for line in map(json.loads, files_of(release)["ledger.jsonl"].splitlines())
        if line["subset"] == "black-box"
    ]
    assert [line["waivers"] for line in hidden] == [["open_errors"]] * 2
    uids = release.items.filter(subset="black-box").values_list("uid", flat=True)
    everything = b"".join(files_of(release).values())
    assert not [uid for uid in uids if json.dumps(uid).encode() in everything]


def test_error_found_after_the_waiver_blocks_again(project: Project) -> None:
    fill(project)
    add_error(item("s0/3"))
    release = start(project, waivers=ERRORS)
    add_error(item("s0/4"))
    assert release.job is not None
    run_now(release.job, perform_build)
    release.refresh_from_db()
    release.job.refresh_from_db()
    assert (release.state, release.job.error_code) == (ReleaseState.FAILED, ReleaseBlocked.code)
    assert "s0/4" in release.job.error
    assert "s0/3" not in release.job.error


def test_waiver_is_for_one_version(project: Project) -> None:
    fill(project)
    add_error(item("s0/3"))
    build(project, "0.1.0", waivers=ERRORS)
    with pytest.raises(ReleaseBlocked):
        start(project, "0.2.0")


def test_version_that_failed_begins_anew_without_its_waivers(project: Project) -> None:
    fill(project)
    add_error(item("s0/3"))
    Item.objects.filter(uid="s0/5").update(key="F")
    assert build(project, waivers=ERRORS).state == ReleaseState.FAILED
    with pytest.raises(ReleaseBlocked):
        start(project)
    Item.objects.filter(uid="s0/5").update(key="A")
    assert build(project, waivers=ERRORS).state == ReleaseState.BUILT
    assert Waiver.objects.count() == 1


@pytest.mark.parametrize(
    ("code", "reason", "refusal"),
    [
        ("open_disputes", "we hurry", NotWaivable),
        ("duplicates_across", "we hurry", NotWaivable),
        ("open_duplicates", "there are none", NotWaivable),
        ("open_errors", "  ", ReasonMissing),
        ("missing_dev", "a\x00b", Exception),
    ],
)
def test_what_cannot_be_waived_is_refused_and_leaves_nothing(
    project: Project, code: str, reason: str, refusal: type[Exception]
) -> None:
    fill(project)
    add_error(item("s0/3"))
    add_dispute(item("s0/4"))
    with pytest.raises(refusal):
        start(project, waivers=(WaiverRequest(code, reason),))
    assert not Release.objects.exists()
    assert not Waiver.objects.exists()


def test_disputes_block_whatever_is_waived(project: Project) -> None:
    fill(project)
    add_error(item("s0/3"))
    add_dispute(item("s0/4"))
    with pytest.raises(DisputesOpen):
        start(project, waivers=ERRORS)


def test_open_duplicates_block_until_waived(project: Project) -> None:
    fill(project)
    make_duplicate_pair(item("s0/0"), item("s0/1"))
    with pytest.raises(DuplicatesOpen) as refusal:
        start(project)
    assert refusal.value.current == {"uids": ["s0/0 ~ s0/1"]}
    release = build(project, waivers=(WaiverRequest("open_duplicates", "They differ."),))
    [note] = told(release)[0]["waivers"]
    assert (note["problems"], note["items"]) == (1, 2)


def test_licences_at_odds_block_until_waived(project: Project) -> None:
    fill(project)
    source = project.sources.get()
    source.licence = "CC-BY-ND-4.0"
    source.save()
    with pytest.raises(LicencesConflict):
        start(project)
    waived = (WaiverRequest("licence_conflict", "The authors allowed it by letter."),)
    assert build(project, waivers=waived).state == ReleaseState.BUILT


def test_warnings_can_be_waived_too(project: Project) -> None:
    fill(project, devs=2)
    Subject.objects.filter(slug="s1").update(category="")
    waived = (
        WaiverRequest("missing_dev", "There are no more."),
        WaiverRequest("missing_category", "Not yet decided."),
    )
    manifest, _quality, _card = told(build(project, waivers=waived))
    assert [(note["code"], note["problems"], note["items"]) for note in manifest["waivers"]] == [
        ("missing_category", 1, 0),
        ("missing_dev", 2, 0),
    ]


def test_verify_release_holds_waivers_to_the_ledger(project: Project) -> None:
    fill(project)
    add_error(item("s0/3"))
    build(project, waivers=ERRORS)
    folder = release_folder(project.slug, "0.1.0")
    found = verify(folder, version=settings.VERSION)
    assert (found.problems, found.notes) == ((), ())
    ledger = folder / "ledger.jsonl"
    ledger.write_text(ledger.read_text().replace('"waivers": ["open_errors"]', '"waivers": []'))
    problems = verify(folder, version=settings.VERSION).problems
    assert ("figures", "manifest.json") in [(each.code, each.file) for each in problems]


def test_command_takes_waivers_in_pairs(project: Project, capsys: Any) -> None:
    fill(project)
    add_error(item("s0/3"))
    with pytest.raises(CommandError):
        call_command("build_release", project.slug, "1.0.0", "--waive", "open_errors")
    with pytest.raises(CommandError):
        call_command("build_release", project.slug, "1.0.0")
    said = capsys.readouterr().err
    assert "open_errors" in said
    assert "s0/3" in said
    waived = ("--waive", "open_errors", "--reason", "Known.")
    call_command("build_release", project.slug, "1.0.0", *waived, "--json")
    assert json.loads(capsys.readouterr().out)["state"] == "built"


def test_page_and_api_take_waivers(project: Project, member: Any, api_of: Any, client: Any) -> None:
    fill(project)
    add_error(item("s0/3"))
    manager = member(Role.MANAGER)
    api = api_of(manager)
    address = f"/api/v1/projects/{project.slug}/releases/"
    body = {"version": "0.1.0", "waivers": [{"code": "open_errors", "reason": "Known."}]}
    assert api.post(address, {"version": "0.1.0"}, format="json").status_code == 409
    assert api.post(address, body, format="json").status_code == 202
    client.force_login(manager)
    page = f"/projects/{project.slug}/releases/build/"
    shown = client.get(page).content.decode()
    assert 'name="waive_open_errors"' in shown
    data = {
        "version": "0.2.0", "dev_per_subject": 5, "black_box_percent": 0, "seed": 0,
        "formats": ["csv"], "dev_from": "source", "option_order": "kept",
    }  # fmt: skip
    assert client.post(page, data).status_code == 409
    assert client.post(page, data | {"waive_open_errors": "Known."}).status_code == 302
    assert list(Waiver.objects.order_by("pk").values_list("reason", flat=True)) == ["Known."] * 2
