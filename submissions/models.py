"""People outside a project who send answers of their models, and what was made of those."""

from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from accounts.models import User
from endpoints.models import RawCall
from evaluation.enums import ResponseState
from jobs.models import Job
from projects.models import Project
from prompts.models import PromptTemplate
from releases.models import Release, ReleaseItem
from submissions.enums import (
    UNCOUNTED,
    UNSCORED,
    Admission,
    FlagCode,
    SubmissionState,
    TellingKind,
    Visibility,
)
from submissions.false_keys import LEVEL
from submissions.flags import flag_text
from submissions.marks import new_secret

FEWEST_IN_CATEGORY, MOST_IN_CATEGORY = 30, 1_000_000
MOST_A_DAY, MOST_A_MONTH = 100, 1000
FEWEST_AT_CONTACT, MOST_AT_CONTACT = 10, 1000


class SubmissionPolicy(models.Model):
    """Whether a project takes submissions, from whom, how many and of which kind.

    A change of the terms is a new version. Closed parts take endpoints only: an endpoint is asked
    `first_contact` of their questions first (0: all at once), see `submissions.contact`.
    """

    project = models.OneToOneField(Project, on_delete=models.PROTECT, related_name="+")
    is_open = models.BooleanField(default=False)
    admission = models.CharField(max_length=9, choices=Admission, default=Admission.ADMITTED)
    accepts_dictionaries = models.BooleanField(default=True, db_default=True)
    accepts_endpoints = models.BooleanField(default=False, db_default=False)
    first_contact = models.PositiveIntegerField(default=0, db_default=0)
    is_board_public = models.BooleanField(default=False)
    terms = models.TextField(blank=True)
    terms_version = models.PositiveIntegerField(default=1)
    per_day = models.PositiveSmallIntegerField(
        default=2, validators=[MinValueValidator(1), MaxValueValidator(MOST_A_DAY)]
    )
    per_month = models.PositiveSmallIntegerField(
        default=10, validators=[MinValueValidator(1), MaxValueValidator(MOST_A_MONTH)]
    )
    fewest_in_category = models.PositiveIntegerField(
        default=100, validators=[MinValueValidator(FEWEST_IN_CATEGORY)]
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(per_day__range=(1, MOST_A_DAY), per_month__range=(1, MOST_A_MONTH)),
                name="submissionpolicy_quota",
            ),
            models.CheckConstraint(
                condition=Q(fewest_in_category__gte=FEWEST_IN_CATEGORY),
                name="submissionpolicy_category",
            ),
            models.CheckConstraint(
                condition=Q(first_contact=0)
                | Q(first_contact__range=(FEWEST_AT_CONTACT, MOST_AT_CONTACT)),
                name="submissionpolicy_contact",
            ),
        ]

    def __str__(self) -> str:
        return f"submissions to {self.project}"


class Team(models.Model):
    """Those who send together and share one quota and one ladder; others join it with its `code`.

    If it was `trusted_at` some time, its endpoints are asked all questions without a first contact.
    What its endpoints are asked is marked by the `mark_secret` (`submissions.marks`), which no page,
    file or log shows.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="teams")
    name = models.CharField(max_length=100)
    code = models.CharField(max_length=24, unique=True)
    mark_secret = models.CharField(max_length=64, default=new_secret)
    created_at = models.DateTimeField()
    admitted_at = models.DateTimeField(null=True)
    trusted_at = models.DateTimeField(null=True)
    banned_at = models.DateTimeField(null=True)
    ban_reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="team_one_name"),
            models.CheckConstraint(
                condition=Q(banned_at=None) | ~Q(ban_reason=""), name="team_ban_reason"
            ),
            models.CheckConstraint(condition=~Q(mark_secret=""), name="team_mark_secret"),
        ]

    def __str__(self) -> str:
        return self.name


class Participant(models.Model):
    """A person in a team of a project, who accepted a version of its terms."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+", db_index=False)
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="participants")
    affiliation = models.CharField(max_length=200)
    terms_version = models.PositiveIntegerField()
    terms_accepted_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="participant_one_team")
        ]

    def __str__(self) -> str:
        return f"{self.user} of {self.team}"


class Submission(models.Model):
    """A model's answers to the hidden items of a release.

    `answers` are in the order of the items in the release, "" where the model gave none, and those of
    the second of several `epochs` follow those of the first. `has_open_weights` is null if the team
    did not say it. `day_slot`
    and `month_slot` are what it takes of the quota (`submissions.quotas`), nothing once it failed or
    was cancelled. `digest` is that of the answers: a team sends the same ones once. If we ask the
    team's `endpoint`, the answers come later and the digest is a random one.

    `is_told` says whether it climbed the ladder of its team, by the keys of the rescoring `told_by`
    (None: by the released keys); `told_categories` are the categories that were told with it. `twin`
    is the earlier submission, without a twin itself, whose figures it got because it differs from it
    in few answers.
    """

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="submissions")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="submissions")
    sent_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    model = models.CharField(max_length=200)
    size = models.CharField(max_length=50, blank=True)
    prompt = models.TextField(blank=True)
    cutoff = models.CharField(max_length=20, blank=True)
    has_open_weights = models.BooleanField(null=True)
    answers = models.JSONField(default=list)
    epochs = models.PositiveSmallIntegerField(default=1, db_default=1)
    digest = models.CharField(max_length=64)
    state = models.CharField(max_length=9, choices=SubmissionState, default=SubmissionState.QUEUED)
    error_code = models.CharField(max_length=60, blank=True)
    day = models.CharField(max_length=10)
    month = models.CharField(max_length=7)
    day_slot = models.PositiveSmallIntegerField(null=True)
    month_slot = models.PositiveSmallIntegerField(null=True)
    sent_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    job = models.OneToOneField(Job, null=True, on_delete=models.PROTECT, related_name="+")
    twin = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+")
    is_told = models.BooleanField(default=False)
    told_by = models.ForeignKey("Rescoring", null=True, on_delete=models.PROTECT, related_name="+")
    told_categories = models.JSONField(default=list)
    visibility = models.CharField(max_length=9, choices=Visibility, default=Visibility.SHOWN)
    reason = models.TextField(blank=True)
    is_verified = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team", "day", "day_slot"], name="submission_one_day_slot"
            ),
            models.UniqueConstraint(
                fields=["team", "month", "month_slot"], name="submission_one_month_slot"
            ),
            models.UniqueConstraint(
                fields=["team", "release", "digest"],
                condition=~Q(state__in=UNCOUNTED),
                name="submission_sent_once",
            ),
            models.CheckConstraint(
                condition=Q(state__in=UNSCORED, day_slot=None, month_slot=None)
                | (~Q(state=SubmissionState.FAILED) & Q(day_slot__gte=1, month_slot__gte=1)),
                name="submission_slots",
            ),
            models.CheckConstraint(
                condition=Q(state__in=SubmissionState.values, visibility__in=Visibility.values),
                name="submission_states_known",
            ),
            models.CheckConstraint(
                condition=~Q(visibility=Visibility.HIDDEN) | ~Q(reason=""),
                name="submission_hidden_reason",
            ),
            models.CheckConstraint(condition=Q(epochs__gte=1), name="submission_epochs"),
        ]
        indexes = [models.Index(fields=["release", "state"], name="submission_state")]

    def __str__(self) -> str:
        return f"{self.model} by {self.team_id}"

    @property
    def is_listed(self) -> bool:
        """Return whether the leaderboard lists it with its figures."""
        is_shown = self.visibility == Visibility.SHOWN and self.team.banned_at is None
        return self.is_told and is_shown


class SubmissionFlag(models.Model):
    """Why somebody should look at a submission. It never changes, and is deleted when it is dismissed.

    Ids are never given twice, so they say which flags somebody has read.
    """

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="flags")
    code = models.CharField(max_length=20, choices=FlagCode)
    params = models.JSONField(default=dict)
    flagged_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(code__in=FlagCode.values), name="submissionflag_code_known"
            )
        ]

    def __str__(self) -> str:
        return f"{self.code} of {self.submission_id}"

    @property
    def text(self) -> str:
        """Return the words for it in the language of whoever reads it."""
        return flag_text(self.code, self.params)

    @property
    def other(self) -> int | None:
        """Return the number of the submission that it names."""
        return self.params.get("submission") if self.code == FlagCode.SAME_ANSWERS else None

    def as_data(self) -> dict[str, Any]:
        """Return it as the audit log keeps it, in no language."""
        return {"id": self.pk, "code": self.code, "params": self.params}

    def as_json(self) -> dict[str, Any]:
        return {**self.as_data(), "text": self.text}


class SubmittedEndpoint(models.Model):
    """The endpoint of a team that we ask for the answers of a submission.

    `sealed_key` is the team's key as `submissions.sealing` stores it, for this submission alone; it
    is empty once the submission has ended. The order of the questions is drawn by `seed`. `fault` is
    the code of what ended it, with an HTTP status if there was one. `is_part_counted` says that it
    counts as a part of a submission, see `submissions.quotas`. Of `first_contact` questions, it must
    answer enough before it is asked the others; it is 0 if all are asked. It `is_marked` if some of
    them have their options in the team's own order; those asked before there were marks do not.
    """

    submission = models.OneToOneField(Submission, on_delete=models.PROTECT, related_name="endpoint")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="+", db_index=False)
    base_url = models.URLField(max_length=300)
    sealed_key = models.TextField(blank=True)
    parameters = models.JSONField(default=dict)
    seed = models.PositiveIntegerField()
    first_contact = models.PositiveIntegerField(default=0, db_default=0)
    prompt_template = models.ForeignKey(PromptTemplate, on_delete=models.PROTECT, related_name="+")
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    fault = models.CharField(max_length=60, blank=True)
    unanswered = models.PositiveIntegerField(default=0)
    is_part_counted = models.BooleanField(default=False)
    is_marked = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team"], condition=Q(ended_at=None), name="submittedendpoint_one_of_team"
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None) | Q(sealed_key=""), name="submittedendpoint_key_wiped"
            ),
        ]
        indexes = [models.Index(fields=["team"], name="submittedendpoint_team")]

    def __str__(self) -> str:
        return f"endpoint of {self.submission_id}"


class SubmissionResponse(RawCall):
    """What a team's endpoint answered to an item. An item that has an answer is not asked again."""

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="responses")
    release_item = models.ForeignKey(ReleaseItem, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=8, choices=ResponseState)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "release_item"],
                condition=Q(state=ResponseState.ANSWERED),
                name="submissionresponse_answered_once",
            )
        ]

    def __str__(self) -> str:
        return f"response of {self.submission_id}"


class Rescoring(models.Model):
    """Scoring all submissions to a release again after keys were corrected.

    `keys` are the corrected keys by release item, in the order of the released options. They never
    leave the server.
    """

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="rescorings")
    number = models.PositiveIntegerField()
    keys = models.JSONField(default=dict)
    started_at = models.DateTimeField()
    started_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    job = models.OneToOneField(Job, null=True, on_delete=models.PROTECT, related_name="+")
    done_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "number"], name="rescoring_one_number")
        ]

    def __str__(self) -> str:
        return f"scoring {self.number} of {self.release_id}"


class SubmissionScore(models.Model):
    """How many answers of a submission are right, by the released keys or as a rescoring has them.

    Of several epochs it is their mean, rounded to whole items, so that `n` is always that of items.
    `correct` of the twin stands in `counted` if there is a twin, and so for `categories` {name:
    [counted, items]}: what is told never depends on the few answers that differ.
    """

    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, related_name="scores", db_index=False
    )
    rescoring = models.ForeignKey(
        Rescoring, null=True, on_delete=models.PROTECT, related_name="scores"
    )
    correct = models.PositiveIntegerField()
    counted = models.PositiveIntegerField()
    n = models.PositiveIntegerField()
    categories = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "rescoring"], name="submissionscore_once"
            ),
            models.UniqueConstraint(
                fields=["submission"],
                condition=Q(rescoring=None),
                name="submissionscore_one_by_released_keys",
            ),
            models.CheckConstraint(
                condition=Q(correct__lte=models.F("n"), counted__lte=models.F("n")),
                name="submissionscore_counts",
            ),
        ]

    def __str__(self) -> str:
        return f"score of {self.submission_id}"


class Ladder(models.Model):
    """Where a team stands with a release: the best that it was told, and after how many requests.

    `climbs` of them were answered with a score; what corrections told later does not count.
    """

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="+")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="ladders", db_index=False)
    best = models.PositiveIntegerField(null=True)
    requests = models.PositiveIntegerField(default=0)
    climbs = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team", "release"], name="ladder_once"),
            models.CheckConstraint(
                condition=Q(climbs__lte=models.F("requests")), name="ladder_counts"
            ),
        ]

    def __str__(self) -> str:
        return f"ladder of {self.team_id}"


class Telling(models.Model):
    """Something that a team was told of a release's keys, and how many bits that told at most.

    The bits are those of `submissions.ladder` when it was told, so no later rule changes them. All
    but corrections are about a submission. The answers to a team have the order of its requests.
    """

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="+", db_index=False)
    team = models.ForeignKey(
        Team, on_delete=models.PROTECT, related_name="tellings", db_index=False
    )
    kind = models.CharField(max_length=10, choices=TellingKind)
    submission = models.ForeignKey(
        Submission, null=True, on_delete=models.PROTECT, related_name="tellings", db_index=False
    )
    rescoring = models.ForeignKey(
        Rescoring, null=True, on_delete=models.PROTECT, related_name="tellings"
    )
    bits = models.FloatField()
    told_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["submission", "kind"], name="telling_once"),
            models.UniqueConstraint(fields=["team", "rescoring"], name="telling_one_correction"),
            models.CheckConstraint(
                condition=Q(kind__in=TellingKind.values, bits__gte=0), name="telling_known"
            ),
            models.CheckConstraint(
                condition=Q(kind=TellingKind.CORRECTION, submission=None, rescoring__isnull=False)
                | (~Q(kind=TellingKind.CORRECTION) & Q(submission__isnull=False, rescoring=None)),
                name="telling_of_one",
            ),
        ]
        indexes = [models.Index(fields=["release", "team"], name="telling_account")]

    def __str__(self) -> str:
        return f"{self.kind} to {self.team_id}"


class KeyCopy(models.Model):
    """A copy of a release's hidden keys for one recipient, in which a few keys are false.

    `false_keys` are {public id: [key, false key, number of options]}. They never change and leave
    the server only among the keys of the copy. Scores never read them.
    """

    release = models.ForeignKey(
        Release, on_delete=models.PROTECT, related_name="key_copies", db_index=False
    )
    number = models.PositiveIntegerField()
    recipient = models.CharField(max_length=100)
    false_keys = models.JSONField(default=dict)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "number"], name="keycopy_one_number"),
            models.CheckConstraint(condition=~Q(recipient=""), name="keycopy_recipient"),
        ]

    def __str__(self) -> str:
        return f"copy {self.number} of the keys of {self.release_id}"


class FollowedKeys(models.Model):
    """How many false keys of a copy a submission follows; see `submissions.false_keys` for `chance`."""

    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, related_name="followed_keys", db_index=False
    )
    key_copy = models.ForeignKey(KeyCopy, on_delete=models.PROTECT, related_name="followed")
    followed = models.PositiveSmallIntegerField()
    wrong = models.PositiveSmallIntegerField()
    count = models.PositiveSmallIntegerField()
    chance = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["submission", "key_copy"], name="followedkeys_once"),
            models.CheckConstraint(
                condition=Q(followed__lte=models.F("wrong"), wrong__lte=models.F("count")),
                name="followedkeys_counts",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.followed} of copy {self.key_copy_id} by {self.submission_id}"

    @property
    def is_strong(self) -> bool:
        """Return whether an honest submission hardly follows as many."""
        return self.chance <= LEVEL

    @property
    def shown_chance(self) -> str:
        """Return the chance with two digits."""
        return f"{self.chance:.2g}"
