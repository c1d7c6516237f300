#!/usr/bin/env python3
"""Compares pages by reference with the same pages inside their records.

    claims_bench.py PROGRAM [--pages 10000] [--runs 3] [--html DIR] [--store directory,http]

Makes WARC files (one gzip member a record) of HTML files below DIR, or of made-up text, each page
with a URL of its own and every fifth one a copy of another. `PROGRAM scan` then judges them as WARC
files, as canonical records with the bodies inside (base64), and as references, from the directory
and from an HTTP server on this machine, whose processor time counts against us. Prints the best
pages/s of the runs, which take turns, the share of the speed with bodies inside, the processor time
of a page, the peak of the memory, and whether all verdicts are those of the WARC files. Exit code
1: they aren't.
"""

import argparse
import base64
import contextlib
import gzip
import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
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


@contextlib.contextmanager
def serving(program, folder):
    """The URL of an HTTP server of the files in `folder`."""
    with subprocess.Popen([program, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as server:
        yield server.stdout.readline().strip()
        server.stdin.close()


class Runs:
    """Scans of the same pages in one shape."""

    def __init__(self, program, paths, config):
        self.command = [program, "scan", *map(str, paths), "--config", str(config)]
        self.out = config.with_suffix(".verdicts")
        self.verdicts = []
        self.seconds = []
        self.processor_seconds = []
        self.memory = 0

    def run(self):
        begin = time.monotonic()
        process = subprocess.Popen([*self.command, "--out", str(self.out)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        self.seconds.append(time.monotonic() - begin)
        if status != 0:
            raise SystemExit(f"claims_bench: {self.command} ended with {status}")
        self.processor_seconds.append(usage.ru_utime + usage.ru_stime)
        self.memory = max(self.memory, usage.ru_maxrss * 1024)
        self.verdicts = []
        for line in self.out.read_text().splitlines():
            verdict = json.loads(line)
            for field in ("processed_at", "instance", "source"):
                del verdict[field]
            self.verdicts.append(verdict)

    def speed(self):
        return len(self.verdicts) / min(self.seconds)

    def processor_time(self):
        return min(self.processor_seconds) / len(self.verdicts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--html", help="folder with HTML files; without it text is made up")
    parser.add_argument("--store", default="directory", help="directory, http, or both with a comma")
    parser.add_argument("--server", help="range_server, where it isn't in bench/ beside PROGRAM")
    arguments = parser.parse_args()
    server = arguments.server or pathlib.Path(arguments.program).parent / "bench" / "range_server"
    with tempfile.TemporaryDirectory(prefix="crawlsieve-claims-") as name, \
            contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        warcs = write_pages(folder, arguments.html, arguments.pages)
        stores = {"none": {}}
        for store in arguments.store.split(","):
            stores[store] = ({"directory": str(warcs)} if store == "directory" else
                             {"url": stack.enter_context(serving(server, warcs)),
                              "allow_private_addresses": "true"})
        runs = {}
        for store, bodies_config in stores.items():
            config = folder / f"{store}.yaml"
            config.write_text(json.dumps({"kafka": {"input": {"bodies": bodies_config}}}))
            if store == "none":
                runs["WARC files"] = Runs(arguments.program, [warcs], config)
                runs["inside"] = Runs(arguments.program, [folder / "inside.jsonl"], config)
            else:
                runs[store] = Runs(arguments.program, [folder / "refs.jsonl"], config)
        for turn in range(arguments.runs):
            for what, shape in runs.items():
                shape.run()
                print(f"turn {turn}: {what}, {shape.seconds[-1]:.1f} s, of processor "
                      f"{shape.processor_seconds[-1]:.2f} s", file=sys.stderr, flush=True)
        right = True
        for what, shape in runs.items():
            same = shape.verdicts == runs["WARC files"].verdicts
            right &= same
            print(f"{what:12} {shape.speed():7.0f} pages/s  "
                  f"{100 * shape.speed() / runs['inside'].speed():4.0f} % of inside  "
                  f"{shape.processor_time() * 1e6:5.0f} us of processor a page, "
                  f"{100 * runs['inside'].processor_time() / shape.processor_time():4.0f} %  "
                  f"{shape.memory / 2**20:5.0f} MiB  verdicts {'the same' if same else 'DIFFER'}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
