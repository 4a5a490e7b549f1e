"""A project that takes submissions to one small part."""

import pytest

from projects.models import Project
from releases.models import Release
from submissions.models import Participant
from tests.submissions.builders import join, make_part, take_submissions


@pytest.fixture
def release(project: Project) -> Release:
    take_submissions(project)
    return make_part(project)


@pytest.fixture
def sender(release: Release) -> Participant:
    return join(release.project)
