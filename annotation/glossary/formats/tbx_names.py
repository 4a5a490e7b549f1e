"""The names of TBX, in both basic dialects.

ISO 30042:2019 writes a data category as the `type` of a general element (DCA: `<descrip
type="subjectField">`) or as an element of its own (DCT: `<min:subjectField>`). The TBX of 2008 is
DCA with other names for the levels of an entry.
"""

from collections.abc import Mapping
from typing import Final

NAMESPACE: Final = "urn:iso:std:iso:30042:ed-2"
MIN: Final = "http://www.tbxinfo.net/ns/min"
BASIC: Final = "http://www.tbxinfo.net/ns/basic"
LANG: Final = "{http://www.w3.org/XML/1998/namespace}lang"

STATUS_OF_KIND: Final[Mapping[str, str]] = {
    "preferred": "preferredTerm-admn-sts",
    "allowed": "admittedTerm-admn-sts",
    "forbidden": "deprecatedTerm-admn-sts",
}
KIND_OF_STATUS: Final[Mapping[str, str]] = {
    "preferredTerm": "preferred",
    "standardizedTerm": "preferred",
    "admittedTerm": "allowed",
    "legalTerm": "allowed",
    "regulatedTerm": "allowed",
    "deprecatedTerm": "forbidden",
    "supersededTerm": "forbidden",
}
ENTRIES: Final = ("conceptEntry", "termEntry")
LANGUAGES: Final = ("langSec", "langSet")
TERMS: Final = ("termSec", "tig", "ntig")
PART_OF_SPEECH: Final = "partOfSpeech"
DOMAIN: Final = "subjectField"
STATUS: Final = "administrativeStatus"
NOTE: Final = "note"
