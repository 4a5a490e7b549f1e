"""Outside services, the models at them, and the columns of a raw call to one."""

from decimal import Decimal
from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from accounts.models import User
from endpoints.enums import ProviderName
from endpoints.querysets import EndpointQuerySet
from projects.models import Project

MOST_REQUESTS_PER_MINUTE = 100_000
MOST_CONCURRENCY = 1_000


class Endpoint(models.Model):
    """An outside service that models are called at.

    `project` is the one project that it belongs to; null means that an administrator defined it
    for the whole server, and `allowed_projects` says who may use it. Only those may have a key:
    `api_key_env` names the environment variable of the worker that holds it; the key itself is
    nowhere. The address never changes, so that a run's address stays the one that it used.
    `hidden_item_projects` let the text of their hidden items go to it for translation.
    `requests_per_minute` and `concurrency`, which is how many may be under way at once, bound the
    calls of all work together; null is no bound.
    """

    project = models.ForeignKey(
        Project, null=True, on_delete=models.PROTECT, related_name="endpoints"
    )
    allowed_projects = models.ManyToManyField(Project, blank=True, related_name="+")
    name = models.CharField(max_length=100)
    provider = models.CharField(
        max_length=20, choices=ProviderName, default=ProviderName.OPENAI_COMPATIBLE
    )
    base_url = models.URLField(max_length=300)
    api_key_env = models.CharField(max_length=100, blank=True)
    requests_per_minute = models.PositiveIntegerField(
        null=True, validators=[MinValueValidator(1), MaxValueValidator(MOST_REQUESTS_PER_MINUTE)]
    )
    concurrency = models.PositiveSmallIntegerField(
        null=True, validators=[MinValueValidator(1), MaxValueValidator(MOST_CONCURRENCY)]
    )
    hidden_item_projects = models.ManyToManyField(Project, blank=True, related_name="+")
    is_active = models.BooleanField(default=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    objects: ClassVar = EndpointQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["base_url"], name="endpoint_base_url")]
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="endpoint_one_name"),
            models.UniqueConstraint(
                fields=["name"],
                condition=Q(project__isnull=True),
                name="endpoint_one_name_of_server",
            ),
            models.CheckConstraint(
                condition=Q(project__isnull=True) | Q(api_key_env=""), name="endpoint_key_of_server"
            ),
            models.CheckConstraint(
                condition=Q(requests_per_minute__isnull=True)
                | Q(requests_per_minute__gte=1, requests_per_minute__lte=MOST_REQUESTS_PER_MINUTE),
                name="endpoint_requests_per_minute",
            ),
            models.CheckConstraint(
                condition=Q(concurrency__isnull=True)
                | Q(concurrency__gte=1, concurrency__lte=MOST_CONCURRENCY),
                name="endpoint_concurrency",
            ),
        ]

    def __str__(self) -> str:
        return self.name


BATCH_FACTOR = Decimal("0.5")


class ModelSpec(models.Model):
    """A model at an endpoint, with its decoding parameters. Every change is a new revision.

    `project` null means that an administrator defined it for the whole server: every project that
    may use its endpoint can choose it.
    `prompt_price` and `completion_price` are US dollars for a million tokens; null is not known.
    A call of a batch file costs `batch_factor` times these.
    `size` is billions of parameters, which figures by size rest on; null is not known.
    `cutoff` is the month of the newest texts in its training data, such as 2024-06; empty is not known.
    `tuned_from` is the name of the project's model that it was tuned from, as a chat model is from its
    base model; empty is not known.
    A retired model stays visible; no work is started with it, and it gets no revision.
    """

    project = models.ForeignKey(
        Project, null=True, on_delete=models.PROTECT, related_name="model_specs"
    )
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="model_specs")
    name = models.CharField(max_length=100)
    revision = models.PositiveSmallIntegerField(default=1)
    model = models.CharField(max_length=200)
    parameters = models.JSONField(default=dict)
    prompt_price = models.DecimalField(max_digits=10, decimal_places=4, null=True)
    completion_price = models.DecimalField(max_digits=10, decimal_places=4, null=True)
    batch_factor = models.DecimalField(max_digits=5, decimal_places=4, default=BATCH_FACTOR)
    size = models.DecimalField(max_digits=9, decimal_places=4, null=True)
    cutoff = models.CharField(max_length=7, blank=True, default="")
    tuned_from = models.CharField(max_length=100, blank=True, default="")
    retired_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name", "revision"], name="modelspec_one_revision"
            ),
            models.UniqueConstraint(
                fields=["name", "revision"],
                condition=Q(project__isnull=True),
                name="modelspec_one_revision_of_server",
            ),
            models.CheckConstraint(
                condition=Q(batch_factor__gte=0, batch_factor__lte=1), name="modelspec_batch_factor"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_of_server(self) -> bool:
        return self.project_id is None

    def is_of(self, project: Project) -> bool:
        """Return whether it is one of the project's models, or of the server's."""
        return self.project_id in (None, project.pk)

    @property
    def size_text(self) -> str:
        """The size without needless zeros, as in “7” or “0.5”; empty if it is not known."""
        return "" if self.size is None else f"{self.size.normalize():f}"


class EndpointPace(models.Model):
    """When the next call to an address may begin, for all processes. See `endpoints.pacing`.

    Its row is also what those who share places at the address lock.
    """

    base_url = models.URLField(max_length=300, unique=True)
    next_at = models.DateTimeField()
    paused_until = models.DateTimeField()

    def __str__(self) -> str:
        return self.base_url


class EndpointPlaces(models.Model):
    """How many calls to an address a piece of work may have under way. See `endpoints.places`.

    `holder` is the process that does the work, as `jobs.processes` names it. It would like `wanted`
    places, and the `held` ones are its own until `held_until`, unless it has ended before.
    """

    base_url = models.URLField(max_length=300, db_index=True)
    holder = models.CharField(max_length=200)
    wanted = models.PositiveSmallIntegerField()
    held = models.PositiveSmallIntegerField()
    held_until = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(held__lte=models.F("wanted")), name="endpointplaces_held"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.held} of {self.wanted} at {self.base_url}"


class RawCall(models.Model):
    """The columns of one call as it came back, stored before anything is read in it.

    Each app that calls endpoints has a table of its own that inherits these and adds what the
    call was about, with a unique key so that an answer once paid for is never asked for again.

    An answer may be empty: `refusal`, `tool_calls`, `finish_reason` and `error` say why. The
    `error` of an answer is the model's (a code of `endpoints.stops.MODEL_FAULTS`), that of a failed
    call the endpoint's. `body` is the beginning of what the endpoint sent, whatever it was.
    """

    text = models.TextField(blank=True)
    error = models.TextField(blank=True)
    reasoning = models.TextField(blank=True)
    refusal = models.TextField(blank=True)
    tool_calls = models.TextField(blank=True)
    body = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=40, blank=True)
    endpoint_model = models.CharField(max_length=200, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True)
    completion_tokens = models.PositiveIntegerField(null=True)
    latency_ms = models.PositiveIntegerField(default=0)
    try_count = models.PositiveSmallIntegerField(default=1)
    request_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    class Meta:
        abstract = True


class FileCall(RawCall):
    """A raw call that may have come from a batch file: it has the price of files then."""

    is_from_file = models.BooleanField(default=False, db_default=False)

    class Meta(RawCall.Meta):
        abstract = True
