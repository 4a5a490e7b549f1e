"""The job kind of this app: testing a model."""

from django.utils.translation import gettext_lazy as _

from endpoints.specs.job_page import page_of_test, result_of_test
from endpoints.specs.testing import TEST_KIND
from jobs.enums import Queue
from jobs.kinds import JobKind, register_kind
from projects.selectors import find_project

register_kind(
    JobKind(
        name=TEST_KIND,
        title=_("Test of a model"),
        work="endpoints.specs.testing.perform_test",
        queue=Queue.CALLS,
        find_scope=find_project,
        view_permission="endpoints.test_models",
        manage_permission="endpoints.test_models",
        section="runs",
        template="endpoints/includes/model_test.html",
        page=page_of_test,
        result=result_of_test,
    )
)
