"""The archive for Zenodo: the same bytes each time, the open part, and metadata that say it."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from projects.enums import Role
from projects.models import Project, Source
from releases.details.actions import DetailsRequest, change_details
from releases.files.exporters.citation import citation_text
from releases.files.exporters.zenodo import zenodo_bytes
from releases.files.manifest import SourceNote
from releases.models import Release
from releases.publishing.actions import publish_release
from tests.factories import ReleaseFactory
from tests.releases.builders import NOW, build, fill
from tests.releases.files.test_manifest import FACTS

pytestmark = pytest.mark.django_db
DETAILS = DetailsRequest(
    title="Ti <MMLU>",
    authors="Tashi, Pema; 0000-0002-1825-0097\nTibet Institute",
    doi="10.5281/zenodo.1",
    url="https://example.org/ti",
    licence="CC-BY-NC-SA-4.0",
)


@pytest.fixture
def release(project: Project) -> Release:
    fill(project, tests=4)
    change_details(project=project, request=DETAILS, actor=None, now=NOW)
    Source.objects.filter(project=project).update(
        url="https://example.org/source", licence="MIT", attribution="By <us>."
    )
    made = build(project, "1.0.0", black_box_share=0.5)
    publish_release(release=made, actor=None, now=NOW)
    made.refresh_from_db()
    return made


def archive(folder: Path) -> bytes:
    call_command("archive_release", "ti", "1.0.0", "--output", str(folder))
    return (folder / "ti-1.0.0-zenodo.zip").read_bytes()


def test_archive_is_the_same_at_any_time_and_by_any_way(
    release: Release, tmp_path: Path, member: Callable[..., User],
    browser_of: Callable[[User], Client],
) -> None:  # fmt: skip
    first = archive(tmp_path / "a")
    with time_machine.travel(NOW + timedelta(days=400), tick=False):
        assert archive(tmp_path / "b") == first
        page = browser_of(member(Role.VIEWER)).get(
            reverse("releases:archive", args=["ti", "1.0.0"])
        )
    assert page.getvalue() == first
    assert page["ETag"] == f'"{hashlib.sha256(first).hexdigest()}"'
    assert "ti-1.0.0-zenodo.zip" in page["Content-Disposition"]
    assert archive(tmp_path / "a") == first


def test_archive_holds_every_open_file_once_and_the_metadata(
    release: Release, tmp_path: Path
) -> None:
    found = zipfile.ZipFile(io.BytesIO(archive(tmp_path)))
    assert found.testzip() is None
    names = [name.removeprefix("ti-1.0.0/") for name in found.namelist()]
    wanted = set(release.artifacts.values_list("name", flat=True)) - {"ti-1.0.0.zip"}
    assert sorted(names) == sorted({*wanted, ".zenodo.json"})
    for file in release.artifacts.exclude(name="ti-1.0.0.zip"):
        data = found.read(f"ti-1.0.0/{file.name}")
        assert hashlib.sha256(data).hexdigest() == file.sha256, file.name
    assert found.read("ti-1.0.0/.zenodo.json") == (tmp_path / ".zenodo.json").read_bytes()


def test_metadata_say_what_was_frozen(release: Release, tmp_path: Path) -> None:
    change_details(project=release.project, request=DetailsRequest(), actor=None, now=NOW)
    archive(tmp_path)
    said = json.loads((tmp_path / ".zenodo.json").read_bytes())
    description = said.pop("description")
    assert said == {
        "title": "Ti <MMLU>",
        "upload_type": "dataset",
        "access_right": "open",
        "version": "1.0.0",
        "creators": [
            {"name": "Tashi, Pema", "orcid": "0000-0002-1825-0097"},
            {"name": "Tibet Institute"},
        ],
        "keywords": ["benchmark", "evaluation", "multiple choice", "bo"],
        "language": "bod",
        "license": "cc-by-nc-sa-4.0",
        "related_identifiers": [
            {"identifier": "10.5281/zenodo.1", "relation": "isVersionOf"},
            {"identifier": "https://example.org/ti", "relation": "isDescribedBy"},
            {
                "identifier": "https://example.org/source",
                "relation": "isDerivedFrom",
                "resource_type": "dataset",
            },
        ],
    }
    assert "By &lt;us&gt;." in description and "<us>" not in description


def test_release_without_files_has_no_archive(project: Project, tmp_path: Path) -> None:
    ReleaseFactory(project=project, version="1.0.0")
    with pytest.raises(CommandError, match="no files yet"):
        archive(tmp_path)


@pytest.mark.parametrize(
    ("licences", "told"),
    [
        (("CC BY-NC-SA 4.0", "CC BY-NC-SA 4.0"), "cc-by-nc-sa-4.0"),
        (("odbl",), "odbl-1.0"),
        (("CC BY 4.0", "cc-by-4.0"), "cc-by-4.0"),
        (("GPL-3.0-or-later",), "gpl-3.0-or-later"),
        (("MIT", "CC-BY-NC-4.0"), "other-closed"),
        (("Ask us",), "other-closed"),
        ((), "other-closed"),
    ],
)
def test_data_come_under_no_licence_that_nobody_chose(licences: tuple[str, ...], told: str) -> None:
    """Zenodo takes CC0 for data sets whose deposit names no licence."""
    sources = tuple(SourceNote("s", "1", "", licence, "", "") for licence in licences)
    assert json.loads(zenodo_bytes(replace(FACTS, sources=sources)))["license"] == told


@pytest.mark.parametrize("url", ["javascript:alert(1)", "www.example.org/data"])
def test_no_file_has_an_address_of_a_source_that_is_not_of_the_web(url: str) -> None:
    """Rows from before the address was checked may have one."""
    facts = replace(FACTS, sources=(SourceNote("s", "1", url, "MIT", "", ""),))
    assert url not in citation_text(facts) and url not in zenodo_bytes(facts).decode()
