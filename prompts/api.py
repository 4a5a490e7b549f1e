"""The API of prompts."""

from dataclasses import fields
from datetime import datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import LIST_REFUSALS, READ_REFUSALS, REFUSALS, StrictSerializer
from common.pagination import NumberedPagination
from projects.selectors import project_for
from prompts.actions import LARGEST_SEED, LONGEST_PROMPT, create_prompt, revise_prompt
from prompts.enums import OptionLabels, PromptStyle, ShotLayout
from prompts.models import PromptTemplate
from prompts.queries import known_prompts, revisions_of
from prompts.rendering import OPTION_LINE, Template
from prompts.selectors import prompt_for

VIEW, CHANGE = "prompts.view_prompts", "prompts.change_prompts"
_TEXT: dict[str, Any] = {
    "max_length": LONGEST_PROMPT, "allow_blank": True, "default": "", "trim_whitespace": False,
}  # fmt: skip


class TemplateInput(StrictSerializer):
    """How to ask an item; names in braces stand for its parts: {question} {options} {letters} {subject}."""

    language = serializers.CharField(max_length=20, help_text="Language of the prompt: `bo`.")
    style = serializers.ChoiceField(  # type: ignore[assignment]
        choices=PromptStyle.choices, default=str(PromptStyle.DIRECT)
    )
    system = serializers.CharField(**_TEXT)
    frame = serializers.CharField(max_length=LONGEST_PROMPT, trim_whitespace=False)
    layout = serializers.ChoiceField(
        choices=ShotLayout.choices,
        default=str(ShotLayout.TURNS),
        help_text="Examples as earlier turns, or in one text with the question, at {examples}.",
    )
    labels = serializers.ChoiceField(
        choices=OptionLabels.choices,
        default=str(OptionLabels.LATIN),
        help_text="What names the options. `numbers` names up to nine options.",
    )
    option_line = serializers.CharField(
        max_length=100, default=OPTION_LINE, trim_whitespace=False, help_text="One option."
    )
    shot_frame = serializers.CharField(
        **_TEXT, help_text="How an example is asked, if not by `frame`. In one text with {answer}."
    )
    shot_seed = serializers.IntegerField(
        min_value=0,
        max_value=LARGEST_SEED,
        allow_null=True,
        default=None,
        help_text="Draws the examples of each subject at random. Null takes the first dev items.",
    )
    prefill = serializers.CharField(
        **_TEXT, help_text="The beginning of the answer, sent as the last turn of the model."
    )
    number_system = serializers.CharField(**_TEXT)
    number_frame = serializers.CharField(
        **_TEXT, help_text="For items that a number answers. Empty takes the built-in one."
    )
    translation_frame = serializers.CharField(
        **_TEXT,
        help_text="For items that ask for a translation, with {question}, {source_language} and "
        "{target_language}. Empty takes the built-in one.",
    )

    def template(self) -> Template:
        names = {field.name for field in fields(Template)}
        return Template(**{name: self.validated_data[name] for name in names})


class NewPromptInput(TemplateInput):
    name = serializers.CharField(max_length=100)


class PromptRevisionInput(TemplateInput):
    revision = serializers.IntegerField(
        min_value=1, max_value=32767, help_text="The one that you edited."
    )


class PromptSerializer(serializers.Serializer[PromptTemplate]):
    """A prompt; names in braces stand for parts of the item."""

    name = serializers.CharField(help_text="What `POST projects/{slug}/runs/` takes as `prompt`.")
    revision = serializers.IntegerField()
    style = serializers.ChoiceField(choices=PromptStyle.choices)  # type: ignore[assignment]
    language = serializers.CharField()
    system = serializers.CharField()
    frame = serializers.CharField()
    layout = serializers.ChoiceField(choices=ShotLayout.choices)
    labels = serializers.ChoiceField(choices=OptionLabels.choices)
    option_line = serializers.CharField()
    shot_frame = serializers.CharField()
    shot_seed = serializers.IntegerField(allow_null=True)
    prefill = serializers.CharField()
    number_system = serializers.CharField()
    number_frame = serializers.CharField()
    translation_frame = serializers.CharField()
    created_at = serializers.SerializerMethodField(
        help_text="Null for a built-in prompt that is not used yet."
    )

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_created_at(self, prompt: PromptTemplate) -> datetime | None:
        return prompt.created_at if prompt.pk else None


class PromptListView(APIView):
    @extend_schema(responses={200: PromptSerializer(many=True), **READ_REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """The prompts that a run can take: the project's and the built-in ones."""
        project = project_for(caller(request), slug, VIEW)
        prompts: Any = known_prompts(project, now=timezone.now())
        return Response(PromptSerializer(prompts, many=True).data)

    @extend_schema(request=NewPromptInput, responses={201: PromptSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Add a prompt."""
        user = caller(request)
        project = project_for(user, slug, CHANGE)
        data = NewPromptInput(data=request.data)
        data.is_valid(raise_exception=True)
        prompt = create_prompt(
            project=project, name=data.validated_data["name"], template=data.template(),
            actor=user, now=timezone.now(),
        )  # fmt: skip
        return Response(PromptSerializer(prompt).data, status=status.HTTP_201_CREATED)


class PromptView(generics.GenericAPIView[PromptTemplate]):
    """The revisions of one prompt."""

    pagination_class = NumberedPagination
    serializer_class = PromptSerializer

    @extend_schema(
        operation_id="projects_prompt_revisions",
        responses={200: PromptSerializer(many=True), **LIST_REFUSALS},
    )
    def get(self, request: Request, slug: str, name: str) -> Response:
        """Return the revisions of a prompt, the latest first."""
        latest = prompt_for(caller(request), slug, name, VIEW, now=timezone.now())
        page: Any = self.paginate_queryset(list(revisions_of(latest.project, name)) or [latest])
        return self.get_paginated_response(PromptSerializer(page, many=True).data)

    @extend_schema(request=PromptRevisionInput, responses={201: PromptSerializer, **REFUSALS})
    def put(self, request: Request, slug: str, name: str) -> Response:
        """Add a revision of a prompt. Runs keep the revision that they used."""
        user, now = caller(request), timezone.now()
        prompt = prompt_for(user, slug, name, CHANGE, now=now)
        data = PromptRevisionInput(data=request.data)
        data.is_valid(raise_exception=True)
        revised = revise_prompt(
            prompt=prompt, revision=data.validated_data["revision"], template=data.template(),
            actor=user, now=now,
        )  # fmt: skip
        return Response(PromptSerializer(revised).data, status=status.HTTP_201_CREATED)
