"""Publishing on the Hugging Face Hub: the real client, and a stand-in for the server."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from jobs.actions import resume_job
from jobs.models import Job
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from releases.files.storage import artifact_path
from releases.hub.actions import (
    HubNotConfigured,
    HubNotLatest,
    HubNotPublished,
    HubRepositoryInvalid,
    HubTagTaken,
    publication_plan,
    start_hub_publishing,
)
from releases.hub.client import Hub
from releases.models import HubPublication, Release
from releases.publishing.actions import publish_release, yank_release
from tests.factories import ProjectFactory
from tests.releases.builders import NOW, build, built_once, fill
from tests.releases.hub.stand_in import TOKEN, HubStandIn

pytestmark = pytest.mark.django_db
PLACE = "group/ti"


def make_release() -> Release:
    project = ProjectFactory(slug="ti", name="Ti")
    fill(project, tests=4)
    made = build(project, "1.0.0", black_box_share=0.5, formats=("jsonl", "parquet"))
    publish_release(release=made, actor=None, now=NOW)
    made.refresh_from_db()
    return made


built = built_once(make_release)


@pytest.fixture
def project(release: Release, db: None) -> Project:
    return release.project


def start(release: Release, *, dry_run: bool = False, private: bool = False) -> Job:
    return start_hub_publishing(
        release=release, repository=PLACE, is_private=private, is_dry_run=dry_run, actor=None,
        now=timezone.now(),
    )  # fmt: skip


def publish(release: Release, **options: bool) -> Job:
    return run_now(start(release, **options))


def files_of(release: Release) -> dict[str, bytes]:
    """The files that should go, as they are on the disk."""
    slug, version = release.project.slug, release.version
    return {
        file.name: artifact_path(project_slug=slug, version=version, name=file.name).read_bytes()
        for file in release.artifacts.exclude(name=f"{slug}-{version}.zip")
    }


def test_repository_is_made_and_becomes_the_release(hub: HubStandIn, release: Release) -> None:
    job = publish(release, private=True)
    assert job.error == "" and job.state == "done"
    made = hub.repositories[PLACE]
    assert made.private
    assert made.files == {".gitattributes": b"*.parquet filter=lfs\n"} | files_of(release)
    assert {name for name in made.files if name.endswith(".zip")} == set()
    assert made.tags == {"1.0.0": made.head} and made.messages[1:] == ["ti 1.0.0"]
    row = HubPublication.objects.get()
    assert (row.repository, row.commit) == (PLACE, made.head)
    assert job.result["commit"] == made.head
    assert job.result["url"] == f"{hub.url}/datasets/{PLACE}/commit/{made.head}"
    assert AuditEvent.objects.filter(verb="release.hub_published").count() == 1


def test_release_in_a_script_of_a_language_is_taken(hub: HubStandIn, project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(target_language="zh-Hant")
    made = build(project, "1.1.0", formats=("jsonl",))
    publish_release(release=made, actor=None, now=NOW)
    made.refresh_from_db()
    assert publish(made).error == ""
    card = hub.repositories[PLACE].files["README.md"].decode()
    assert 'language: ["zh"]\nlanguage_bcp47: ["zh-Hant"]\n' in card


def test_nothing_changed_makes_no_commit(hub: HubStandIn, release: Release) -> None:
    publish(release)
    hub.calls.clear()
    job = publish(release)
    assert job.state == "done" and hub.writes() == []
    assert job.result["counts"]["added"]["files"] == 0
    assert job.result["unchanged"] == len(files_of(release))
    assert len(hub.repositories[PLACE].commits) == 2
    assert AuditEvent.objects.filter(verb="release.hub_published").count() == 1


def test_next_release_sends_what_differs_and_removes_what_is_gone(
    hub: HubStandIn, release: Release
) -> None:
    publish(release)
    second = build(release.project, "1.1.0", black_box_share=0.5, formats=("jsonl",))
    publish_release(release=second, actor=None, now=NOW)
    second.refresh_from_db()
    job = publish(second)
    made = hub.repositories[PLACE]
    assert set(made.files) == {".gitattributes", *files_of(second)}
    assert made.files["README.md"] == files_of(second)["README.md"]
    changes = {(each["change"], each["name"]) for each in job.result["files"]}
    assert ("changed", "README.md") in changes
    assert any(change == "removed" and name.endswith(".parquet") for change, name in changes)
    assert list(made.tags) == ["1.0.0", "1.1.0"]
    with pytest.raises(HubNotLatest):
        start(release)


def test_dry_run_sends_nothing_and_says_what_would_go(hub: HubStandIn, release: Release) -> None:
    job = publish(release, dry_run=True)
    assert job.state == "done" and hub.writes() == [] and hub.repositories == {}
    assert job.result["exists"] is False
    sizes = {each["name"]: each["size"] for each in job.result["files"]}
    assert sizes == {name: len(data) for name, data in files_of(release).items()}
    assert HubPublication.objects.count() == 0


def test_only_the_open_part_goes(hub: HubStandIn, release: Release) -> None:
    hidden = release.items.filter(subset="black-box").select_related("revision")
    shown = release.items.filter(subset="open").select_related("revision")
    publish(release)
    sent = b"\n".join([*hub.repositories[PLACE].files.values(), *hub.objects.values()])
    texts = [row.revision.question.encode() for row in hidden]
    assert texts and [text for text in texts if text in sent] == []
    assert all(row.revision.question.encode() in sent for row in shown)


@pytest.mark.parametrize(
    ("part", "status", "code"),
    [
        ("whoami", 401, "hub_token_wrong"),
        ("repos/create", 403, "hub_no_right"),
        ("commit/", 403, "hub_no_right"),
        ("commit/", 404, "hub_repository_missing"),
        ("commit/", 412, "hub_moved"),
        ("commit/", 400, "hub_refused"),
        ("whoami", 503, "hub_busy"),
        ("tag/", 500, "hub_busy"),
    ],
)
def test_refusals_are_told_in_words_and_mended_by_resuming(
    hub: HubStandIn, release: Release, part: str, status: int, code: str
) -> None:
    hub.failures = {part: status}
    job = publish(release)
    assert (job.state, job.error_code) == ("failed", code)
    assert TOKEN not in job.error and HubPublication.objects.count() == 0
    hub.failures = {}
    resume_job(job=job, actor=None, now=timezone.now())
    job = run_now(job)
    assert job.state == "done"
    made = hub.repositories[PLACE]
    assert made.tags == {"1.0.0": made.head} and len(made.commits) == 2


def assert_is_the_release(hub: HubStandIn, release: Release) -> None:
    made = hub.repositories[PLACE]
    assert made.files == {".gitattributes": b"*.parquet filter=lfs\n"} | files_of(release)
    assert made.tags == {"1.0.0": made.head} and made.messages[1:] == ["ti 1.0.0"]
    assert HubPublication.objects.get().commit == made.head
    assert AuditEvent.objects.filter(verb="release.hub_published").count() == 1


@pytest.mark.slow
@pytest.mark.parametrize("is_cut_after", [False, True])
def test_connection_lost_at_any_request_ends_in_one_commit_after_resuming(
    hub: HubStandIn, release: Release, is_cut_after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", lambda _seconds: None)
    publish(release)
    requests = len(hub.calls)
    assert requests >= 8
    states = []
    for number in range(requests):
        hub.repositories.clear()
        hub.objects.clear()
        hub.calls.clear()
        HubPublication.objects.all().delete()
        AuditEvent.objects.filter(verb="release.hub_published").delete()
        hub.cut_at, hub.is_cut_after = number, is_cut_after
        job = publish(release)
        assert len(hub.calls) > number
        hub.cut_at = None
        states.append((job.state, job.error_code))
        if job.state == "failed":
            resume_job(job=job, actor=None, now=timezone.now())
            job = run_now(job)
        assert (job.state, job.error) == ("done", "")
        assert_is_the_release(hub, release)
    assert ("failed", "hub_away") in states


def test_wrong_token_and_no_network_are_told_in_words(
    hub: HubStandIn, release: Release, settings: Any
) -> None:
    settings.HUB_TOKEN = "hf_wrong"
    job = publish(release)
    assert job.error_code == "hub_token_wrong" and "hf_wrong" not in job.error
    settings.HUB_ENDPOINT = "http://127.0.0.1:1"
    assert publish(release).error_code == "hub_away"


def test_tag_with_other_files_is_never_moved(hub: HubStandIn, release: Release) -> None:
    publish(release)
    made = hub.repositories[PLACE]
    other = made.add_commit({"README.md": b"mine"}, "mine")
    made.tags["1.0.0"] = other
    with pytest.raises(HubTagTaken):
        publication_plan(release=release, repository=PLACE)
    assert publish(release).error_code == "hub_tag_taken"
    assert made.tags["1.0.0"] == other


def test_file_that_is_not_as_built_stops_it(hub: HubStandIn, release: Release) -> None:
    artifact_path(project_slug="ti", version="1.0.0", name="README.md").write_bytes(b"changed")
    job = publish(release)
    assert job.error_code == "hub_files_changed" and hub.calls == []


def test_what_may_not_go_is_refused_at_once(
    hub: HubStandIn, release: Release, settings: Any
) -> None:
    for name in ("ti", "group/", "a/b/c", "../x", "group/ti ", "https://x/y"):
        with pytest.raises(HubRepositoryInvalid):
            start_hub_publishing(
                release=release, repository=name, is_private=False, is_dry_run=False, actor=None,
                now=NOW,
            )  # fmt: skip
    built = build(release.project, "1.1.0")
    with pytest.raises(HubNotPublished):
        start(built)
    yank_release(release=release, reason="x", actor=None, now=NOW)
    release.refresh_from_db()
    with pytest.raises(HubNotPublished):
        start(release)
    settings.HUB_TOKEN = ""
    with pytest.raises(HubNotConfigured):
        start(release)
    assert hub.calls == []


def test_token_is_in_no_representation() -> None:
    assert TOKEN not in repr(Hub("https://huggingface.co", TOKEN))


def test_command_publishes_and_says_what_changed(
    hub: HubStandIn, release: Release, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("publish_release", "ti", "1.0.0", "--repository", PLACE, "--dry-run", "--json")
    planned = json.loads(capsys.readouterr().out)
    assert planned["dry_run"] is True and hub.repositories == {}
    call_command("publish_release", "ti", "1.0.0", "--repository", PLACE, "--private")
    said = capsys.readouterr().out
    assert f"{planned['counts']['added']['files']} to add, 0 to change" in said
    assert f"{hub.url}/datasets/{PLACE}/commit/{hub.repositories[PLACE].head}" in said
    hub.failures = {"whoami": 401}
    with pytest.raises(CommandError, match="does not accept this server's token"):
        call_command("publish_release", "ti", "1.0.0", "--repository", PLACE)
    with pytest.raises(CommandError, match="--repository"):
        call_command("publish_release", "ti", "1.0.0", "--dry-run")


def test_page_starts_a_dry_run_and_shows_it_and_the_commit(
    hub: HubStandIn, release: Release, member: Callable[..., User],
    browser_of: Callable[[User], Client],
) -> None:  # fmt: skip
    browser = browser_of(member(Role.MANAGER))
    address = reverse("releases:hub", args=["ti", "1.0.0"])
    assert browser.get(address).status_code == 200
    assert browser.post(address, {"repository": "nothing"}).status_code == 400
    answer = browser.post(address, {"repository": PLACE, "dry_run": "1"})
    job = run_now(Job.objects.get(kind="hub-publishing"))
    page = browser.get(answer["location"]).content.decode()
    assert "dry run" in page and "README.md" in page
    assert job.result["dry_run"] is True
    publish(release)
    commit = hub.repositories[PLACE].head[:12]
    for shown in (address, reverse("releases:detail", args=["ti", "1.0.0"])):
        assert commit in browser.get(shown).content.decode()
    assert f'value="{PLACE}"' in browser.get(address).content.decode()


def test_job_says_whether_the_repository_is_new_to_be_made_or_the_same(
    hub: HubStandIn, release: Release, member: Callable[..., User],
    browser_of: Callable[[User], Client],
) -> None:  # fmt: skip
    browser = browser_of(member(Role.MANAGER))

    def page(job: Job) -> str:
        return browser.get(reverse("jobs:job", args=[job.pk])).content.decode()

    assert "does not exist yet. Publishing creates it." in page(publish(release, dry_run=True))
    assert "The repository is new." in page(publish(release))
    assert "so nothing was sent." in page(publish(release))


def test_page_counts_one_hidden_item_in_plain_words(
    project: Project, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    counts = build(project, "1.1.0", black_box_share=0.25).counts
    address = reverse("releases:publish", args=["ti", "1.1.0"])
    page = browser_of(member(Role.MANAGER)).get(address).content.decode()
    words = f"Items in the release: {counts['items']}. Hidden among them: {counts['black_box']}."
    assert words in " ".join(page.split())


def test_page_says_that_there_is_no_token(
    release: Release, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    page = browser_of(member(Role.MANAGER)).get(reverse("releases:hub", args=["ti", "1.0.0"]))
    assert "LOTSAWA_HUB_TOKEN" in page.content.decode()


def test_api_starts_and_lists(
    hub: HubStandIn, release: Release, member: Callable[..., User],
    api_of: Callable[[User], APIClient],
) -> None:  # fmt: skip
    api = api_of(member(Role.MANAGER))
    address = "/api/v1/releases/ti/1.0.0/hub/"
    job = api.post(address, {"repository": PLACE}, format="json")
    assert job.status_code == 202
    run_now(Job.objects.get(pk=job.json()["job"]))
    [row] = api.get(address).json()
    assert (row["repository"], row["commit"]) == (PLACE, hub.repositories[PLACE].head)
