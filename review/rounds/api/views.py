"""The API of rounds: the list, one round, opening, closing and discarding."""

from dataclasses import replace
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS
from common.pagination import ApiPagination
from projects.models import Project
from projects.selectors import project_for
from review.enums import RoundState
from review.models import Round
from review.requests import valid
from review.rounds.actions.rounds import (
    close_round,
    discard_round,
    open_round,
    preview_of,
)
from review.rounds.actions.running import RoundChanges, change_round, pause_round, resume_round
from review.rounds.actions.settings import RoundSettings, check_settings
from review.rounds.api.serializers import (
    PauseInput,
    RoundChangesInput,
    RoundDetailSerializer,
    RoundInput,
    RoundPreviewSerializer,
    RoundSerializer,
)
from review.rounds.forms import item_filter_of
from review.rounds.presenters import preview_context
from review.selectors import round_by_id


class RoundListView(generics.GenericAPIView[Round]):
    """The rounds of a project, the first one first, and opening the next one."""

    pagination_class = ApiPagination
    serializer_class = RoundSerializer

    @extend_schema(responses={200: RoundSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """The rounds of a project."""
        user = caller(request)
        project = project_for(user, slug, "review.view_rounds")
        page: Any = self.paginate_queryset(project.rounds.all())
        hiding = {"hides_people": not user.has_perm("projects.view_members", project)}
        found = RoundSerializer(page, many=True, context=hiding)
        return self.get_paginated_response(found.data)

    @extend_schema(
        request=RoundInput,
        responses={201: RoundSerializer, 202: RoundSerializer, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Open a round: 201 when it is open, 202 while `job` still opens one with many items."""
        project = project_for(caller(request), slug, "review.open_round")
        settings, is_unfinishable_allowed = _settings(request, project)
        round_ = open_round(
            project=project,
            settings=settings,
            actor=caller(request),
            now=timezone.now(),
            is_in_background=True,
            is_unfinishable_allowed=is_unfinishable_allowed,
        )
        is_open = round_.state == RoundState.OPEN
        code = status.HTTP_201_CREATED if is_open else status.HTTP_202_ACCEPTED
        return Response(RoundSerializer(round_).data, status=code)


class RoundPreviewView(APIView):
    """What would become of a round with these settings."""

    @extend_schema(request=RoundInput, responses={200: RoundPreviewSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Who may judge how much of a round, and how long it takes; nothing is opened."""
        project = project_for(caller(request), slug, "review.open_round")
        settings, _is_unfinishable_allowed = _settings(request, project)
        check_settings(project, settings, now=timezone.now())
        preview = preview_of(project, settings)
        context = preview_context(
            project, preview, today=timezone.localdate(), due_on=settings.due_on
        )
        return Response(RoundPreviewSerializer(context).data)


class RoundView(APIView):
    """One round: its settings, how far it is, and its figures of this moment."""

    @extend_schema(responses={200: RoundDetailSerializer, **REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        user = caller(request)
        round_ = round_by_id(user, pk, "review.view_rounds")
        hides_people = not user.has_perm("projects.view_members", round_.project)
        context = {"request": request, "hides_people": hides_people}
        return Response(RoundDetailSerializer(round_, context=context).data)

    @extend_schema(request=RoundChangesInput, responses={200: RoundSerializer, **REFUSALS})
    def patch(self, request: Request, pk: int) -> Response:
        """Change the due date, the cap and whom an open round asks."""
        round_ = round_by_id(caller(request), pk, "review.change_round")
        said = valid(RoundChangesInput(data=request.data))
        changed = change_round(
            round_=round_,
            changes=replace(RoundChanges.of(round_), **said),
            actor=caller(request),
            now=timezone.now(),
        )
        return Response(RoundSerializer(changed).data)


class RoundPauseView(APIView):
    @extend_schema(request=PauseInput, responses={200: RoundSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Pause a round: nobody gets a further seat, and reviewers read the reason."""
        round_ = round_by_id(caller(request), pk, "review.pause_round")
        said = valid(PauseInput(data=request.data))
        paused = pause_round(round_=round_, **said, actor=caller(request), now=timezone.now())
        return Response(RoundSerializer(paused).data)


class RoundResumeView(APIView):
    @extend_schema(request=None, responses={200: RoundSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Resume a round that is paused."""
        round_ = round_by_id(caller(request), pk, "review.pause_round")
        resumed = resume_round(round_=round_, actor=caller(request), now=timezone.now())
        return Response(RoundSerializer(resumed).data)


class RoundCloseView(APIView):
    @extend_schema(request=None, responses={200: RoundSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Close a round."""
        round_ = round_by_id(caller(request), pk, "review.close_round")
        closed = close_round(round_=round_, actor=caller(request), now=timezone.now())
        return Response(RoundSerializer(closed).data)


class RoundDiscardView(APIView):
    """Delete a round that has no judgement yet; also cancels one that is being opened."""

    @extend_schema(request=None, responses={204: None, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        round_ = round_by_id(caller(request), pk, "review.discard_round")
        discard_round(round_=round_, actor=caller(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


def _settings(request: Request, project: Project) -> tuple[RoundSettings, bool]:
    """The settings that were sent, and whether the round may open although it can't be finished."""
    data = valid(RoundInput(data=request.data))
    is_unfinishable_allowed = data.pop("is_unfinishable_allowed")
    data["item_filter"] = item_filter_of(project, data["item_filter"])
    return RoundSettings(**data), is_unfinishable_allowed
