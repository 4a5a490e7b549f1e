"""Prompt templates, which say how to ask a model an item."""

from django.db import models

from projects.models import Project
from prompts.enums import OptionLabels, PromptPurpose, PromptStyle, ShotLayout
from prompts.rendering import OPTION_LINE


class PromptTemplate(models.Model):
    """How to ask a model an item, or to have it translated.

    `system` and `frame` have the placeholders of `prompts.rendering`, or of `prompts.translation`.
    `prompts.rendering.Template` says what the fields from `layout` on mean; translation has no use for them.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="prompt_templates")
    name = models.CharField(max_length=100)
    revision = models.PositiveSmallIntegerField(default=1)
    purpose = models.CharField(
        max_length=9,
        choices=PromptPurpose,
        default=PromptPurpose.ASK,
        db_default=PromptPurpose.ASK,
    )
    language = models.CharField(max_length=20)
    style = models.CharField(max_length=20, choices=PromptStyle, default=PromptStyle.DIRECT)
    system = models.TextField(blank=True)
    frame = models.TextField()
    layout = models.CharField(
        max_length=5, choices=ShotLayout, default=ShotLayout.TURNS, db_default=ShotLayout.TURNS
    )
    labels = models.CharField(
        max_length=7,
        choices=OptionLabels,
        default=OptionLabels.LATIN,
        db_default=OptionLabels.LATIN,
    )
    option_line = models.CharField(max_length=100, default=OPTION_LINE, db_default=OPTION_LINE)
    shot_frame = models.TextField(blank=True, default="", db_default="")
    shot_seed = models.PositiveIntegerField(null=True)
    prefill = models.TextField(blank=True, default="", db_default="")
    number_system = models.TextField(blank=True, default="", db_default="")
    number_frame = models.TextField(blank=True, default="", db_default="")
    translation_frame = models.TextField(blank=True, default="", db_default="")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name", "revision"], name="prompttemplate_one_revision"
            )
        ]

    def __str__(self) -> str:
        return self.name
