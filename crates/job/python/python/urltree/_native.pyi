"""The native module. The package re-exports what is for users. `run` and `main` are in `urltree-text[job]` alone."""

import os
from collections.abc import Callable
from datetime import date, datetime
from typing import Any, final

from ._site import Html

VERSION: str

class UrltreeError(Exception):
    """An error of urltree."""

    retryable: bool
    """Whether the same call may succeed later, although no person changes anything."""
    stage: str
    """What failed; of runs only."""
    dates: str | None
    """The dates that are left; of runs only."""

class UsageError(UrltreeError):
    """The call, the job file or a setting is wrong."""

class InputError(UrltreeError):
    """The input cannot be used."""

class StorageError(UrltreeError):
    """A disk or an object store failed, or another run owns the tables."""

class InternalError(UrltreeError):
    """A bug of urltree."""

@final
class Block:
    """A text block with its label. It can be pickled."""

    def __new__(cls, state: str) -> Block: ...
    def __getnewargs__(self) -> tuple[str]: ...

    @property
    def text(self) -> str:
        """The text, without line ends. Never empty."""
    @property
    def label(self) -> str:
        """content or boilerplate."""
    @property
    def is_content(self) -> bool:
        """Whether the block is content."""
    @property
    def reason(self) -> str:
        """The rule that decided, such as unique or off_main_branch: a row of the table in docs/method.md."""
    @property
    def count(self) -> int:
        """Pages and revisions of the deciding node that have the block."""
    @property
    def support(self) -> int:
        """Pages of the deciding node."""
    @property
    def dom_path(self) -> str:
        """Elements from body down to the block, with their classes: div.content>p."""
    @property
    def link_chars(self) -> int:
        """Characters inside links."""

@final
class Metadata:
    """What a page says about itself. It can be pickled."""

    def __new__(cls, state: str) -> Metadata: ...
    def __getnewargs__(self) -> tuple[str]: ...

    @property
    def published_at(self) -> datetime | None:
        """When the text was published, UTC."""
    @property
    def modified_at(self) -> datetime | None:
        """When the text was last changed, UTC."""
    @property
    def author(self) -> str | None:
        """Names of the authors, separated by a comma and a space."""
    @property
    def site_name(self) -> str | None:
        """Name of the site or of the publisher."""
    @property
    def description(self) -> str | None:
        """Summary of the page."""
    @property
    def canonical_url(self) -> str | None:
        """URL that the page gives itself."""
    @property
    def image(self) -> str | None:
        """URL of the picture of the page."""
    @property
    def licence(self) -> str | None:
        """Licence that the page links to, in the form of SPDX, such as CC-BY-SA-4.0."""
    @property
    def html_lang(self) -> str | None:
        """Language that the page declares."""
    @property
    def sources(self) -> dict[str, str]:
        """Where each value was found: json_ld, open_graph, meta, link, microdata, time, url, class or text."""

@final
class Page:
    """A page with labels: its blocks, text, Markdown and metadata. It can be pickled."""

    def __new__(cls, state: str) -> Page: ...
    def __getnewargs__(self) -> tuple[str]: ...

    @property
    def url(self) -> str:
        """The response URL, as it was given; empty if there is none."""
    @property
    def fetched_at(self) -> datetime | None:
        """The time of the fetch, UTC."""
    @property
    def url_key(self) -> str:
        """The normalised URL that identifies the page; empty if the URL is not one."""
    @property
    def status(self) -> str:
        """unique, duplicate, revision, known, not_added, blocklisted or quarantined."""
    @property
    def is_duplicate(self) -> bool:
        """Whether another page has the URL key or the content of this page."""
    @property
    def duplicate_of(self) -> str | None:
        """The URL of that page."""
    @property
    def problem(self) -> str | None:
        """Why the page is quarantined."""
    @property
    def title(self) -> str | None:
        """The title of the page."""
    @property
    def text(self) -> str:
        """The content blocks, one per line."""
    @property
    def markdown(self) -> str:
        """The content blocks as Markdown, with emphasis and without links and images."""
    @property
    def blocks(self) -> list[Block]:
        """All text blocks in source order, content and boilerplate."""
    @property
    def metadata(self) -> Metadata | None:
        """What the page says about itself; None for a page without blocks."""
    @property
    def language(self) -> str | None:
        """Language of the text: ISO 639-1, or 639-3 without two letters. None if the text is too short."""
    @property
    def language_score(self) -> float | None:
        """How sure that is, 0 to 1; above .9 it is reliable."""
    @property
    def support(self) -> int:
        """Pages that were counted at the node that decided."""
    @property
    def node(self) -> str:
        """URL Tree node whose counts decided: a host and a path below it."""
    @property
    def charset(self) -> str:
        """WHATWG name of the charset that the bytes were decoded with; empty without blocks."""
    @property
    def charset_source(self) -> str:
        """Source of the charset: bom, http, meta, utf8 or detected."""
    @property
    def warnings(self) -> list[str]:
        """Limits that cut the page, and doubts about it."""
    def to_text(self, *, comments: bool = False, tables: bool = True) -> str:
        """The content blocks, one per line: with comments, without tables."""
    def to_markdown(
        self,
        *,
        emphasis: bool = True,
        links: bool = False,
        images: bool = False,
        comments: bool = False,
        tables: bool = True,
    ) -> str:
        """The content blocks as Markdown. Addresses are absolute if the page has a URL."""

@final
class Site:
    """A site behind a mutex; `urltree.Site` has the documentation."""

    def __new__(
        cls, domain: str | None, job: str | os.PathLike[str] | None, settings: list[str]
    ) -> Site: ...
    @property
    def domain(self) -> str | None: ...
    def add(
        self,
        url: str,
        html: Html,
        fetched_at: int | None,
        charset: str | None,
        title: str | None,
    ) -> str: ...
    def extract(
        self,
        url: str,
        html: Html,
        fetched_at: int | None,
        charset: str | None,
        title: str | None,
        add: bool,
    ) -> Page: ...
    def push(
        self,
        url: str,
        html: Html,
        fetched_at: int | None,
        charset: str | None,
        title: str | None,
    ) -> list[Page]: ...
    def finish(self) -> list[Page]: ...
    def discard(self) -> None: ...

def extract_page(
    html: Html,
    url: str | None,
    charset: str | None,
    fetched_on: date | None,
) -> Page | None: ...
def run(
    job: str | os.PathLike[str],
    dates: str | None,
    settings: list[str],
    change_settings: bool,
    allow_missing: bool,
    on_progress: Callable[[dict[str, Any]], object] | None,
) -> str | None: ...
def main(args: list[str]) -> int: ...
