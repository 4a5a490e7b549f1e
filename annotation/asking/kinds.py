"""What the kinds of job that ask models about items call their parts."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.db.models import QuerySet
from django.utils.functional import Promise

from annotation.models.asking import AskingJob
from common.errors import DomainError
from projects.models import Project
from prompts.actions import ensure_job_prompt, revise_job_prompt
from prompts.enums import PromptPurpose
from prompts.models import PromptTemplate
from prompts.queries import job_prompt

Started = TypeVar("Started", bound=AskingJob)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a model is asked to do, whose prompt a project can revise; `frame` is the built-in one."""

    purpose: PromptPurpose
    task: str
    frame: str

    def prompt_of(self, project: Project, *, now: datetime) -> PromptTemplate:
        """Return the latest prompt: the project's, or the built-in one, unsaved."""
        return job_prompt(project, self.purpose, self.task, frame=self.frame, now=now)

    def ensure(self, project: Project, *, now: datetime) -> PromptTemplate:
        """Return the latest prompt, after storing the built-in one if there is none."""
        return ensure_job_prompt(
            project=project, purpose=self.purpose, task=self.task, frame=self.frame, now=now
        )

    def revise(self, **values: Any) -> PromptTemplate:
        """Store the next revision of the prompt as `revise_job_prompt`."""
        return revise_job_prompt(purpose=self.purpose, task=self.task, builtin=self.frame, **values)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingKind(Generic[Started]):
    """One kind of job that asks models about items; `name` is that of its `JobKind`.

    - `jobs` are all its jobs, with their relations.
    - `rows` is the relation to what it asks. A row that failed has the code and the data of the
      reason in the columns `reason` and `data`.
    - A project has one job at a time with the same `alone`; `word` stands for it in `underway`.
    - `view` and `manage` are permissions, `page` and `page_list` the addresses of a job and of all,
      `templates` is the folder of the pages, and `key` what the API calls a job.
    - The titles are those of the list, of the form that starts a job, of its progress, of what its
      progress counts, and of the page of its prompt.
    """

    name: str
    key: str
    jobs: QuerySet[Started]
    rows: str
    reason: str
    data: str
    alone: str
    word: str
    invalid: type[DomainError]
    underway: type[DomainError]
    complete: type[DomainError]
    view: str
    manage: str
    page: str
    page_list: str
    templates: str
    title: Promise
    start_title: Promise
    progress_title: Promise
    unit_title: Promise
    prompt_title: Promise

    @property
    def namespace(self) -> str:
        """The app whose addresses its pages are."""
        return self.page.partition(":")[0]
