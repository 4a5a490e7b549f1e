"""The API of projects, their members and the caller's own place in them."""

from typing import Any

from django.conf import settings
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.actions import change_profile, choose_language
from accounts.api.views import caller
from accounts.mail import invitation_url
from accounts.models import User
from common.api import REFUSALS, ErrorSerializer, StrictSerializer
from common.pagination import ApiPagination
from projects import actions
from projects.api.serializers import CriterionSerializer
from projects.criteria import MOST_CRITERIA
from projects.enums import Role
from projects.models import (
    LONGEST_MESSAGE,
    LONGEST_REMINDER,
    LONGEST_UNDO,
    MOST_ITEMS_AHEAD,
    Membership,
    Project,
    Subject,
)
from projects.queries import members_of, places_of, projects_of
from projects.rules import creator_of_projects
from projects.selectors import project_for

CHANGE_MEMBERS = "projects.change_members"


class ProjectSerializer(serializers.Serializer[Project]):
    id = serializers.IntegerField()
    slug = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    source_language = serializers.CharField()
    target_language = serializers.CharField()
    items_ahead = serializers.IntegerField()
    undo_minutes = serializers.IntegerField()
    reminder_days = serializers.IntegerField()
    guards_hidden_items = serializers.BooleanField()
    created_at = serializers.DateTimeField()


class ProjectInput(StrictSerializer):
    slug = serializers.SlugField(max_length=60)
    name = serializers.CharField(max_length=200)
    description = serializers.CharField(max_length=20_000, allow_blank=True, default="")
    source_language = serializers.CharField(max_length=20)
    target_language = serializers.CharField(max_length=20)
    criteria = serializers.ListField(
        child=CriterionSerializer(), min_length=1, max_length=MOST_CRITERIA, required=False
    )


class ProjectPatch(StrictSerializer):
    name = serializers.CharField(max_length=200, required=False)
    description = serializers.CharField(max_length=20_000, allow_blank=True, required=False)
    items_ahead = serializers.IntegerField(min_value=0, max_value=MOST_ITEMS_AHEAD, required=False)
    undo_minutes = serializers.IntegerField(min_value=0, max_value=LONGEST_UNDO, required=False)
    reminder_days = serializers.IntegerField(
        min_value=0, max_value=LONGEST_REMINDER, required=False
    )
    guards_hidden_items = serializers.BooleanField(
        required=False,
        help_text="Runs send hidden items only to endpoints that the project allows.",
    )


class MemberSerializer(serializers.Serializer[Membership]):
    id = serializers.IntegerField()
    email = serializers.EmailField(source="user.email")
    name = serializers.CharField(source="user.name")
    role = serializers.ChoiceField(choices=Role.choices)
    languages = serializers.ListField(child=serializers.CharField())
    subjects = serializers.SerializerMethodField()
    is_paused = serializers.BooleanField()
    has_signed_up = serializers.BooleanField(source="user.has_usable_password")

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_subjects(self, membership: Membership) -> list[str]:
        return sorted(subject.slug for subject in membership.subjects.all())


class AddedMemberSerializer(MemberSerializer):
    invitation_url = serializers.CharField(
        allow_null=True,
        help_text="For a person who cannot sign in yet; in this answer alone. Null, and in the mail "
        "alone, where the person is awaited in a project that the caller does not manage.",
    )


class MemberPatch(StrictSerializer):
    role = serializers.ChoiceField(choices=Role.choices, required=False)
    languages = serializers.ListField(
        child=serializers.CharField(max_length=20), max_length=20, required=False
    )
    subjects = serializers.ListField(
        child=serializers.CharField(max_length=100), max_length=1000, required=False
    )


class MemberInput(MemberPatch):
    email = serializers.EmailField(max_length=254)
    name = serializers.CharField(max_length=150, allow_blank=True, default="")
    role = serializers.ChoiceField(choices=Role.choices)


class PlaceSerializer(serializers.Serializer[Membership]):
    project = serializers.CharField(source="project.slug")
    role = serializers.ChoiceField(choices=Role.choices)
    languages = serializers.ListField(child=serializers.CharField())
    is_paused = serializers.BooleanField()


class MeSerializer(serializers.Serializer[User]):
    id = serializers.IntegerField()
    email = serializers.EmailField()
    name = serializers.CharField()
    language = serializers.CharField(
        help_text="The language of pages and e-mails; empty for what the browser asks for."
    )
    is_staff = serializers.BooleanField()
    memberships = PlaceSerializer(many=True, source="places")


class MePatch(StrictSerializer):
    name = serializers.CharField(
        max_length=150, required=False, help_text="As others in your projects see it."
    )
    language = serializers.ChoiceField(
        choices=settings.LANGUAGES,
        allow_blank=True,
        required=False,
        help_text="The language of pages and e-mails; empty for what the browser asks for.",
    )


class MeView(APIView):
    @extend_schema(responses={200: MeSerializer, 401: ErrorSerializer})
    def get(self, request: Request) -> Response:
        """The caller and their roles."""
        return _me(caller(request))

    @extend_schema(
        request=MePatch, responses={200: MeSerializer, 400: ErrorSerializer, 401: ErrorSerializer}
    )
    def patch(self, request: Request) -> Response:
        """Change your name or the language of your pages; what is not sent stays."""
        user, now = caller(request), timezone.now()
        data = valid(MePatch(data=request.data))
        if "name" in data:
            change_profile(user=user, name=data["name"], actor=user, now=now)
        if "language" in data:
            choose_language(user=user, language=data["language"], actor=user, now=now)
        return _me(user)


def _me(user: User) -> Response:
    own: Any = user
    own.places = places_of(user)
    return Response(MeSerializer(own).data)


class ProjectListView(generics.ListAPIView[Project]):
    """Projects that the caller may see; staff may open new ones."""

    serializer_class = ProjectSerializer
    pagination_class = ApiPagination
    queryset = Project.objects.none()

    def get_queryset(self) -> Any:
        return projects_of(caller(self.request))

    @extend_schema(responses={200: ProjectSerializer(many=True), 401: ErrorSerializer})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Projects that the caller may see."""
        return self.list(request, *args, **kwargs)

    @extend_schema(request=ProjectInput, responses={201: ProjectSerializer, **REFUSALS})
    def post(self, request: Request) -> Response:
        """Open a project."""
        user = creator_of_projects(caller(request))
        data = valid(ProjectInput(data=request.data))
        project = actions.create_project(manager=user, actor=user, now=timezone.now(), **data)
        return Response(ProjectSerializer(project).data, status=status.HTTP_201_CREATED)


class ProjectView(APIView):
    @extend_schema(responses={200: ProjectSerializer, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """One project."""
        project = project_for(caller(request), slug, "projects.view_project")
        return Response(ProjectSerializer(project).data)

    @extend_schema(request=ProjectPatch, responses={200: ProjectSerializer, **REFUSALS})
    def patch(self, request: Request, slug: str) -> Response:
        """Change a project; what is not sent stays."""
        user = caller(request)
        project = project_for(user, slug, "projects.change_project")
        given = valid(ProjectPatch(data=request.data))
        data = {
            name: given.get(name, getattr(project, name)) for name in ProjectPatch().get_fields()
        }
        actions.change_project(project=project, actor=user, now=timezone.now(), **data)
        return Response(ProjectSerializer(project).data)


class MemberListView(generics.ListAPIView[Membership]):
    """Who works in a project."""

    serializer_class = MemberSerializer
    pagination_class = ApiPagination
    queryset = Membership.objects.none()

    def get_queryset(self) -> Any:
        slug = self.kwargs["slug"]
        return members_of(project_for(caller(self.request), slug, "projects.view_members"))

    @extend_schema(responses={200: MemberSerializer(many=True), **REFUSALS})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    @extend_schema(request=MemberInput, responses={201: AddedMemberSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Add a person by e-mail address; a person who cannot sign in yet gets an invitation."""
        user = caller(request)
        project = project_for(user, slug, CHANGE_MEMBERS)
        data = valid(MemberInput(data=request.data))
        data["languages"] = data.get("languages", [])
        data["subjects"] = subjects_named(project, data.get("subjects", []))
        added = actions.add_member(project=project, actor=user, now=timezone.now(), **data)
        secret = added.issued.secret if added.issued else ""
        link = invitation_url(secret) if secret else None
        body = MemberSerializer(added.membership).data | {"invitation_url": link}
        return Response(body, status=status.HTTP_201_CREATED)


class MemberView(APIView):
    @extend_schema(responses={200: MemberSerializer, **REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One member."""
        project = project_for(caller(request), slug, "projects.view_members")
        return Response(MemberSerializer(get_object_or_404(members_of(project), pk=pk)).data)

    @extend_schema(request=MemberPatch, responses={200: MemberSerializer, **REFUSALS})
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Change a member; what is not sent stays."""
        user = caller(request)
        project = project_for(user, slug, CHANGE_MEMBERS)
        membership = get_object_or_404(members_of(project), pk=pk)
        data = valid(MemberPatch(data=request.data))
        slugs = data.get("subjects", [subject.slug for subject in membership.subjects.all()])
        actions.change_member(
            membership=membership,
            role=data.get("role", membership.role),
            languages=data.get("languages", membership.languages),
            subjects=subjects_named(project, slugs),
            actor=user,
            now=timezone.now(),
        )
        return Response(MemberSerializer(members_of(project).get(pk=pk)).data)

    @extend_schema(responses={204: None, **REFUSALS})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Remove a member; their work stays, and items that they hold are free for others.

        If the person has not signed in yet, this cancels the invitation.
        """
        user = caller(request)
        project = project_for(user, slug, CHANGE_MEMBERS)
        membership = get_object_or_404(members_of(project), pk=pk)
        actions.remove_member(membership=membership, actor=user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class MemberPauseInput(StrictSerializer):
    """What the person reads on their first page and at the workbench."""

    message = serializers.CharField(default="", allow_blank=True, max_length=LONGEST_MESSAGE)


class PauseMemberView(APIView):
    @extend_schema(request=MemberPauseInput, responses={200: MemberSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Offer a member no more work; doing so again changes nothing but the message.

        They may finish the item that they work on until its reservation ends.
        """
        project = project_for(caller(request), slug, CHANGE_MEMBERS)
        membership = get_object_or_404(members_of(project), pk=pk)
        message = valid(MemberPauseInput(data=request.data))["message"]
        actions.pause_member(
            membership=membership, message=message, actor=caller(request), now=timezone.now()
        )
        return Response(MemberSerializer(membership).data)


class ResumeMemberView(APIView):
    @extend_schema(request=None, responses={200: MemberSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Offer a member work again; doing so again changes nothing."""
        project = project_for(caller(request), slug, CHANGE_MEMBERS)
        membership = get_object_or_404(members_of(project), pk=pk)
        actions.resume_member(membership=membership, actor=caller(request), now=timezone.now())
        return Response(MemberSerializer(membership).data)


def valid(data: serializers.Serializer[Any]) -> dict[str, Any]:
    data.is_valid(raise_exception=True)
    found: dict[str, Any] = data.validated_data
    return found


def subjects_named(project: Project, slugs: list[str]) -> list[Subject]:
    """The project's subjects with these slugs; raises ValidationError naming the unknown ones."""
    found = list(Subject.objects.filter(project=project, slug__in=slugs))
    unknown = sorted(set(slugs) - {subject.slug for subject in found})
    if unknown:
        words = _("There is no subject “%(slug)s” in this project.")
        raise ValidationError({"subjects": [words % {"slug": slug} for slug in unknown]})
    return found
