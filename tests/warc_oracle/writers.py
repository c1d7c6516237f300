"""WARC files of other projects' own writers: those of Python here, others as programs beside it.

All library writers get the same records; crawlers fetch the same site.
"""

import base64
import contextlib
import gzip
import http.server
import io
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
import zipfile

import fastwarc.stream_io
import fastwarc.warc
import hanzo.warctools
import warc
import wacz.main
import zstandard
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

HERE = pathlib.Path(__file__).parent
DATE = "2024-05-06T07:08:09Z"
RESPONSE = "application/http; msgtype=response"
DICTIONARY_FRAME = b"\x5d\x2a\x4d\x18"
SECONDS = 60


def page(number):
    return (f"<!DOCTYPE html><title>Page {number}</title><p>page {number} "
            .encode() + bytes(str(number), "ascii") * 300)


def chunked(body):
    pieces = [body[at:at + 100] for at in range(0, len(body), 100)] + [b""]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)


def records():
    """Type, URL, content type and block."""
    def message(status, body, *fields):
        head = "\r\n".join([f"HTTP/1.1 {status}", "Content-Type: text/html; charset=utf-8", *fields])
        return head.encode() + b"\r\n\r\n" + body

    for number in range(20):
        body = page(number)
        blocks = [message("200 OK", body), message("404 Not Found", body),
                  message("200 OK", gzip.compress(body), "Content-Encoding: gzip"),
                  message("200 OK", chunked(body), "Transfer-Encoding: chunked"),
                  message("301 Moved Permanently", b"", f"Location: http://a.example/{number}/")]
        yield "response", f"http://a.example/{number}", RESPONSE, blocks[number % len(blocks)]
        yield "resource", f"urn:text:http://a.example/{number}", "text/plain", body
    yield "resource", "http://a.example/resource", "text/plain", b"some text"
    yield "resource", "dns:a.example", "text/dns", b"a.example. 60 IN A 192.0.2.1"
    yield "metadata", "http://a.example/0", "application/warc-fields", b"via: http://a.example/\r\n"


def of_warcio(folder):
    """Records of every type, in every packing."""
    def write(writer):
        for kind, url, content_type, block in records():
            http_headers = None
            if kind == "response":
                head, block = block.split(b"\r\n\r\n", 1)
                status, *fields = head.decode().split("\r\n")
                http_headers = StatusAndHeaders(status.split(" ", 1)[1],
                                                [tuple(field.split(": ", 1)) for field in fields],
                                                protocol="HTTP/1.1")
            writer.write_record(writer.create_warc_record(
                url, kind, payload=io.BytesIO(block), http_headers=http_headers,
                warc_content_type=content_type))
        for number in range(20):
            writer.write_record(writer.create_warc_record(
                f"http://a.example/{number}", "conversion", payload=io.BytesIO(page(number)),
                warc_content_type="text/plain"))
            writer.write_record(writer.create_revisit_record(
                f"http://a.example/{number}", "sha1:" + "A" * 32, f"http://b.example/{number}", DATE))

    streams = {}
    for is_packed in (False, True):
        streams[is_packed] = io.BytesIO()
        write(WARCWriter(streams[is_packed], gzip=is_packed))
    plain, packed = streams[False].getvalue(), streams[True].getvalue()
    members = [b"WARC/1.0" + record for record in plain.split(b"WARC/1.0")[1:]]
    dictionary = zstandard.train_dictionary(4096, members)
    content = dictionary.as_bytes()
    packer = zstandard.ZstdCompressor(dict_data=dictionary)
    frames = b"".join(packer.compress(member) for member in members)
    files = {"plain.warc": plain, "gzip.warc.gz": packed,
             "zstd.warc.zst": b"".join(zstandard.compress(member) for member in members),
             "whole.warc.zst": zstandard.compress(plain)}
    for name, front in (("dictionary", content), ("packed", zstandard.compress(content))):
        files[f"{name}.warc.zst"] = (DICTIONARY_FRAME + len(front).to_bytes(4, "little") + front +
                                     frames)
    for name, data in files.items():
        (folder / name).write_bytes(data)


def of_fastwarc(folder):
    streams = fastwarc.stream_io
    dictionary = streams.zstd_train_dictionary_from_samples(
        [b"WARC/1.1\r\nWARC-Type: " + kind.encode() + b"\r\n" + block
         for kind, _, _, block in records()], 4096)
    for name, wrap in (("plain.warc", lambda file: file), ("gzip.warc.gz", streams.GzipWriter),
                       ("zstd.warc.zst", streams.ZstdWriter),
                       ("dictionary.warc.zst",
                        lambda file: streams.ZstdWriter(file, dictionary=dictionary))):
        with (folder / name).open("wb") as file:
            out = wrap(file)
            for kind, url, content_type, block in records():
                record = fastwarc.warc.WarcRecord()
                record.init_headers(record_type=getattr(fastwarc.warc.WarcRecordType, kind),
                                    record_urn=uuid.uuid4().urn[4:].encode())
                record.headers.append("WARC-Target-URI", url)
                record.headers["Content-Type"] = content_type
                record.set_bytes_content(block)
                record.write(out, checksum_data=True)
                if out is not file:
                    out.finish()  # a member for each record
            out.close()


def of_warctools(folder):
    for name, is_packed in (("warctools.warc", False), ("warctools.warc.gz", True)):
        with (folder / name).open("wb") as file:
            for kind, url, content_type, block in records():
                hanzo.warctools.WarcRecord(
                    headers=[(b"WARC-Type", kind.encode()), (b"WARC-Target-URI", url.encode()),
                             (b"WARC-Date", DATE.encode()),
                             (b"WARC-Record-ID", f"<{uuid.uuid4().urn}>".encode())],
                    content=(content_type.encode(), block)).write_to(file, gzip=is_packed)


def of_warc3(folder):
    for name in ("warc3.warc", "warc3.warc.gz"):
        file = warc.open(str(folder / name), "wb")
        for kind, url, content_type, block in records():
            file.write_record(warc.WARCRecord(payload=block, headers={
                "WARC-Type": kind, "WARC-Target-URI": url, "Content-Type": content_type}))
        file.close()


class Site(http.server.BaseHTTPRequestHandler):
    """Pages of every kind, linked from the first one."""

    def do_GET(self):  # pylint: disable=invalid-name
        kind, _, number = self.path[1:].partition("/")
        body, fields, status = page(int(number or 0)), {}, 200
        if not kind:
            links = [f"{kind}/{number}" for kind in ("p", "gzip", "chunked", "missing", "moved")
                     for number in range(6)]
            body = "".join(f'<a href="/{link}">x</a>' for link in links).encode()
        elif kind == "gzip":
            fields["Content-Encoding"] = "gzip"
            body = gzip.compress(body, mtime=0)
        elif kind == "missing":
            status = 404
        elif kind == "moved":
            status, body = 301, b""
            fields["Location"] = f"/p/{number}"
        if kind == "chunked":
            fields["Transfer-Encoding"] = "chunked"
            body = chunked(body)
        else:
            fields["Content-Length"] = str(len(body))
        self.send_response(status)
        for name, value in {"Content-Type": "text/html; charset=utf-8", **fields}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


@contextlib.contextmanager
def site():
    """Its address; not 127.0.0.1, from which warcprox takes nothing."""
    server = http.server.ThreadingHTTPServer(("127.0.0.2", 0), Site)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.2:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def of_wget(folder):
    with site() as address:
        def fetch(name, *options):
            # 8: a server answered 404.
            done = subprocess.run(
                ["wget", "--quiet", "--recursive", "--level=2", "--no-config", "--no-proxy",
                 f"--warc-file={folder / name}", "--delete-after",
                 f"--directory-prefix={folder / 'site'}", *options, address],
                capture_output=True, timeout=SECONDS)
            assert done.returncode in (0, 8), done.stderr

        fetch("wget-gzip", "--warc-cdx")
        fetch("wget-plain", "--no-warc-compression")
        fetch("wget-again", f"--warc-dedup={folder / 'wget-gzip.cdx'}")


def wait_for(condition, what):
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"{what}: not within {SECONDS} s"
        time.sleep(0.05)


def of_warcprox(folder):
    for name, options in (("warcprox-plain", []), ("warcprox-gzip", ["--gzip"])):
        inside = folder / name
        inside.mkdir()
        log = inside / "log"
        with site() as address, log.open("wb") as out:
            proxy = subprocess.Popen(
                [sys.executable, "-c", "import warcprox.main; warcprox.main.main()", "--port", "0",
                 "--dir", inside, "--cacert", inside / "ca.pem", "--certs-dir", inside / "certs",
                 "--dedup-db-file", inside / "dedup.db", "--stats-db-file", "/dev/null",
                 "--prefix", name, *options],
                stdout=out, stderr=subprocess.STDOUT, cwd=inside)
            try:
                wait_for(lambda: b"listening on" in log.read_bytes(), "warcprox")
                port = log.read_bytes().split(b"listening on", 1)[1].split(b":", 1)[1].split()[0]
                opener = urllib.request.build_opener(urllib.request.ProxyHandler(
                    {"http": f"http://127.0.0.1:{port.decode().strip(')').rstrip(',')}"}))
                for _ in range(2):  # the second time as revisits
                    for kind in ("p", "gzip", "chunked", "missing", "moved"):
                        for number in range(6):
                            with contextlib.suppress(urllib.error.HTTPError):
                                opener.open(f"{address}{kind}/{number}", timeout=SECONDS).read()
            finally:
                proxy.send_signal(signal.SIGTERM)
                proxy.wait(SECONDS)
        for file in inside.glob("*.warc*"):
            file.rename(folder / file.name)


def of_py_wacz(folder):
    """A WACZ file as it is written, and the same packed anew."""
    (folder / "inside").mkdir()
    of_warcio(folder / "inside")
    written = folder / "py-wacz.wacz"
    with contextlib.redirect_stdout(io.StringIO()):
        wacz.main.main(["create", "--output", str(written), "--detect-pages", "--text",
                        str(folder / "inside/gzip.warc.gz"), str(folder / "inside/plain.warc")])
    with zipfile.ZipFile(written) as zip_file, \
            zipfile.ZipFile(folder / "deflated.wacz", "w", zipfile.ZIP_DEFLATED) as again:
        for name in zip_file.namelist():
            again.writestr(name, zip_file.read(name), zipfile.ZIP_DEFLATED)


def lines_of_records(folder):
    """The records for programs in other languages."""
    path = folder / "records.tsv"
    path.write_text("".join(
        "\t".join([kind, url, DATE, content_type, base64.b64encode(block).decode()]) + "\n"
        for kind, url, content_type, block in records()))
    return path


def run(folder, *command):
    done = subprocess.run([*map(str, command), lines_of_records(folder), folder],
                          capture_output=True, text=True, timeout=5 * SECONDS)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


def of_java(folder):
    work = pathlib.Path(os.environ["WARC_ORACLE_WORK"])
    run(folder, "java", "-cp", f"{work}/classes:{work}/jars/*", "WarcWriters")


def of_node(folder):
    run(folder, "node", pathlib.Path(os.environ["WARC_ORACLE_WORK"]) / "node/writers.mjs")


def of_go(folder):
    run(folder, pathlib.Path(os.environ["WARC_ORACLE_WORK"]) / "gowarc")


# Of one language's programs each file begins with its writer's name.
WRITERS = {"warcio": of_warcio, "FastWARC": of_fastwarc, "warctools": of_warctools,
           "warc3-wet": of_warc3, "wget": of_wget, "warcprox": of_warcprox, "py-wacz": of_py_wacz,
           "Java": of_java, "Node.js": of_node, "Go": of_go}


def written(folder):
    """Name of the writer and file, for each."""
    for name, write in WRITERS.items():
        inside = folder / name
        inside.mkdir()
        write(inside)
        for path in sorted(inside.iterdir()):
            if not path.name.endswith((".warc", ".warc.gz", ".warc.zst", ".wacz")):
                continue
            is_program = name in ("Java", "Node.js", "Go")
            yield path.name.split(".")[0].removesuffix("-gzip") if is_program else name, path
