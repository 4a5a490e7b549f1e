"""Permissions on prompts."""

import rules

from projects.rules import is_manager, is_member

rules.add_perm("prompts.view_prompts", is_member)
rules.add_perm("prompts.change_prompts", is_manager)
