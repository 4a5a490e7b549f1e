"""How requests find a webhook: within a project that the person manages."""

from django.shortcuts import get_object_or_404

from accounts.models import User
from common.db import bounded_pk
from projects.selectors import project_for
from webhooks.models import Delivery, Webhook

CHANGE = "webhooks.change_webhooks"


def webhook_for(user: User, slug: str, pk: int) -> Webhook:
    """Raises Http404 to strangers and for what is not there, PermissionDenied to other members."""
    project = project_for(user, slug, CHANGE)
    rows = Webhook.objects.select_related("project")
    return get_object_or_404(rows, project=project, pk=bounded_pk(pk))


def delivery_for(user: User, slug: str, pk: int, delivery: int) -> Delivery:
    webhook = webhook_for(user, slug, pk)
    rows = Delivery.objects.select_related("webhook__project")
    return get_object_or_404(rows, webhook=webhook, pk=bounded_pk(delivery))
