"""Reads WARC files with another reader, and prints the records, the bytes of their bodies and the CPU
seconds as JSON: `speed.py READER FILE...`, where READER is `warcio`, `fastwarc`, or `parquet`, which
also writes the pages that FastWARC reads, in time order, as `urltree import warc` does."""

import json
import os
import sys
import tempfile
import time


def warcio(paths):
    from warcio.archiveiterator import ArchiveIterator

    for path in paths:
        with open(path, "rb") as file:
            for record in ArchiveIterator(file):
                yield len(record.content_stream().read())


def fastwarc(paths):
    from fastwarc.warc import ArchiveIterator

    for path in paths:
        for record in ArchiveIterator(path):
            yield len(record.reader.read())


def parquet(paths):
    import pyarrow
    import pyarrow.parquet
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    for path in paths:
        rows = []
        for record in ArchiveIterator(path, record_types=WarcRecordType.response):
            content_type = record.http_headers.get("Content-Type") or ""
            html = record.reader.read()
            yield len(html)
            if "html" in content_type:
                row = {
                    "fetched_at": record.record_date,
                    "url": record.headers["WARC-Target-URI"],
                    "content_type": content_type,
                    "http_status": record.http_headers.status_code,
                    "warc_offset": record.stream_pos,
                    "warc_record_id": record.record_id,
                    "html": html,
                }
                rows.append(row)
        rows.sort(key=lambda row: (row["fetched_at"], row["url"]))
        with tempfile.TemporaryDirectory() as folder:
            pyarrow.parquet.write_table(
                pyarrow.Table.from_pylist(rows),
                os.path.join(folder, "pages.parquet"),
                compression="zstd",
                compression_level=1,
                row_group_size=1000,
                use_dictionary=False,
                data_page_size=16 << 10,
                write_batch_size=1,
            )


reader = {"warcio": warcio, "fastwarc": fastwarc, "parquet": parquet}[sys.argv[1]]
# Starts modules before the clock.
list(reader([]))
started = time.process_time()
sizes = list(reader(sys.argv[2:]))
seconds = time.process_time() - started
print(json.dumps({"records": len(sizes), "bytes": sum(sizes), "cpu_seconds": seconds}))
