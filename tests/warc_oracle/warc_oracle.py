"""Compares the pages that crawlsieve and warcio find in WARC files; see script/warc_oracle.

    warc_oracle.py PROGRAM [FILE...]

A page is its URL, status and the length of its body, transfer and content codings undone; that of a
revisit record is URL, status, and URL and time of the fetch that it refers to. warcio has neither zstd nor WACZ, and refuses gzip over a whole file, so such files are unpacked for it.
"""

import collections
import gzip
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import zstandard
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

import writers

PAGE_TYPES = ("response", "resource", "conversion", "revisit")
IDENTICAL = "/revisit/identical-payload-digest"
OTHER_SCHEMES = ("urn:", "dns:", "whois:", "metadata:", "filedesc:")


def unpacked(data):
    """The file as warcio can read it."""
    dictionary = None
    if data.startswith(writers.DICTIONARY_FRAME):
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


def warc_files(path):
    """The bytes of each WARC file, of those in a WACZ file too."""
    if path.suffix != ".wacz":
        yield path.read_bytes()
        return
    with zipfile.ZipFile(path) as wacz:
        for name in wacz.namelist():
            if name.startswith("archive/"):
                yield wacz.read(name)


def count_pages(data):
    pages = collections.Counter()
    for record in ArchiveIterator(io.BytesIO(data)):
        url = record.rec_headers.get_header("WARC-Target-URI") or ""
        if record.rec_type not in PAGE_TYPES or url.lower().startswith(OTHER_SCHEMES):
            continue
        status = int(record.http_headers.get_statuscode()) if record.http_headers else 200
        if record.rec_type == "revisit":
            fields = record.rec_headers
            assert fields.get_header("WARC-Profile").endswith(IDENTICAL), fields
            what = (fields.get_header("WARC-Refers-To-Target-URI") or url,
                    fields.get_header("WARC-Refers-To-Date"))
        else:
            what = len(record.content_stream().read())
        pages[url.strip("<>"), status, what] += 1
    return pages


def pages_of_warcio(path):
    pages = collections.Counter()
    for data in warc_files(path):
        try:
            pages += count_pages(unpacked(data))
        except ArchiveLoadFailed:
            pages += count_pages(gzip.decompress(data))
    return pages


def pages_of_crawlsieve(program, path):
    done = subprocess.run([program, "check", "--sample", path, "--all", "--json"],
                          capture_output=True, check=False)
    pages = collections.Counter()
    for page in json.loads(done.stdout)["records"]:
        what = page.get("body_bytes", page.get("text_bytes"))
        if "revisit_of" in page:
            what = page["revisit_of"], page.get("revisit_time")
        pages[page["url"], page["status"], what] += 1
    return pages


def main():
    program, *files = sys.argv[1:]
    wrong = 0
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        given = (("given", pathlib.Path(file)) for file in files)
        for writer, path in given if files else writers.written(pathlib.Path(folder)):
            theirs = pages_of_warcio(path)
            ours = pages_of_crawlsieve(program, path)
            counts[writer] += 1
            revisits = sum(count for page, count in ours.items() if isinstance(page[2], tuple))
            print(f"{writer}: {path.name}: {sum(ours.values())} pages, {revisits} of them revisits, "
                  f"warcio {sum(theirs.values())}", flush=True)
            if not theirs:
                print("  no page: nothing was compared")
                wrong = 1
            for what, pages in (("only warcio", theirs - ours), ("only crawlsieve", ours - theirs)):
                for page in list(pages)[:5]:
                    print(f"  {what}: {page}")
                    wrong = 1
    print(f"{sum(counts.values())} files of {len(counts)} writers: "
          f"{'pages differ' if wrong else 'the same pages in all'}")
    return wrong


sys.exit(main())
