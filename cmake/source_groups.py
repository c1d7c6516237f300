#!/usr/bin/env python3
"""Puts sources together that can be compiled as one.

    source_groups.py SIZE SOURCE...     prints a line for each source: its group's number, or
                                        `alone`

Most of the time of a compiler goes into headers of libraries and into templates that each source
makes anew; of several sources that one file includes, it does this once. But in such a file a name
that one source declares for itself, such as a function of an unnamed namespace, is seen by those
behind it. So no source comes into a group that has a word for which another of the group has a
meaning of its own. Names of headers can still meet: then the compiler says so, and one is renamed.
"""

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


class Names:
    """Words of a source, and what some of them mean there and nowhere else."""

    def __init__(self, source):
        text = pathlib.Path(source).read_text()
        self.words = set(WORD.findall(text))
        self.opens_a_namespace = OPENED.search(text) is not None
        self.meanings = {name: full for full, name in USING.findall(text)}
        for name in DECLARED.findall(text) + MACRO.findall(text):
            self.meanings[name] = source

    def meet(self, others):
        if self.opens_a_namespace or others.opens_a_namespace:
            return True
        return any(others.meanings.get(name) != meaning
                   for name, meaning in self.meanings.items() if name in others.words) or \
            any(self.meanings.get(name) != meaning
                for name, meaning in others.meanings.items() if name in self.words)


def groups_of(sources, size, kind_of=lambda source: None):
    """Lists of at most `size` sources, of one kind each, of which no two meet."""
    groups = []
    for source in sources:
        names = Names(source)
        kind = kind_of(source)
        for other_kind, group in groups:
            if other_kind == kind and len(group) < size and \
                    not any(names.meet(others) for others in group.values()):
                group[source] = names
                break
        else:
            groups.append((kind, {source: names}))
    return [list(group) for _, group in groups]


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    sources = sys.argv[2:]
    number_of = {}
    for number, group in enumerate(groups_of(sources, int(sys.argv[1]))):
        if len(group) > 1:
            number_of.update(dict.fromkeys(group, number))
    for source in sources:
        print(number_of.get(source, "alone"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
