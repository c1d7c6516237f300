#!/usr/bin/env python3
"""Compares the URLs that crawlsieve makes with the test data of the WHATWG URL Standard.

    apt-get download librust-url-dev && dpkg -x librust-url-dev_*.deb url
    bench/url_standard_check.py build/release/crawlsieve url/usr/share/cargo/registry/url-*/tests/urltestdata.json

Only http and https count, as crawlsieve leaves other URLs as they are. Each input is a link of a page
with the test's base, or on a page of the other scheme where the test has none. What crawlsieve does beyond the
standard (escapes, fragments: extract/url/url.h) is done to the expected URL too, by giving it to
crawlsieve in turn. Exits with 1 if one differs.
"""

import html
import json
import pathlib
import subprocess
import sys
import tempfile

SPECIAL = ("http:", "https:")


def extract(program, page, url):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "page.html")
        file.write_text(page, encoding="utf-8", newline="")
        done = subprocess.run(
            [program, "extract", str(file), "--content-type", "text/html; charset=utf-8", "--url", url],
            capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def links(program, base, inputs):
    """What these links come to on a page at `base`."""
    anchors = "".join(
        f'<p><a href="{html.escape(text)}">x</a></p>'.replace("\r", "&#13;") for text in inputs)
    return [link["url"] for link in extract(program, anchors, base)["links"]]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program = sys.argv[1]
    cases = [case for case in json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
             if isinstance(case, dict)]
    agreed, differ, skipped = 0, [], 0
    by_base = {}
    for case in cases:
        base, text = case.get("base") or "about:blank", case["input"]
        bad_text = any(c == "\0" or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000 for c in text)
        special = base.startswith(SPECIAL) or (base == "about:blank" and text.lower().startswith("http"))
        # Links to nowhere aren't listed; HTML has neither NUL nor surrogates, and Gumbo no controls.
        if bad_text or not special or not text.strip():
            skipped += 1
        elif case.get("failure"):
            if base.startswith(SPECIAL) and not text.lower().startswith("http"):
                skipped += 1
            elif extract(program, "<p>x", text)["host"] in (None, ""):
                agreed += 1
            else:
                differ.append((text, base, "failure", extract(program, "<p>x", text)["canonical_url"]))
        elif not case["href"].startswith(SPECIAL):
            skipped += 1
        else:
            if base == "about:blank":  # a page of the other scheme, which decides nothing then
                is_http = not text.strip().lower().startswith("https")
                base = "https://base.example/" if is_http else "http://base.example/"
            by_base.setdefault(base, []).append(case)
    for base, group in by_base.items():
        found = links(program, base, [case["input"] for case in group])
        expected = links(program, base, [case["href"] for case in group])
        if not len(found) == len(expected) == len(group):
            sys.exit(f"{len(found)} and {len(expected)} links of {len(group)} on {base}")
        for case, ours, theirs in zip(group, found, expected):
            if ours == theirs:
                agreed += 1
            else:
                differ.append((case["input"], base, theirs, ours))
    for text, base, theirs, ours in differ:
        print(f"{text!r} on {base}: expected {theirs!r}, found {ours!r}")
    print(f"{agreed} agree, {len(differ)} differ, {skipped} passed over")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
