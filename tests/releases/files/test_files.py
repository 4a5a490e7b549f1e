"""The files of a release: the same bytes each time, nothing hidden in them, loadable."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from django.conf import settings

from projects.enums import Role
from projects.models import Project, Subject
from releases.building.build import build_release
from releases.enums import Subset
from releases.files.storage import release_folder
from releases.models import Artifact, Release, ReleaseItem, ReleaseSubject
from tests.factories import MembershipFactory, UserFactory
from tests.releases.builders import (
    NOW,
    build,
    build_published,
    files_of,
    fill,
    judge,
    make_approved,
    progress_of,
    sha256_of,
    start,
)

pytestmark = pytest.mark.django_db


def test_build_of_twins_in_other_folders_gives_the_same_bytes(
    project: Project, settings: Any, tmp_path: Path
) -> None:
    fill(project)
    first = build(project, black_box_share=0.3, seed=5)
    bytes_of_first = files_of(first)
    ReleaseItem.objects.all().delete()
    ReleaseSubject.objects.all().delete()
    Artifact.objects.all().delete()
    Release.objects.all().delete()
    settings.RELEASE_FOLDER = tmp_path / "elsewhere"
    second = build(project, black_box_share=0.3, seed=5)
    assert files_of(second) == bytes_of_first
    assert second.content_hash == first.content_hash


@pytest.mark.slow
def test_exports_under_other_hash_seeds_give_the_same_bytes() -> None:
    program = (
        "import django\n"
        "django.setup()\n"
        "import hashlib\n"
        "import tempfile\n"
        "from pathlib import Path\n"
        "from releases.files.exporters import OutputFolder, export_all\n"
        "from releases.splits import SplitRule, place_items\n"
        "from tests.releases.files.test_exporters import CONTENT\n"
        "from tests.releases.test_splits import Candidate\n"
        "with tempfile.TemporaryDirectory() as path:\n"
        "    folder = OutputFolder(Path(path))\n"
        "    export_all(CONTENT, folder)\n"
        "text = repr(folder.files)\n"
        "items = [Candidate(f's{n % 3}/{n}', f's{n % 3}', n % 5 == 0) for n in range(99)]\n"
        "rule, hidden = SplitRule(3, 0.2, 1), frozenset({'s1/1'})\n"
        "placed = repr(place_items(items, rule, secret='one', hidden=hidden))\n"
        "print(hashlib.sha256((text + placed).encode()).hexdigest())\n"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=settings.ROOT,
            check=True,
            capture_output=True,
            text=True,
            timeout=170,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(digests) == 1


def test_build_after_a_published_one_never_changes_subsets(project: Project) -> None:
    fill(project, subjects=1, tests=10)
    first = build_published(project, "1.0.0", black_box_share=0.3, seed=1)
    subject = Subject.objects.get(slug="s0")
    for number in range(4):
        make_approved(
            project, source=first.items.first().item.source, subject=subject, uid=f"s0/new-{number}"
        )
    second = build(project, "1.1.0", black_box_share=0.3, seed=99)
    before = dict(first.items.values_list("item__uid", "subset"))
    after = dict(second.items.values_list("item__uid", "subset"))
    assert {uid: after[uid] for uid in before} == before
    assert list(after.values()).count(Subset.BLACK_BOX) == 4


def test_jsonl_and_csv_open_in_pandas_with_the_same_rows(project: Project) -> None:
    fill(project, subjects=1, tests=3)
    subject = Subject.objects.get(slug="s0")
    make_approved(project, subject=subject, uid="s0/x", question='=SUM(1)\n"a", b', key="B")
    release = build(project)
    folder = release_folder(project.slug, release.version)
    lines = pd.read_json(folder / "jsonl/test/s0.jsonl", lines=True, dtype=False)
    table = pd.read_csv(folder / "csv/test/s0.csv", keep_default_na=False, dtype=str)
    assert list(lines["id"]) == list(table["id"]) == ["s0/0", "s0/1", "s0/2", "s0/x"]
    assert list(table["key"]) == ["ABCDEF"[answer] for answer in lines["answer"]]
    assert list(table["A"]) == [choices[0] for choices in lines["choices"]]
    assert lines["question"].iloc[3] == '=SUM(1)\n"a", b'
    assert table["question"].iloc[3] == '\'=SUM(1)\n"a", b'
    assert set(lines["canary"]) == set(table["canary"])


def test_manifest_lists_every_other_file_with_its_checksum_and_the_sources(
    project: Project,
) -> None:
    fill(project)
    release = build(project, seed=4, notes="First.")
    files = files_of(release)
    body = json.loads(files["manifest.json"])
    listed = {file["name"]: file["sha256"] for file in body["artifacts"]}
    assert listed == {
        name: sha256_of(data)
        for name, data in files.items()
        if name not in {"manifest.json", "SHA256SUMS", f"{project.slug}-0.1.0.zip"}
    }
    assert (body["seed"], body["notes"], body["counts"]["items"]) == (4, "First.", 18)
    assert [source["licence"] for source in body["sources"]] == ["CC-BY-NC-4.0"]
    assert "CC-BY-NC-4.0" in files["README.md"].decode()


def test_zip_holds_every_other_file_unchanged(project: Project) -> None:
    fill(project)
    files = files_of(build(project))
    root = f"{project.slug}-0.1.0"
    archive = zipfile.ZipFile(io.BytesIO(files.pop(f"{root}.zip")))
    assert {name: archive.read(name) for name in archive.namelist()} == {
        f"{root}/{name}": data for name, data in files.items()
    }


def test_build_writes_the_figures_of_review_as_they_stood(project: Project) -> None:
    fill(project)
    release = start(project)
    build_release(
        release=release,
        progress=progress_of(release),
        now=NOW,
        read_quality=lambda asked: {"project": asked.slug, "subjects": [{"items": 2}]},
    )
    found = json.loads(files_of(release)["quality.json"])
    assert found.pop("release")["items"] == 18
    found.pop("build")
    assert found == {"project": "ti", "subjects": [{"items": 2}]}


def test_quality_file_has_the_figures_of_each_subject_in_each_round(project: Project) -> None:
    item = make_approved(project, uid="a/1")
    judge(item, [UserFactory(), UserFactory()], outcome="approved")
    body = json.loads(files_of(build(project))["quality.json"])
    (row,) = body["subjects"]
    assert (row["round"], row["subject"], row["approved"]) == (1, item.subject.slug, 1)


def test_ledger_tells_rounds_outcomes_and_pseudonymous_reviewers(project: Project) -> None:
    item = make_approved(project, uid="a/1")
    first, second = UserFactory(), UserFactory()
    senior = MembershipFactory(project=project, role=Role.SENIOR).user
    judge(item, [first, second], outcome="disputed", senior=senior, number=1)
    judge(item, [second], outcome="approved", number=2)
    release = build(project)
    entry = json.loads(files_of(release)["ledger.jsonl"])
    digest = item.working_translation.current_revision.content_hash
    assert entry == {
        "id": "a/1",
        "subject": item.subject.slug,
        "split": "test",
        "subset": "open",
        "option_count": 4,
        "source_ids": ["a/1"],
        "level": "",
        "key": "A",
        "texts": [{"number": 1, "origin": "mt", "sha256": digest}],
        "source": item.source.name,
        "source_revision": "",
        "system": "mt",
        "origin": "mt",
        "revisions": 1,
        "rounds": [
            {
                "number": 1,
                "outcome": "disputed",
                "dispute_reasons": ["score_gap"],
                "adjudication": {"decision": "approve", "role": "senior"},
                "judgements": {"approve": 2},
                "reviewers": ["reviewer-1", "reviewer-2"],
            },
            {
                "number": 2,
                "outcome": "approved",
                "dispute_reasons": [],
                "adjudication": None,
                "judgements": {"approve": 1},
                "reviewers": [entry["rounds"][1]["reviewers"][0]],
            },
        ],
        "outcome": "approved",
        "is_adjudicated": True,
        "reviewers": ["reviewer-1", "reviewer-2"],
        "key_changes": [],
        "dismissed_findings": [],
        "option_order": "",
        "waivers": [],
    }
