"""Who may define endpoints and models: administrators those of the server, managers their project's own."""

import rules

from accounts.rules import is_administrator
from projects.rules import is_manager, is_member

rules.add_perm("endpoints.change_server_endpoints", is_administrator)
rules.add_perm("endpoints.change_endpoints", is_manager)
rules.add_perm("endpoints.view_models", is_member)
rules.add_perm("endpoints.change_models", is_manager)
rules.add_perm("endpoints.test_models", is_manager)
