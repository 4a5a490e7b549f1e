"""The names of the tables of comparisons, for people."""

from django.utils.translation import gettext as _

from evaluation.comparisons.queries import OWN
from evaluation.results.labels import METHODS


def table_label(name: str) -> str:
    """The name of a table of a comparison, in the user's language."""
    return {
        "runs": _("Runs"),
        "pairs": _("Pairs of runs"),
        "subjects": _("Net wins by subject"),
        "by-subject": _("By subject"),
        "categories": _("By category"),
        "dimensions": _("By dimension"),
        "levels": _("By level"),
        "years": _("By year"),
        "kinds": _("By kind of item"),
        "origins": _("By origin"),
        "prompts": _("Sensitivity to the prompt"),
        "openness": _("Open against hidden"),
        "tlue-1": _("TLUE: three measures by category, two methods"),
        "tmlu-main": _("TMLU: accuracy by category"),
        "tmlu-cot": _("TMLU: chain of thought by category"),
        "mm-eval-1": _("MM-Eval: accuracy by dimension and subject"),
        "laobench-main": _("LaoBench: people and models by category"),
        "parameters": _("Decoding parameters"),
        "sizes": _("Size of the release"),
        "rotations": _("Order of options"),
        "scale": _("By size of the model"),
        "base-chat": _("Base against chat"),
        "reasoning": _("Direct against chain of thought"),
        "shots": _("By number of shots"),
        "releases": _("Between releases"),
        "languages": _("Between languages"),
        "translations": _("Translations: BLEU and chrF++"),
        "translation-pairs": _("Translations: pairs of runs"),
    }[name]


def method_text(name: str) -> str:
    """What a method is called in tables, in the user's language."""
    return _("each by its own method") if name == OWN else str(METHODS[name].short)


def measure_label(name: str) -> str:
    """What a measure is called, in the user's language."""
    return {
        "response_rate": _("Response rate (%)"),
        "accuracy": _("Accuracy (%)"),
        "conditional_accuracy": _("Conditional accuracy (%)"),
    }[name]
