"""Styles, purposes and forms of prompts."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class PromptStyle(TextChoices):
    DIRECT = "direct", _("direct answer")
    CHAIN_OF_THOUGHT = "chain-of-thought", _("chain of thought")


class PromptPurpose(TextChoices):
    """What a prompt has a model do with an item."""

    ASK = "ask", _("answer")
    TRANSLATE = "translate", _("translate")
    SCREEN = "screen", _("screen")
    MAKE = "make", _("make items")
    ELSEWHERE = "elsewhere", _("asked by another program")


class ShotLayout(TextChoices):
    """Where examples stand."""

    TURNS = "turns", _("earlier turns of the conversation")
    TEXT = "text", _("one text with the question")


class OptionLabels(TextChoices):
    LATIN = "latin", _("A, B, C, D")
    SCRIPT = "script", _("letters of the language")
    NUMBERS = "numbers", _("1, 2, 3, 4")
