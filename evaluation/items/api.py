"""The API of item analysis, and of what it suggests to review."""

from dataclasses import asdict
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import LIST_REFUSALS, READ_REFUSALS, REFUSALS, IdField, StrictSerializer
from common.pagination import KeysetPagination
from evaluation.enums import SuggestionKind, SuggestionState
from evaluation.items.actions import (
    MOST_SENT,
    dismiss_suggestion,
    send_suggestions,
    start_analysis,
)
from evaluation.items.json_values import figure_json, suggestion_json
from evaluation.items.labels import power_text
from evaluation.items.queries import (
    KINDS,
    ORDERS,
    analyses_seen_by,
    figures_seen_by,
    hit_rates,
    outdated,
    suggestions_of,
)
from evaluation.items.selectors import (
    analysis_of,
    figure_filter,
    reference_release,
    suggestion_filter,
    suggestion_of,
)
from evaluation.models import ItemFigure, ReviewSuggestion
from jobs.enums import JobState
from projects.selectors import project_for
from releases.selectors import get_release

VIEW = "evaluation.view_item_analysis"
ANALYSE = "evaluation.analyse_items"
DECIDE = "evaluation.decide_suggestions"


class AnalysisInput(StrictSerializer):
    release = serializers.CharField(max_length=40, help_text="Version of the release.")
    source_release = serializers.CharField(
        max_length=160,
        required=False,
        default="",
        allow_blank=True,
        help_text="A release of the same items in the source language: `VERSION`, or "
        "`PROJECT:VERSION` of another project that you manage.",
    )


class AnalysisStartedSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField()


class AnalysisSerializer(serializers.Serializer[Any]):
    release = serializers.CharField(source="release.version")
    job = serializers.IntegerField(source="job_id")
    state = serializers.ChoiceField(choices=JobState.choices, source="job.state")
    finished_at = serializers.DateTimeField(allow_null=True)
    outdated = serializers.BooleanField(
        help_text="Whether runs have ended, or answers were scored, since then."
    )
    facts = serializers.DictField(help_text="What the figures rest on.")
    notes = serializers.ListField(child=serializers.CharField(), help_text="The same in words.")


class ItemFigureSerializer(serializers.Serializer[Any]):
    """The figures of one item; shares are between 0 and 1, null where they are undefined."""

    uid = serializers.CharField()
    subject = serializers.CharField()
    key = serializers.CharField()
    is_hidden = serializers.BooleanField()
    answers = serializers.IntegerField()
    models = serializers.IntegerField()
    difficulty = serializers.FloatField(allow_null=True, help_text="Share of right answers.")
    discrimination = serializers.FloatField(
        allow_null=True, help_text="Corrected point-biserial over models."
    )
    chosen = serializers.DictField(child=serializers.FloatField())
    strong = serializers.IntegerField(help_text="How many models are strong.")
    strong_chosen = serializers.DictField(child=serializers.FloatField())
    strong_choice = serializers.CharField()
    strong_agree = serializers.IntegerField()
    epoch_runs = serializers.IntegerField()
    epoch_flips = serializers.FloatField(allow_null=True)
    prompt_spread = serializers.FloatField(allow_null=True)
    dif_reference = serializers.IntegerField(allow_null=True)
    dif_focal = serializers.IntegerField(allow_null=True)
    dif_delta = serializers.FloatField(
        allow_null=True, help_text="Mantel-Haenszel Δ of ETS; below 0 if harder in the target."
    )
    dif_error = serializers.FloatField(allow_null=True)
    dif_p = serializers.FloatField(allow_null=True)
    dif_q = serializers.FloatField(allow_null=True)
    dif_size = serializers.CharField(allow_null=True, help_text="A, B or C.")
    dif_logistic_delta = serializers.FloatField(allow_null=True)
    dif_logistic_p = serializers.FloatField(allow_null=True)
    dif_logistic_q = serializers.FloatField(allow_null=True)
    dif_harder_q = serializers.FloatField(
        allow_null=True, help_text="Both tests together, of an item that is harder in the target."
    )


class ReviewSuggestionSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    uid = serializers.CharField()
    kind = serializers.ChoiceField(choices=SuggestionKind.choices)
    strength = serializers.FloatField()
    state = serializers.ChoiceField(choices=SuggestionState.choices)
    release = serializers.CharField()
    text = serializers.CharField(help_text="The evidence in words.")
    evidence = serializers.DictField()
    has_changed = serializers.BooleanField(help_text="Whether the item has another text now.")
    round = serializers.IntegerField(allow_null=True, help_text="The id of the round.")
    reason = serializers.CharField(help_text="Why it was dismissed.")


class SendInput(StrictSerializer):
    ids = serializers.ListField(child=IdField(), allow_empty=False, max_length=MOST_SENT)
    panel_size = serializers.IntegerField(min_value=1, max_value=9, default=2)


class RoundOpenedSerializer(serializers.Serializer[Any]):
    round = serializers.IntegerField(help_text="The number of the round.")
    id = serializers.IntegerField()
    panels = serializers.IntegerField()


class DismissInput(StrictSerializer):
    reason = serializers.CharField()


class HitRateSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=SuggestionKind.choices)
    sent = serializers.IntegerField()
    judged = serializers.IntegerField()
    not_approved = serializers.IntegerField()
    key_corrected = serializers.IntegerField()
    found = serializers.IntegerField(help_text="Either of the two.")
    simulated = serializers.IntegerField(
        help_text="Suggestions whose item a program judged, not only people."
    )
    share = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(help_text="Wilson's interval.")
    high = serializers.FloatField()


class FigurePagination(KeysetPagination):
    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        self.order = ORDERS[figure_filter(sort=request.query_params.get("sort", "")).sort]
        return super().paginate_queryset(queryset, request, view)


class StrongestPagination(KeysetPagination):
    order = ("-strength", "pk")


class AnalysisListView(APIView):
    @extend_schema(responses={200: AnalysisSerializer(many=True), **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """The analyses of the project's newest 50 analysed releases."""
        user = caller(request)
        project = project_for(user, slug, VIEW)
        found: list[Any] = list(analyses_seen_by(user, project)[:50])
        changed = outdated(found)
        for each in found:
            each.outdated, each.notes = each.pk in changed, power_text(each.facts)
        return Response(AnalysisSerializer(found, many=True).data)

    @extend_schema(request=AnalysisInput, responses={202: AnalysisStartedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Queue an analysis by the finished runs of a release. Its progress is at `jobs/{job}/`."""
        user = caller(request)
        project = project_for(user, slug, ANALYSE)
        data = AnalysisInput(data=request.data)
        data.is_valid(raise_exception=True)
        source = data.validated_data["source_release"]
        analysis = start_analysis(
            release=get_release(
                project, data.validated_data["release"], must_stand=True, user=user
            ),
            reference=reference_release(project, source, user=user) if source else None,
            actor=user,
            now=timezone.now(),
        )
        return Response({"job": analysis.job_id}, status=status.HTTP_202_ACCEPTED)


class FigureListView(generics.GenericAPIView[ItemFigure]):
    """The figures of the items of a release; hidden items for managers only."""

    pagination_class = FigurePagination
    serializer_class = ItemFigureSerializer
    queryset = ItemFigure.objects.none()

    @extend_schema(
        parameters=[
            OpenApiParameter("release", description="Version; the newest analysed by default."),
            OpenApiParameter("filter", enum=list(filter(None, KINDS))),
            OpenApiParameter("sort", enum=list(ORDERS), default="item"),
        ],
        responses={200: ItemFigureSerializer(many=True), **LIST_REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        user = caller(request)
        project = project_for(user, slug, VIEW)
        wanted = figure_filter(kind=request.GET.get("filter", ""), sort=request.GET.get("sort", ""))
        analysis = analysis_of(user, project, request.GET.get("release", ""))
        if analysis is None:
            raise Http404
        page: Any = self.paginate_queryset(
            figures_seen_by(user, analysis).filter(KINDS[wanted.kind])
        )
        return self.get_paginated_response(
            ItemFigureSerializer([figure_json(row) for row in page], many=True).data
        )


class ReviewSuggestionListView(generics.GenericAPIView[ReviewSuggestion]):
    """What the answers of models suggest to look at again, the strongest first. For managers."""

    pagination_class = StrongestPagination
    serializer_class = ReviewSuggestionSerializer
    queryset = ReviewSuggestion.objects.none()

    def get_queryset(self) -> QuerySet[ReviewSuggestion]:
        project = project_for(caller(self.request), self.kwargs["slug"], DECIDE)
        given = {name: self.request.GET.get(name, "") for name in ("kind", "state")}
        kind, state = suggestion_filter(**given)
        return suggestions_of(project, state=state, kind=kind)

    @extend_schema(
        parameters=[
            OpenApiParameter("kind", enum=SuggestionKind.values),
            OpenApiParameter("state", enum=SuggestionState.values, default="open"),
        ],
        responses={200: ReviewSuggestionSerializer(many=True), **LIST_REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        page: Any = self.paginate_queryset(self.get_queryset())
        rows = [suggestion_json(each) for each in page]
        return self.get_paginated_response(ReviewSuggestionSerializer(rows, many=True).data)


class SendView(APIView):
    @extend_schema(request=SendInput, responses={201: RoundOpenedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Open a round of review on the items of open suggestions."""
        user = caller(request)
        project = project_for(user, slug, DECIDE)
        data = SendInput(data=request.data)
        data.is_valid(raise_exception=True)
        round_ = send_suggestions(
            project=project, **data.validated_data, actor=user, now=timezone.now()
        )
        body = {"round": round_.number, "id": round_.pk, "panels": round_.panel_count}
        return Response(body, status=status.HTTP_201_CREATED)


class DismissView(APIView):
    @extend_schema(request=DismissInput, responses={204: None, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Take a suggestion out of the queue for good, with a reason."""
        user = caller(request)
        project = project_for(user, slug, DECIDE)
        found = suggestion_of(project, pk)
        data = DismissInput(data=request.data)
        data.is_valid(raise_exception=True)
        dismiss_suggestion(suggestion=found, **data.validated_data, actor=user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class HitRateView(APIView):
    @extend_schema(responses={200: HitRateSerializer(many=True), **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """What experts found in the rounds to which suggestions were sent, by kind."""
        project = project_for(caller(request), slug, DECIDE)
        rows = [
            {**asdict(each), "share": each.share, **asdict(each.interval)}
            for each in hit_rates(project)
        ]
        return Response(HitRateSerializer(rows, many=True).data)
