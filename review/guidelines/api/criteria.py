"""The API of what the reviewers of a project rate texts by."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS
from projects.api.serializers import CriteriaInput
from projects.models import Project
from projects.selectors import project_for
from review.guidelines.actions.criteria import change_criteria
from review.requests import valid


class CriteriaView(APIView):
    """The criteria of a project in the order of the workbench."""

    @extend_schema(responses={200: CriteriaInput, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """What reviewers rate texts by; what ratings mean now is in the guideline."""
        return _answer(project_for(caller(request), slug, "projects.view_project"))

    @extend_schema(request=CriteriaInput, responses={200: CriteriaInput, **REFUSALS})
    def put(self, request: Request, slug: str) -> Response:
        """Give the project these criteria; once a text was rated, only words may change."""
        user = caller(request)
        project = project_for(user, slug, "projects.change_project")
        rows = valid(CriteriaInput(data=request.data))["criteria"]
        change_criteria(project=project, rows=rows, actor=user, now=timezone.now())
        return _answer(project)


def _answer(project: Project) -> Response:
    return Response({"criteria": [each.as_json() for each in project.criteria]})
