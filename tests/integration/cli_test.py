#!/usr/bin/env python3
"""Commands over files: what can't be used is refused with a message and exit code, what is damaged
is named and counted, and nothing that a page says reaches the terminal raw.

    cli_test.py PROGRAM
"""

import collections
import fcntl
import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

PROGRAM = sys.argv.pop(1)
DONE, WRONG_INPUT, INCOMPLETE = 0, 1, 4
REVISITS = pathlib.Path(__file__).parent.parent / "data/revisits"

# Each makes an assertion of the HTML parser fail.
BREAKING = ["<table><math><th><mo><select></table>", "<table><math><td><mi><select></table>",
            "<table><svg><td><desc><select></table>"]


def words(seed, count=60):
    source = random.Random(seed)
    return " ".join(f"w{source.randrange(100_000)}" for _ in range(count))


def warc(url, body, kind="response"):
    http = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}"
    return (f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n"
            f"Content-Type: application/http\r\nContent-Length: {len(http)}\r\n\r\n{http}\r\n\r\n").encode()


class CliTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def run_program(self, *arguments, expect, stdin=""):
        done = subprocess.run([PROGRAM, *map(str, arguments)], input=stdin.encode(),
                              capture_output=True, timeout=100)
        done.stdout = done.stdout.decode(errors="surrogateescape")
        done.stderr = done.stderr.decode(errors="surrogateescape")
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def test_version_names_the_commit_that_was_built(self):
        done = self.run_program("--version", expect=DONE)
        self.assertRegex(done.stdout, r"^\d+\.\d+\.\d+ \(commit ([0-9a-f]{12}(-dirty)?|unknown)\)\n$")

    def write_lines(self, name, records):
        path = self.folder / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    def scan(self, *paths, expect=DONE):
        """Exit code as expected; the verdicts, the summary and what was said."""
        out = self.folder / "verdicts"
        done = self.run_program("scan", *paths, "--out", out, "--json", expect=expect)
        verdicts = [json.loads(line) for line in out.read_text().splitlines()]
        return verdicts, json.loads(done.stdout), done.stderr

    def test_thousand_pages_that_break_the_parser_cost_the_others_nothing(self):
        def body(i):
            return BREAKING[i % 3] if i % 11 == 5 else f"<title>{i}</title><p>{words(i)}"

        pages = self.write_lines("pages.jsonl", (
            {"url": f"http://a.example/{i}", "content_type": "text/html", "body": body(i)}
            for i in range(11_000)))
        config = self.folder / "c.yaml"
        for parser, broken in (("gumbo", ("not_evaluated", "parser_error")), ("fast", ("too_short", None))):
            with self.subTest(parser=parser):
                config.write_text(f"extract: {{parser: {parser}}}\n")
                verdicts, summary, _ = self.scan(pages, "--config", config)
                reasons = collections.Counter((v["reason"], v["detail"]) for v in verdicts)
                self.assertEqual(reasons, {("unique", None): 10_000, broken: 1_000})
                for i, verdict in enumerate(verdicts):
                    self.assertEqual(verdict["reason"] == broken[0], i % 11 == 5)
                self.assertEqual(summary["pages"], 11_000)

    def test_folder_in_the_place_of_a_file_is_an_error(self):
        pages = self.write_lines("p.jsonl", [{"url": "http://a/", "body": words(1)}])
        for arguments in (["extract", self.folder], ["extract", self.folder / "none"],
                          ["eval", "--pages", pages, "--pairs", self.folder],
                          ["eval", "--pages", pages, "--pairs", self.folder / "none"],
                          ["index", "build", self.folder, "--out", self.folder / "x"],
                          ["check", "--config", self.folder], ["scan", pages, "--config", self.folder]):
            done = self.run_program(*arguments, expect=WRONG_INPUT)
            self.assertIn(str(self.folder), done.stderr)
            errors = [line for line in done.stderr.splitlines() if not line.startswith("note: ")]
            self.assertEqual(len(errors), 1, done.stderr)
        self.assertIn("Is a directory", self.run_program("extract", self.folder, expect=1).stderr)

    def test_scan_of_dead_letters_alone_is_wrong_input(self):
        path = self.folder / "p.jsonl"
        path.write_text('{"link": "http://a/", "body": "x"}\nno json\n')
        _, summary, said = self.scan(path, expect=WRONG_INPUT)
        self.assertEqual((summary["pages"], summary["dead_letters"]), (0, 2))
        self.assertIn("none of the 2 records is a page", said)
        path.write_text(path.read_text() + '{"url": "http://a/", "body": "x"}\n')
        self.scan(path)

    def test_scan_of_records_that_hold_no_page_says_what_they_are(self):
        path = self.folder / "a.warc"
        path.write_bytes(warc("http://a/", "x", "request") * 3 + warc("http://a/", "x", "metadata"))
        _, summary, said = self.scan(path, expect=WRONG_INPUT)
        self.assertEqual(summary["set_aside"], {"request": 3, "metadata": 1})
        self.assertIn("no record of a page in these files", said)
        done = self.run_program("scan", path, expect=WRONG_INPUT)
        self.assertIn("set aside", done.stderr)
        self.assertIn("1 metadata, 3 request", done.stderr)

    def test_damaged_member_costs_its_page_alone(self):
        members = [gzip.compress(warc(f"http://a.example/{i}", words(i, 200))) for i in range(18)]
        begin = sum(map(len, members[:6]))
        packed = bytearray(b"".join(members))
        packed[begin + 100:begin + 110] = b"\xff" * 10
        path = self.folder / "a.warc.gz"
        path.write_bytes(packed)
        verdicts, summary, said = self.scan(path, expect=INCOMPLETE)
        whole = {v["url"] for v in verdicts if v["reason"] == "unique"}
        self.assertEqual(whole, {f"http://a.example/{i}" for i in range(18) if i != 6})
        self.assertEqual((summary["damaged_files"], summary["lost_stretches"]), (1, 1))
        self.assertIn(f"warning: {path} at byte ", said)
        self.assertIn(f"of bytes {begin} to {begin + len(members[6]) - 1} of the file is lost", said)
        self.assertIn("1 of 1 files damaged", said)

    def test_record_without_a_body_leaves_the_kept_page_alone(self):
        page = words(7, 200)
        verdicts, _, _ = self.scan(self.write_lines("p.jsonl", [
            {"url": "http://a.example/", "body": page},
            {"url": "http://a.example/", "content": "..."},
            {"url": "http://b.example/", "body": page}]))
        self.assertEqual([v["reason"] for v in verdicts], ["unique", "not_evaluated", "exact_duplicate"])
        self.assertEqual(verdicts[1]["detail"], "missing_body")
        self.assertEqual(verdicts[2]["match"]["url"], "http://a.example/")

    def test_revisit_records_are_judged_by_what_they_refer_to(self):
        def record(url, minute, of=None, profile="identical-payload-digest"):
            http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
            fields = ["WARC/1.1", f"WARC-Target-URI: http://{url}",
                      f"WARC-Date: 2026-03-01T12:{minute:02}:00Z", "Content-Type: application/http"]
            if of is None:
                http += f"<title>x</title><p>{words(url, 200)}"
                fields.append("WARC-Type: response")
            else:
                fields += ["WARC-Type: revisit", "WARC-Truncated: length", "WARC-Profile: "
                           f"http://netpreserve.org/warc/1.1/revisit/{profile}"]
                if of:
                    fields += [f"WARC-Refers-To-Target-URI: http://{of[0]}",
                               f"WARC-Refers-To-Date: 2026-03-01T12:{of[1]:02}:00Z"]
            fields.append(f"Content-Length: {len(http)}")
            return ("\r\n".join(fields) + f"\r\n\r\n{http}\r\n\r\n").encode()

        first = "a.example/1"
        records = [(record(first, 0), "unique", None),
                   (record(first, 1, (first, 0)), "unchanged", first),
                   (record("b.example/1", 2, (first, 0)), "exact_duplicate", first),
                   (record("b.example/1", 3, ("b.example/1", 2)), "exact_duplicate", first),
                   (record(first, 4, ()), "unchanged", first),
                   (record(first, 5, (), "server-not-modified"), "not_modified", None),
                   (record("b.example/2", 6, ("c.example/", 0)), "not_evaluated", None),
                   (record("b.example/3", 7, (first, 9)), "not_evaluated", None),
                   (record("b.example/4", 8, (first, 0), "new"), "not_evaluated", None)]
        for pack in (lambda data: data, gzip.compress):
            path = self.folder / "a.warc.gz"
            path.write_bytes(b"".join(pack(data) for data, _, _ in records))
            verdicts, summary, _ = self.scan(path)
            self.assertEqual(
                [(v["reason"], v["match"] and v["match"]["url"]) for v in verdicts],
                [(reason, match and f"http://{match}") for _, reason, match in records])
            self.assertEqual([v["detail"] for v in verdicts],
                             [None, *["revisit_record"] * 4, "304", *["revisit_record"] * 2,
                              "revisit_profile"])
            self.assertEqual((summary["pages"], summary["revisits"]), (9, 8))
        done = self.run_program("check", "--sample", path, "--all", "--json", expect=DONE)
        shown = json.loads(done.stdout)["records"]
        self.assertEqual(shown[2]["revisit_of"], f"http://{first}")
        self.assertEqual(shown[2]["revisit_time"], "2026-03-01T12:00:00Z")
        self.assertNotIn("not_evaluated", shown[2])
        self.assertEqual(shown[8]["not_evaluated"], "revisit_profile")

    def test_revisit_records_of_other_writers_are_judged(self):
        duplicate, same = ("exact_duplicate", "/p/"), ("unchanged", "/p/")
        wanted = {"warcio": {same: 1, duplicate: 1, ("not_evaluated", None): 1},
                  "warcprox": {duplicate: 6, same: 6},
                  "wget": {duplicate: 4, same: 4}}
        for writer, expected in wanted.items():
            with self.subTest(writer=writer):
                verdicts, summary, _ = self.scan(REVISITS / f"{writer}.warc.gz")
                found = collections.Counter(
                    (v["reason"], v["match"] and urllib.parse.urlsplit(v["match"]["url"]).path[:3])
                    for v in verdicts if v["detail"] == "revisit_record")
                self.assertEqual(found, expected)
                self.assertEqual(summary["revisits"], sum(expected.values()))

    def test_nothing_that_a_page_says_moves_the_cursor(self):
        evil = "\x1b]0;owned\x07\x1b[2J\u009b2J\u202e\x7f\r\n\u2066"
        page = words(3, 600)
        near = page + " " + words(4, 1)
        records = [{"url": f"http://a.example/{evil}", "id": "\x1b[2J", "body": f"<title>{evil}</title>" + page},
                   {"url": f"http://b.example/{evil}", "id": "\u009b\u202e", "body": near},
                   {"address": evil, "body": evil}]
        path = self.write_lines("\x1b[31m\u202e\u009b.jsonl", records)
        pairs = self.folder / "pairs"
        pairs.write_text("\x1b[2J\t\u009b\u202e\tdifferent\t\x1b[2J\nx\x1b[2J\ty\tdifferent\t\u009b\n")
        page_file = self.folder / "page.html"
        page_file.write_text(records[0]["body"])
        damaged = self.folder / "\x1b[2J\u202e.warc.gz"
        damaged.write_bytes(gzip.compress(warc("http://a/", "x"))[:-10])
        runs = [(["scan", path], DONE), (["scan", path, "--json", "--out", "/dev/null"], DONE),
                (["scan", path, "--out", "/dev/null"], DONE),
                (["scan", damaged], INCOMPLETE),
                (["scan", self.folder / "\x1b[2J"], WRONG_INPUT),
                (["extract", page_file, "--url", records[0]["url"]], DONE),
                (["extract", self.folder / "\x1b[2J"], WRONG_INPUT),
                (["eval", "--pages", path], DONE), (["eval", "--pages", path, "--json"], DONE),
                (["eval", "--pages", path, "--pairs", pairs], DONE)]
        for arguments, expected in runs:
            done = self.run_program(*arguments, expect=expected)
            said = done.stdout + done.stderr
            for c in set(said):
                code = ord(c)
                self.assertFalse(code < 32 and c != "\n" or 0x7F <= code <= 0x9F or
                                 code in (0x202E, 0x2066) or 0xD800 <= code <= 0xDFFF,
                                 (arguments, hex(code), said))
        # Escaped, and not left out.
        done = self.run_program("scan", path, "--out", "/dev/null", expect=DONE)
        self.assertIn(r"http://b.example/\x1b]0;owned\x07\x1b[2J\u{9b}2J\u{202e}\x7f\x0d\x0a\u{2066}",
                      done.stdout)
        # JSON for a terminal says the same as JSON for a file.
        shown = self.run_program("scan", path, expect=DONE).stdout.splitlines()
        self.assertEqual([json.loads(line)["url"] for line in shown], [r["url"] for r in records[:2]])

    def test_check_refuses_what_librdkafka_would(self):
        config = self.folder / "c.yaml"
        config.write_text("kafka:\n  client: {ssl.ca.locatoin: /x}\n  producer: {linger_ms: 5}\n"
                          "  consumer: {no.such.thing: 1}\n")
        said = self.run_program("check", "--config", config, expect=WRONG_INPUT).stderr
        self.assertIn("kafka.client.ssl.ca.locatoin: librdkafka has no such property; did you mean "
                      "ssl.ca.location?", said)
        self.assertIn("kafka.producer.linger_ms: librdkafka has no such property; did you mean linger.ms?", said)
        self.assertIn("kafka.consumer.no.such.thing: librdkafka has no such property\n", said)
        mistakes = json.loads(self.run_program("check", "--config", config, "--json", expect=1).stdout)
        self.assertEqual({m["key"] for m in mistakes},
                         {"kafka.client.ssl.ca.locatoin", "kafka.producer.linger_ms",
                          "kafka.consumer.no.such.thing"})
        config.write_text("kafka:\n  client: {socket.timeout.ms: soon}\n")
        said = self.run_program("check", "--config", config, expect=WRONG_INPUT).stderr
        self.assertIn("kafka.client: property socket.timeout.ms", said)
        config.write_text("kafka:\n  client: {socket.timeout.ms: 5000}\n  producer: {linger.ms: 5}\n")
        self.run_program("check", "--config", config, expect=DONE)

    def katana(self, i, **more):
        return {"timestamp": "2024-05-06T09:08:09+02:00",
                "request": {"method": "GET", "endpoint": f"http://a.example/{i}"},
                "response": {"status_code": 200, "headers": {"content-type": "text/html"},
                             "body": f"<p>{words(i)}"}, **more}

    def test_scan_reads_lines_of_other_formats_and_says_once_which(self):
        path = self.write_lines("pages.jsonl", [self.katana(i) for i in range(20)] + [
            {"url": "http://b.example/", "body": f"<p>{words(99)}"},
            {"url": "http://b.example/2", "appid": "a", "body": "x"}])
        verdicts, summary, said = self.scan(path, "--format", "auto")
        self.assertEqual([v["url"] for v in verdicts],
                         [f"http://a.example/{i}" for i in range(20)] + ["http://b.example/"])
        self.assertEqual(said.count("format: katana"), 1)
        self.assertEqual(said.count("format: canonical"), 1)
        self.assertIn("unrecognized_format: nearest format is scrapy_cluster: its field `crawlid`", said)
        self.assertEqual(summary["dead_letters"], 1)
        verdicts, summary, _ = self.scan(path, "--format", "katana")
        self.assertEqual((len(verdicts), summary["dead_letters"]), (20, 2))
        self.run_program("scan", path, "--format", "raw", expect=2)

    def test_scan_writes_the_last_score_of_each_url_as_the_frontier_takes_it(self):
        path = self.write_lines("pages.jsonl", [
            {"url": f"http://a.example/{i}", "fetch_time": f"2026-01-{i + 1:02}T00:00:00Z",
             "content_type": "text/html",
             "body": f"<p>{words(i, 99)}</p><a href=/{i + 1}>next</a><a href=/far>far</a>"}
            for i in range(9)])
        config = self.folder / "c.yaml"
        config.write_text("extract: {links: 10}\njudge: {sites: {max: 1000}}\n")
        scores = self.folder / "scores"
        _, _, said = self.scan(path, "--config", config, "--scores", scores)
        self.assertIn("scores of 11 URLs", said)
        records = {r["url"]: r for r in map(json.loads, scores.read_text().splitlines())}
        self.assertEqual(len(records), 11)
        self.assertEqual(len(scores.read_text().splitlines()), 11, "each URL once")
        for i in range(9):
            self.assertTrue(records[f"http://a.example/{i}"]["fetched"])
        for name in ("9", "far"):
            record = records[f"http://a.example/{name}"]
            self.assertFalse(record["fetched"])
            self.assertEqual(record["parent_url"], "http://a.example/8")
        self.scan(path, "--config", config, "--scores", scores, "--score-format", "nutch")
        # Pages that were just fetched aren't due.
        self.assertEqual([line.split("\t")[0] for line in scores.read_text().splitlines()],
                         ["http://a.example/far", "http://a.example/9"])
        _, _, said = self.scan(path, "--scores", scores)
        self.assertIn("scores of 9 URLs", said, "no links are asked for")
        self.run_program("scan", path, "--scores", scores, "--score-format", "frontier", expect=2)
        self.run_program("scan", path, "--score-format", "nutch", expect=2)

    def test_verdicts_are_written_as_other_programs_take_them(self):
        pages = self.folder / "a.warc"
        records = [warc(f"http://a.example/{i}", words(i % 3)) for i in range(5)]
        pages.write_bytes(b"".join(records))
        config = self.folder / "c.yaml"
        config.write_text("extract: {payload_digests: [sha1]}\n")
        verdicts, _, _ = self.scan(pages, "--config", config)
        self.assertEqual([v["verdict"] for v in verdicts], 3 * ["keep"] + 2 * ["drop"])
        out = self.folder / "out"
        for name, packed in (("verdicts", False), ("verdicts.gz", True)):
            if packed:
                (self.folder / name).write_bytes(
                    gzip.compress((self.folder / "verdicts").read_bytes()))
            done = self.run_program("verdicts", "--format", "cdxj", "--out", out,
                                    self.folder / name, expect=DONE)
            self.assertEqual(done.stderr, "3 records out of 5 verdicts\n")
            index = [line.split(" ", 2) for line in out.read_text().splitlines()]
            self.assertEqual([key for key, _, _ in index], [f"example,a)/{i}" for i in range(3)])
            for i, (_, _, text) in enumerate(index):
                capture = json.loads(text)
                begin, length = int(capture["offset"]), int(capture["length"])
                self.assertEqual(pages.read_bytes()[begin:begin + length] + b"\r\n\r\n", records[i])
        rows = self.run_program("verdicts", "--format", "heritrix", self.folder / "verdicts",
                                expect=DONE).stdout
        self.assertEqual(rows.count("insert or ignore into dedup "), 3)
        self.run_program("verdicts", "--format", "nutch", "--out", out, self.folder / "verdicts",
                         expect=DONE)
        database = out.read_bytes()
        self.assertEqual(database[:4], b"SEQ\x06")
        self.assertEqual([i for i in range(5) if f"http://a.example/{i}".encode() in database],
                         [3, 4])

    def test_verdicts_without_what_a_format_needs_are_counted(self):
        self.scan(self.write_lines("pages.jsonl", [
            {"url": "http://a.example/", "content_type": "text/html", "body": words(1)}]))
        for name in ("cdxj", "heritrix"):
            done = self.run_program("verdicts", "--format", name, self.folder / "verdicts",
                                    expect=WRONG_INPUT)
            self.assertIn("1 verdicts are left out", done.stderr)
            self.assertIn("extract.payload_digests", done.stderr)
        self.run_program("verdicts", "--format", "nutch", self.folder / "verdicts", expect=DONE)

    def test_what_is_no_verdict_is_named_with_its_line(self):
        self.scan(self.write_lines("pages.jsonl", [
            {"url": "http://a.example/", "content_type": "text/html", "body": words(1)}]))
        good = (self.folder / "verdicts").read_text()
        bad = self.folder / "bad"
        for text in (good + "{}\n", good + "x", good + '{"schema_version": 1}\n',
                     good + "[" * 3_000_000):
            bad.write_text(text)
            done = self.run_program("verdicts", "--format", "nutch", bad, expect=WRONG_INPUT)
            self.assertIn(f"{bad}, line 2: ", done.stderr)
        bad.write_bytes(gzip.compress(good.encode())[:-9])
        self.run_program("verdicts", "--format", "nutch", bad, expect=WRONG_INPUT)
        self.run_program("verdicts", "--format", "nutch", self.folder / "none", expect=3)
        self.run_program("verdicts", "--format", "nutch", expect=2)
        self.run_program("verdicts", "--format", "cdx", bad, expect=2)

    def test_plan_of_a_migration_is_a_configuration_that_runs_beside_the_old_one(self):
        old, new = self.folder / "old.yaml", self.folder / "new.yaml"
        old.write_text(json.dumps({
            "kafka": {"group": "g", "log": {"topic": "entries"}, "scores": {"topic": "urls"},
                      "input": {"topics": ["a", "b"]}},
            "service": {"state_directory": str(self.folder / "state") + "/",
                        "checkpoints": {"directory": str(self.folder / "copies")}},
            "http": {"port": 9000}}))
        printed = self.run_program("migrate", "plan", old, "--to", "v2", expect=DONE).stdout
        self.run_program("migrate", "plan", old, "--to", "v2", "--out", new, expect=DONE)
        self.assertEqual(new.read_text(), printed)
        for line in ("kafka.group: g.v2 (was g)", "kafka.log.topic: entries.v2 (was entries)",
                     "kafka.verdicts.topic: crawl.verdicts.v2 (was crawl.verdicts)",
                     "kafka.scores.topic: urls.v2 (was urls)", "http.port: 9001 (was 9000)",
                     f"service.state_directory: {self.folder}/state-v2 (was {self.folder}/state/)"):
            self.assertIn(f"#   {line}\n", printed)
        self.assertNotIn("kafka.key.topic: ", printed.split("\n\n")[0])
        self.run_program("check", "--config", new, expect=DONE)
        said = self.run_program("migrate", "check", old, new, expect=DONE).stdout
        self.assertEqual(said, f"{old} and {new} can run beside each other\n")

    def test_plan_says_where_a_secret_belongs_and_does_not_print_it(self):
        old = self.folder / "old.yaml"
        secret = "a secret key of more than 32 characters"
        old.write_text(json.dumps({"fingerprint": {"key": secret}}))
        printed = self.run_program("migrate", "plan", old, "--to", "v2", expect=DONE).stdout
        self.assertNotIn(secret, printed)
        self.assertIn("# Put in what is shown as ", printed)

    def test_suffixes_that_no_topic_can_have_are_refused(self):
        old = self.folder / "old.yaml"
        old.write_text("{}")
        for suffix in ("", "a b", "a/b", "\x1b[31m", "x" * 250):
            with self.subTest(suffix):
                said = self.run_program("migrate", "plan", old, "--to", suffix, expect=WRONG_INPUT)
                self.assertIn("can't be part of a topic's name", said.stderr)
                self.assertNotIn("\x1b", said.stderr)
        said = self.run_program("migrate", "plan", old, "--to", "x" * 240, expect=WRONG_INPUT)
        self.assertIn("too long", said.stderr)

    def test_configurations_that_share_what_they_must_not_are_refused_with_all_of_it(self):
        old = self.folder / "old.yaml"
        old.write_text("{}")
        for command in ("check", "report"):
            said = self.run_program("migrate", command, old, old, expect=WRONG_INPUT).stderr
            for what in ("kafka.group", "kafka.log.topic", "kafka.verdicts.topic",
                         "kafka.dead_letters.suffix", "service.state_directory"):
                self.assertIn(what, said)
            said = self.run_program("migrate", command, old, self.folder / "none.yaml",
                                    expect=WRONG_INPUT).stderr
            self.assertIn("none.yaml", said)

    def test_scan_finds_fields_where_the_configuration_says(self):
        path = self.write_lines("items.jsonl", [
            {"request": {"loadedUrl": f"http://a.example/{i}"}, "html": f"<p>{words(i)}"} for i in range(3)])
        config = self.folder / "c.yaml"
        config.write_text("kafka:\n  input:\n    format: json\n"
                          "    json: {url: $.request.loadedUrl, body: $.html}\n")
        verdicts, _, _ = self.scan(path, "--config", config)
        self.assertEqual([v["url"] for v in verdicts], [f"http://a.example/{i}" for i in range(3)])
        config.write_text("kafka:\n  input: {format: json, json: {body: html}}\n")
        said = self.run_program("check", "--config", config, expect=WRONG_INPUT).stderr
        self.assertIn("kafka.input.json.url", said)
        self.assertIn("kafka.input.json.body", said)

    def test_scan_judges_texts_that_have_only_an_id(self):
        path = self.write_lines("corpus.jsonl", [
            {"id": f"doc/{i}", "text": words(i % 3, 200)} for i in range(5)] + [
            {"id": 7, "text": words(7, 200)}, {"id": "doc/0", "text": words(8, 200)},
            {"text": words(9, 200)},
            {"id": "<urn:uuid:1>", "url": "http://a.example/", "text": words(10, 200)}])
        out = self.folder / "verdicts"
        done = self.run_program("scan", path, "--format", "corpus", "--out", out, "--json",
                                expect=DONE)
        verdicts = [json.loads(line) for line in out.read_text().splitlines()]
        self.assertEqual([(v["url"], v["id"], v["reason"]) for v in verdicts], [
            ("doc/0", "doc/0", "unique"), ("doc/1", "doc/1", "unique"),
            ("doc/2", "doc/2", "unique"), ("doc/3", "doc/3", "exact_duplicate"),
            ("doc/4", "doc/4", "exact_duplicate"), ("7", "7", "unique"),
            ("doc/0", "doc/0", "updated"), ("http://a.example/", "<urn:uuid:1>", "unique")])
        self.assertEqual(verdicts[3]["match"]["id"], "doc/0")
        self.assertEqual(json.loads(done.stdout)["dead_letters"], 1)

    def test_check_shows_what_records_become(self):
        path = self.write_lines("pages.jsonl", [
            self.katana(1, extra=1), self.katana(2, response=None, error="timeout"), {"x": "\x1b[2J"}]
            + [self.katana(i) for i in range(20)])
        done = self.run_program("check", "--sample", path, "--format", "auto", "--json", expect=DONE)
        records = json.loads(done.stdout)["records"]
        self.assertEqual(len(records), 10)
        self.assertEqual({k: records[0][k] for k in ("format", "becomes", "url", "status", "ignored")},
                         {"format": "katana", "becomes": "page", "url": "http://a.example/1",
                          "status": 200, "ignored": ["extra"]})
        self.assertEqual(records[0]["body_bytes"], len(f"<p>{words(1)}"))
        self.assertEqual(records[1]["not_evaluated"], "fetch_failed")
        self.assertEqual((records[2]["becomes"], records[2]["code"]),
                         ("dead letter", "unrecognized_format"))
        shown = self.run_program("check", "--sample", path, "--format", "katana", expect=DONE).stdout
        self.assertIn("url            http://a.example/1", shown)
        self.assertNotIn("\x1b", shown)
        self.run_program("check", expect=2)
        self.run_program("check", "--sample", self.folder / "none.jsonl", expect=WRONG_INPUT)

    def make_state(self, max_sites=1000, pages=60):
        """A state of pages that come under two session ids each, and one that changes every day."""
        records = [{"url": f"http://www.a.example/p{i // 2}.html?sid={i}", "fetch_time": "2026-01-01T00:00:00Z",
                    "body": f"<title>{i // 2}</title><p>{words(i // 2)}"} for i in range(pages)]
        records += [{"url": "http://b.example/news", "fetch_time": f"2026-01-{day:02}T00:00:00Z",
                     "body": f"<p>{words(1000 + day)}"} for day in range(1, 9)]
        state = self.folder / "state"
        config = self.folder / "sites.yaml"
        config.write_text(f"judge: {{sites: {{max: {max_sites}}}}}\n")
        self.run_program("scan", self.write_lines("pages.jsonl", records), "--state-dir", state,
                         "--config", config, "--out", "/dev/null", expect=DONE)
        return state

    def test_what_was_learned_of_a_site_is_shown_and_nothing_is_changed(self):
        state = self.make_state(pages=80)  # more than a host's latest pages

        def files():
            return {path: (path.stat().st_mtime_ns, path.is_file() and path.read_bytes())
                    for path in state.rglob("*")}

        before = files()
        for name in ("a.example", "WWW.A.Example", "https://a.example/any?thing"):
            done = self.run_program("site", name, "--state", state, "--json", expect=DONE)
            record = json.loads(done.stdout)
            self.assertEqual(record["site"], "a.example")
            self.assertEqual(record["learned"]["fetched"], 80)
            self.assertEqual(record["learned"]["new"], 40)
            rule, = (rule for rule in record["learned"]["rules"]
                     if rule["name"] == "sid" and rule["pattern"] == "/*.html")
            self.assertEqual(rule["part"], "parameter")
            self.assertEqual(rule["suppress"], {"in_use": True, "same": 40, "different": 0,
                                                "precision": rule["suppress"]["precision"]})
            self.assertEqual([(h["host"], h["pages"], h["duplicates"]) for h in record["hosts"]],
                             [("www.a.example", 80, 40)])
        shown = self.run_program("site", "a.example", "--state", state, expect=DONE).stdout
        self.assertRegex(shown, r"(?m)^  suppress +40 +40 +0\.9\d+  parameter sid")
        self.assertIn("/*.html", shown)
        self.assertEqual(files(), before)

    def test_site_without_anything_learned_shows_what_its_host_has(self):
        state = self.make_state()
        # Pages of a host count together, whatever the port; what is learned of URLs doesn't.
        shown = self.run_program("site", "a.example:8080", "--state", state, expect=DONE).stdout
        self.assertIn("www.a.example: 60 pages, 30 of them duplicates", shown)
        self.assertIn("nothing was learned of its URLs (judge.sites.max", shown)

    def test_site_of_nothing_known_says_so(self):
        state = self.make_state()
        evil = "\x1b[2J"
        for arguments, said in ((["c.example", "--state", state], "nothing is known of c.example"),
                                ([f"x{evil}", "--state", state], "is no host"),
                                (["a.example", "--state", self.folder / "none"], "there is no state in"),
                                (["a.example", "--state", self.folder], "there is no state in")):
            done = self.run_program("site", *arguments, expect=WRONG_INPUT)
            self.assertIn(said, done.stderr)
            self.assertNotIn("\x1b", done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertFalse((self.folder / "none").exists())

    def due(self, state, *arguments, expect=DONE):
        done = self.run_program("due", "--state", state, *arguments, expect=expect)
        return done.stdout, done.stderr

    def test_what_is_due_is_listed_in_the_order_that_was_asked_for(self):
        state = self.make_state()
        lines, said = self.due(state, "--before", "2025-12-01T00:00:00Z")
        self.assertEqual(lines, "")
        self.assertIn("0 of 61 URLs are due", said)
        lines, said = self.due(state, "--before", "2027-12-01T00:00:00Z")
        records = [json.loads(line) for line in lines.splitlines()]
        self.assertEqual(len(records), 61)
        self.assertIn("61 of 61 URLs are due; 61 written, in the order of the URLs", said)
        urls = [record["url"] for record in records]
        self.assertEqual(urls, sorted(urls))
        for record in records:
            self.assertEqual((record["as_of"], record["fetched"]), ("2027-12-01T00:00:00Z", True))
            self.assertLessEqual(record["next_fetch"], record["as_of"])
            self.assertGreaterEqual(record["score"], 0.5)
            self.assertEqual(record["reason"], "live")
        by_score = sorted(records, key=lambda r: (-r["score"], r["next_fetch"], r["url"]))
        lines, said = self.due(state, "--before", "2027-12-01T00:00:00Z", "--limit", 7)
        self.assertEqual([json.loads(line) for line in lines.splitlines()], by_score[:7])
        self.assertIn("7 written, the highest score first", said)

    def test_due_urls_of_one_host_in_a_frontiers_format(self):
        state = self.make_state()
        out = self.folder / "due.txt"
        _, said = self.due(state, "--before", "2027-12-01T00:00:00Z", "--host", "B.example",
                           "--format", "nutch", "--out", out)
        self.assertRegex(out.read_text(), "^http://b.example/news\tnutch.score=0\\.\\d+\n$")
        self.assertIn("1 of 1 URLs are due", said)
        _, said = self.due(state, "--before", "2027-12-01T00:00:00Z", "--format", "bubing",
                           expect=WRONG_INPUT)
        self.assertIn("give --limit, too", said)
        _, said = self.due(state, "--before", "2027-12-01T00:00:00Z", "--format", "frontera",
                           expect=WRONG_INPUT)
        self.assertIn("give --out, too", said)
        for wrong in ("tomorrow", "1969-01-01T00:00:00Z", "\x1b[2J"):
            _, said = self.due(state, "--before", wrong, expect=WRONG_INPUT)
            self.assertIn("is no time like", said)
            self.assertNotIn("\x1b", said)
        self.due(state, "--before", "now", "--limit", 0, expect=2)
        self.due(self.folder, "--before", "now", expect=WRONG_INPUT)
        self.assertFalse((self.folder / "none").exists())

    def test_score_of_a_url_is_explained_with_its_evidence(self):
        state = self.make_state()

        def explain(url, *more):
            done = self.run_program("explain", url, "--state", state, "--at", "2026-02-01T00:00:00Z",
                                    *more, expect=DONE)
            return json.loads(done.stdout) if "--json" in more else done.stdout

        kept = explain("HTTP://www.A.example:80/x/../p3.html?sid=6#top", "--json")
        self.assertEqual(kept["url"], "http://www.a.example/p3.html?sid=6")
        self.assertEqual(kept["history"]["last_reasons"], ["unique", "updated"])
        self.assertEqual(kept["history"]["kept"]["url"], kept["url"])
        self.assertTrue(kept["score"]["fetched"])
        copy = explain("http://www.a.example/p3.html?sid=7", "--json")
        self.assertEqual(copy["history"]["last_reasons"], ["exact_duplicate"])
        self.assertEqual(copy["history"]["repeats"]["url"], kept["url"])
        news = explain("http://b.example/news", "--json")
        self.assertEqual((news["history"]["fetches"], news["history"]["changes"]), (8, 7))
        self.assertIn("updated", news["history"]["last_reasons"])
        self.assertLess(news["schedule"]["mean_change_seconds"]["url_lately"], 3 * 86_400)
        unknown = explain("http://www.a.example/p3.html?sid=999", "--json")
        self.assertIsNone(unknown["history"])
        self.assertFalse(unknown["score"]["fetched"])
        self.assertEqual(unknown["site"]["rule"]["name"], "sid")
        self.assertIn(unknown["score"]["action"], ("suppress", "rewrite", "probe"))
        shown = explain("http://www.a.example/p3.html?sid=999")
        self.assertRegex(shown, r"(?m)^advice +\w+, because of url_rule: precision at least 0\.9")
        self.assertRegex(shown, r"(?m)^  rule +parameter sid of ")
        shown = explain("http://b.example/news")
        self.assertRegex(shown, r"(?m)^changes every +\d\.\d+ days: by what it did lately$")
        shown = explain("http://www.a.example/\x1b[2J\u202e")
        self.assertFalse(set("\x1b\u202e") & set(shown))
        self.run_program("explain", "", "--state", state, expect=WRONG_INPUT)
        self.run_program("explain", "http://b.example/", "--state", self.folder, expect=WRONG_INPUT)
        said = self.run_program("explain", "http://b.example/", "--state", state, "--crawl", "x",
                                expect=WRONG_INPUT).stderr
        self.assertIn("leave the crawl out", said)

    def test_crawls_with_urls_of_their_own_are_told_apart(self):
        config = self.folder / "c.yaml"
        config.write_text("judge: {scope: crawl}\n")
        state = self.folder / "state"
        pages = self.write_lines("pages.jsonl", [
            {"url": "http://a.example/", "crawl_id": crawl, "body": f"<p>{words(1)}"}
            for crawl in ("monday", "tuesday\x1b[2J")])
        self.run_program("scan", pages, "--config", config, "--state-dir", state, "--out", "/dev/null",
                         expect=DONE)
        said = self.run_program("explain", "http://a.example/", "--state", state,
                                expect=WRONG_INPUT).stderr
        self.assertIn("2 crawls know this URL: name its crawl, one of 'monday', 'tuesday", said)
        self.assertNotIn("\x1b", said)
        done = self.run_program("explain", "http://a.example/", "--state", state, "--crawl", "monday",
                                "--json", expect=DONE)
        self.assertEqual(json.loads(done.stdout)["crawl_id"], "monday")
        lines, _ = self.due(state, "--before", "2999-01-01T00:00:00Z")
        self.assertEqual([json.loads(line)["crawl_id"] for line in lines.splitlines()],
                         ["monday", "tuesday\x1b[2J"])
        self.assertNotIn("\x1b", lines)

    def test_state_in_use_is_refused_and_the_owner_named(self):
        state = self.make_state()
        with open(state / "crawlsieve.lock", "r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.truncate(0)
            lock.write("4711")
            lock.flush()
            said = self.run_program("site", "a.example", "--state", state, expect=WRONG_INPUT).stderr
            self.assertIn("is in use by process 4711", said)
            self.assertIn("stop it", said)
        with open(state / "crawlsieve.lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
            self.run_program("site", "a.example", "--state", state, expect=DONE)
            said = self.run_program("scan", self.folder / "pages.jsonl", "--state-dir", state,
                                    "--out", "/dev/null", expect=WRONG_INPUT).stderr
            self.assertIn("is being read", said)


if __name__ == "__main__":
    unittest.main()
