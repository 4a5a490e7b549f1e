"""Who may say where a project's events go."""

import rules

from projects.rules import is_manager

rules.add_perm("webhooks.change_webhooks", is_manager)
