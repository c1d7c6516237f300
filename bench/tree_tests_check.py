#!/usr/bin/env python3
"""Compares the visible text that crawlsieve finds with the trees that html5lib's tests expect.

    apt-get download golang-golang-x-net-dev && dpkg -x golang-golang-x-net-dev_*.deb net
    bench/tree_tests_check.py build/release/crawlsieve net/usr/share/gocode/src/golang.org/x/net/html/testdata/webkit

The folder holds .dat files of html5lib's tests of tree construction; python3-html5lib is needed
too. Each document goes through `crawlsieve extract`, and what is visible of the expected tree must
have the same words. Fragments of documents and pages for browsers with scripts are passed over.
Exits with 1 if one differs.
"""

import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as etree

from visible_text_check import XHTML, text_of, words

NAMESPACES = {"svg": "{http://www.w3.org/2000/svg}", "math": "{http://www.w3.org/1998/Math/MathML}"}


def cases(path):
    """The sections of each case, by name."""
    content = path.read_bytes().decode("utf-8", "surrogatepass").replace("\r\n", "\n")
    for case in re.split(r"^#data\n", content, flags=re.MULTILINE)[1:]:
        parts = re.split(r"^#(errors|new-errors|document-fragment|script-off|script-on|document)(?:\n|$)",
                         case, flags=re.MULTILINE)
        yield {"data": parts[0].removesuffix("\n"), **dict(zip(parts[1::2], parts[2::2]))}


def append_text(parent, text):
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text


def tree(dump):
    """The expected tree as html5lib would have made it."""
    open_elements = [etree.Element("document")]
    for line in re.split(r"\n(?=\| )", dump.rstrip("\n")):
        node = re.match(r"\| ( *)(.*)", line, re.DOTALL)
        if node is None:
            continue
        depth, what = len(node[1]) // 2, node[2]
        del open_elements[depth + 1:]
        parent = open_elements[-1]
        attribute = re.fullmatch(r'([^"<]+)="(.*)"', what, re.DOTALL)
        if what.startswith('"'):
            append_text(parent, what[1:-1])
        elif what.startswith("<!"):
            continue
        elif what.startswith("<"):
            space, _, name = what[1:-1].rpartition(" ")
            open_elements.append(
                etree.SubElement(parent, NAMESPACES.get(space, XHTML) + name))
        elif attribute:
            parent.set(attribute[1], attribute[2])
        elif what == "content":  # of a template
            open_elements.append(parent)
    return open_elements[0].find(XHTML + "html")


def found_text(program, data):
    done = subprocess.run([program, "extract", "-", "--content-type", "text/html; charset=utf-8"],
                          input=data.encode("utf-8", "surrogatepass"), stdout=subprocess.PIPE, check=True)
    document = json.loads(done.stdout)
    if document["outcome"] != "text":
        return f"({document['outcome']} {document['detail']})"
    return " ".join(segment["text"] for segment in document["segments"]
                    if segment["role"] not in ("title", "alt_text"))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    wanted, skipped = [], 0
    for path in sorted(folder.rglob("*.dat")):
        for case in cases(path):
            if "document-fragment" in case or "script-on" in case or "scripted" in path.parts:
                skipped += 1
            else:
                wanted.append((path.name, case))
    if not wanted:
        sys.exit(f"no tests in {folder}")
    agreed, with_text, differ = 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        texts = workers.map(lambda item: found_text(program, item[1]["data"]), wanted)
        for (name, case), text in zip(wanted, texts):
            root = tree(case.get("document", ""))
            # As in visible_text_check: zero bytes are dropped here and replaced there.
            expected = words(text_of(root).replace("\0", "")) if root is not None else []
            if words(text) == expected:
                agreed += 1
                with_text += bool(expected)
            else:
                differ += 1
                print(f"{name}: {case['data']!r}: expected {' '.join(expected)!r}, found {text!r}")
    print(f"{agreed} agree, {with_text} of them with visible text; {differ} differ, {skipped} passed over")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
