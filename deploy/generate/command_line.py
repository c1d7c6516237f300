"""The command line of crawlsieve, read from its own --help: man pages and completions are made
from it."""

import re
import subprocess
from dataclasses import dataclass, field


@dataclass
class Item:
    """A line of --help: a positional, an option or a subcommand."""
    spec: str     # as shown: "--format TEXT:{a,b}"
    meaning: str

    @property
    def names(self):
        return self.spec.split()[0].split(",")

    @property
    def takes_value(self):
        """A flag's spec is its name, perhaps with what it excludes or needs."""
        return re.match(r"\S+ [A-Z]", self.spec) is not None and \
            re.match(r"\S+ (Excludes|Needs):", self.spec) is None

    @property
    def choices(self):
        found = re.search(r"\{([^}]*)\}", self.spec)
        return found.group(1).split(",") if found else []

    @property
    def takes_file(self):
        """Any text may be a path; numbers aren't."""
        return self.takes_value and not self.choices and " TEXT" in self.spec


@dataclass
class Command:
    words: tuple          # ("crawlsieve", "key", "export")
    meaning: str = ""
    usage: str = ""
    positionals: list = field(default_factory=list)
    options: list = field(default_factory=list)
    commands: list = field(default_factory=list)
    footer: str = ""

    def walk(self):
        """This command and all below it."""
        yield self
        for command in self.commands:
            yield from command.walk()


SECTIONS = {"Positionals:": "positionals", "Options:": "options", "Subcommands:": "commands"}


def parse(words, text):
    """One --help. Raises ValueError for a text of another form."""
    command = Command(words)
    section = None
    for line in text.splitlines():
        if line in SECTIONS:
            section = getattr(command, SECTIONS[line])
        elif line.startswith("Usage: "):
            command.usage = line.removeprefix("Usage: ")
        elif not command.usage:
            command.meaning = f"{command.meaning} {line}".strip()
        elif re.match(r" {2}\S", line):
            if section is None:
                raise ValueError(f"{' '.join(words)} --help: {line!r} belongs to no section")
            spec, _, meaning = line.strip().partition("  ")
            section.append(Item(spec, meaning.strip()))
        elif line.startswith("   "):
            section[-1].meaning = f"{section[-1].meaning} {line.strip()}".strip()
        elif line:
            section = None
            command.footer = f"{command.footer} {line}".strip()
    if not command.usage:
        raise ValueError(f"{' '.join(words)} --help has no usage")
    return command


def read(program, words=("crawlsieve",)):
    """The command `words` of `program`, with all below it."""
    done = subprocess.run([program, *words[1:], "--help"], text=True, check=True,
                          stdout=subprocess.PIPE, timeout=20)
    command = parse(words, done.stdout)
    command.commands = [read(program, (*words, item.names[0])) for item in command.commands]
    return command
