"""The API of a member's pay."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.views import caller
from common.api import REFUSALS, StrictSerializer
from common.months import parse_month
from projects.actions.pay import set_pay_rate, set_pay_rate_for_all_without
from projects.api.views import valid
from projects.models import Membership, PayRate
from projects.queries import members_of, pay_rates_of
from projects.selectors import project_for


class PayRateInput(StrictSerializer):
    hourly = serializers.DecimalField(max_digits=12, decimal_places=2, min_value=0)
    currency = serializers.CharField(max_length=3, help_text="ISO 4217, such as `EUR`")
    month = serializers.CharField(max_length=7, help_text="from this month on, such as `2026-11`")
    for_others = serializers.BooleanField(
        default=False,
        help_text="also for all other reviewers and seniors who have no rate in that month",
    )

    def validate_month(self, text: str) -> Any:
        try:
            return parse_month(text)
        except ValueError as error:
            raise serializers.ValidationError(_("Write a month such as 2026-11.")) from error


class PayRateSerializer(serializers.Serializer[PayRate]):
    month = serializers.DateField(source="from_month", format="%Y-%m")
    hourly = serializers.DecimalField(max_digits=12, decimal_places=2)
    currency = serializers.CharField()
    set_at = serializers.DateTimeField()


class PayRateListView(APIView):
    @extend_schema(responses={200: PayRateSerializer(many=True), **REFUSALS})
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The rates that were set for a member, the one that counts last first."""
        rates: Any = pay_rates_of(_member(request, slug, pk))
        return Response(PayRateSerializer(rates, many=True).data)

    @extend_schema(request=PayRateInput, responses={201: PayRateSerializer, **REFUSALS})
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Set the rate from a month on; closed statements stay as they are."""
        membership = _member(request, slug, pk)
        data = valid(PayRateInput(data=request.data))
        for_others = data.pop("for_others")
        told = {"membership": membership, "actor": caller(request), "now": timezone.now(), **data}
        rates = set_pay_rate_for_all_without(**told) if for_others else [set_pay_rate(**told)]
        return Response(PayRateSerializer(rates[0]).data, status=status.HTTP_201_CREATED)


def _member(request: Request, slug: str, pk: int) -> Membership:
    project = project_for(caller(request), slug, "projects.change_pay")
    found: Membership = get_object_or_404(members_of(project), pk=pk)
    return found
