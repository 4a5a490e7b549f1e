"""The API of changing all items of a filter: preview, doing what it showed, and the way back."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.items.api import ItemFilterInput
from annotation.items.forms import item_filter_from
from common.api import REFUSALS, StrictSerializer
from common.reasons import REASON_LENGTH
from projects.actions.subjects import LONGEST
from projects.models import Project
from projects.selectors import project_for
from review.bulk.actions import change_items, undo_exclusion
from review.bulk.plans import WantedChange, plan_change
from review.bulk.selectors import bulk_of, latest_bulks
from review.enums import BulkKind
from review.models import BulkChange
from review.requests import valid

RIGHT = "annotation.change_item"


class BulkChangePreviewInput(StrictSerializer):
    """What to do to all items of a filter; `to_category` goes with the change `category`."""

    change = serializers.ChoiceField(choices=BulkKind.choices)
    item_filter = ItemFilterInput(default=dict)
    to_category = serializers.CharField(default="", allow_blank=True, max_length=LONGEST)


class BulkChangeInput(BulkChangePreviewInput):
    """A change as it was previewed: nothing is done if the `digest` is another one by now (409).

    Then `current` is the new preview. `reason` goes with excluding and restoring.
    """

    digest = serializers.CharField(max_length=64)
    reason = serializers.CharField(default="", allow_blank=True, max_length=REASON_LENGTH)


class BulkChangePreviewSerializer(serializers.Serializer[Any]):
    """What would happen; `left_out` counts the items that stay, by the code of the reason."""

    selected = serializers.IntegerField()
    changing = serializers.IntegerField()
    left_out = serializers.DictField(child=serializers.IntegerField())
    digest = serializers.CharField()


class BulkChangeSerializer(serializers.Serializer[BulkChange]):
    """A change of many items; `item_count` of `planned_count` items have changed."""

    id = serializers.IntegerField()
    change = serializers.CharField(source="kind")
    item_filter = serializers.DictField(child=serializers.CharField())
    reason = serializers.CharField()
    to_category = serializers.CharField(source="category")
    planned_count = serializers.IntegerField()
    item_count = serializers.IntegerField()
    left_out = serializers.DictField(child=serializers.IntegerField())
    job = serializers.IntegerField(source="job_id", allow_null=True)
    undoes = serializers.IntegerField(source="undoes_id", allow_null=True)
    made_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class BulkPreviewView(APIView):
    @extend_schema(
        request=BulkChangePreviewInput, responses={200: BulkChangePreviewSerializer, **REFUSALS}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Say what a change would do to the items of a filter; nothing changes."""
        project = project_for(caller(request), slug, RIGHT)
        wanted = _wanted(project, valid(BulkChangePreviewInput(data=request.data)))
        shown: Any = plan_change(project, wanted).as_json()
        return Response(BulkChangePreviewSerializer(shown).data)


class BulkListView(APIView):
    @extend_schema(responses={200: BulkChangeSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """The latest changes of many items, the newest first."""
        rows: Any = latest_bulks(project_for(caller(request), slug, RIGHT))
        return Response(BulkChangeSerializer(rows, many=True).data)

    @extend_schema(
        request=BulkChangeInput,
        responses={200: BulkChangeSerializer, 202: BulkChangeSerializer, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Do what a preview showed: 200 when it is done, 202 with the job where there are many."""
        user = caller(request)
        project = project_for(user, slug, RIGHT)
        said = valid(BulkChangeInput(data=request.data))
        bulk = change_items(
            project=project,
            wanted=_wanted(project, said),
            digest=said["digest"],
            reason=said["reason"],
            actor=user,
            now=timezone.now(),
        )
        return _answer(bulk)


class UndoBulkView(APIView):
    @extend_schema(
        request=None, responses={200: BulkChangeSerializer, 202: BulkChangeSerializer, **REFUSALS}
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Bring back the items that a change excluded, but for those that changed since."""
        user = caller(request)
        bulk = bulk_of(project_for(user, slug, RIGHT), pk)
        return _answer(undo_exclusion(bulk=bulk, actor=user, now=timezone.now()))


def _answer(bulk: BulkChange) -> Response:
    code = status.HTTP_202_ACCEPTED if bulk.job_id else status.HTTP_200_OK
    return Response(BulkChangeSerializer(bulk).data, status=code)


def _wanted(project: Project, said: dict[str, Any]) -> WantedChange:
    return WantedChange(
        kind=BulkKind(said["change"]),
        item_filter=item_filter_from(project, said["item_filter"]),
        category=said["to_category"],
    )
