"""Dates and authors by trafilatura and htmldate, for the example `metadata`.

A line of standard input is a JSON object with `url`, `html` and `fetched_on`. A line of standard output has,
for each peer, `date`, `author` and the processor `seconds`.
"""

import json
import sys
import time

import htmldate
from trafilatura.metadata import extract_metadata


def trafilatura(page):
    document = extract_metadata(page["html"], default_url=page["url"])
    return document.date, document.author


def dates(page):
    found = htmldate.find_date(
        page["html"], url=page["url"], original_date=True, max_date=page["fetched_on"]
    )
    return found, None


for line in sys.stdin:
    page = json.loads(line)
    answers = {}
    for name, peer in [("trafilatura", trafilatura), ("htmldate", dates)]:
        start = time.process_time()
        try:
            date, author = peer(page)
        except Exception:  # A page that a peer fails on has no answer.
            date, author = None, None
        seconds = time.process_time() - start
        answers[name] = {"date": date, "author": author, "seconds": seconds}
    print(json.dumps(answers), flush=True)
