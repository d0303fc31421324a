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
    │   ├── IndexDamagedError
    │   └── IndexServerError  the vector index's server cannot be reached, or refuses
    ├── ProviderError         a model or a hosted service failed: exit code 1
    │   ├── ProviderRefusedError  a bad key, no credit, an over-long input: asking again is no use
    │   │   └── BatchLostError    a batch ended without answers, or is not there any more
    │   ├── IncompleteError       a part of the answer came before the rest failed
    │   └── AnswerError       a language model's answer that cannot be used: blocked, cut, empty
    ├── BudgetError           the cost limit of the run is reached: exit code 1, what was paid for is kept
    └── NotebookError         a notebook failed
        └── NotebookRequestError   also a UsageError: no such notebook, or not its parameters; nothing was run

A message names the thing, the reason and the remedy, in this order, and holds no secret. Errors of libraries are translated
where the library is called, in vuedocs.clients.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


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


class IndexServerError(StorageError):
    """The Qdrant server cannot be reached, is not ready, or refuses what is asked."""


class ProviderError(VuedocsError):
    """A model or hosted service failed."""


class ProviderRefusedError(ProviderError):
    """A hosted service refuses the call, and would refuse it again: the key, the credit or the input must change."""


class BatchLostError(ProviderRefusedError):
    """A batch of prompts will never give answers; its prompts must be handed in anew."""


class IncompleteError(ProviderError):
    """A part of what was asked for came, and is paid for, before the rest failed: ``arrived``, by place; ``cause`` says why."""

    def __init__(self, cause: VuedocsError, arrived: Mapping[int, Any]) -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.arrived = arrived


class AnswerError(ProviderError):
    """A language model answered, but not so that it can be used."""


class BudgetError(VuedocsError):
    """The cost limit of the run leaves nothing for the next call; what was paid for is kept."""


class NotebookError(VuedocsError):
    """A notebook failed."""


class NotebookRequestError(NotebookError, UsageError):
    """There is no such notebook, or it does not have these parameters; nothing was run."""

    exit_code = 2
