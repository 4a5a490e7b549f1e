"""The API of one's own account: tokens and sign-ins."""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.actions import create_token, revoke_token
from accounts.enums import SignInOutcome
from accounts.models import ApiToken, SignInAttempt, User
from accounts.queries import sign_ins_of, tokens_of
from common.api import REFUSALS, ErrorSerializer, StrictSerializer
from common.pagination import KeysetPagination


class TokenInput(StrictSerializer):
    name = serializers.CharField(max_length=100)


class TokenSerializer(serializers.Serializer[ApiToken]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True)


class IssuedTokenSerializer(TokenSerializer):
    secret = serializers.CharField(help_text="Shown in this answer alone.")


class SignInSerializer(serializers.Serializer[SignInAttempt]):
    id = serializers.IntegerField()
    occurred_at = serializers.DateTimeField()
    account = serializers.CharField(
        source="user.email",
        default=None,
        allow_null=True,
        help_text="Null where there is no such account.",
    )
    address = serializers.CharField()
    outcome = serializers.ChoiceField(choices=SignInOutcome.choices)


class OwnSignInPagination(KeysetPagination):
    order = ("-pk",)


class OwnSignInListView(generics.ListAPIView[SignInAttempt]):
    serializer_class = SignInSerializer
    pagination_class = OwnSignInPagination
    queryset = SignInAttempt.objects.none()

    @extend_schema(responses={200: SignInSerializer(many=True), 401: ErrorSerializer})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """When and from where somebody signed in as you or tried to, newest first."""
        return self.list(request, *args, **kwargs)

    def get_queryset(self) -> Any:
        return sign_ins_of(caller(self.request), now=timezone.now())


class TokenListView(APIView):
    """The caller's tokens that still work."""

    @extend_schema(
        operation_id="me_tokens_list",
        responses={200: TokenSerializer(many=True), 401: ErrorSerializer},
    )
    def get(self, request: Request) -> Response:
        tokens: Any = tokens_of(caller(request))
        return Response(TokenSerializer(tokens, many=True).data)

    @extend_schema(request=TokenInput, responses={201: IssuedTokenSerializer, **REFUSALS})
    def post(self, request: Request) -> Response:
        """Make a token; its secret is in this answer alone."""
        data = TokenInput(data=request.data)
        data.is_valid(raise_exception=True)
        user = caller(request)
        issued = create_token(user=user, actor=user, now=timezone.now(), **data.validated_data)
        body = TokenSerializer(issued.token).data | {"secret": issued.secret}
        return Response(body, status=status.HTTP_201_CREATED)


class TokenView(APIView):
    @extend_schema(responses={204: None, **REFUSALS})
    def delete(self, request: Request, pk: int) -> Response:
        """Revoke a token; doing so again changes nothing."""
        token = get_object_or_404(ApiToken, pk=pk)
        user = caller(request)
        if not user.has_perm("accounts.revoke_token", token):
            raise Http404
        revoke_token(token=token, actor=user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


def caller(request: Request) -> User:
    """The person behind an API request that was let in."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  IsAuthenticated is the default of every view
    return user
