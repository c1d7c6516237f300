#!/usr/bin/env python3
"""Writes public_suffixes.inc: the rules of the Public Suffix List, in the ASCII of domain names.

    public_suffixes.py /usr/share/publicsuffix/public_suffix_list.dat >public_suffixes.inc

Another list is another scheme (docs/extraction.md, "The scheme"): logs that were begun before are
refused.
"""

import hashlib
import sys
import textwrap


def to_ascii(label):
    if label.isascii():
        return label
    return "xn--" + label.encode("punycode").decode()


def main():
    with open(sys.argv[1], "rb") as file:
        content = file.read()
    rules = []
    for line in content.decode().splitlines():
        rule = line.split()[0] if line.split() else ""
        if rule and not rule.startswith("//"):
            rules.append(".".join(to_ascii(label) for label in rule.split(".")))
    print("// Made by public_suffixes.py from the Public Suffix List (https://publicsuffix.org/list/),")
    print("// which is subject to the terms of the Mozilla Public License, v. 2.0. So is this file: a")
    print("// copy of the licence is at https://mozilla.org/MPL/2.0/.")
    print(f'constexpr std::string_view kListSha1 = "{hashlib.sha1(content).hexdigest()}";')
    print("constexpr std::string_view kRules[] = {")
    for line in textwrap.wrap(" ".join(rules), 92, break_on_hyphens=False, break_long_words=False):
        print(f'    "{line}",')
    print("};")


main()
