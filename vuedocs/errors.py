"""Every error that the product raises on purpose.

    VuedocsError
    ├── UsageError            the request is wrong: exit code 2, nothing was changed
    │   ├── ConfigError       an unknown key, a value out of range, a file that is not TOML
    │   ├── SourceError       an unknown source, a docs folder that is not there
    │   ├── QuestionsError    a question file with a line that cannot be used
    │   └── QueryError        a blank or over-long query, an unknown API, page or cursor
    ├── NotIndexedError       nothing, or not this, has been ingested yet: exit code 2
    ├── MismatchError         the config does not fit the index it is asked to read: exit code 2
    ├── StorageError          a folder, the database or the index cannot be used: exit code 2
    │   ├── DatabaseError
    │   └── IndexDamagedError
    ├── ProviderError         a model or a hosted service failed: exit code 1
    └── NotebookError         a notebook failed
        └── NotebookRequestError   also a UsageError: no such notebook, or not its parameters; nothing was run

A message names the thing, the reason and the remedy, in this order, and holds no secret. Errors of libraries are translated
where the library is called, in vuedocs.clients.
"""

from __future__ import annotations


class VuedocsError(Exception):
    """Base of all; ``exit_code`` is what a command ends with."""

    exit_code = 1


class UsageError(VuedocsError):
    """The request itself is wrong; nothing was changed."""

    exit_code = 2


class ConfigError(UsageError):
    """A config file or override cannot be used."""


class SourceError(UsageError):
    """A source is unknown, or its documentation cannot be read."""


class QuestionsError(UsageError):
    """A file of golden questions cannot be used."""


class QueryError(UsageError):
    """A query, name or cursor cannot be used."""


class NotIndexedError(VuedocsError):
    """Nothing was ingested yet, or not what was asked for."""

    exit_code = 2


class MismatchError(VuedocsError):
    """The config asks for an index that was made with other ingest settings."""

    exit_code = 2


class StorageError(VuedocsError):
    """The data folder, the database or the index cannot be used."""

    exit_code = 2


class DatabaseError(StorageError):
    """PostgreSQL cannot be started, reached or used."""


class IndexDamagedError(StorageError):
    """The published generation is missing or damaged."""


class ProviderError(VuedocsError):
    """A model or hosted service failed."""


class NotebookError(VuedocsError):
    """A notebook failed."""


class NotebookRequestError(NotebookError, UsageError):
    """There is no such notebook, or it does not have these parameters; nothing was run."""

    exit_code = 2
