"""Permissions on items, findings and duplicates, by role in the project."""

import rules

from projects.rules import (
    can_lead,
    can_read_items,
    is_manager,
    leads_with_keys,
    works_on_texts,
)

rules.add_perm("annotation.import_items", is_manager)
rules.add_perm("annotation.view_items", can_read_items)
rules.add_perm("annotation.change_item", is_manager)
rules.add_perm("annotation.share_filter", is_manager)
rules.add_perm("annotation.correct_key", leads_with_keys)
rules.add_perm("annotation.edit_text", leads_with_keys)
rules.add_perm("annotation.view_findings", can_read_items)
rules.add_perm("annotation.dismiss_finding", leads_with_keys)
rules.add_perm("annotation.view_duplicates", leads_with_keys)
rules.add_perm("annotation.search_duplicates", is_manager)
rules.add_perm("annotation.decide_duplicate", leads_with_keys)
rules.add_perm("annotation.view_glossary", works_on_texts)
rules.add_perm("annotation.propose_term", works_on_texts)
rules.add_perm("annotation.change_glossary", can_lead)
rules.add_perm("annotation.view_translation_jobs", leads_with_keys)
rules.add_perm("annotation.translate_items", is_manager)
rules.add_perm("annotation.allow_hidden_items", is_manager)
rules.add_perm("annotation.view_making_jobs", leads_with_keys)
rules.add_perm("annotation.make_items", is_manager)
rules.add_perm("annotation.view_screenings", leads_with_keys)
rules.add_perm("annotation.screen_items", is_manager)
