"""One page of an unknown site, with the arguments of trafilatura."""

import json
import warnings
from collections.abc import Collection
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from . import _native
from ._errors import UsageError
from ._native import Page
from ._site import Html

FORMATS = ("txt", "markdown", "json")
"""Values of `output_format`."""

WITHOUT_EFFECT = frozenset(
    {
        "config",
        "date_extraction_params",
        "deduplicate",
        "fast",
        "favor_precision",
        "favor_recall",
        "no_fallback",
        "options",
        "settingsfile",
    }
)
"""Arguments of trafilatura that mean nothing here. A value other than the default warns."""

REFUSED = frozenset({"max_tree_size", "prune_xpath", "tei_validation"})
"""Arguments of trafilatura whose effect nothing here has. A value other than the default is refused."""


def extract(
    filecontent: Html,
    url: str | None = None,
    record_id: str | None = None,
    *,
    output_format: str = "txt",
    include_comments: bool = False,
    include_tables: bool = True,
    include_formatting: bool | None = None,
    include_links: bool = False,
    include_images: bool = False,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    target_language: str | None = None,
    url_blacklist: Collection[str] | None = None,
    author_blacklist: Collection[str] | None = None,
    fetched_on: date | None = None,
    charset: str | None = None,
    **others: Any,
) -> str | None:
    """Extract the text of a page of an unknown site, as `trafilatura.extract` does.

    Returns None if there is no text, and for empty and binary bytes. Whether a block is content is
    decided as for the first page of a `Site`: pages of a known site are better given to one.

    `output_format` is txt (a line per block), markdown or json. Comments are not content by default.
    `include_formatting`, `include_links` and `include_images` are for markdown; formatting is on
    unless it is False. `with_metadata` writes title, author, address, date and site: as fields of json,
    or as a header between lines of three hyphens. Metadata has no dates after `fetched_on`.
    `charset` is that of the Content-Type header.

    Other arguments of trafilatura have no effect, with a UserWarning, or are refused: see
    docs/python.md for the table.

    Raises UsageError for an unknown format and for a refused argument, and TypeError for content
    that is neither bytes nor text.
    """
    _check(output_format, others)
    if url is not None and url_blacklist and url in url_blacklist:
        return None
    page = _native.extract_page(filecontent, url, charset, fetched_on)
    if page is None:
        return None
    metadata = _metadata(page, url, author_blacklist)
    if only_with_metadata and not all(metadata[name] for name in ("date", "title", "url")):
        return None
    text = page.to_text(comments=include_comments, tables=include_tables)
    if not text or (target_language and page.language not in (None, target_language)):
        return None
    if output_format == "json":
        fields: dict[str, Any] = {}
        if with_metadata:
            fields = {"id": record_id, "language": page.language, **metadata}
            for name, trafilaturas in TRAFILATURAS:
                fields[trafilaturas] = fields.pop(name)
        return json.dumps({**fields, "text": text}, ensure_ascii=False)
    if output_format == "markdown":
        text = page.to_markdown(
            emphasis=include_formatting is not False,
            links=include_links,
            images=include_images,
            comments=include_comments,
            tables=include_tables,
        ).rstrip("\n")
    return _header({**metadata, "id": record_id}) + text if with_metadata else text


TRAFILATURAS = (("url", "source"), ("sitename", "source-hostname"), ("description", "excerpt"))
"""Fields that have another name in the json of trafilatura."""


def _check(output_format: str, others: dict[str, Any]) -> None:
    if output_format not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(f"output_format: {output_format!r}; expected one of {known}")
    for name, value in others.items():
        if name not in WITHOUT_EFFECT and name not in REFUSED:
            raise TypeError(f"extract() got an unexpected keyword argument {name!r}")
        if value is None or value is False:
            continue
        if name in REFUSED:
            raise UsageError(f"{name}: urltree.extract has nothing like it")
        warnings.warn(f"urltree.extract ignores {name}", UserWarning, stacklevel=3)


def _metadata(page: Page, url: str | None, authors: Collection[str] | None) -> dict[str, str | None]:
    """The metadata under the names of trafilatura."""
    said = page.metadata
    if said is None:
        return dict.fromkeys(("title", "author", "url", "hostname", "description", "sitename", "date", "image"))
    found = said.published_at or said.modified_at
    address = said.canonical_url or url
    return {
        "title": page.title,
        "author": None if authors and said.author in authors else said.author,
        "url": address,
        "hostname": urlsplit(address).hostname if address else None,
        "description": said.description,
        "sitename": said.site_name,
        "date": found.date().isoformat() if found else None,
        "image": said.image,
    }


def _header(fields: dict[str, str | None]) -> str:
    """The fields that are known, as YAML: a string of JSON is one."""
    lines = (f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items() if value)
    return f"---\n{''.join(lines)}---\n"
