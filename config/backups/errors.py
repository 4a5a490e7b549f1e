"""Why a backup cannot be taken or restored."""

from django.utils.translation import gettext_lazy as _

from common.errors import DomainError


class BackupDamaged(DomainError):
    code = "backup_damaged"
    detail = _(
        "%(file)s is damaged or is not a backup of Lotsawa: %(problem)s. Nothing was changed. "
        "Restore another backup."
    )


class BackupOfOtherDatabase(DomainError):
    code = "backup_of_other_database"
    detail = _(
        "This backup contains a %(kind)s database, but this installation uses %(here)s. Set "
        "LOTSAWA_DATABASE_URL to a %(kind)s database and restore again. Nothing was changed."
    )


class BackupTooNew(DomainError):
    code = "backup_too_new"
    detail = _(
        "This backup was made by a newer version of Lotsawa (%(version)s); this version does not "
        "know its migration %(migration)s. Update Lotsawa, then restore. Nothing was changed."
    )


class BackupTooOld(DomainError):
    code = "backup_too_old"
    detail = _(
        "This backup was made by Lotsawa %(version)s, and its database is older than that of "
        "%(oldest)s. Restore it with version %(oldest)s, which updates the database, make a backup "
        "there, and restore that one. Nothing was changed."
    )


class RestoreTargetNotEmpty(DomainError):
    code = "restore_target_not_empty"
    detail = _(
        "This installation is not empty: %(what)s. To replace everything in it with the backup, "
        "add --replace."
    )


class DatabaseProgramMissing(DomainError):
    code = "database_program_missing"
    detail = _(
        "The program %(program)s is not installed. Install the PostgreSQL client programs of at "
        "least the server's version (on Debian: apt-get install postgresql-client)."
    )


class DatabaseProgramFailed(DomainError):
    code = "database_program_failed"
    detail = _("The database could not be read or written (%(program)s): %(problem)s")
