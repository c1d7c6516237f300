"""The files of a corpus, in the order in which crawlsieve reads them."""

import dataclasses
import os

from crawlsieve_spark import files
from crawlsieve_spark.errors import Refused

# As kFileTypes in consumer/input/file_reader.cc.
_RECORDS = (".warc", ".wet", ".jsonl", ".ndjson", ".json", ".cdxj")
_PAGES = (".html", ".htm", ".xhtml", ".txt")
_PARQUET = (".parquet",)
_WACZ = (".wacz",)  # files of records that are packed in no other way
# About what one task extracts, as it lies on the disk.
_TASK_BYTES = 64 << 20
_PAGES_AT_ONCE = 1_000


@dataclasses.dataclass(frozen=True)
class Unit:
    """Files that are extracted together, to one file of entries."""
    number: int
    kind: str  # records, pages, parquet
    paths: tuple
    bytes: int

    @property
    def name(self):
        return f"{self.number:06}"

    def identity(self):
        """What its entries depend on, as far as the files say it: pages without a time of their own
        have that of their file."""
        try:
            return [[path, files.digest_of(path), os.stat(path).st_mtime_ns] for path in self.paths]
        except OSError as error:
            raise Refused(f"{error.filename}: {error.strerror}") from error


def units_of(paths):
    """Files of records one by one; files of one page each some together."""
    units = []
    pages = []

    def put_pages():
        if pages:
            units.append(_unit(units, "pages", pages))
            pages.clear()

    for path in _expanded(paths):
        kind = _kind_of(path)
        if kind == "pages":
            pages.append(path)
            if len(pages) == _PAGES_AT_ONCE:
                put_pages()
        else:
            put_pages()
            units.append(_unit(units, kind, [path]))
    put_pages()
    return units


def batches_of(units):
    """Units of one task each."""
    batches = []
    size = 0
    for unit in units:
        if not batches or size + unit.bytes > _TASK_BYTES:
            batches.append([])
            size = 0
        batches[-1].append(unit)
        size += unit.bytes
    return batches


def _unit(before, kind, paths):
    return Unit(len(before) + 1, kind, tuple(paths), sum(os.path.getsize(path) for path in paths))


def _kind_of(path):
    name = os.path.basename(path).lower()
    if name.endswith(_PARQUET):
        return "parquet"
    if name.endswith(_WACZ):
        return "records"
    stem = name.removesuffix(".gz")
    if stem.endswith(_RECORDS) or stem.removesuffix(".zst").endswith(_RECORDS):
        return "records"
    return "pages" if stem.endswith(_PAGES) else None


def _expanded(paths):
    """All files; those of a folder in byte order of their paths. Names every path that can't be
    used."""
    found = []
    mistakes = []
    for path in map(os.path.abspath, paths):
        if os.path.isdir(path):
            inside = [os.path.join(folder, name) for folder, _, names in os.walk(path)
                      for name in names]
            known = [file for file in inside if _kind_of(file) and os.path.isfile(file)]
            if not known:
                mistakes.append(f"{path}: no file in this folder has a known ending")
            found += sorted(known, key=os.fsencode)
        elif not os.path.exists(path):
            mistakes.append(f"{path}: no such file")
        elif not _kind_of(path):
            mistakes.append(f"{path}: unknown ending; known are {', '.join(_RECORDS + _PAGES)}, "
                            "also with .gz behind, those of records with .zst too, .wacz and .parquet")
        else:
            found.append(path)
    if mistakes:
        raise Refused("\n".join(mistakes))
    return found
