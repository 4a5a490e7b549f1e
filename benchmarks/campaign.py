"""Simulates a campaign with a known truth, and compares the figures with it.

python -m benchmarks.campaign [--sizes 400,2000] [--databases sqlite]

Reviewers of known reliability judge through the actions: a first round of three judgements an
item, a round with planted control items, and an audit of a sample of the approved items whose
agreement is simulated with a known κ. Printed are Spearman's ρ between what the reliability model
says of the reviewers and what they are, the same for their agreement with the controls, the share
of planted faults found beside the share that was to be expected, and the κ of the audit with its
interval beside the κ that was simulated.
"""

import argparse
import hashlib
import random
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.fresh_site import make_tables, report
from benchmarks.review import database, make_items, make_project, measure_in_child

SIZES = "400,2000"
PEOPLE = 12
WORST, BEST = 0.62, 0.97
"""The reviewers' reliabilities: the chance to judge an item rightly, in equal steps."""
FAULTY_SHARE = 0.3
CONTROL_PERCENT = 30
KAPPA = 0.6
APPROVING = 0.75
"""In the audit: the simulated agreement, and how often a text is approved."""


@dataclass(frozen=True, slots=True)
class Campaign:
    """The results: (value, low, high) of an estimate, or a number."""

    reliability_rho: float
    controls_rho: float
    controls: int
    planted_judged: int
    found_share: float
    expected_share: float
    false_alarm_share: float
    expected_false_alarms: float
    audited: int
    kappa: tuple[float, float, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--databases", default="sqlite")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure, [int(size) for size in options.sizes.split(",")])
        return
    for name in options.databases.split(","):
        with database(name) as url:
            if url is not None:
                measure_in_child("benchmarks.campaign", name, url, ["--sizes", options.sizes])


def measure(name: str, sizes: Sequence[int]) -> None:
    make_tables()
    for size in sizes:
        found = run_campaign(size, seed=size)
        end = f"{name}_{size}_items"
        report(f"campaign_reliability_spearman_{end}", found.reliability_rho, "ρ", PEOPLE)
        report(f"campaign_controls_spearman_{end}", found.controls_rho, "ρ", PEOPLE)
        for what in ("found_share", "expected_share"):
            report(f"campaign_{what}_{end}", getattr(found, what), "", found.planted_judged)
        for what in ("false_alarm_share", "expected_false_alarms"):
            report(f"campaign_{what}_{end}", getattr(found, what), "", found.controls)
        for what, value in zip(("kappa", "kappa_low", "kappa_high"), found.kappa, strict=True):
            report(f"campaign_audit_{what}_{end}", value, "κ", found.audited)
        report(f"campaign_audit_kappa_simulated_{end}", KAPPA, "κ", found.audited)


def run_campaign(size: int, *, seed: int) -> Campaign:
    """Run the three rounds over `size` items, and half as many for the round with controls."""
    project, people = _project(size + size // 2)
    skill = _skills(people)
    place = {user.pk: number for number, user in enumerate(people)}
    uids = list(project.items.order_by("uid").values_list("uid", flat=True))
    random.Random(seed).shuffle(uids)
    faulty = {uid for uid in uids if _draw(seed, "truth", uid) < FAULTY_SHARE}

    def by_skill(person: int, panel: Any) -> bool:
        is_faulty = panel.control.fault != "" if panel.is_control else panel.item.uid in faulty
        is_right = _draw(seed, place[person], panel.round.number, panel.item.uid) < skill[person]
        return is_right != is_faulty

    _run_round(project, people, by_skill, panel_size=3, selection="list", uids=uids[:size])
    reliability = _reliability(project)
    _run_round(
        project,
        people,
        by_skill,
        panel_size=2,
        selection="list",
        uids=uids[size:],
        control_percent=CONTROL_PERCENT,
        seed=seed,
    )
    controls = _controls(project)
    audit = _run_round(
        project,
        people,
        lambda person, panel: _audits(seed, place[person], panel.item.uid),
        panel_size=2,
        selection="approved",
        sample_size=size // 4,
        seed=seed,
    )
    return _campaign(skill, reliability, controls, audit)


def _project(items: int) -> tuple[Any, list[Any]]:
    from django.utils import timezone

    from accounts.actions import create_user
    from projects.enums import Role
    from projects.models import Membership

    project, _roles = make_project(f"campaign-{uuid.uuid4().hex[:8]}")
    make_items(project, items)
    now = timezone.now()
    people = [
        create_user(
            email=f"{number:02d}@{project.slug}.example.org",
            name=f"Reviewer {number}",
            password=None,
            actor=None,
            now=now,
        )
        for number in range(PEOPLE)
    ]
    Membership.objects.bulk_create(
        Membership(project=project, user=user, role=Role.REVIEWER, created_at=now)
        for user in people
    )
    return project, people


def _skills(people: Sequence[Any]) -> dict[int, float]:
    step = (BEST - WORST) / (len(people) - 1)
    return {user.pk: WORST + step * place for place, user in enumerate(people)}


def _run_round(
    project: Any, people: Sequence[Any], approves: Callable[[int, Any], bool], **settings: Any
) -> Any:
    """Open a round, let everybody judge in turn until nothing is left, and close it."""
    from django.utils import timezone

    from review.rounds.actions.rounds import close_round, open_round
    from review.rounds.actions.settings import RoundSettings
    from review.seats.actions.seats import claim_seat

    round_ = open_round(
        project=project,
        settings=RoundSettings(is_same_panel_allowed=True, **settings),
        actor=None,
        now=timezone.now(),
    )
    waiting = list(people)
    while waiting:
        person = waiting.pop(0)
        seat = claim_seat(round_=round_, reviewer=person, now=timezone.now())
        if seat is not None:
            _judge(seat, person, is_good=approves(person.pk, seat.panel))
            waiting.append(person)
    return close_round(round_=round_, actor=None, now=timezone.now())


def _judge(seat: Any, person: Any, *, is_good: bool) -> None:
    from django.utils import timezone

    from projects.criteria import DEFAULT_NAMES
    from review.workbench.actions.judgements import JudgementContent, submit_judgement

    rating = 4 if is_good else 3
    submit_judgement(
        assignment=seat,
        reviewer=person,
        revision_id=seat.panel.revision_id,
        content=JudgementContent(
            verdict="approve" if is_good else "reject", ratings=dict.fromkeys(DEFAULT_NAMES, rating)
        ),
        idempotency_key=uuid.uuid4().hex,
        now=timezone.now(),
    )


def _audits(seed: int, person: int, uid: str) -> bool:
    """Draw verdicts: with chance κ all agree on an item, else each draws their own.

    All draw from the same shares, so κ of any two is KAPPA.
    """
    is_common = _draw(seed, "common", uid) < KAPPA
    return _draw(seed, "verdict", "all" if is_common else person, uid) < APPROVING


def _reliability(project: Any) -> dict[int, float]:
    from django.utils import timezone

    from review.report.actions.reliability import estimate_reliability

    found = estimate_reliability(project=project, job=None, now=timezone.now())
    return {row["reviewer"]: row["accuracy"] for row in found.content["reviewers"]}


def _controls(project: Any) -> dict[int, Any]:
    from review.selection.control_queries import control_counts

    return dict(control_counts(project))


def _campaign(
    skill: dict[int, float], reliability: dict[int, float], controls: dict[int, Any], audit: Any
) -> Campaign:
    planted = sum(each.degraded for each in controls.values())
    sound = sum(each.sound for each in controls.values())
    kappa = audit.figures["fleiss_kappa"]
    agreement = {person: each.agreement.value for person, each in controls.items()}
    return Campaign(
        reliability_rho=_spearman(skill, reliability),
        controls_rho=_spearman(skill, agreement),
        controls=sound,
        planted_judged=planted,
        found_share=sum(each.found for each in controls.values()) / planted,
        expected_share=sum(skill[who] * each.degraded for who, each in controls.items()) / planted,
        false_alarm_share=sum(each.false_alarms for each in controls.values()) / sound,
        expected_false_alarms=sum((1 - skill[who]) * each.sound for who, each in controls.items())
        / sound,
        audited=kappa["n_used"],
        kappa=(kappa["value"], kappa["low"], kappa["high"]),
    )


def _spearman(truth: dict[int, float], told: dict[int, float]) -> float:
    from scipy.stats import spearmanr

    people = sorted(truth)
    return float(spearmanr([truth[who] for who in people], [told[who] for who in people]).statistic)


def _draw(*seed: object) -> float:
    digest = hashlib.sha256(repr(seed).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


if __name__ == "__main__":
    main()
