"""The tables that a comparison can be asked for, by name."""

from dataclasses import replace

from django.utils.translation import gettext as _

from common.figure_tables import Table
from evaluation.comparisons.papers import (
    laobench_table,
    mm_eval_table,
    parameters_table,
    reasoning_by_category,
    sizes_table,
    tlue_table,
    tmlu_table,
)
from evaluation.comparisons.queries import Comparison
from evaluation.comparisons.tables import (
    SETTINGS,
    Maker,
    base_table,
    by_fact,
    by_setting,
    openness_table,
    pairs_table,
    prompts_table,
    rotations_table,
    runs_table,
    scale_table,
    subjects_table,
    unfinished_note,
)
from evaluation.comparisons.translations import translation_pairs_table, translations_table
from prompts.enums import PromptStyle

TABLES: dict[str, Maker] = {
    "runs": runs_table,
    "pairs": pairs_table,
    "subjects": subjects_table,
    "by-subject": by_fact("by-subject", lambda: _("Subject"), lambda facts: facts.subject_name),
    "categories": by_fact("categories", lambda: _("Category"), lambda facts: facts.category),
    "dimensions": by_fact("dimensions", lambda: _("Dimension"), lambda facts: facts.dimension),
    "levels": by_fact("levels", lambda: _("Level"), lambda facts: facts.level),
    "years": by_fact("years", lambda: _("Year"), lambda facts: facts.year),
    "kinds": by_fact("kinds", lambda: _("Kind of item"), lambda facts: facts.kind),
    "origins": by_fact("origins", lambda: _("Origin"), lambda facts: facts.origin),
    "prompts": prompts_table,
    "openness": openness_table,
    "rotations": rotations_table,
    "scale": scale_table,
    "base-chat": base_table,
    "reasoning": by_setting(
        "reasoning",
        lambda: _("Chain of thought against direct answers"),
        lambda run: run.prompt_template.style == PromptStyle.CHAIN_OF_THOUGHT,
        ("release", "shots"),
    ),
    "shots": by_setting(
        "shots", lambda: _("More shots against fewer"), SETTINGS["shots"], ("release", "prompt")
    ),
    "releases": by_setting(
        "releases",
        lambda: _("The same questions in different releases"),
        SETTINGS["release"],
        ("prompt", "shots"),
    ),
    "languages": by_setting(
        "languages",
        lambda: _("The same items in different languages"),
        lambda run: run.release.project_id,
        ("shots", "style"),
    ),
    "tlue-1": tlue_table,
    "tmlu-main": tmlu_table,
    "tmlu-cot": reasoning_by_category,
    "mm-eval-1": mm_eval_table,
    "laobench-main": laobench_table,
    "parameters": parameters_table,
    "sizes": sizes_table,
}
"""Name → what makes the table. The first is the one that people see first."""
TRANSLATION_TABLES: dict[str, Maker] = {
    "translations": translations_table,
    "translation-pairs": translation_pairs_table,
}
"""The same of runs that ask for translations, which are neither right nor wrong."""
ALL_TABLES: dict[str, Maker] = TABLES | TRANSLATION_TABLES


def with_unfinished(table: Table, found: Comparison) -> Table:
    """Warn in every format of a table of the runs that go on or have stopped."""
    return replace(table, warning=unfinished_note(found))
