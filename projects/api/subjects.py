"""The API of subjects: which category, dimension and level each belongs to."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.views import caller
from common.api import LIST_REFUSALS, REFUSALS, StrictSerializer
from common.pagination import ApiPagination
from projects import actions
from projects.actions.subjects import LONGEST
from projects.categories import COLUMNS, PUBLISHED, Grouping, published
from projects.models import Subject
from projects.queries import subjects_of
from projects.selectors import project_for


class SubjectSerializer(serializers.Serializer[Subject]):
    slug = serializers.CharField()
    name = serializers.CharField()
    category = serializers.CharField()
    dimension = serializers.CharField()
    level = serializers.CharField()


class GroupingInput(StrictSerializer):
    slug = serializers.CharField(max_length=100)
    category = serializers.CharField(max_length=LONGEST, allow_blank=True, required=False)
    dimension = serializers.CharField(max_length=LONGEST, allow_blank=True, required=False)
    level = serializers.CharField(max_length=LONGEST, allow_blank=True, required=False)


class GroupingsInput(StrictSerializer):
    """Either `subjects`, or `published` to fill what is empty from a benchmark's own assignment."""

    subjects = GroupingInput(many=True, required=False)
    published = serializers.ChoiceField(choices=sorted(PUBLISHED), required=False)

    def validate(self, attrs: Any) -> Any:
        if len(attrs) != 1:
            raise serializers.ValidationError("Send either subjects or published.")
        return attrs


class ChangedSerializer(serializers.Serializer[Any]):
    changed = serializers.IntegerField(help_text="How many subjects belong to something else now.")


class SubjectListView(generics.ListAPIView[Subject]):
    """The subjects of a project."""

    serializer_class = SubjectSerializer
    pagination_class = ApiPagination
    queryset = Subject.objects.none()

    @extend_schema(responses={200: SubjectSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    @extend_schema(request=GroupingsInput, responses={200: ChangedSerializer, **REFUSALS})
    def patch(self, request: Request, slug: str) -> Response:
        """Store what subjects belong to; what is not sent stays."""
        user = caller(request)
        project = project_for(user, slug, "projects.change_project")
        data = GroupingsInput(data=request.data)
        data.is_valid(raise_exception=True)
        code = data.validated_data.get("published", "")
        there = {row.slug: row for row in subjects_of(project)}
        sent = data.validated_data.get("subjects", ())
        groupings = published(code) if code else {row["slug"]: _merged(row, there) for row in sent}
        changed = actions.group_subjects(
            project=project, groupings=groupings, fills_gaps=bool(code),
            actor=user, now=timezone.now(),
        )  # fmt: skip
        return Response({"changed": changed})

    def get_queryset(self) -> Any:
        return subjects_of(
            project_for(caller(self.request), self.kwargs["slug"], "projects.view_project")
        )


def _merged(row: dict[str, str], there: dict[str, Subject]) -> Grouping:
    subject = there.get(row["slug"])
    return Grouping(**{name: row.get(name, getattr(subject, name, "")) for name in COLUMNS})
