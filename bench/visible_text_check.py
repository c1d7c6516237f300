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
REPLACED = set("audio canvas embed iframe meter object progress video".split())
INLINE = set(
    "a abbr acronym applet b basefont bdi bdo big blink cite code data del dfn em font i ins kbd label map "
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
SVG = "{http://www.w3.org/2000/svg}"


def declared(element, wanted):
    """The value of a property in the inline style: the last one, one that is !important first."""
    found = important = None
    for declaration in re.sub(r"/\*.*?\*/", "", element.attrib.get("style", "")).split(";"):
        name, colon, value = declaration.partition(":")
        value, mark, _ = value.partition("!")
        value = value.strip(" \t\n\f\r").lower()
        if not colon or not value or name.strip(" \t\n\f\r").lower() != wanted:
            continue
        if mark:
            important = value
        else:
            found = value
    return important or found


def hidden(element, name, html_element):
    display = declared(element, "display")
    if display is not None or not html_element:
        return display == "none" or (
            html_element and element.attrib.get("hidden", "").lower() == "until-found")
    return ("hidden" in element.attrib or "popover" in element.attrib
            or (name == "dialog" and "open" not in element.attrib))


def visible_text(html):
    return text_of(html5lib.parse(html, treebuilder="etree", namespaceHTMLElements=True))


def text_of(root):
    pieces = []
    # Without recursion; an entry is an element or text, and whether text is shown where it stands:
    # by `visibility`, and in SVG by the elements that draw text.
    stack = [(root, True, True)]
    while stack:
        item, visible, drawn = stack.pop()
        if isinstance(item, str):
            # White space of blocks counts everywhere: it only parts words.
            pieces.append(item if visible and drawn else "")
            continue
        if item.tail and item is not root:
            stack.append((item.tail, visible, drawn))
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
        if skipped or hidden(item, name, html_element):
            continue
        visibility = declared(item, "visibility")
        if visibility not in (None, "inherit"):
            visible = visibility == "visible"
        if html_element and name in REPLACED and (name != "object" or item.attrib.get("data")):
            pieces.append(" ")
            continue
        if item.tag.startswith(SVG):
            if name.lower() in ("text", "foreignobject"):
                drawn = True
            elif name.lower() not in ("tspan", "textpath", "a"):
                drawn = False
        else:
            drawn = True
        if not inline:
            pieces.append(" ")
            stack.append((" ", True, True))
        stack.extend((child, visible, drawn) for child in reversed(item))
        if item.text:
            stack.append((item.text, visible, drawn))
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
