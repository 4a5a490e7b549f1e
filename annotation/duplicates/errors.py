"""Errors of the search that the web process puts into words without loading what raises them."""

from django.utils.translation import gettext_lazy as _

from common.errors import DomainError


class EmbeddingModelMissing(DomainError):
    code = "embedding_model_missing"
    detail = _(
        "The embedding model “%(model)s” is not on this machine. Put its folder there, or set the "
        "model to “hashed-ngrams”, which needs none."
    )


class ReferenceRefused(DomainError):
    code = "reference_refused"
    detail = _("The reference texts cannot be read: %(reason)s.")
    status = 400
