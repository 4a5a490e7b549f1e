"""The API of a project's managers: rules, teams, moderation, scoring again."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.generics import ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from accounts.models import User
from common.api import READ_REFUSALS, REFUSALS, IdField, StrictSerializer
from projects.selectors import project_for
from releases.selectors import get_release
from submissions.actions import flagging, moderating, teams
from submissions.actions.rescoring import start_rescoring
from submissions.api.sending import NewestSubmissionPagination, SubmissionSerializer
from submissions.enums import Admission, FlagCode
from submissions.models import Submission, Team
from submissions.presenters import all_as_json, managed_json
from submissions.queries import policy_of, project_submissions, team_accounts
from submissions.selectors import managed_submission, managed_team

CHANGE = "submissions.change_submissions"
SEEN_REASON = (
    "To show or let back what you read was hidden or banned for this reason alone: if another manager "
    "has decided anew for another one, that is refused with it."
)
LARGEST = 2**31 - 1
"""What a column holds; the action knows the real bounds and says them."""


class PolicySerializer(StrictSerializer):
    """What is left out of a change stays as it is."""

    is_open = serializers.BooleanField(required=False)
    admission = serializers.ChoiceField(choices=Admission.choices, required=False)
    accepts_dictionaries = serializers.BooleanField(required=False)
    accepts_endpoints = serializers.BooleanField(required=False)
    first_contact = serializers.IntegerField(
        required=False,
        max_value=LARGEST,
        help_text="Questions of a closed part that an endpoint must answer before the others, or 0.",
    )
    is_board_public = serializers.BooleanField(required=False)
    terms = serializers.CharField(required=False, allow_blank=True, max_length=20_000)
    per_day = serializers.IntegerField(required=False, max_value=LARGEST)
    per_month = serializers.IntegerField(required=False, max_value=LARGEST)
    fewest_in_category = serializers.IntegerField(required=False, max_value=LARGEST)


class PolicyToldSerializer(PolicySerializer):
    terms_version = serializers.IntegerField()


class TeamSerializer(serializers.Serializer[Any]):
    """A team with its people, and what it was told of each release in bits."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    is_admitted = serializers.BooleanField()
    is_trusted = serializers.BooleanField(
        help_text="Whether its endpoints are asked all questions without a first contact."
    )
    is_banned = serializers.BooleanField()
    ban_reason = serializers.CharField()
    people = serializers.ListField(child=serializers.CharField())
    told = serializers.ListField(child=serializers.DictField())


class TeamInput(StrictSerializer):
    is_admitted = serializers.BooleanField(required=False)
    is_trusted = serializers.BooleanField(required=False)
    is_banned = serializers.BooleanField(required=False)
    reason = serializers.CharField(required=False, allow_blank=True, default="")
    seen_reason = serializers.CharField(required=False, help_text=SEEN_REASON)


class ModerationInput(StrictSerializer):
    is_hidden = serializers.BooleanField(required=False)
    reason = serializers.CharField(required=False, allow_blank=True, default="")
    seen_reason = serializers.CharField(required=False, help_text=SEEN_REASON)
    flag = serializers.CharField(
        required=False, help_text="Add a flag with a note for the managers of the project."
    )
    dismissed_flags = serializers.ListField(
        child=IdField(),
        required=False,
        allow_empty=False,
        help_text=(
            "The ids of all flags that the submission has, as you read them in `flags`. They are taken "
            "away, with a reason for the audit log. If it has others by now, that is refused with those."
        ),
    )
    is_verified = serializers.BooleanField(required=False)


class FlagSerializer(serializers.Serializer[Any]):
    """Why somebody should look at a submission."""

    id = serializers.IntegerField()
    code = serializers.ChoiceField(choices=FlagCode.choices)
    params = serializers.DictField()
    text = serializers.CharField(help_text="The words for it, in the language of the request.")


class FollowedKeysSerializer(serializers.Serializer[Any]):
    """How many false keys of a copy a submission follows."""

    version = serializers.CharField()
    copy = serializers.IntegerField()
    recipient = serializers.CharField()
    followed = serializers.IntegerField()
    wrong = serializers.IntegerField(
        help_text="Answers to these items that are not the key, so that they may be the false key."
    )
    false_keys = serializers.IntegerField()
    chance = serializers.FloatField(
        help_text="The probability that an honest submission follows as many."
    )
    is_strong = serializers.BooleanField(help_text="Whether it was flagged for that.")


class ManagedSubmissionSerializer(SubmissionSerializer):
    flag = serializers.CharField(help_text="The texts of all flags, empty if there is none.")
    flags = FlagSerializer(many=True)
    is_verified = serializers.BooleanField()
    size = serializers.CharField(
        help_text="What the team said about its model, as are the next three."
    )
    prompt = serializers.CharField()
    cutoff = serializers.CharField(help_text="The end of its training data.")
    has_open_weights = serializers.BooleanField()
    followed_keys = FollowedKeysSerializer(many=True)


class RescoringSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField()
    changed = serializers.IntegerField(help_text="Keys that are others than in the release.")


class PolicyView(APIView):
    @extend_schema(responses={200: PolicyToldSerializer, **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Return the rules for submissions to the project."""
        project = project_for(caller(request), slug, CHANGE)
        policy = policy_of(project)
        told = asdict(teams.content_of(policy)) | {"terms_version": policy.terms_version}
        return Response(told)

    @extend_schema(request=PolicySerializer, responses={200: PolicyToldSerializer, **REFUSALS})
    def patch(self, request: Request, slug: str) -> Response:
        """Change the rules; other terms are a new version, which everybody must accept."""
        user = caller(request)
        project = project_for(user, slug, CHANGE)
        data = PolicySerializer(data=request.data)
        data.is_valid(raise_exception=True)
        content = replace(teams.content_of(policy_of(project)), **data.validated_data)
        policy = teams.change_policy(
            project=project, content=content, actor=user, now=timezone.now()
        )
        return Response(asdict(content) | {"terms_version": policy.terms_version})


@extend_schema(responses={200: ManagedSubmissionSerializer(many=True), **READ_REFUSALS})
class ProjectSubmissionsView(ListAPIView[Submission]):
    """The submissions to the project, the newest first."""

    pagination_class = NewestSubmissionPagination
    serializer_class = ManagedSubmissionSerializer

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        project = project_for(caller(request), self.kwargs["slug"], CHANGE)
        rows = self.paginate_queryset(project_submissions(project)) or []
        return self.get_paginated_response(
            [managed_json(row, told) for row, told in zip(rows, all_as_json(rows), strict=True)]
        )


class TeamListView(APIView):
    @extend_schema(responses={200: TeamSerializer(many=True), **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Return the project's teams and what each was told."""
        project = project_for(caller(request), slug, CHANGE)
        accounts = team_accounts(project)
        rows = project.teams.order_by("name", "pk").prefetch_related("participants__user")
        return Response([_team_json(row, accounts) for row in rows])


class TeamView(APIView):
    @extend_schema(request=TeamInput, responses={200: TeamSerializer, **REFUSALS})
    def patch(self, request: Request, pk: int) -> Response:
        """Admit a team, trust its endpoints or no longer, ban it with a reason, or lift its ban."""
        user = caller(request)
        team, now = managed_team(user, pk), timezone.now()
        data = TeamInput(data=request.data)
        data.is_valid(raise_exception=True)
        _change_team(team, data.validated_data, user, now)
        team.refresh_from_db()
        return Response(_team_json(team, team_accounts(team.project)))


class ModerationView(APIView):
    @extend_schema(
        request=ModerationInput, responses={200: ManagedSubmissionSerializer, **REFUSALS}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Hide or show a submission, flag it, dismiss its flags, or say whether it is verified."""
        user = caller(request)
        found = managed_submission(user, pk)
        data = ModerationInput(data=request.data)
        data.is_valid(raise_exception=True)
        _moderate(found, data.validated_data, user, timezone.now())
        found.refresh_from_db()
        return Response(managed_json(found))


@transaction.atomic  # what is refused changes nothing, whatever else the request asks for
def _change_team(team: Team, values: Mapping[str, Any], user: User, now: datetime) -> None:
    if values.get("is_admitted"):
        teams.admit_team(team=team, actor=user, now=now)
    if "is_trusted" in values:
        teams.trust_team(team=team, is_trusted=values["is_trusted"], actor=user, now=now)
    if values.get("is_banned"):
        teams.ban_team(team=team, reason=values["reason"], actor=user, now=now)
    elif "is_banned" in values:
        seen = values.get("seen_reason")
        teams.lift_ban(team=team, seen_reason=seen, actor=user, now=now)


@transaction.atomic  # as above
def _moderate(submission: Submission, values: Mapping[str, Any], user: User, now: datetime) -> None:
    told: dict[str, Any] = {"submission": submission, "actor": user, "now": now}
    if values.get("is_hidden"):
        moderating.hide_submission(reason=values["reason"], **told)
    elif "is_hidden" in values:
        moderating.show_submission(seen_reason=values.get("seen_reason"), **told)
    if "dismissed_flags" in values:
        seen = values["dismissed_flags"]
        flagging.dismiss_flags(seen=seen, reason=values["reason"], **told)
    if "flag" in values:
        flagging.flag_submission(note=values["flag"], **told)
    if "is_verified" in values:
        moderating.verify_submission(is_verified=values["is_verified"], **told)


class RescoringView(APIView):
    @extend_schema(request=None, responses={202: RescoringSerializer, **REFUSALS})
    def post(self, request: Request, project: str, version: str) -> Response:
        """Score all submissions to the release again by the keys that were corrected since."""
        user = caller(request)
        release = get_release(project_for(user, project, CHANGE), version)
        found = start_rescoring(release=release, actor=user, now=timezone.now())
        body = {"job": found.job_id, "changed": len(found.keys)}
        return Response(body, status=status.HTTP_202_ACCEPTED)


def _team_json(team: Team, accounts: list[Any]) -> dict[str, Any]:
    return {
        "id": team.pk,
        "name": team.name,
        "is_admitted": team.admitted_at is not None,
        "is_trusted": team.trusted_at is not None,
        "is_banned": team.banned_at is not None,
        "ban_reason": team.ban_reason,
        "people": [each.user.email for each in team.participants.all()],
        "told": [
            {
                "version": each.version,
                "requests": each.requests,
                "scores": each.scores,
                "bits": each.bits,
                "most": each.most,
                "corrections": each.corrections,
                "shown": each.shown,
                "items": each.items,
            }
            for each in accounts
            if each.team.pk == team.pk
        ],
    }
