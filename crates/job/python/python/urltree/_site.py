"""A site in memory."""

import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Protocol, TypeAlias

from . import _native
from ._native import Page
from ._settings import micros, overrides


class Tree(Protocol):
    """A document or an element of lxml."""

    def xpath(self, path: str) -> Any: ...


Html: TypeAlias = bytes | bytearray | memoryview | str | Tree | None
"""A page: bytes as fetched, in any object with the buffer protocol; text; a tree of lxml; or None for a body that is missing."""

FetchedAt: TypeAlias = datetime | str | None
"""The time of a fetch: an aware datetime, a text of ISO 8601 (UTC without an offset), or None."""


class Site:
    """A site that learns from its pages and labels them, by the rules of a job.

    `domain` is the public suffix and one label, such as `example.co.uk`; without it, that of the first
    page. `job` is a job file, and `settings` override its keys or the defaults:
    `Site(settings={"window.max_pages": 500})`. Settings of archives, tables and runs do not matter.

    Pages that are added come in the order of their times. A page without a time has that of the page
    before. Memory grows with the window (`window.max_pages`, by default 10,000: five megabytes) and with
    the URL keys, some 2 KB per page; texts are not kept.

    A site can be used from several threads. They wait for each other, and not for the lock of the
    interpreter. It cannot be pickled.
    """

    def __init__(
        self,
        domain: str | None = None,
        *,
        job: str | os.PathLike[str] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Create a site of which nothing is known.

        Raises UsageError for a setting that is unknown or wrong.
        """
        self._site = _native.Site(domain, job, overrides(settings))

    @property
    def domain(self) -> str | None:
        """The domain of the pages, or None before the first page."""
        return self._site.domain

    def add(
        self,
        url: str,
        html: Html,
        fetched_at: FetchedAt = None,
        *,
        charset: str | None = None,
        title: str | None = None,
    ) -> str:
        """Learn from a page, and return its status.

        `charset` is that of the Content-Type header, `title` that of the feed. A page whose URL key is
        known is a `duplicate` and is not counted again. A page that is no HTML is `quarantined`.

        Raises InputError for a page of another domain, and for a page older than the last one.
        """
        return self._site.add(url, html, micros(fetched_at), charset, title)

    def extract(
        self,
        url: str,
        html: Html,
        fetched_at: FetchedAt = None,
        *,
        add: bool = True,
        charset: str | None = None,
        title: str | None = None,
    ) -> Page:
        """Label a page by all that is known now, after learning from it unless its URL key is known.

        Call it instead of `add` to label pages as they come. Or `add` all pages of a site first and then extract each of them, and its labels know the
        whole site. A page of a known URL key may be older than the last page.

        With `add=False` the site learns nothing.

        Raises InputError as `add` does.
        """
        return self._site.extract(url, html, micros(fetched_at), charset, title, add)

    def extract_all(
        self, pages: Iterable[tuple[str, Html] | tuple[str, Html, FetchedAt]]
    ) -> Iterator[Page]:
        """Label pages, `(url, html)` or `(url, html, fetched_at)` in time order, as a job does.

        A page is labelled when all pages of its day are known so a page of a day
        comes out after the first page of the next day was read. Texts of a day are in memory.
        There is one result per page, in the same order, duplicates and quarantined pages too.

        While it runs, `add` and `extract` raise UsageError.
        """
        try:
            for url, html, *time in pages:
                fetched_at = micros(time[0] if time else None)
                yield from self._site.push(url, html, fetched_at, None, None)
            yield from self._site.finish()
        finally:
            self._site.discard()

    def __repr__(self) -> str:
        return f"Site({self.domain!r})"
