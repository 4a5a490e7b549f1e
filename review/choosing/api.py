"""The API of choosing whose texts go on: with a preview, and with the way back."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from accounts.models import User
from annotation.items.api import ItemFilterInput
from annotation.items.selectors import get_item
from annotation.models import Item
from common.api import REFUSALS, StrictSerializer
from common.pagination import KeysetPagination
from jobs.models import Job
from projects.models import Project
from projects.selectors import project_for
from review.choosing.actions.choosing import Chosen, choose_for_item
from review.choosing.actions.jobs import WantedTexts, choose_or_queue, choose_wanted, undo_or_queue
from review.choosing.forms import ChoiceFilterForm
from review.choosing.selectors import choice_of
from review.choosing.text_choices import (
    DISAGREE,
    ChoiceRow,
    Said,
    Side,
    choice_rows,
    items_to_choose,
    latest_choices,
)
from review.models import TextChoice
from review.requests import valid
from review.rounds.forms import item_filter_of
from review.selectors import get_round

RIGHT = "review.choose_translation"
_OF_SYSTEM = ("uid", "item_filter")
_OF_ITEM = ("system", "instead_of", "is_reviewed_included", "is_preview")


class ChooseTranslationsInput(StrictSerializer):
    """What `POST projects/{slug}/translations/choose/` takes: a system, or a closed comparison.

    With a system either one item (`uid`), or the items of `item_filter`, by default all. With a
    `uid`, `instead_of` names the system whose text you saw go on: if somebody else chose another
    meanwhile, you are told (409). With a comparison, `ties_to` names the system whose text to take
    where two are equally good. With `is_preview` nothing changes, and the answer says what would.
    """

    system = serializers.CharField(default="", allow_blank=True, max_length=100)
    best_of_round = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=32_767
    )
    ties_to = serializers.CharField(default="", allow_blank=True, max_length=100)
    uid = serializers.CharField(default="", allow_blank=True, max_length=200)
    instead_of = serializers.CharField(default="", allow_blank=True, max_length=100)
    item_filter = ItemFilterInput(default=dict)
    is_reviewed_included = serializers.BooleanField(default=False)
    is_preview = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if bool(attrs["system"]) == (attrs["best_of_round"] is not None):
            raise serializers.ValidationError(
                {"system": [_("Give either system or best_of_round.")]}
            )
        if attrs["ties_to"] and attrs["system"]:
            raise serializers.ValidationError(
                {"ties_to": [_("Give this only with best_of_round.")]}
            )
        # What is left aside would widen the choice to all items.
        if not attrs["system"] and (given := [each for each in _OF_SYSTEM if attrs[each]]):
            words = [_("Give this only with system.")]
            raise serializers.ValidationError(dict.fromkeys(given, words))
        if attrs["uid"] and attrs["item_filter"]:
            raise serializers.ValidationError({"uid": [_("Give either uid or item_filter.")]})
        if attrs["instead_of"] and not attrs["uid"]:
            raise serializers.ValidationError({"instead_of": [_("Give this only with uid.")]})
        return attrs


class ChosenSerializer(serializers.Serializer[Any]):
    """How many items have another text now, and why others keep theirs."""

    changed = serializers.IntegerField()
    same = serializers.IntegerField()
    reviewed = serializers.IntegerField()
    waiting = serializers.IntegerField()
    without = serializers.IntegerField()


class ChoiceSerializer(serializers.Serializer[TextChoice]):
    """One choice of texts; `why` is the system, or the round whose best texts were taken."""

    id = serializers.IntegerField()
    why = serializers.CharField()
    item_count = serializers.IntegerField()
    actor = serializers.EmailField(source="actor.email", allow_null=True, default=None)
    made_at = serializers.DateTimeField()


class RestoredSerializer(serializers.Serializer[Any]):
    restored = serializers.IntegerField(help_text="How many items have their text of before.")


class ChoosingStartedSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField(help_text="The job that does it; `result` says what it came to.")


class OpinionSerializer(serializers.Serializer[Said]):
    """What the experts of the comparison said of a text."""

    approvals = serializers.IntegerField()
    judges = serializers.IntegerField()
    means = serializers.SerializerMethodField()
    mean_rank = serializers.FloatField(allow_null=True)
    is_best = serializers.BooleanField()

    @extend_schema_field(serializers.DictField(child=serializers.FloatField()))
    def get_means(self, said: Said) -> dict[str, float]:
        return {mean.name: mean.value for mean in said.means}


class SideSerializer(serializers.Serializer[Side]):
    """One system's text of an item."""

    system = serializers.CharField(help_text="What choosing takes, with the item's `uid`.")
    question = serializers.CharField(source="revision.question")
    options = serializers.ListField(child=serializers.CharField(), source="revision.options")
    answer = serializers.CharField(source="revision.answer")
    explanation = serializers.CharField(source="revision.explanation")
    is_chosen = serializers.BooleanField(help_text="Whether it is the one that goes on.")
    is_corrected = serializers.BooleanField()
    said = OpinionSerializer(
        allow_null=True, help_text="Null without `round`, and where nobody compared the text."
    )


class ChoiceRowSerializer(serializers.Serializer[ChoiceRow]):
    """An item with the texts of its systems."""

    uid = serializers.CharField(source="item.uid")
    item_id = serializers.IntegerField(source="item.pk")
    subject = serializers.CharField(source="item.subject.slug")
    is_waiting = serializers.BooleanField(
        help_text="In an open round or dispute, so that nothing can be chosen now."
    )
    is_worked_on = serializers.BooleanField(
        help_text="Judged, decided on or corrected: kept unless `is_reviewed_included`."
    )
    texts = SideSerializer(many=True, source="sides")


class ByUidPagination(KeysetPagination):
    order = ("uid_order", "pk")


class ItemsToChooseView(generics.GenericAPIView[Any]):
    serializer_class = ChoiceRowSerializer
    pagination_class = ByUidPagination
    queryset = Item.objects.none()

    @extend_schema(
        parameters=[
            OpenApiParameter("subject", description="Slug of a subject."),
            OpenApiParameter("round", int, description="Number of a closed comparison."),
            OpenApiParameter(
                "show", enum=[DISAGREE], description="Only texts that differ from the chosen one."
            ),
        ],
        responses={200: ChoiceRowSerializer(many=True), **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """Items that several systems translated, with their texts and what experts said of each."""
        project = project_for(caller(request), slug, RIGHT)
        form = ChoiceFilterForm(request.query_params, project=project)
        if not form.is_valid():
            raise serializers.ValidationError(
                {name: [str(word) for word in words] for name, words in form.errors.items()}
            )
        wanted = form.wanted()
        page: Any = self.paginate_queryset(items_to_choose(project, wanted))
        rows: Any = choice_rows(page, wanted.round)
        return self.get_paginated_response(ChoiceRowSerializer(rows, many=True).data)


class ChooseTranslationsView(APIView):
    """Choose whose texts go on to the next round, for one item, for a filter, or for all items."""

    @extend_schema(
        request=ChooseTranslationsInput,
        responses={200: ChosenSerializer, 202: ChoosingStartedSerializer, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Choose: 200 with what became of the items, 202 with the job where there are many."""
        project = project_for(caller(request), slug, RIGHT)
        said = valid(ChooseTranslationsInput(data=request.data))
        done = _choose(project, said, caller(request))
        return _started(done) if isinstance(done, Job) else Response(ChosenSerializer(done).data)


class ChoiceListView(APIView):
    """The latest choices that can still be undone, the newest first."""

    @extend_schema(responses={200: ChoiceSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        project = project_for(caller(request), slug, RIGHT)
        shown: Any = latest_choices(project)
        return Response(ChoiceSerializer(shown, many=True).data)


class UndoChoiceView(APIView):
    """Give the items of a choice their texts of before, but for those that were chosen anew since."""

    @extend_schema(
        request=None,
        responses={200: RestoredSerializer, 202: ChoosingStartedSerializer, **REFUSALS},
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Undo a choice: 200 when it is undone, 202 with the job where it has many items."""
        user = caller(request)
        choice = choice_of(project_for(user, slug, RIGHT), pk)
        done = undo_or_queue(choice=choice, actor=user, now=timezone.now())
        return _started(done) if isinstance(done, Job) else Response({"restored": done})


def _started(job: Job) -> Response:
    return Response({"job": job.pk}, status=status.HTTP_202_ACCEPTED)


def _choose(project: Project, said: dict[str, Any], actor: User) -> Chosen | Job:
    how: dict[str, Any] = {"actor": actor, "now": timezone.now()}
    if said["uid"] and said["best_of_round"] is None:
        how |= {name: said[name] for name in _OF_ITEM}
        return choose_for_item(item=get_item(project, said["uid"]), **how)
    how |= {"project": project, "wanted": _wanted(project, said)}
    return choose_wanted(**how, is_preview=True) if said["is_preview"] else choose_or_queue(**how)


def _wanted(project: Project, said: dict[str, Any]) -> WantedTexts:
    is_reviewed_included = said["is_reviewed_included"]
    if said["best_of_round"] is not None:
        return WantedTexts(
            best_of=get_round(project, said["best_of_round"]),
            ties_to=said["ties_to"],
            is_reviewed_included=is_reviewed_included,
        )
    return WantedTexts(
        system=said["system"],
        item_filter=item_filter_of(project, said["item_filter"]),
        is_reviewed_included=is_reviewed_included,
    )
