#!/usr/bin/env python3
"""Runs clang-tidy over the sources that changed since they last passed.

    tidy.py BUILD_FOLDER [PATH...]     exit 0: clean; 1: findings, as clang-tidy prints them

BUILD_FOLDER has a compile_commands.json, and the generated headers built. PATH: folders or files;
without any, all rooms of the project but tests and benchmarks. A source that passes leaves a stamp
in BUILD_FOLDER/tidy, named by a hash of what its outcome depends on: its own text, that of all our
headers that it includes, its compile command, .clang-tidy and the version of clang-tidy.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLANG_TIDY = "clang-tidy-14"
ROOMS = ("plugin", "extract", "consumer", "config", "cli", "evaluation")
INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


@functools.lru_cache(maxsize=None)
def text_and_includes(path):
    text = path.read_bytes()
    return text, [name.decode() for name in INCLUDE.findall(text)]


def key_of(source, command, build, common):
    """A hash of what clang-tidy's answer for `source` depends on; system headers excepted."""
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


def check(source, build):
    """What clang-tidy has to say of a source; empty if it passes."""
    done = subprocess.run(
        [CLANG_TIDY, "-p", str(build), "--quiet", "--warnings-as-errors=*",
         "--extra-arg=-Wno-unknown-warning-option", str(source)],
        cwd=ROOT, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    build = pathlib.Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:] or ROOMS
    version = subprocess.run([CLANG_TIDY, "--version"], capture_output=True, check=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes()
    stamps = build / "tidy"
    stamps.mkdir(exist_ok=True)
    to_check = []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"]).resolve()
        if source.suffix != ".cc" or not any(source.is_relative_to(ROOT / w) for w in wanted):
            continue
        if build in source.parents:
            continue
        stamp = stamps / key_of(source, entry["command"], build, common)
        if not stamp.exists():
            to_check.append((source, stamp))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = pool.map(lambda item: (item, check(item[0], build)), to_check)
        for (source, stamp), findings in answers:
            if findings:
                failed += 1
                print(findings, flush=True)
            else:
                stamp.touch()
    print(f"clang-tidy: {len(to_check)} sources checked, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
