"""Every write of arenas."""
