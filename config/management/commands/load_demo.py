"""`load_demo`: create the five demo projects, through the same actions as users."""

from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.imports.actions import import_path
from annotation.imports.opening import ImportOptions
from common.commands import LotsawaCommand
from common.errors import DomainError
from config.demo import compared, contest, guideline, submitted, translated, written
from config.demo.pretending import create_models
from projects.actions import change_member, create_project, enrol_person
from projects.enums import Role
from projects.models import Project
from review.enums import Selection
from review.guidelines.actions.guidelines import create_guideline
from review.management.commands.simulate_reviewers import enrol_simulated
from review.rounds.actions.rounds import open_round
from review.rounds.actions.settings import RoundSettings

DEMO = Path(settings.ROOT) / "config" / "demo"
SLUG = "demo"
PASSWORD = "lotsawa demo"  # noqa: S105 - printed at the start, for a local try-out only
PEOPLE = (
    ("manager@demo.example", "Pema (manager)", Role.MANAGER),
    ("senior@demo.example", "Tashi (senior)", Role.SENIOR),
    ("reviewer@demo.example", "Dolma (reviewer)", Role.REVIEWER),
)
SIMULATED_SUBJECTS = ("arithmetic", "health")
SEED = 1
"""With it the simulated reviewers leave disputes of each kind."""
IMPORTS = ("items.jsonl", "translations.jsonl", "second_system.jsonl")


class DemoIncomplete(DomainError):
    code = "demo_incomplete"
    detail = _("The demo's %(file)s was refused: %(reason)s")


class Command(LotsawaCommand):
    help = "Load the demo: five projects of our own small samples, three accounts, two open rounds."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--endpoint", default="http://127.0.0.1:8001/v1")
        parser.add_argument(
            "--judgements",
            type=int,
            default=30,
            help="number of simulated judgements to begin with (default: 30)",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        """Load everything in one transaction, so that an interrupted start leaves nothing behind.

        Only the releases and what rests on them come after it, as their files are on disk; a later
        start makes up for them.
        """
        is_new = not Project.objects.filter(slug=SLUG).exists()
        if is_new:
            with transaction.atomic():
                self._load(endpoint=options["endpoint"], judgements=options["judgements"])
        else:
            self.say("The demo is already there.")
        written.release_and_solve()
        submitted.release_and_take(password=PASSWORD)
        contest.release_and_hold()
        return _accounts(is_new=is_new)

    def text(self, result: dict[str, Any]) -> str:
        lines = [f"  {person['email']:24} {person['role']}" for person in result["accounts"]]
        return "\n".join([*lines, f"  password: {result['password']}"])

    def _load(self, *, endpoint: str, judgements: int) -> None:
        now = timezone.now()
        project = _project(now)
        manager = _people(project, now)
        for name in IMPORTS:
            self._import(project, DEMO / name, manager)
        text, rubric = guideline.read(DEMO / "guideline.md")
        create_guideline(project=project, text=text, rubric=rubric, actor=manager, now=now)
        round_settings = RoundSettings(selection=Selection.ALL, panel_size=2)
        open_round(project=project, settings=round_settings, actor=manager, now=now)
        if judgements:
            self._simulate(project, judgements)
        create_models(project, endpoint=endpoint, manager=manager, now=now)
        self._load_written(endpoint, now)
        self._load_compared(now)
        self._load_translated(endpoint, now)
        self._load_contest(endpoint, now)

    def _load_written(self, endpoint: str, now: datetime) -> None:
        project = written.create(now)
        manager = _people(project, now)
        create_models(project, endpoint=endpoint, manager=manager, now=now)
        self._import(project, written.FILE, manager)
        written.review_all(project, manager=manager, now=now)

    def _load_compared(self, now: datetime) -> None:
        project = compared.create(now)
        manager = _people(project, now)
        compared.import_both(lambda file: self._import(project, file, manager))
        compared.compare_and_review(project, manager=manager, now=now)

    def _load_translated(self, endpoint: str, now: datetime) -> None:
        project = translated.create(now)
        manager = _people(project, now)
        create_models(project, endpoint=endpoint, manager=manager, now=now)
        translated.import_subject(lambda file: self._import(project, file, manager))
        translated.translate_and_compare(project, manager=manager, now=now)

    def _load_contest(self, endpoint: str, now: datetime) -> None:
        project = contest.create(now)
        manager = _people(project, now)
        create_models(project, endpoint=endpoint, manager=manager, now=now)
        contest.import_open(lambda file: self._import(project, file, manager))
        contest.review_all(project, manager=manager, now=now)

    def _import(self, project: Project, path: Path, manager: User) -> None:
        report = import_path(
            project=project,
            path=path,
            options=ImportOptions(licence="CC-BY-4.0", attribution="Lotsawa demo"),
            actor=manager,
            now=timezone.now(),
        )
        if report.refused:
            raise DemoIncomplete(file=path.name, reason=report.errors[0]["reason"])
        self.say(f"{path.name}: {report.imported} items, {report.joined} translations")

    def _simulate(self, project: Project, judgements: int) -> None:
        """Judge two subjects; the others keep their faults for the person who tries the demo."""
        subjects = list(project.subjects.filter(slug__in=SIMULATED_SUBJECTS))
        for user in enrol_simulated(project, 3):
            change_member(
                membership=project.memberships.get(user=user),
                role=Role.REVIEWER,
                languages=["en", "bo"],
                subjects=subjects,
                actor=None,
                now=timezone.now(),
            )
        call_command(
            "simulate_reviewers",
            SLUG,
            reviewers=3,
            seed=SEED,
            limit=judgements,
            truth=DEMO / "planted.jsonl",
            corrections=DEMO / "corrections.jsonl",
            stdout=self.stderr,
        )


def _project(now: datetime) -> Project:
    return create_project(
        slug=SLUG,
        name="Demo: general knowledge",
        description="A small made-up benchmark whose translation contains deliberate mistakes. "
        "Try anything you like here.",
        source_language="en",
        target_language="bo",
        manager=None,
        actor=None,
        now=now,
    )


def _people(project: Project, now: datetime) -> User:
    """Create the three accounts; return the manager's."""
    made = [
        enrol_person(
            email=email,
            name=name,
            password=PASSWORD,
            roles=[(project, role)],
            actor=None,
            now=now,
        )
        for email, name, role in PEOPLE
    ]
    return made[0]


def _accounts(*, is_new: bool) -> dict[str, Any]:
    return {
        "project": SLUG,
        "is_new": is_new,
        "accounts": [{"email": email, "role": str(role)} for email, _name, role in PEOPLE],
        "password": PASSWORD,
    }
