"""The API of what invitations say of the work."""

from dataclasses import asdict, replace

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, StrictSerializer
from projects.actions.offers import OfferContent, change_offer, offer_of
from projects.api.views import valid
from projects.enums import PayUnit
from projects.selectors import project_for


class OfferSerializer(StrictSerializer):
    """What is left out of a change stays as it is."""

    about = serializers.CharField(required=False, allow_blank=True, max_length=2000)
    language = serializers.ChoiceField(
        required=False,
        allow_blank=True,
        choices=settings.LANGUAGES,
        help_text="of `about`, and of the e-mail to people who have chosen no language yet",
    )
    items = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=10**6, help_text="for one person"
    )
    minutes = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=600, help_text="for one item"
    )
    pay = serializers.DecimalField(
        required=False, allow_null=True, max_digits=12, decimal_places=2, min_value=0
    )
    currency = serializers.CharField(
        required=False, allow_blank=True, max_length=3, help_text="ISO 4217, such as `EUR`"
    )
    unit = serializers.ChoiceField(required=False, choices=PayUnit.choices)


class OfferView(APIView):
    @extend_schema(responses={200: OfferSerializer, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """What invitations to the project say of the work."""
        project = project_for(caller(request), slug, "projects.change_members")
        return Response(OfferSerializer(asdict(offer_of(project))).data)

    @extend_schema(request=OfferSerializer, responses={200: OfferSerializer, **REFUSALS})
    def patch(self, request: Request, slug: str) -> Response:
        """Change what the next invitations say."""
        user = caller(request)
        project = project_for(user, slug, "projects.change_members")
        said = valid(OfferSerializer(data=request.data))
        content: OfferContent = replace(offer_of(project), **said)
        change_offer(project=project, content=content, actor=user, now=timezone.now())
        return Response(OfferSerializer(asdict(offer_of(project))).data)
