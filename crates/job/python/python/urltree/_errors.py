"""The exceptions of the package."""

from ._native import InputError, InternalError, StorageError, UrltreeError, UsageError

__all__ = ["InputError", "InternalError", "StorageError", "UrltreeError", "UsageError"]

# Of errors that know better, the instance has its own value.
UrltreeError.retryable = False
