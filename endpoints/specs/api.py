"""The API of models."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import LIST_REFUSALS, REFUSALS, StrictSerializer
from common.pagination import ApiPagination
from endpoints.models import BATCH_FACTOR, ModelSpec
from endpoints.specs.actions import (
    SpecValues,
    create_model,
    retire_model,
    return_model,
    revise_model,
)
from endpoints.specs.queries import current_models
from endpoints.specs.selectors import get_model, get_own_model, owner_for
from endpoints.specs.testing import start_test
from projects.selectors import project_for

VIEW = "endpoints.view_models"
CHANGE = "endpoints.change_models"
TEST = "endpoints.test_models"


class RevisionInput(StrictSerializer):
    endpoint = serializers.CharField(
        max_length=100, help_text="The name of an endpoint that the project may use."
    )
    model = serializers.CharField(max_length=200)
    parameters = serializers.DictField(default=dict, help_text="Decoding parameters.")
    prompt_price = serializers.DecimalField(
        10, 4, allow_null=True, default=None, help_text="US dollars per million tokens."
    )
    completion_price = serializers.DecimalField(
        10, 4, allow_null=True, default=None, help_text="US dollars per million tokens."
    )
    size = serializers.DecimalField(
        9, 4, allow_null=True, default=None, help_text="Billions of parameters."
    )
    batch_factor = serializers.DecimalField(
        5, 4, default=BATCH_FACTOR, help_text="The price of batch files, as a share of the prices."
    )
    cutoff = serializers.CharField(
        max_length=7,
        allow_blank=True,
        default="",
        help_text="The month of the newest texts in its training data, such as 2024-06.",
    )
    tuned_from = serializers.CharField(
        max_length=100,
        allow_blank=True,
        default="",
        help_text="The name of the model that it was tuned from, as a chat model from its base.",
    )

    def values(self) -> SpecValues:
        data: dict[str, Any] = dict(self.validated_data)
        data.pop("name", None)
        return SpecValues(**data)


class ModelInput(RevisionInput):
    name = serializers.CharField(max_length=100)


class ModelSerializer(serializers.Serializer[ModelSpec]):
    name = serializers.CharField()
    is_of_server = serializers.BooleanField(help_text="Whether it is there for all projects.")
    revision = serializers.IntegerField()
    endpoint = serializers.CharField(source="endpoint.name")
    model = serializers.CharField()
    parameters = serializers.DictField()
    prompt_price = serializers.DecimalField(10, 4, allow_null=True)
    completion_price = serializers.DecimalField(10, 4, allow_null=True)
    size = serializers.DecimalField(9, 4, allow_null=True)
    batch_factor = serializers.DecimalField(5, 4)
    cutoff = serializers.CharField()
    tuned_from = serializers.CharField()
    retired_at = serializers.DateTimeField(
        allow_null=True, help_text="Since when no work is started with the model."
    )
    created_at = serializers.DateTimeField()


class ModelTestSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField()


class ModelListView(generics.GenericAPIView[ModelSpec]):
    """The latest revision of each model that a project can ask."""

    pagination_class = ApiPagination
    serializer_class = ModelSerializer
    queryset = ModelSpec.objects.none()

    @extend_schema(responses={200: ModelSerializer(many=True), **LIST_REFUSALS})
    def get(self, request: Request, slug: str = "") -> Response:
        project = owner_for(caller(request), slug, VIEW)
        page: Any = self.paginate_queryset(current_models(project))
        return self.get_paginated_response(ModelSerializer(page, many=True).data)

    @extend_schema(request=ModelInput, responses={201: ModelSerializer, **REFUSALS})
    def post(self, request: Request, slug: str = "") -> Response:
        """Add a model."""
        user = caller(request)
        project = owner_for(user, slug, CHANGE)
        data = ModelInput(data=request.data)
        data.is_valid(raise_exception=True)
        spec = create_model(
            project=project, name=data.validated_data["name"], values=data.values(), actor=user,
            now=timezone.now(),
        )  # fmt: skip
        return _model(spec)


class ModelView(APIView):
    @extend_schema(request=RevisionInput, responses={201: ModelSerializer, **REFUSALS})
    def put(self, request: Request, name: str, slug: str = "") -> Response:
        """Add a revision of a model."""
        user = caller(request)
        project = owner_for(user, slug, CHANGE)
        data = RevisionInput(data=request.data)
        data.is_valid(raise_exception=True)
        spec = get_own_model(project, name)
        revised = revise_model(spec=spec, values=data.values(), actor=user, now=timezone.now())
        return _model(revised)


class ModelTestView(APIView):
    @extend_schema(request=None, responses={202: ModelTestSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, name: str) -> Response:
        """Queue a test of a model; `jobs/{job}/` says what came of it, in words under `result.texts`."""
        user = caller(request)
        project = project_for(user, slug, TEST)
        spec = get_model(project, name)
        job = start_test(spec=spec, project=project, actor=user, now=timezone.now())
        return Response({"job": job.pk}, status=status.HTTP_202_ACCEPTED)


class ModelRetireView(APIView):
    @extend_schema(request=None, responses={200: ModelSerializer, **REFUSALS})
    def post(self, request: Request, name: str, slug: str = "") -> Response:
        """Retire a model: no work is started with it any more."""
        user = caller(request)
        spec = get_own_model(owner_for(user, slug, CHANGE), name)
        retire_model(spec=spec, actor=user, now=timezone.now())
        spec.refresh_from_db()
        return Response(ModelSerializer(spec).data)


class ModelReturnView(APIView):
    @extend_schema(request=None, responses={200: ModelSerializer, **REFUSALS})
    def post(self, request: Request, name: str, slug: str = "") -> Response:
        """Bring back a retired model."""
        user = caller(request)
        spec = get_own_model(owner_for(user, slug, CHANGE), name)
        return_model(spec=spec, actor=user, now=timezone.now())
        spec.refresh_from_db()
        return Response(ModelSerializer(spec).data)


def _server(**summaries: str) -> Any:
    """Describe the calls of a view for the models of the server."""
    return extend_schema_view(
        **{method: extend_schema(summary=text) for method, text in summaries.items()}
    )


@_server(get="The models of the server.", post="Add a model of the server.")
class ServerModelListView(ModelListView):
    """The same without a project, for administrators."""


@_server(put="Add a revision of a model of the server.")
class ServerModelView(ModelView): ...


@_server(post="Retire a model of the server.")
class ServerModelRetireView(ModelRetireView): ...


@_server(post="Bring back a retired model of the server.")
class ServerModelReturnView(ModelReturnView): ...


def _model(spec: ModelSpec) -> Response:
    body = ModelSerializer(spec).data
    return Response(body, status=status.HTTP_201_CREATED)
