"""The two pages that span every app: a person's home and the overview of a project."""
