#!/usr/bin/env python3
"""Puts sources together that can be compiled as one.

    source_groups.py SIZE ROOT BUILD FILES SOURCE...
                            writes a file for each group, FILES with its number and `.cc`, and
                            prints a line for each source: the file, or `alone`. ROOT: the tree's.
                            BUILD: the folder in which the compiler runs

Most of the time of a compiler goes into headers of libraries and into templates that each source
makes anew; of several sources in one file, it does this once. But in such a file a name that one
source declares for itself, such as a function of an unnamed namespace, is seen by those behind it.
So no source comes into a group that has a word for which another of the group has a meaning of its
own. A source whose unnamed namespace holds all of it, as tests do, gets another namespace around
that, and its names are in nobody's way. Names of headers can still meet: then the compiler says so,
and one is renamed.
"""

import os
import pathlib
import re
import sys

# What a source declares at the left margin, where clang-format puts the members of a namespace:
# the name in front of a parenthesis, brace, bracket, colon, semicolon or equals sign. Members that
# are defined outside of their class aren't names of their own, nor are tests: GoogleTest sees to it
# that no two have one name.
DECLARED = re.compile(r"^(?!namespace\b|using std::|(?:TYPED_)?TEST(?:_[FP])?\()"
                      r"\w[^\n(={;]*?(?<!::)\b(?!final\b)(\w+)\s*(?:\bfinal\b\s*)?"
                      r"(?:\[[^\]]*\]\s*)?[({=;:](?!:)", re.MULTILINE)
USING = re.compile(r"^using (?:::)?((?:\w+::)+(\w+));", re.MULTILINE)
MACRO = re.compile(r"^\s*#\s*(?:define|undef)\s+(\w+)", re.MULTILINE)
# Those behind such a source would see all of a namespace. Suffixes of literals are nobody's names.
OPENED = re.compile(r"^using namespace (?!std::\w*literals;)", re.MULTILINE)
# Without members of something: another name with that word is not in their way.
WORD = re.compile(r"(?<![\w.])(?<!->)(?<!::)[A-Za-z_]\w*")


# A source with nothing but an unnamed namespace in a named one, behind its includes.
ENCLOSED = re.compile(r"((?:(?:#|//)[^\n]*\n|\n)*namespace [\w:]+ \{\n)namespace \{\n"
                      r"((?:(?!namespace\b|\}  // namespace)[^\n]*\n|namespace \w+ = [^\n]*\n)*)"
                      r"\}  // namespace\n(\}  // namespace [\w:]+\n)")


class Names:
    """Words of a source, and what some of them mean there and nowhere else."""

    def __init__(self, source, with_namespaces):
        text = pathlib.Path(source).read_text()
        self.words = set(WORD.findall(text))
        self.opens_a_namespace = OPENED.search(text) is not None
        self.meanings = dict.fromkeys(MACRO.findall(text), source)
        if with_namespaces and ENCLOSED.fullmatch(text):
            return
        self.meanings.update((name, full) for full, name in USING.findall(text))
        self.meanings.update(dict.fromkeys(DECLARED.findall(text), source))

    def meet(self, others):
        if self.opens_a_namespace or others.opens_a_namespace:
            return True
        return any(others.meanings.get(name) != meaning
                   for name, meaning in self.meanings.items() if name in others.words) or \
            any(self.meanings.get(name) != meaning
                for name, meaning in others.meanings.items() if name in self.words)


def groups_of(sources, size, kind_of=lambda source: None, with_namespaces=False):
    """Lists of at most `size` sources, of one kind each, of which no two meet, or would not
    `with_namespaces` around what is enclosed."""
    groups = []
    for source in sources:
        names = Names(source, with_namespaces)
        kind = kind_of(source)
        for other_kind, group in groups:
            if other_kind == kind and len(group) < size and \
                    not any(names.meet(others) for others in group.values()):
                group[source] = names
                break
        else:
            groups.append((kind, {source: names}))
    return [list(group) for _, group in groups]


def text_of(group, root, build):
    """Of a file that has all sources of a group."""
    # By paths from the root of the tree, so that ccache finds it wherever the tree lies.
    included, copied = "", ""
    for number, source in enumerate(group):
        path = pathlib.Path(source).resolve()
        enclosed = ENCLOSED.fullmatch(path.read_text())
        if not enclosed:
            included += f'#include "{path.relative_to(root)}"\n'
            continue
        before, inner, after = enclosed.groups()
        # In the place of the lines that the source has there, so that messages name these.
        copied += f'#line 1 "{os.path.relpath(path, build)}"\n{before}'
        copied += f"namespace own_{number} {{ namespace {{\n{inner}"
        copied += f"}} }}  // namespace own_{number}\n{after}"
    return included + copied


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def main():
    if len(sys.argv) < 5:
        print(__doc__, file=sys.stderr)
        return 2
    size, root, build, files, *sources = sys.argv[1:]
    root, build = pathlib.Path(root).resolve(), pathlib.Path(build).resolve()
    file_of = {}
    for number, group in enumerate(groups_of(sources, int(size), with_namespaces=True)):
        if len(group) == 1:
            continue
        file = pathlib.Path(f"{files}{number}.cc")
        write(file, text_of(group, root, build))
        file_of.update(dict.fromkeys(group, file))
    for source in sources:
        print(file_of.get(source, "alone"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
