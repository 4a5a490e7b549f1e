"""The API of arenas."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from accounts.models import User
from arena.actions.arenas import ArenaSettings, cancel_judging, create_arena, start_judging
from arena.actions.judges import bring_back_judge, leave_out_judge
from arena.actions.people import claim_battle, judge_battle, take_back_verdict
from arena.actions.recounting import start_counting
from arena.actions.removing import delete_arena, hide_arena, show_arena
from arena.enums import Plan
from arena.estimates import estimate_arena, estimate_json
from arena.models import (
    DEFAULT_BOUND,
    LARGEST_SEED,
    LONGEST_REASON,
    MOST_ATTEMPTS,
    MOST_CONCURRENCY,
    MOST_EACH,
    Arena,
    Battle,
)
from arena.presenters import battle_rows, pair_of
from arena.queries import arenas_seen_by, judges_of, shown_battles
from arena.rubric import RUBRIC
from arena.selectors import arena_by_id, judge_by_id, seat_for
from arena.verdicts import VERDICTS
from common.api import LIST_REFUSALS, READ_REFUSALS, REFUSALS, IdField, StrictSerializer
from common.pagination import ApiPagination
from endpoints.specs.selectors import get_model
from evaluation.selectors import run_for
from projects.api.views import valid
from projects.models import Project
from projects.selectors import project_for
from prompts.rubrics import LONGEST_RUBRIC
from releases.selectors import get_release

VIEW, CHANGE = "arena.view_arena", "arena.change_arena"
VERDICT_CHOICES = list(VERDICTS)
SEEN_REASON = "The reason that you read; if it is another by now, that is refused with the new one."


class ArenaInput(StrictSerializer):
    name = serializers.CharField(max_length=100)
    release = serializers.CharField(max_length=40, help_text="Version of the release.")
    runs = serializers.ListField(child=IdField(), max_length=50)
    judges = serializers.ListField(
        child=serializers.CharField(max_length=100), max_length=10, help_text="Names of models."
    )
    baseline = IdField(
        required=False,
        help_text="The run that all play against. Without it, all play against all.",
    )
    each = serializers.IntegerField(min_value=1, max_value=MOST_EACH, default=2)
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED, default=0)
    rubric = serializers.CharField(max_length=LONGEST_RUBRIC, default=RUBRIC, trim_whitespace=False)
    attempts = serializers.IntegerField(min_value=1, max_value=MOST_ATTEMPTS, default=2)
    concurrency = serializers.IntegerField(min_value=1, max_value=MOST_CONCURRENCY, default=8)
    bound = serializers.FloatField(
        min_value=0,
        max_value=1,
        default=DEFAULT_BOUND,
        help_text="A judge that agrees less often with people counts for no rank.",
    )
    sample = serializers.IntegerField(min_value=0, max_value=50_000, default=50)
    families = serializers.DictField(
        child=serializers.CharField(max_length=50),
        default=dict,
        help_text="Names of models and their families. A judge never judges its own.",
    )


class ArenaSerializer(serializers.Serializer[Arena]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    release = serializers.CharField(source="release.version")
    plan = serializers.ChoiceField(choices=Plan.choices)
    each = serializers.IntegerField()
    seed = serializers.IntegerField()
    bound = serializers.FloatField()
    is_imported = serializers.BooleanField()
    hidden_reason = serializers.CharField(
        help_text="Why a manager hid it from the leaderboard; empty if it is shown."
    )
    job = serializers.IntegerField(source="job_id", allow_null=True)
    created_at = serializers.DateTimeField()


class ArenaJudgeSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    family = serializers.CharField()
    left_out_reason = serializers.CharField(
        help_text="Why a manager left it out: its verdicts are kept and not counted. Else empty."
    )


class ArenaDetailSerializer(ArenaSerializer):
    rubric = serializers.CharField()
    attempts = serializers.IntegerField()
    count_job = serializers.IntegerField(
        source="count_job_id", allow_null=True, help_text="The job that counted again last."
    )
    judges = serializers.SerializerMethodField()
    figures = serializers.DictField(help_text="What was counted last; empty before. In percent.")

    @extend_schema_field(ArenaJudgeSerializer(many=True))
    def get_judges(self, arena: Arena) -> Any:
        return ArenaJudgeSerializer(judges_of(arena), many=True).data


class ArenaChangeInput(StrictSerializer):
    is_hidden = serializers.BooleanField(help_text="Whether the leaderboard leaves the arena out.")
    reason = serializers.CharField(required=False, allow_blank=True, default="")
    seen_reason = serializers.CharField(required=False, help_text=SEEN_REASON)


class ArenaJudgeInput(StrictSerializer):
    is_left_out = serializers.BooleanField(
        help_text="Whether it is asked no more, and its verdicts count for nothing."
    )
    reason = serializers.CharField(required=False, allow_blank=True, default="")
    seen_reason = serializers.CharField(required=False, help_text=SEEN_REASON)


class ArenaStartedSerializer(serializers.Serializer[Any]):
    arena = serializers.IntegerField()
    job = serializers.IntegerField(allow_null=True)


class GameSerializer(serializers.Serializer[Any]):
    judge = serializers.CharField(source="judge.name")
    is_swapped = serializers.BooleanField(help_text="Whether the second contestant stood first.")
    verdict = serializers.CharField()
    judgement = serializers.CharField(source="text")


class BattleSerializer(serializers.Serializer[Any]):
    """A battle on an open prompt."""

    id = serializers.IntegerField(source="battle.pk")
    question_id = serializers.CharField(source="battle.release_item.public_id")
    question = serializers.CharField(source="battle.release_item.revision.question")
    first = serializers.CharField(source="battle.first.name")
    second = serializers.CharField(source="battle.second.name")
    first_answer = serializers.CharField(source="first")
    second_answer = serializers.CharField(source="second")
    games = GameSerializer(many=True, source="verdicts")


class ArenaPairSerializer(serializers.Serializer[Any]):
    """Two answers without names, in the order drawn for the caller."""

    seat = serializers.IntegerField(source="seat.pk")
    reserved_until = serializers.DateTimeField(source="seat.reserved_until")
    question = serializers.CharField()
    a = serializers.CharField()
    b = serializers.CharField()


class VerdictInput(StrictSerializer):
    verdict = serializers.ChoiceField(choices=VERDICT_CHOICES)
    reason = serializers.CharField(max_length=LONGEST_REASON, default="", allow_blank=True)


class TakeBackInput(StrictSerializer):
    seat = IdField(
        required=False,
        help_text="The seat whose verdict it is. The same call again then changes nothing.",
    )


class VerdictSerializer(serializers.Serializer[Any]):
    seat = serializers.IntegerField()
    verdict = serializers.CharField()


class ArenaEstimateSerializer(serializers.Serializer[Any]):
    """What judging would take; verdicts that cannot be read are asked again and come on top."""

    battles = serializers.IntegerField()
    calls = serializers.IntegerField(help_text="Battles × judges × two orders.")
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField(
        allow_null=True, help_text="Null if a judge has neither verdicts yet nor a limit."
    )
    price = serializers.CharField(
        allow_null=True, help_text="In US dollars; null if prices or tokens are not known."
    )


class ArenaListView(generics.GenericAPIView[Arena]):
    """The arenas of a project that the caller may see."""

    pagination_class = ApiPagination
    serializer_class = ArenaSerializer
    queryset = Arena.objects.none()

    @extend_schema(responses={200: ArenaSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        user = caller(request)
        project = project_for(user, slug, "arena.view_arenas")
        page: Any = self.paginate_queryset(arenas_seen_by(user, project))
        return self.get_paginated_response(ArenaSerializer(page, many=True).data)

    @extend_schema(request=ArenaInput, responses={201: ArenaSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Create an arena with its battles. Nothing is asked until it is started."""
        user = caller(request)
        project = project_for(user, slug, "arena.create_arena")
        settings = _settings(request, user, project)
        arena = create_arena(project=project, settings=settings, actor=user, now=timezone.now())
        return Response(ArenaSerializer(arena).data, status=status.HTTP_201_CREATED)


class ArenaEstimateView(APIView):
    @extend_schema(request=ArenaInput, responses={200: ArenaEstimateSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Return what the judging of such an arena would take. Nothing is stored or asked."""
        user = caller(request)
        project = project_for(user, slug, "arena.create_arena")
        found = estimate_arena(project, _settings(request, user, project))
        return Response(estimate_json(found))


def _settings(request: Request, user: User, project: Project) -> ArenaSettings:
    """Read what an arena is created with, of runs that the person may see."""
    data = ArenaInput(data=request.data)
    data.is_valid(raise_exception=True)
    values, slug = dict(data.validated_data), project.slug
    runs = {pk: run_for(user, slug, pk, "evaluation.view_run") for pk in values.pop("runs")}
    baseline = values.pop("baseline", None)
    if baseline is not None:
        baseline = runs.get(baseline) or run_for(user, slug, baseline, "evaluation.view_run")
    return ArenaSettings(
        release=get_release(project, values.pop("release"), must_stand=True),
        runs=list(runs.values()),
        judges=[get_model(project, name) for name in values.pop("judges")],
        baseline=baseline,
        **values,
    )


class ArenaView(APIView):
    @extend_schema(responses={200: ArenaDetailSerializer, **READ_REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        """Return an arena with its figures, without text of items."""
        return _detail(arena_by_id(caller(request), pk, VIEW))

    @extend_schema(request=ArenaChangeInput, responses={200: ArenaDetailSerializer, **REFUSALS})
    def patch(self, request: Request, pk: int) -> Response:
        """Hide an arena from the leaderboard of its release, with a reason, or show it again."""
        user, now = caller(request), timezone.now()
        arena = arena_by_id(user, pk, CHANGE)
        values = valid(ArenaChangeInput(data=request.data))
        if values["is_hidden"]:
            hide_arena(arena=arena, reason=values["reason"], actor=user, now=now)
        else:
            seen = values.get("seen_reason")
            show_arena(arena=arena, seen_reason=seen, actor=user, now=now)
        arena.refresh_from_db()
        return _detail(arena)

    @extend_schema(responses={204: None, **REFUSALS})
    def delete(self, request: Request, pk: int) -> Response:
        """Delete an arena without verdicts."""
        user = caller(request)
        arena = arena_by_id(user, pk, CHANGE)
        delete_arena(arena=arena, actor=user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class ArenaJudgeView(APIView):
    @extend_schema(request=ArenaJudgeInput, responses={200: ArenaDetailSerializer, **REFUSALS})
    def patch(self, request: Request, pk: int, judge: int) -> Response:
        """Leave a judge out, with a reason, or bring it back. Then the verdicts are counted again."""
        user, now = caller(request), timezone.now()
        arena = arena_by_id(user, pk, CHANGE)
        found = judge_by_id(arena, judge)
        values = valid(ArenaJudgeInput(data=request.data))
        if values["is_left_out"]:
            leave_out_judge(judge=found, reason=values["reason"], actor=user, now=now)
        else:
            seen = values.get("seen_reason")
            bring_back_judge(judge=found, seen_reason=seen, actor=user, now=now)
        arena.refresh_from_db()
        return _detail(arena)


class ArenaCountView(APIView):
    @extend_schema(request=None, responses={202: ArenaStartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Count the verdicts that are there again, and ask nobody."""
        user = caller(request)
        arena = arena_by_id(user, pk, CHANGE)
        return _started(arena, start_counting(arena=arena, actor=user, now=timezone.now()).pk)


class ArenaStartView(APIView):
    @extend_schema(request=None, responses={202: ArenaStartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Ask the judges what is missing and count again. Progress is at `jobs/{job}/`."""
        user = caller(request)
        arena = arena_by_id(user, pk, CHANGE)
        job = start_judging(arena=arena, actor=user, now=timezone.now())
        return _started(arena, job.pk)


class ArenaCancelView(APIView):
    @extend_schema(request=None, responses={202: ArenaStartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Cancel the judging. The verdicts so far are kept."""
        user = caller(request)
        arena = arena_by_id(user, pk, CHANGE)
        cancel_judging(arena=arena, actor=user, now=timezone.now())
        return _started(arena, arena.job_id)


class ArenaClaimView(APIView):
    @extend_schema(request=None, responses={200: ArenaPairSerializer, 204: None, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Take the next pair to judge, or the one that you hold; 204 if none is left."""
        user = caller(request)
        arena = arena_by_id(user, pk, "arena.judge_battles")
        seat = claim_battle(arena=arena, person=user, now=timezone.now())
        if seat is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(ArenaPairSerializer(pair_of(seat)).data)


class ArenaTakeBackView(APIView):
    @extend_schema(request=TakeBackInput, responses={200: ArenaPairSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Take your last verdict of the last 30 minutes back, and hold its pair again."""
        user, now = caller(request), timezone.now()
        arena = arena_by_id(user, pk, "arena.judge_battles")
        asked = valid(TakeBackInput(data=request.data))
        take_back_verdict(arena=arena, person=user, now=now, **asked)
        seat = claim_battle(arena=arena, person=user, now=now)
        return Response(ArenaPairSerializer(pair_of(seat)).data if seat else None)


class ArenaSeatView(APIView):
    @extend_schema(request=VerdictInput, responses={200: VerdictSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Say which answer of your pair is better. The same again changes nothing."""
        seat = seat_for(caller(request), pk)
        data = VerdictInput(data=request.data)
        data.is_valid(raise_exception=True)
        judged = judge_battle(seat=seat, now=timezone.now(), **data.validated_data)
        return Response({"seat": judged.pk, "verdict": judged.verdict})


class ArenaBattlesView(generics.GenericAPIView[Any]):
    """The battles on open prompts, with answers and judgements."""

    pagination_class = ApiPagination
    serializer_class = BattleSerializer
    queryset = Battle.objects.none()

    @extend_schema(responses={200: BattleSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        arena = arena_by_id(caller(request), pk, "arena.view_battles")
        page: Any = self.paginate_queryset(shown_battles(arena))
        return self.get_paginated_response(BattleSerializer(battle_rows(page), many=True).data)


def _detail(arena: Arena) -> Response:
    return Response(ArenaDetailSerializer(arena).data)


def _started(arena: Arena, job: int | None) -> Response:
    return Response({"arena": arena.pk, "job": job}, status=status.HTTP_202_ACCEPTED)
