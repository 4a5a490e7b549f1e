"""Static files on a server: hashed names down to the last imported module, so that all may be kept for ever."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Rewrites what our own modules import as well, or a new page could run with yesterday's module.

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
