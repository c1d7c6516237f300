"""Compares the pages that crawlsieve and warcio find in WARC files; see script/warc_oracle.

    warc_oracle.py PROGRAM [FILE...]

A page is its URL, status and the length of its body, transfer and content codings undone. warcio
has no zstd, so such files are unpacked for it.
"""

import collections
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import zstandard
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

PAGE_TYPES = ("response", "resource", "conversion")
OTHER_SCHEMES = ("urn:", "dns:", "whois:", "metadata:", "filedesc:")
DICTIONARY_FRAME = b"\x5d\x2a\x4d\x18"


def unpacked(data):
    """The file as warcio can read it."""
    dictionary = None
    if data.startswith(DICTIONARY_FRAME):
        size = int.from_bytes(data[4:8], "little")
        content, data = data[8:8 + size], data[8 + size:]
        if content.startswith(zstandard.FRAME_HEADER):
            content = zstandard.ZstdDecompressor().decompressobj().decompress(content)
        dictionary = zstandard.ZstdCompressionDict(content)
    if not data.startswith(zstandard.FRAME_HEADER):
        return data
    reader = zstandard.ZstdDecompressor(dict_data=dictionary).stream_reader(
        data, read_across_frames=True)
    return reader.read()


def pages_of_warcio(data):
    pages = collections.Counter()
    for record in ArchiveIterator(io.BytesIO(unpacked(data))):
        url = record.rec_headers.get_header("WARC-Target-URI") or ""
        if record.rec_type not in PAGE_TYPES or url.lower().startswith(OTHER_SCHEMES):
            continue
        status = int(record.http_headers.get_statuscode()) if record.http_headers else 200
        pages[url.strip("<>"), status, len(record.content_stream().read())] += 1
    return pages


def pages_of_crawlsieve(program, path):
    done = subprocess.run([program, "check", "--sample", path, "--all", "--json"],
                          capture_output=True, check=False)
    pages = collections.Counter()
    for page in json.loads(done.stdout)["records"]:
        pages[page["url"], page["status"], page.get("body_bytes", page.get("text_bytes"))] += 1
    return pages


def written_by_warcio(folder):
    """Files with records of every type, in every packing."""
    def write(writer):
        html = "text/html; charset=utf-8"
        for i in range(30):
            body = f"<p>page {i} ".encode() + bytes(str(i), "ascii") * 50
            http = StatusAndHeaders("200 OK" if i % 7 else "404 Not Found",
                                    [("Content-Type", html)], protocol="HTTP/1.1")
            writer.write_record(writer.create_warc_record(
                f"http://a.example/{i}", "response", payload=io.BytesIO(body), http_headers=http))
            for kind, uri in (("resource", f"urn:text:http://a.example/{i}"),
                              ("resource", f"http://a.example/{i}.txt"),
                              ("conversion", f"http://a.example/{i}"), ("metadata", "urn:x:y"),
                              ("response", "dns:a.example")):
                writer.write_record(writer.create_warc_record(
                    uri, kind, payload=io.BytesIO(body), warc_content_type="text/plain"))
            writer.write_record(writer.create_revisit_record(
                f"http://a.example/{i}", "sha1:" + "A" * 32, f"http://b.example/{i}",
                "2024-05-06T07:08:09Z"))

    streams = {}
    for gzip in (False, True):
        streams[gzip] = io.BytesIO()
        write(WARCWriter(streams[gzip], gzip=gzip))
    plain, packed = streams[False].getvalue(), streams[True].getvalue()
    records = [b"WARC/1.0" + record for record in plain.split(b"WARC/1.0")[1:]]
    dictionary = zstandard.train_dictionary(4096, records)
    content = dictionary.as_bytes()
    packer = zstandard.ZstdCompressor(dict_data=dictionary)
    frames = b"".join(packer.compress(record) for record in records)
    files = {"plain.warc": plain, "gzip.warc.gz": packed,
             "zstd.warc.zst": b"".join(zstandard.compress(record) for record in records),
             "whole.warc.zst": zstandard.compress(plain)}
    for name, front in (("dictionary", content), ("packed", zstandard.compress(content))):
        files[f"{name}.warc.zst"] = (DICTIONARY_FRAME + len(front).to_bytes(4, "little") + front +
                                     frames)
    for name, data in files.items():
        (folder / name).write_bytes(data)
        yield folder / name


def main():
    program, *files = sys.argv[1:]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in map(pathlib.Path, files or written_by_warcio(pathlib.Path(folder))):
            theirs = pages_of_warcio(path.read_bytes())
            ours = pages_of_crawlsieve(program, path)
            print(f"{path.name}: {sum(ours.values())} pages, warcio {sum(theirs.values())}")
            for what, pages in (("only warcio", theirs - ours), ("only crawlsieve", ours - theirs)):
                for page in list(pages)[:5]:
                    print(f"  {what}: {page}")
                    wrong = 1
    return wrong


sys.exit(main())
