"""What narrows a list or its file; names and values that are not known are refused, not ignored."""

from collections.abc import Collection, Iterable

from django.forms import BaseForm
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from common.errors import DomainError


class FilterRefused(DomainError):
    code = "filter_refused"
    detail = gettext_lazy("This link has a filter that is not valid, so there is no file.")
    status = 400


class ListRefused(FilterRefused):
    code = "list_refused"
    detail = gettext_lazy("This link has a filter that is not known. Correct it in the address.")
    way_on = "?clear", gettext_lazy("Show all")


class FilterUnknown(DomainError):
    code = "filter_unknown"
    detail = gettext_lazy(
        "There is no %(name)s “%(value)s” to filter by. Choose one of: %(known)s."
    )
    status = 400
    way_on = ListRefused.way_on


def known_value(name: str, value: str, known: Collection[str]) -> str:
    """Return the value of the filter `name`: empty, or one that is known. Raises FilterUnknown."""
    if value and value not in known:
        raise FilterUnknown(name=name, value=value, known=", ".join(filter(None, known)))
    return value


def refuse_unknown_filters(query: Iterable[str], known: Collection[str] = ()) -> None:
    """Raise FilterRefused if `query` has a name not in `known`: the file would hold everything."""
    if unknown := sorted(set(query) - set(known)):
        choose = _("Choose from: %s.") % ", ".join(sorted(known)) if known else ""
        words = {name: _("Unknown filter: %(name)s.") % {"name": name} for name in unknown}
        raise FilterRefused(fields={name: [f"{text} {choose}"] for name, text in words.items()})


def refuse_unknown_names(query: Iterable[str], known: Collection[str] = ()) -> None:
    """Raise ListRefused if the address of a list has a name that the list does not know.

    `known` are its filters, which the refusal names. Every list takes a page (`cursor`) and the wish
    to begin anew (`clear`) too.
    """
    try:
        refuse_unknown_filters(set(query) - {"cursor", "clear"}, known)
    except FilterRefused as error:
        raise ListRefused(fields=error.fields) from error


def refuse_filter_faults(form: BaseForm) -> None:
    """Raise FilterRefused if the filter of a file has an unknown name or a value that is not valid."""
    refuse_unknown_filters(form.data, form.fields)
    if not form.is_valid():
        faults = {
            name: [f"{form.fields[name].label or name}: {text}" for text in texts]
            for name, texts in form.errors.items()
        }
        raise FilterRefused(fields=faults)
