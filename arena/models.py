"""Arenas, who competes and who judges, battles, and the verdicts of models and of people."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from accounts.models import User
from arena.enums import CallState, Plan
from arena.verdicts import VERDICTS
from common.reasons import REASON_LENGTH
from endpoints.models import ModelSpec, RawCall
from evaluation.models import Run
from jobs.models import Job
from projects.models import Project
from releases.models import Release, ReleaseItem

MOST_EACH, MOST_ATTEMPTS, MOST_CONCURRENCY = 20, 5, 64
LONGEST_REASON = 1000
DEFAULT_BOUND = 0.7
LARGEST_SEED = 2**31 - 1


class Arena(models.Model):
    """A contest of models on the open-ended items of a release.

    `each` is how many battles a contestant has on a question if all play against all. A verdict
    that cannot be read is asked again until there were `attempts`. `bound` is the agreement with
    people below which a judge counts for no rank. `job` asks the judges and counts, `count_job`
    counts alone; `figures` is what was counted last, so that no page counts. An arena with a
    `hidden_reason` is on no leaderboard.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="arenas")
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="arenas")
    name = models.CharField(max_length=100)
    plan = models.CharField(max_length=8, choices=Plan)
    each = models.PositiveSmallIntegerField(
        default=2, validators=[MinValueValidator(1), MaxValueValidator(MOST_EACH)]
    )
    seed = models.PositiveIntegerField(default=0)
    rubric = models.TextField()
    attempts = models.PositiveSmallIntegerField(
        default=2, validators=[MinValueValidator(1), MaxValueValidator(MOST_ATTEMPTS)]
    )
    concurrency = models.PositiveSmallIntegerField(
        default=8, validators=[MinValueValidator(1), MaxValueValidator(MOST_CONCURRENCY)]
    )
    bound = models.FloatField(
        default=DEFAULT_BOUND, validators=[MinValueValidator(0), MaxValueValidator(1)]
    )
    is_imported = models.BooleanField(default=False)
    job = models.OneToOneField(Job, null=True, on_delete=models.PROTECT, related_name="+")
    count_job = models.OneToOneField(Job, null=True, on_delete=models.PROTECT, related_name="+")
    hidden_reason = models.CharField(max_length=REASON_LENGTH, blank=True)
    figures = models.JSONField(default=dict)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="arena_one_name"),
            models.CheckConstraint(
                condition=Q(each__gte=1, each__lte=MOST_EACH), name="arena_each"
            ),
            models.CheckConstraint(
                condition=Q(attempts__gte=1, attempts__lte=MOST_ATTEMPTS), name="arena_attempts"
            ),
            models.CheckConstraint(condition=Q(bound__gte=0, bound__lte=1), name="arena_bound"),
        ]

    def __str__(self) -> str:
        return self.name


class Contestant(models.Model):
    """Whose answers compete: those of a run, or without one those that an imported file told of.

    `family` is declared: a judge of the same family never judges them.
    """

    arena = models.ForeignKey(Arena, on_delete=models.CASCADE, related_name="contestants")
    name = models.CharField(max_length=100)
    family = models.CharField(max_length=50, blank=True)
    run = models.ForeignKey(Run, null=True, on_delete=models.PROTECT, related_name="+")
    is_baseline = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["arena", "name"], name="contestant_one_name"),
            models.UniqueConstraint(fields=["arena", "run"], name="contestant_one_run"),
            models.UniqueConstraint(
                fields=["arena"], condition=Q(is_baseline=True), name="contestant_one_baseline"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Judge(models.Model):
    """A model that judges; without a spec, one that an imported file told of.

    One with a `left_out_reason` is not asked, and its verdicts are kept and count for nothing.
    """

    arena = models.ForeignKey(Arena, on_delete=models.CASCADE, related_name="judges")
    name = models.CharField(max_length=100)
    family = models.CharField(max_length=50, blank=True)
    model_spec = models.ForeignKey(ModelSpec, null=True, on_delete=models.PROTECT, related_name="+")
    left_out_reason = models.CharField(max_length=REASON_LENGTH, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["arena", "name"], name="judge_one_name")]

    def __str__(self) -> str:
        return self.name


class Battle(models.Model):
    """Two answers to one question. `is_sampled` battles are judged by people too."""

    arena = models.ForeignKey(Arena, on_delete=models.CASCADE, related_name="battles")
    release_item = models.ForeignKey(ReleaseItem, on_delete=models.PROTECT, related_name="+")
    first = models.ForeignKey(Contestant, on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey(Contestant, on_delete=models.PROTECT, related_name="+")
    is_sampled = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["arena", "release_item", "first", "second"], name="battle_once"
            ),
            models.CheckConstraint(condition=~Q(first=models.F("second")), name="battle_of_two"),
        ]
        indexes = [models.Index(fields=["arena", "is_sampled"], name="battle_sampled")]

    def __str__(self) -> str:
        return f"{self.first_id} and {self.second_id} on {self.release_item_id}"


class ArenaCall(RawCall):
    """One judge's raw judgement of one battle in one order; `verdict` is as that order showed the sides.

    An answer that cannot be read has no verdict, and a further attempt asks again.
    """

    battle = models.ForeignKey(Battle, on_delete=models.CASCADE, related_name="calls")
    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="calls")
    is_swapped = models.BooleanField()
    attempt = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=8, choices=CallState)
    verdict = models.CharField(max_length=4, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["battle", "judge", "is_swapped", "attempt"],
                condition=Q(state=CallState.ANSWERED),
                name="arenacall_answered_once",
            ),
            models.UniqueConstraint(
                fields=["battle", "judge", "is_swapped"],
                condition=~Q(verdict=""),
                name="arenacall_one_verdict",
            ),
            models.CheckConstraint(
                condition=Q(verdict="") | Q(verdict__in=list(VERDICTS), state=CallState.ANSWERED),
                name="arenacall_verdict",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judge_id} on battle {self.battle_id}: {self.verdict or '–'}"


class Seat(models.Model):
    """A person's place at a battle: reserved until `reserved_until`, then judged or free again.

    The sides were swapped for the person if `is_swapped`; `verdict` is as they saw them.
    """

    battle = models.ForeignKey(Battle, on_delete=models.CASCADE, related_name="seats")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    is_swapped = models.BooleanField()
    reserved_until = models.DateTimeField()
    verdict = models.CharField(max_length=4, blank=True)
    reason = models.CharField(max_length=LONGEST_REASON, blank=True)
    judged_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["battle", "person"], name="arenaseat_one_a_person"),
            models.CheckConstraint(
                condition=Q(verdict="", judged_at__isnull=True)
                | Q(verdict__in=list(VERDICTS), judged_at__isnull=False),
                name="arenaseat_judged_has_verdict",
            ),
        ]
        indexes = [models.Index(fields=["person", "judged_at"], name="arenaseat_of_person")]

    def __str__(self) -> str:
        return f"{self.person_id} at battle {self.battle_id}"
