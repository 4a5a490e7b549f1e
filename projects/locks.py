"""The order in which actions lock rows, and the lock that comes first.

Two transactions that lock the same rows in another order wait for each other until the database
ends one of them. So whoever locks more than one of these locks them from the top:

1. the job
2. the project
3. the panels, by id; the item, of an action outside of a round
4. the seats, by id
5. what a dispute waits for
6. the round

All of them are locked with `no_key`: a lock on the whole row would also stop everybody who only
adds a row that points to it, which the database checks when their transaction ends. SQLite has one
writer at a time and no locks of rows.
"""

from projects.models import Project


def lock_project(project_id: int) -> Project:
    """Let nobody else who locks the project go on until the caller's transaction ends.

    Returns the row as it is now.
    """
    project: Project = Project.objects.select_for_update(no_key=True).get(pk=project_id)
    return project
