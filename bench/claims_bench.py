#!/usr/bin/env python3
"""Compares pages by reference with the same pages inside their records.

    claims_bench.py PROGRAM [--pages 10000] [--runs 3] [--html DIR] [--store directory,http]

Makes WARC files (one gzip member a record) of HTML files below DIR, or of made-up text, each page
with a URL of its own and every fifth one a copy of another. `PROGRAM scan` then judges them as WARC
files, as canonical records with the bodies inside (base64), and as references, from the directory
and from an HTTP server on this machine. Prints pages/s, the share of the speed with bodies inside,
and whether all verdicts are those of the WARC files. Exit code 1: they aren't.
"""

import argparse
import base64
import gzip
import hashlib
import http.server
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

PAGES_IN_A_FILE = 1000


def bodies(folder, count):
    """`count` bodies, every fifth of which came before."""
    generator = random.Random(5)
    files = sorted(pathlib.Path(folder).rglob("*.html")) if folder else []
    files = [path for path in files if path.is_file() and 2_000 < path.stat().st_size < 500_000]
    before = b""
    for number in range(count):
        if number % 5 != 4 or not before:
            if files:
                before = files[number % len(files)].read_bytes() + b"<p>%d" % (number // len(files))
            else:
                words = " ".join(f"w{generator.randrange(20_000)}" for _ in range(1_500))
                before = f"<!doctype html><title>{number}</title><p>{words}".encode()
        yield before


def write_pages(folder, html, count):
    """WARC files below `folder`/warcs, and the records with bodies and with references."""
    warcs = folder / "warcs"
    warcs.mkdir()
    with open(folder / "inside.jsonl", "w") as inside, open(folder / "refs.jsonl", "w") as refs:
        file = None
        for number, body in enumerate(bodies(html, count)):
            if number % PAGES_IN_A_FILE == 0:
                if file:
                    file.close()
                name = f"{number // PAGES_IN_A_FILE:04}.warc.gz"
                file = open(warcs / name, "wb")
            url = f"http://h{number % 97}.example/{number}"
            block = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body)
            head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
                    f"WARC-Date: 2024-05-06T07:08:09Z\r\n"
                    f"Content-Type: application/http; msgtype=response\r\n"
                    f"Content-Length: {len(block)}\r\n\r\n").encode()
            offset = file.tell()
            member = gzip.compress(head + block + b"\r\n\r\n", 6)
            file.write(member)
            page = {"url": url, "fetch_time": "2024-05-06T07:08:09Z",
                    "content_type": "text/html; charset=utf-8"}
            inside.write(json.dumps({**page, "body_encoding": "base64",
                                     "body": base64.b64encode(body).decode()}) + "\n")
            refs.write(json.dumps({**page, "body_ref": {
                "uri": name, "offset": offset, "length": len(member),
                "sha256": hashlib.sha256(body).hexdigest()}}) + "\n")
        file.close()
    return warcs


class Ranges(http.server.SimpleHTTPRequestHandler):
    """Files of one folder, by ranges."""

    protocol_version = "HTTP/1.1"
    folder = pathlib.Path()
    opened = {}

    def do_GET(self):
        name = self.path.lstrip("/")
        begin, end = (int(text) for text in self.headers["Range"].removeprefix("bytes=").split("-"))
        try:
            if name not in self.opened:
                self.opened[name] = (self.folder / name).read_bytes()
        except OSError:
            self.send_error(404)
            return
        data = self.opened[name]
        part = data[begin:end + 1]
        self.send_response(206)
        self.send_header("Content-Length", str(len(part)))
        self.send_header("Content-Range", f"bytes {begin}-{begin + len(part) - 1}/{len(data)}")
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *_):
        pass


def serve(folder):
    Ranges.folder = folder
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def scan(program, paths, config, runs):
    """The verdicts without what depends on the run, and the best pages/s."""
    best = 0.0
    for _ in range(runs):
        out = config.with_suffix(".verdicts")
        begin = time.monotonic()
        subprocess.run([program, "scan", *map(str, paths), "--config", str(config), "--out",
                        str(out)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        elapsed = time.monotonic() - begin
        verdicts = []
        for line in out.read_text().splitlines():
            verdict = json.loads(line)
            for field in ("processed_at", "instance", "source"):
                del verdict[field]
            verdicts.append(verdict)
        best = max(best, len(verdicts) / elapsed)
    return verdicts, best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--html", help="folder with HTML files; without it text is made up")
    parser.add_argument("--store", default="directory", help="directory, http, or both with a comma")
    parser.add_argument("--url", help="an HTTP server of the folder printed, instead of our own")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="crawlsieve-claims-") as name:
        folder = pathlib.Path(name)
        warcs = write_pages(folder, arguments.html, arguments.pages)
        print(f"{arguments.pages} pages in {warcs}", flush=True)
        stores = {"none": {}}
        for store in arguments.store.split(","):
            stores[store] = ({"directory": str(warcs)} if store == "directory" else
                             {"url": arguments.url or serve(warcs),
                              "allow_private_addresses": "true"})
        results = {}
        for store, bodies_config in stores.items():
            config = folder / f"{store}.yaml"
            config.write_text(json.dumps({"kafka": {"input": {"bodies": bodies_config}}}))
            if store == "none":
                results["WARC files"] = scan(arguments.program, [warcs], config, 1)
                results["inside"] = scan(arguments.program, [folder / "inside.jsonl"], config,
                                         arguments.runs)
            else:
                results[store] = scan(arguments.program, [folder / "refs.jsonl"], config,
                                      arguments.runs)
        expected = results["WARC files"][0]
        right = True
        for what, (verdicts, speed) in results.items():
            same = verdicts == expected
            right &= same
            print(f"{what:12} {speed:9.0f} pages/s  {100 * speed / results['inside'][1]:5.0f} % of "
                  f"inside  verdicts {'the same' if same else 'DIFFER'}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
