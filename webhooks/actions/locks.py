"""The lock on a webhook, which comes before those on its deliveries."""

from django.utils.translation import gettext_lazy as _

from common.errors import DomainError
from webhooks.models import Webhook


class WebhookGone(DomainError):
    code = "webhook_gone"
    detail = _("Somebody removed this webhook in the meantime. Add it again if you need it.")


def lock_webhook(pk: int, *, for_removal: bool = False) -> Webhook:
    """The webhook as it is now, locked until the caller's transaction ends.

    `for_removal` also stops workers that add deliveries. Raises WebhookGone.
    """
    rows = Webhook.objects.select_for_update(no_key=not for_removal)
    found: Webhook | None = rows.filter(pk=pk).first()
    if found is None:
        raise WebhookGone
    return found
