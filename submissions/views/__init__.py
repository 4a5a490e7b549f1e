"""Pages of outsiders, and of managers."""
