#!/usr/bin/env python3
"""Runs clang-tidy over the sources that changed since they last passed.

    tidy.py BUILD_FOLDER [PATH...]     exit 0: clean; 1: findings, as clang-tidy prints them

BUILD_FOLDER has a compile_commands.json, and the generated headers built. PATH: folders or files;
without any, all rooms of the project but tests and benchmarks.

Most of the time goes into headers of libraries, which clang-tidy reads and matches again for each
source. So sources are checked several at a time, included by a file that has nothing else
(cmake/source_groups.py), with the flags of all of them. Where two of them meet all the same, or the
group has findings, its halves are checked, down to single sources: what is printed is always what
clang-tidy says of a source alone.

A source that passes leaves a stamp in the user's cache folder, for all checkouts. Its name is a
hash of what the outcome depends on: the source, all our headers that it includes, its compile
command, .clang-tidy, this file, and the version of clang-tidy.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cmake"))

from source_groups import groups_of  # noqa: E402, from the folder above

CLANG_TIDY = "clang-tidy-14"
ROOMS = ("plugin", "extract", "consumer", "config", "cli", "evaluation")
GROUP = 20
INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


@functools.lru_cache(maxsize=None)
def text_and_includes(path):
    text = path.read_bytes()
    return text, [name.decode() for name in INCLUDE.findall(text)]


def key_of(source, command, build, common):
    """A hash of what clang-tidy's answer for `source` depends on; system headers excepted."""
    command = command.replace(str(build), "BUILD").replace(str(ROOT), "ROOT")
    digest = hashlib.sha256(common + command.encode())
    seen = set()
    to_read = [source]
    while to_read:
        path = to_read.pop()
        if path in seen:
            continue
        seen.add(path)
        text, names = text_and_includes(path)
        digest.update(text)
        for name in names:
            to_read += [folder / name for folder in (ROOT, build) if (folder / name).is_file()][:1]
    return digest.hexdigest()


def flags_of(entry):
    """The flags of a compile command, a word each, without its input and output."""
    words = shlex.split(entry["command"])
    words = words[next(i for i, word in enumerate(words) if "clang" in word) + 1:]
    flags = []
    skipped = 0
    for i, word in enumerate(words):
        if skipped:
            skipped -= 1
        elif word in ("-o", "-MF", "-MT"):
            skipped = 1
        elif word == "-isystem":
            flags.append(word + words[i + 1])
            skipped = 1
        elif word not in ("-c", "-MD", entry["file"]):
            flags.append(word)
    return tuple(flags)


def run(arguments, flags):
    """What clang-tidy has to say; empty if it has nothing."""
    done = subprocess.run(
        [CLANG_TIDY, f"--config-file={ROOT}/.clang-tidy", "--quiet", "--warnings-as-errors=*",
         *arguments, "--", *flags, "-Wno-unknown-warning-option"],
        cwd=ROOT, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def check(sources, flags_of_source):
    """Findings by source, of those of a group that have any."""
    if len(sources) == 1:
        said = run([str(sources[0])], flags_of_source[sources[0]])
        return {sources[0]: said} if said else {}
    with tempfile.NamedTemporaryFile("w", suffix=".cc") as together:
        for source in sources:
            together.write(f'#include "{source.relative_to(ROOT)}"  // NOLINT\n')
        together.flush()
        rooms = "|".join(ROOMS)
        flags = dict.fromkeys(flag for source in sources for flag in flags_of_source[source])
        if not run([rf"--header-filter={ROOT}/({rooms})/.*\.(h|cc)$", together.name], flags):
            return {}
    half = len(sources) // 2
    return check(sources[:half], flags_of_source) | check(sources[half:], flags_of_source)


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    begin = time.monotonic()
    build = pathlib.Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:] or ROOMS
    version = subprocess.run([CLANG_TIDY, "--version"], capture_output=True, check=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes() + pathlib.Path(__file__).read_bytes()
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    stamps = cache / "crawlsieve-tidy"
    stamps.mkdir(parents=True, exist_ok=True)
    stamp_of = {}
    flags_to_check = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"]).resolve()
        if source.suffix != ".cc" or not any(source.is_relative_to(ROOT / w) for w in wanted):
            continue
        if build in source.parents or source in stamp_of:
            continue
        stamp_of[source] = stamps / key_of(source, entry["command"], build, common)
        if not stamp_of[source].exists():
            flags_to_check[source] = flags_of(entry)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        groups = groups_of(flags_to_check, GROUP)
        # The longest first, so that no core has the last one to itself.
        groups.sort(key=len, reverse=True)
        checked = 0
        for group, findings in zip(groups, pool.map(lambda group: check(group, flags_to_check),
                                                    groups)):
            checked += len(group)
            print(f"clang-tidy: {checked} of {len(flags_to_check)} sources", flush=True)
            for source in group:
                if source in findings:
                    failed += 1
                    print(findings[source], flush=True)
                else:
                    stamp_of[source].touch()
    print(f"clang-tidy: {len(flags_to_check)} of {len(stamp_of)} sources checked in "
          f"{time.monotonic() - begin:.0f} s, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
