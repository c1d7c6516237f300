"""The paper's section 3.3: every task compares all queries with its part of the stored set."""

import dataclasses
import heapq
import json
import os
import shutil

from pyspark import SparkFiles

from crawlsieve_spark import files, native, tasks
from crawlsieve_spark.errors import Failed, Refused
from crawlsieve_spark.store import Store

# Queries of one file of answers.
_AT_ONCE = 100_000


def query(spark, stages, program, store, queries, max_distance, parts):
    """Writes answers/part-NNNNN.jsonl, which one after the other are what `crawlsieve index query`
    writes. Returns the number of queries."""
    context = spark.sparkContext
    store = Store.open(context, store, parts)
    try:
        inputs = {"store": store.identity, "queries": files.digest_of(queries),
                  "max_distance": max_distance}
    except OSError as error:
        raise Refused(f"{queries}: {error.strerror}") from error

    def send():
        return _send(context, stages, queries, inputs["queries"])

    def compare():
        work = _Comparison(program, send(), queries, max_distance, stages.empty("found"))
        found = tasks.results("compare", store.to_rdd(context), work)
        found.sort(key=lambda one: one["part"])
        if [one["part"] for one in found] != [part.number for part in store.parts]:
            raise Failed(f"{store.name}: not every chunk was compared once")
        return ({f"found/{one['file']}": one["sha256"] for one in found},
                [{"file": one["file"], "begins": one["begins"]} for one in found])

    def merge():
        pieces = len(found[0]["begins"]) - 1
        work = _Merge(send(), stages.path("found"), stages.empty("answers"), found)
        merged = tasks.results("merge", context.parallelize(range(pieces), max(pieces, 1)), work)
        return ({f"answers/{one['file']}": one["sha256"] for one in merged},
                sum(one["queries"] for one in merged))

    found = stages.run("compare", inputs, compare)
    return stages.run("merge", inputs, merge)


def _send(context, stages, path, digest):
    """Sends a file to all machines. Returns its name there, which no other content has."""
    name = f"{digest[:16]}-{os.path.basename(path)}"
    copy = stages.path(".stages", name)
    if not files.is_intact(stages.folder, {f".stages/{name}": digest}):
        with files.appearing(copy) as temporary:
            shutil.copyfile(path, temporary)
            if files.digest_of(temporary) != digest:
                raise Refused(f"{path}: changed while it was read; start again")
    context.addFile(copy)
    return name


@dataclasses.dataclass
class _Comparison:
    """Compares a part with the queries. Writes a line for each query with matches: its number, a
    tab, and what the program says; and where each `_AT_ONCE` queries begin."""
    program: str
    queries: str
    asked: str  # the file that the queries are of, for messages
    max_distance: int
    folder: str

    def __call__(self, part_and_content):
        try:
            return self._compare(*part_and_content)
        except Refused as refused:
            asked = SparkFiles.get(self.queries)
            raise Refused(str(refused).replace(asked, self.asked)) from refused

    def _compare(self, part, content):
        file = f"part-{part.number:05}.tsv"
        path = os.path.join(self.folder, file)
        with part.opened(self.program, content) as (name, stdin), \
                files.appearing(path) as temporary:
            arguments = ["index", "query", "--store", name, "--chunk", part.chunk, "--queries",
                         SparkFiles.get(self.queries), "--max-distance", self.max_distance]
            with native.start(self.program, arguments, stdin) as running, \
                    open(temporary, "wb") as out:
                begins = _keep_found(running.stdout, out)
                running.finish()
            digest = files.digest_of(temporary)
        return {"part": part.number, "file": file, "begins": begins, "sha256": digest}


def _keep_found(lines, out):
    begins = []
    at = 0
    for number, line in enumerate(lines):
        if number % _AT_ONCE == 0:
            begins.append(at)
        if not line.endswith(b'"matches":[]}\n'):
            at += out.write(b"%d\t%s" % (number, line))
    return [*begins, at]


@dataclasses.dataclass
class _Merge:
    """Makes the answers of `_AT_ONCE` queries of what was found in the parts."""
    queries: str
    folder: str
    answers: str
    found: list

    def __call__(self, piece):
        file = f"part-{piece:05}.jsonl"
        with files.appearing(os.path.join(self.answers, file)) as temporary:
            with open(temporary, "wb") as out:
                queries = self._write(piece, out)
            digest = files.digest_of(temporary)
        return {"file": file, "queries": queries, "sha256": digest}

    def _write(self, piece, out):
        found = heapq.merge(*(self._found_by(one, piece) for one in self.found),
                            key=lambda answer: answer[0])
        answer = next(found, None)
        count = 0
        for number, fingerprint in self._asked(piece):
            lines = []
            while answer is not None and answer[0] == number:
                lines.append(answer[1])
                answer = next(found, None)
            out.write(_joined(fingerprint, lines))
            count += 1
        if answer is not None:
            raise Failed(f"an answer to query {answer[0]}, which wasn't asked")
        return count

    def _asked(self, piece):
        """Numbers and fingerprints of the piece's queries."""
        with open(SparkFiles.get(self.queries), "rb") as file:
            for number, line in enumerate(file):
                if number >= (piece + 1) * _AT_ONCE:
                    return
                if number >= piece * _AT_ONCE:
                    yield number, line[:16].lower()

    def _found_by(self, part, piece):
        begin, end = part["begins"][piece:piece + 2]
        with open(os.path.join(self.folder, part["file"]), "rb") as file:
            file.seek(begin)
            while file.tell() < end:
                number, line = file.readline().split(b"\t", 1)
                yield int(number), line


def _joined(fingerprint, lines):
    """One answer of those of several parts."""
    if not lines:
        return b'{"fingerprint":"%s","matches":[]}\n' % fingerprint
    if len(lines) == 1:
        return lines[0]
    matches = [match for line in lines for match in json.loads(line)["matches"]]
    # As HammingIndex::Find orders them; fingerprints have digits of one length.
    matches.sort(key=lambda match: (match["distance"], match.get("sequence", 0),
                                    match["fingerprint"]))
    answer = {"fingerprint": fingerprint.decode(), "matches": matches}
    return json.dumps(answer, separators=(",", ":")).encode() + b"\n"
