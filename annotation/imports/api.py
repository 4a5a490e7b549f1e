"""The API of imports: taking a file, earlier imports, and what was refused."""

from dataclasses import replace
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.http import Http404, StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from accounts.models import User
from annotation.importers.formats import FORMATS
from annotation.imports.actions import import_kept, options_again, start_import
from annotation.imports.mappings import keep_mapping, mapping_of
from annotation.imports.opening import ImportOptions
from annotation.imports.queries import ERROR_COLUMNS, import_of, imports_of, refused_rows
from annotation.imports.terms import start_term_import
from annotation.imports.undoing import undo_import
from annotation.models import ImportJob, ImportMapping
from common.api import REFUSALS, StrictJSONParser, StrictSerializer
from common.api_exports import (
    ExportView,
    asked_format,
    file_answer,
    file_responses,
    format_parameter,
)
from common.downloads import csv_lines, json_lines
from common.pagination import KeysetPagination
from jobs.enums import JobState
from jobs.selectors import job_for
from projects.api.views import valid
from projects.models import Project
from projects.selectors import project_for

IMPORT_ITEMS = "annotation.import_items"


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
    mapping = serializers.CharField(
        max_length=5000,
        default="",
        allow_blank=True,
        help_text="The columns of any other table, such as `question=frage,options=a1:a4,key=k`, "
        "or the name of columns that are kept.",
    )
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


class ImportSerializer(serializers.Serializer[ImportJob]):
    """An import; its counts are null until it has read the file."""

    job = serializers.IntegerField(source="job_id", help_text="What `jobs/{id}/` takes.")
    name = serializers.CharField(help_text="The name of the file.")
    format = serializers.CharField()
    system = serializers.CharField()
    is_dry_run = serializers.BooleanField()
    requested_by = serializers.CharField(source="requested_by.name", default=None, allow_null=True)
    created_at = serializers.DateTimeField()
    undone_at = serializers.DateTimeField(
        allow_null=True, help_text="When somebody took the import back."
    )
    state = serializers.ChoiceField(choices=JobState.choices, source="job.state")
    read = serializers.IntegerField(source="rows_read", allow_null=True)
    imported = serializers.IntegerField(source="new_items", allow_null=True)
    joined = serializers.IntegerField(source="new_translations", allow_null=True)
    unchanged = serializers.IntegerField(source="rows_unchanged", allow_null=True)
    refused = serializers.IntegerField(source="rows_refused", allow_null=True)


class NewestImportPagination(KeysetPagination):
    order = ("-pk",)


class ImportListView(generics.GenericAPIView[ImportJob]):
    parser_classes = (MultiPartParser,)
    serializer_class = ImportSerializer
    pagination_class = NewestImportPagination
    queryset = ImportJob.objects.none()

    @extend_schema(responses={200: ImportSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Imports of the project, newest first; `jobs/{job}/` has the whole report of one."""
        project = project_for(caller(request), slug, IMPORT_ITEMS)
        page: Any = self.paginate_queryset(imports_of(project))
        return self.get_paginated_response(ImportSerializer(page, many=True).data)

    @extend_schema(
        request={"multipart/form-data": ImportInput}, responses={202: StartedSerializer, **REFUSALS}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Queue the import of a file; the job tells how far it is and what it came to."""
        user = caller(request)
        project = project_for(user, slug, IMPORT_ITEMS)
        data = valid(ImportInput(data=request.data))
        job = {"job": _start(project, data, user).job_id}
        return Response(StartedSerializer(job).data, status=status.HTTP_202_ACCEPTED)


class TermImportInput(StrictSerializer):
    """A CSV or TBX file, or its content as `text`, which JSON can carry too."""

    file = UploadField(required=False)
    text = serializers.CharField(required=False, trim_whitespace=False)
    dry_run = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("file" in attrs) == ("text" in attrs):
            raise serializers.ValidationError({"file": [_("Send either a file or its text.")]})
        return attrs


class TermImportView(APIView):
    parser_classes = (MultiPartParser, StrictJSONParser)

    @extend_schema(
        request={"multipart/form-data": TermImportInput, "application/json": TermImportInput},
        responses={202: StartedSerializer, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Queue the import of a file of terms, or only its check.

        The `result` of the job counts the terms, or names the rows that are wrong in `problems`;
        then nothing is written.
        """
        user = caller(request)
        project = project_for(user, slug, "annotation.change_glossary")
        data = valid(TermImportInput(data=request.data))
        file: Any = data.get("file") or ContentFile(data["text"].encode(), name="terms")
        started = start_term_import(
            project=project,
            file=file,
            name=file.name,
            is_dry_run=data["dry_run"],
            actor=user,
            now=timezone.now(),
        )
        job = {"job": started.job_id}
        return Response(StartedSerializer(job).data, status=status.HTTP_202_ACCEPTED)


class ImportErrorsView(ExportView):
    @extend_schema(parameters=[format_parameter()], responses={**file_responses(), **REFUSALS})
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        """Every refusal that an import kept, as JSON lines or CSV, to correct the file by."""
        job, project = job_for(caller(request), pk, "jobs.view_job")
        found = import_of(job)
        if found is None:
            raise Http404
        rows, name = refused_rows(found), asked_format(request)
        lines = csv_lines(ERROR_COLUMNS, rows) if name == "csv" else json_lines(rows)
        return file_answer(lines, name=f"{project.slug}-import-{pk}-errors.{name}")


class ImportAgainInput(StrictSerializer):
    mapping = serializers.CharField(max_length=5000, default="", allow_blank=True)
    dry_run = serializers.BooleanField(default=False)


class ImportAgainView(APIView):
    @extend_schema(request=ImportAgainInput, responses={202: StartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Import the file of a dry run, or of an import that failed, without a second upload.

        `mapping` names the columns if no format knows them; all other options stay.
        """
        user = caller(request)
        found, project = job_for(user, pk, "jobs.cancel_job")
        data = valid(ImportAgainInput(data=request.data))
        import_job = import_of(found)
        if import_job is None:
            raise Http404
        options = replace(options_again(import_job), is_dry_run=data["dry_run"])
        if data["mapping"]:
            mapping = mapping_of(project, data["mapping"])
            options = replace(options, mapping=mapping, format="")
        started = import_kept(
            import_job=import_job, options=options, actor=user, now=timezone.now()
        )
        answer = StartedSerializer({"job": started.job_id}).data
        return Response(answer, status=status.HTTP_202_ACCEPTED)


class ImportMappingSerializer(StrictSerializer):
    name = serializers.CharField(max_length=100)
    mapping = serializers.CharField(max_length=5000)


class ImportMappingsView(APIView):
    @extend_schema(responses={200: ImportMappingSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Return the columns of tables that the project keeps by name."""
        project = project_for(caller(request), slug, IMPORT_ITEMS)
        kept = ImportMapping.objects.filter(project=project).order_by("name", "pk")
        return Response(ImportMappingSerializer(kept, many=True).data)

    @extend_schema(
        request=ImportMappingSerializer, responses={200: ImportMappingSerializer, **REFUSALS}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Keep columns under a name, in place of those that had it."""
        user = caller(request)
        project = project_for(user, slug, IMPORT_ITEMS)
        data = valid(ImportMappingSerializer(data=request.data))
        kept = keep_mapping(project=project, **data, actor=user, now=timezone.now())
        return Response(ImportMappingSerializer(kept).data)


class UndoImportView(APIView):
    @extend_schema(request=None, responses={202: StartedSerializer, **REFUSALS})
    def post(self, request: Request, pk: int) -> Response:
        """Take an import back: hide what it brought at once, and queue its removal.

        Refused once somebody has worked with one of its items or texts. Send no body, or an empty
        object.
        """
        user = caller(request)
        found, _project = job_for(user, pk, "jobs.cancel_job")
        StrictSerializer(data=request.data).is_valid(raise_exception=True)
        import_job = import_of(found)
        if import_job is None:
            raise Http404
        job = undo_import(import_job=import_job, actor=user, now=timezone.now())
        return Response(StartedSerializer({"job": job.pk}).data, status=status.HTTP_202_ACCEPTED)


def _start(project: Project, data: dict[str, Any], user: User) -> ImportJob:
    keys = data.get("keys")
    return start_import(
        project=project,
        file=data["file"],
        name=data["file"].name,
        options=ImportOptions(
            format=data["format"],
            mapping=mapping_of(project, data["mapping"]),
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
