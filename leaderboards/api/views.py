"""The API of leaderboards."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from common.api import READ_REFUSALS, ErrorSerializer
from leaderboards.access import board_release, find_board, find_model
from leaderboards.differences import (
    ALL,
    CATEGORIES,
    LEVELS,
    chosen_pair,
    differences_json,
)
from leaderboards.queries import PARTS, WEIGHTS, Filters
from leaderboards.tables import board_json
from leaderboards.views import filters_of


class BaselineSerializer(serializers.Serializer[Any]):
    share = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    n = serializers.IntegerField()


class EntrySerializer(serializers.Serializer[Any]):
    """Ranks are a range: those that are compatible with the noise. A run is ours, unless it was imported."""

    best_rank = serializers.IntegerField(allow_null=True)
    worst_rank = serializers.IntegerField(allow_null=True)
    accuracy = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    before_corrections = serializers.FloatField(allow_null=True)
    is_withdrawn = serializers.BooleanField()
    name = serializers.CharField(
        help_text="names this entry alone, also in the address of a difference"
    )
    model = serializers.CharField()
    team = serializers.CharField()
    kind = serializers.CharField(help_text="run, imported or submission")
    sent_as = serializers.CharField(
        help_text="of a submission: dictionary, or endpoint if this server asked the team's model"
    )
    is_verified = serializers.BooleanField()
    n = serializers.IntegerField()
    size = serializers.CharField()
    has_open_weights = serializers.BooleanField(allow_null=True, help_text="null if nobody said it")
    cutoff = serializers.CharField()
    prompt = serializers.CharField()
    shots = serializers.IntegerField(allow_null=True, help_text="examples in the prompt, of a run")
    rotation = serializers.IntegerField(
        allow_null=True, help_text="by how many places a run shifted the options"
    )
    epochs = serializers.IntegerField(
        allow_null=True, help_text="how often a run asked each question"
    )
    gap = serializers.FloatField(
        allow_null=True, help_text="the share on open items less that on hidden ones, of a run"
    )
    gap_low = serializers.FloatField(allow_null=True)
    gap_high = serializers.FloatField(allow_null=True)
    cost = serializers.FloatField(
        allow_null=True, help_text="US dollars for 1,000 answers, of a run whose tokens are known"
    )
    categories = serializers.DictField(
        child=BaselineSerializer(),
        help_text="by name, those with enough items; of a submission those that its team was told",
    )
    levels = serializers.DictField(child=BaselineSerializer())


class ContenderSerializer(serializers.Serializer[Any]):
    """A model of an arena; `share` is that of its wins, a tie half a win."""

    model = serializers.CharField()
    is_baseline = serializers.BooleanField()
    best_rank = serializers.IntegerField()
    worst_rank = serializers.IntegerField()
    share = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()
    questions = serializers.IntegerField()


class TrustSerializer(serializers.Serializer[Any]):
    """A judge of an arena; one that is not used agrees less often with people than `bound`."""

    judge = serializers.CharField()
    is_used = serializers.BooleanField()
    verdicts = serializers.IntegerField(help_text="that it gave")
    pairs = serializers.IntegerField(
        help_text="that the judge and most of two or more people decided"
    )
    agreement = serializers.FloatField(allow_null=True)
    kappa = serializers.FloatField(allow_null=True)


class ArenaStandingSerializer(serializers.Serializer[Any]):
    """An arena of the release as it was counted last, on questions of any part."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    bound = serializers.FloatField()
    contenders = ContenderSerializer(many=True)
    without_verdicts = serializers.ListField(
        child=serializers.CharField(),
        help_text="models that are not ranked: no verdict on them counts",
    )
    judges = TrustSerializer(many=True)
    pairs = serializers.IntegerField(help_text="that people judged")
    people_kappa = serializers.FloatField(allow_null=True, help_text="Cohen's κ among people")
    simulated_verdicts = serializers.IntegerField(help_text="that programs gave in place of people")


class BoardSerializer(serializers.Serializer[Any]):
    project = serializers.CharField()
    version = serializers.CharField()
    is_yanked = serializers.BooleanField()
    yank_reason = serializers.CharField()
    part = serializers.CharField()
    items = serializers.IntegerField()
    random_baseline = serializers.FloatField(allow_null=True)
    human_baseline = BaselineSerializer(allow_null=True)
    entries = EntrySerializer(many=True)
    arenas = ArenaStandingSerializer(many=True)


class LeaderboardView(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        parameters=[
            OpenApiParameter("part", enum=PARTS),
            OpenApiParameter("weights", enum=list(WEIGHTS)),
            OpenApiParameter("size"),
            OpenApiParameter("prompt"),
        ],
        responses={200: BoardSerializer, 400: ErrorSerializer, **READ_REFUSALS},
    )
    def get(self, request: Request, project: str, version: str) -> Response:
        """Return the leaderboard of a part of a release, without an account if it is public."""
        release = board_release(request.user, project, version)
        part = request.query_params.get("part", "")
        return Response(board_json(find_board(release, part, filters_of(request._request))))  # noqa: SLF001


class EntryDifferenceSerializer(serializers.Serializer[Any]):
    """The share of the first entry less that of the second, with a 95 % interval."""

    kind = serializers.ChoiceField(choices=[ALL, CATEGORIES, LEVELS])
    name = serializers.CharField(help_text="of the category or level, else empty")
    first = serializers.FloatField()
    second = serializers.FloatField()
    difference = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class EntryDifferencesSerializer(serializers.Serializer[Any]):
    version = serializers.CharField()
    is_yanked = serializers.BooleanField()
    yank_reason = serializers.CharField()
    part = serializers.CharField()
    first = serializers.CharField()
    second = serializers.CharField()
    differences = EntryDifferenceSerializer(many=True)


class DifferenceView(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(
        parameters=[
            OpenApiParameter("part", enum=PARTS),
            OpenApiParameter("first", required=True, description="model, or “model · team”"),
            OpenApiParameter("second", required=True),
        ],
        responses={200: EntryDifferencesSerializer, 400: ErrorSerializer, **READ_REFUSALS},
    )
    def get(self, request: Request, project: str, version: str) -> Response:
        """Return how two entries of a leaderboard differ, without an account if it is public."""
        query = request.query_params
        board = find_board(
            board_release(request.user, project, version), query.get("part", ""), Filters()
        )
        pair = chosen_pair(board, query.get("first", ""), query.get("second", ""))
        return Response(EntryDifferencesSerializer(differences_json(board, *pair)).data)


class ModelView(APIView):
    permission_classes = (AllowAny,)

    @extend_schema(responses={200: BoardSerializer(many=True), **READ_REFUSALS})
    def get(self, request: Request, project: str, name: str) -> Response:
        """Return how a model did in each version and part, the latest version first."""
        boards = find_model(request.user, project, name)
        return Response([board_json(board) for board in boards])
