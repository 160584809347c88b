"""Reads the folder of a table as Parquet files, without its Delta log, for tests/plain_folders.rs.

    python folders.py DOCUMENTS

Prints a JSON object: for each reader, `document_id`, `date`, `domain` and `text` of all rows, ordered by id,
and the type that it gives the partition column.
"""

import json
import os
import sys

import datasets
import duckdb
import pyarrow as pa
import pyarrow.dataset

NAMES = ["document_id", "date", "domain", "text"]


def of_duckdb(folder):
    rows = duckdb.sql(f"SELECT {', '.join(NAMES)} FROM read_parquet('{folder}/date=*/*.parquet')")
    return str(rows.types[1]), rows.fetchall()


def of_pyarrow(folder):
    partitions = pyarrow.dataset.partitioning(pa.schema([("date", pa.date32())]), flavor="hive")
    dataset = pyarrow.dataset.dataset(folder, partitioning=partitions)
    table = dataset.to_table(columns=NAMES)
    return str(table.schema.field("date").type), [tuple(row.values()) for row in table.to_pylist()]


def of_hugging_face(folder):
    rows = datasets.load_dataset("parquet", data_files=f"{folder}/date=*/*.parquet", split="train")
    # The files do not have the partition column; the day of the fetch is the same.
    return [(row["document_id"], row["fetched_at"].date(), row["domain"], row["text"]) for row in rows]


def in_order(rows):
    return sorted(
        ({name: str(value) for name, value in zip(NAMES, row)} for row in rows),
        key=lambda row: row["document_id"],
    )


def main():
    datasets.disable_progress_bars()
    folder = sys.argv[1]
    duckdb_type, duckdb_rows = of_duckdb(folder)
    pyarrow_type, pyarrow_rows = of_pyarrow(folder)
    found = {
        "duckdb": in_order(duckdb_rows),
        "pyarrow": in_order(pyarrow_rows),
        "hugging face": in_order(of_hugging_face(folder)),
        "type of date": {"duckdb": duckdb_type, "pyarrow": pyarrow_type},
    }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    # As in read.py: a thread of a library may abort the interpreter at its end.
    os._exit(0)
