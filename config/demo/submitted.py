"""Submissions to the third demo project: two teams send what stand-in models answer to its withheld part."""

from io import StringIO
from itertools import chain
from typing import Any, Final

from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from config.demo import compared
from endpoints.providers.personas import PERSONAS
from jobs.worker import run_now
from languages.letters import letters_of
from projects.actions import enrol_person
from projects.models import Project
from releases.enums import HiddenPart, ReleaseState
from releases.models import Release
from releases.publishing.audience import show_to_everybody
from submissions.actions.sending import Declared, send_submission
from submissions.actions.teams import PolicyContent, change_policy, join_team
from submissions.checking import Pairs
from submissions.enums import Admission
from submissions.models import Submission
from submissions.queries import asked_of, hidden_items

VERSION: Final = "1.0.0"
BUILD: Final[dict[str, Any]] = {
    "dev": 0,
    "black_box": 0.7,
    "hidden_part": HiddenPart.WITHHELD,
    "formats": "jsonl",
    "publish": True,
    "waive": ["simulated_judgements"],
    "reason": ["This is a demonstration."],
}
POLICY: Final = PolicyContent(
    is_open=True,
    admission=Admission.EVERYBODY,
    is_board_public=True,
    terms="This is a demonstration. Do not train models on these items.",
    per_day=3,
    per_month=20,
    fewest_in_category=30,
)
TEAMS: Final = {
    "First team": (
        Declared("stand-in-weak", size="1B", cutoff="2025-06", has_open_weights=True),
        Declared(
            "stand-in-strong",
            size="70B",
            cutoff="2026-03",
            prompt="Answer with a letter.",
            has_open_weights=False,
        ),  # fmt: skip
    ),
    "Second team": (Declared("stand-in-chatty", size="8B", has_open_weights=True),),
}
"""What each team sends, and what it says of the models: as much pretence as the models are."""
MODELS: Final = tuple(declared.model for declared in chain(*TEAMS.values()))


def release_and_take(*, password: str) -> None:
    """Build a public version that withholds answers, open it to submissions, and have two teams send; once."""
    project = Project.objects.filter(slug=compared.SLUG).first()
    if project is None or Submission.objects.filter(release__project=project).exists():
        return
    if not project.releases.filter(state=ReleaseState.PUBLISHED).exists():
        call_command("build_release", compared.SLUG, VERSION, stdout=StringIO(), **BUILD)
    release = project.releases.get(version=VERSION)
    with transaction.atomic():
        _take(project, release, password)


def _take(project: Project, release: Release, password: str) -> None:
    show_to_everybody(release=release, actor=None, now=timezone.now())
    policy = change_policy(project=project, content=POLICY, actor=None, now=timezone.now())
    for number, (name, entries) in enumerate(TEAMS.items(), 1):
        sender = enrol_person(
            email=f"team-{number}@demo.example", name=f"{name} (sends answers)",
            password=password, roles=[], actor=None, now=timezone.now(),
        )  # fmt: skip
        participant = join_team(
            project=project, user=sender, team=name, code="", affiliation="Demonstration",
            terms_version=policy.terms_version, now=timezone.now(),
        )  # fmt: skip
        for declared in entries:
            sent = send_submission(
                release=release, sender=participant, declared=declared,
                pairs=_answers(release, declared.model), now=timezone.now(),
            )  # fmt: skip
            if sent.job:
                run_now(sent.job)


def _answers(release: Release, model: str) -> Pairs:
    """Return what the pretend model answers; its competence is the share that it gets right.

    Which items are hidden, and their order, is drawn anew for each installation, so what is right goes
    by the place. Each model begins at another place and has its own wrong letters: else two of them
    would differ in so few answers that the second is told the score of the first.
    """
    counts, number = asked_of(release).option_counts, MODELS.index(model)
    rows = list(hidden_items(release).values_list("public_id", "key"))
    right = round(PERSONAS[model].competence * len(rows))
    found: Pairs = []
    for place, (public_id, key) in enumerate(rows, number):
        wrong = letters_of(counts[public_id]).replace(key, "")
        is_right = _is_one_of(right, place, len(rows))
        found.append((public_id, key if is_right else wrong[number % len(wrong)]))
    return found


def _is_one_of(count: int, place: int, n: int) -> bool:
    """Return whether a place is one of `count` in every `n`, spread evenly."""
    return (place + 1) * count // n > place * count // n
