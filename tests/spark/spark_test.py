"""Batches on Spark beside the same by the native program alone: script/test spark.

    script/spark python tests/spark/spark_test.py PROGRAM [TEST...]
"""

import gzip
import json
import os
import pathlib
import random
import shutil
import stat
import subprocess
import sys
import tempfile
import types
import unittest
import zipfile

from crawlsieve_spark.corpus import Corpus, RowExtraction
from crawlsieve_spark.errors import Failed, Refused
from crawlsieve_spark.inputs import units_of
from crawlsieve_spark.pairs import clusters, pairs
from crawlsieve_spark.query import query
from crawlsieve_spark.session import session
from crawlsieve_spark.stages import Stages

PROGRAM = os.path.abspath(sys.argv.pop(1))
SEED = int(os.environ.get("CRAWLSIEVE_SEED", random.randrange(1 << 32)))

# Does what the program does, but for the first try of each piece of work: then it writes half of
# what it should, and kills the Python worker that waits for it, or fails.
UNLUCKY = """#!/bin/sh
program=%(program)s
case "$1 $2" in
  "index query" | "index scatter" | "index gather" | "index clusters" | "entries extract" | \\
  "entries fold") ;;
  *) exec "$program" "$@" ;;
esac
name=$(printf '%%s ' "$@" | sed 's/[.][0-9a-f]\\{32\\}[.]tmp//g' | md5sum | cut -c1-32)
mkdir %(tried)s/"$name" 2>/dev/null || exec "$program" "$@"
"$program" "$@" 2>/dev/null | head -c 3000
case "$name" in
  [0-7]*) kill -9 $PPID ;;
  *) exit 3 ;;
esac
"""


def setUpModule():
    print(f"seed {SEED}", file=sys.stderr)
    module = sys.modules[__name__]
    module.context = session("tests", "local[2,4]", [("spark.sql.shuffle.partitions", "2")])
    module.SPARK = module.context.__enter__()
    # Tests have tasks fail on purpose.
    module.SPARK.sparkContext.setLogLevel("OFF")


def tearDownModule():
    sys.modules[__name__].context.__exit__(None, None, None)


def native(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=300,
                          check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return done.stdout


def joined(folder):
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


class SparkTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.random = random.Random(f"{SEED} {self.id()}")
        self.told = []

    def stages(self, name):
        return Stages(str(self.root / name), self.told.append)

    def unlucky(self):
        """A program whose every task fails once; and the folder that says which did."""
        tried = self.root / "tried"
        tried.mkdir()
        program = self.root / "unlucky"
        program.write_text(UNLUCKY % {"program": PROGRAM, "tried": tried})
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return str(program), tried


class SetsTest(SparkTest):
    """Queries, pairs and clusters of one set, in several forms."""

    def setUp(self):
        super().setUp()
        entries = []
        bits = 0
        for document in range(1, 6001):
            kind = self.random.randrange(8)
            if kind < 4:
                bits = self.random.getrandbits(64)
            elif kind == 4:
                bits ^= 1 << self.random.randrange(64) | 1 << self.random.randrange(64)
            elif kind == 5:
                bits = 0xabcdef0123456789
            elif kind == 6:
                bits ^= 1 << self.random.randrange(64)
            entries.append((bits, document))
        lines = self.root / "lines"
        lines.write_text("".join(f"{bits:016x} {document}\n" for bits, document in entries))
        self.snapshot = self.build("restart.snapshot", "restart")
        self.archive = self.build("archive.snapshot", "archive")
        self.chunks = self.root / "chunks"
        native("index", "split", self.snapshot, "--chunks", 5, "--out", self.chunks)
        self.queries = self.root / "queries"
        with self.queries.open("w") as file:
            for _ in range(1500):
                bits = self.random.choice(entries)[0]
                for _ in range(self.random.randrange(9)):
                    bits ^= 1 << self.random.randrange(64)
                file.write(f"{bits:016x}\n")

    def build(self, name, kind, scheme="one"):
        path = self.root / name
        native("index", "build", self.root / "lines", "--kind", kind, "--scheme", scheme, "--out",
               path)
        return str(path)

    def query(self, name, store, distance, program=PROGRAM, parts=3):
        query(SPARK, self.stages(name), program, str(store), str(self.queries), distance, parts)
        return joined(self.root / name / "answers")

    def pairs(self, name, store, distance, program=PROGRAM, parts=3):
        pairs(SPARK, self.stages(name), program, str(store), distance, parts)
        return joined(self.root / name / "pairs")

    def expected_query(self, store, distance):
        return native("index", "query", "--store", store, "--queries", self.queries,
                      "--max-distance", distance)

    def test_answers_are_those_of_index_query_at_every_distance(self):
        for distance in range(8):
            with self.subTest(distance=distance):
                expected = self.expected_query(self.snapshot, distance)
                self.assertGreater(expected.count(b'"distance"'), 0)
                self.assertEqual(self.query(f"q{distance}", self.chunks, distance), expected)
        self.assertEqual(self.query("parts", self.snapshot, 6),
                         self.expected_query(self.snapshot, 6))
        self.assertEqual(self.query("archived", self.archive, 3),
                         self.expected_query(self.archive, 3))

    def test_chunks_that_spark_reads_give_the_same(self):
        self.assertEqual(self.query("q", f"file://{self.chunks}", 3),
                         self.expected_query(self.snapshot, 3))
        self.assertEqual(self.pairs("p", f"file://{self.chunks}", 3),
                         native("index", "pairs", self.snapshot, "--max-distance", 3))

    def test_pairs_and_clusters_are_those_of_the_program(self):
        for name, store, original in (("chunks", self.chunks, self.snapshot),
                                      ("whole", self.snapshot, self.snapshot),
                                      ("archived", self.archive, self.archive)):
            with self.subTest(store=name):
                expected = native("index", "pairs", original, "--max-distance", 3)
                self.assertEqual(self.pairs(name, store, 3), expected)
                (self.root / "expected").write_bytes(expected)
                clusters(SPARK, self.stages(name), PROGRAM,
                         map(str, sorted((self.root / name / "pairs").iterdir())))
                self.assertEqual((self.root / name / "clusters.jsonl").read_bytes(),
                                 native("index", "clusters", self.root / "expected"))

    def test_pairs_are_those_of_the_program_at_other_distances(self):
        for distance in (0, 1, 6):
            with self.subTest(distance=distance):
                self.assertEqual(self.pairs(f"p{distance}", self.chunks, distance),
                                 native("index", "pairs", self.snapshot, "--max-distance",
                                        distance))

    def test_tasks_that_are_killed_or_fail_change_nothing(self):
        program, tried = self.unlucky()
        self.assertEqual(self.query("q", self.chunks, 3, program),
                         self.expected_query(self.snapshot, 3))
        self.assertEqual(len(list(tried.iterdir())), 5, "each chunk's first try failed")
        self.assertEqual(self.pairs("p", self.chunks, 1, program),
                         native("index", "pairs", self.snapshot, "--max-distance", 1))
        self.assertGreater(len(list(tried.iterdir())), 10)
        leftovers = [path for path in self.root.rglob("*.tmp")]
        self.assertLess(len(leftovers), 20)

    def test_a_program_that_never_works_is_a_failure(self):
        program = self.root / "broken"
        program.write_text("#!/bin/sh\necho broken as planned >&2\nexit 3\n")
        program.chmod(0o755)
        with self.assertRaisesRegex(Failed, "broken as planned"):
            self.query("q", self.chunks, 3, str(program))
        self.assertFalse((self.root / "q" / "answers").exists())

    def test_what_is_done_isnt_done_again_until_something_changes(self):
        first = self.query("q", self.chunks, 3)
        found = self.root / "q" / "found" / "part-00001.tsv"
        before = found.stat().st_mtime_ns
        self.assertEqual(self.query("q", self.chunks, 3, "/no/such/program"), first)
        self.assertEqual(self.told, ["compare: done before, nothing changed",
                                     "merge: done before, nothing changed"])
        self.assertEqual(found.stat().st_mtime_ns, before)
        # A result that was damaged since.
        found.write_bytes(b"")
        self.assertEqual(self.query("q", self.chunks, 3), first)
        self.assertGreater(found.stat().st_size, 0)
        # Another distance, another set, other queries.
        self.assertEqual(self.query("q", self.chunks, 4), self.expected_query(self.snapshot, 4))
        self.assertEqual(self.query("q", self.archive, 4), self.expected_query(self.archive, 4))
        self.queries.write_text("abcdef0123456789\n")
        self.assertEqual(self.query("q", self.archive, 4), self.expected_query(self.archive, 4))
        self.queries.write_text("")
        self.assertEqual(self.query("q", self.archive, 4), b"")

    def refused(self, store, *patterns, run=None):
        for call in (self.query, self.pairs) if run is None else (run,):
            with self.assertRaises(Refused) as refused:
                call("refused", store, 3)
            for pattern in patterns:
                self.assertRegex(str(refused.exception), pattern)

    def test_chunks_of_another_set_are_refused_by_name(self):
        other = self.root / "other"
        for scheme, offset in (("two", -1), ("one", 7)):
            shutil.rmtree(other, ignore_errors=True)
            native("index", "build", self.root / "lines", "--scheme", scheme, "--log-offset",
                   offset, "--out", self.root / "two")
            native("index", "split", self.root / "two", "--chunks", 5, "--out", other)
            shutil.copy(self.chunks / "chunk-00003.snapshot", other)
            self.refused(other, "chunk-00003.snapshot: a chunk of another set", "scheme one",
                         "keep the chunks of one `index split`")
        # The same scheme, another cut.
        shutil.rmtree(other)
        native("index", "split", self.snapshot, "--chunks", 4, "--out", other)
        shutil.copy(self.chunks / "chunk-00002.snapshot", other)
        self.refused(other, "chunk-00002.snapshot: a chunk of another set")
        # One more than there should be, and one less.
        shutil.rmtree(other)
        shutil.copytree(self.chunks, other)
        shutil.copy(other / "chunk-00001.snapshot", other / "chunk-00009.snapshot")
        self.refused(other, "set.json doesn't name chunk-00009.snapshot")
        os.unlink(other / "chunk-00009.snapshot")
        os.unlink(other / "chunk-00004.snapshot")
        self.refused(other, "aren't there: chunk-00004.snapshot", "split the set again")

    def test_damage_is_refused_by_name(self):
        chunk = self.chunks / "chunk-00002.snapshot"
        whole = chunk.read_bytes()
        for at in (20, 300, len(whole) - 2):
            with self.subTest(at=at):
                changed = bytearray(whole)
                changed[at] ^= 4
                chunk.write_bytes(changed)
                self.refused(self.chunks, "chunk-00002.snapshot", "it is damaged", "copy it again")
        chunk.write_bytes(whole[:-256])
        self.refused(self.chunks, "chunk-00002.snapshot", "shorter than its header says")
        chunk.write_bytes(b"<html>not a snapshot</html>" * 100)
        self.refused(self.chunks, "chunk-00002.snapshot: not a snapshot", "index split")
        # Spark has read it: the name is still the file's.
        self.refused(f"file://{self.chunks}", "chunk-00002.snapshot: not a snapshot")
        chunk.write_bytes(whole)
        (self.chunks / "set.json").write_text("{")
        self.refused(self.chunks, "set.json: damaged")
        os.unlink(self.chunks / "set.json")
        self.refused(self.chunks, "set.json: No such file", "crawlsieve index split")
        # A snapshot that isn't cut.
        damaged = bytearray(pathlib.Path(self.snapshot).read_bytes())
        damaged[-1000] ^= 1
        pathlib.Path(self.snapshot).write_bytes(damaged)
        self.refused(self.snapshot, "snapshot", "damaged|checksum")
        self.refused(self.queries, "queries: not a snapshot")
        self.refused(self.root / "nothing", "nothing: No such file")

    def test_queries_that_are_none_are_refused(self):
        self.queries.write_text("abcdef0123456789\nnonsense\n")
        self.refused(self.chunks, "queries:2: not 16 hexadecimal digits", run=self.query)


def page_of(number):
    """The body of a page; some repeat others or nearly do."""
    words = random.Random(number % 40)
    text = " ".join(f"word{words.randrange(3000)}" for _ in range(150))
    more = f" number{number}" if number % 3 == 0 else ""
    return (f"<html><head><title>Page {number % 40}</title></head><body><p>{text}{more}</p></body>"
            "</html>")


def record_of(number):
    return {"url": f"http://host{number % 5}.example/{number % 170}",
            "fetch_time": f"2026-01-{1 + number % 28:02}T00:00:00Z", "content_type": "text/html",
            "body": page_of(number)}


class CorpusTest(SparkTest):
    """Pages in all kinds of files, judged at once by scan and in parts."""

    def setUp(self):
        super().setUp()
        pages = self.root / "pages"
        (pages / "more").mkdir(parents=True)
        with open(pages / "a.jsonl", "w", encoding="utf-8") as file:
            for number in range(60):
                file.write(json.dumps(record_of(number)) + "\n")
            file.write('{"no": "url"}\n')
        with gzip.open(pages / "b.warc.gz", "wb") as file:
            for number in range(60, 120):
                body = ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" +
                        page_of(number)).encode()
                file.write(b"WARC/1.0\r\nWARC-Type: response\r\n"
                           b"WARC-Target-URI: http://warc.example/%d\r\n"
                           b"WARC-Date: 2026-02-01T00:00:00Z\r\n"
                           b"Content-Type: application/http; msgtype=response\r\n"
                           b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (number, len(body), body))
        for number in range(15):
            (pages / "more" / f"{number:02} +%.html").write_text(page_of(number * 7))
        (pages / "more" / "ignored.bin").write_text("nothing")
        self.rows = [record_of(number) | {"lang": "en", "score": number}
                     for number in range(120, 200)]
        self.rows[5]["url"] = None
        self.parquet("z.parquet", self.rows)
        # As scan reads it: rows are lines of JSON.
        self.lines = self.root / "z.jsonl"
        with self.lines.open("w", encoding="utf-8") as file:
            for row in self.rows:
                known = {name: value for name, value in row.items() if value is not None}
                file.write(json.dumps(known) + "\n")
        self.pages = pages

    def parquet(self, name, rows, schema="url string, fetch_time string, content_type string, "
                                         "body string, lang string, score int"):
        folder = self.root / "parquet"
        SPARK.createDataFrame(rows, schema).coalesce(1).write.mode("overwrite").parquet(
            f"file://{folder}")
        [file] = folder.glob("*.parquet")
        os.replace(file, self.root / "pages" / name)

    def judge(self, name, *paths, program=PROGRAM, config=None, fields=(), keep=None):
        arguments = types.SimpleNamespace(
            paths=[str(path) for path in paths or [self.pages]], config=config, format=None,
            field=list(fields), keep=keep)
        corpus = Corpus(SPARK, self.stages(name), program, arguments)
        corpus.judge()
        return corpus

    @staticmethod
    def comparable(lines):
        verdicts = []
        for line in lines.splitlines():
            verdict = json.loads(line)
            del verdict["processed_at"]
            verdicts.append(verdict)
        return verdicts

    def verdicts(self, name):
        return self.comparable(joined(self.root / name / "verdicts"))

    def scan(self, *paths, code=0):
        out = self.root / "scan.jsonl"
        done = subprocess.run([PROGRAM, "scan", *map(str, paths), "--out", str(out)],
                              capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return self.comparable(out.read_bytes())

    def scan_all(self):
        files = [self.pages / "a.jsonl", self.pages / "b.warc.gz",
                 *sorted((self.pages / "more").glob("*.html")), self.lines]
        return self.scan(*files)

    def rows_of(self, name, table, order):
        rows = SPARK.read.parquet(f"file://{self.root / name / table}").orderBy(*order).collect()
        return [row.asDict(recursive=True) for row in rows]

    def test_wacz_files_are_read_by_the_program(self):
        file = self.root / "crawl.wacz"
        with zipfile.ZipFile(file, "w") as wacz:
            wacz.write(self.pages / "b.warc.gz", "archive/b.warc.gz")
        self.judge("w", file)
        self.assertEqual(self.verdicts("w"), self.scan(file))
        self.assertEqual(len(self.verdicts("w")), 60)

    def test_verdicts_are_those_of_one_scan_row_by_row(self):
        corpus = self.judge("c")
        expected = self.scan_all()
        self.assertEqual(self.verdicts("c"), expected)
        self.assertEqual(len(expected), 214)
        self.assertIn("2 dead letters", corpus.summary())
        dead = self.comparable_dead_letters("c")
        self.assertEqual([letter["code"] for letter in dead], ["missing_url", "missing_url"])

        table = self.rows_of("c", "table", ["sequence"])
        self.assertEqual([(row["url"], row["verdict"], row["reason"], row["sequence"])
                          for row in table],
                         [(row["url"], row["verdict"], row["reason"], row["sequence"])
                          for row in expected])
        by_place = {(row["file"], row["record"]): row for row in table}
        self.assertEqual(len(by_place), len(table))
        for (file, record), row in by_place.items():
            if file.endswith(".html"):
                self.assertEqual(row["url"], pathlib.Path(file).as_uri())
            elif file.endswith("a.jsonl"):
                self.assertEqual(row["url"], record_of(record - 1)["url"])
            elif file.endswith(".parquet"):
                self.assertEqual(row["url"], self.rows[record - 1]["url"])

        with_columns = self.rows_of("c", "joined", ["record"])
        self.assertEqual(len(with_columns), len(self.rows))
        for row, page in zip(with_columns, self.rows, strict=True):
            self.assertEqual(row["page"], {name: page[name] for name in (
                "url", "fetch_time", "content_type", "lang", "score")})
            verdict = by_place.get((row["file"], row["record"]), {})
            self.assertEqual(row["reason"], verdict.get("reason"))
        self.assertIsNone(with_columns[5]["verdict"], "a dead letter has none")

        groups = self.rows_of("c", "groups", ["file", "record"])
        repeats = [row for row in expected
                   if row["cluster"] and row["cluster"]["id"] != row["sequence"]]
        self.assertEqual(len(groups), len(repeats))
        self.assertGreater(len(groups), 50)
        for row in groups:
            kept = by_place[row["kept_file"], row["kept_record"]]
            self.assertEqual(kept["sequence"], row["cluster_id"])
            self.assertEqual(kept["url"], row["kept_url"])
            self.assertEqual(kept["verdict"], "keep")

    def comparable_dead_letters(self, name):
        return [json.loads(line)
                for line in joined(self.root / name / "dead_letters").splitlines()]

    def test_tasks_that_are_killed_or_fail_change_nothing(self):
        program, tried = self.unlucky()
        self.judge("c", program=program)
        self.assertEqual(len(list(tried.iterdir())), 5, "four units and the fold")
        self.assertEqual(self.verdicts("c"), self.scan_all())

    def test_only_what_changed_is_done_again(self):
        self.judge("c")
        before = self.verdicts("c")
        self.judge("c")
        self.assertEqual([text.split(":")[0] for text in self.told],
                         ["fold", "tables"])
        entries = {path.name: path.stat().st_mtime_ns
                   for path in (self.root / "c" / "entries").iterdir()}
        with open(self.pages / "a.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(record_of(777)) + "\n")
        self.judge("c")
        self.assertEqual(self.verdicts("c"), self.scan_all())
        self.assertNotEqual(self.verdicts("c"), before)
        again = {path.name: path.stat().st_mtime_ns
                 for path in (self.root / "c" / "entries").iterdir()}
        self.assertEqual([name for name in again if again[name] != entries[name]],
                         ["000001.entries"])
        # Entries that were damaged since are made again, verdicts that are gone too.
        (self.root / "c" / "entries" / "000002.entries").write_bytes(b"damaged")
        shutil.rmtree(self.root / "c" / "verdicts")
        self.judge("c")
        self.assertEqual(self.verdicts("c"), self.scan_all())

    def test_rows_that_end_early_leave_no_marker(self):
        corpus = self.judge("c")
        unit = units_of([self.pages])[3]
        self.assertEqual(unit.kind, "parquet")
        shutil.rmtree(self.root / "c" / ".stages" / "extract")
        (self.root / "c" / ".stages" / "extract").mkdir()
        rows = [json.dumps(row).encode() for row in self.rows]
        for lines in (rows[:-1], []):
            with self.assertRaisesRegex(Failed, "z.parquet: .* where the file has 80"):
                RowExtraction(corpus.extraction, unit, len(rows))(iter(lines))
        self.assertEqual(list((self.root / "c" / ".stages" / "extract").iterdir()), [])

    def test_columns_become_fields(self):
        # As another crawler names them, with bytes for the body.
        rows = [{"target": row["url"], "at": row["fetch_time"],
                 "html": bytearray(row["body"], "utf-8")} for row in self.rows]
        self.parquet("z.parquet", rows, "target string, at string, html binary")
        self.judge("c", self.pages / "z.parquet", keep="target",
                   fields=[("url", "target"), ("fetch_time", "at"), ("body", "html"),
                           ("content_type", "'text/html'")])
        self.assertEqual(self.verdicts("c"), self.scan(self.lines))
        self.assertEqual(self.rows_of("c", "joined", ["record"])[0]["page"],
                         {"target": self.rows[0]["url"]})

    def test_damaged_files_are_named_and_the_rest_is_judged(self):
        whole = (self.pages / "b.warc.gz").read_bytes()
        (self.pages / "b.warc.gz").write_bytes(whole[:len(whole) * 2 // 3])
        corpus = self.judge("c", self.pages / "b.warc.gz")
        self.assertEqual(corpus.damaged, 1)
        self.assertIn("b.warc.gz", corpus.summary())
        self.assertEqual(self.verdicts("c"), self.scan(self.pages / "b.warc.gz", code=4))

    def test_what_isnt_pages_is_refused_by_name(self):
        (self.root / "strange.bin").write_text("nothing")
        (self.root / "none.parquet").write_text("no Parquet")
        (self.root / "empty.jsonl").write_text("")
        for path, pattern in ((self.root / "strange.bin", "strange.bin: unknown ending"),
                              (self.root / "nothing.jsonl", "nothing.jsonl: no such file"),
                              (self.root / "none.parquet", "none.parquet"),
                              (self.root / "empty.jsonl", "none of the 0 records")):
            with self.subTest(path=path.name), self.assertRaisesRegex(Refused, pattern):
                self.judge("c", path)
        config = self.root / "wrong.yaml"
        config.write_text("judge:\n  no_such_key: 1\n")
        with self.assertRaisesRegex(Refused, "no_such_key"):
            self.judge("c", self.pages / "a.jsonl", config=str(config))


class CommandLineTest(SparkTest):
    def run_command(self, *arguments):
        return subprocess.run([sys.executable, "-B", "-m", "crawlsieve_spark", *map(str, arguments),
                               "--program", PROGRAM, "--master", "local[1,4]"],
                              capture_output=True, text=True, timeout=120, check=False)

    def test_results_and_refusals_have_exit_codes(self):
        (self.root / "lines").write_text("00000000000000ff 1\n00000000000000fe 2\n")
        native("index", "build", self.root / "lines", "--out", self.root / "snapshot")
        done = self.run_command("pairs", self.root / "snapshot", "--out", self.root / "p")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 pairs", done.stdout)
        refused = self.run_command("query", self.root / "lines", "--queries", self.root / "lines",
                                   "--out", self.root / "q")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("lines: not a snapshot", refused.stderr)
        self.assertNotIn("Traceback", refused.stderr)
        self.assertEqual(self.run_command("pairs").returncode, 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
