"""The plain engines by the name of their provider."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from endpoints.providers.translation.base import Engine
from endpoints.providers.translation.deepl import DeepL
from endpoints.providers.translation.google import GoogleAdvanced, GoogleBasic
from endpoints.providers.translation.http_template import HttpTemplate
from endpoints.providers.translation.libretranslate import LibreTranslate
from endpoints.providers.translation.microsoft import Microsoft
from endpoints.providers.translation.niutrans import NiuTrans

ENGINES: Final[Mapping[str, Engine]] = MappingProxyType(
    {
        "google_v2": GoogleBasic(),
        "google_v3": GoogleAdvanced(),
        "deepl": DeepL(),
        "microsoft": Microsoft(),
        "libretranslate": LibreTranslate(),
        "niutrans": NiuTrans(),
        "http_template": HttpTemplate(),
    }
)
