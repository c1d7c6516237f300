"""Rows of Parquet files, by script/parquet_lines through `crawlsieve scan -`, get the verdicts of the
same texts as JSON lines.

    parquet_lines_test.py PROGRAM
"""

import datetime
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import pyarrow
import pyarrow.parquet

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = sys.argv.pop(1)
TIME = datetime.datetime(2024, 5, 6, 7, 8, 9)


def text(seed):
    source = random.Random(seed)
    return " ".join(f"w{source.randrange(100_000)}" for _ in range(150))


class ParquetLinesTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write(self, name, columns):
        path = self.folder / name
        pyarrow.parquet.write_table(pyarrow.table(columns), path, row_group_size=300)
        return path

    def lines(self, *paths):
        return subprocess.run([sys.executable, "-B", ROOT / "script/parquet_lines.py", *paths],
                              capture_output=True, timeout=100)

    def scan(self, lines):
        out = self.folder / "verdicts"
        subprocess.run([PROGRAM, "scan", "-", "--format", "corpus", "--out", out], input=lines,
                       check=True, timeout=100)
        return [{key: verdict[key] for key in ("id", "url", "verdict", "reason", "recrawl")}
                for verdict in map(json.loads, out.read_text().splitlines())]

    def test_texts_with_ids_alone(self):
        ids = [f"doc-{i}" for i in range(700)]
        texts = [text(i % 500) for i in range(700)]
        # Without a time of its own a text counts as fetched now, which is another time in each scan.
        rows = {"id": ids, "text": texts, "date": [TIME] * 700}
        done = self.lines(self.write("a.parquet", rows))
        self.assertEqual(done.returncode, 0, done.stderr)
        verdicts = self.scan(done.stdout)
        lines = "".join(json.dumps({"id": i, "text": t, "date": TIME.isoformat() + "Z"}) + "\n"
                        for i, t in zip(ids, texts))
        self.assertEqual(verdicts, self.scan(lines.encode()))
        self.assertEqual([v["id"] for v in verdicts], ids)
        self.assertEqual([v["reason"] for v in verdicts],
                         ["unique"] * 500 + ["exact_duplicate"] * 200)

    def test_columns_of_every_type(self):
        path = self.write("b.parquet", {
            "url": ["http://a.example/größe"], "id": [7], "text": ["Größe \"1\"\n"],
            "date": [TIME], "score": [float("nan")], "raw": [b"\xff\x00"],
            "meta": [{"tags": ["a", None]}]})
        self.assertEqual(json.loads(self.lines(path).stdout), {
            "url": "http://a.example/größe", "id": 7, "text": "Größe \"1\"\n",
            "date": "2024-05-06T07:08:09Z", "score": None, "raw": "/wA=",
            "meta": {"tags": ["a", None]}})

    def test_what_is_no_parquet_file_is_named(self):
        good = self.write("good.parquet", {"id": ["a"], "text": ["x"]})
        cut = self.folder / "cut.parquet"
        cut.write_bytes(good.read_bytes()[:-5])
        for path in (cut, self.folder / "none.parquet"):
            done = self.lines(good, path)
            self.assertEqual(done.returncode, 1)
            self.assertIn(str(path), done.stderr.decode())
            self.assertEqual(len(done.stdout.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
