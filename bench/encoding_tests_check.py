#!/usr/bin/env python3
"""Compares the encoding that crawlsieve takes a page for with what html5lib's tests expect.

    tar xzf html5lib-1.1.tar.gz     # the source distribution of html5lib
    bench/encoding_tests_check.py build/release/crawlsieve html5lib-1.1/html5lib/tests/testdata/encoding

The folder holds .dat files. Where no encoding is declared the tests expect windows-1252, the default
of browsers; crawlsieve then looks at the bytes, so it is only checked that it takes nothing for a
declaration. Exits with 1 if one differs.
"""

import json
import pathlib
import re
import subprocess
import sys

BROWSERS_DEFAULT = "windows-1252"


def cases(path):
    """The bytes of each page, and the encoding expected."""
    for case in re.split(rb"^#data\n", path.read_bytes(), flags=re.MULTILINE)[1:]:
        data, _, rest = case.partition(b"\n#encoding\n")
        yield data, rest.split(b"\n", 1)[0].decode().strip().lower()


def found_encoding(program, data):
    """What the page was taken for, and how that was found."""
    done = subprocess.run([program, "extract", "-", "--content-type", "text/html"],
                          input=data, stdout=subprocess.PIPE, check=True)
    document = json.loads(done.stdout)
    return (document["charset"] or "").lower(), document["charset_source"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    declared, undeclared, differ = 0, 0, 0
    for path in sorted(folder.rglob("*.dat")):
        for data, expected in cases(path):
            found, source = found_encoding(program, data)
            is_declared = source not in ("default", "detected")
            if is_declared and found == expected:
                declared += 1
            elif not is_declared and expected == BROWSERS_DEFAULT:
                undeclared += 1
            else:
                differ += 1
                print(f"{path.name}: {data[:200]!r}: expected {expected}, found {found} ({source})")
    if declared + undeclared + differ == 0:
        sys.exit(f"no tests in {folder}")
    print(f"{declared} agree on the encoding declared, {undeclared} that none is; {differ} differ")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
