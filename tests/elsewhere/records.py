"""Prints the records of WARC files as warcio reads them, one JSON array per record: file, type,
and for a response of HTTP the digest of its payload."""

import base64
import hashlib
import json
import sys

from warcio.archiveiterator import ArchiveIterator

for path in sys.argv[1:]:
    with open(path, "rb") as file:
        for record in ArchiveIterator(file):
            digest = None
            if record.rec_type == "response" and record.http_headers:
                digest = record.rec_headers.get_header("WARC-Payload-Digest")
                sha1 = hashlib.sha1(record.raw_stream.read()).digest()
                digest = digest or "sha1:" + base64.b32encode(sha1).decode()
            print(json.dumps([path, record.rec_type, digest]))
