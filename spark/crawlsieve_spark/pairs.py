"""All near pairs of a set, by the permuted tables of the paper's Example 3.1, and clusters."""

import dataclasses
import json
import os
import struct

from crawlsieve_spark import files, native, tasks
from crawlsieve_spark.errors import Failed, Refused
from crawlsieve_spark.store import Store

# Tables of PermutedTables (plugin/index/batch/permuted_tables.h) at each distance.
_TABLES = (1, 3, 10, 20, 35, 21, 28, 36)
# Fingerprints that are compared in one task, about: 16 bytes each.
_AT_ONCE = 4_000_000
_PIECE_HEAD = struct.Struct("<II")
_END_OF_PIECES = 0xffffffff
_ENTRY_BYTES = 16
# Fingerprints whose pairs are in one file of results, about.
_A_FILE = 2_000_000


def pairs(spark, stages, program, store, max_distance, parts):
    """Writes pairs/part-NNNNN.jsonl, which one after the other are what `crawlsieve index pairs`
    writes. Returns the number of pairs."""
    context = spark.sparkContext
    store = Store.open(context, store, parts)
    inputs = {"store": store.identity, "max_distance": max_distance}

    def verify():
        return {}, len(tasks.results("verify", store.to_rdd(context), _Verification(program)))

    def compare():
        ranges = max(1, -(-store.fingerprints // _AT_ONCE))
        outputs = max(1, -(-store.fingerprints // _A_FILE))
        partitions = _TABLES[max_distance] * ranges
        scattered = store.to_rdd(context).flatMap(_Scatter(program, max_distance, ranges))
        lines = scattered.partitionBy(partitions + 1, int).mapPartitionsWithIndex(
            _Gather(program, max_distance, ranges))
        work = _Write(stages.empty("pairs"))
        ordered = lines.repartitionAndSortWithinPartitions(outputs, _Ranges(outputs))
        written = tasks.collect("pairs", ordered.mapPartitionsWithIndex(work))
        _check_counts(store, ranges, written[0]["counts"])
        return ({f"pairs/{one['file']}": one["sha256"] for one in written},
                {"files": [one["file"] for one in written],
                 "pairs": sum(one["pairs"] for one in written)})

    stages.run("verify", inputs, verify)
    return stages.run("pairs", inputs, compare)


def clusters(spark, stages, program, pair_files):
    """Writes clusters.jsonl, as `crawlsieve index clusters` does. Returns the number of its
    lines."""
    context = spark.sparkContext
    pair_files = [os.path.abspath(path) for path in pair_files]
    try:
        inputs = {"pairs": [files.digest_of(path) for path in pair_files]}
    except OSError as error:
        raise Refused(f"{error.filename}: {error.strerror}") from error

    def join():
        work = _Union(program, stages.path("clusters.jsonl"))
        done = tasks.results("clusters", context.parallelize([pair_files], 1), work)[0]
        return {"clusters.jsonl": done["sha256"]}, done["lines"]

    return stages.run("clusters", inputs, join)


@dataclasses.dataclass
class _Verification:
    """Reads a part to its end. A part of a file reads all of it, so the first one is enough."""
    program: str

    def __call__(self, part_and_content):
        part, content = part_and_content
        if part.chunk.startswith("1/"):
            with part.opened(self.program, content) as (name, stdin):
                native.run(self.program, ["index", "verify", name], stdin)


@dataclasses.dataclass
class _Scatter:
    """The entries of a part by the partition of the permuted tables that they go to, some thousand
    at a time: pairs of its number and their bytes, which nobody looks at here."""
    program: str
    max_distance: int
    ranges: int

    def __call__(self, part_and_content):
        part, content = part_and_content
        arguments = ["--chunk", part.chunk, "--max-distance", self.max_distance, "--ranges",
                     self.ranges]
        with part.opened(self.program, content) as (name, stdin), \
                native.start(self.program, ["index", "scatter", name, *arguments], stdin) as running:
            while True:
                head = running.stdout.read(_PIECE_HEAD.size)
                if len(head) < _PIECE_HEAD.size:
                    break
                partition, entries = _PIECE_HEAD.unpack(head)
                if partition == _END_OF_PIECES:
                    break
                yield partition, running.stdout.read(entries * _ENTRY_BYTES)
            running.finish()
            if len(head) < _PIECE_HEAD.size:
                raise Failed(f"{part.path}: scatter ended early")


@dataclasses.dataclass
class _Gather:
    """The near pairs within a partition, each with its place among all pairs; and how many entries
    there were, in front of all pairs of the first file."""
    program: str
    max_distance: int
    ranges: int

    def __call__(self, partition, pieces):
        arguments = ["index", "gather", "--partition", partition, "--max-distance",
                     self.max_distance, "--ranges", self.ranges]
        entries = 0
        with native.start(self.program, arguments, native.PIPE) as running:
            # The program reads all of its input before it writes anything.
            for _, content in pieces:
                running.stdin.write(content)
                entries += len(content) // _ENTRY_BYTES
            running.stdin.close()
            for line in running.stdout:
                yield _place(line), line
            running.finish()
        yield (*_COUNT, partition), entries


# Goes before every pair.
_COUNT = ("",)


def _place(line):
    """Where a pair goes among all."""
    pair = json.loads(line)
    a, b = pair["a"], pair["b"]
    return (a["fingerprint"], a.get("sequence", 0), b["fingerprint"], b.get("sequence", 0))


@dataclasses.dataclass
class _Ranges:
    """The file of a pair: each has those of a range of fingerprints."""
    count: int

    def __call__(self, place):
        return int(place[0][:8] or "0", 16) * self.count >> 32


@dataclasses.dataclass
class _Write:
    """Writes the pairs of one file, which come in order."""
    folder: str

    def __call__(self, number, placed):
        return [tasks.outcome(lambda: self._write(number, placed))]

    def _write(self, number, placed):
        file = f"part-{number:05}.jsonl"
        written = 0
        counts = {}
        with files.appearing(os.path.join(self.folder, file)) as temporary:
            with open(temporary, "wb") as out:
                for place, line in placed:
                    if place[:1] == _COUNT:
                        counts[place[1]] = line
                    else:
                        out.write(line)
                        written += 1
            digest = files.digest_of(temporary)
        return {"file": file, "pairs": written, "counts": counts, "sha256": digest}


def _check_counts(store, ranges, counts):
    """Every fingerprint was in each table once, or pairs would be missing."""
    links = counts.pop(max(counts))
    tables = {}
    for partition, entries in counts.items():
        tables[partition // ranges] = tables.get(partition // ranges, 0) + entries
    expected_links = 2 * (store.entries - store.fingerprints)
    if set(tables.values()) != {store.fingerprints} or links != expected_links:
        raise Failed(f"{store.name}: tables of {sorted(set(tables.values()))} fingerprints and "
                     f"{links} ends of links, where the set has {store.fingerprints} and "
                     f"{expected_links}")


@dataclasses.dataclass
class _Union:
    """Joins what stands in files of pairs."""
    program: str
    out: str

    def __call__(self, paths):
        with files.appearing(self.out) as temporary:
            native.run(self.program, ["index", "clusters", *paths, "--out", temporary])
            digest = files.digest_of(temporary)
            with open(temporary, "rb") as file:
                lines = sum(1 for _ in file)
        return {"sha256": digest, "lines": lines}
