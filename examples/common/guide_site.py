"""A small web site of real pages, with the traps that crawlers fall into. Loopback only.

The pages are those of a folder of HTML. Each page has a number of URLs:

    /guide/NAME                   the page
    /guide/NAME?view=print        its printable view; links there lead to printable views
    /guide/NAME?visit=3f2c81      the page in a visit; links there stay in the visit
    /guide/contents?sort=ORDER    the list of all pages, in four orders

and all of them once more on a second host, a mirror with a banner of its own. The host name of the
site is 127.0.0.1, that of the mirror 127.0.0.2.
"""

import hashlib
import http.server
import pathlib
import re
import threading
import urllib.parse

HOST, MIRROR = "127.0.0.1", "127.0.0.2"
ORDERS = ("name", "title", "length", "newest")
VISITS = 3

NAVIGATION = re.compile(r'<div class="nav(?:header|footer)">.*?</table>\s*(?:<hr>\s*)?</div>', re.S)
DECORATION = re.compile(r"<link [^>]*>|<img [^>]*>")
LINK = re.compile(r'href="([^"]*)"')


def visit_of(name):
    """The visit that begins at a page: one of a few, so that the site is finite."""
    number = int(hashlib.sha256(name.encode()).hexdigest(), 16) % VISITS
    return hashlib.sha256(f"visit {number}".encode()).hexdigest()[:6]


class Pages:
    """What the site shows at a URL. Immutable."""

    def __init__(self, folder):
        """`folder`: HTML files, one of them index.html."""
        self._pages = {path.name: path.read_text(encoding="utf-8", errors="replace")
                       for path in sorted(pathlib.Path(folder).glob("*.html"))}
        if "index.html" not in self._pages:
            raise ValueError(f"{folder} has no index.html")

    def contents(self):
        """Names of all contents: that of each page, and that of the list."""
        return {*self._pages, "contents"}

    def show(self, host, path, query):
        """The content's name and the page as HTML, or None where there is no page."""
        name = path.removeprefix("/guide/")
        parameters = dict(urllib.parse.parse_qsl(query))
        if not path.startswith("/guide/") or not set(parameters) <= {"view", "visit", "sort"}:
            return None
        if name == "contents":
            html = self._list(parameters.get("sort", ORDERS[0]))
        elif name in self._pages:
            html = DECORATION.sub("", self._pages[name])
        else:
            return None
        if parameters.get("view") == "print":
            html = NAVIGATION.sub("", html)
        # The variant goes into the page's own links. A link elsewhere stays a word.
        variant = "&".join(f"{key}={parameters[key]}" for key in ("view", "visit")
                           if key in parameters)
        html = LINK.sub(lambda match: self._link(match[1], variant), html)
        return name, self._with_frame(html, host, name, variant)

    def _link(self, target, variant):
        address, _, fragment = target.partition("#")
        path, _, query = address.partition("?")
        if path not in self._pages and path != "contents":
            return f'href="#{fragment}"'
        query = "&".join(part for part in (query, variant) if part)
        return f'href="{path}{"?" if query else ""}{query}{"#" if fragment else ""}{fragment}"'

    def _with_frame(self, html, host, name, variant):
        if variant.startswith("view=print"):
            return html
        banner = "A mirror of the guide, kept by volunteers." if host == MIRROR else "The guide."
        links = [f'<a href="contents{"?" if variant else ""}{variant}">All pages</a>']
        if not variant and name != "contents":
            links += [f'<a href="{name}?view=print">Printable view</a>',
                      f'<a href="{name}?visit={visit_of(name)}">Begin a visit</a>']
        if host == HOST and name == "index.html" and not variant:
            links += [f'<a href="//{MIRROR}:{{port}}/guide/index.html">Mirror</a>']
        frame = f"<header><p>{banner}</p><nav>{' | '.join(links)}</nav></header>"
        return re.sub(r"(<body[^>]*>)", lambda match: match[1] + frame, html, count=1)

    def _list(self, order):
        titles = {name: re.search(r"<title>(.*?)</title>", page, re.S)[1]
                  for name, page in self._pages.items()}
        keys = {"name": lambda name: name, "title": lambda name: titles[name],
                "length": lambda name: (len(self._pages[name]), name),
                "newest": lambda name: hashlib.sha256(name.encode()).digest()}
        if order not in keys:
            order = ORDERS[0]
        heads = " ".join(f'<a href="contents?sort={other}">by {other}</a>' for other in ORDERS)
        rows = "".join(f'<li><a href="{name}">{titles[name]}</a></li>'
                       for name in sorted(self._pages, key=keys[order]))
        return (f"<html><head><title>All pages</title></head><body><h1>All pages</h1><p>{heads}</p>"
                f"<ul>{rows}</ul></body></html>")


class Site:
    """Serves the pages on a free port of both hosts, and counts what is fetched. Thread-safe."""

    def __init__(self, folder):
        self._pages = Pages(folder)
        self._mutex = threading.Lock()
        self._fetched = []  # names of contents
        handler = self._handler()
        self._servers = [_Server((HOST, 0), handler)]
        self.port = self._servers[0].server_address[1]
        try:
            self._servers.append(_Server((MIRROR, self.port), handler))
        except OSError:
            self._servers[0].server_close()
            raise
        self._threads = [threading.Thread(target=server.serve_forever, daemon=True)
                         for server in self._servers]

    def contents(self):
        return self._pages.contents()

    @property
    def start_url(self):
        return f"http://{HOST}:{self.port}/guide/index.html"

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def take_fetches(self):
        """Names of the contents of all pages fetched since the last call, one for each fetch."""
        with self._mutex:
            fetched, self._fetched = self._fetched, []
        return fetched

    def _handler(self):
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Header and body leave together: two small writes would wait for an acknowledgement.
            wbufsize = 1 << 16

            def do_GET(self):
                parts = urllib.parse.urlsplit(self.path)
                shown = site._pages.show(self.server.server_address[0], parts.path, parts.query)
                if shown is None:
                    self._answer(404, b"There is no such page.", "text/plain")
                    return
                name, html = shown
                with site._mutex:
                    site._fetched.append(name)
                self._answer(200, html.replace("{port}", str(site.port)).encode(),
                             "text/html; charset=utf-8")

            def _answer(self, status, body, content_type):
                self.send_response(status)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        return Handler


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
