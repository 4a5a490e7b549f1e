"""The database backend of servers, which `ENGINE` in the settings names."""
