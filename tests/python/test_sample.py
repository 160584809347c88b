"""The sample archive: sites in memory give the texts that a job writes into its tables."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import pyarrow.dataset as datasets

import urltree

COMMAND = [sys.executable, "-m", "urltree"]
DATES = "2011-10-24..2011-11-02"


class Sample(unittest.TestCase):
    def test_texts_are_equal(self) -> None:
        with tempfile.TemporaryDirectory() as root:
            sample = [os.environ["URLTREE_SAMPLE"], "--output", f"{root}/sample", "--dates", DATES, "--pages", "1500"]
            subprocess.run(sample, check=True, capture_output=True)
            job = Path(root, "job.toml")
            job.write_text(f"[archive]\nlocation = '{root}/sample/pages'\nlayout = 'hive'\n[output]\nlocation = '{root}/tables'\n")
            self.assertIsNotNone(urltree.run(job, DATES))
            query = "SELECT domain, url, fetched_at, text FROM documents"
            command = [*COMMAND, "sql", "--job", str(job), "--format", "json", query]
            lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
            documents = [json.loads(line) for line in lines]
            self.assertGreater(len(documents), 1000)
            self.assertEqual(self.texts(root), sorted((row["url"], row["text"]) for row in documents))

    def texts(self, root: str) -> list[tuple[str, str]]:
        """URL and text of the unique pages of all sites in memory."""
        rows = datasets.dataset(f"{root}/sample/pages").to_table().to_pylist()
        pages = [row for row in rows if is_page(row)]
        pages.sort(key=lambda row: (row["fetched_at"], row["url"]))
        sites: dict[str, tuple[urltree.Site, list[urltree.Page]]] = {}
        # A site that sees one page of it tells its domain.
        domains: dict[str, str | None] = {}
        for row in pages:
            probe = urltree.Site()
            probe.add(row["url"], "<p>tea")
            domains[row["url"]] = probe.domain
        texts = []
        for domain in sorted({domain for domain in domains.values() if domain}):
            own = [(row["url"], row["html"], row["fetched_at"]) for row in pages if domains[row["url"]] == domain]
            found = urltree.Site(domain).extract_all(own)
            texts += [(page.url, page.text) for page in found if page.status == "unique"]
        return sorted(texts)


def is_page(row: dict[str, Any]) -> bool:
    """Whether a job reads the page: the response was a page, with a URL and a time."""
    kind = (row.get("content_type") or "text/html").split(";")[0].strip().lower()
    succeeded = 200 <= (row.get("http_status") or 200) < 300
    return bool(row["url"] and row["fetched_at"]) and succeeded and kind in ("text/html", "application/xhtml+xml", "text/plain")


if __name__ == "__main__":
    unittest.main()
