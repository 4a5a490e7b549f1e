"""A project of one language: native items are imported, reviewed, reported and released."""

import json
import re
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation.imports.actions import import_path
from annotation.imports.opening import ImportOptions
from annotation.models import Finding, Item, Revision
from projects.criteria import DEFAULT_NAMES
from projects.enums import Role
from projects.models import Membership, Project
from releases.files.storage import release_folder
from review.outcomes import Correction
from review.rounds.actions.rounds import close_round, open_round
from review.rounds.actions.settings import RoundSettings
from review.seats.actions.seats import claim_seat
from review.workbench.actions.judgements import JudgementContent, submit_judgement
from tests.factories import ProjectFactory, UserFactory
from tests.releases.builders import build

pytestmark = pytest.mark.django_db
SUFFIXES = (".md", ".jsonl", ".json", ".cff")
OPTIONS = ["ວຽງຈັນ", "ຫຼວງພະບາງ", "ປາກເຊ", "ສະຫວັນນະເຂດ"]


@pytest.fixture
def native() -> Project:
    return ProjectFactory(slug="lao", source_language="lo", target_language="lo")


def row(number: int, **changes: Any) -> dict[str, Any]:
    words = {"uid": f"geo/{number}", "subject": "geo", "options": OPTIONS, "key": "A"}
    return words | {"question": f"ນະຄອນຫຼວງຂອງລາວແມ່ນໃສ? {number}"} | changes


def imported(project: Project, folder: Path, *rows: dict[str, Any]) -> Any:
    path = folder / "items.jsonl"
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in rows), "utf-8")
    options = ImportOptions()
    return import_path(project=project, path=path, options=options, actor=None, now=timezone.now())


def person(project: Project, role: Role) -> User:
    user = UserFactory()
    Membership.objects.create(project=project, user=user, role=role, created_at=timezone.now())
    return user


def judged(round_: Any, user: User, **said: Any) -> None:
    seat = claim_seat(round_=round_, reviewer=user, now=timezone.now())
    assert seat is not None
    verdict = "revise" if "correction" in said else "approve"
    submit_judgement(
        assignment=seat,
        reviewer=user,
        revision_id=seat.panel.revision_id,
        content=JudgementContent(verdict=verdict, ratings=dict.fromkeys(DEFAULT_NAMES, 5), **said),
        idempotency_key=uuid.uuid4().hex,
        now=timezone.now(),
    )


def test_import_makes_each_item_and_its_text_in_one(native: Project, tmp_path: Path) -> None:
    imported(native, tmp_path, row(1), row(2))

    for item in Item.objects.filter(project=native):
        text = item.working_translation.current_revision
        assert (text.question, text.options) == (item.question, item.options)
    again = imported(native, tmp_path, row(1), row(2))
    assert again.as_json()["outcome"] != "imported" or Revision.objects.count() == 2
    assert Revision.objects.count() == 2


def test_native_text_is_checked_alone(native: Project, tmp_path: Path) -> None:
    imported(native, tmp_path, row(1), row(2, options=[OPTIONS[0], *OPTIONS[:3]]))

    assert set(Finding.objects.values_list("code", flat=True)) == {"equal_options"}


def test_pages_show_one_text(native: Project, tmp_path: Path) -> None:
    imported(native, tmp_path, row(1))
    round_ = open_round(
        project=native, settings=RoundSettings(panel_size=1), actor=None, now=timezone.now()
    )
    reviewer = person(native, Role.REVIEWER)
    client = Client()
    client.force_login(reviewer)
    workbench = f"/projects/lao/rounds/{round_.number}/workbench/"
    assert claim_seat(round_=round_, reviewer=reviewer, now=timezone.now())

    page = client.get(workbench).content.decode()
    item = client.get(f"/projects/lao/items/{Item.objects.get().pk}/").content.decode()

    for html in (page, item):
        assert 'class="source"' not in html
        assert OPTIONS[0] in html
    assert "there is no source to compare with" in round_.guideline.text


@pytest.mark.parametrize(
    "page", ["items/", "findings/equal_options/", "duplicates/", "report/", "items/{item}/"]
)
def test_pages_do_not_speak_of_translations(native: Project, tmp_path: Path, page: str) -> None:
    imported(native, tmp_path, row(1), row(2, options=[OPTIONS[0], *OPTIONS[:3]]))
    client = Client()
    client.force_login(person(native, Role.MANAGER))

    path = page.format(item=Item.objects.get(uid="geo/2").pk)
    html = client.get(f"/projects/lao/{path}").content.decode()

    words = re.sub("<[^>]*>", " ", html.partition("<main")[2])
    assert "geo" in words or page in ("duplicates/", "report/")
    assert not re.search("source text|source and translation|translations", words, re.IGNORECASE)


def test_form_of_a_round_offers_no_comparison_of_texts_that_there_are_not(
    native: Project, tmp_path: Path
) -> None:
    imported(native, tmp_path, row(1))
    client = Client()
    client.force_login(person(native, Role.MANAGER))

    page = client.get("/projects/lao/rounds/open/").content.decode()
    sent = {"kind": "comparison", "selection": "all", "panel_size": "1"}
    answer = client.post("/projects/lao/rounds/open/", sent)

    assert "1 of 1 items are not approved yet" in page
    assert 'value="solving"' in page
    assert 'value="comparison"' not in page
    assert "read the translation" not in page
    assert answer.status_code == 400
    assert not native.rounds.exists()


def test_corrected_native_items_are_reported_and_released(native: Project, tmp_path: Path) -> None:
    imported(native, tmp_path, row(1), row(2))
    first, second = person(native, Role.REVIEWER), person(native, Role.REVIEWER)
    better = Correction("ນະຄອນຫຼວງຂອງ ສປປ ລາວ ແມ່ນໃສ? 7", tuple(OPTIONS))
    round_ = open_round(
        project=native, settings=RoundSettings(panel_size=1), actor=None, now=timezone.now()
    )
    judged(round_, first)
    judged(round_, first, correction=better)
    close_round(round_=round_, actor=None, now=timezone.now())
    again = open_round(
        project=native, settings=RoundSettings(panel_size=1), actor=None, now=timezone.now()
    )
    judged(again, second)
    closed = close_round(round_=again, actor=None, now=timezone.now())

    release = build(native, dev_per_subject=0)

    assert closed.figures["approval_rate"]["n_used"] == 1
    assert release.items.count() == 2, release.job.error
    folder = release_folder(native.slug, release.version)
    written = [path for path in folder.rglob("*") if path.is_file()]
    texts = {path.name: path.read_text("utf-8") for path in written if path.suffix in SUFFIXES}
    assert better.question in "".join(texts.values())
    assert "written in `lo`" in texts["README.md"]
    assert texts["README.md"].count("- items.jsonl ") == 1
    described = "".join(texts[name] for name in ("README.md", "croissant.json", "CITATION.cff"))
    assert not re.search("translat|other language", described, re.IGNORECASE)


def test_project_of_one_language_is_opened_by_page() -> None:
    client = Client()
    staff = UserFactory(is_staff=True)
    client.force_login(staff)

    client.post(
        reverse("projects:new-project"),
        {
            "name": "TMLU",
            "slug": "tmlu",
            "source_language": "zh-Hant",
            "target_language": "zh-hant",
        },
    )

    project = Project.objects.get(slug="tmlu")
    assert project.is_monolingual
