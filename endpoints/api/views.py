"""The API of endpoints: a project's for its managers, those of the server for administrators."""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from accounts.models import User
from accounts.rules import administrator
from common.api import REFUSALS, StrictSerializer
from common.pagination import ApiPagination
from endpoints.actions import CALLED_PROVIDERS, EndpointValues, change_endpoint, create_endpoint
from endpoints.enums import ProviderName
from endpoints.models import MOST_CONCURRENCY, MOST_REQUESTS_PER_MINUTE, Endpoint
from projects.models import Project
from projects.selectors import get_project, project_for

CHANGE = "endpoints.change_endpoints"
CHANGE_SERVER = "endpoints.change_server_endpoints"


class EndpointSerializer(serializers.Serializer[Endpoint]):
    """`project` is null for an endpoint of the server; a project is not told its variable."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    project = serializers.CharField(source="project.slug", default=None, allow_null=True)
    provider = serializers.CharField()
    base_url = serializers.CharField()
    has_key = serializers.SerializerMethodField()
    requests_per_minute = serializers.IntegerField(allow_null=True)
    concurrency = serializers.IntegerField(allow_null=True)
    is_active = serializers.BooleanField()
    created_at = serializers.DateTimeField()

    @extend_schema_field(serializers.BooleanField())
    def get_has_key(self, endpoint: Endpoint) -> bool:
        return bool(endpoint.api_key_env)


class ServerEndpointSerializer(EndpointSerializer):
    api_key_env = serializers.CharField()
    projects = serializers.SerializerMethodField()

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_projects(self, endpoint: Endpoint) -> list[str]:
        return sorted(project.slug for project in endpoint.allowed_projects.all())


class EndpointPatch(StrictSerializer):
    requests_per_minute = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=MOST_REQUESTS_PER_MINUTE
    )
    concurrency = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=MOST_CONCURRENCY
    )
    is_active = serializers.BooleanField(required=False)


class ServerEndpointPatch(EndpointPatch):
    api_key_env = serializers.CharField(max_length=100, allow_blank=True, required=False)
    projects = serializers.ListField(
        child=serializers.CharField(max_length=60), max_length=1000, required=False
    )


class EndpointInput(StrictSerializer):
    name = serializers.CharField(max_length=100)
    provider = serializers.ChoiceField(
        choices=CALLED_PROVIDERS,
        default=ProviderName.OPENAI_COMPATIBLE.value,
        help_text="The kind of API; all but `openai` are translation engines.",
    )
    base_url = serializers.CharField(max_length=300)
    requests_per_minute = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=MOST_REQUESTS_PER_MINUTE
    )
    concurrency = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=MOST_CONCURRENCY,
        help_text="The most calls at the same time, of all work together.",
    )  # fmt: skip


class ServerEndpointInput(EndpointInput):
    api_key_env = serializers.CharField(
        max_length=100,
        allow_blank=True,
        default="",
        help_text="Name of the worker's environment variable that holds the key.",
    )
    projects = serializers.ListField(
        child=serializers.CharField(max_length=60), max_length=1000, default=list
    )


class ProjectEndpointListView(generics.ListAPIView[Endpoint]):
    serializer_class = EndpointSerializer
    pagination_class = ApiPagination
    queryset = Endpoint.objects.none()

    def get_queryset(self) -> Any:
        project = project_for(caller(self.request), self.kwargs["slug"], CHANGE)
        return Endpoint.objects.shown_in(project).select_related("project")

    @extend_schema(responses={200: EndpointSerializer(many=True), **REFUSALS})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The endpoints that a project's models can use."""
        return self.list(request, *args, **kwargs)

    @extend_schema(request=EndpointInput, responses={201: EndpointSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Add an endpoint of the project's own, which has no key."""
        user = caller(request)
        project = project_for(user, slug, CHANGE)
        data = _valid(EndpointInput(data=request.data))
        endpoint = create_endpoint(
            values=EndpointValues(**data), project=project, actor=user, now=timezone.now()
        )
        return Response(EndpointSerializer(endpoint).data, status=status.HTTP_201_CREATED)


class ServerEndpointListView(generics.ListAPIView[Endpoint]):
    serializer_class = ServerEndpointSerializer
    pagination_class = ApiPagination
    queryset = Endpoint.objects.none()

    def get_queryset(self) -> Any:
        _check_administrator(caller(self.request))
        return Endpoint.objects.of_server().prefetch_related("allowed_projects")

    @extend_schema(responses={200: ServerEndpointSerializer(many=True), **REFUSALS})
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The endpoints that an administrator defined for the projects of this server."""
        return self.list(request, *args, **kwargs)

    @extend_schema(
        request=ServerEndpointInput, responses={201: ServerEndpointSerializer, **REFUSALS}
    )
    def post(self, request: Request) -> Response:
        """Define an endpoint, with the variable of its key and the projects that may use it."""
        user = caller(request)
        _check_administrator(user)
        data = _valid(ServerEndpointInput(data=request.data))
        projects = [get_project(slug) for slug in data.pop("projects")]
        endpoint = create_endpoint(
            values=EndpointValues(**data),
            project=None,
            allowed_projects=projects,
            actor=user,
            now=timezone.now(),
        )
        return Response(ServerEndpointSerializer(endpoint).data, status=status.HTTP_201_CREATED)


class EndpointView(APIView):
    @extend_schema(request=ServerEndpointPatch, responses={200: EndpointSerializer, **REFUSALS})
    def patch(self, request: Request, pk: int) -> Response:
        """Change an endpoint's limits and use; an administrator also its key and projects."""
        user = caller(request)
        endpoint = get_object_or_404(Endpoint.objects.select_related("project"), pk=pk)
        is_server = endpoint.project is None
        _check_may_change(user, endpoint.project)
        data = _valid((ServerEndpointPatch if is_server else EndpointPatch)(data=request.data))
        slugs = data.get("projects")
        change_endpoint(
            endpoint=endpoint,
            api_key_env=data.get("api_key_env", endpoint.api_key_env),
            requests_per_minute=data.get("requests_per_minute", endpoint.requests_per_minute),
            concurrency=data.get("concurrency", endpoint.concurrency),
            is_active=data.get("is_active", endpoint.is_active),
            allowed_projects=None if slugs is None else [get_project(slug) for slug in slugs],
            actor=user,
            now=timezone.now(),
        )
        shape = ServerEndpointSerializer if is_server else EndpointSerializer
        return Response(shape(endpoint).data)


def _check_may_change(user: User, project: Project | None) -> None:
    """Raise Http404 to strangers of the project, PermissionDenied to who may not change it."""
    if project is not None:
        project_for(user, project.slug, CHANGE)
    elif not user.has_perm(CHANGE_SERVER):
        raise Http404


def _check_administrator(user: User) -> None:
    administrator(user, CHANGE_SERVER)


def _valid(data: serializers.Serializer[Any]) -> dict[str, Any]:
    data.is_valid(raise_exception=True)
    return dict(data.validated_data)
