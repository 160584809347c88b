"""Processor time per page of urltree and trafilatura on the same pages.

    python speed.py FILE.parquet...     with the columns url, html and, for a site, fetched_at

The files are read with pyarrow. Each is one site.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import pyarrow.parquet as parquet
import trafilatura
import urltree

# A site with thousands of pages would decide the means alone.
PAGES_PER_FILE = 100


def measured(name: str, pages: list[dict[str, Any]], extract: Callable[[dict[str, Any]], object]) -> None:
    started, texts = time.process_time(), 0
    for page in pages:
        texts += bool(extract(page))
    milliseconds = 1000 * (time.process_time() - started) / len(pages)
    print(f"{name:40}{milliseconds:8.2f} ms a page, {texts} of {len(pages)} with text")


def main(files: list[str]) -> None:
    sites = []
    for file in files:
        rows = parquet.read_table(file).slice(0, PAGES_PER_FILE).to_pylist()
        sites.append([row for row in rows if row["html"]])
    pages = [row for site in sites for row in site]
    markdown = {"output_format": "markdown"}
    measured("urltree.extract", pages, lambda page: urltree.extract(page["html"]))
    measured("urltree.extract, markdown", pages, lambda page: urltree.extract(page["html"], **markdown))
    known = {id(row): urltree.Site(settings={"domain.grouping": "host"}) for row in pages[:0]}
    for site in sites:
        learned = urltree.Site(settings={"domain.grouping": "host"})
        known.update((id(row), learned) for row in site)
    if all(row.get("fetched_at") for row in pages):
        measured("urltree.Site.extract", pages, lambda page: of_site(known[id(page)], page))
    measured("trafilatura.extract", pages, lambda page: trafilatura.extract(page["html"]))
    measured("trafilatura.extract, fast", pages, lambda page: trafilatura.extract(page["html"], fast=True))
    measured("trafilatura.extract, markdown", pages, lambda page: trafilatura.extract(page["html"], **markdown))


def of_site(site: urltree.Site, page: dict[str, Any]) -> str | None:
    try:
        return site.extract(page["url"], page["html"], page["fetched_at"]).text
    except urltree.InputError:
        # A page of another host.
        return None


if __name__ == "__main__":
    main(sys.argv[1:])
