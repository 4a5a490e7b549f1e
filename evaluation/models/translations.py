"""What BLEU and chrF++ add up of the answers to items that ask for a translation."""

from django.db import models

from evaluation.models.runs import ModelResponse, Run


class TranslationScore(models.Model):
    """One response beside its reference, as one version of the method counted it.

    `counts` are those of `scoring.overlap.text_counts`; they say nothing of right or wrong. BLEU saw
    the tokens of `segmenter`, which is that of the target language of `direction`.
    """

    response = models.ForeignKey(
        ModelResponse, on_delete=models.PROTECT, related_name="translation_scores", db_index=False
    )
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="translation_scores")
    version = models.PositiveSmallIntegerField()
    direction = models.CharField(max_length=80)
    segmenter = models.CharField(max_length=40)
    counts = models.JSONField()
    is_empty = models.BooleanField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["response", "version"], name="translationscore_once"),
        ]

    def __str__(self) -> str:
        return f"{self.direction}: {self.response}"
