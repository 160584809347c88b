"""The exceptions of the package."""

from ._native import InputError, InternalError, StorageError, UrltreeError, UsageError

__all__ = ["InputError", "InternalError", "StorageError", "UrltreeError", "UsageError"]

NO_JOB = "the command and urltree.run need the job: install urltree-text[job]"

# Of errors that know better, the instance has its own value.
UrltreeError.retryable = False
