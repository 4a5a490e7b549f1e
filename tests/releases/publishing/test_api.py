"""The API of releases: shapes, roles, refusals."""

import json
from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from jobs.models import Job
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from releases.building.build import perform_build
from releases.files.storage import release_folder
from releases.models import Release
from tests.factories import ReleaseFactory, UserFactory
from tests.openapi import document
from tests.releases.builders import build, build_published, fill

pytestmark = pytest.mark.django_db

Api = Callable[[User], APIClient]
Member = Callable[..., User]
LIST = "/api/v1/projects/ti/releases/"
ONE = "/api/v1/releases/ti/0.1.0/"


@pytest.mark.parametrize("who", ["manager", "senior", "reviewer", "viewer", "stranger"])
def test_api_answers_each_role(project: Project, member: Member, api_of: Api, who: str) -> None:
    fill(project, subjects=1, tests=1)
    build(project)
    api = api_of(UserFactory() if who == "stranger" else member(Role(who)))
    reads = [LIST, ONE, f"{ONE}manifest/", f"{ONE}artifacts/manifest.json"]
    before = [api.get(address).status_code for address in reads]
    published = api.post(f"{ONE}publish/").status_code
    Release.objects.update(state="published")
    after = [api.get(address).status_code for address in reads]
    posted = api.post(LIST, {"version": "0.2.0"}).status_code
    yanked = api.post(f"{ONE}yank/", {"reason": "Wrong."}).status_code
    assert (before, published, after, posted, yanked) == {
        "manager": ([200] * 4, 200, [200] * 4, 202, 200),
        "stranger": ([404] * 4, 404, [404] * 4, 404, 404),
    }.get(who, ([200, 404, 404, 404], 404, [200] * 4, 403, 403))


def test_post_release_answers_with_job_and_version(
    project: Project, member: Member, api_of: Api
) -> None:
    fill(project)
    body = {"version": "1.0.0", "dev_per_subject": 1, "black_box_share": 0.25, "seed": 9}
    response = api_of(member(Role.MANAGER)).post(LIST, body)
    release = Release.objects.get()
    assert response.json() == {"job": release.job_id, "version": "1.0.0"}
    assert (release.black_box_share, release.seed, release.formats) == (
        0.25,
        9,
        ["cmmlu", "csv", "jsonl", "parquet", "ti_mmlu"],
    )


def test_post_release_with_wrong_values_is_refused_in_words(
    project: Project, member: Member, api_of: Api
) -> None:
    fill(project, subjects=1, tests=1)
    build_published(project)
    api = api_of(member(Role.MANAGER))
    for body, status, code in (
        ({}, 400, "invalid"),
        ({"version": 1}, 400, "version_invalid"),
        ({"version": "1.0.0", "extra": 1}, 400, "invalid"),
        ({"version": "1" * 41}, 400, "invalid"),
        ({"version": "1.0.0", "seed": -1}, 400, "invalid"),
        ({"version": "1.0.0", "seed": 2**63}, 400, "invalid"),
        ({"version": "1.0.0", "black_box_share": 1.01}, 400, "invalid"),
        ({"version": "1.0.0", "black_box_share": "nan"}, 400, "invalid"),
        ({"version": "1.0.0", "black_box_share": False}, 400, "invalid"),
        ({"version": "1.0.0", "formats": []}, 400, "invalid"),
        ({"version": "1.0.0", "formats": ["xml"]}, 400, "invalid"),
        ({"version": "1.0.0", "notes": None}, 400, "invalid"),
        ({"version": "0.1.0"}, 409, "release_exists"),
        ({"version": "0.0.9"}, 409, "version_not_greater"),
    ):
        response = api.post(LIST, body)
        assert (body, response.status_code, response.json()["code"]) == (body, status, code)
        assert response.json()["detail"]


def test_cancelled_job_of_a_waiting_build_gives_its_version_free(
    project: Project, member: Member, api_of: Api
) -> None:
    fill(project)
    api = api_of(member(Role.MANAGER))
    job = api.post(LIST, {"version": "1.0.0"}).json()["job"]

    cancelled = api.post(f"/api/v1/jobs/{job}/cancel/")

    assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")
    assert api.get("/api/v1/releases/ti/1.0.0/").json()["state"] == "failed"
    for path in (f"jobs/{job}/resume/", f"jobs/{job}/cancel/"):
        assert api.post(f"/api/v1/{path}").status_code == 200
    assert api.post(LIST, {"version": "1.0.0"}).status_code == 202


def test_job_of_a_build_that_was_begun_anew_ends_in_words(
    project: Project, member: Member, api_of: Api
) -> None:
    fill(project)
    api = api_of(member(Role.MANAGER))
    job = api.post(LIST, {"version": "1.0.0"}).json()["job"]
    assert api.post(f"/api/v1/jobs/{job}/cancel/").status_code == 200
    assert api.post(LIST, {"version": "1.0.0"}).status_code == 202

    for verb, code in (("resume", "build_ended"), ("cancel", "job_not_cancellable")):
        refused = api.post(f"/api/v1/jobs/{job}/{verb}/")
        assert (refused.status_code, refused.json()["code"]) == (409, code)

    Job.objects.filter(pk=job).update(state="queued")
    ended = run_now(Job.objects.get(pk=job), perform_build)

    assert (ended.state, ended.error_code) == ("failed", "build_ended")


def test_get_manifest_gives_the_file_that_was_built(
    project: Project, member: Member, api_of: Api
) -> None:
    fill(project)
    build_published(project)
    body = api_of(member(Role.VIEWER)).get(f"{ONE}manifest/").json()
    assert body == json.loads((release_folder("ti", "0.1.0") / "manifest.json").read_bytes())


def test_get_release_lists_its_artifacts(project: Project, member: Member, api_of: Api) -> None:
    fill(project)
    release = build_published(project)
    body = api_of(member(Role.VIEWER)).get(ONE).json()
    assert body["content_hash"] == release.content_hash
    assert [a["name"] for a in body["artifacts"]] == sorted(
        release.artifacts.values_list("name", flat=True)
    )


def test_schema_documents_the_media_type_of_every_artifact(
    project: Project, member: Member
) -> None:
    fill(project)
    release = build_published(project)
    found = set(release.artifacts.values_list("media_type", flat=True))
    path = document()["paths"]["/api/v1/releases/{project}/{version}/artifacts/{name}"]
    assert found <= set(path["get"]["responses"]["200"]["content"])
    assert len(found) > 3


def test_get_artifact_streams_its_bytes(project: Project, member: Member, api_of: Api) -> None:
    fill(project)
    build_published(project)
    response = api_of(member(Role.VIEWER)).get(f"{ONE}artifacts/jsonl/test/s0.jsonl")
    data = b"".join(response.streaming_content)
    assert data == (release_folder("ti", "0.1.0") / "jsonl/test/s0.jsonl").read_bytes()
    assert response["Cache-Control"] == "private, no-store"


def test_get_artifact_that_is_none_is_not_found(
    project: Project, member: Member, api_of: Api
) -> None:
    fill(project, subjects=1, tests=1)
    build_published(project)
    api = api_of(member(Role.VIEWER))
    for name in ("none", "../../x", "jsonl/test/../../manifest.json"):
        response = api.get(f"{ONE}artifacts/{name}")
        assert (response.status_code, response.json()["code"]) == (404, "artifact_unknown"), name


def test_get_release_with_a_foreign_or_impossible_version_is_not_found(
    project: Project, member: Member, api_of: Api
) -> None:
    api = api_of(member(Role.MANAGER))
    for version in ("9.9.9", "x" * 500, "%00"):
        assert api.get(f"/api/v1/releases/ti/{version}/").status_code == 404


def test_post_yank_without_a_good_reason_is_refused(
    project: Project, member: Member, api_of: Api
) -> None:
    ReleaseFactory(project=project, version="0.1.0")
    api = api_of(member(Role.MANAGER))
    for body in ({}, {"reason": ""}, {"reason": "x" * 2001}, {"why": "x"}):
        response = api.post(f"{ONE}yank/", body)
        assert (response.status_code, response.json()["code"]) == (400, "invalid"), body
