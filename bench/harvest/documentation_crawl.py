#!/usr/bin/env python3
"""Makes a crawl out of the HTML documentation that this machine has, for bench/harvest.

    documentation_crawl.py PAGES.jsonl [--root /usr/share/doc]

The pages are as they are installed. Around them is what a web server makes of such a folder: each
folder without an index.html is a listing in the nine sort orders of Apache, that link to each other.
And each page links to itself with a parameter that changes nothing. So what it gives depends on the
packages that are installed.
"""

import argparse
import hashlib
import html
import json
import os
import posixpath
import re

HOST = "http://doc.example"
ORDERS = ("", "C=N;O=D", "C=M;O=A", "C=S;O=A", "C=D;O=A", "C=N;O=A", "C=M;O=D", "C=S;O=D", "C=D;O=D")
MAX_BYTES = 200_000
MAX_FILES = 1_500


def html_files(root):
    found = []
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = posixpath.join(folder, name)
            if name.endswith((".html", ".htm")) and os.path.getsize(path) < MAX_BYTES:
                found.append(path)
    return found[:MAX_FILES]


def folders_of(root, files):
    """Each folder with its entries; those that are folders end with a slash."""
    entries = {}
    for path in files:
        folder = posixpath.dirname(path)
        entries.setdefault(folder, set()).add(path)
        while len(folder) > len(root):
            entries.setdefault(posixpath.dirname(folder), set()).add(folder + "/")
            folder = posixpath.dirname(folder)
    return entries


def sort_entries(entries, order):
    column = order[2:3]
    if column not in ("", "N"):
        # In place of times and sizes, which packages share.
        entries = sorted(entries, key=lambda e: hashlib.md5((e + column).encode()).digest())
    return list(reversed(entries)) if order.endswith("O=D") else list(entries)


def listing(url, entries, url_of):
    rows = "".join(
        f'<tr><td><a href="{html.escape(url_of(entry))}">'
        f'{html.escape(posixpath.basename(entry.rstrip("/")))}</a>'
        f"<td>2021-0{1 + len(entry) % 9}-11 10:{len(entry) % 60:02}<td>{len(entry)}K</tr>"
        for entry in entries)
    return (f"<html><head><title>Index of {url}</title></head><body><h1>Index of {url}</h1><table>"
            f"<tr><th>Name<th>Last modified<th>Size</tr>{rows}</table></body></html>")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def records(root):
    files = html_files(root)

    def url_of(path):
        return HOST + path[len(root):]

    folders = folders_of(root, files)
    for folder in sorted(folders, key=lambda path: (path.count("/"), path)):
        entries = sorted(folders[folder])
        url = url_of(folder) + "/"
        index = folder + "/index.html"
        if index in entries:
            yield url, read(index), [url_of(entry) for entry in entries]
            continue
        orders = [url + "?" + order for order in ORDERS if order]
        for order in ORDERS:
            ordered = sort_entries(entries, order)
            yield (url + ("?" + order if order else ""), listing(url, ordered, url_of),
                   [url_of(entry) for entry in ordered] + orders)
    for path in files:
        body = read(path)
        folder = posixpath.dirname(path)[len(root):] or "/"
        links = [HOST + posixpath.normpath(posixpath.join(folder, reference.split("#")[0]))
                 for reference in re.findall(r'href="([^":]+)"', body)]
        tagged = f"{url_of(path)}?from=nav{len(path) % 7}"
        yield url_of(path), body, links + [tagged]
        yield tagged, body, links


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages")
    parser.add_argument("--root", default="/usr/share/doc")
    options = parser.parse_args()
    with open(options.pages, "w", encoding="utf-8") as out:
        for url, body, links in records(options.root.rstrip("/")):
            out.write(json.dumps({"url": url, "content_type": "text/html", "body": body,
                                  "links": links}) + "\n")


if __name__ == "__main__":
    main()
