"""A corpus of real pages, judged on Spark and by one scan: whether the verdicts are the same, and the
processor time of both, beyond that of an empty Spark job.

    script/spark python bench/spark_bench.py PROGRAM --html FOLDER... --work FOLDER [--rounds N]

FOLDER has the HTML files of documentation packages, unpacked. A third of the pages each goes into
WARC files, JSON lines and Parquet, which are made once in the work folder; scan reads the rows of
the Parquet files as JSON lines.
"""

import argparse
import base64
import contextlib
import ctypes
import glob
import gzip
import itertools
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import zlib

FILES_OF_A_KIND = 8
FETCHED = "2026-01-01T00:00:00Z"
ENDINGS = (".html", ".htm", ".xhtml")
CHANGES = re.compile(rb'"processed_at":"[^"]*"')
_PR_SET_CHILD_SUBREAPER = 36


def pages_of(folders):
    """URL and bytes of each page, in an order of its own that mixes packages."""
    found = []
    for folder in folders:
        for path in pathlib.Path(folder).rglob("*"):
            name = path.name.lower().removesuffix(".gz")
            if name.endswith(ENDINGS) and path.is_file() and not path.is_symlink():
                found.append((zlib.crc32(str(path.relative_to(folder)).encode()), str(path), folder))
    found.sort()
    for _, path, folder in found:
        body = pathlib.Path(path).read_bytes()
        if path.endswith(".gz"):
            body = gzip.decompress(body)
        yield "https://doc.example/" + os.path.relpath(path, folder).replace(" ", "%20"), body


def json_line(url, body):
    record = {"url": url, "fetch_time": FETCHED, "content_type": "text/html"}
    try:
        record["body"] = body.decode()
    except UnicodeDecodeError:
        record |= {"body": base64.b64encode(body).decode(), "body_encoding": "base64"}
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def warc_record(url, body):
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {FETCHED}\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n"
            "\r\n").encode("utf-8", "surrogateescape")
    return gzip.compress(head + block + b"\r\n\r\n", 1)


def make(folders, work):
    """The files of all kinds, and `pages`, which says how many pages they have."""
    count = work / "pages"
    if count.exists():
        return
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    kinds = ("a.warc.gz", "b.jsonl", "c.jsonl")
    pages = 0
    files = [[open(work / f"{number}-{kind}", "wb") for number in range(FILES_OF_A_KIND)]
             for kind in kinds]
    for number, (url, body) in enumerate(pages_of(folders)):
        kind, file = number % len(kinds), number // len(kinds) % FILES_OF_A_KIND
        files[kind][file].write(warc_record(url, body) if kind == 0 else json_line(url, body))
        pages += 1
    for file in itertools.chain(*files):
        file.close()
    to_parquet(work)
    for path in work.glob("*.jsonl"):
        subprocess.run(["zstd", "-1", "-q", "--rm", str(path)], check=True)
    count.write_text(str(pages))


def to_parquet(work):
    from crawlsieve_spark.session import session
    with session("bench", "local[2]", [("spark.sql.files.maxPartitionBytes", str(1 << 50)),
                                       ("spark.sql.files.minPartitionNum", "1"),
                                       ("spark.driver.memory", "3g")]) as spark:
        for path in sorted(work.glob("*-c.jsonl")):
            out = work / "parquet"
            spark.read.schema("url string, fetch_time string, content_type string, body string, "
                              "body_encoding string").json(str(path)).write.parquet(
                                  str(out), compression="zstd")
            [made] = glob.glob(f"{out}/*.parquet")
            os.replace(made, str(path).replace(".jsonl", ".parquet"))
            shutil.rmtree(out)


@contextlib.contextmanager
def control_group():
    """A control group of the kernel, which counts what its processes use, dead ones too. (What
    wait() tells leaves out children of those that were killed.)"""
    for root in ("/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup"):
        group = pathlib.Path(root, f"crawlsieve-bench-{os.getpid()}")
        if any(pathlib.Path(root, name).exists() for name in ("cpuacct.usage", "cgroup.procs")):
            break
    else:
        sys.exit("no control groups here: processor time can't be measured")
    group.mkdir()
    try:
        yield group
    finally:
        group.rmdir()


def processor_seconds(group):
    if (group / "cpuacct.usage").exists():
        return int((group / "cpuacct.usage").read_text()) / 1e9
    return int(re.search(r"usage_usec (\d+)", (group / "cpu.stat").read_text())[1]) / 1e6


def measured(command):
    """Processor and clock seconds of a command with everything that it starts."""
    with control_group() as group:
        begin = time.monotonic()
        done = subprocess.run(["sh", "-c", 'echo $$ >"$0" && exec "$@"',
                               str(group / "cgroup.procs"), *command],
                              capture_output=True, check=False)
        elapsed = time.monotonic() - begin
        while (group / "cgroup.procs").read_text():  # until the last of them has ended
            with contextlib.suppress(ChildProcessError):
                os.waitpid(-1, os.WNOHANG)
            if time.monotonic() - begin > elapsed + 60:
                sys.exit(f"processes of {command[:4]} don't end")
            time.sleep(0.1)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command[:4])} ...: {done.stderr.decode()}")
        return processor_seconds(group), elapsed


EMPTY_JOB = """
from crawlsieve_spark.session import session
with session("empty", "local[2]") as spark:
    spark.sparkContext.parallelize(range(2), 2).map(int).collect()
"""


def verdicts(paths):
    for path in paths:
        with open(path, "rb") as file:
            yield from (CHANGES.sub(b"", line) for line in file)


def compare(scanned, folder):
    """The number of verdicts, which are the same row by row."""
    judged = sorted(pathlib.Path(folder, "verdicts").iterdir())
    count = 0
    for one, other in itertools.zip_longest(verdicts([scanned]), verdicts(judged)):
        if one != other:
            sys.exit(f"verdict {count + 1} differs:\n{one}\n{other}")
        count += 1
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("--html", nargs="+", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    # In a process of its own: Spark's Java would be this one's child until the end.
    maker = multiprocessing.Process(target=make, args=(arguments.html, arguments.work / "pages"))
    maker.start()
    maker.join()
    if maker.exitcode != 0:
        sys.exit("no pages were made")
    pages = int((arguments.work / "pages" / "pages").read_text())
    made = sorted((arguments.work / "pages").iterdir())
    on_spark = [path for path in made if not path.name.endswith(("-c.jsonl.zst", "pages"))]
    for_scan = [path.with_name(path.name.replace(".parquet", ".jsonl.zst")) for path in on_spark]
    print(f"{pages} pages, {sum(path.stat().st_size for path in on_spark) / 1e6:.0f} MB on disk")
    for _ in range(arguments.rounds):
        out = arguments.work / "corpus"
        shutil.rmtree(out, ignore_errors=True)
        empty, empty_clock = measured([sys.executable, "-c", EMPTY_JOB])
        scan, scan_clock = measured([program, "scan", *map(str, for_scan), "--out",
                                     str(arguments.work / "scan.jsonl")])
        spark, spark_clock = measured(
            [sys.executable, "-m", "crawlsieve_spark", "corpus", *map(str, on_spark), "--out",
             str(out), "--program", program, "--master", "local[2]"])
        count = compare(arguments.work / "scan.jsonl", out)
        print(f"{count} verdicts, the same. Processor seconds (on the clock): scan {scan:.1f} "
              f"({scan_clock:.1f}), Spark {spark:.1f} ({spark_clock:.1f}), of which an empty job "
              f"{empty:.1f} ({empty_clock:.1f}): {(spark - empty) / scan:.2f} times", flush=True)


if __name__ == "__main__":
    main()
