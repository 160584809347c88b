"""Clean text from the pages of a site.

- `extract` labels one page of an unknown site. It takes the arguments of `trafilatura.extract`.
- `Site` learns a site from its pages, in memory. A page of a known site gets a better text.
- `run` runs a job: an archive in object storage becomes Delta tables. It is in `urltree-text[job]`.

The lock of the interpreter is released while they work, so threads work side by side.
"""

from ._errors import InputError, InternalError, StorageError, UrltreeError, UsageError
from ._extract import extract
from ._native import VERSION as __version__
from ._native import Block, Metadata, Page
from ._run import Progress, run
from ._site import FetchedAt, Html, Site

__all__ = [
    "Block",
    "FetchedAt",
    "Html",
    "InputError",
    "InternalError",
    "Metadata",
    "Page",
    "Progress",
    "Site",
    "StorageError",
    "UrltreeError",
    "UsageError",
    "__version__",
    "extract",
    "run",
]
