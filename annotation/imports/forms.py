"""The form about a file to import."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.files import File
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.importers.formats import FORMATS

FORMAT_CHOICES = [("", _("Detect from the content")), *((name, name) for name in FORMATS)]


def check_size(file: "File[bytes]") -> None:
    """Raise ValidationError for a file over the limit of `IMPORT_LIMITS`."""
    limit = settings.IMPORT_LIMITS["file_bytes"]
    if (file.size or 0) > limit:
        words = gettext("The file is larger than %(limit)s bytes. Split it and import the parts.")
        raise forms.ValidationError(words % {"limit": limit}, code="file_too_large")


class ImportForm(forms.Form):
    file = forms.FileField(
        label=_("File"),
        max_length=255,
        validators=[check_size],
        help_text=_("A CSV, JSONL, JSON, XLSX or Parquet file, or a ZIP archive of such files."),
    )
    format = forms.ChoiceField(
        label=_("Format"),
        required=False,
        choices=FORMAT_CHOICES,
        help_text=_("Choose one if the file’s content does not show its format."),
    )
    keys = forms.FileField(
        label=_("File with the keys"),
        required=False,
        max_length=255,
        validators=[check_size],
        help_text=_("Only for formats with a separate file of keys, such as safetybench."),
    )
    system = forms.CharField(
        label=_("Translation system"),
        required=False,
        max_length=100,
        help_text=_("Who or what translated the texts, if the rows do not say so."),
    )
    licence = forms.CharField(
        label=_("Licence"),
        required=False,
        max_length=100,
        help_text=_(
            "The licence of these items or translations, such as CC BY-NC-SA 4.0. Releases print it."
        ),
    )
    attribution = forms.CharField(
        label=_("Attribution"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("The names and words that the licence asks for."),
    )
    source_version = forms.CharField(
        label=_("Version"),
        required=False,
        max_length=100,
        help_text=_("The version or commit of the published files; a checksum if left empty."),
    )
    source_url = forms.URLField(
        label=_("Address"),
        required=False,
        max_length=500,
        assume_scheme="https",
        help_text=_("Where the files were published."),
    )
    dry_run = forms.BooleanField(
        label=_("Dry run"),
        required=False,
        help_text=_("Read and check the file without importing anything."),
    )
    skip_refused = forms.BooleanField(
        label=_("Skip refused rows"),
        required=False,
        help_text=_(
            "Import the good rows even if others are refused. Otherwise one refused row means that "
            "nothing is imported."
        ),
    )

    def clean_system(self) -> str:
        system: Any = self.cleaned_data["system"]
        return str(system).strip()
