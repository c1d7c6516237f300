#!/usr/bin/env python3
"""Prints named_references.inc: the standard's named character references, from Python's own table.

extract/html/named_references.py > extract/html/named_references.inc
extract/html/named_references.py --check FILE    exit 1 when FILE is another table
"""
import html.entities
import pathlib
import sys


def table():
    yield "// Printed by named_references.py. REFERENCE(name, what it stands for in UTF-8, whether it also"
    yield "// counts without a semicolon)"
    texts = html.entities.html5
    for name in sorted(name[:-1] for name in texts if name.endswith(";")):
        text = texts[name + ";"]
        legacy = name in texts
        if legacy and texts[name] != text:
            raise ValueError(f"{name} means something else without its semicolon")
        escaped = "".join(f"\\x{byte:02X}" for byte in text.encode())
        yield f'REFERENCE("{name}", "{escaped}", {str(legacy).lower()})'
    orphans = [name for name in texts if not name.endswith(";") and name + ";" not in texts]
    if orphans:
        raise ValueError(f"only without a semicolon: {orphans}")


def main():
    printed = "\n".join(table()) + "\n"
    if sys.argv[1:2] == ["--check"]:
        if pathlib.Path(sys.argv[2]).read_text() != printed:
            sys.exit(f"{sys.argv[2]} isn't what {sys.argv[0]} prints")
    else:
        sys.stdout.write(printed)


if __name__ == "__main__":
    main()
