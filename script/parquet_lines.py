"""Writes the rows of Parquet files as JSON lines: script/parquet_lines.

Each column is a member: bytes as base64, times in RFC 3339 as UTC where they have no zone, numbers
that JSON doesn't have as null. Memory is that of a row group's 256 rows.
"""

import base64
import datetime
import json
import math
import os
import sys

import pyarrow
import pyarrow.parquet

ROWS = 256


def plain(value):
    """As JSON can have it."""
    if isinstance(value, dict):
        return {str(name): plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime.datetime):
        zoned = value if value.tzinfo else value.replace(tzinfo=datetime.timezone.utc)
        return zoned.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return str(value)


def main(paths):
    if not paths:
        sys.exit("usage: parquet_lines FILE...")
    for path in paths:
        try:
            with pyarrow.parquet.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=ROWS):
                    for row in batch.to_pylist():
                        sys.stdout.write(json.dumps(plain(row), ensure_ascii=False) + "\n")
        except (OSError, pyarrow.ArrowException) as error:
            sys.stdout.flush()
            sys.exit(f"{path}: {error}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    try:
        main(sys.argv[1:])
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
