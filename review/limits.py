"""How long a text and how slow a judgement may be."""

LONGEST_TEXT = 20_000
LONGEST_SECONDS = 24 * 3600
