"""A release whose answers are withheld, teams, and submissions of known quality."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from accounts.models import User
from annotation.enums import SplitName
from jobs.worker import run_now
from projects.models import Project, Subject
from releases.enums import HiddenPart, Subset
from releases.models import Release
from submissions.actions.sending import Declared, send_submission
from submissions.actions.teams import (
    PolicyContent,
    admit_team,
    change_policy,
    join_team,
)
from submissions.checking import Pairs
from submissions.models import Participant, Submission
from tests.factories import (
    ReleaseFactory,
    SourceFactory,
    UserFactory,
    make_release_items,
    make_translated_items,
)

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
TERMS = "Do not train on these items."
OPEN_TO_ALL: dict[str, Any] = {
    "is_open": True,
    "admission": "everybody",
    "is_board_public": False,
    "terms": TERMS,
    "per_day": 3,
    "per_month": 20,
    "fewest_in_category": 30,
    "first_contact": 0,
}


def take_submissions(project: Project, **changes: Any) -> None:
    content = PolicyContent(**OPEN_TO_ALL | changes)
    change_policy(project=project, content=content, actor=None, now=NOW)


def same_options(_number: int) -> list[str]:
    return list("ཀཁགང")


def make_part(
    project: Project,
    n: int = 24,
    version: str = "1.0.0",
    options_of: Callable[[int], list[str]] = same_options,
    **fields: Any,
) -> Release:
    """A published release of `n` items with withheld answers, ids hidden-0…, keys A, B, C, D in turn."""
    release = ReleaseFactory(
        project=project,
        version=version,
        hidden_part=HiddenPart.WITHHELD,
        black_box_share=1.0,
        counts={"items": n, "test": n, "dev": 0, "open": 0, "black_box": n},
        published_at=NOW,
        **fields,
    )
    source = SourceFactory(project=project)
    subject, _new = Subject.objects.get_or_create(
        project=project, slug="law", defaults={"name": "Law", "category": "Humanities"}
    )
    items = make_translated_items(
        {
            "project": project, "source": source, "subject": subject,
            "uid": f"{version}/law/{number}", "key": "ABCD"[number % 4],
            "question": f"འདྲི་བ་ {number}", "options": options_of(number),
        }
        for number in range(n)
    )  # fmt: skip
    hidden = {"split": SplitName.TEST, "subset": Subset.BLACK_BOX}
    make_release_items(
        release,
        [
            (item, hidden | {"position": number, "public_id": f"hidden-{number}"})
            for number, item in enumerate(items)
        ],
    )
    return release


def join(
    project: Project, user: User | None = None, team: str = "Lhasa", **more: Any
) -> Participant:
    found = join_team(
        project=project, user=user or UserFactory(), team=team, code="", affiliation="University",
        terms_version=1, now=NOW,
        **more,
    )  # fmt: skip
    admit_team(team=found.team, actor=found.user, now=NOW)
    found.team.refresh_from_db()
    return found


def answers(release: Release, right: int, *, shift: int = 1) -> Pairs:
    """Answers of which the first `right` are right, and each other is `shift` letters from the key."""
    keys = release.items.order_by("position").values_list("public_id", "key")
    return [
        (uid, key if number < right else "ABCD"[("ABCD".index(key) + shift) % 4])
        for number, (uid, key) in enumerate(keys)
    ]


def send(
    release: Release, sender: Participant, pairs: Pairs, *, now: datetime = NOW, **declared: Any
) -> Submission:
    told = Declared(**{"model": "stand-in"} | declared)
    return send_submission(release=release, sender=sender, declared=told, pairs=pairs, now=now)


def score(submission: Submission) -> Submission:
    """Do the job of a submission here; the row as it ended."""
    assert submission.job is not None
    run_now(submission.job)
    return Submission.objects.select_related(
        "release__project", "team", "twin", "job", "sent_by"
    ).get(pk=submission.pk)


def scored(release: Release, sender: Participant, right: int, **more: Any) -> Submission:
    return score(send(release, sender, answers(release, right), **more))


def texts_of(submission: Submission) -> list[str]:
    """Return the words of its flags."""
    return [flag.text for flag in submission.flags.order_by("pk")]


def ids_of(submission: Submission) -> list[int]:
    """Return the ids of its flags, as somebody who reads them now has them."""
    return list(submission.flags.order_by("pk").values_list("pk", flat=True))
