"""Has other projects' code read rendered scores; see script/score_oracle.

    score_oracle.py RENDER_SCORES VECTORS WORK

Prints a line for each format: how many values that project's code took, and whether they come out
in the order of the scores. Exit 1: it refused one, or the order is wrong.
"""

import io
import json
import pathlib
import random
import subprocess
import sys
import warnings

import fakeredis
import hiredis
from frontera.contrib.backends.remote.codecs.msgpack import Decoder
from frontera.core.models import Request, Response
from frontera.utils.fingerprint import sha1
from msgpack import Unpacker
from w3lib.url import canonicalize_url

# Frontera's codec asks msgpack in an old way.
warnings.filterwarnings("ignore", category=DeprecationWarning)

NOW = 1772323200
AS_OF = "2026-03-01T00:00:00Z"
SEED = 20
HOSTS = 5
VISIBLE = "".join(map(chr, range(0x21, 0x7f)))
# The scores aren't in the values.
ORDER = {"bubing": "; in the order of the file"}
JAVA = {
    "bubing": "BURL of bubing 0.9.15",
    "heritrix": "Hop of heritrix-modules 3.4.0-20220727, org.json and Guava (the receiver itself is "
                "in no registry)",
    "nutch": "Injector of nutch 1.20",
    "stormcrawler": "Status and URLPartitioner of storm-crawler-core 2.4 (OpenSearch isn't asked)",
    "urlfrontier": "urlfrontier-API 2.5, GetURLs of a test server over it",
    "urlfrontier_json": "urlfrontier-API 2.5 and JsonFormat, GetURLs of a test server over it",
}


def records(chance):
    """Due and unfetched ones in any order, all different in score, some with odd URLs."""
    for i, score in enumerate(chance.sample(range(10001), 600)):
        host = f"h{i % HOSTS}.example"
        tail = str(i)
        if i % 3 == 0:
            tail += "/" + "".join(chance.choices(VISIBLE, k=chance.randrange(1, 40))).replace(
                "#", "x").replace("\\", "y")
        if i % 7 == 0:
            tail += "?" + "&".join(f"{chance.choice('abAB%+;')}={chance.randrange(9)}%2{x}"
                                   for x in chance.choices("0123456789ABCDEF", k=5))
        yield {"schema_version": 1, "url": f"https://{host}/{tail}", "host": host, "as_of": AS_OF,
               "score": score / 10000, "components": {}, "action": "schedule", "reason": "oracle",
               "fetched": False, "crawl_id": "c", "depth": i % 4, "sequence": i}


def hostile():
    """Records whose URL must not come out at all."""
    for i, url in enumerate(("http://a.example/\tnutch.score=1", "http://a.example/\nhttp://b/",
                             "http://a.example/\r\nFLUSHALL\r\n", "http://a.example/ x",
                             "http://a.example/\x00", "http://a.example/é", "javascript:x",
                             "http://a.example/" + 65536 * "x", "http://@/", "http://")):
        yield {"schema_version": 1, "url": url, "as_of": AS_OF, "score": 0.9, "components": {},
               "action": "schedule", "reason": "oracle", "fetched": False, "crawl_id": "c",
               "sequence": i}


class Oracle:
    def __init__(self, render, work):
        self.render = render
        self.work = work

    def rendered(self, name, lines):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        return subprocess.run([self.render, name], input=text.encode(), capture_output=True,
                              check=True).stdout

    def java(self, *arguments, text=""):
        classes = f"{self.work}/jars/*:{self.work}/classes"
        done = subprocess.run(["java", "-cp", classes, "ScoreOracle", *arguments],
                              input=text.encode(), capture_output=True, check=False)
        if done.returncode != 0:
            raise ValueError(done.stderr.decode()[:500])
        return done.stdout.decode().splitlines()

    def places(self, name, data):
        """(URL, place) of every value that is given out; places rise."""
        if name == "frontera":
            return frontera(data)
        if name == "browsertrix":
            return browsertrix(data)
        path = self.work / f"{name}.scores"
        path.write_bytes(data)
        lines = [line.rsplit("\t", 1) for line in self.java(name, str(path), str(NOW))]
        return [(url, float(place)) for url, place in lines if place != "never"]


def frontera(data):
    decoder = Decoder(Request, Response)
    found = []
    unpacker = Unpacker(io.BytesIO(data), raw=True)
    start = 0
    while True:
        try:
            unpacker.skip()
        except Exception:  # the end of the file
            break
        kind, request, score, schedule = decoder.decode(data[start:unpacker.tell()])
        start = unpacker.tell()
        assert kind == "update_score" and schedule is True and 0 <= score <= 1
        url = request.url
        assert request.meta[b"fingerprint"] == sha1(canonicalize_url(url)), url
        assert request.meta[b"domain"][b"name"], url
        assert request.method == b"GET" and request.headers == {} and request.cookies == {}
        found.append((url, -score))
    assert start == len(data)
    return found


def browsertrix(data):
    reader = hiredis.Reader()
    reader.feed(data)
    redis = fakeredis.FakeRedis()
    while (command := reader.gets()) is not False:
        redis.execute_command(*command)
    found = []
    while popped := redis.zpopmin("c:q"):
        page = json.loads(popped[0][0])
        assert redis.sismember("c:s", page["url"]) and page["seedId"] == 0
        found.append((page["url"], popped[0][1]))
    return found


def in_order(found, scores, queue_of):
    """Whether no URL comes before one of its queue that has a higher score and another place."""
    queues = {}
    for url, place in found:
        queues.setdefault(queue_of(url), {}).setdefault(place, []).append(scores[url])
    for places in queues.values():
        lowest = 1
        for _, values in sorted(places.items()):
            if max(values) > lowest:
                return False
            lowest = min(values)
    return True


def check(oracle, name, vectors):
    made = list(records(random.Random(SEED)))
    if name == "bubing":  # the order of the file is the only one
        made.sort(key=lambda record: -record["score"])
    scores = {record["url"]: record["score"] for record in made}
    wanted = {url for url in scores
              if name != "bubing" or ("%00" not in url and "\\" not in url)}
    found = oracle.places(name, oracle.rendered(name, made))
    if {url for url, _ in found} != wanted or len(found) != len(wanted):
        missing = list(wanted - {url for url, _ in found})[:3]
        return f"{len(found)} of {len(wanted)} URLs came out; not {missing}"
    has_queues = name.startswith("urlfrontier")
    if not in_order(found, scores, lambda url: url.split("/")[2] if has_queues else ""):
        return "the order is not that of the scores"
    if oracle.rendered(name, hostile()):
        return "a hostile URL came out"
    oracle.places(name, oracle.rendered(name, vectors))
    return keys_differ(oracle) if name == "heritrix" else None


def keys_differ(oracle):
    """Heritrix' keys are not in the values, but in the vectors."""
    lines = (pathlib.Path(sys.argv[2]) / "heritrix.rendered").read_text("utf-8").splitlines()
    ours = {json.loads(value)["url"].split("/")[2]: key
            for key, value in zip(lines[::2], lines[1::2])}
    theirs = oracle.java("keys", text="".join(authority + "\n" for authority in ours))
    if theirs != list(ours.values()):
        return f"keys are {list(ours.values())}, not {theirs}"
    return None


def main():
    render, folder, work = map(pathlib.Path, sys.argv[1:])
    vectors = [json.loads(line) for line in
               (folder / "records.jsonl").read_text("utf-8").splitlines()]
    readers = {**JAVA, "frontera": "the codec of frontera 0.8.1, w3lib 1.22.0",
               "browsertrix": "hiredis 3.5.0 and fakeredis 2.40.0 (the crawler is in no registry)"}
    oracle = Oracle(render, work)
    wrong = 0
    for name, reader in sorted(readers.items()):
        try:
            problem = check(oracle, name, vectors)
        except (ValueError, AssertionError, KeyError, TypeError) as error:
            problem = f"refused: {error!r}"
        print(f"{name}: {'NOT accepted' if problem else 'accepted'} by {reader}"
              f"{': ' + problem if problem else ORDER.get(name, '; in the order of the scores')}")
        wrong |= problem is not None
    print("scrapy_cluster: not asked, because its schema is in no registry")
    return int(wrong)


sys.exit(main())
