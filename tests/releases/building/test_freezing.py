"""What freezing writes down: one consistent look, and nothing that changes afterwards shows."""

import json
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import User
from annotation.enums import ItemKind
from annotation.models import Item, Revision, Translation
from projects.enums import Role
from projects.models import Project, Source, Subject
from releases.building.build import build_release
from releases.building.freezing import freeze_items
from releases.building.queries import project_quality
from releases.files.content import release_facts
from releases.models import ReleaseItem
from review.models import Adjudication, Panel
from tests.factories import MembershipFactory, ProjectFactory, SourceFactory, UserFactory
from tests.releases.builders import (
    NOW,
    build_published,
    files_of,
    fill,
    judge,
    make_approved,
    progress_of,
    start,
)

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


def ledger_of(release: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in files_of(release)["ledger.jsonl"].splitlines()]


def test_ledger_of_a_decision_made_after_the_build_began_tells_its_outcome(
    project: Project,
) -> None:
    item = make_approved(project, uid="a/1")
    release = start(project)
    judge(item, [UserFactory()], outcome="approved", at=NOW + timedelta(minutes=5))
    build_release(release=release, progress=progress_of(release), now=NOW)
    (entry,) = ledger_of(release)
    assert (entry["outcome"], entry["reviewers"]) == ("approved", ["reviewer-1"])


@pytest.mark.parametrize(
    ("decision", "outcome"),
    [("approve", "approved"), ("adopt", "revised"), ("merge", "revised"), ("reject", "rejected")],
)
def test_ledger_gives_the_outcome_of_the_panel_and_the_decision_of_the_senior(
    project: Project, decision: str, outcome: str
) -> None:
    item = make_approved(project, uid="a/1")
    senior = MembershipFactory(project=project, role=Role.SENIOR).user
    panel = judge(item, [UserFactory(), UserFactory()], outcome="disputed", senior=senior)
    revision = _revise(item) if decision in ("adopt", "merge") else None
    Adjudication.objects.filter(panel=panel).update(
        decision=decision, resulting_revision=revision, reason="A private remark."
    )
    release = start(project)
    build_release(release=release, progress=progress_of(release), now=NOW)
    (entry,) = ledger_of(release)
    assert entry["rounds"] == [
        {
            "number": 1,
            "outcome": "disputed",
            "dispute_reasons": ["score_gap"],
            "adjudication": {"decision": decision, "role": "senior"},
            "judgements": {"approve": 2},
            "reviewers": ["reviewer-1", "reviewer-2"],
        }
    ]
    assert (entry["outcome"], entry["is_adjudicated"]) == (outcome, True)
    text = json.dumps(entry)
    assert senior.name not in text
    assert "private remark" not in text


def _revise(item: Item) -> Revision:
    translation = item.working_translation
    assert translation is not None
    assert translation.current_revision is not None
    revision: Revision = Revision.objects.create(
        translation=translation,
        number=2,
        supersedes=translation.current_revision,
        question="གསར་པ།",
        options=["ཀ", "ཁ", "ག", "ང"],
        origin="adjudicated",
        content_hash="0" * 64,
        created_at=NOW,
    )
    return revision


@pytest.mark.django_db(transaction=True)
def test_freeze_items_with_a_decision_arriving_between_gives_items_ledger_and_figures_that_fit() -> (
    None
):
    project = ProjectFactory(slug="ti")
    make_approved(project, uid="a/1")
    late = make_approved(project, uid="a/2")
    Translation.objects.filter(item=late).update(state="pending")
    panel = judge(late, [UserFactory()], outcome="disputed", senior=None, state="disputed")
    release = start(project)
    decision = threading.Thread(target=_decide, args=(panel, late))

    def read_quality(asked: Project) -> dict[str, Any]:
        decision.start()
        decision.join(timeout=0.5)  # SQLite makes it wait until the release is frozen
        return project_quality(asked)

    freeze_items(release=release, now=NOW, read_quality=read_quality)
    decision.join(timeout=120)

    assert Translation.objects.get(item=late).state == "approved"
    assert list(release.items.values_list("uid", flat=True)) == ["a/1"]
    release.refresh_from_db()
    assert release.quality["stages"][0]["approved"] == 0


def test_freeze_items_with_figures_that_fail_leaves_nothing_frozen(project: Project) -> None:
    def fail(_project: Project) -> dict[str, Any]:
        raise KeyError("figures")

    fill(project, subjects=1, tests=2)
    release = start(project)
    with pytest.raises(KeyError, match="figures"):
        freeze_items(release=release, now=NOW, read_quality=fail)
    release.refresh_from_db()
    assert (release.frozen_at, release.items.count(), release.subjects.count()) == (None, 0, 0)


def _decide(panel: Panel, item: Item) -> None:
    try:
        Panel.objects.filter(pk=panel.pk).update(
            state="settled", outcome="approved", settled_at=NOW
        )
        Translation.objects.filter(item=item).update(state="approved")
    finally:
        connection.close()


def _change_everything() -> None:
    """Edit all that can be edited behind a release."""
    Item.objects.update(
        key="D", explanation="别的", question="别的", options=["x"] * 4, level="9", year="1999",
        split="dev", state="excluded", state_reason="Gone.",
    )  # fmt: skip
    for subject in Subject.objects.all():
        Subject.objects.filter(pk=subject.pk).update(
            slug=f"new-{subject.pk}", name=f"New {subject.pk}", category="Elsewhere"
        )
    Source.objects.update(name="Other", licence="WTFPL", attribution="Nobody", url="https://x.org")
    Project.objects.update(name="Renamed", source_language="en", target_language="lo")
    Translation.objects.update(system="other", state="pending")


def test_files_after_everything_was_edited_behind_the_release_stay_the_same(
    project: Project,
) -> None:
    fill(project)
    release = start(project, black_box_share=0.3)
    freeze_items(release=release, now=NOW)
    release.refresh_from_db()
    build_release(release=release, progress=progress_of(release), now=NOW)
    before = files_of(release)
    type(release).objects.filter(pk=release.pk).update(state="building")
    release.artifacts.all().delete()
    _change_everything()

    release = type(release).objects.get(pk=release.pk)
    build_release(release=release, progress=progress_of(release), now=NOW)

    assert files_of(release) == before


def test_detail_page_after_everything_was_edited_behind_the_release_stays_the_same(
    project: Project, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    fill(project)
    release = build_published(project)
    browser = browser_of(member(Role.VIEWER))
    address = reverse("releases:detail", args=["ti", "0.1.0"])
    names = ("example", "facts", "options")

    def shown() -> list[str]:
        context = browser.get(address).context
        example = context["example"]
        return [example.uid, example.subject.name, *(str(context[name]) for name in names[1:])]

    before = shown()
    _change_everything()
    assert shown() == before
    assert release_facts(release).sources[0].licence == "CC-BY-NC-4.0"


def test_freeze_items_names_the_sources_of_items_and_of_their_translations(
    project: Project,
) -> None:
    item = make_approved(project, uid="a/1")
    texts = SourceFactory(
        project=project, name="MT texts", system="mt", licence="CC-BY-NC-SA-4.0",
        attribution="The translators", url="https://example.org/mt",
    )  # fmt: skip
    SourceFactory(project=project, name="Unused")
    Translation.objects.filter(item=item).update(source=texts)
    release = start(project)
    freeze_items(release=release, now=NOW)
    release.refresh_from_db()
    sources = release_facts(release).sources
    assert {source.name for source in sources} == {item.source.name, "MT texts"}
    found = next(source for source in sources if source.name == "MT texts")
    assert (found.licence, found.attribution, found.url) == (
        "CC-BY-NC-SA-4.0",
        "The translators",
        "https://example.org/mt",
    )


def test_freeze_items_writes_down_the_direction_of_items_that_ask_for_a_translation(
    project: Project,
) -> None:
    says = {"a/1": "zho_Hans-lao_Laoo", "a/2": "en → bo", "a/3": "", "a/4": None}
    for uid, said in says.items():
        item = make_approved(
            project, uid=uid, kind=ItemKind.TRANSLATION, key="", options=[], answer="ལྷ་ས།",
            metadata={} if said is None else {"direction": said},
        )  # fmt: skip
        Revision.objects.filter(translation__item=item).update(options=[], answer="ལྷ་ས།")
    make_approved(project, uid="a/5", metadata={"direction": "zh-bo"})

    freeze_items(release=start(project), now=NOW)

    placed = ReleaseItem.objects.order_by("uid")
    assert list(placed.values_list("source_language", "target_language")) == [
        ("zh-Hans", "lo-Laoo"),
        ("en", "bo"),
        *[(project.source_language, project.target_language)] * 2,
        ("", ""),
    ]


def test_freeze_items_copies_every_field_that_files_and_scores_depend_on(project: Project) -> None:
    item = make_approved(project, uid="a/1", key="C", explanation="因为", level="2", year="2020")
    Subject.objects.filter(pk=item.subject_id).update(category="Science", dimension="knowledge")
    release = start(project)
    freeze_items(release=release, now=NOW)
    placed = ReleaseItem.objects.select_related("subject").get()
    names = ("uid", "key", "explanation", "level", "year")
    assert {name: getattr(placed, name) for name in names} == {
        name: getattr(item, name) for name in names
    }
    assert (placed.source_question, placed.source_options) == (item.question, item.options)
    assert (placed.subject.slug, placed.subject.category, placed.subject.dimension) == (
        item.subject.slug,
        "Science",
        "knowledge",
    )
