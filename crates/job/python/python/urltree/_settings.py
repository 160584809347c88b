"""Settings of a job as Python values."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from ._errors import UsageError

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def overrides(settings: Mapping[str, Any] | None) -> list[str]:
    """The settings as `KEY=VALUE`, with values in the notation of TOML."""
    return [f"{key}={_toml(key, value)}" for key, value in (settings or {}).items()]


def _toml(key: str, value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            # A string of JSON is one of TOML, but for the escape of a character outside the BMP.
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list() | tuple():
            return "[" + ", ".join(_toml(key, item) for item in value) + "]"
    raise UsageError(f"{key}: expected a bool, a number, a str or a list, got {type(value).__name__}")


def micros(fetched_at: datetime | str | None) -> int | None:
    """The time in microseconds since 1970. A text without an offset is UTC."""
    if fetched_at is None:
        return None
    time = fetched_at
    if isinstance(time, str):
        try:
            # Python 3.10 does not read Z.
            time = datetime.fromisoformat(time[:-1] + "+00:00" if time[-1:] in "zZ" else time)
        except ValueError as error:
            raise UsageError(f"fetched_at: {fetched_at!r} is not a time of ISO 8601") from error
        if time.tzinfo is None:
            time = time.replace(tzinfo=timezone.utc)
    if not isinstance(time, datetime):
        found = type(time).__name__
        raise UsageError(f"fetched_at: expected a datetime, a str or None, got {found}")
    if time.utcoffset() is None:
        raise UsageError("fetched_at: the datetime has no time zone; add tzinfo=timezone.utc if it is UTC")
    return (time - EPOCH) // timedelta(microseconds=1)
