"""Outside services, and the columns of a raw call to one."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from accounts.models import User
from endpoints.enums import ProviderName
from endpoints.querysets import EndpointQuerySet
from projects.models import Project

MOST_REQUESTS_PER_MINUTE = 100_000


class Endpoint(models.Model):
    """An outside service that models are called at.

    `project` is the one project that it belongs to; null means that an administrator defined it
    for the whole server, and `allowed_projects` says who may use it. Only those may have a key:
    `api_key_env` names the environment variable of the worker that holds it; the key itself is
    nowhere. The address never changes, so that a run's address stays the one that it used.
    `requests_per_minute` bounds the calls of all work together; null is no bound.
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
        ]

    def __str__(self) -> str:
        return self.name


class RawCall(models.Model):
    """The columns of one call as it came back, stored before anything is read in it.

    Each app that calls endpoints has a table of its own that inherits these and adds what the
    call was about, with a unique key so that an answer once paid for is never asked for again.
    """

    text = models.TextField(blank=True)
    error = models.TextField(blank=True)
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
