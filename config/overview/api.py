"""Home and overview in the API."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.actions import mark_news_seen
from accounts.api.views import caller
from common.api import ErrorSerializer, StrictSerializer
from config.overview.home import Home, ProjectHome, home_of
from config.overview.queries import Funnel, Overview, OwnPart, overview
from projects.queries import projects_of
from projects.selectors import project_for
from review.enums import RoundKind
from submissions.selectors import Benchmark

MOST_PROJECTS = 100


class FatesSerializer(serializers.Serializer[Any]):
    kept = serializers.IntegerField()
    edited = serializers.IntegerField()
    overturned = serializers.IntegerField()


class ProjectHomeSerializer(serializers.Serializer[ProjectHome]):
    project = serializers.CharField(source="project.slug")
    role = serializers.CharField(source="project.role", allow_null=True)
    round = serializers.IntegerField(
        source="round.round.number",
        default=None,
        allow_null=True,
        help_text="The number of the open round, for those who judge in it; null for others.",
    )
    round_id = serializers.IntegerField(
        source="round.round.pk",
        default=None,
        allow_null=True,
        help_text="What `rounds/{id}/claim/` takes.",
    )
    can_take = serializers.BooleanField(
        source="round.can_take",
        default=False,
        help_text="Whether an item of the open round is there for you now.",
    )
    disputes = serializers.IntegerField(
        source="disputes.count", default=0, help_text="Disputes that you may settle."
    )
    second_looks = serializers.IntegerField(
        help_text="Items that a senior asks you to look at again."
    )
    duplicates = serializers.IntegerField(
        source="leading.duplicates", help_text="Pairs of duplicates that you may decide."
    )
    proposals = serializers.IntegerField(
        source="leading.proposals", help_text="Proposals for the glossary that you may decide."
    )
    problems = serializers.IntegerField(
        source="leading.problems", help_text="Problem reports of readers that you may decide."
    )
    teams = serializers.IntegerField(
        source="leading.teams", help_text="Teams outside that wait until a manager admits them."
    )
    judged_round = serializers.IntegerField(
        source="leading.judged_round",
        allow_null=True,
        help_text="The open round in which everything is judged, for managers, who can close it.",
    )
    fates = FatesSerializer(help_text="What became of your judgements since you last looked.")


class EndedJobSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    kind = serializers.CharField()
    project = serializers.CharField(source="scope")
    state = serializers.CharField()
    finished_at = serializers.DateTimeField()


class BenchmarkSerializer(serializers.Serializer[Benchmark]):
    """A project that you send submissions to from outside."""

    project = serializers.CharField(source="project.slug")
    team = serializers.CharField(source="team.name")
    is_waiting = serializers.BooleanField(help_text="Whether a manager must admit the team first.")
    latest = serializers.CharField(help_text="The version that takes submissions now, or empty.")
    earlier = serializers.ListField(
        child=serializers.CharField(), help_text="Other versions that your team has sent any to."
    )


class HomeSerializer(serializers.Serializer[Home]):
    seen_at = serializers.DateTimeField(source="since", allow_null=True)
    projects = ProjectHomeSerializer(source="places", many=True)
    jobs = EndedJobSerializer(many=True)
    benchmarks = BenchmarkSerializer(many=True)


class HomeView(APIView):
    @extend_schema(operation_id="me_home", responses={200: HomeSerializer, 401: ErrorSerializer})
    def get(self, request: Request) -> Response:
        """Return what waits for you in your newest projects, and what is new since you last looked."""
        user = caller(request)
        projects = list(projects_of(user)[:MOST_PROJECTS])
        return Response(HomeSerializer(home_of(user, projects, now=timezone.now())).data)

    @extend_schema(
        operation_id="me_home_seen",
        request=None,
        responses={204: None, 400: ErrorSerializer, 401: ErrorSerializer},
    )
    def post(self, request: Request) -> Response:
        """Mark all of it as seen. Send no body, or an empty object."""
        StrictSerializer(data=request.data).is_valid(raise_exception=True)
        mark_news_seen(user=caller(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class FunnelSerializer(serializers.Serializer[Funnel]):
    """Where the items of a project are; only the first three counts include excluded items."""

    items = serializers.IntegerField()
    excluded = serializers.IntegerField()
    judged = serializers.IntegerField()
    translated = serializers.IntegerField()
    with_errors = serializers.IntegerField()
    approved = serializers.IntegerField()
    rejected = serializers.IntegerField()
    release = serializers.CharField(
        source="release.version",
        default=None,
        allow_null=True,
        help_text="The release that was published last.",
    )
    in_release = serializers.IntegerField(help_text="How many items that release has.")


class OwnPartSerializer(serializers.Serializer[OwnPart]):
    """Your part in the open round, and the reason if there is nothing to take."""

    round = serializers.IntegerField(
        source="place.round.pk", help_text="What `rounds/{id}/` takes."
    )
    number = serializers.IntegerField(source="place.round.number")
    kind = serializers.ChoiceField(choices=RoundKind.choices, source="place.round.kind")
    can_take = serializers.BooleanField(
        source="place.can_take", help_text="Whether an item is there for you now."
    )
    holds_seat = serializers.BooleanField(source="place.holds_seat")
    is_paused = serializers.BooleanField(source="place.is_paused")
    is_round_paused = serializers.BooleanField(source="place.is_round_paused")
    is_asked = serializers.BooleanField(source="place.is_asked")
    reads_language = serializers.BooleanField(
        source="place.reads_language",
        help_text="Whether your languages have the project's target language.",
    )
    has_reached_cap = serializers.BooleanField(source="place.has_reached_cap")
    judged_by_you = serializers.IntegerField(source="progress.mine")
    judged = serializers.IntegerField(source="progress.judged")
    total = serializers.IntegerField(source="progress.total", help_text="All seats of the round.")
    left_for = serializers.SerializerMethodField(
        help_text="How many others may take what is left, where nothing is left for you."
    )

    def get_left_for(self, part: OwnPart) -> int:
        return len(part.left_for)


class WaitingSerializer(serializers.Serializer[Any]):
    count = serializers.IntegerField()
    since = serializers.DateTimeField(allow_null=True)


class OverviewSerializer(serializers.Serializer[Overview]):
    items = serializers.IntegerField(source="funnel.items")
    funnel = FunnelSerializer(
        source="shown_funnel",
        allow_null=True,
        help_text="Null while what is decided would tell which items are controls.",
    )
    kept_minutes = serializers.IntegerField(
        allow_null=True, help_text="So old the funnel of a large project may be."
    )
    mine = OwnPartSerializer(
        allow_null=True, help_text="Null without an open round that you judge in."
    )
    disputes = WaitingSerializer(allow_null=True, help_text="Those that you may settle.")
    other_disputes = WaitingSerializer(allow_null=True, help_text="Those for other seniors.")
    simulated_judgements = serializers.IntegerField(
        source="simulated",
        help_text="How many of the judgements in these figures programs gave, not people.",
    )
    open_duplicates = serializers.IntegerField(
        source="shown_duplicates",
        allow_null=True,
        help_text="Null for those who see no duplicates.",
    )


class OverviewView(APIView):
    @extend_schema(
        operation_id="projects_overview",
        responses={
            200: OverviewSerializer,
            **dict.fromkeys((401, 403, 404), ErrorSerializer),
        },
    )
    def get(self, request: Request, slug: str) -> Response:
        """Return the progress of a project's items, and what waits for you. The report has the stages."""
        user = caller(request)
        project = project_for(user, slug, "projects.view_project")
        found = overview(project, user, now=timezone.now())
        sees_pairs = user.has_perm("annotation.view_duplicates", project)
        shown = {
            "funnel": found.funnel,
            "shown_funnel": None if found.figures_wait else found.funnel,
            "kept_minutes": found.kept_minutes,
            "mine": found.mine,
            "disputes": found.disputes,
            "other_disputes": found.other_disputes,
            "simulated": found.simulated,
            "shown_duplicates": found.open_duplicates if sees_pairs else None,
        }
        return Response(OverviewSerializer(shown).data)  # type: ignore[arg-type]
