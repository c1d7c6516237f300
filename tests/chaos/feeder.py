"""The pages of a round: small canonical JSON, with duplicates, near-duplicates, updates, tombstones,
broken records and WARC revisit records among them. Record `number` is a function of the seed, the
kinds of records and the number alone."""

import base64
import json
import random

KIND_HEADER = "chaos-kind"
SIGHT = 2_000  # how far back a record may refer
PAGES_A_PURGE = 100

# What a record is, and how many of a hundred are.
KINDS = {
    "new": 40, "exact": 10, "near": 14, "refetch": 6, "revisit": 4, "update": 8, "slight_update": 4,
    "tombstone": 4, "broken": 4, "gone": 2, "short": 2, "image": 1, "damaged": 1,
}

BROKEN = [
    ("key", b"{not json"),
    (None, b'{"body":"a page without a URL, and so without a name to call it by"}'),
    (None, b'{"url":""}'),
    ("key", b'{"url":17}'),
    (None, b'{"url":"http://bad.example/\xff\xfe"}'),
    ("key", b""),
    (None, None),
]


class Feed:
    def __init__(self, seed, partitions, without=()):
        self._seed = seed
        self._kinds = {kind: share for kind, share in KINDS.items() if kind not in without}
        self._partitions = partitions

    def record(self, number):
        """(partition, key, value, headers) of one record."""
        rng = self._rng("record", number)
        kind = rng.choices(list(self._kinds), self._kinds.values())[0] if number > 0 else "new"
        earlier = rng.randrange(max(0, number - SIGHT), number) if number > 0 else 0
        partition = rng.randrange(self._partitions)
        if kind == "broken":
            key, value = rng.choice(BROKEN)
            return self._made(partition, key, value, "broken", number)
        if kind == "tombstone":
            return self._made(partition, self._url(earlier), None, "tombstone", number)

        if kind == "revisit":
            url = self._url(earlier if rng.random() < 0.5 else number)
            return self._made(partition, url, self._revisit(url, number, earlier), "revisit", number,
                              [("crawlsieve-format", b"warc")])

        page = {"url": self._url(number), "content_type": "text/html",
                "fetch_time": self._time(number), "attrs": {"number": number}}
        if kind in ("refetch", "update", "slight_update"):
            page["url"] = self._url(earlier)
        if kind in ("exact", "refetch"):
            page["body"] = self._body(earlier)
        elif kind in ("near", "slight_update"):
            page["body"] = self._body(earlier, change=number)
        elif kind == "gone":
            page.update(status_code=404, url=self._url(earlier))
        elif kind == "short":
            page["body"] = "<p>sold out"
        elif kind == "image":
            page.update(content_type="image/png", body_encoding="base64",
                        body=base64.b64encode(rng.randbytes(40)).decode())
        elif kind == "damaged":
            page.update(body_encoding="gzip+base64", body="H4sIAAAAAAAAA0tMSgYA")
        else:
            page["body"] = self._body(number)
        if "body" in page and rng.random() < 0.7:
            # To pages that were, will be, and never are.
            page["links"] = [self._url(rng.randrange(max(0, number - SIGHT), number + 500))
                             + rng.choice(("", "", f"?n={rng.randrange(50)}"))
                             for _ in range(rng.randrange(12))]
        if rng.random() < 0.3:
            page["id"] = f"id-{number}"
        key = page["url"] if rng.random() < 0.5 else None
        value = json.dumps(page).encode()
        return self._made(partition, key, value, "page", number)

    def purge(self, number, entry):
        """Fills a log entry that has earlier pages forgotten. One in ten is sent twice."""
        rng = self._rng("purge", number)
        purge = entry.purge
        purge.id = str(number - (PAGES_A_PURGE if rng.random() < 0.1 else 0))
        url = self._url(rng.randrange(max(0, number - SIGHT), number))
        kind = rng.choice(("url", "url", "url_prefix", "host"))
        setattr(purge, kind, {"url": url, "url_prefix": url[:rng.randrange(21, 26)],
                              "host": url.split("/")[2]}[kind])
        return entry

    def _rng(self, what, number):
        return random.Random(f"{self._seed}/{what}/{number}")

    @staticmethod
    def _time(number):
        return (f"2026-03-{1 + number // 80000:02}T{number // 3600 % 24:02}:"
                f"{number // 60 % 60:02}:{number % 60:02}Z")

    def _revisit(self, url, number, earlier):
        """The payload of an earlier record again, if that had one and its own URL."""
        head = b"HTTP/1.1 200 OK\r\n\r\n"
        fields = ["WARC/1.1", "WARC-Type: revisit", f"WARC-Target-URI: {url}",
                  f"WARC-Date: {self._time(number)}", "Content-Type: application/http",
                  "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
                  f"WARC-Refers-To-Target-URI: {self._url(earlier)}",
                  f"WARC-Refers-To-Date: {self._time(earlier)}", f"Content-Length: {len(head)}"]
        return "\r\n".join(fields).encode() + b"\r\n\r\n" + head + b"\r\n\r\n"

    @staticmethod
    def _made(partition, key, value, kind, number, more=()):
        headers = [(KIND_HEADER, kind.encode()), ("chaos-number", str(number).encode()),
                   *more]
        return partition, key and key.encode(), value, headers

    def _url(self, number):
        """Some numbers share a URL."""
        rng = self._rng("url", number)
        path = "/".join(f"d{rng.randrange(9)}" for _ in range(rng.randrange(3)))
        name = number if rng.random() < 0.9 else number // 50
        return f"http://host{name % 13}.example/{path}/{name}".replace("//", "/").replace(":/", "://")

    def _body(self, number, change=None):
        """A text of its own for each number; with `change`, one or a few words are others."""
        rng = self._rng("body", number)
        words = [f"w{rng.randrange(3000):x}" for _ in range(rng.randrange(60, 160))]
        if change is not None:
            other = self._rng("change", change)
            for _ in range(other.choice((1, 1, 1, 2, 4))):
                words[other.randrange(len(words))] = f"c{change}"
        return "<title>Page</title><p>" + " ".join(words)
