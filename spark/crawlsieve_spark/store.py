"""Snapshots as Spark meets them: one file that every machine sees, or the chunks of a set."""

import contextlib
import dataclasses
import hashlib
import json
import os
import struct
import subprocess

from py4j.protocol import Py4JError

from crawlsieve_spark import files, native
from crawlsieve_spark.errors import Refused

_MAGIC = b"\x89CSIX\r\n\x1a"
_HEADER_BYTES = 256
_KINDS = {1: "archive", 2: "searchable", 3: "restart"}
# About what a task reads, of a snapshot that isn't cut into chunks.
_PART_BYTES = 64 << 20
_STDIN = "/dev/stdin"
_LISTING = "set.json"


@dataclasses.dataclass(frozen=True)
class Header:
    """What the first bytes of a snapshot say: docs/snapshot_format.md."""
    kind: str
    scheme: str
    log_offset: int
    entries: int
    fingerprints: int

    @staticmethod
    def read(content, name):
        if len(content) < _HEADER_BYTES or content[:8] != _MAGIC:
            raise Refused(f"{name}: not a snapshot; `crawlsieve index build` and `index export` "
                          "make them, `index split` makes chunks of them")
        kind = _KINDS.get(content[12], "unknown")
        log_offset, entries, fingerprints = struct.unpack_from("<qQQ", content, 48)
        scheme = content[16:48].rstrip(b"\0").decode("utf-8", "replace")
        return Header(kind, scheme, log_offset, entries, fingerprints)

    @staticmethod
    def of(path):
        try:
            with open(path, "rb") as file:
                return Header.read(file.read(_HEADER_BYTES), path)
        except OSError as error:
            raise Refused(f"{path}: {error.strerror}") from error


@dataclasses.dataclass(frozen=True)
class Part:
    """What one task reads of a set."""
    number: int
    path: str
    chunk: str = "1/1"  # of the file
    header: Header = None  # that the set has; None: the whole file is the set
    entries: int = 0
    sha256: str = ""  # that set.json names

    @contextlib.contextmanager
    def opened(self, program, content=None):
        """Gives the name under which the program reads this part, and its standard input. Refuses a
        chunk that isn't the one that the set names. `content`: of a chunk that Spark has read."""
        try:
            file = open(self.path if content is None else native.in_memory(content), "rb")
        except OSError as error:
            raise Refused(f"{self.path}: {error.strerror}") from error
        with file:
            try:
                if self.header is not None:
                    self._check(program, file)
                yield (self.path, subprocess.DEVNULL) if content is None else (_STDIN, file)
            except Refused as refused:
                raise Refused(str(refused).replace(_STDIN, self.path)) from refused

    def _check(self, program, file):
        found = Header.read(file.read(_HEADER_BYTES), self.path)
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        if digest == self.sha256:
            return
        try:
            native.run(program, ["index", "verify", _STDIN], stdin=file)
        except Refused as refused:
            raise Refused(f"{refused}: it is damaged; copy it again from where the set was split, "
                          "or split the set again") from refused
        raise Refused(
            f"{self.path}: a chunk of another set: it has {found.entries} entries of scheme "
            f"{found.scheme or 'none'} up to log offset {found.log_offset}, set.json names one of "
            f"{self.entries}, {self.header.scheme or 'none'} and {self.header.log_offset}; keep "
            "the chunks of one `index split` in a folder of their own")


@dataclasses.dataclass(frozen=True)
class Store:
    """A set of fingerprints."""
    name: str
    entries: int
    fingerprints: int
    parts: tuple
    identity: dict  # for a stage's marker

    @staticmethod
    def open(context, path, parts=0):
        """The snapshot `path`, in `parts` parts or as many as its size suggests; or the set whose
        chunks are in the folder `path`, which may be a URL that Spark reads."""
        if _is_remote(path):
            return _open_remote_set(context, path)
        if os.path.isdir(path):
            return _open_set(path)
        header = Header.of(path)
        count = parts or max(1, -(-os.path.getsize(path) // _PART_BYTES))
        path = os.path.abspath(path)
        return Store(path, header.entries, header.fingerprints,
                     tuple(Part(i, path, f"{i}/{count}") for i in range(1, count + 1)),
                     {"snapshot": files.digest_of(path), "parts": count})

    def to_rdd(self, context):
        """Pairs of a part and its content; None where the path is for the task to read."""
        if not _is_remote(self.name):
            return context.parallelize([(part, None) for part in self.parts], len(self.parts))
        by_name = {os.path.basename(part.path): part for part in self.parts}
        chunks = context.binaryFiles(f"{self.name}/*.snapshot", len(self.parts))
        return chunks.map(lambda chunk: (by_name[os.path.basename(chunk[0])], chunk[1]))


def _is_remote(path):
    return "://" in path


def _open_set(folder):
    try:
        with open(os.path.join(folder, _LISTING), "rb") as file:
            listing = file.read()
    except OSError as error:
        raise Refused(f"{folder}/{_LISTING}: {error.strerror}; `crawlsieve index split` writes it "
                      "beside the chunks of a set") from error
    return _set_of(os.path.abspath(folder), listing, os.listdir(folder))


def _open_remote_set(context, url):
    url = url.rstrip("/")
    folder = context._jvm.org.apache.hadoop.fs.Path(url)
    try:
        system = folder.getFileSystem(context._jsc.hadoopConfiguration())
        names = [status.getPath().getName() for status in system.listStatus(folder)]
        listing = context.binaryFiles(f"{url}/{_LISTING}").values().first()
    except Py4JError as error:
        why = str(getattr(error, "java_exception", error)).splitlines()[0]
        raise Refused(f"{url}/{_LISTING}: {why}; `crawlsieve index split` writes it beside the "
                      "chunks of a set") from error
    return _set_of(url, listing, names)


def _set_of(folder, listing, present):
    """The set that `listing` describes, of chunks in `folder`, which has the files `present`."""
    name = f"{folder}/{_LISTING}"
    try:
        described = json.loads(listing)
        header = Header(described["kind"], described["scheme"], described["log_offset"],
                        described["entries"], described["fingerprints"])
        parts = tuple(
            Part(number, f"{folder}/{chunk['file']}", header=header, entries=chunk["entries"],
                 sha256=chunk["sha256"])
            for number, chunk in enumerate(described["chunks"], 1))
    except (ValueError, KeyError, TypeError) as error:
        raise Refused(f"{name}: damaged ({error}); split the set again") from error
    named = {os.path.basename(part.path) for part in parts}
    missing = sorted(named - set(present))
    if missing:
        raise Refused(f"{folder}: set.json names chunks that aren't there: {', '.join(missing)}; "
                      "copy them, or split the set again")
    strange = sorted(file for file in present
                     if file not in named and file != _LISTING and not file.startswith("."))
    if strange:
        raise Refused(f"{folder}: set.json doesn't name {', '.join(strange)}; keep the chunks of "
                      "one `index split` in a folder of their own")
    if sum(part.entries for part in parts) != header.entries:
        raise Refused(f"{name}: damaged: the chunks have {sum(part.entries for part in parts)} "
                      f"entries, the set {header.entries}; split the set again")
    return Store(folder, header.entries, header.fingerprints, parts,
                 {"set": hashlib.sha256(listing).hexdigest()})
