"""Reads the tables of a job without urltree, for tests/elsewhere.rs.

    python read.py SCHEMAS TABLES

SCHEMAS is the folder `schemas` of the repository, TABLES the output location of a
job. Prints one JSON object per line. "row" is a row as "duckdb" or "deltalake" reads
it, in the form of `urltree sql --format json`. "columns" are the columns as DuckDB
describes them: once for the table created from the schema, once for the table of the
job.
"""

import importlib.util
import json
import os
import sys
from datetime import date, datetime, timezone
from pathlib import Path

import duckdb
from deltalake import DeltaTable


def connect():
    """Opens DuckDB with the delta extension of the installed package, not of the network."""
    package = importlib.util.find_spec("duckdb_ext").submodule_search_locations[0]
    connection = duckdb.connect(config={"extension_directory": f"{package}/extensions"})
    connection.execute("LOAD delta")
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def columns(connection, relation):
    described = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    return [[name, kind] for name, kind, *_ in described]


def plain(value):
    if isinstance(value, datetime):
        # Whole milliseconds have three digits, as Arrow prints them.
        digits = "milliseconds" if value.microsecond % 1000 == 0 and value.microsecond else "auto"
        return value.astimezone(timezone.utc).replace(tzinfo=None).isoformat(timespec=digits) + "Z"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    return value


def rows_of_duckdb(connection, relation):
    return connection.execute(f"SELECT * FROM {relation}").fetch_arrow_table().to_pylist()


def rows_of_deltalake(path):
    return DeltaTable(path).to_pyarrow_table().to_pylist()


def say(reader, table, **what):
    print(json.dumps({"reader": reader, "table": table, **what}))


def main():
    schemas, tables = Path(sys.argv[1]), Path(sys.argv[2])
    connection = connect()
    for path in sorted(tables.glob("[!_]*")):
        table = path.name
        connection.execute((schemas / f"{table}.sql").read_text())
        say("schema", table, columns=columns(connection, table))
        scan = f"delta_scan('{path}')"
        say("duckdb", table, columns=columns(connection, scan))
        readers = {
            "duckdb": rows_of_duckdb(connection, scan),
            "deltalake": rows_of_deltalake(path),
        }
        for reader, rows in readers.items():
            for row in rows:
                known = {name: plain(value) for name, value in row.items() if value is not None}
                say(reader, table, row=known)


if __name__ == "__main__":
    main()
    # A thread of one of the libraries sometimes aborts the interpreter when it ends ("terminate
    # called without an active exception"), after all rows are printed.
    sys.stdout.flush()
    os._exit(0)
