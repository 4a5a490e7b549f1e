"""Static files on a server: hashed names down to the last imported module, so that all may be kept for ever."""

import re
from collections.abc import Iterable, Iterator

from whitenoise.storage import CompressedManifestStaticFilesStorage

HASHED = re.compile(r"\.[0-9a-f]{12}\.\w+$")
# The maps of foreign scripts are for developer tools, and no page of ours uses Redoc.
UNREAD = re.compile(r"\.map$|/redoc/")


class HashedStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Also rewrites the imports of our modules, so that no new page runs with an old module.

    The framework's own switch for this covers every script, and stumbles over foreign ones.
    """

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        (
            "js/*.js",
            (
                (r'(?P<matched>from "(?P<url>\./[^"]+)";)', 'from "%(url)s";'),
                (r'(?P<matched>import\("(?P<url>\./[^"]+)"\))', 'import("%(url)s")'),
            ),
        ),
    )

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Compress only what pages load, which is a sixth of the work.

        The other files are there as well, and sent as they are.
        """
        loaded = (path for path in paths if HASHED.search(path) and not UNREAD.search(path))
        yield from super().compress_files(loaded)
