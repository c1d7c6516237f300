#!/usr/bin/env python3
"""Compares the visible text that crawlsieve finds with that of an independent HTML5 parser.

usage: visible_text_check.py CRAWLSIEVE PAGES [PAGES...]

CRAWLSIEVE is the program; PAGES are files of canonical page records, one JSON object a line, .zst
unpacked with the program zstd. The other parser is html5lib (python3-html5lib). Prints the share of words
of both texts that are found in the other, in order (difflib), and the pages that differ most.
Exit code: 0 if the share is at least 0.999, else 1.
"""

import difflib
import json
import re
import subprocess
import sys

import html5lib

# What extract/html/html_text.h calls visible, said once more, on another tree.
INVISIBLE = set(
    "area base bgsound datalist head link meta noembed noframes noscript param rp script source "
    "style template title track".split())
REPLACED = set("applet audio canvas embed iframe meter object progress video".split())
INLINE = set(
    "a abbr acronym b basefont bdi bdo big blink cite code data del dfn em font i ins kbd label map "
    "mark nobr output q ruby rb s samp small span strike strong sub sup time tt u var wbr".split())
BLOCK = set(
    "address article aside blockquote body br button caption center col colgroup dd details dir div "
    "dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 header hgroup hr "
    "html image img input isindex keygen legend li listing main marquee menu menuitem multicol nav "
    "nextid ol optgroup option p plaintext pre rt rtc section select spacer summary table tbody td "
    "textarea tfoot th thead tr ul xmp".split())
FOREIGN_INVISIBLE = set(
    "title desc metadata defs style script annotation annotation-xml".split())
XHTML = "{http://www.w3.org/1999/xhtml}"


def hidden(element):
    if "hidden" in element.attrib:
        return True
    for declaration in element.attrib.get("style", "").split(";"):
        name, colon, value = declaration.partition(":")
        value = value.split("!")[0].strip(" \t\n\f\r").lower()
        if colon and (name.strip(" \t\n\f\r").lower(), value) in (
                ("display", "none"), ("visibility", "hidden")):
            return True
    return False


def visible_text(html):
    return text_of(html5lib.parse(html, treebuilder="etree", namespaceHTMLElements=True))


def text_of(root):
    pieces = []
    # Without recursion; an entry is an element, or text that follows one.
    stack = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        if item.tail and item is not root:
            stack.append(item.tail)
        if not isinstance(item.tag, str):
            continue  # a comment
        html_element = item.tag.startswith(XHTML)
        name = item.tag.rsplit("}", 1)[-1]
        if html_element:
            skipped = name in INVISIBLE
            inline = name in INLINE or name not in BLOCK | REPLACED
        else:
            skipped = name.lower() in FOREIGN_INVISIBLE
            inline = name.lower() == "tspan"
        if skipped or hidden(item) or (name == "dialog" and "open" not in item.attrib):
            continue
        if html_element and name in REPLACED:
            pieces.append(" ")
            continue
        if not inline:
            pieces.append(" ")
            tail = stack.pop() if item.tail and item is not root else ""
            stack.append(" " + tail)
        stack.extend(reversed(item))
        if item.text:
            stack.append(item.text)
    return "".join(pieces)


def words(text):
    return [word for word in re.split(r"[ \t\n\f\r]+", text) if word]


def pages(path):
    if path.endswith(".zst"):
        data = subprocess.run(["zstd", "-dcq", "--long=27", path], check=True,
                              stdout=subprocess.PIPE).stdout
    else:
        data = open(path, "rb").read()
    for line in data.splitlines():
        yield json.loads(line)


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    program = arguments[0]
    total = same = 0
    worst = []
    for path in arguments[1:]:
        for page in pages(path):
            result = subprocess.run(
                [program, "extract", "-", "--content-type", "text/html; charset=utf-8"],
                input=page["body"].encode("utf-8", "replace"), stdout=subprocess.PIPE, check=True)
            document = json.loads(result.stdout)
            if document["outcome"] != "text":
                print(f"{page['url']}: {document['outcome']} {document['detail']}")
                continue
            ours = words(" ".join(segment["text"] for segment in document["segments"]
                                  if segment["role"] not in ("title", "alt_text")))
            # Zero bytes are dropped by one and replaced by the other; the standard does both.
            theirs = words(visible_text(page["body"]).replace("\0", ""))
            if ours == theirs:
                equal = len(ours)
            else:
                matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
                equal = sum(block.size for block in matcher.get_matching_blocks())
            total += len(ours) + len(theirs)
            same += 2 * equal
            missing = len(ours) + len(theirs) - 2 * equal
            if missing:
                worst.append((missing, len(ours), len(theirs), page["url"]))
    for missing, our_words, their_words, url in sorted(worst, reverse=True)[:10]:
        print(f"{missing:7} of {our_words} and {their_words} words differ: {url}")
    share = same / total if total else 0
    print(f"{total // 2} words, {share:.6f} the same, {len(worst)} pages differ")
    return 0 if share >= 0.999 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
