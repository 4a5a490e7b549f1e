"""Who may define endpoints: administrators those of the server, managers their project's own."""

import rules

from accounts.rules import is_administrator
from projects.rules import is_manager

rules.add_perm("endpoints.change_server_endpoints", is_administrator)
rules.add_perm("endpoints.change_endpoints", is_manager)
