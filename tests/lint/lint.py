#!/usr/bin/env python3
"""Checks that keep the tree what the documents say it is. Each is a test of its own in ctest.

    lint.py CHECK [ARGUMENT...]     exit 0: clean; 1: every finding on a line; 2: wrong usage
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE_FOLDERS = ("plugin", "extract", "consumer", "config", "cli", "evaluation", "tests", "bench")

# The rooms (folders with code, and single files that belong to another room than their folder),
# lowest first, and the rooms that each may include from beside itself. A room may only name rooms
# above it in this list, so there is no circle. Third-party headers: CONFINED.
ROOMS = {
    "plugin/base": "",
    "plugin/fingerprint": "plugin/base",
    "plugin/index/base": "plugin/base plugin/fingerprint",
    "plugin/log": "plugin/base plugin/fingerprint",
    "plugin/state": "plugin/base plugin/fingerprint",
    "plugin/verdict": "plugin/base plugin/fingerprint",
    "plugin/schedule": "plugin/base plugin/verdict",
    "plugin/score": "plugin/base plugin/verdict",
    "plugin/site": "plugin/base plugin/fingerprint plugin/schedule",
    "plugin/index/bucket": "plugin/index/base",
    "plugin/index/snapshot": "plugin/base plugin/fingerprint plugin/index/base",
    "plugin/index": "plugin/base plugin/fingerprint plugin/index/base plugin/index/bucket",
    "plugin/index/batch": "plugin/base plugin/fingerprint plugin/index/base plugin/index/snapshot "
                          "plugin/index",
    "plugin/judge": "plugin/base plugin/fingerprint plugin/log plugin/state plugin/verdict "
                    "plugin/schedule plugin/score plugin/site plugin/index/snapshot plugin/index",
    "plugin/checkpoint": "plugin/base plugin/fingerprint plugin/state plugin/judge "
                         "plugin/index/snapshot",
    "plugin/slots": "plugin/base plugin/fingerprint plugin/log plugin/verdict "
                    "plugin/index/snapshot plugin/index plugin/judge",
    "extract/text": "plugin/fingerprint",
    "extract/html": "extract/text",
    "extract/url": "extract/text",
    "extract/features": "plugin/base plugin/fingerprint extract/text extract/html",
    # Options of extraction, those of its rooms together.
    "extract/options.h": "extract/html extract/url extract/features",
    "extract": "plugin/base plugin/fingerprint extract/text extract/html extract/url "
               "extract/features extract/options.h",
    "consumer": "",
    "consumer/kafka": "plugin/base consumer",
    "consumer/observability": "plugin/base consumer",
    "consumer/html": "consumer/observability",
    "consumer/status": "plugin/base consumer consumer/observability consumer/html",
    "consumer/input/formats": "plugin/base extract",
    "consumer/input": "plugin/base plugin/fingerprint consumer/input/formats",
    "consumer/claims": "plugin/base extract consumer/input/formats",
    "consumer/output": "plugin/base plugin/fingerprint plugin/log plugin/verdict consumer/kafka "
                       "consumer/observability consumer/input/formats consumer/input",
    "consumer/output/scores": "plugin/base plugin/fingerprint plugin/score",
    "consumer/output/verdicts": "plugin/base extract/url consumer/output/scores",
    "consumer/output/advice": "plugin/base plugin/verdict plugin/schedule plugin/score plugin/site "
                              "plugin/judge consumer/observability consumer/output/scores",
    "consumer/pipeline": "plugin/base plugin/fingerprint plugin/log plugin/verdict plugin/judge "
                         "plugin/score extract/url extract/options.h extract consumer "
                         "consumer/input/formats consumer/input consumer/claims",
    "consumer/advice": "plugin/base plugin/log plugin/judge plugin/site plugin/score extract/url "
                       "consumer/observability consumer/input/formats consumer/output/advice "
                       "consumer/output/scores consumer/pipeline",
    "consumer/crash_probe": "plugin/base consumer/observability consumer/input/formats "
                            "consumer/claims consumer/pipeline",
    # Options of the service, where the other rooms' options come together.
    "consumer/service/options.h": "plugin/log consumer consumer/kafka consumer/input/formats "
                                  "consumer/output",
    "consumer/service/brokers": "plugin/base plugin/fingerprint plugin/log consumer/kafka "
                                "consumer/observability consumer/pipeline "
                                "consumer/service/options.h",
    # Of use wherever pages come from a topic.
    "consumer/service/extract/copy_record.h": "consumer/kafka consumer/input/formats",
    "consumer/service/extract": "plugin/base plugin/log plugin/judge consumer consumer/kafka "
                                "consumer/observability consumer/input/formats consumer/output "
                                "consumer/claims consumer/pipeline consumer/crash_probe "
                                "consumer/service/options.h consumer/service/brokers "
                                "consumer/service/extract/copy_record.h",
    "consumer/service/slots": "plugin/base plugin/fingerprint plugin/log plugin/state plugin/judge "
                              "plugin/slots consumer/kafka consumer/observability consumer/service/options.h "
                              "consumer/service/brokers",
    "consumer/service/judge": "plugin/base plugin/log plugin/score plugin/verdict plugin/state "
                              "plugin/judge plugin/checkpoint plugin/slots consumer/kafka "
                              "consumer/observability consumer/status consumer/output "
                              "consumer/output/advice consumer/output/scores consumer/advice "
                              "extract/url consumer/service/options.h "
                              "consumer/service/brokers consumer/service/slots",
    "consumer/service": "plugin/base plugin/fingerprint plugin/log plugin/state plugin/verdict "
                        "plugin/judge plugin/checkpoint plugin/slots consumer consumer/kafka "
                        "consumer/observability consumer/status consumer/claims "
                        "consumer/pipeline consumer/service/options.h consumer/service/brokers "
                        "consumer/service/slots consumer/service/extract consumer/service/judge",
    "consumer/migration": "plugin/base plugin/fingerprint plugin/log plugin/score plugin/judge "
                          "consumer/kafka consumer/output/scores consumer/service/options.h "
                          "consumer/service/brokers consumer/service/judge",
    "config": "plugin/fingerprint plugin/verdict plugin/schedule plugin/index extract/text extract/features "
              "extract/options.h consumer/input/formats consumer/claims consumer/output/scores "
              "consumer/service/options.h",
    "evaluation": "plugin/base plugin/log plugin/state plugin/verdict plugin/judge "
                  "consumer/observability consumer/html consumer/status consumer/input "
                  "consumer/pipeline",
    "evaluation/crawl": "plugin/base plugin/fingerprint plugin/log plugin/state plugin/verdict "
                        "plugin/schedule plugin/judge consumer/observability consumer/html "
                        "consumer/status consumer/input consumer/pipeline evaluation",
    "evaluation/schemes": "plugin/fingerprint extract/features evaluation",
    "cli": "plugin/base plugin/fingerprint plugin/index/snapshot plugin/index plugin/index/batch "
           "plugin/state plugin/verdict plugin/judge plugin/checkpoint plugin/slots plugin/score "
           "plugin/site extract/url extract/features extract consumer consumer/kafka consumer/observability "
           "consumer/html consumer/advice consumer/output/advice consumer/status "
           "consumer/input/formats consumer/input consumer/claims consumer/output "
           "consumer/output/scores consumer/output/verdicts consumer/pipeline consumer/crash_probe "
           "consumer/service/brokers "
           "consumer/service/slots consumer/service/extract/copy_record.h "
           "consumer/service consumer/migration config evaluation evaluation/crawl evaluation/schemes",
}
# May include everything, and nothing but they themselves includes them.
FREE = ("tests", "bench")

# Third-party headers stay in one room each, so that a library can be replaced there.
CONFINED = {
    r"gumbo\.h": ("extract/html", "bench"),
    r"librdkafka/": ("consumer/kafka", "bench"),
    r"yaml-cpp/": ("config",),
    r"rocksdb/": ("plugin/state",),
    r"xxhash\.h": ("plugin/fingerprint",),
    r"httplib\.h": ("consumer/observability/http.cc", "consumer/observability/http_client.cc",
                   "consumer/observability/http_stream", "consumer/observability/connection_queue"),
    r"prometheus/": ("consumer/observability/metrics", "consumer/observability/process_metrics"),
    r"spdlog/": ("consumer/observability/logging",),
    r"CLI/": ("cli", "bench", "tests/extract/html"),
    r"faiss/": ("bench",),
    r"curl/": ("consumer/claims",),
    r"openssl/": ("plugin/fingerprint", "consumer/input/formats/digest", "consumer/observability/access_token",
                  "consumer/observability/tls", "consumer/html/report_page",
                  "evaluation/schemes"),
}


def sources(*suffixes):
    for folder in CODE_FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path.relative_to(ROOT)


def includes():
    pattern = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
    for path in sources(".h", ".cc"):
        for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
            match = pattern.match(line)
            if match:
                yield path, number, match.group(1) == '"', match.group(2)


def room_of(name):
    """The room of a path below the root: the file itself where it has a row, else its folder."""
    return name if name in ROOMS else str(pathlib.PurePosixPath(name).parent)


def check_room_table():
    """Rows name rooms above them, and every room that has code has a row."""
    known = []
    for room, allowed in ROOMS.items():
        for other in allowed.split():
            if other not in known:
                yield f"lint.py: {room} names {other}, which is not above it: a circle, or a typo"
        known.append(room)
        if not (ROOT / room).exists():
            yield f"lint.py: there is no room {room}"
    for room in sorted({room_of(str(path)) for path in sources(".h", ".cc")}):
        if room not in ROOMS and room.split("/")[0] not in FREE:
            yield f"{room}: no row in lint.py says what this room may include"


def check_includes():
    yield from check_room_table()
    for path, number, is_own, name in includes():
        where = f"{path}:{number}"
        room = room_of(str(path))
        is_free = path.parts[0] in FREE
        if is_own:
            other = room_of(name)
            if "/" not in name:
                yield f'{where}: include "{name}" from the root of the tree'
            elif not is_free and other != room and other not in ROOMS.get(room, "").split():
                yield f'{where}: {room} may not include "{name}"'
        elif path.parts[0] != "tests":
            for header, rooms in CONFINED.items():
                if re.match(header, name) and not any(str(path).startswith(r) for r in rooms):
                    yield f"{where}: <{name}> belongs to {' and '.join(rooms)}"


def check_own_headers():
    """A source includes its own header first, so that compiling it shows that the header is whole.

    Headers without such a source are compiled alone: tests/lint/CMakeLists.txt.
    """
    for path in sources(".cc"):
        header = path.with_suffix(".h")
        if not (ROOT / header).exists():
            continue
        first = re.search(r'^\s*#\s*include\s+["<]([^">]+)', (ROOT / path).read_text(), re.M)
        if first is None or first.group(1) != str(header):
            yield f'{path}: the first include must be "{header}"'


def check_tests_are_built():
    """Every test, benchmark and fuzz target is named in a CMakeLists.txt beside or above it."""
    for path in sources(".cc"):
        if path.parts[0] not in ("tests", "bench"):
            continue
        folder = path.parent
        while True:
            listing = ROOT / folder / "CMakeLists.txt"
            if listing.exists():
                name = re.escape(str(path.relative_to(folder)))
                if re.search(rf"(?<![\w/]){name}(?!\w)", listing.read_text()):
                    break
            if folder == pathlib.Path("."):
                yield f"{path}: in no CMakeLists.txt, so it is never built"
                break
            folder = folder.parent


def check_format():
    files = [str(path) for path in sources(".h", ".cc")]
    result = subprocess.run(["clang-format-14", "--dry-run", *files], cwd=ROOT, text=True,
                            stderr=subprocess.PIPE, check=True)
    bad = {line.split(":")[0] for line in result.stderr.splitlines() if "warning:" in line}
    for path in sorted(bad):
        yield f"{path}: not formatted; run clang-format-14 -i {path}"


DOCUMENT_COLUMNS = 100


def documents():
    for pattern in ("*.md", "docs/**/*.md", "bench/*.md", "examples/**/*.md"):
        yield from sorted(ROOT.glob(pattern))


def headings(document):
    return re.findall(r"^#+ +(.+?) *$", document.read_text(), re.MULTILINE)


def anchor(heading):
    """The fragment under which a heading is linked, as common Markdown renderers make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def document_paths():
    """Every path in back quotes in the documents that looks like one of the tree exists."""
    for document in documents():
        for number, line in enumerate(document.read_text().splitlines(), 1):
            for path in re.findall(r"`((?:%s|docs|script|spark|deploy|cmake|examples)/[\w./-]*)[`#]" %
                                   "|".join(CODE_FOLDERS), line):
                if not (ROOT / path).exists():
                    yield f"{document.relative_to(ROOT)}:{number}: there is no {path}"


def document_commands():
    """A program of the tree that stands first in an indented command can be run as it stands."""
    for document in documents():
        for number, line in enumerate(document.read_text().splitlines(), 1):
            command = re.match(r" {4}((?:%s|script|spark|deploy|examples)/[\w./-]+)(?: |$)" %
                               "|".join(CODE_FOLDERS), line)
            path = ROOT / command[1] if command else ROOT
            if path.is_file() and not os.access(path, os.X_OK):
                yield f"{document.relative_to(ROOT)}:{number}: {command[1]} is not executable"


def document_columns():
    """Lines are short enough to be read side by side. A table's row, a picture's text and a URL
    can't be broken."""
    for document in documents():
        for number, line in enumerate(document.read_text().splitlines(), 1):
            breakable = not line.startswith(("|", "![")) and "://" not in line
            if breakable and len(line) > DOCUMENT_COLUMNS:
                yield (f"{document.relative_to(ROOT)}:{number}: {len(line)} columns, at most "
                       f"{DOCUMENT_COLUMNS}")


def document_links():
    """The target of every relative link exists, and so does the heading it names."""
    for document in documents():
        for number, line in enumerate(document.read_text().splitlines(), 1):
            for link in re.findall(r"\]\(([^)\s]+)\)", line):
                if re.match(r"[a-z]+:", link):
                    continue
                where = f"{document.relative_to(ROOT)}:{number}"
                path, _, fragment = link.partition("#")
                target = document.parent / path if path else document
                if not target.exists():
                    yield f"{where}: there is no {path}"
                elif fragment and fragment not in map(anchor, headings(target)):
                    yield f"{where}: {path or 'this page'} has no heading for #{fragment}"


def document_references():
    """Documents that code, scripts and documents name, with the headings behind the name, exist.

    A page and its heading in quotes may be broken over comment lines or string literals.
    """
    files = [*documents(), *(ROOT / path for path in sources(".h", ".cc", ".py", ".proto", ".txt"))]
    for file in files:
        text = re.sub(r'"\s*\n\s*"', "", file.read_text())
        text = re.sub(r"\s*\n\s*(?:///?|#)?\s*", " ", text)
        for page, heading in re.findall(
                r'(?<![\w/.])(docs/[\w/]+\.md)`?(?:, \\?"([^"\\{]+)\\?")?', text):
            if not (ROOT / page).exists():
                yield f"{file.relative_to(ROOT)}: names {page}, which is not there"
            elif heading and heading.strip() not in headings(ROOT / page):
                yield f'{file.relative_to(ROOT)}: {page} has no heading "{heading}"'


def example_readmes():
    """Each example has what its users look for, and the versions that its README names are those
    that its manifest has."""
    for folder in sorted((ROOT / "examples").iterdir()):
        if not folder.is_dir() or folder.name == "common":
            continue
        where = folder.relative_to(ROOT)
        missing = [name for name in ("README.md", "run", "crawlsieve.yaml")
                   if not (folder / name).exists()]
        for name in missing:
            yield f"{where}: has no {name}"
        if missing:
            continue
        readme = (folder / "README.md").read_text()
        if f"    {where}/run\n" not in readme:
            yield f"{where}/README.md: doesn't say how to run it"
        if f"({folder.name}/README.md)" not in (ROOT / "examples/README.md").read_text():
            yield f"{where}: examples/README.md doesn't name it"
        manifests = "".join(
            (folder / name).read_text()
            for name in ("requirements.txt", "go.mod", "package.json", "pom.xml")
            if (folder / name).exists())
        stated = re.search(r"^Versions: (.*?)\n\n", readme, re.M | re.S)
        for version in re.findall(r"\b\d+\.\d+[\w.]*\d", stated[1] if stated else ""):
            if manifests and version not in manifests:
                yield f"{where}/README.md: version {version} isn't in its manifest"
        if manifests and not stated:
            yield f"{where}/README.md: names no versions"


def check_readme():
    """The documents: paths, line lengths, links, and what code says of them."""
    yield from example_readmes()
    yield from document_paths()
    yield from document_commands()
    yield from document_columns()
    yield from document_links()
    yield from document_references()


LOG_CALL = re.compile(r"""\bLog(?:Repeating)?\(([^;{]*?)"([a-z_]+(?:\.[a-z_0-9]+)+)\"""")
LOG_ROW = re.compile(r"^\| `([a-z_]+(?:\.[a-z_0-9]+)+)` \| ([^|]+) \|", re.M)


def check_log_codes():
    """Every code of a log line is explained in docs/logs.md, none else is, and lines that are
    summed up say so there."""
    used, repeating = {}, set()
    for path in sources(".cc", ".h"):
        if path.parts[0] in FREE:
            continue
        for call in LOG_CALL.finditer((ROOT / path).read_text()):
            used.setdefault(call[2], path)
            if call[0].startswith("LogRepeating"):
                repeating.add(call[2])
    rows = LOG_ROW.findall((ROOT / "docs/logs.md").read_text())
    explained = dict(rows)
    for code in sorted(used.keys() - explained.keys()):
        yield f"{used[code]}: log code {code} isn't in docs/logs.md"
    for code in sorted(explained.keys() - used.keys()):
        yield f"docs/logs.md: nothing logs {code}"
    for code in sorted(used.keys() & explained.keys()):
        if (code in repeating) != ("*summed up*" in explained[code]):
            yield f"docs/logs.md: {code}: says the wrong thing about being summed up"
    codes = [code for code, _ in rows]
    if codes != sorted(set(codes)):
        yield "docs/logs.md: codes aren't in their order, or one is there twice"


CHECKS = {
    "includes": check_includes,
    "own_headers": check_own_headers,
    "tests_are_built": check_tests_are_built,
    "format": check_format,
    "readme": check_readme,
    "log_codes": check_log_codes,
}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in CHECKS:
        print(f"usage: lint.py {{{','.join(CHECKS)}}} [ARGUMENT...]", file=sys.stderr)
        return 2
    findings = list(CHECKS[sys.argv[1]](*sys.argv[2:]))
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
