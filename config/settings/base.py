"""Settings shared by every way of running; each is read from `LOTSAWA_…` in the environment or `.env`."""

import logging
from pathlib import Path
from typing import Any

import environ
import structlog
from csp.constants import NONE, SELF

from config.settings.broker import broker_settings
from config.settings.database import database_settings
from config.settings.logs import hide_links, is_news
from config.settings.networks import readable_networks
from config.settings.private import make_private
from config.settings.secret import read_or_make_secret

ROOT = Path(__file__).resolve().parents[2]
environ.Env.read_env(ROOT / ".env")
env = environ.FileAwareEnv()
env.prefix = "LOTSAWA_"

VAR = Path(env.str("VAR", default=str(ROOT / "var")))
make_private(VAR)
VERSION = "0.4.0"

DEBUG = False
SECRET_KEY = env.str("SECRET_KEY", default="") or read_or_make_secret(VAR / "secret_key")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
# How many proxies stand in front, each of which adds its peer to X-Forwarded-For.
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0)
SITE_URL = env.str("SITE_URL", default="http://127.0.0.1:8000")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "template_partials",
    "heroicons",
    "csp",
    "axes",
    "rules.apps.AutodiscoverRulesConfig",
    "django_structlog",
    "common",
    "accounts",
    "jobs",
    "projects",
    "endpoints",
    "prompts",
    "annotation",
    "review",
    "releases",
    "evaluation",
    "submissions",
    "arena",
    "leaderboards",
    "notifications",
    "webhooks",
    "config",
]

MIDDLEWARE = [
    "config.middleware.KeepAnswersPrivate",
    "config.middleware.AnswerMonitors",
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.CompressPages",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "config.middleware.AppendSlash",
    "config.bodies.LimitBodies",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "common.unavailable.UnavailableMiddleware",
    "accounts.middleware.LanguageMiddleware",
    "accounts.middleware.SignInMiddleware",
    "accounts.middleware.LogMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.middleware.SendPolicy",
    "django_htmx.middleware.HtmxMiddleware",
    "common.errors.DomainErrorMiddleware",
    "common.api_query.RefuseUnknownNames",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "accounts.context_processors.interface_languages",
            ],
            "builtins": ["django.templatetags.i18n", "django.templatetags.static"],
        },
    },
    {
        # What is rendered at every review, named by `using="jinja2"`.
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [ROOT / "templates" / "jinja"],
        "OPTIONS": {"environment": "config.jinja.environment"},
    },
]

DATABASES = {"default": database_settings(env.str("DATABASE_URL", default=""), VAR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "rules.permissions.ObjectPermissionBackend",
    "accounts.backends.AccountBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "accounts:sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "accounts:sign-in"
SESSION_ENGINE = "accounts.sessions"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "accounts.views.csrf_failed"
INVITATION_DAYS = 14
# How long the sign-in history is kept.
SIGN_IN_HISTORY_DAYS = env.int("SIGN_IN_HISTORY_DAYS", default=90)
# Who may open projects: "managers" (of any project, and staff) or "staff" alone.
PROJECT_CREATION = env.str("PROJECT_CREATION", default="managers")

AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
# Failures from one network, whoever is tried, within AXES_COOLOFF_TIME; people share addresses.
SIGN_IN_NETWORK_LIMIT = env.int("SIGN_IN_NETWORK_LIMIT", default=30)
AXES_USERNAME_FORM_FIELD = "username"
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_CALLABLE = "accounts.views.locked_out"
AXES_VERBOSE = False
# The sign-in history takes its place, and forgets in time.
AXES_DISABLE_ACCESS_LOG = True
AXES_SENSITIVE_PARAMETERS = [
    *("username", "ip_address", "email", "name", "again", "new_password1", "new_password2"),
    *("kept", "csrfmiddlewaretoken"),
]
AXES_CLIENT_IP_CALLABLE = "accounts.rules.client_address"
# Reports of problems that readers of releases may send within an hour.
PROBLEMS_PER_NETWORK = env.int("PROBLEMS_PER_NETWORK", default=5)
PROBLEMS_PER_PROJECT = env.int("PROBLEMS_PER_PROJECT", default=100)

LANGUAGE_CODE = "en"
# Each in its own words, as the menu shows them; a language needs a catalogue in locale/.
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [ROOT / "locale"]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True
FORMAT_MODULE_PATH = ["config.formats"]

STATIC_URL = "/static/"
STATICFILES_DIRS = [ROOT / "static"]
STATIC_ROOT = VAR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
# Nobody else loads our files, and each answer is smaller without the header that would let them.
WHITENOISE_ALLOW_ALL_ORIGINS = False

# Uploaded files waiting for their import and built artifacts: never served by path.
IMPORT_FOLDER = VAR / "imports"
RELEASE_FOLDER = VAR / "releases"
IMPORT_LIMITS = {
    "row_bytes": env.int("IMPORT_ROW_BYTES", default=1_000_000),
    "file_bytes": env.int("IMPORT_FILE_BYTES", default=512_000_000),
    "archive_ratio": env.int("IMPORT_ARCHIVE_RATIO", default=200),
    "rows": env.int("IMPORT_ROWS", default=1_000_000),
    "memory_bytes": env.int("IMPORT_MEMORY_BYTES", default=400_000_000),
}
# The largest request that is not an import; nothing that a person types comes near it.
BODY_BYTES = env.int("BODY_BYTES", default=1_000_000)
DATA_UPLOAD_MAX_MEMORY_SIZE = BODY_BYTES
FILE_UPLOAD_MAX_MEMORY_SIZE = 1_000_000

# Fonts of this server's own making, see the command subset_fonts, and where it looks first for files.
FONT_FOLDER = VAR / "fonts"
FONTS_DIR = env.str("FONTS_DIR", default="")

X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF],
        "style-src": [SELF],
        "script-src": [SELF],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

EMAIL_BACKEND = env.str("EMAIL_BACKEND", default="django.core.mail.backends.filebased.EmailBackend")
EMAIL_FILE_PATH = VAR / "mail"
EMAIL_HOST = env.str("EMAIL_HOST", default="localhost")
EMAIL_PORT = env.int("EMAIL_PORT", default=25)
EMAIL_HOST_USER = env.str("EMAIL_HOST_USER", default="")
EMAIL_HOST_PASSWORD = env.str("EMAIL_HOST_PASSWORD", default="")
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", default=False)
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env.str("FROM_EMAIL", default="Lotsawa <lotsawa@localhost>")

REDIS_URL = env.str("REDIS_URL", default="")
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
    }
    if REDIS_URL
    else {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": str(VAR / "cache"),
        # Each run keeps some five entries, one of translations ten. Above this many, a third of all
        # goes, whatever their age.
        "OPTIONS": {"MAX_ENTRIES": 5_000},
    }
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.api.authentication.TokenAuthentication",
        "accounts.api.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["common.api.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "common.api_schema.LotsawaSchema",
    "EXCEPTION_HANDLER": "common.api.api_exception_handler",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Lotsawa",
    "DESCRIPTION": "Everything that the pages do, for programs. Only signing in, accepting an "
    "invitation and changing a password take a page.",
    "VERSION": VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    # Without addresses of its own for each operation, which would be links within buttons.
    "SWAGGER_UI_SETTINGS": {"deepLinking": False},
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    # Fields of the same name with different choices, and one set of choices under two names.
    "ENUM_NAME_OVERRIDES": {
        "AccountStateEnum": "accounts.enums.AccountState",
        "ArenaVerdictEnum": "arena.api.VERDICT_CHOICES",
        "CommentKindEnum": "review.comments.api.COMMENT_KINDS",
        "VerdictEnum": "review.enums.Verdict",
        "DecisionKindEnum": "review.enums.DecisionKind",
        "DuplicateDecisionEnum": "annotation.duplicates.api.DECISIONS",
        "OutcomeEnum": "review.enums.Outcome",
        "LeftOutEnum": "review.enums.LeftOut",
        "ItemKindEnum": "annotation.enums.ItemKind",
        "ItemStateEnum": "annotation.enums.ItemState",
        "JobStateEnum": "jobs.enums.JobState",
        "PairKindEnum": "annotation.enums.PairKind",
        "PairStateEnum": "annotation.enums.PairState",
        "ProblemKindEnum": "releases.enums.ProblemKind",
        "ProblemStateEnum": "releases.enums.ProblemState",
        "OpinionStateEnum": "annotation.enums.OpinionState",
        "OptionLabelsEnum": "prompts.enums.OptionLabels",
        "ShotLayoutEnum": "prompts.enums.ShotLayout",
        "ReleaseStateEnum": "releases.enums.ReleaseState",
        "ScreenEnum": "annotation.enums.Screen",
        "ScoringMethodEnum": "evaluation.runs.actions.METHOD_NAMES",
        "SuggestionKindEnum": "evaluation.enums.SuggestionKind",
        "SuggestionStateEnum": "evaluation.enums.SuggestionState",
        "SubmissionStateEnum": "submissions.enums.SubmissionState",
        "ResponseStateEnum": "evaluation.enums.ResponseState",
        "RoundKindEnum": "review.enums.RoundKind",
        "RoundStateEnum": "review.enums.RoundState",
        "DeliveryStateEnum": "webhooks.enums.DeliveryState",
        "WebhookStateEnum": "webhooks.enums.WebhookState",
        "TranslationStateEnum": "annotation.enums.TranslationState",
    },
}

# Celery, with Redis: the job rows are the truth, a message only wakes a worker.
globals().update(broker_settings(REDIS_URL))
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_DB_REUSE_MAX = 1000

# A job without a heartbeat for this long belongs to a dead worker and may be taken up again.
JOB_STALE_SECONDS = env.int("JOB_STALE_SECONDS", default=30)
# How long a job asks an endpoint before it gives way to a project with fewer running jobs.
JOB_TURN_SECONDS = env.int("JOB_TURN_SECONDS", default=60)

# /healthz calls the disk nearly full below this, and the queue stuck when a job has waited longer.
HEALTH_FREE_BYTES = env.int("HEALTH_FREE_BYTES", default=1_000_000_000)
HEALTH_QUEUE_SECONDS = env.int("HEALTH_QUEUE_SECONDS", default=900)
# Whether /metrics answers with figures for Prometheus.
METRICS = env.bool("METRICS", default=False)

EMBEDDING_MODEL = env.str("EMBEDDING_MODEL", default="hashed-ngrams")
# Endpoints that model runs may call; empty means any.
ALLOWED_ENDPOINTS = env.list("ALLOWED_ENDPOINTS", default=[])
# Networks that are not public and that endpoints of projects may reach all the same.
ENDPOINT_NETWORKS = readable_networks(
    "ENDPOINT_NETWORKS", env.list("ENDPOINT_NETWORKS", default=[])
)
# Networks that are not public and that endpoints of outsiders may reach.
SUBMISSION_NETWORKS = readable_networks(
    "SUBMISSION_NETWORKS", env.list("SUBMISSION_NETWORKS", default=[])
)

# The Hugging Face Hub to publish releases on, and the token of an account that may write there.
HUB_ENDPOINT = env.str("HUB_ENDPOINT", default="https://huggingface.co")
HUB_TOKEN = env.str("HUB_TOKEN", default="")
# Ports that webhooks may be sent to, and networks that are private and may be called all the same.
WEBHOOK_PORTS = [int(port) for port in env.list("WEBHOOK_PORTS", default=["443", "8443"])]
WEBHOOK_NETWORKS = readable_networks("WEBHOOK_NETWORKS", env.list("WEBHOOK_NETWORKS", default=[]))
# A PEM file of authorities that webhooks trust besides the usual ones.
WEBHOOK_AUTHORITIES = env.str("WEBHOOK_AUTHORITIES", default="")

# Whoever makes an answer of 5xx logs it, as an error or as a warning; its end need not be one too.
DJANGO_STRUCTLOG_STATUS_5XX_LOG_LEVEL = logging.INFO
# The line that ends a request says all that the one which begins it would.
DJANGO_STRUCTLOG_STATUS_START_LOG_LEVEL = logging.DEBUG
LOG_LEVEL = env.str("LOG_LEVEL", default="INFO")
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "()": structlog.stdlib.ProcessorFormatter,
            # A plain traceback: the pretty one prints variables, which hold keys and passwords.
            "processor": structlog.dev.ConsoleRenderer(
                colors=False, exception_formatter=structlog.dev.plain_traceback
            ),
            "foreign_pre_chain": [
                structlog.contextvars.merge_contextvars,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.stdlib.add_log_level,
                structlog.processors.format_exc_info,
                hide_links,
            ],
        },
        "json": {
            "()": structlog.stdlib.ProcessorFormatter,
            "processor": structlog.processors.JSONRenderer(),
            "foreign_pre_chain": [
                structlog.contextvars.merge_contextvars,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.stdlib.add_log_level,
                structlog.processors.format_exc_info,
                hide_links,
            ],
        },
    },
    "filters": {"news": {"()": "django.utils.log.CallbackFilter", "callback": is_news}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": env.str("LOG_FORMAT", default="plain"),
        }
    },
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"level": LOG_LEVEL},  # Django's own default would not be quieter than INFO
        "django.request": {"filters": ["news"]},
        "httpx": {"level": "WARNING"},
        "httpcore": {"level": "WARNING"},
    },
}
structlog.configure(
    processors=[
        structlog.stdlib.filter_by_level,
        structlog.contextvars.merge_contextvars,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.format_exc_info,
        hide_links,
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)
