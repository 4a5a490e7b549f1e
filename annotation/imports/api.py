"""Takes a file through the API and answers with the job that imports it."""

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
from annotation.imports.actions import ImportOptions, start_import
from annotation.imports.importers import FORMATS
from annotation.items.api import REFUSALS
from annotation.models import ImportJob
from common.api import StrictSerializer
from projects.api.views import valid
from projects.models import Project
from projects.selectors import project_for


class UploadField(serializers.FileField):
    """A file within the limit of `IMPORT_LIMITS`."""

    def to_internal_value(self, data: Any) -> Any:
        file = super().to_internal_value(data)
        limit = settings.IMPORT_LIMITS["file_bytes"]
        if file.size > limit:
            words = _("The file is larger than %(limit)s bytes. Split it and import the parts.")
            raise serializers.ValidationError(words % {"limit": limit})
        return file


class ImportInput(StrictSerializer):
    file = UploadField()
    format = serializers.ChoiceField(choices=["", *FORMATS], default="")
    keys = UploadField(required=False)
    system = serializers.CharField(max_length=100, default="", allow_blank=True)
    licence = serializers.CharField(max_length=100, default="", allow_blank=True)
    attribution = serializers.CharField(max_length=2000, default="", allow_blank=True)
    source_version = serializers.CharField(max_length=100, default="", allow_blank=True)
    source_url = serializers.URLField(max_length=500, default="", allow_blank=True)
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
        """Queue the import of a file; the job tells how far it is and what it came to."""
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
            version=data["source_version"],
            url=data["source_url"],
        ),
        actor=user,
        now=timezone.now(),
        keys_file=keys,
        keys_name=keys.name if keys else "",
    )
