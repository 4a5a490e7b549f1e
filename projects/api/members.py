"""The API of members' comings and goings: invited again, invited by the list, removed."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from accounts.mail import invitation_url
from common.api import REFUSALS
from projects import actions
from projects.actions.bulk_invitations import MOST_PEOPLE, InvitedLine
from projects.api.views import CHANGE_MEMBERS, MemberPatch, subjects_named, valid
from projects.enums import Role
from projects.queries import members_of
from projects.selectors import project_for

RESULTS = ("invited", "added", "refused")


class InvitationsInput(MemberPatch):
    people = serializers.ListField(
        child=serializers.CharField(max_length=400, allow_blank=True),
        max_length=MOST_PEOPLE,
        help_text="Addresses, or `Name <address>`.",
    )
    role = serializers.ChoiceField(choices=Role.choices)


class InvitedLineSerializer(serializers.Serializer[InvitedLine]):
    line = serializers.IntegerField(source="number")
    person = serializers.CharField(source="text")
    result = serializers.ChoiceField(choices=RESULTS)
    code = serializers.CharField(
        source="refusal.code", default=None, allow_null=True, help_text="Why it was refused."
    )
    reason = serializers.CharField(help_text="The same in words.")
    member = serializers.IntegerField(source="added.membership.pk", default=None, allow_null=True)
    invitation_url = serializers.SerializerMethodField(
        help_text="In this answer alone, and only where the caller manages all that it opens."
    )

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_invitation_url(self, line: InvitedLine) -> str | None:
        return link_of(line.added.issued) if line.added else None


class InvitedSerializer(serializers.Serializer[Any]):
    results = InvitedLineSerializer(many=True)


class InvitationLinkSerializer(serializers.Serializer[Any]):
    invitation_url = serializers.CharField(
        allow_null=True,
        help_text="In this answer alone. Null if the person can sign in already, and where only the "
        "mail may have the link.",
    )


class InvitationListView(APIView):
    @extend_schema(request=InvitationsInput, responses={200: InvitedSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Invite many people with one role; the answer says for each line what became of it."""
        user = caller(request)
        project = project_for(user, slug, CHANGE_MEMBERS)
        data = valid(InvitationsInput(data=request.data))
        results: Any = actions.invite_members(
            project=project,
            lines=data["people"],
            role=data["role"],
            languages=data.get("languages", []),
            subjects=subjects_named(project, data.get("subjects", [])),
            actor=user,
            now=timezone.now(),
        )
        return Response(InvitedSerializer({"results": results}).data)


class InviteAgainView(APIView):
    @extend_schema(request=None, responses={200: InvitationLinkSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Send a new link to a member who has not signed in yet."""
        user = caller(request)
        project = project_for(user, slug, CHANGE_MEMBERS)
        membership = get_object_or_404(members_of(project), pk=pk)
        issued = actions.renew_invitation(membership=membership, actor=user, now=timezone.now())
        body = {"invitation_url": link_of(issued)}
        return Response(InvitationLinkSerializer(body).data)


def link_of(issued: Any) -> str | None:
    """The address of an invitation where its secret may be shown."""
    return invitation_url(issued.secret) if issued and issued.secret else None
