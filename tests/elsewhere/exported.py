"""Reads exports without urltree, for tests/export.rs.

    python exported.py FOLDER...

Each FOLDER is of one export. Prints a JSON object: for each reader and format, the documents in order, with
`id`, `text`, `url` and `metadata`.
"""

import json
import os
import sys
from datetime import datetime
from pathlib import Path

import datasets
import duckdb
from datatrove.pipeline.readers import JsonlReader, ParquetReader
from fastwarc.warc import ArchiveIterator as FastIterator
from fastwarc.warc import WarcRecordType
from warcio.archiveiterator import ArchiveIterator


def plain(value):
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(type(value))


def of_datatrove(reader):
    for document in reader.run():
        metadata = document.metadata
        yield {"id": document.id, "text": document.text, "url": metadata["url"], "metadata": metadata}


def of_hugging_face(*args, **kwargs):
    for row in datasets.load_dataset(*args, split="train", **kwargs):
        yield {name: row[name] for name in ("id", "text", "url", "metadata")}


def of_flat_columns(folder):
    for row in datasets.load_dataset(folder, split="train"):
        yield {"id": row["id"], "text": row["text"], "url": row["url"], "metadata": row}


def of_duckdb(folder):
    rows = duckdb.sql(f"SELECT id, text, url, metadata FROM read_parquet('{folder}/documents/*.parquet')")
    for identity, text, url, metadata in rows.fetchall():
        yield {"id": identity, "text": text, "url": url, "metadata": metadata}


def of_warcio(files):
    for file in files:
        with open(file, "rb") as stream:
            for record in ArchiveIterator(stream):
                if record.rec_type != "conversion":
                    continue
                headers = record.rec_headers
                assert headers.get_header("Content-Type") == "text/plain"
                assert headers.get_header("WARC-Record-ID").startswith("<urn:uuid:")
                yield {
                    "url": headers.get_header("WARC-Target-URI"),
                    "text": record.content_stream().read().decode(),
                }


def of_fastwarc(files):
    for file in files:
        for record in FastIterator(open(file, "rb"), record_types=WarcRecordType.conversion):
            yield {"url": record.headers["WARC-Target-URI"], "text": record.reader.read().decode()}


def read(folder):
    files = sorted((folder / "documents").iterdir())
    documents = str(folder / "documents")
    ending = files[0].name.split(".", 1)[1]
    if ending.startswith("jsonl"):
        yield f"datatrove {ending}", of_datatrove(JsonlReader(documents))
        yield f"hugging face {ending}", of_hugging_face(str(folder))
        # Without the card of the folder, types are those of the first file.
        names = [str(file) for file in files]
        yield f"hugging face json {ending}", of_hugging_face("json", data_files=names)
    elif folder.name == "fineweb":
        yield "datatrove fineweb", of_datatrove(ParquetReader(documents))
        yield "hugging face fineweb", of_flat_columns(str(folder))
    elif ending == "parquet":
        yield "datatrove parquet", of_datatrove(ParquetReader(documents))
        yield "hugging face parquet", of_hugging_face("parquet", data_files=f"{documents}/*.parquet")
        yield "hugging face parquet card", of_hugging_face(str(folder))
        yield "duckdb parquet", of_duckdb(folder)
    else:
        yield "warcio", of_warcio(files)
        yield "warc fastwarc", of_fastwarc(files)


def main():
    datasets.disable_progress_bars()
    found = {}
    for folder in sys.argv[1:]:
        for reader, documents in read(Path(folder)):
            found[reader] = list(documents)
    json.dump(found, sys.stdout, default=plain)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    # As in read.py: a thread of a library may abort the interpreter at its end.
    os._exit(0)
