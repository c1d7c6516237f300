#!/usr/bin/env python3
"""Writes crawlsieve(1) from --help and crawlsieve.yaml(5) from the option table.

    man.py PROGRAM FOLDER
"""

import pathlib
import re
import subprocess
import sys

import command_line


def escape(text):
    """Text as roff takes it."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text


def inline(text):
    """Markdown within a line: code in bold, links as their text."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    parts = text.split("`")
    return "".join(f"\\fB{escape(part)}\\fR" if i % 2 else
                   escape(re.sub(r"\*+([^*]+)\*+", r"\1", part)) for i, part in enumerate(parts))


def title(name, section, version, manual):
    return f'.TH {name} {section} "" "crawlsieve {version}" "{manual}"'


def items(listed, is_command=False):
    for item in listed:
        if is_command and "--help" in item.names:
            continue
        yield from (".TP", f"\\fB{escape(item.spec)}\\fR", escape(item.meaning) or "\\&")


def program_page(root, version):
    yield title("CRAWLSIEVE", 1, version, "User Commands")
    summary = root.meaning.split(":")[0]
    yield from (".SH NAME", f"crawlsieve \\- {escape(summary[0].lower() + summary[1:])}")
    yield from (".SH SYNOPSIS", f"\\fBcrawlsieve\\fR {escape('[--help] [--version] COMMAND ...')}")
    yield from (".SH DESCRIPTION", escape(root.meaning))
    yield ".SH OPTIONS"
    yield from items(root.options)
    yield ".SH COMMANDS"
    for command in root.walk():
        if command is root or command.commands:
            continue
        yield f'.SS "{escape(" ".join(command.words[1:]))}"'
        yield from (escape(command.meaning), ".PP", f"\\fB{escape(command.usage)}\\fR")
        yield from items(command.positionals + command.options, is_command=True)
    codes = re.sub(r"^Exit codes: ", "", root.footer)
    yield from (".SH EXIT STATUS", escape(codes))
    yield from (".SH FILES", ".TP", "\\fI/etc/crawlsieve/crawlsieve.yaml\\fR",
                "The configuration of the system's service, crawlsieve.service.", ".TP",
                "\\fI/var/lib/crawlsieve\\fR", "The state of its judge.")
    yield from (".SH SEE ALSO", "\\fBcrawlsieve.yaml\\fR(5), "
                "\\fI/usr/share/doc/crawlsieve/docs/README.md\\fR")


def configuration_page(document, version):
    """`document`: what --print-config-doc prints."""
    yield title("CRAWLSIEVE.YAML", 5, version, "File Formats")
    yield from (".SH NAME", "crawlsieve.yaml \\- configuration of crawlsieve", ".SH DESCRIPTION")
    paragraph = []
    for line in [*document.splitlines()[1:], ""]:
        cells = [cell.strip().replace("\\|", "|")
                 for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if (not line or line.startswith(("#", "|"))) and paragraph:
            yield from (".PP", inline(" ".join(paragraph)))
            paragraph = []
        if line.startswith("## "):
            yield f'.SH "{inline(line[3:]).upper() if "`" not in line else inline(line[3:])}"'
        elif len(cells) == 4 and cells[0].startswith("`"):
            yield from (".TP", inline(cells[0]),
                        inline(f"{cells[3]} ({cells[1]}; default: {cells[2].strip('`')})"))
        elif len(cells) == 2 and cells[0] not in ("type", "---"):
            yield from (".TP", inline(cells[0]), inline(cells[1]))
        elif line and not line.startswith("|"):
            paragraph.append(line)
    yield from (".SH SEE ALSO", "\\fBcrawlsieve\\fR(1)")


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    run = lambda *words: subprocess.run([program, *words], text=True, check=True, timeout=20,
                                        stdout=subprocess.PIPE).stdout
    version = run("--version").split()[0]
    root = command_line.read(program)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "crawlsieve.1").write_text("\n".join(program_page(root, version)) + "\n")
    document = run("--print-config-doc")
    (folder / "crawlsieve.yaml.5").write_text(
        "\n".join(configuration_page(document, version)) + "\n")


if __name__ == "__main__":
    main()
