"""The form that makes items of sentences."""

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.making.actions import MOST_CHARACTERS, MOST_LINES, MakingSettings
from annotation.making.cloze import WAY as CLOZE
from annotation.making.distractors import WAY as DISTRACTORS
from annotation.making.word_order import WAY as WORD_ORDER


class MakingForm(forms.Form):
    """Sentences, the way and the seed; the page and the API read it alike."""

    way = forms.ChoiceField(
        label=gettext_lazy("What to make"),
        choices=[
            (WORD_ORDER, gettext_lazy("word order: the right sentence beside three shuffles")),
            (CLOZE, gettext_lazy("cloze: a word of the sentence becomes a gap")),
            (
                DISTRACTORS,
                gettext_lazy("distractors: a pair as JSON, beside its proposed wrong answers"),
            ),
        ],
        widget=forms.RadioSelect,
        initial=WORD_ORDER,
    )
    question = forms.CharField(
        label=gettext_lazy("Question"),
        required=False,
        max_length=500,
        help_text=gettext_lazy("What each item asks; of a cloze, with “%s” for the sentence."),
    )
    sentences = forms.CharField(
        label=gettext_lazy("Sentences"),
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false"}),
        help_text=gettext_lazy("One on each line, at most 1,000. The command takes longer files."),
    )
    vocabulary = forms.CharField(
        label=gettext_lazy("Vocabulary"),
        required=False,
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        help_text=gettext_lazy("Of a cloze: CSV with the columns word and part_of_speech."),
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        min_value=0,
        max_value=2**31 - 1,
        initial=0,
        help_text=gettext_lazy("The same sentences with the same seed make the same items."),
    )

    def clean_sentences(self) -> str:
        sentences: str = self.cleaned_data["sentences"]
        if len(sentences.splitlines()) > MOST_LINES:
            raise ValidationError(_("Enter at most 1,000 lines, or use the command."))
        return sentences

    def settings(self) -> MakingSettings:
        return MakingSettings(**self.cleaned_data)
