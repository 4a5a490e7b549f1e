"""The API of glossaries: terms, files, the terms in an item, proposals and decisions."""

from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import generics, serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from annotation.enums import PartOfSpeech, ProposalState
from annotation.glossary.actions import (
    accept_proposal,
    change_term,
    create_term,
    decline_proposal,
    propose_term,
    remove_term,
)
from annotation.glossary.formats import FORMATS
from annotation.glossary.forms import ProposalFilterForm, TermFilterForm
from annotation.glossary.presenters import ShownEvent, shown_events
from annotation.glossary.queries import (
    filtered_terms,
    proposals_for,
    term_events,
    terms_to_download,
)
from annotation.glossary.selectors import item_named, proposal_of, term_of
from annotation.glossary.term_values import LONGEST_DOMAIN, LONGEST_NOTE, LONGEST_TERM, TermValues
from annotation.models import Term, TermProposal
from common.api import REFUSALS, IdField, StrictSerializer
from common.pagination import ApiPagination
from common.reasons import REASON_LENGTH
from projects.api.views import valid
from projects.selectors import project_for

VIEW = "annotation.view_glossary"
PROPOSE = "annotation.propose_term"
CHANGE = "annotation.change_glossary"
VIEW_ITEMS = "annotation.view_items"


class RenderingsField(serializers.ListField):
    def __init__(self, **kwargs: Any) -> None:
        child = serializers.CharField(max_length=LONGEST_TERM)
        super().__init__(child=child, default=list, max_length=50, **kwargs)


class TermInput(StrictSerializer):
    source = serializers.CharField(max_length=LONGEST_TERM)  # type: ignore[assignment]
    preferred = RenderingsField()
    allowed = RenderingsField()
    forbidden = RenderingsField()
    part_of_speech = serializers.ChoiceField(choices=["", *PartOfSpeech.values], default="")
    domain = serializers.CharField(max_length=LONGEST_DOMAIN, allow_blank=True, default="")
    note = serializers.CharField(max_length=LONGEST_NOTE, allow_blank=True, default="")


class TermChange(TermInput):
    """`seen` is the `changed_at` that the caller saw; the change is refused if there was another."""

    seen = serializers.DateTimeField(required=False)


class ProposalInput(TermInput):
    comment = serializers.CharField(max_length=REASON_LENGTH, allow_blank=True, default="")
    term = IdField(required=False)
    item = serializers.CharField(max_length=200, allow_blank=True, default="")


class TermDecisionInput(StrictSerializer):
    """`values` are what the proposal is accepted with; without them, what it says."""

    decision = serializers.ChoiceField(choices=["accept", "decline"])
    reason = serializers.CharField(max_length=REASON_LENGTH, allow_blank=True, default="")
    values = TermInput(required=False)


class RemovalInput(StrictSerializer):
    reason = serializers.CharField(max_length=REASON_LENGTH)


class TermSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    source = serializers.CharField()  # type: ignore[assignment]
    preferred = serializers.ListField(child=serializers.CharField())
    allowed = serializers.ListField(child=serializers.CharField())
    forbidden = serializers.ListField(child=serializers.CharField())
    part_of_speech = serializers.CharField()
    domain = serializers.CharField()
    note = serializers.CharField()


class StoredTermSerializer(TermSerializer):
    changed_at = serializers.DateTimeField()


class ProposalSerializer(TermSerializer):
    state = serializers.ChoiceField(choices=ProposalState.choices)
    comment = serializers.CharField()
    item = serializers.CharField(source="item.uid", default=None, allow_null=True)
    term = serializers.IntegerField(source="term_id", allow_null=True)
    created_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField()


class HitSerializer(serializers.Serializer[Any]):
    term = serializers.IntegerField(source="term.pk")
    source = serializers.CharField(source="term.source")  # type: ignore[assignment]
    preferred = serializers.ListField(child=serializers.CharField(), source="term.preferred")
    allowed = serializers.ListField(child=serializers.CharField(), source="term.allowed")
    forbidden = serializers.ListField(child=serializers.CharField(), source="term.forbidden")
    note = serializers.CharField(source="term.note")
    state = serializers.ChoiceField(choices=["used", "missing", "forbidden"])
    found = serializers.ListField(child=serializers.CharField())


class TermListView(generics.ListAPIView[Term]):
    """The terms of a glossary; seniors and managers add to it."""

    serializer_class = StoredTermSerializer
    pagination_class = ApiPagination
    queryset = Term.objects.none()

    def get_queryset(self) -> Any:
        project = project_for(caller(self.request), self.kwargs["slug"], VIEW)
        form = TermFilterForm(self.request.query_params, project=project)
        if not form.is_valid():
            raise ValidationError({n: [str(e) for e in found] for n, found in form.errors.items()})
        return filtered_terms(project, form.wanted())

    @extend_schema(
        parameters=[
            OpenApiParameter("q", OpenApiTypes.STR, description="Part of a term or a rendering."),
            OpenApiParameter("domain", OpenApiTypes.STR),
            OpenApiParameter("part_of_speech", OpenApiTypes.STR),
        ],
        responses={200: StoredTermSerializer(many=True), **REFUSALS},
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    @extend_schema(request=TermInput, responses={201: StoredTermSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Add a term."""
        user = caller(request)
        project = project_for(user, slug, CHANGE)
        values = _values(valid(TermInput(data=request.data)))
        term = create_term(project=project, values=values, actor=user, now=timezone.now())
        return Response(StoredTermSerializer(term).data, status=status.HTTP_201_CREATED)


class TermView(APIView):
    @extend_schema(responses={200: StoredTermSerializer, **REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """One term."""
        term = term_of(project_for(caller(request), slug, VIEW), pk)
        return Response(StoredTermSerializer(term).data)

    @extend_schema(request=TermChange, responses={200: StoredTermSerializer, **REFUSALS})
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Change a term."""
        user = caller(request)
        term = term_of(project_for(user, slug, CHANGE), pk)
        given = valid(TermChange(data=request.data))
        seen = given.pop("seen", None)
        term = change_term(
            term=term, values=_values(given), seen=seen, actor=user, now=timezone.now()
        )
        return Response(StoredTermSerializer(term).data)

    @extend_schema(request=RemovalInput, responses={204: None, **REFUSALS})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Remove a term, with a reason."""
        user = caller(request)
        term = term_of(project_for(user, slug, CHANGE), pk)
        reason = valid(RemovalInput(data=request.data))["reason"]
        remove_term(term=term, reason=reason, actor=user, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class TermChangeSerializer(serializers.Serializer[Any]):
    field = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()


class TermEventSerializer(serializers.Serializer[ShownEvent]):
    """Something that happened to a term."""

    what = serializers.CharField(source="words")
    author = serializers.CharField(help_text="Empty for those who may not know names.")
    at = serializers.DateTimeField()
    changes = serializers.SerializerMethodField()

    @extend_schema_field(TermChangeSerializer(many=True))
    def get_changes(self, event: ShownEvent) -> list[dict[str, str]]:
        names = ("field", "before", "after")
        return [dict(zip(names, change, strict=True)) for change in event.changes]


class TermHistoryView(APIView):
    @extend_schema(
        operation_id="projects_terms_history",
        responses={200: TermEventSerializer(many=True), **REFUSALS},
    )
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The history of a term, newest first."""
        user = caller(request)
        project = project_for(user, slug, VIEW)
        can_change = user.has_perm(CHANGE, project)
        events: Any = shown_events(term_events(term_of(project, pk)), shows_authors=can_change)
        return Response(TermEventSerializer(events, many=True).data)


class TermFileView(APIView):
    @extend_schema(
        responses={200: {"type": "object", "properties": {"text": {"type": "string"}}}, **REFUSALS}
    )
    def get(self, request: Request, slug: str, extension: str) -> Response:
        """The whole glossary as the text of a CSV, TBX (DCA) or DCT file."""
        project = project_for(caller(request), slug, VIEW)
        if extension not in FORMATS:
            raise ValidationError({"extension": [", ".join(FORMATS)]})
        return Response({"text": "".join(terms_to_download(project, extension))})


class ProposalListView(generics.ListAPIView[TermProposal]):
    """One's own proposals; those who decide see everybody's."""

    serializer_class = ProposalSerializer
    pagination_class = ApiPagination
    queryset = TermProposal.objects.none()

    def get_queryset(self) -> Any:
        user = caller(self.request)
        project = project_for(user, self.kwargs["slug"], VIEW)
        form = ProposalFilterForm(self.request.query_params)
        if not form.is_valid():
            raise ValidationError({n: [str(e) for e in found] for n, found in form.errors.items()})
        return proposals_for(project, user, form.cleaned_data["state"])

    @extend_schema(
        parameters=[OpenApiParameter("state", OpenApiTypes.STR)],
        responses={200: ProposalSerializer(many=True), **REFUSALS},
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)

    @extend_schema(request=ProposalInput, responses={201: ProposalSerializer, **REFUSALS})
    def post(self, request: Request, slug: str) -> Response:
        """Propose a term."""
        user = caller(request)
        project = project_for(user, slug, PROPOSE)
        given = valid(ProposalInput(data=request.data))
        comment, term, uid = given.pop("comment"), given.pop("term", None), given.pop("item")
        proposal = propose_term(
            project=project,
            values=_values(given),
            comment=comment,
            term=term_of(project, term) if term else None,
            item=item_named(project, uid),
            actor=user,
            now=timezone.now(),
        )
        return Response(ProposalSerializer(proposal).data, status=status.HTTP_201_CREATED)


class DecisionView(APIView):
    @extend_schema(request=TermDecisionInput, responses={200: ProposalSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Accept a proposal, as it is or changed, or decline it with a reason."""
        user = caller(request)
        proposal = proposal_of(project_for(user, slug, CHANGE), user, pk)
        given = valid(TermDecisionInput(data=request.data))
        decided: dict[str, Any] = {"proposal": proposal, "reason": given["reason"]}
        decided |= {"actor": user, "now": timezone.now()}
        if given["decision"] == "decline":
            decline_proposal(**decided)
        else:
            values = _values(given["values"]) if given.get("values") else None
            accept_proposal(**decided, values=values)
        return Response(ProposalSerializer(proposal).data)


def _values(given: dict[str, Any]) -> TermValues:
    lists = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    return TermValues(**given | lists)
