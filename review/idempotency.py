"""What is refused where a key of idempotency comes a second time."""

from django.utils.translation import gettext_lazy as _

from common.errors import DomainError


class IdempotencyKeyReused(DomainError):
    code = "idempotency_key_reused"
    detail = _(
        "This idempotency key was used for another judgement. Use a new key for each judgement."
    )
