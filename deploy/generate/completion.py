#!/usr/bin/env python3
"""Writes the completions of bash (FOLDER/crawlsieve) and zsh (FOLDER/_crawlsieve) from --help.

    completion.py PROGRAM FOLDER
"""

import pathlib
import sys

import command_line

BASH = """# Completion of crawlsieve for bash, made from its --help.
_crawlsieve() {
  local command= word i current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    case "$command $word" in
%(commands)s
    esac
  done
  case "$command $previous" in
%(values)s
  esac
  local words=
  case "$command" in
%(words)s
  esac
  if [[ $current == -* || -n $words && $words != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}
complete -o bashdefault -o default -F _crawlsieve crawlsieve
"""

ZSH_HEAD = """#compdef crawlsieve
# Completion of crawlsieve for zsh, made from its --help.
"""


def path_of(command):
    return " ".join(command.words[1:])


def option_names(command):
    return [name for item in command.options for name in item.names]


def bash(root):
    """A word that names a command moves to it. A word behind an option with a value is its value,
    even where it is spelt like a command."""
    commands, values, words = [], [], []
    for command in root.walk():
        path = path_of(command)
        for below in command.commands:
            commands.append(f'      "{path} {below.words[-1]}") command="{path_of(below)}" ;;')
        for item in command.options:
            if not item.takes_value:
                continue
            names = "|".join(f'"{path} {name}"' for name in item.names)
            reply = (f'mapfile -t COMPREPLY < <(compgen -W "{" ".join(item.choices)}" -- '
                     '"$current"); ' if item.choices else "")
            # Without an answer bash falls back to files.
            values.append(f"    {names}) {reply}return ;;")
        listed = [below.words[-1] for below in command.commands] + option_names(command)
        words.append(f'    "{path}") words="{" ".join(listed)}" ;;')
    return BASH % {"commands": "\n".join(commands), "values": "\n".join(values),
                   "words": "\n".join(words)}


def zsh_text(text):
    for character in "\\[]:":
        text = text.replace(character, f"\\{character}")
    return text.replace("'", "'\\''")


def zsh_option(item):
    value = ""
    if item.takes_value:
        value = f":value:({' '.join(item.choices)})" if item.choices else ":file:_files"
        value = value if item.choices or item.takes_file else ":number: "
    meaning = zsh_text(item.meaning)
    for name in item.names:
        yield f"'{name}[{meaning}]{value}'"


def zsh_function(command):
    name = "_".join(["", *command.words])
    lines = [f"{name}() {{"]
    options = [option for item in command.options for option in zsh_option(item)]
    if command.commands:
        lines += ["  local -a commands=("]
        lines += [f"    '{below.words[-1]}:{zsh_text(below.meaning)}'" for below in command.commands]
        lines += ["  )", "  local state line", "  _arguments -C \\"]
        lines += [f"    {option} \\" for option in options]
        lines += ["    '1: :->command' '*:: :->rest'", "  case $state in",
                  "    command) _describe command commands ;;", "    rest)",
                  "      case $line[1] in"]
        lines += [f"        {below.words[-1]}) {'_'.join(['', *below.words])} ;;"
                  for below in command.commands]
        lines += ["      esac ;;", "  esac"]
    else:
        lines += ["  _arguments \\"] + [f"    {option} \\" for option in options]
        lines += ["    '*:file:_files'"]
    return "\n".join([*lines, "}"])


def zsh(root):
    functions = "\n".join(zsh_function(command) for command in root.walk())
    return f'{ZSH_HEAD}{functions}\n_crawlsieve "$@"\n'


def main():
    root, folder = command_line.read(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "crawlsieve").write_text(bash(root))
    (folder / "_crawlsieve").write_text(zsh(root))


if __name__ == "__main__":
    main()
