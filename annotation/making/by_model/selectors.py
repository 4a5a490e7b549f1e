"""Finds the prompt of making jobs for requests."""

from datetime import datetime

from annotation.making.pairs import WAY
from annotation.making.prompting import DISTRACTORS_FRAME
from projects.models import Project
from prompts.enums import PromptPurpose
from prompts.models import PromptTemplate
from prompts.queries import job_prompt


def prompt_of(project: Project, *, now: datetime) -> PromptTemplate:
    """Return the latest prompt for wrong answers: the project's, or the built-in one, unsaved."""
    return job_prompt(project, PromptPurpose.MAKE, WAY, frame=DISTRACTORS_FRAME, now=now)
