"""Items of up to ten options go the whole way: import, correction on the page, release, score."""

import csv
import io
import json
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from accounts.models import User
from annotation.enums import TranslationState
from evaluation.request_building import asked_item, prompt_item
from projects.enums import Role
from releases.files.storage import release_folder
from releases.queries import release_items
from releases.verification.checking import verify
from review.models import Assignment, Round
from review.seats.actions.seats import claim_seat
from scoring.scorers import extract
from tests.factories import MembershipFactory, ProjectFactory
from tests.releases.builders import build_published, files_of

LETTERS = "ABCDEFGHIJ"
ROWS = [
    {
        "uid": f"law/{number}",
        "subject": "law",
        "question": "Which one?",
        "options": [f"option {letter}" for letter in LETTERS[:count]],
        "key": LETTERS[count - 1],
        "split": "test",
        "system": "mt",
        "translation_question": "ག་རེ་རེད།",
        "translation_options": [f"ལན་ {letter}" for letter in LETTERS[:count]],
    }
    for number, count in enumerate((10, 10, 4, 7))
]


@pytest.mark.django_db
def test_items_of_ten_options_are_imported_corrected_released_and_scored(tmp_path: Path) -> None:
    project = ProjectFactory(slug="ten", source_language="en", target_language="bo")
    path = tmp_path / "items.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    call_command("import_items", "ten", path, format="items", stdout=io.StringIO())
    reviewer = MembershipFactory(project=project, role=Role.REVIEWER).user
    call_command("open_round", "ten", panel_size=1, force=True, stdout=io.StringIO())
    _correct_all(reviewer)
    for item in project.items.all():
        item.translations.update(state=TranslationState.APPROVED)

    release = build_published(project, option_order="shuffled", seed=3)

    table = list(csv.DictReader(io.StringIO(files_of(release)["csv/test/law.csv"].decode())))
    assert [row["id"] for row in table if row["J"]] == ["law/0", "law/1"]
    last = {"law/0": "J", "law/1": "J", "law/2": "D", "law/3": "G"}
    assert {row["id"]: row[row["key"]] for row in table} == {
        uid: f"ལན་གསར་པ་ {letter}" for uid, letter in last.items()
    }
    assert {row["id"]: row[f"source_{row['key']}"] for row in table} == {
        uid: f"option {letter}" for uid, letter in last.items()
    }
    assert verify(release_folder("ten", "0.1.0"), version=settings.VERSION).problems == ()
    for placed in release_items(release):
        asked, key = asked_item(placed, "ཀཁགངཅཆཇཉཏཐ"), prompt_item(placed).key
        assert extract("anchored", f"The answer is {key}.", asked).letter == placed.key


def _correct_all(user: User) -> None:
    """Correct every option of each item on the page, with all fields that a browser sends."""
    browser = Client()
    browser.force_login(user)
    for row in ROWS:
        seat = claim_seat(round_=Round.objects.get(), reviewer=user, now=timezone.now())
        assert isinstance(seat, Assignment)
        assert seat.panel.item.uid == row["uid"]
        options = [f"ལན་གསར་པ་ {letter}" for letter in LETTERS[: len(row["options"])]]
        answer = browser.post(
            "/projects/ten/rounds/1/submit/",
            {
                "assignment": seat.pk,
                "revision": seat.panel.revision_id,
                "idempotency_key": row["uid"],
                "verdict": "revise",
                "domain": 4,
                "cultural": 4,
                "question": row["translation_question"],
                **{f"option_{place}": text for place, text in enumerate(options)},
            },
        )
        assert answer.status_code == 303, answer.content[:500]
