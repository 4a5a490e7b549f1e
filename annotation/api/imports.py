"""The API that takes a file and answers with the job that imports it."""

from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from accounts.models import User
from annotation.access import project_for
from annotation.actions.imports import ImportOptions, start_import
from annotation.api.items import REFUSALS
from annotation.api.projects import valid
from annotation.importers import FORMATS
from annotation.models import ImportJob, Project
from common.api import StrictSerializer


class UploadField(serializers.FileField):
    """A file within the limit of `IMPORT_LIMITS`."""

    def to_internal_value(self, data: Any) -> Any:
        file = super().to_internal_value(data)
        limit = settings.IMPORT_LIMITS["file_bytes"]
        if file.size > limit:
            words = _("The file is larger than the limit of %(limit)s bytes.")
            raise serializers.ValidationError(words % {"limit": limit})
        return file


class ImportInput(StrictSerializer):
    file = UploadField()
    format = serializers.ChoiceField(choices=["", *FORMATS], default="")
    keys = UploadField(required=False)
    system = serializers.CharField(max_length=100, default="", allow_blank=True)
    licence = serializers.CharField(max_length=100, default="", allow_blank=True)
    attribution = serializers.CharField(max_length=2000, default="", allow_blank=True)
    dry_run = serializers.BooleanField(default=False)
    skip_refused = serializers.BooleanField(default=False)


class StartedSerializer(serializers.Serializer[Any]):
    job = serializers.IntegerField()


class ImportListView(APIView):
    parser_classes = (MultiPartParser,)

    @extend_schema(
        request={"multipart/form-data": ImportInput}, responses={202: StartedSerializer, **REFUSALS}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Queue the import of a file; ask the job what became of it."""
        user = caller(request)
        project = project_for(user, slug, "annotation.import_items")
        data = valid(ImportInput(data=request.data))
        job = {"job": _start(project, data, user).job_id}
        return Response(StartedSerializer(job).data, status=status.HTTP_202_ACCEPTED)


def _start(project: Project, data: dict[str, Any], user: User) -> ImportJob:
    keys = data.get("keys")
    return start_import(
        project=project,
        file=data["file"],
        name=data["file"].name,
        options=ImportOptions(
            format=data["format"],
            system=data["system"],
            is_dry_run=data["dry_run"],
            is_skipping_refused=data["skip_refused"],
            licence=data["licence"],
            attribution=data["attribution"],
        ),
        actor=user,
        now=timezone.now(),
        keys_file=keys,
        keys_name=keys.name if keys else "",
    )
