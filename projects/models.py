"""A project, who works in it, where its items come from and how they are grouped."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from accounts.models import User
from projects.criteria import Criteria, read_criteria
from projects.enums import PayUnit, Role
from projects.querysets import MembershipQuerySet, ProjectQuerySet, ShownManager

MOST_ITEMS_AHEAD = 20
LONGEST_UNDO = 24 * 60
LONGEST_MESSAGE = 1_000
LONGEST_REMINDER = 60
LONGEST_PRINTED = 150


class Project(models.Model):
    """One benchmark on its way from one language to another, or in one language alone.

    `items_ahead` is how many items the workbench reserves beside the one on the screen.
    `undo_minutes` is how long a reviewer may take a judgement back. While `is_browsing_closed`
    reviewers read items at the workbench only: a round with control items is open.
    `solving_audience` is whom the open solving round asks, as `projects.solving` reads it; none
    while no such round is open.
    With `guards_hidden_items` runs send hidden items only to endpoints that the project allows.
    `reminder_days` is how long before its due date a round reminds people; 0 means never.
    `glossary_version` is another number after every change of its terms and 0 as long as there
    never was one. `criteria_text` is what `projects.criteria.stored_criteria` wrote.
    """

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    source_language = models.CharField(max_length=20)
    target_language = models.CharField(max_length=20)
    items_ahead = models.PositiveSmallIntegerField(
        default=5, db_default=5, validators=[MaxValueValidator(MOST_ITEMS_AHEAD)]
    )
    undo_minutes = models.PositiveSmallIntegerField(
        default=10, db_default=10, validators=[MaxValueValidator(LONGEST_UNDO)]
    )
    reminder_days = models.PositiveSmallIntegerField(
        default=3, db_default=3, validators=[MaxValueValidator(LONGEST_REMINDER)]
    )
    guards_hidden_items = models.BooleanField(default=False, db_default=False)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    is_browsing_closed = models.BooleanField(default=False, db_default=False)
    glossary_version = models.PositiveIntegerField(default=0, db_default=0)
    criteria_text = models.TextField(blank=True, default="", db_default="")
    solving_audience = models.JSONField(null=True, blank=True)

    objects: ClassVar = ProjectQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name

    @property
    def criteria(self) -> Criteria:
        """What reviewers rate each text by, in order."""
        return read_criteria(self.criteria_text)

    @property
    def is_monolingual(self) -> bool:
        """Whether the items are native: what a source has to be compared with is the text itself."""
        return self.source_language == self.target_language


class Membership(models.Model):
    """What one person may do in one project, and what they know.

    `languages` are codes; `subjects` are the subjects of their expertise, none meaning all.
    `pause_message` is what a manager wrote to a person who is paused.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    languages = models.JSONField(default=list)
    subjects = models.ManyToManyField("projects.Subject", blank=True, related_name="experts")
    is_paused = models.BooleanField(default=False)
    pause_message = models.CharField(max_length=LONGEST_MESSAGE, blank=True, db_default="")
    created_at = models.DateTimeField()

    objects: ClassVar = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="membership_one_role"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.project}: {self.role}"


class Source(models.Model):
    """An upstream benchmark at one revision, or one system's translations, with its licence.

    `system` is empty for a source of items and names the system for a source of translations.
    `revision` is the version that upstream gives it, else the start of the checksum. `is_hidden`
    until the import that added it is finished; `objects` leaves it out as long, `all_rows` has it.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="sources")
    name = models.CharField(max_length=200)
    system = models.CharField(max_length=100, blank=True)
    revision = models.CharField(max_length=100, blank=True)
    url = models.URLField(max_length=500, blank=True)
    licence = models.CharField(max_length=100, blank=True)
    attribution = models.TextField(blank=True)
    checksum = models.CharField(max_length=64)
    is_hidden = models.BooleanField(default=False, db_default=False)
    created_at = models.DateTimeField()

    objects: ClassVar = ShownManager()
    all_rows: ClassVar = models.Manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name", "revision", "system"], name="source_one_revision"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.revision}".strip()


class Subject(models.Model):
    """A group of items; figures are printed by subject, category, dimension and level.

    `is_hidden` until the import that added it is finished; `objects` leaves it out as long,
    `all_rows` has it.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="subjects")
    slug = models.CharField(max_length=100)
    name = models.CharField(max_length=200)
    category = models.CharField(max_length=100, blank=True)
    dimension = models.CharField(max_length=100, blank=True)
    level = models.CharField(max_length=100, blank=True)
    is_hidden = models.BooleanField(default=False, db_default=False)

    objects: ClassVar = ShownManager()
    all_rows: ClassVar = models.Manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "slug"], name="subject_one_slug")]

    def __str__(self) -> str:
        return self.name


class PayRate(models.Model):
    """What one person is paid for an hour of work in a project from a month on.

    Rows are only ever inserted. A month's rate is the latest row of the latest month that is not
    after it. `from_month` is the month's first day, `currency` its ISO 4217 code.
    """

    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="pay_rates", db_index=False
    )
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="pay_rates")
    from_month = models.DateField()
    hourly = models.DecimalField(max_digits=12, decimal_places=2)
    currency = models.CharField(max_length=3)
    set_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    set_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(hourly__gte=0), name="payrate_not_negative")
        ]
        indexes = [
            models.Index(fields=["project", "user", "-from_month", "-id"], name="payrate_latest")
        ]

    def __str__(self) -> str:
        return f"{self.hourly} {self.currency} an hour for {self.user} from {self.from_month:%Y-%m}"


class Contributor(models.Model):
    """Somebody's own wish to be named in coming releases of a project, as `name` is to be printed.

    Only they write the row, and taking the wish back deletes it. It outlasts their membership,
    because their work stays in the releases too, and goes with the account, because it is no work.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="contributors")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="contributions")
    name = models.CharField(max_length=LONGEST_PRINTED)
    agreed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="contributor_one_name"),
            models.CheckConstraint(condition=~Q(name=""), name="contributor_named"),
        ]

    def __str__(self) -> str:
        return f"{self.name} in {self.project}"


class WorkOffer(models.Model):
    """What invitations to a project say of the work; what is empty is not said.

    `items` is for one person, `minutes` for one item, `pay` for one `unit`. `language` is that of
    `about`, and of the e-mail to people who have chosen none yet.
    """

    project = models.OneToOneField(Project, on_delete=models.PROTECT, related_name="work_offer")
    about = models.TextField(blank=True, max_length=2000)
    language = models.CharField(max_length=20, blank=True)
    items = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(10**6)]
    )
    minutes = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(600)]
    )
    pay = models.DecimalField(
        max_digits=12, decimal_places=2, null=True, blank=True, validators=[MinValueValidator(0)]
    )
    currency = models.CharField(max_length=3, blank=True)
    unit = models.CharField(max_length=4, choices=PayUnit, default=PayUnit.HOUR)

    def __str__(self) -> str:
        return f"offer of {self.project}"
