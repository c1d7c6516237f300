"""Has other projects' code read `crawlsieve verdicts`; see script/verdict_oracle.

    verdict_oracle.py PROGRAM SOURCE WORK [WARC...]

Prints a line for each format. Exit 1: one isn't what that project's code makes or takes.
"""

import gzip
import io
import json
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys

import surt
import warcprox.dedup
from cdxj_indexer.main import CDXJIndexer
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

SEED = 21
DAY = 24 * 60 * 60
FETCHED = 1767225600  # 2026-01-01
CONFIG = "extract: {payload_digests: [sha1, sha256]}\n"

HOSTS = ["Example.org", "www.example.org", "www3.b.example.co.uk", "a.b-c.example:8080",
         "example.org:443", "user:pw@www.x.example", "192.0.2.7", "b\u00fccher.example", "wwwx.example"]
SEGMENTS = ["A", "b%20c", ".", "", "%2541", "%%34%31",
            "x;jsessionid=0123456789abcdef0123456789ABCDEF", "(S(0123456789abcdefghijklmn))",
            "(0123456789abcdefghijklmn)", "p.aspx", "\u00fc", "a+b", "%e4%f6", "%2F", "%23x",
            "index.HTML", "a%", "%zz", "~u", "!$&'()*,;=:@", "\"<>[]^`{|}", "%25%32%35"]
PARAMETERS = ["b=2", "a=1", "a", "a=", "PHPSESSID=0123456789abcdef0123456789abcdef",
              "sid=0123456789abcdef0123456789abcdef", "jsessionid=0123456789abcdef0123456789abcdef",
              "ASPSESSIONIDabcdefgh=abcdefghijklmnopqrstuvwx", "cfid=12&cftoken=34", "q=%C3%BC",
              "q=a%2Bb", "q=a b", "", "x=?", "k=%2526", "Z=9", "%23=1", "a=%"]


def any_url(chance):
    """Without `..`: surt keeps those above the root, and no crawler asks for such a URL."""
    url = chance.choice(["http://", "https://", "HTTP://"]) + chance.choice(HOSTS)
    if chance.random() < 0.9:
        url += "/" + "/".join(chance.choices(SEGMENTS, k=chance.randrange(5)))
    if chance.random() < 0.6:
        url += "?" + "&".join(chance.choices(PARAMETERS, k=chance.randrange(5)))
    return url + ("#x" if chance.random() < 0.1 else "")


def make_warc(path, packed, chance):
    """Pages of many kinds, some twice; with and without digests, chunks and content codings."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=packed)
        for i in range(120):
            text = " ".join(f"word{chance.randrange(5000)}" for _ in range(200 if i % 7 else 3))
            body = f"<html><title>{i}</title><p>{text}</p></html>".encode()
            headers = [("Content-Type", chance.choice(["text/html; charset=utf-8", "Text/HTML"]))]
            if i % 3 == 0:
                body = gzip.compress(body)
                headers.append(("Content-Encoding", "gzip"))
            if i % 5 == 0:
                body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
                headers.append(("Transfer-Encoding", "chunked"))
            http = StatusAndHeaders("200 OK", headers, protocol="HTTP/1.1")
            url = f"http://www.h{i % 4}.example/Page/{i}/?b={i}&a=%C3%BC"
            record = writer.create_warc_record(url, "response", io.BytesIO(body), http_headers=http)
            writer.write_record(record)


class Oracle:
    def __init__(self, program, source, work):
        self.program = program
        self.source = source
        self.work = work
        (work / "config.yaml").write_text(CONFIG, "utf-8")

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, check=False)
        if done.returncode not in (0, 4):
            raise ValueError(done.stderr.decode()[:500])

    def scan(self, warc):
        verdicts = self.work / "verdicts.jsonl"
        self.run("scan", warc, "--config", self.work / "config.yaml", "--out", verdicts)
        return verdicts

    def render(self, name, verdicts):
        out = self.work / f"verdicts.{name}"
        self.run("verdicts", "--format", name, verdicts, "--out", out)
        return out

    def write_verdicts(self, records):
        path = self.work / "made.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        return path


def verdict(url, reason="unique", kept=True, match=None, payload=None):
    return {"schema_version": 1, "url": url, "verdict": "keep" if kept else "drop",
            "reason": reason, "match": None if match is None else {"url": match},
            "source": {"timestamp": "2026-01-01T00:00:00Z"}, "priority": {"score": 0.25},
            "recrawl": {"next_fetch": "2026-01-08T00:00:00Z"}, "payload": payload}


def captures(lines):
    found = {}
    for line in lines:
        key, time, text = line.split(" ", 2)
        capture = json.loads(text)
        found[capture["filename"], capture["offset"]] = (key, time, capture)
    return found


def check_cdxj(oracle, warcs):
    lines = 0
    for warc in warcs:
        index = oracle.work / "reference.cdxj"
        CDXJIndexer(str(index), [str(warc)], sort=True).process_all()
        theirs = captures(index.read_text("utf-8").splitlines())
        ours = oracle.render("cdxj", oracle.scan(warc)).read_text("utf-8").splitlines()
        assert ours == sorted(ours, key=str.encode), "the index isn't sorted"
        for place, capture in captures(ours).items():
            assert capture == theirs.get(place), f"{capture} is {theirs.get(place)}"
        lines += len(ours)
    assert lines > 0
    return f"{lines} lines of {len(warcs)} WARC files as cdxj-indexer 1.5.0 makes them"


def check_surt(oracle):
    chance = random.Random(SEED)
    urls = [any_url(chance) for _ in range(3000)]
    payload = {"digests": [], "bytes": 1, "media_type": None, "status": 200,
               "fetched": "2026-01-01T00:00:00Z", "file": "f", "length": None}
    made = oracle.write_verdicts(verdict(url, payload={**payload, "offset": i})
                                 for i, url in enumerate(urls))
    lines = oracle.render("cdxj", made).read_text("utf-8").splitlines()
    found = {int(capture["offset"]): key for key, _, capture in captures(lines).values()}
    for i, url in enumerate(urls):
        wanted = surt.surt(url)
        # What `%2F` stands for makes dot segments that no URL has.
        assert found[i] == wanted, f"{url}: {found[i]} is {wanted}"
    return f"{len(urls)} keys as surt 0.3.1 makes them"


def check_heritrix(oracle, warc):
    verdicts = oracle.scan(warc)
    database = sqlite3.connect(":memory:")
    database.executescript(warcprox.dedup.TroughDedupDb.SCHEMA_SQL)
    database.executescript(oracle.render("heritrix", verdicts).read_text("utf-8"))
    rows = 0
    for line in verdicts.read_text("utf-8").splitlines():
        record = json.loads(line)
        if record["verdict"] != "keep" or record["payload"]["bytes"] == 0:
            continue
        digest = next(d for d in record["payload"]["digests"] if d.startswith("sha1:"))
        row = database.execute("select * from dedup where digest_key = ?", (digest,)).fetchone()
        assert row is not None, f"no row of {digest}"
        rows += row == (digest, record["url"], record["payload"]["fetched"][:19] + "Z", None)
    assert rows > 0
    quoted = verdict("http://a.example/'); drop table dedup; --", payload={
        "digests": ["sha1:" + 32 * "A"], "bytes": 1, "media_type": None, "status": 200,
        "fetched": "2026-01-01T00:00:00Z", "file": None, "offset": None, "length": None})
    text = oracle.render("heritrix", oracle.write_verdicts([quoted])).read_text("utf-8")
    database.executescript(text)
    assert database.execute("select url from dedup where digest_key = ?",
                            ("sha1:" + 32 * "A",)).fetchone() in ((quoted["url"],), None)
    return f"{rows} rows of the table of warcprox 2.13.1"


def check_nutch(oracle):
    """updatedb gives each URL the status that its last verdict says, and no other URL another."""
    chance = random.Random(SEED)
    wanted, records = {}, []
    for i in range(400):
        url = f"http://h{i % 9}.example/{i}" + chance.choice(["", "?\u00fc", "/" + 300 * "x"])
        wanted[url] = "db_fetched"
        for _ in range(chance.randrange(4)):
            reason, status, kept = chance.choice([
                ("unique", "db_fetched", True), ("exact_duplicate", "db_duplicate", False),
                ("near_duplicate", "db_duplicate", False), ("gone", "db_gone", False),
                ("deleted", "db_gone", False), ("error_status", "db_fetched", False)])
            match = "http://a.example/" if reason.endswith("duplicate") else None
            records.append(verdict(url, reason, kept, match))
            wanted[url] = status
    made = oracle.render("nutch", oracle.write_verdicts(records))
    urls = oracle.work / "urls"
    urls.write_text("".join(f"{url}\t{FETCHED}\n" for url in wanted), "utf-8")
    folder = oracle.work / "nutch"
    shutil.rmtree(folder, ignore_errors=True)
    done = subprocess.run(
        ["java", "-cp", f"{oracle.work}/jars/*:{oracle.work}/classes", "UpdateCrawlDb", made,
         folder, oracle.source / "plugins", urls], capture_output=True, check=False)
    if done.returncode != 0:
        raise ValueError(done.stderr.decode()[:500])
    found = dict(line.split("\t", 1) for line in done.stdout.decode().splitlines())
    assert set(found) == set(wanted)
    for url, status in wanted.items():
        name, next_fetch = found[url].split("\t")
        assert name == status, f"{url}: {name} is not {status}"
        assert int(next_fetch) > FETCHED + DAY, url
    return f"{len(wanted)} URLs have the right status after updatedb of nutch 1.20"


def main():
    program, source, work = (pathlib.Path(name) for name in sys.argv[1:4])
    oracle = Oracle(program, source, work)
    warcs = [pathlib.Path(name) for name in sys.argv[4:]]
    if not warcs:
        for packed, name in ((False, "plain.warc"), (True, "packed.warc.gz")):
            warcs.append(work / name)
            make_warc(warcs[-1], packed, random.Random(SEED))
    wrong = 0
    for name, check in (("cdxj", lambda: check_cdxj(oracle, warcs)),
                        ("cdxj, keys", lambda: check_surt(oracle)),
                        ("heritrix", lambda: check_heritrix(oracle, warcs[0])),
                        ("nutch", lambda: check_nutch(oracle))):
        try:
            print(f"{name}: {check()}", flush=True)
        except (AssertionError, ValueError, KeyError, StopIteration) as error:
            print(f"{name}: NOT accepted: {error!r}", flush=True)
            wrong = 1
    return wrong


sys.exit(main())
