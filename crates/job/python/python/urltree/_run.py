"""Runs of a job."""

import json
import os
from collections.abc import Callable, Mapping
from typing import Any, TypedDict, cast

from . import _native
from ._errors import NO_JOB, UsageError
from ._settings import overrides


class Progress(TypedDict):
    """The progress of a run."""

    stage: str | None
    """job, census, tables, plan, accounting or commit."""
    dates: str | None
    """The dates of the chunk that is processed."""
    rows: int
    """Archive rows whose pages are parsed."""
    html_bytes: int
    """Bytes of HTML in them."""
    total_rows: int
    """Archive rows that the run reads."""
    total_html_bytes: int
    """Bytes of HTML in them."""


def run(
    job: str | os.PathLike[str],
    dates: str | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    change_settings: bool = False,
    allow_missing: bool = False,
    on_progress: Callable[[Progress], object] | None = None,
) -> dict[str, Any] | None:
    """Run a job, and return its report.

    `job` is the job file, `dates` a day or a range such as `2011-10-24..2011-12-19`. Without dates, all
    new dates of the archive are processed, as `urltree update` does; the result is None if there
    are none. `settings` override keys of the job: `{"output.location": "s3://bucket/text"}`.
    `change_settings` allows settings with which other dates of the tables were not run.
    `allow_missing` allows objects that cannot be opened, and dates that the tables have and the archive no more.

    `on_progress` is called in the calling thread, at most ten times a second. An exception in it
    stops the run and is raised.

    Warnings go to the logger `urltree` of `logging`, in the calling thread too.

    The report is that of `urltree backfill --format json`. A run that was stopped is continued by the
    same call. Ctrl-C stops a run of the main thread: it releases its lease and raises
    KeyboardInterrupt. A second Ctrl-C does not wait for that.

    Raises UsageError, InputError, StorageError or InternalError. Its `retryable` says whether the same
    call may succeed later, its `stage` what failed, and its `dates` the dates that are left.
    """
    if not hasattr(_native, "run"):
        raise UsageError(NO_JOB)
    callback = cast("Callable[[dict[str, Any]], object] | None", on_progress)
    report = _native.run(job, dates, overrides(settings), change_settings, allow_missing, callback)
    return None if report is None else cast("dict[str, Any]", json.loads(report))
