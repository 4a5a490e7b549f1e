"""Every write to projects, their people and their sources, by topic."""

from projects.actions.bulk_invitations import (
    InvitedLine,
    NobodyListed,
    TooManyPeople,
    invite_members,
)
from projects.actions.language_tags import LanguageInvalid
from projects.actions.members import (
    AddedMember,
    AlreadyMember,
    LastManager,
    MemberGone,
    MessageTooLong,
    Removed,
    RoleUnknown,
    SubjectForeign,
    add_member,
    change_member,
    enrol_person,
    grant_role,
    pause_member,
    remove_member,
    renew_invitation,
    resume_member,
)
from projects.actions.projects import (
    ProjectInvalid,
    SlugTaken,
    change_project,
    create_project,
)
from projects.actions.sources import SourceInvalid, SourceTaken, change_source
from projects.actions.subjects import GroupingInvalid, SubjectsUnknown, group_subjects

__all__ = [
    "AddedMember",
    "AlreadyMember",
    "GroupingInvalid",
    "InvitedLine",
    "LanguageInvalid",
    "LastManager",
    "MemberGone",
    "MessageTooLong",
    "NobodyListed",
    "ProjectInvalid",
    "Removed",
    "RoleUnknown",
    "SlugTaken",
    "SourceInvalid",
    "SourceTaken",
    "SubjectForeign",
    "SubjectsUnknown",
    "TooManyPeople",
    "add_member",
    "change_member",
    "change_project",
    "change_source",
    "create_project",
    "enrol_person",
    "grant_role",
    "group_subjects",
    "invite_members",
    "pause_member",
    "remove_member",
    "renew_invitation",
    "resume_member",
]
