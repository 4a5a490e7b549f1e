"""What somebody typed into a form after their sign-in had run out, kept until they are back.

The text travels in the sign-in page as a signed hidden field and then rests in the new session
until it is sent again or discarded. Passwords, files and CSRF tokens never travel.
"""

from dataclasses import dataclass

from django.core import signing
from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme

LIMIT_BYTES = 200_000
MAX_AGE_SECONDS = 3600
SESSION_KEY = "kept_form"
SALT = "accounts.kept_form"
SECRET_WORDS = ("password", "secret", "csrfmiddlewaretoken")


@dataclass(frozen=True, slots=True)
class KeptForm:
    """A form as it was posted: where to, from which page, and its text fields in order."""

    path: str
    page: str
    fields: tuple[tuple[str, str], ...]
    has_files: bool

    @property
    def texts(self) -> list[tuple[str, str]]:
        """The fields that hold something a person can have typed."""
        return [(name, value) for name, value in self.fields if value.strip()]


def keep(request: HttpRequest) -> KeptForm | None:
    """Return what `request` posted, or None if it is more than is kept."""
    fields = tuple(
        (name, str(value))
        for name, values in request.POST.lists()
        for value in values
        if not any(word in name.lower() for word in SECRET_WORDS)
    )
    if sum(len(name.encode()) + len(value.encode()) for name, value in fields) > LIMIT_BYTES:
        return None
    return KeptForm(
        path=request.get_full_path(),
        page=_page_of(request),
        fields=fields,
        has_files=bool(request.FILES),
    )


def seal(form: KeptForm) -> str:
    """The form as text that only this site can have made."""
    return signing.dumps(_as_list(form), salt=SALT, compress=True)


def unseal(text: str) -> KeptForm | None:
    """The form in a sealed text; None if it was changed, is older than an hour or is empty."""
    try:
        return _from_list(signing.loads(text, salt=SALT, max_age=MAX_AGE_SECONDS))
    except signing.BadSignature:
        return None


def put_in_session(request: HttpRequest, form: KeptForm) -> None:
    request.session[SESSION_KEY] = seal(form)


def read_from_session(request: HttpRequest) -> KeptForm | None:
    return unseal(request.session.get(SESSION_KEY, ""))


def drop_from_session(request: HttpRequest) -> None:
    request.session.pop(SESSION_KEY, None)


def _page_of(request: HttpRequest) -> str:
    """The page that the form stood on, if the browser says one of ours."""
    referer = request.headers.get("Referer", "")
    is_ours = url_has_allowed_host_and_scheme(
        referer, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return referer if is_ours else ""


def _as_list(form: KeptForm) -> list[object]:
    return [form.path, form.page, form.fields, form.has_files]


def _from_list(values: list[object]) -> KeptForm:
    path, page, fields, has_files = values
    pairs = tuple((str(name), str(value)) for name, value in fields)  # type: ignore[attr-defined]
    return KeptForm(path=str(path), page=str(page), fields=pairs, has_files=bool(has_files))
