"""Approved items, and builds of them, for the tests of releases."""

import hashlib
import shutil
import uuid
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

import pytest
from django.test import override_settings
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from accounts.models import User
from annotation.enums import PairState, Severity, SplitName, TranslationState
from annotation.models import DuplicatePair, Finding, Item, Translation
from jobs.progress import Progress
from jobs.worker import run_now
from projects.models import Project, Subject
from releases.building.actions import BuildRequest, start_build
from releases.building.build import perform_build
from releases.files.storage import release_folder
from releases.models import Release
from releases.publishing.actions import publish_release
from review.enums import Outcome, PanelState, RoundState
from review.models import Adjudication, Assignment, Judgement, Panel
from tests.factories import (
    RoundFactory,
    SourceFactory,
    SubjectFactory,
    UserFactory,
    make_duplicate_pair,
    make_translated_item,
    make_translated_items,
)
from tests.shared_rows import shared_rows

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
T = TypeVar("T")


def approve(item: Item) -> Item:
    translation = item.working_translation
    assert translation is not None
    translation.state = TranslationState.APPROVED
    translation.save(update_fields=["state"])
    return item


def make_approved(project: Project, **fields: Any) -> Item:
    return approve(make_translated_item(project=project, **fields))


def fill(project: Project, *, subjects: int = 2, tests: int = 6, devs: int = 3) -> list[Subject]:
    """Approved items with texts of their own: `sN/0…` tests, `sN/dev-0…` dev items."""
    source = SourceFactory(project=project, name="CMMLU", licence="CC-BY-NC-4.0", revision="1")
    found, rows = [], []
    for number in range(subjects):
        subject = SubjectFactory(
            project=project, slug=f"s{number}", name=f"Subject {number}", category="Science"
        )
        found.append(subject)
        splits = {f"s{number}/{index}": SplitName.TEST for index in range(tests)}
        splits |= {f"s{number}/dev-{index}": SplitName.DEV for index in range(devs)}
        shared = {"project": project, "source": source, "subject": subject}
        rows += [shared | _texts(uid, split) for uid, split in splits.items()]
    made = make_translated_items(rows)
    Translation.objects.filter(item__in=made).update(state=TranslationState.APPROVED)
    return found


def _texts(uid: str, split: str) -> dict[str, Any]:
    return {
        "uid": uid,
        "split": split,
        "key": "ABCD"[len(uid) % 4],
        "question": f"འདྲི་བ་ {uid} ག་རེ་རེད།",
        "options": [f"ལན་ {uid} {letter}" for letter in "ཀཁགང"],
        "explanation": "因为如此。" if split == SplitName.DEV else "",
    }


def build(
    project: Project, version: str = "0.1.0", *, actor: User | None = None, **parameters: Any
) -> Release:
    """A release built as a worker would."""
    request = BuildRequest(version=version, **parameters)
    release = start_build(project=project, request=request, actor=actor, now=timezone.now())
    assert release.job is not None
    run_now(release.job, perform_build)
    release.refresh_from_db()
    return release


def build_published(project: Project, version: str = "0.1.0", **parameters: Any) -> Release:
    release = build(project, version, **parameters)
    publish_release(release=release, actor=None, now=NOW)
    release.refresh_from_db()
    return release


@dataclass(frozen=True)
class Built(Generic[T]):
    """Rows that the tests of a module share, and the folder of their releases."""

    rows: T
    folder: Path

    def copied(self, folder: Path) -> T:
        """The rows for one test, which may change them and what is in `folder`."""
        shutil.copytree(self.folder, folder)
        return deepcopy(self.rows)


def built_once(make: Callable[[], T]) -> Any:
    """A fixture with what `make` builds, once for a module (see `shared_rows`)."""

    @pytest.fixture(scope="module")
    def built(
        django_db_setup: None,
        django_db_blocker: DjangoDbBlocker,
        tmp_path_factory: pytest.TempPathFactory,
    ) -> Iterator[Built[T]]:
        folder = tmp_path_factory.mktemp("releases")

        def make_here() -> T:
            with override_settings(RELEASE_FOLDER=folder):
                return make()

        with shared_rows(django_db_blocker, make_here) as rows:
            yield Built(rows, folder)

    return built


def start(project: Project, version: str = "0.1.0", **parameters: Any) -> Release:
    request = BuildRequest(version=version, **parameters)
    return start_build(project=project, request=request, actor=None, now=NOW)


def files_of(release: Release) -> dict[str, bytes]:
    folder = release_folder(release.project.slug, release.version)
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def add_error(item: Item, **fields: Any) -> Finding:
    assert item.working_translation is not None
    found: Finding = Finding.objects.create(
        revision=item.working_translation.current_revision,
        code="option_count",
        severity=Severity.ERROR,
        field="item",
        created_at=NOW,
        **fields,
    )
    return found


def add_dispute(item: Item, state: str = PanelState.DISPUTED) -> Panel:
    """The panel of a closed round on `item` that ended in a dispute."""
    assert item.working_translation is not None
    number = item.project.rounds.count() + 1
    round_ = RoundFactory(project=item.project, number=number, state=RoundState.CLOSED)
    found: Panel = Panel.objects.create(
        round=round_,
        item=item,
        revision=item.working_translation.current_revision,
        subject=item.subject,
        system=item.working_translation.system,
        is_dev=item.split == SplitName.DEV,
        position=1,
        state=state,
        outcome=Outcome.DISPUTED,
    )
    return found


def progress_of(release: Release) -> Progress:
    assert release.job_id is not None
    return Progress(release.job_id)


def judge(
    item: Item,
    reviewers: list[User],
    *,
    outcome: str,
    senior: User | None = None,
    number: int = 1,
    state: str = "settled",
    at: datetime = NOW,
) -> Panel:
    """The panel of round `number` on the item's text, judged and decided at `at`."""
    round_ = RoundFactory(
        project=item.project,
        number=number,
        panel_size=len(reviewers),
        judged_count=len(reviewers),
        state="closed",
        opened_at=at,
    )
    assert item.working_translation is not None
    panel: Panel = Panel.objects.create(
        round=round_,
        item=item,
        revision=item.working_translation.current_revision,
        subject=item.subject,
        system=item.working_translation.system,
        is_dev=item.split == SplitName.DEV,
        position=0,
        state=state,
        outcome=outcome,
        reasons=[{"code": "score_gap", "gap": 3}] if outcome == "disputed" else [],
        decided_at=at,
        settled_at=at if state == "settled" else None,
        tally=" ".join(["A55"] * len(reviewers)),
    )
    for seat, reviewer in enumerate(reviewers):
        _judgement(panel, seat, reviewer, at)
    if senior:
        panel.adjudication = Adjudication.objects.create(
            panel=panel, senior=senior, decision="approve", decided_at=at
        )
        panel.save(update_fields=["adjudication"])
    return panel


def _judgement(panel: Panel, seat: int, reviewer: User, at: datetime) -> None:
    assignment = Assignment.objects.create(
        panel=panel, round=panel.round, position=0, seat=seat, reviewer=reviewer, state="judged"
    )
    Judgement.objects.create(
        assignment=assignment,
        panel=panel,
        revision=panel.revision,
        reviewer=reviewer,
        verdict="approve",
        ratings={"domain": 5, "cultural": 5},
        idempotency_key=f"{panel.pk}-{seat}",
        receipt=uuid.uuid4(),
        submitted_at=at,
    )


def add_pair(a: Item, b: Item, state: str = PairState.OPEN) -> DuplicatePair:
    """A near pair of two items in its cluster."""
    first, second = sorted((a, b), key=lambda item: item.pk)
    return make_duplicate_pair(
        first,
        second,
        kind="near",
        similarity=0.95,
        crosses_splits=first.split != second.split,
        state=state,
        decided_by=None if state == PairState.OPEN else UserFactory(),
    )
