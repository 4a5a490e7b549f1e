"""What a manager says about a file that is to be imported."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.files import File
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.importers import FORMATS

FORMAT_CHOICES = [("", _("found by content")), *((name, name) for name in FORMATS)]


def check_size(file: "File[bytes]") -> None:
    """Raise ValidationError for a file over the limit of `IMPORT_LIMITS`."""
    limit = settings.IMPORT_LIMITS["file_bytes"]
    if (file.size or 0) > limit:
        words = gettext("The file is larger than the limit of %(limit)s bytes.")
        raise forms.ValidationError(words % {"limit": limit}, code="file_too_large")


class ImportForm(forms.Form):
    file = forms.FileField(
        label=_("File"),
        max_length=255,
        validators=[check_size],
        help_text=_("CSV, JSONL, JSON, XLSX, Parquet, or a folder of those as a ZIP archive."),
    )
    format = forms.ChoiceField(
        label=_("Format"),
        required=False,
        choices=FORMAT_CHOICES,
        help_text=_("Name it where the content alone does not show it."),
    )
    keys = forms.FileField(
        label=_("File with the keys"),
        required=False,
        max_length=255,
        validators=[check_size],
        help_text=_("For formats that keep the keys apart, such as safetybench."),
    )
    system = forms.CharField(
        label=_("Translation system"),
        required=False,
        max_length=100,
        help_text=_("Who or what translated, where the rows don't say it."),
    )
    licence = forms.CharField(
        label=_("Licence of the source"),
        required=False,
        max_length=100,
        help_text=_("Such as CC BY-NC-SA 4.0; it is printed on every release."),
    )
    attribution = forms.CharField(
        label=_("Attribution"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("The words that the licence asks for."),
    )
    dry_run = forms.BooleanField(
        label=_("Dry run"),
        required=False,
        help_text=_("Read and check everything, write nothing."),
    )
    skip_refused = forms.BooleanField(
        label=_("Skip refused rows"),
        required=False,
        help_text=_("Import the good rows although others are refused. Otherwise all or nothing."),
    )

    def clean_system(self) -> str:
        system: Any = self.cleaned_data["system"]
        return str(system).strip()
