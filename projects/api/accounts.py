"""The API of administrators: every account on this server, and who signed in from where."""

from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import actions
from accounts.api.views import SignInSerializer, caller
from accounts.enums import AccountState, SignInOutcome
from accounts.models import SignInAttempt, User
from accounts.queries import (
    SIGN_IN_COLUMNS,
    AccountFilter,
    SignInFilter,
    accounts,
    sign_in_rows,
    sign_ins,
    tokens_of,
)
from accounts.rules import administrator
from common.api import REFUSALS, StrictSerializer
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from common.downloads import csv_lines, json_lines
from common.pagination import KeysetPagination
from projects.api.views import PlaceSerializer
from projects.queries import places_of, sole_places_of

VIEW = "accounts.view_accounts"
CHANGE = "accounts.change_accounts"
VIEW_SIGN_INS = "accounts.view_sign_ins"
ACCOUNT_FILTERS = [
    OpenApiParameter("q", description="Part of a name or an e-mail address"),
    OpenApiParameter("state", enum=AccountState.values),
    OpenApiParameter("administrators", OpenApiTypes.BOOL, description="Only administrators"),
]
SIGN_IN_FILTERS = [
    OpenApiParameter("account", description="E-mail address of the account"),
    OpenApiParameter("address", description="IP address"),
    OpenApiParameter("outcome", enum=SignInOutcome.values),
    OpenApiParameter("since", OpenApiTypes.DATETIME, description="The first moment, included"),
    OpenApiParameter("until", OpenApiTypes.DATETIME, description="The last moment, not included"),
]


class AccountSerializer(serializers.Serializer[User]):
    id = serializers.IntegerField()
    email = serializers.EmailField()
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=AccountState.choices)
    is_administrator = serializers.BooleanField(source="is_superuser")
    created_at = serializers.DateTimeField(source="date_joined")
    last_sign_in_at = serializers.DateTimeField(source="last_login", allow_null=True)


class SolePlaceSerializer(serializers.Serializer[Any]):
    project = serializers.CharField(source="project.slug")
    role = serializers.CharField()


class AccountDetailSerializer(AccountSerializer):
    tokens = serializers.IntegerField(help_text="How many API tokens of theirs work.")
    memberships = PlaceSerializer(many=True, source="places")
    sole_roles = SolePlaceSerializer(
        many=True,
        help_text="Roles that nobody else has in that project now; only manager and senior count.",
    )


class EndedSerializer(serializers.Serializer[actions.Ended]):
    tokens = serializers.IntegerField(help_text="API tokens revoked.")
    held_items = serializers.IntegerField(help_text="Items that are free for others again.")
    invitations = serializers.IntegerField(help_text="Invitations that they sent and that ended.")


class DeactivatedSerializer(AccountSerializer):
    ended = EndedSerializer()


class AccountFilterSerializer(StrictSerializer):
    q = serializers.CharField(max_length=200, default="", allow_blank=True)
    state = serializers.ChoiceField(choices=AccountState.choices, default="")
    administrators = serializers.BooleanField(default=False)
    cursor = serializers.CharField(required=False)
    page_size = serializers.CharField(required=False)


class SignInFilterSerializer(StrictSerializer):
    account = serializers.CharField(max_length=254, default="")
    address = serializers.IPAddressField(default="")
    outcome = serializers.ChoiceField(choices=SignInOutcome.choices, default="")
    since = serializers.DateTimeField(default=None)
    until = serializers.DateTimeField(default=None)
    cursor = serializers.CharField(required=False)
    page_size = serializers.CharField(required=False)
    format = serializers.CharField(required=False)


class AccountPagination(KeysetPagination):
    order = ("email",)


class SignInPagination(KeysetPagination):
    order = ("-pk",)


class AccountListView(generics.ListAPIView[User]):
    serializer_class = AccountSerializer
    pagination_class = AccountPagination
    queryset = User.objects.none()

    @extend_schema(
        parameters=ACCOUNT_FILTERS, responses={200: AccountSerializer(many=True), **REFUSALS}
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Everybody who has an account, by e-mail address."""
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> Any:
        check(self.request, VIEW)
        data = AccountFilterSerializer(data=self.request.query_params.dict())
        data.is_valid(raise_exception=True)
        found = data.validated_data
        wanted = AccountFilter(
            query=found["q"], state=found["state"], is_administrator=found["administrators"]
        )
        return accounts(wanted)


class AccountView(APIView):
    @extend_schema(responses={200: AccountDetailSerializer, **REFUSALS})
    def get(self, request: Request, pk: int) -> Response:
        """One account, with its projects and the roles that nobody else has there."""
        check(request, VIEW)
        user: Any = get_object_or_404(User, pk=pk)
        user.places, user.sole_roles = places_of(user), sole_places_of(user)
        user.tokens = tokens_of(user).count()
        return Response(AccountDetailSerializer(user).data)


class DeactivateAccountView(APIView):
    @extend_schema(request=None, responses={200: DeactivatedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Sign a person out everywhere, revoke their API tokens and let them in no more.

        Doing so again changes nothing.
        """
        actor = check(request, CHANGE)
        user: Any = get_object_or_404(User, pk=pk)
        user.ended = actions.deactivate_account(user=user, actor=actor, now=timezone.now())
        return Response(DeactivatedSerializer(user).data)


class ReactivateAccountView(APIView):
    @extend_schema(request=None, responses={200: AccountSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Let a person in again with the roles and password from before."""
        actor = check(request, CHANGE)
        user = get_object_or_404(User, pk=pk)
        actions.reactivate_account(user=user, actor=actor, now=timezone.now())
        return Response(AccountSerializer(user).data)


class MakeAdministratorView(APIView):
    @extend_schema(request=None, responses={200: AccountSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Give a person every right on this server; doing so again changes nothing."""
        actor = check(request, CHANGE)
        user = get_object_or_404(User, pk=pk)
        actions.make_administrator(user=user, actor=actor, now=timezone.now())
        return Response(AccountSerializer(user).data)


class RemoveAdministratorView(APIView):
    @extend_schema(request=None, responses={200: AccountSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Take the rights of an administrator away; doing so again changes nothing."""
        actor = check(request, CHANGE)
        user = get_object_or_404(User, pk=pk)
        actions.remove_administrator(user=user, actor=actor, now=timezone.now())
        return Response(AccountSerializer(user).data)


class SignInListView(generics.ListAPIView[SignInAttempt]):
    serializer_class = SignInSerializer
    pagination_class = SignInPagination
    queryset = SignInAttempt.objects.none()

    @extend_schema(
        parameters=SIGN_IN_FILTERS, responses={200: SignInSerializer(many=True), **REFUSALS}
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Who signed in or tried to, newest first."""
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> Any:
        return _asked_for(self.request)


class SignInExportView(ExportView):
    @extend_schema(
        parameters=[*SIGN_IN_FILTERS, format_parameter()],
        responses={**file_responses(), **REFUSALS},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """All sign-ins of a filter, newest first, as a stream of JSON lines or CSV."""
        rows, name = sign_in_rows(_asked_for(request)), asked_format(request)
        lines = csv_lines(SIGN_IN_COLUMNS, rows) if name == "csv" else json_lines(rows)
        return file_answer(lines, name=f"sign-ins.{name}")


def _asked_for(request: Request) -> QuerySet[SignInAttempt]:
    check(request, VIEW_SIGN_INS)
    data = SignInFilterSerializer(data=request.query_params.dict())
    data.is_valid(raise_exception=True)
    names = ("account", "address", "outcome", "since", "until")
    wanted = SignInFilter(**{name: data.validated_data[name] for name in names})
    return sign_ins(wanted, now=timezone.now())


def check(request: Request, permission: str) -> User:
    """The caller, if they have the permission. Raises PermissionDenied."""
    return administrator(caller(request), permission)
