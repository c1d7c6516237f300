"""Makes the golden revisit records: a file for each writer, of a small site that is fetched twice.

    script/warc_oracle PROGRAM      # fetches the writers
    PYTHONPATH=$PWD/build/warc_oracle/python:tests/warc_oracle python3 tests/data/revisits/make.py

Pages 0 and 1 have texts of their own, at /p/, and chunked at /chunked/. /gzip/ has the same texts
packed, so its payloads are others. Responses and revisit records are left as they were written;
what names the machine, such as `warcinfo`, is left out.
"""

import gzip
import io
import pathlib
import random
import re
import tempfile

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

import writers

HERE = pathlib.Path(__file__).parent
PAGES = [f"/{kind}/{number}" for kind in ("p", "chunked", "gzip") for number in range(2)]


def page(number):
    source = random.Random(number)
    words = " ".join(f"w{source.randrange(100_000)}" for _ in range(120))
    return f"<!DOCTYPE html><title>Page {number}</title><p>{words}".encode()


def golden(path):
    """The pages of PAGES among the file's records, each packed for itself."""
    data = path.read_bytes()
    plain = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    starts = [0] + [match.start() + 4 for match in re.finditer(rb"\r\n\r\nWARC/1\.", plain)]
    records = []
    iterator = ArchiveIterator(io.BytesIO(data))
    for record, begin, end in zip(iterator, starts, [*starts[1:], len(plain)]):
        record.content_stream().read()
        url = (record.rec_headers.get_header("WARC-Target-URI") or "").strip("<>")
        if record.rec_type in ("response", "revisit") and url.endswith(tuple(PAGES)):
            records.append(gzip.compress(plain[begin:end], mtime=0))
    return b"".join(records)


def of_warcio():
    """A page, and revisit records of it, of another URL, and of a page that was never fetched."""
    data = io.BytesIO()
    writer = WARCWriter(data, gzip=True)
    first, date = "http://a.example/p/0", "2024-05-06T07:08:09Z"
    writer.write_record(writer.create_warc_record(
        first, "response", payload=io.BytesIO(page(0)), warc_headers_dict={"WARC-Date": date},
        http_headers=StatusAndHeaders("200 OK", [("Content-Type", "text/html")],
                                      protocol="HTTP/1.1")))
    for url, of in ((first, first), ("http://b.example/", first), ("http://b.example/x",
                                                                   "http://c.example/")):
        writer.write_record(writer.create_revisit_record(url, "sha1:" + "A" * 32, of, date))
    return data.getvalue()


def main():
    writers.page = page
    (HERE / "warcio.warc.gz").write_bytes(of_warcio())
    with tempfile.TemporaryDirectory() as name:
        for writer, files in (("warcprox", ["warcprox-plain*.warc"]),
                              ("wget", ["wget-gzip.warc.gz", "wget-again.warc.gz"])):
            folder = pathlib.Path(name) / writer
            folder.mkdir()
            writers.WRITERS[writer](folder)
            (HERE / f"{writer}.warc.gz").write_bytes(
                b"".join(golden(path) for file in files for path in folder.glob(file)))


main()
